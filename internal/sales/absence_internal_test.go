package sales

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// since is a sale of unknown outcome whose permit was taken so long before noon.
func since(permit time.Duration, change ...func(*Sale)) *Sale {
	at := noon.Add(-permit)
	s := &Sale{Fulfilment: Unknown, Send: Send{Ref: "REF", PermitAt: &at, AttemptAt: at}}
	for _, c := range change {
		c(s)
	}
	return s
}

func empty(looks int) func(*Sale) { return func(s *Sale) { s.EmptyLooks = looks } }

func in(state State) func(*Sale) { return func(s *Sale) { s.Fulfilment = state } }

func claimed(ago time.Duration) func(*Sale) {
	return func(s *Sale) { at := noon.Add(-ago); s.ClaimAt = &at }
}

func neverSent(s *Sale) { s.PermitAt = nil }

func TestAnEmptyListCountsFromAHundredSecondsOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sale   *Sale
		counts bool
	}{
		"a moment too early":      {since(absenceFirst - time.Microsecond), false},
		"from then on":            {since(absenceFirst), true},
		"much later":              {since(24 * time.Hour), true},
		"never sent":              {since(time.Hour, neverSent), false},
		"accepted by the service": {since(time.Hour, in(Submitted)), false},
		"over":                    {since(time.Hour, in(Failed)), false},
	} {
		require.Equal(t, c.counts, c.sale.AbsenceCounts(noon), name)
	}
}

// Somebody may stand at the counter: what can be decided by the next look is not left to the sweep.
func TestALookIsAwaitedWhereItMayDecide(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sale    *Sale
		awaited bool
	}{
		"seen under way a moment ago":   {since(awaitedFor-1, in(Processing)), true},
		"seen under way, long ago":      {since(awaitedFor, in(Processing)), false},
		"complete a moment ago":         {since(time.Minute, in(Complete)), true},
		"a claim that a look confirms":  {since(time.Minute, claimed(2*claimSettles-1)), true},
		"a claim nobody waits for":      {since(time.Minute, claimed(2*claimSettles)), false},
		"the last look of the rule":     {since(absenceLast, empty(absenceLooks-1)), true},
		"the last but one":              {since(absenceLast, empty(absenceLooks-2)), false},
		"before the rule may decide":    {since(absenceLast-1, empty(absenceLooks-1)), false},
		"unknown, and nothing seen yet": {since(time.Minute), false},
	} {
		require.Equal(t, c.awaited, c.sale.Awaited(noon), name)
	}
}

// The third empty list in a row decides nothing before a quarter of an hour has passed: it is not asked for.
func TestALookThatCannotDecideIsEarly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sale  *Sale
		early bool
	}{
		"two were empty":             {since(absenceLast-1, empty(absenceLooks-1)), true},
		"three were, by other rules": {since(absenceLast-1, empty(absenceLooks)), true},
		"it may decide now":          {since(absenceLast, empty(absenceLooks-1)), false},
		"one was empty":              {since(absenceLast-1, empty(absenceLooks-2)), false},
		"never sent":                 {since(time.Minute, empty(absenceLooks-1), neverSent), false},
	} {
		require.Equal(t, c.early, c.sale.Early(noon), name)
	}
}

// One page of the list settles many sales: who is not due yet is looked for there if that spares a look later.
func TestAnEarlyLookSavesALaterOne(t *testing.T) {
	t.Parallel()
	at := func(ago time.Duration) *time.Time { at := noon.Add(-ago); return &at }
	due := func(step time.Duration) func(*Sale) {
		return func(s *Sale) { at := s.PermitAt.Add(scatter(s, step)); s.NextCheckAt = &at }
	}
	looked := func(s *Sale) { s.Looks = 1 }
	emptied := func(ago time.Duration) func(*Sale) { return func(s *Sale) { s.LastEmptyAt = at(ago) } }
	for name, c := range map[string]struct {
		sale  *Sale
		saves bool
	}{
		"the first that counts":     {since(absenceFirst, looked, due(3*time.Minute)), true},
		"far enough from the last":  {since(4*time.Minute, looked, due(5*time.Minute), emptied(absenceApart)), true},
		"too near, and not due yet": {since(4*time.Minute, looked, due(5*time.Minute), emptied(absenceApart-1)), false},
		"too near, but nearly due":  {since(280*time.Second, looked, due(5*time.Minute), emptied(absenceApart-1)), true},
		"long before it counts":     {since(20*time.Second, looked, due(absenceFirst)), false},
		"the look after the send":   {since(4*time.Minute, due(5*time.Minute)), false},
		"never sent":                {since(4*time.Minute, looked, due(5*time.Minute), neverSent), false},
		"never to be looked for":    {since(4*time.Minute, looked), false},
		"known to be under way":     {since(4*time.Minute, looked, due(5*time.Minute), in(Processing)), false},
		"known to have ended":       {since(4*time.Minute, looked, due(5*time.Minute), in(Complete)), false},
	} {
		require.Equal(t, c.saves, c.sale.LookSaves(noon), name)
	}
}

// A look that finds nothing before there was a permit says nothing about the sale.
func TestALookForWhatWasNeverSentChangesNothing(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant")
	before := r.sale
	r.wait(time.Hour).do(Observation{Cause: Looked, ControlSeen: true})
	require.Equal(t, before, r.sale)
}

// An empty list tells nothing against what was listed before, however often: the list forgets.
func TestAnEmptyListNeverTakesBackWhatWasSeen(t *testing.T) {
	t.Parallel()
	for _, state := range []State{Submitted, Processing, Complete, Cancelled} {
		r := newRun(t, "Batch").sent().do(told(Replied, Submitted), told(Listed, state))
		looks := r.sale.Looks
		for range 5 {
			r.wait(time.Hour).do(Observation{Cause: Looked, ControlSeen: true})
		}
		require.Equal(t, state, r.sale.Fulfilment)
		require.Equal(t, looks+5, r.sale.Looks, "the next one waits longer")
		require.Zero(t, r.sale.EmptyLooks)
	}
}

// A hint to look for what was never sent is followed once: were it due again after each look that finds nothing, every
// sweep would ask for it, and nothing be left for the others.
func TestAHintOfWhatWasNeverSentIsFollowedOnce(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").do(Observation{Cause: CalledOff}, told(Notified, Complete))
	require.Equal(t, r.at, *r.sale.NextCheckAt)
	r.wait(time.Second).do(Observation{Cause: Looked, ControlSeen: true})
	require.Nil(t, r.sale.NextCheckAt)
	r.is(Voided, CashRefundDue)
}

// What is under way upstream though it was never sent from here is looked for as anything else that was accepted.
func TestLooksForWhatWasNeverSentAreNoMoreThanForOthers(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"Instant", "Batch"} {
		r, looks := newRun(t, mode).do(told(Notified, Submitted)), 0
		for r.at.Before(noon.Add(24 * time.Hour)) {
			r.at = *r.sale.NextCheckAt
			r.do(Observation{Cause: Looked})
			require.True(t, r.sale.NextCheckAt.After(r.at), "%s: it would be due without end", mode)
			require.Less(t, looks, 200, mode)
			looks++
		}
		r.is(Submitted, CashTaken)
	}
}
