package sales

import (
	"testing"

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
