package sales

import (
	"errors"

	"airtill/internal/ledger"
	"airtill/internal/money"
)

// hold is the amount set aside for the current attempt, in the agent's currency.
func (m *mover) hold() money.Amount { return money.Of(m.Sale.HoldMicros, m.Sale.SendCurrency) }

func (m *mover) setHold(account ledger.Account, amount money.Amount) {
	m.Sale.Hold, m.Sale.HoldMicros = account, amount.Micros()
}

func (m *mover) dropHold() { m.setHold("", money.Amount{}) }

// accepted: a batch transfer is deducted on acceptance. A deferred instant product is deducted on success, so
// it stays reserved.
func (m *mover) accepted() error {
	m.facts()
	if m.Sale.Batch() && m.Sale.Hold == ledger.Reserved {
		m.book(ledger.BatchAccepted(m.hold()))
		m.Sale.Hold = ledger.BatchClearing
	}
	return nil
}

// succeeded books cost, commission and revenue from what was held.
func (m *mover) succeeded() error {
	m.facts()
	s, actual := &m.Sale, m.Sale.Actual()
	total, err := actual.Total()
	if err != nil {
		return err
	}
	if s.Cash == CashRefunded { // a manager gave the cash back while the outcome was unknown
		m.releaseHold()
		m.takeReceivable()
		m.book(ledger.LateLoss(total))
		m.incident(LateSuccess, "the transfer succeeded after its cash was given back", total)
		m.Settled = append(m.Settled, RefundedUnknown)
	} else {
		if err := m.bookOr(ledger.Success(s.Hold, m.hold(), actual)); err != nil {
			return err
		}
		if err := m.bookOr(ledger.Revenue(s.Price(), actual)); err != nil {
			return err
		}
		s.Cash = CashEarned
	}
	m.book(ledger.CommissionEarned(s.Commission()))
	m.dropHold()
	return nil
}

// endedWithout gives back what was held and makes the refund due.
func (m *mover) endedWithout() error {
	s := &m.Sale
	m.releaseHold()
	if s.Cash == CashTaken {
		m.book(ledger.RefundBecomesDue(s.Price()))
		s.Cash = CashRefundDue
	}
	if s.Cash == CashRefunded {
		m.Settled = append(m.Settled, RefundedUnknown)
	}
	return nil
}

// takeReceivable: a successful transfer is not paid back, so the claim on the upstream pays for it.
func (m *mover) takeReceivable() {
	if m.Sale.ReceivableMicros > 0 {
		m.book(ledger.UpstreamRefunded(money.Of(m.Sale.ReceivableMicros, m.Sale.SendCurrency)))
		m.Sale.ReceivableMicros = 0
	}
}

// owedForThis is what the upstream owes back for the attempt that is the sale; whatever goes beyond what that can have
// cost, it owes for another.
func (s *Sale) owedForThis() (money.Amount, error) {
	quoted, err1 := s.Quoted().Total()
	actual, err2 := s.Actual().Total()
	owed := min(s.ReceivableMicros, max(quoted.Micros(), actual.Micros()))
	return money.Of(owed, s.SendCurrency), errors.Join(err1, err2)
}

// releaseHold returns reserved float at once, and a batch transfer's deduction as a claim on the upstream.
func (m *mover) releaseHold() {
	if m.Sale.Hold == ledger.Reserved {
		m.book(ledger.Release(m.hold()))
	}
	if m.Sale.Hold == ledger.BatchClearing {
		m.book(ledger.BatchReturned(m.hold()))
		m.owe(m.hold())
	}
	m.dropHold()
}

// owe notes what the upstream has to pay back for the sale; for practice it took nothing.
func (m *mover) owe(amount money.Amount) {
	if !m.Sale.Practice {
		m.Sale.ReceivableMicros += amount.Micros()
	}
}

// facts takes over what the record tells of a transfer; the rest stays as quoted.
func (m *mover) facts() {
	s, f := &m.Sale, m.o.Facts
	if f == nil && s.ActualSendMicros != 0 { // people decide, and an earlier record told
		return
	}
	s.ActualSendMicros, s.ActualFeeMicros = s.SendMicros, s.CustomerFeeMicros
	s.ActualDistMicros = s.DistributorFeeMicros
	s.ActualReceiveMicros, s.ActualExTaxMicros = s.ReceiveMicros, s.ReceiveExTaxMicros
	if f == nil {
		return
	}
	if f.Cost != nil {
		s.ActualSendMicros, s.ActualFeeMicros = f.Cost.Send.Micros(), f.Cost.CustomerFee.Micros()
		s.ActualDistMicros = f.Cost.DistributorFee.Micros()
	}
	if f.Receive != nil && f.ReceiveExTax != nil {
		s.ActualReceiveMicros, s.ActualExTaxMicros = f.Receive.Micros(), f.ReceiveExTax.Micros()
	}
	s.CommissionMicros = f.Commission.Micros()
	if f.Odd != "" {
		m.incident(OddAmount, f.Odd, s.Quoted().Send)
	}
	if f.SealedReceipt != "" && (f.PINHint != "" || s.PINHint == "") { // a PIN stays until another comes
		m.takeReceipt()
	}
	m.details()
}

// takeReceipt has what a record wrote for the customer stand for what an earlier one wrote.
func (m *mover) takeReceipt() {
	f, s := m.o.Facts, &m.Sale
	s.SealedReceipt, s.PINHint, s.SerialHash = f.SealedReceipt, f.PINHint, f.SerialHash
	m.Changed, m.Moved = true, true
}

// details fills in missing references and the sealed receipt, which may come with a later record than the one
// that completed the sale.
func (m *mover) details() {
	f, s := m.o.Facts, &m.Sale
	if f == nil {
		return
	}
	if f.PINHint != "" && s.PINHint == "" {
		m.takeReceipt()
	}
	for _, field := range []struct {
		have *string
		told string
	}{
		{&s.TransferRef, f.TransferRef},
		{&s.ProviderRef, f.ProviderRef},
		{&s.SealedReceipt, f.SealedReceipt},
		{&s.PINHint, f.PINHint},
		{&s.SerialHash, f.SerialHash},
	} {
		if *field.have == "" && field.told != "" {
			*field.have = field.told
			m.Changed, m.Moved = true, true
		}
	}
}
