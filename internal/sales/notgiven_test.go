package sales_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/ledger"
	"airtill/internal/sales"
	"airtill/internal/store"
	"airtill/internal/till"
)

// TestALossOfCashThatNeverWentBackIsNone: given back in doubt, as the till was told, and then the transfer went through.
func TestALossOfCashThatNeverWentBackIsNone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"}}`)
		offer := w.TopUp()
		sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Unknown, false)
		given := func() {
			_, err := w.Sales.Refund(t.Context(), sale.ID, w.Approved("an angry customer"))
			require.NoError(t, err)
		}
		given()
		after, err := w.Sales.NotGivenBack(t.Context(), sale.ID, w.Act())
		require.NoError(t, err)
		require.Equal(t, sales.CashTaken, after.Cash)
		require.NotContains(t, w.Incidents(), sales.RefundedUnknown)

		act := w.Approved("an angry customer")
		_, err = w.Sales.Refund(t.Context(), sale.ID, act)
		require.Equal(t, "sale.moved", codeOf(err), "the form of before")
		act.Undone = 1
		_, err = w.Sales.Refund(t.Context(), sale.ID, act)
		require.NoError(t, err)
		for range 40 {
			w.Pass(30 * time.Second)
			require.NoError(t, w.FollowUp.Sweep(t.Context()))
		}
		require.Equal(t, sales.CashRefunded, w.Get(sale.ID).Cash)
		require.NotEqual(t, "0.00", w.Holds(ledger.Losses))

		back := w.Act()
		back.Undone = 1
		after, err = w.Sales.NotGivenBack(t.Context(), sale.ID, back)
		require.NoError(t, err)
		require.Equal(t, sales.CashEarned, after.Cash)
		require.Equal(t, "0.00", w.Holds(ledger.Losses))
		w.AtRest()
	})
}

// TestARefundIsTakenBackOnce of two presses, and by its cashier alone.
func TestARefundIsTakenBackOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.Absent()
		_, err := w.Sales.Refund(t.Context(), sale.ID, w.Act())
		require.NoError(t, err)
		due := w.Holds(ledger.RefundsDue)
		other := w.Act()
		other.Actor = audit.Actor{UserID: "cashier 2", ShopID: "shop", TillID: "till"}
		_, err = w.Sales.NotGivenBack(t.Context(), sale.ID, other)
		require.Equal(t, sales.StopNotGivenBack, sales.Approvable(err))

		var both sync.WaitGroup
		codes := make([]string, 2)
		for i := range codes {
			both.Go(func() {
				_, err := w.Sales.NotGivenBack(t.Context(), sale.ID, w.Act())
				codes[i] = codeOf(err)
			})
		}
		both.Wait()
		require.ElementsMatch(t, []string{"", "sale.moved"}, codes)
		require.Equal(t, sales.CashRefundDue, w.Get(sale.ID).Cash)
		require.NotEqual(t, due, w.Holds(ledger.RefundsDue))
	})
}

// TestARefundIsTakenBackIntoItsDrawer by who gave it last, whatever else was given back meanwhile, and from where.
func TestARefundIsTakenBackIntoItsDrawer(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale, beside := w.failed("1"), w.failed("2")
		other := w.Act()
		other.Actor.UserID = "cashier 2"
		second, err := w.Till.Open(t.Context(), till.Opening{
			Actor: other.Actor, ShopID: "shop", TillID: "till 2", Float: till.Counted(sale.Price()),
		})
		require.NoError(t, err)
		other.ShiftID = second.ID
		done := func(do func(context.Context, string, sales.Act) (sales.Sale, error), sale sales.Sale, act sales.Act) {
			t.Helper()
			_, err := do(t.Context(), sale.ID, act)
			require.NoError(t, err)
		}
		done(w.Sales.Refund, sale, other)
		done(w.Sales.NotGivenBack, sale, other)
		held, act := w.Holds(ledger.TillOf(w.Seller.ShiftID)), w.Act()
		act.Undone = 1
		done(w.Sales.Refund, sale, act)
		done(w.Sales.Refund, beside, other)
		done(w.Sales.NotGivenBack, sale, act)
		require.Equal(t, held, w.Holds(ledger.TillOf(w.Seller.ShiftID)))
		require.Equal(t, "0.00", w.Holds(ledger.TillOf(second.ID)))
	})
}
