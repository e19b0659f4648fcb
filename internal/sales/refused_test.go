package sales_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// refusals is a till's count of webhooks that were refused, at a time of the test's own.
type refusals struct {
	*sales.Service
	t   *testing.T
	now time.Time
}

var midday = time.Date(2026, 3, 14, 12, 0, 30, 0, time.UTC)

func newRefusals(t *testing.T, db *store.DB) *refusals {
	t.Helper()
	r := &refusals{t: t, now: midday}
	r.Service = sales.New(sales.Deps{DB: db, Now: func() time.Time { return r.now }})
	return r
}

// note notes one reason, so long ago.
func (r *refusals) note(reason string, count int, ago time.Duration) {
	r.t.Helper()
	require.NoError(r.t, r.NoteRefused(r.t.Context(), []sales.Refused{{Reason: reason, Count: count, LastAt: r.now.Add(-ago)}}))
}

func (r *refusals) since(ago time.Duration) map[string]int64 {
	r.t.Helper()
	sums, err := r.RefusedSince(r.t.Context(), r.now.Add(-ago))
	require.NoError(r.t, err)
	return sums
}

func (r *refusals) sums() []sales.RefusedSums {
	r.t.Helper()
	sums, err := r.RefusedSums(r.t.Context())
	require.NoError(r.t, err)
	return sums
}

func TestRefused_AreAddedUpByTheMinute(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		r := newRefusals(t, db)
		r.note("signature", 3, 10*time.Second)
		r.note("signature", 4, 20*time.Second) // of the same minute
		r.note("signature", 5, time.Minute)
		r.note("late", 1, 0)
		all, err := r.RefusedNotices(t.Context(), r.now.Add(-time.Hour))
		require.NoError(t, err)
		minute := midday.Truncate(time.Minute)
		for i := range all {
			all[i].Minute = all[i].Minute.UTC()
		}
		require.Equal(t, []sales.RefusedNotices{
			{Minute: minute.Add(-time.Minute), Reason: "signature", Count: 5},
			{Minute: minute, Reason: "late", Count: 1},
			{Minute: minute, Reason: "signature", Count: 7},
		}, all)
		recent, err := r.RefusedNotices(t.Context(), minute)
		require.NoError(t, err)
		require.Len(t, recent, 2)
		require.Equal(t, map[string]int64{"late": 1, "signature": 12}, r.since(time.Hour))
		require.Equal(t, map[string]int64{"late": 1, "signature": 7}, r.since(30*time.Second))
		require.Empty(t, r.since(-time.Minute))
	})
}

func TestRefused_OfManyReasonsAreNotedTogether(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		r := newRefusals(t, db)
		require.NoError(t, r.NoteRefused(t.Context(), []sales.Refused{
			{Reason: "late", Count: 2, LastAt: r.now}, {Reason: "body", Count: 1, LastAt: r.now}, {Reason: "late", Count: 3, LastAt: r.now},
		}))
		require.NoError(t, r.NoteRefused(t.Context(), nil))
		require.Equal(t, map[string]int64{"late": 5, "body": 1}, r.since(time.Hour))
	})
}

func TestRefused_AreSummedOverAWeekAndAMonth(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		r := newRefusals(t, db)
		for _, n := range []struct {
			count int
			ago   time.Duration
		}{{1, 0}, {10, 6 * day}, {100, 7 * day}, {1000, 29 * day}, {10_000, 30 * day}, {100_000, 89 * day}} {
			r.note("late", n.count, n.ago)
		}
		r.note("body", 1, day)
		sums := r.sums()
		require.Len(t, sums, 2)
		require.Equal(t, "late", sums[0].Reason, "the latest first")
		require.Equal(t, 11, sums[0].Week, "today and six days before")
		require.Equal(t, 1111, sums[0].Month)
		require.True(t, sums[0].LastAt.Equal(r.now))
		require.Equal(t, "body", sums[1].Reason)
		require.Equal(t, 1, sums[1].Week)
	})
}

// Processes write what they gathered in any order: the last is the latest, not the last written.
func TestRefused_LastIsTheLatest(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		r := newRefusals(t, db)
		r.note("late", 1, time.Hour)
		r.note("late", 1, time.Minute)
		r.note("late", 1, 2*time.Hour)
		require.True(t, r.sums()[0].LastAt.Equal(r.now.Add(-time.Minute)))
		require.Equal(t, 3, r.sums()[0].Week)
	})
}

func TestRefused_AreForgottenByTheMinuteBeforeByTheDay(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		r := newRefusals(t, db)
		r.note("late", 1, 0)
		r.now = r.now.Add(7*day + time.Minute)
		r.note("body", 1, 0) // whoever writes sweeps
		require.Equal(t, map[string]int64{"body": 1}, r.since(30*day), "minutes are for alerts")
		require.Len(t, r.sums(), 2, "days are for reading")
		r.now = midday.Add(91 * day)
		require.Len(t, r.sums(), 1, "what nobody swept yet is old all the same")
		r.note("body", 1, 0)
		require.Len(t, r.sums(), 1)
		require.Equal(t, "body", r.sums()[0].Reason)
	})
}
