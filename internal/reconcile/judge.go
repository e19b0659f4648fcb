package reconcile

import (
	"slices"

	"airtill/internal/money"
	"airtill/internal/sales"
)

// judge compares one sale with its records. Open sales belong to the sweep, which looks them up until their
// outcome is known.
func (m *matcher) judge(s *Sold, records []Record) {
	if s.Fulfilment.Open() || s.ChangedAt.After(m.window.AskedAt) || m.tooYoung(s, records) {
		m.Open++
		return
	}
	before := len(m.Findings)
	var complete []Record
	var effect int64
	for i := range records {
		r := s.filled(records[i])
		records[i] = r
		effect += r.effect(s.Batch)
		if r.State == sales.Complete {
			complete = append(complete, r)
		}
		if !s.Practice && s.other(r) {
			f := s.finding(Mismatch, 0, r)
			f.Amount = money.Of(r.effect(s.Batch), r.currency())
			m.found(f)
		}
	}
	if s.Practice { // nothing was charged, whatever its records say
		effect = 0
	} else {
		m.states(s, records, complete, effect)
	}
	m.float(before, s, effect, records)
}

// tooYoung says whether the attempt that went through may be missing from a list that has earlier ones.
func (m *matcher) tooYoung(s *Sold, records []Record) bool {
	return s.Fulfilment == sales.Complete && !s.PermitAt.Before(m.window.To) && !s.among(records)
}

// among says whether one of the records is of the attempt that is the sale.
func (s *Sold) among(records []Record) bool {
	return slices.ContainsFunc(records, func(r Record) bool { return r.Ref == s.Ref })
}

// states compares the state of the transfer and its cost.
func (m *matcher) states(s *Sold, records, complete []Record, effect int64) {
	switch {
	case len(complete) > 1:
		m.found(s.finding(ExecutedTwice, effect-complete[0].effect(s.Batch), records...))
	case len(complete) == 1 && s.Fulfilment == sales.Complete:
		m.amounts(s, complete[0])
	case len(complete) == 1:
		m.found(s.finding(LateSuccess, effect, records...))
	case s.Fulfilment == sales.Complete && slices.ContainsFunc(records, func(r Record) bool { return r.State.Open() }):
		m.found(s.finding(StateBehind, effect-s.Float, records...))
	case s.Fulfilment == sales.Complete && !s.among(records):
		m.found(s.finding(MissingUpstream, s.worth(), records...))
	case s.Fulfilment == sales.Complete:
		m.found(s.finding(LateReversal, -s.Float, records...))
	}
}

// filled completes a record from the sale, which knows the quote and earlier answers.
func (s *Sold) filled(r Record) Record {
	if r.Cost == nil {
		r.Cost = &s.Actual
	}
	if r.Commission == nil {
		r.Commission = &s.Commission
	}
	return r
}

// amounts compares what was charged, credited and delivered with the quote.
func (m *matcher) amounts(s *Sold, r Record) {
	if r.Received != nil && s.Receive.Currency() == r.Received.Currency() && *r.Received != s.Receive {
		f := s.finding(DeliveryDiffers, 0, r)
		f.Amount = money.Of(r.Received.Micros()-s.Receive.Micros(), s.Receive.Currency())
		m.found(f)
	}
	if *r.Cost != s.Quoted && r.Cost.Send.Currency() == s.Quoted.Send.Currency() {
		quoted := s.Quoted.Send.Micros() + s.Quoted.DistributorFee.Micros()
		m.found(s.finding(PriceDiffers, quoted-r.Cost.Send.Micros()-r.Cost.DistributorFee.Micros(), r))
	}
	if expected, known := s.expectedCommission(r); known && !within(*r.Commission, expected) {
		m.found(s.finding(CommissionOff, r.Commission.Micros()-expected.Micros(), r))
	}
}

// expectedCommission is the quoted rate of the amount sent, to the currency's minor unit; false if the quote
// had no readable rate.
func (s *Sold) expectedCommission(r Record) (money.Amount, bool) {
	rate, err := money.Rate(s.Rate)
	if err != nil {
		return money.Amount{}, false
	}
	send := r.Cost.Send
	expected, err := send.Times(rate, send.Currency().Decimals())
	return expected, err == nil
}

// within says whether two amounts differ by less than the smallest coin, which rounding may explain.
func within(a, b money.Amount) bool {
	coin, difference := a.Currency().Coin(), a.Micros()-b.Micros()
	return a.Currency() == b.Currency() && difference < coin && difference > -coin
}

// elsewhere says whether a record went to another number; one that was erased says nothing.
func (s *Sold) elsewhere(r Record) bool {
	return r.Account != "" && s.Account != sales.Erased && !sales.SameNumber(r.Account, s.Account)
}

// other says whether a record under a ref of ours is of something else.
func (s *Sold) other(r Record) bool {
	return r.SKU != "" && r.SKU != s.SKU || s.elsewhere(r) ||
		r.Cost.Send.Currency() != s.Quoted.Send.Currency() || r.Received != nil && s.Receive.Currency() != "" &&
		r.Received.Currency() != s.Receive.Currency()
}

func (s *Sold) finding(kind Kind, micros int64, records ...Record) Finding {
	return Finding{
		Kind: kind, Subject: s.ID, Amount: money.Of(micros, s.Quoted.Send.Currency()), Sale: s, Records: records,
	}
}

// float compares the upstream's balance with our float account as regards one sale. The sale's first finding
// carries the difference; one that no finding explains is our ledger's.
func (m *matcher) float(before int, s *Sold, effect int64, records []Record) {
	difference := effect - s.Float
	switch {
	case len(m.Findings) > before && m.Findings[before].Kind.ofBalance():
	case len(m.Findings) > before:
		m.Findings[before].Float = difference
	case difference != 0:
		f := s.finding(LedgerDiffers, difference, records...)
		f.Float = difference
		m.found(f)
	default:
		m.Agreed[s.ID] = nil
	}
}
