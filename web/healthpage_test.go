package web

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/health"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
)

func TestTheHealthPageTellsWhatIsWrongAndWhatToDo(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.signIn(staff.Admin)
		fresh := w.get("/admin/health")
		require.Equal(t, http.StatusOK, fresh.StatusCode, fresh.body)
		require.Contains(t, fresh.page(t).Text(), "Not checked yet.")
		require.Contains(t, fresh.page(t).Text(), "Nothing is open.")

		run, err := b.checks.Verify(t.Context(), "test")
		require.NoError(t, err)
		require.True(t, run.Holds, "%+v", run.Findings)
		require.Contains(t, w.get("/admin/health").page(t).Text(), "Everything is right")

		b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"RateLimited"}}]`)
		cashier := b.signIn(staff.Cashier)
		path := cashier.sellTopUp()
		b.becomes(path, sales.Failed)
		require.NoError(t, b.server.D.Sales.NoteRefused(t.Context(), []sales.Refused{{Reason: "late", Count: 3, LastAt: b.clock().Add(-25 * time.Hour)}}))
		require.Contains(t, w.get("/admin/health").page(t).Text(), "None refused in the last day")
		require.Equal(t, 400, b.deliver(http.Header{}, "{}"))
		b.server.machine.NoteRefusals(t.Context())
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			if err := sales.RaiseIncident(t.Context(), tx, sales.Incident{Kind: sales.StrayRecord, SaleID: "ref:ABCD", At: b.clock()}); err != nil {
				return err
			}
			return tx.Exec("UPDATE shifts SET opening_micros = opening_micros + 1").Error
		}))
		b.pass(time.Minute)
		run, err = b.checks.Verify(t.Context(), "test")
		require.NoError(t, err)
		require.False(t, run.Holds)
		bad := w.get("/admin/health").page(t)
		for _, words := range []string{"Errors: 1.", "run web restored", "ABCD", "A check found an error in the books", "Too many transfers to this number", "Refused in the last day: 1.", "Not in the form the transfer service uses", " is booked."} {
			require.Contains(t, bad.Text(), words)
		}
		require.Positive(t, bad.Find("meter").Length(), "budgets")
		require.Equal(t, 1, b.signIn(staff.Manager).get("/").page(t).Find(`#who a[href="/admin/health"]`).Length())
		require.Equal(t, http.StatusForbidden, cashier.get("/admin/health").StatusCode)
	})
}

func TestAManagerSeesNoIncidentOfAnotherShop(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	path := b.signIn(staff.Cashier).sellTopUp()
	b.becomes(path, sales.Complete)
	sale := b.saleAt(path)
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		if err := sales.RaiseIncident(t.Context(), tx, sales.Incident{Kind: sales.LateReversal, SaleID: sale.ID, At: b.clock()}); err != nil {
			return err
		}
		return sales.RaiseIncident(t.Context(), tx, sales.Incident{Kind: sales.ExecutedTwice, SaleID: "01ZZZZZZZZZZZZZZZZZZZZZZZZ", At: b.clock()})
	}))
	mine := b.signIn(staff.Manager).get("/admin/health").page(t).Find(".alerts")
	require.Contains(t, mine.Text(), "took a finished transfer back")
	require.NotContains(t, mine.Text(), "sent twice")
	require.Contains(t, b.signIn(staff.Admin).get("/admin/health").page(t).Find(".alerts").Text(), "sent twice")
}

func TestTheHealthPageKnowsWhetherRedisIsThere(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Admin)
	require.Contains(t, w.get("/admin/health").page(t).Text(), "this process runs alone")
	b.server.D.Health = b.server.D.Health.With(func(h *health.Deps) {
		h.Redis = func(context.Context) error { return errors.New("gone") }
	})
	require.Contains(t, w.get("/admin/health").page(t).Text(), "It does not answer.")
}
