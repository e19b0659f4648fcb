package sales

import (
	"airtill/internal/fault"
	"airtill/internal/harness/failpoint"
	"airtill/internal/ledger"
	"airtill/internal/money"
)

// act makes the moves this program or a person decides on.
func (m *mover) act() error {
	s := &m.Sale
	switch m.o.Cause {
	case Confirmed:
		return m.confirm()
	case Permitted:
		return m.permit()
	case NothingLeft:
		return m.nothingLeft()
	case TooLate:
		if s.Fulfilment != Recorded || m.o.At.Sub(s.AttemptAt) < VoidAfter {
			return nil
		}
		return m.moveTo(Voided)
	case CancelAsked:
		if !s.Batch() {
			return fault.New(fault.Conflict, "sale.no-batch")
		}
		s.Looks = 0 // the schedule of looks starts again
		return m.moveTo(Cancelling)
	case TriedAgain:
		return m.tryAgain()
	case Refunded:
		if m.o.NotGiven {
			return m.notGivenBack()
		}
		return m.refund()
	case Revealed:
		if s.SealedReceipt == "" {
			return fault.New(fault.NotFound, "sale.no-pin")
		}
		m.Changed, m.Moved = true, true // for the record; nothing moves
		return nil
	case Decided:
		if m.o.At.Sub(s.AttemptAt) < DecideAfter {
			return fault.New(fault.Conflict, "sale.list-may-tell")
		}
		if m.o.State == Failed { // why is theirs, in words, and stays with the event
			s.ReasonCode, s.ReasonContext = ReasonDecided, ""
		}
		return m.moveTo(m.o.State)
	case Repaid:
		return m.repaid()
	default: // CalledOff
		s.ReasonCode, s.ReasonContext = ReasonCalledOff, ""
		return m.moveTo(Voided)
	}
}

// confirm takes the cash and reserves the float: a sale is recorded.
func (m *mover) confirm() error {
	s := &m.Sale
	s.Cash = CashTaken
	s.AttemptAt, s.RecordedAt = m.o.At, m.o.At
	if err := m.moveTo(Recorded); err != nil {
		return err
	}
	m.book(ledger.CashTaken(s.ShiftID, s.Price()))
	if failpoint.Broken("cash") {
		m.book(ledger.CashRefunded(s.ShiftID, s.Price()))
	}
	return m.reserve()
}

func (m *mover) reserve() error {
	total, err := m.Sale.Quoted().Total()
	if err != nil {
		return err
	}
	m.book(ledger.Reserve(total))
	m.setHold(ledger.Reserved, total)
	return nil
}

// permit takes the one permit of an attempt (L1). A compare-and-set writes the row, so that of all who try one
// succeeds.
func (m *mover) permit() error {
	s := &m.Sale
	if s.Fulfilment != Recorded || s.Stopped || m.o.At.Sub(s.AttemptAt) >= VoidAfter || s.Permits >= MaxPermits {
		return fault.New(fault.Conflict, "sale.not-sendable")
	}
	s.Permits++
	s.PermitAt, s.PermitBy = &m.o.At, m.o.Permit.By
	s.Looks, s.EmptyLooks, s.FirstEmptyAt, s.LastEmptyAt, s.ClaimAt = 0, 0, nil, nil, nil
	return m.moveTo(Sending)
}

// nothingLeft gives the permit back: no byte of the request body left this process. After the last permit, or
// too late, the sale is void.
func (m *mover) nothingLeft() error {
	s := &m.Sale
	if s.Fulfilment != Sending || s.permit() != m.o.Permit {
		return nil // the current permit is another's, or a later one
	}
	m.o.ReasonCode, m.o.ReasonContext = "", ""
	s.PermitAt, s.PermitBy = nil, ""
	if s.Permits < MaxPermits && m.o.At.Sub(s.AttemptAt) < VoidAfter {
		return m.moveTo(Recorded)
	}
	if m.o.At.Sub(s.AttemptAt) < VoidAfter {
		s.ReasonCode, s.ReasonContext = ReasonNotReached, ""
	}
	return m.moveTo(Voided)
}

// tryAgain begins a new attempt with a new ref (L2): the old one is proven not executed, and the customer's
// cash is still here.
func (m *mover) tryAgain() error {
	s := &m.Sale
	if err := s.mayRetry(); err != nil {
		return err
	}
	if err := m.moveTo(Recorded); err != nil {
		return err
	}
	s.Attempt++
	s.Ref, s.SendMode, s.AttemptAt, s.FinalAt, s.RetryAt = m.o.NewRef, m.o.Mode, m.o.At, nil, nil
	s.Outcome, s.ByAbsence = Outcome{}, false // of the attempt before
	s.Permits, s.PermitAt, s.PermitBy = 0, nil, ""
	s.Cash = CashTaken
	m.book(ledger.RefundNoLongerDue(s.Price()))
	return m.reserve()
}

// mayRetry says why a sale that has ended cannot be tried again, whoever allows it.
func (s *Sale) mayRetry() error {
	switch {
	case s.Stopped:
		return fault.New(fault.Conflict, "sale.carried-out")
	case s.Erased(): // nobody knows where it went
		return fault.New(fault.Conflict, "sale.not-sendable")
	case s.Cash != CashRefundDue:
		return fault.New(fault.Conflict, "sale.cash-given-back")
	case s.ReceivableMicros != 0:
		return fault.New(fault.Conflict, "sale.money-owed")
	}
	return nil
}

// Retryable says whether a sale may be tried again: not what was cancelled, though its cash is due back as well.
func (s *Sale) Retryable() bool {
	return Allowed(s.Fulfilment, Recorded, TriedAgain) && s.mayRetry() == nil
}

// RefundableOpen says whether the cash may be given back before the outcome is known: a manager may allow it
// once the send is over.
func (s *Sale) RefundableOpen() bool {
	return s.Cash == CashTaken && s.Fulfilment.Open() && s.Fulfilment != Recorded && s.Fulfilment != Sending
}

// refund: the cashier hands the cash back. While the outcome is unknown only a manager may, which the caller
// has checked; the sale is then followed until it is known whether that was a loss.
func (m *mover) refund() error {
	s := &m.Sale
	if err := s.mayRefund(); err != nil {
		return err
	}
	if s.RefundableOpen() {
		m.book(ledger.RefundBecomesDue(s.Price()))
		m.incident(RefundedUnknown, "the cash was given back while the outcome is open", s.Price())
	}
	s.Cash = CashRefunded
	m.Changed, m.Moved = true, true
	m.book(ledger.CashRefunded(m.o.ShiftID, s.Price())) // out of the drawer that pays, whichever took it
	return nil
}

// mayRefund says why the cash cannot be given back, whoever allows it.
func (s *Sale) mayRefund() error {
	switch {
	case failpoint.Broken("refund"):
		return nil
	case s.Cash == CashRefunded:
		return fault.New(fault.Conflict, "sale.refunded")
	case s.Cash != CashRefundDue && !s.RefundableOpen():
		return fault.New(fault.Conflict, "sale.no-refund")
	}
	return nil
}

// repaid (J11): the upstream's balance shows that it paid back what it owed.
func (m *mover) repaid() error {
	s := &m.Sale
	if s.ReceivableMicros == 0 {
		return nil
	}
	m.book(ledger.UpstreamRefunded(money.Of(s.ReceivableMicros, s.SendCurrency)))
	s.ReceivableMicros = 0
	m.Changed, m.Moved = true, true
	return nil
}
