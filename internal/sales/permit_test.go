package sales

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/ledger"
)

func TestVoidAfterAMinuteAndNeverSentThen(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").wait(59 * time.Second).do(Observation{Cause: TooLate})
	r.is(Recorded, CashTaken)
	r.wait(time.Second)
	require.Equal(t, fault.Conflict, fault.KindOf(r.try(Observation{Cause: Permitted, Permit: Permit{By: "me"}})))
	r.do(Observation{Cause: TooLate})
	r.is(Voided, CashRefundDue)
	r.holds(map[ledger.Account]string{"2010": "-10.30", "1100": "0.00"})
}

func TestAPermitComesBackOnlyToItsHolderAndThreeTimes(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").sent()
	another := r.back()
	another.Permit.By = "another"
	r.do(another)
	r.is(Sending, CashTaken)
	r.do(r.back()).sent()
	r.do(r.back())
	r.is(Recorded, CashTaken)
	r.sent()
	r.do(r.back())
	r.is(Voided, CashRefundDue)
	require.Equal(t, ReasonNotReached, r.sale.ReasonCode)

	r = newRun(t, "Instant").sent().wait(VoidAfter)
	r.do(r.back())
	r.is(Voided, CashRefundDue)
	require.Empty(t, r.sale.ReasonCode, "it was too late")
}

// TestAPermitGivenBackTwiceTakesNoLaterOne: the write that gives a permit back
// may be repeated when its commit was in doubt. By then the same process may be
// sending on the next permit, or on the first if that was never committed.
func TestAPermitGivenBackTwiceTakesNoLaterOne(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").sent()
	first := r.back()
	r.do(first).sent().do(first)
	r.is(Sending, CashTaken)
	require.Equal(t, 2, r.sale.Permits)

	never := newRun(t, "Instant").sent().back()
	r = newRun(t, "Instant").wait(time.Microsecond).sent().do(never)
	r.is(Sending, CashTaken)
}

// back is the proof that nothing left on the permit that is out now.
func (r *run) back() Observation { return Observation{Cause: NothingLeft, Permit: r.sale.permit()} }

func TestOnlyOnePermit(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").sent()
	require.Equal(t, fault.Conflict, fault.KindOf(r.try(Observation{Cause: Permitted, Permit: Permit{By: "another"}})))
}
