package sales

import "airtill/internal/ledger"

// What may still come after a sale has ended: its transfer succeeded late, was reversed, or an attempt given
// up was executed after all.

// lateSuccess: the list has a complete transfer for a sale that had ended without one. A webhook or reply is
// only a hint to look.
func (m *mover) lateSuccess() error {
	if m.o.Cause != Listed {
		m.Changed, m.lookNow = true, true
		return nil
	}
	return m.wasExecuted()
}

// wasExecuted earns what was given up, or books the loss if the cash has gone back.
func (m *mover) wasExecuted() error {
	if err := m.enter(Complete); err != nil {
		return err
	}
	s := &m.Sale
	s.ByAbsence, s.ReasonCode, s.ReasonContext = false, "", ""
	owed, err := s.owedForThis() // by what was told before
	if err != nil {
		return err
	}
	m.facts()
	actual := s.Actual()
	total, err := actual.Total()
	if err != nil {
		return err
	}
	m.incident(LateSuccess, "the transfer succeeded after it had been given up", total)
	paidFrom, held := ledger.Float, total
	if !owed.IsZero() && !m.o.Old { // the upstream no longer owes it; for another attempt it does
		paidFrom, held = ledger.RefundReceivable, owed
		s.ReceivableMicros -= owed.Micros()
	}
	switch s.Cash {
	case CashRefundDue:
		m.book(ledger.RefundNoLongerDue(s.Price()))
		if err := m.bookOr(ledger.Success(paidFrom, held, actual)); err != nil {
			return err
		}
		if err := m.bookOr(ledger.Revenue(s.Price(), actual)); err != nil {
			return err
		}
		s.Cash = CashEarned
	default: // refunded
		if paidFrom == ledger.RefundReceivable {
			m.book(ledger.UpstreamRefunded(held))
		}
		m.book(ledger.LateLoss(total))
	}
	m.book(ledger.CommissionEarned(s.Commission()))
	return nil
}

// reverse: the upstream took back a complete transfer.
func (m *mover) reverse() error {
	s, actual := &m.Sale, m.Sale.Actual()
	total, err := actual.Total()
	if err != nil {
		return err
	}
	if err := m.enter(Failed); err != nil {
		return err
	}
	s.ReversalSeenAt, s.ReasonCode, s.ReasonContext = nil, m.o.ReasonCode, m.o.ReasonContext
	m.incident(LateReversal, "the upstream reversed a complete transfer", total)
	m.owe(total)
	if s.Cash == CashRefunded { // no longer a loss
		m.book(ledger.LossRecovered(total, s.Commission()))
		return nil
	}
	s.Cash = CashRefundDue
	return m.bookOr(ledger.Reversal(s.Price(), actual, s.Commission()))
}

// oldAttempt: the list has a record of a replaced attempt. If it was executed, nothing of the sale is sent any
// more, and the sale succeeds by it unless it has succeeded otherwise. While the later attempt is under way
// nobody knows which of the two it will be, so the money waits.
func (m *mover) oldAttempt() error {
	if m.o.State != Complete || m.o.Cause != Listed {
		return nil
	}
	s := &m.Sale
	stopped := s.Stopped
	s.Stopped = true
	switch {
	case s.Fulfilment == Complete:
		return m.executedTwice()
	case s.Fulfilment == Recorded:
		if err := m.moveTo(Voided); err != nil {
			return err
		}
	case s.Fulfilment.Open():
		if !stopped {
			m.incident(
				LateSuccess, "an attempt that was given up was carried out while a later one is under way",
				s.Quoted().Send,
			)
		}
		return nil
	}
	m.Late = true
	s.Ref, s.TransferRef, s.ProviderRef = m.o.Ref, "", ""
	return m.wasExecuted()
}

// executedTwice books the second execution of a sale as a loss.
func (m *mover) executedTwice() error {
	s, cost := &m.Sale, m.Sale.Quoted()
	if f := m.o.Facts; f != nil && f.Cost != nil {
		cost = *f.Cost
	}
	total, err := cost.Total()
	if err != nil {
		return err
	}
	m.Late = true
	m.incident(ExecutedTwice, "an attempt that was given up was carried out beside the one that replaced it", total)
	m.Changed, m.Moved = true, true
	m.book(ledger.LateLoss(total))
	if f := m.o.Facts; f != nil && f.Commission.Currency() == s.SendCurrency {
		m.book(ledger.CommissionEarned(f.Commission))
	}
	return nil
}
