package sales

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/ledger"
)

// What people decide without a record costs what the upstream told last, to the cent, and nothing told of another
// attempt.
func TestWhatIsDecidedCostsWhatWasToldOfItsAttempt(t *testing.T) {
	t.Parallel()
	accepted := told(Replied, Submitted)
	accepted.Facts.Cost.Send, accepted.Facts.Odd = eur("9.90"), "the price told is not the quoted one"
	decided := Observation{Cause: Decided, State: Complete}
	r := newRun(t, "Batch").sent().do(accepted).wait(DecideAfter).do(decided)
	r.holds(map[ledger.Account]string{"1100": "-9.30", "4100": "-0.80", "4020": "-0.40"})

	r = newRun(t, "Batch").sent().do(accepted, told(Listed, Failed), Observation{Cause: Repaid}).retried()
	r.sent().do(Observation{Cause: Lost}).wait(DecideAfter).do(decided)
	r.holds(map[ledger.Account]string{"1100": "-10.20", "4100": "0.00", "4020": "-0.30"})
}

func (r *run) retried() *run { return r.do(Observation{Cause: TriedAgain, NewRef: "another"}) }

// A replaced attempt that was carried out after all was charged for itself: what the upstream owes for the later one
// that it cancelled is still to come.
func TestALateAttemptIsNotPaidForByWhatIsOwedForAnother(t *testing.T) {
	t.Parallel()
	for _, cash := range []Cash{CashRefundDue, CashRefunded} {
		r := newRun(t, "Batch").sent().do(told(Replied, Failed))
		first := r.sale.Ref
		r.retried().sent().do(told(Replied, Submitted), told(Listed, Cancelled))
		if cash == CashRefunded {
			r.do(Observation{Cause: Refunded, ShiftID: "shift"})
		}
		r.holds(map[ledger.Account]string{"1100": "-10.20", "1130": "10.20", "2010": r.dueBack()})

		late := told(Listed, Complete)
		late.Ref, late.Old = first, true
		r.do(late)
		r.holds(map[ledger.Account]string{"1100": "-19.60", "1130": "10.20", "4100": "-0.80"})
		require.Equal(t, eur("10.20").Micros(), r.sale.ReceivableMicros)
		r.do(told(Listed, Failed)).wait(reversalSettles).do(told(Listed, Failed))
		r.holds(map[ledger.Account]string{"1100": "-20.40", "1130": "20.40", "2010": r.dueBack()})
		r.do(told(Listed, Complete)) // pays for what is owed for itself, and for no more
		r.holds(map[ledger.Account]string{"1100": "-19.60", "1130": "10.20", "4100": "-0.80"})
		r.do(Observation{Cause: Repaid})
		r.holds(map[ledger.Account]string{"1100": "-9.40"})
	}
}

// dueBack is what the customer has to get back, as the books say it.
func (r *run) dueBack() string {
	if r.sale.Cash == CashRefundDue {
		return "-10.30"
	}
	return "0.00"
}
