package app_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/statement"
	"airtill/internal/store"
	"airtill/internal/till"
)

// TestAClockThatIsWrongDeletesAndClosesNothing: a machine whose clock says next year would delete PINs that customers
// paid for and have yet to redeem, and names of customers, which nothing else has; and it would close a year of days to
// come, whose statements never change.
func TestAClockThatIsWrongDeletesAndClosesNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := apptest.New(t, db)
		sale := w.Sell(apptest.Order("1", w.PINOffer()), w.PINOffer())
		sale = w.Becomes(sale.ID, sales.Complete, false)
		require.NotEmpty(t, sale.SealedReceipt)
		shop, tills, err := w.Staff.CreateShop(t.Context(), audit.Actor{}, staff.NewShop{Name: "Camden", Country: "IE", Zone: "Europe/Dublin", Currency: "EUR", Tills: 1})
		require.NoError(t, err)
		_, err = w.Till.Open(t.Context(), till.Opening{ShopID: shop.ID, TillID: tills[0].ID, Float: till.Counted(money.Of(0, "EUR"))})
		require.NoError(t, err)
		w.Pass(365 * 24 * time.Hour)
		require.NoError(t, w.Jobs.Start(t.Context()))
		t.Cleanup(func() { require.NoError(t, w.Jobs.Stop(context.WithoutCancel(t.Context()))) })
		w.Until(func() bool {
			var left int
			require.NoError(t, db.Read(t.Context()).Raw("SELECT COUNT(*) FROM river_job WHERE kind IN "+
				"('sales.purge', 'customer.sweep', 'catalog.forget', 'statement.close') AND finalized_at IS NOT NULL").Scan(&left).Error)
			return left == 4
		})
		days, err := w.Statements.List(t.Context(), statement.Filter{Limit: -1})
		require.NoError(t, err)
		require.Empty(t, days)
		require.NotEmpty(t, w.Get(sale.ID).SealedReceipt, "the customer has yet to redeem it")
		failed, err := w.Jobs.Failed(t.Context())
		require.NoError(t, err)
		var kinds []string
		for _, job := range failed {
			if job.Reason == "clock.ahead" {
				kinds = append(kinds, job.Kind)
			}
		}
		require.ElementsMatch(t, []string{"sales.purge", "customer.sweep", "catalog.forget", "statement.close"}, kinds)

		var answers atomic.Bool
		w.InFront(func(rw http.ResponseWriter, r *http.Request, upstream http.Handler) {
			rw.Header().Set("Date", w.Now().UTC().Format(http.TimeFormat))
			if answers.Load() {
				upstream.ServeHTTP(rw, r)
			} else {
				rw.WriteHeader(http.StatusBadGateway)
			}
		})
		require.NoError(t, w.Jobs.Run(t.Context(), "sales.purge"))
		w.Until(func() bool { return purges(t, db, "completed") == 1 })
		require.NotEmpty(t, w.Get(sale.ID).SealedReceipt, "what tells the time is away")

		answers.Store(true)
		require.NoError(t, w.Jobs.Run(t.Context(), "sales.purge"))
		w.Until(func() bool { return w.Get(sale.ID).SealedReceipt == "" })
	})
}

// purges counts the runs that delete receipts in a state of River's.
func purges(t *testing.T, db *store.DB, state string) (n int) {
	t.Helper()
	require.NoError(t, db.Read(t.Context()).
		Raw("SELECT COUNT(*) FROM river_job WHERE kind = 'sales.purge' AND state = ?", state).Scan(&n).Error)
	return n
}
