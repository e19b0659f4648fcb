package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"airtill/internal/jobs"
	"airtill/internal/money"
	"airtill/internal/reconcile"
	"airtill/internal/store"
)

// put puts a break of an age into the queue.
func (w *world) put(id, shop string, currency money.Currency, micros, float int64, age time.Duration) {
	w.T.Helper()
	found := store.Moment(w.Now().Add(-age))
	b := reconcile.Break{
		ID: id, Kind: reconcile.ForeignSale, Subject: id, ShopID: shop, Micros: micros, FloatMicros: float, Currency: currency, Evidence: "{}", Digest: id,
		State: reconcile.Open, FoundAt: found, SeenAt: found,
	}
	require.NoError(w.T, w.DB.Tx(w.T.Context(), func(tx *store.Tx) error { return tx.Create(&b).Error }))
}

// TestTheQueueAddsUpAndAges: by currency, and however few of them are listed.
func TestTheQueueAddsUpAndAges(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		day := 24 * time.Hour
		for i, age := range []time.Duration{0, day - time.Minute, day, 3 * day, 7 * day, 30 * day, 300 * day} {
			w.put(fmt.Sprint("b", i), "shop", "EUR", 1_000_000*int64(i+1), -1_000_000, age)
		}
		w.put("usd", "another", "USD", -5_000_000, 0, day)
		queue, err := w.Reconcile.Queue(t.Context(), reconcile.QueueFilter{ShopID: "shop", Limit: 2})
		require.NoError(t, err)
		require.Len(t, queue.Breaks, 2)
		require.Equal(t, "b6", queue.Breaks[0].ID, "the oldest first")
		require.Equal(t, []reconcile.Total{{Currency: "EUR", Count: 7, Out: 28_000_000, Float: -7_000_000}}, queue.Totals)
		require.Equal(t, []reconcile.Age{{Days: 1, Count: 2}, {Days: 3, Count: 1}, {Days: 7, Count: 1}, {Days: 30, Count: 1}, {Count: 2}}, queue.Ages)

		queue, err = w.Reconcile.Queue(t.Context(), reconcile.QueueFilter{})
		require.NoError(t, err)
		require.Len(t, queue.Breaks, 8)
		require.ElementsMatch(t, []reconcile.Total{{Currency: "EUR", Count: 7, Out: 28_000_000, Float: -7_000_000}, {Currency: "USD", Count: 1, Out: -5_000_000}}, queue.Totals)
	})
}

// TestOnceADayTheBalanceIsComparedAtRest, however often it was while sales were under way.
func TestOnceADayTheBalanceIsComparedAtRest(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		asked := func() (n int64) {
			require.NoError(t, w.DB.Read(ctx).Raw("SELECT COUNT(*) FROM upstream_balances").Scan(&n).Error)
			return n
		}
		w.Pass(10 * time.Second)
		require.NoError(t, w.Reconcile.QuietCheck(ctx))
		quiet, err := w.Reconcile.LastQuiet(ctx)
		require.NoError(t, err)
		require.Equal(t, reconcile.Agrees, quiet.Verdict)
		run, err := w.Reconcile.LastRun(ctx, "balance")
		require.NoError(t, err)
		require.NotNil(t, run, "on record")
		before := asked()
		w.Pass(23 * time.Hour)
		require.NoError(t, w.Reconcile.QuietCheck(ctx))
		require.Equal(t, before, asked(), "not again within a day")

		w.Fault(`{"match":{"endpoint":"GetCurrencies"},"action":{"kind":"balance_drift","amount":"-0.01"}}`)
		_, err = w.Client.GetCurrencies(ctx)
		require.NoError(t, err)
		w.Pass(2 * time.Hour)
		require.NoError(t, w.Reconcile.QuietCheck(ctx))
		require.Greater(t, asked(), before)
		require.Equal(t, []string{"balance_down -0.01"}, w.unresolved(), "to the last digit")
	})
}

// TestAStopWaitsForNoQuietMoment: a till that restarts while a transfer is open is away no longer for it.
func TestAStopWaitsForNoQuietMoment(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.sellBatch("open", "5351234567")
		ended := make(chan error, 1)
		runner, err := jobs.New(jobs.Deps{
			DB: w.DB, Process: "test", Metrics: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
		}, jobs.Periodic{Kind: "reconcile.quiet", Every: time.Hour, Do: func(ctx context.Context) error {
			ended <- nil // it has begun
			err := w.Reconcile.QuietCheck(ctx)
			ended <- errors.Join(err, ctx.Err())
			return err
		}})
		require.NoError(t, err)
		require.NoError(t, runner.Start(t.Context()))
		require.NoError(t, <-ended)
		require.NoError(t, runner.Stop(context.WithoutCancel(t.Context())))
		require.NoError(t, <-ended, "it was not cut off")
		quiet, err := w.Reconcile.LastQuiet(t.Context())
		require.NoError(t, err)
		require.Nil(t, quiet, "left to the next process")
	})
}
