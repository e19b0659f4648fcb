package statement

import (
	"maps"
	"slices"

	"airtill/internal/ledger"
	"airtill/internal/money"
)

// figures adds up a day's lines, from what the day before closed with.
func figures(opening map[string]Money, lines []line) []Money {
	sums := map[string]*Money{}
	in := func(currency string) *Money {
		if sums[currency] == nil {
			before := opening[currency]
			sums[currency] = &Money{
				Currency: money.Currency(currency), Cash: carried(before.Cash), Prepaid: carried(before.Prepaid),
				RefundsDue: carried(before.RefundsDue), Held: carried(before.Held),
				Receivable: carried(before.Receivable),
			}
		}
		return sums[currency]
	}
	for currency := range opening {
		in(currency)
	}
	for _, l := range lines {
		in(string(l.Currency)).add(l)
	}
	var all []Money
	for _, currency := range slices.Sorted(maps.Keys(sums)) {
		m := sums[currency]
		m.Margin = m.FaceValue + m.CustomerFee + m.MarkUp + m.Commission - m.Cost - m.Fee - m.Losses - m.Goodwill
		all = append(all, *m)
	}
	return all
}

// carried begins a day with what the one before closed with.
func carried(before Moves) Moves { return Moves{Opening: before.Closing, Closing: before.Closing} }

func (b *Moves) move(in, out int64) {
	b.In += in
	b.Out += out
	b.Closing += in + out
}

// add puts a line where it belongs. What customers prepaid and what is due to them are liabilities: a credit
// raises them.
func (m *Money) add(l line) {
	net := l.Debit + l.Credit
	switch ledger.Account(l.Account) {
	case ledger.Reserved, ledger.BatchClearing:
		m.Held.move(l.Debit, l.Credit)
	case ledger.RefundReceivable:
		m.Receivable.move(l.Debit, l.Credit)
	case ledger.CustomerPrepayments:
		m.Prepaid.move(-l.Credit, -l.Debit)
	case ledger.RefundsDue:
		m.RefundsDue.move(-l.Credit, -l.Debit)
	case ledger.Float:
		m.Float += net
	case ledger.FaceValue:
		m.FaceValue -= net
		if l.Kind == "J7" {
			m.Sent += l.Count
		}
	case ledger.CustomerFee:
		m.CustomerFee -= net
	case ledger.MarkUp:
		m.MarkUp -= net
	case ledger.Commission:
		m.Commission -= net
	case ledger.ProviderValue, ledger.CustomerFeePassed:
		m.Cost += net
	case ledger.DistributorFee:
		m.Fee += net
	case ledger.Losses:
		m.Losses += net
	case ledger.Goodwill: // of a sale's difference; what left a drawer is counted there
		if l.Kind != "J16" {
			m.Goodwill += net
		}
	case drawers:
		m.addCash(l, net)
	default: // accounts of the whole business, and the other side of the drawers
	}
}

// drawers is the number of every drawer's account.
const drawers ledger.Account = "1000"

// addCash sorts drawer movements by kind.
func (m *Money) addCash(l line, net int64) {
	m.Cash.move(l.Debit, l.Credit)
	switch l.Kind {
	case "J1":
		m.Taken += net
	case "J12":
		m.GivenBack -= net
		m.Refunds += l.Count
	case "J16":
		m.Goodwill -= net
	case "J17":
		m.OverShort += net
	case "J20":
		m.Banked -= net
	case "J21":
		m.Expenses -= net
	default: // J0 and J19: the float, and change
		m.FloatIn += net
	}
}
