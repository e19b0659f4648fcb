package app_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// TestWhatABeatCosts counts what a process asks every two seconds when there is nothing to do: it may only become
// less. A sale that waits for its outcome makes the same beat ask for a sweep.
func TestWhatABeatCosts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := apptest.New(t, db)
		sweeps := func() (n int) {
			require.NoError(t, db.Read(t.Context()).Raw("SELECT COUNT(*) FROM river_job WHERE kind = 'followup.sweep'").Scan(&n).Error)
			return n
		}
		require.NoError(t, w.BeatOnce(t.Context())) // the first clears up after dead processes
		before := db.Counts()
		require.NoError(t, w.BeatOnce(t.Context()))
		took := db.Counts().Sub(before)
		require.Zero(t, sweeps(), "nothing is due")
		if db.Dialect() == store.Postgres {
			require.LessOrEqual(t, took.Statements, int64(6), "%+v", took)
			require.LessOrEqual(t, took.Trips, int64(9), "%+v", took)
		}

		sale, _, err := w.Try(apptest.Order("1", w.TopUp()), w.TopUp())
		require.NoError(t, err)
		require.Equal(t, sales.Recorded, sale.Fulfilment)
		w.Pass(sales.VoidAfter)
		require.NoError(t, w.BeatOnce(t.Context()))
		require.Equal(t, 1, sweeps(), "a sale is due")
	})
}

// TestABeatThatIsNotAnsweredIsGivenUp: a proxy before PostgreSQL that has lost what is behind it answers nobody and ends
// nothing. The process would count as dead, take no sales and work no jobs for as long as the proxy does.
func TestABeatThatIsNotAnsweredIsGivenUp(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, url string) {
		forget, hangUp := func() {}, func() {}
		if strings.HasPrefix(url, "postgres") {
			proxy := storetest.ForgetfulBefore(t, url)
			url, forget, hangUp = proxy.URL, proxy.Forget, proxy.HangUp
		}
		db := storetest.Open(t, url)
		t.Cleanup(hangUp)
		w := apptest.New(t, db)
		forget()
		require.Eventually(t, func() bool {
			return w.BeatInTime(t.Context(), time.Second, time.Second) == nil
		}, time.Minute, time.Millisecond)
	})
}
