package sales

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const tenth = 10 // percent either way

// within checks that a look-up comes at a time after the permit, give or take.
func within(t *testing.T, r *run, permit time.Time, at time.Duration, early, late int) {
	t.Helper()
	require.NotNil(t, r.sale.NextCheckAt)
	after := r.sale.NextCheckAt.Sub(permit)
	require.GreaterOrEqual(t, after, at-at*time.Duration(early)/100, "look at %s", at)
	require.LessOrEqual(t, after, at+at*time.Duration(late)/100, "look at %s", at)
}

// anyRef gives a sale some ref: how its looks are scattered hangs on it.
func (r *run) anyRef(i int) *run { r.sale.Ref = fmt.Sprintf("REF%029d", i); return r }

func TestSchedule_OfAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	minute, hour := time.Minute, time.Hour
	spread := map[time.Duration]bool{}
	for i := range 200 {
		r := newRun(t, "Instant").anyRef(i).sent()
		permit := r.at
		r.wait(3 * time.Second).do(Observation{Cause: Lost})
		require.Equal(t, r.at.Add(2*time.Second), *r.sale.NextCheckAt, "end of send +2 s")
		for _, step := range []struct {
			at    time.Duration
			early int
			late  int
		}{
			{100 * time.Second, 0, 5},
			{3 * minute, tenth, tenth},
			{5 * minute, tenth, tenth},
			{8 * minute, tenth, tenth},
			{15 * minute, 0, 2},
			{30 * minute, tenth, tenth},
			{55 * minute, tenth, tenth},
			{2 * hour, tenth, tenth},
			{6 * hour, tenth, tenth},
			{24 * hour, tenth, tenth},
		} {
			r.at = *r.sale.NextCheckAt
			r.do(Observation{Cause: Looked}) // the list does not answer for the control: nothing is decided
			within(t, r, permit, step.at, step.early, step.late)
			spread[r.sale.NextCheckAt.Sub(permit)] = true
		}
		for range 3 {
			before := *r.sale.NextCheckAt
			r.at = before
			r.do(Observation{Cause: Looked})
			require.InDelta(t, 24*hour, r.sale.NextCheckAt.Sub(before), float64(24*hour/tenth), "daily")
		}
	}
	require.Greater(t, len(spread), 500, "a burst does not come back as a burst")
}

// Where looks were missed, because the limit of the list was used up or the list
// did not answer, the verdict does not wait for the next step of the schedule.
func TestSchedule_MakesUpForMissedLooks(t *testing.T) {
	t.Parallel()
	for i := range 50 {
		r := newRun(t, "Instant").anyRef(i).sent()
		permit := r.at
		r.wait(3 * time.Second).do(Observation{Cause: Lost})
		r.at = permit.Add(16 * time.Minute)
		for range 3 {
			require.Equal(t, Unknown, r.sale.Fulfilment)
			r.do(Observation{Cause: Looked, ControlSeen: true})
			if r.sale.Fulfilment == Unknown {
				r.at = *r.sale.NextCheckAt
			}
		}
		require.Equal(t, Failed, r.sale.Fulfilment)
		require.Less(t, r.at.Sub(permit), 22*time.Minute)
	}
}

// A list that has forgotten a transfer that is known is not asked all the time.
func TestSchedule_DoesNotHurryAListThatProvesNothing(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").sent()
	permit := r.at
	r.wait(3 * time.Second).do(Observation{Cause: Lost})
	r.at = permit.Add(8 * time.Minute)
	r.do(Observation{Cause: Looked, ControlSeen: true})
	r.at = permit.Add(16 * time.Minute)
	r.do(Observation{Cause: Looked})
	within(t, r, permit, 30*time.Minute, tenth, tenth)
}

func TestSchedule_OfABatchTransfer(t *testing.T) {
	t.Parallel()
	for i := range 50 {
		r := newRun(t, "Batch").anyRef(i).sent()
		permit := r.at
		r.wait(time.Second).do(told(Replied, Submitted))
		for _, at := range []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute} {
			within(t, r, permit, at, tenth, tenth)
			r.at = *r.sale.NextCheckAt
			r.do(told(Listed, Submitted))
		}
		for r.at.Sub(permit) < 24*time.Hour {
			require.InDelta(t, 10*time.Minute, r.sale.NextCheckAt.Sub(r.at), float64(time.Minute), "every 10 minutes to 24 h")
			r.at = *r.sale.NextCheckAt
			r.do(told(Listed, Submitted))
		}
		require.InDelta(t, time.Hour, r.sale.NextCheckAt.Sub(r.at), float64(6*time.Minute), "then hourly")
	}
}

func TestSchedule_OfADeferredTransferBeginsAfterAMinute(t *testing.T) {
	t.Parallel()
	for i := range 50 {
		r := newRun(t, "Instant").anyRef(i)
		r.sale.SendMode = Deferred
		r.sent()
		permit := r.at
		r.wait(time.Second).do(told(Replied, Submitted))
		require.GreaterOrEqual(t, r.sale.NextCheckAt.Sub(permit), time.Minute)
		within(t, r, permit, 100*time.Second, 40, 5)
	}
}

func TestSchedule_OfACancellationIsDense(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Batch").sent().do(told(Replied, Submitted)).wait(8*time.Hour).do(told(Listed, Submitted), Observation{Cause: CancelAsked})
	asked := r.at
	within(t, r, asked, 10*time.Second, tenth, tenth)
	for range 20 {
		r.at = *r.sale.NextCheckAt
		r.do(told(Listed, Cancelling))
		require.LessOrEqual(t, r.sale.NextCheckAt.Sub(r.at), 11*time.Minute)
	}
}

func TestSchedule_OfAGhostEndsAfterSixtyDays(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").sent().do(Observation{Cause: Lost})
	permit := r.at
	for r.sale.Fulfilment == Unknown {
		r.at = *r.sale.NextCheckAt
		r.do(Observation{Cause: Looked, ControlSeen: true})
	}
	require.True(t, r.sale.ByAbsence)
	looks := 0
	for r.sale.NextCheckAt != nil {
		require.True(t, r.sale.NextCheckAt.After(r.at), "a look that found nothing is not repeated at once")
		r.at = *r.sale.NextCheckAt
		r.do(Observation{Cause: Looked})
		looks++
	}
	require.Greater(t, r.at.Sub(permit), 58*24*time.Hour)
	require.Less(t, r.at.Sub(permit), 62*24*time.Hour)
	require.Less(t, looks, 75)
}

// TestSchedule_NeverStandsStill: whatever is seen, a sale is not due again at
// the very moment it was looked at, so no sale can eat up the budget.
func TestSchedule_NeverStandsStill(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	states := []State{Submitted, Processing, Cancelling, Complete, Failed, Cancelled}
	for i := range 300 {
		r := newRun(t, []string{"Instant", "Batch"}[i%2]).anyRef(i).sent().do(Observation{Cause: Lost})
		for range 15 {
			if r.sale.NextCheckAt == nil {
				break
			}
			r.at = *r.sale.NextCheckAt
			if random.IntN(2) == 0 {
				r.do(Observation{Cause: Looked, ControlSeen: random.IntN(2) == 0})
			} else {
				r.do(told(Listed, states[random.IntN(len(states))]))
			}
			if r.sale.NextCheckAt != nil {
				require.True(t, r.sale.NextCheckAt.After(r.at), "%s", r.sale.position())
			}
		}
	}
}
