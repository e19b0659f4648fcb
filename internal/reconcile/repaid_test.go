package reconcile_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/apptest"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
)

// failBatch sells a product that the upstream works later, and fails.
func (w *world) failBatch(key, refund string) sales.Sale {
	w.T.Helper()
	w.Fault(`{"match":{"endpoint":"Provider"},"action":{"kind":"error","code":"ProviderError"}}`)
	if refund != "" {
		w.Fault(`{"match":{"endpoint":"Provider"},"action":{"kind":"short_refund","amount":"` + refund + `"}}`)
	}
	sale := w.ends(w.sellBatch(key, "5351234567").ID, sales.Failed)
	require.NotZero(w.T, sale.ReceivableMicros)
	w.Pass(time.Minute)
	return sale
}

// sellBatch sells a product that the upstream works later.
func (w *world) sellBatch(key, account string) sales.Sale {
	w.T.Helper()
	offer := w.BatchOffer()
	o := apptest.Order(key, offer)
	o.AccountNumber = account
	return w.Becomes(w.Sell(o, offer).ID, sales.Submitted, false)
}

// ends lets the upstream work a batch transfer, and the sweep see how it ends.
func (w *world) ends(id string, state sales.State) (sale sales.Sale) {
	w.T.Helper()
	require.Eventually(w.T, func() bool {
		w.Pass(time.Minute)
		w.Call(http.MethodPut, "/_sandbox/config", "{}", nil)
		require.NoError(w.T, w.FollowUp.Sweep(w.T.Context()))
		sale = w.Get(id)
		return sale.Fulfilment == state
	}, apptest.Patience, 20*time.Millisecond)
	return sale
}

func TestPartialRefundStaysOpenUntilTheRestComes(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.balance()
		sale := w.failBatch("batch", "0.30")
		w.balance()
		w.balance()
		require.Equal(t, []string{"partial_refund -0.30"}, w.unresolved())
		b := w.only()
		require.Equal(t, sale.ID, b.SaleID)
		require.Equal(t, "shop", b.ShopID)
		require.Equal(t, sale.ReceivableMicros-300_000, b.FloatMicros)
		w.balance()
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
		w.settled()
		w.look()
		require.Equal(t, []string{"partial_refund -0.30"}, w.unresolved(), "the list, which agrees, does not tell of refunds")

		w.payUpstream("0.10")
		w.balance()
		w.balance()
		require.Equal(t, []string{"partial_refund -0.20"}, w.unresolved())
		require.Equal(t, sale.ReceivableMicros-200_000, w.only().FloatMicros)

		other := w.failBatch("other", sale.Quoted().Send.Decimal(2))
		w.payUpstream("0.20")
		w.balance()
		w.balance()
		require.Empty(t, w.unresolved(), "the rest has come, whatever else is owed")
		other, err := w.Sales.Get(t.Context(), other.ID, "")
		require.NoError(t, err)
		require.NotZero(t, other.ReceivableMicros)
		w.payUpstream(money.Of(other.ReceivableMicros, "EUR").Decimal(2))
		w.balance()
		sale, err = w.Sales.Get(t.Context(), sale.ID, "")
		require.NoError(t, err)
		require.Zero(t, sale.ReceivableMicros)
		w.AtRest()
	})
}

func TestPartialRefundBesideAnAnnouncedPayment(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.balance()
		paid, err := w.Reconcile.EnterTopUp(t.Context(), first, "", money.MustParse("250", "EUR"), ledger.Safe, "bank 1")
		require.NoError(t, err)
		require.NoError(t, w.Reconcile.ApproveTopUp(t.Context(), paid.ID, second, w.Now()))
		w.failBatch("batch", "0.30")
		w.payUpstream("250.00")
		for range 3 {
			w.balance()
		}
		require.Equal(t, []string{"partial_refund -0.30"}, w.unresolved())
		w.balance()
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
	})
}

// Refunds that come while something else is wrong make differences that a person
// is asked about; when all of them are there, nobody has to be.
func TestRefundsAmongOtherThingsAreSettledWhenAllHaveCome(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		drift := func(amount string) {
			w.Fault(`{"match":{"endpoint":"GetBalance"},"action":{"kind":"balance_drift","amount":"` + amount + `"}}`)
		}
		w.balance()
		w.failBatch("one", "0.30")
		drift("2.00")
		w.balance()
		w.balance()
		w.balance()
		require.NotEmpty(t, w.unresolved())
		drift("-1.70")
		w.balance()
		w.balance()
		w.balance()
		require.Empty(t, w.unresolved())
		w.AtRest()
		require.Equal(t, "0.00", w.Holds(ledger.RefundReceivable))
	})
}

func TestPartialRefundIsWrittenOff(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.balance()
		sale := w.failBatch("batch", "0.30")
		w.balance()
		w.balance()
		w.resolve(w.only(), reconcile.Proposal{Resolution: reconcile.WriteOff})
		w.balance()
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
		sale, err := w.Sales.Get(t.Context(), sale.ID, "")
		require.NoError(t, err)
		require.Zero(t, sale.ReceivableMicros)
		w.AtRest()
		lost, err := w.Ledger.Balance(t.Context(), ledger.Losses, "EUR")
		require.NoError(t, err)
		require.Equal(t, "0.30 EUR", lost.String())
		w.settled()
		w.look()
		require.Empty(t, w.unresolved(), "the record, which is of a failed transfer, agrees with the sale still")
	})
}

func TestRefundThatNeverComesIsABreak(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.balance()
		sale := w.failBatch("batch", "999")
		w.balance()
		require.Empty(t, w.unresolved(), "it may take some days")
		w.Pass(73 * time.Hour)
		w.balance()
		require.Equal(t, []string{"refund_overdue " + money.Of(-sale.ReceivableMicros, "EUR").Decimal(2)}, w.unresolved())
		w.payUpstream(money.Of(sale.ReceivableMicros, "EUR").Decimal(2))
		w.balance()
		w.balance()
		require.Empty(t, w.unresolved())
		w.AtRest()
	})
}

// goesOn sells a batch transfer that the upstream has not begun to work on.
func (w *world) goesOn(key string) sales.Sale {
	w.T.Helper()
	w.Call(http.MethodPut, "/_sandbox/config", `{"batchDelay":"3h"}`, nil)
	sale := w.sellBatch(key, "5357654321")
	w.Call(http.MethodPut, "/_sandbox/config", `{"batchDelay":"30s"}`, nil)
	return sale
}

// sweeps lets the sweep look at what is under way, a while later.
func (w *world) sweeps() {
	w.T.Helper()
	w.PassUpstream(11 * time.Minute)
	require.NoError(w.T, w.FollowUp.Sweep(w.T.Context()))
}

// A busy counter always has a batch transfer under way. One that the list shows to
// be so after a balance was told had been deducted then, and no more.
func TestPartialRefundIsFoundWhileAnotherBatchGoesOn(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.balance()
		w.goesOn("on")
		sale := w.failBatch("batch", "0.30")
		for range 3 {
			w.balance()
			w.sweeps()
		}
		require.Equal(t, []string{"partial_refund -0.30"}, w.unresolved())
		require.Equal(t, sale.ID, w.only().SaleID)

		other := w.failBatch("other", "0.40")
		require.NotEqual(t, sale.ID, other.ID)
		for range 3 {
			w.balance()
			w.sweeps()
		}
		require.Equal(t, []string{"partial_refund -0.30", "partial_refund -0.40"}, w.unresolved(), "the rest of the first is not taken for a part of the second")
	})
}

// Balances that waited for a look at the batch are judged together. Between two of
// them nobody may have looked at the records.
func TestSaleOfOtherSoftwareIsFoundBeforeTheBalanceIsBelieved(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.balance()
		w.goesOn("on")
		sold := w.sellElsewhere("OTHER-1")
		w.balance()
		w.Pass(time.Minute)
		w.balance()
		for range 3 {
			w.sweeps()
			w.balance()
		}
		require.Equal(t, []string{"foreign_sale " + sold.Decimal(2)}, w.unresolved())
	})
}

// A balance that waited is judged by books that were wrong when it was told: what was
// executed late was taken already, and is booked since.
func TestBalanceOfBeforeALateSuccessIsNoDifference(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.balance()
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"late_success","for":"1h","listed":"Failed"}}`)
		offer := w.TopUp()
		sale := w.Sell(apptest.Order("late", offer), offer)
		w.Pass(20 * time.Second)
		w.Becomes(sale.ID, sales.Unknown, false)
		w.Pass(20 * time.Second)
		w.Becomes(sale.ID, sales.Failed, true)
		w.goesOn("on")
		for range 2 {
			w.Pass(time.Minute)
			w.balance()
		}
		w.PassUpstream(70 * time.Minute)
		w.look()
		for range 2 {
			w.sweeps()
			w.balance()
		}
		require.Len(t, w.unresolved(), 1)
		require.Equal(t, reconcile.LateSuccess, w.only().Kind)
	})
}

// A batch transfer that has failed unseen is refunded already: that sum is not an
// older refund that never comes.
func TestOldRefundIsNotTakenForThatOfABatchUnderWay(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.balance()
		never := w.failBatch("never", "999")
		w.Pass(time.Minute)
		w.balance()
		w.Fault(`{"match":{"endpoint":"Provider"},"action":{"kind":"error","code":"ProviderError"}}`)
		on := w.goesOn("on")
		w.PassUpstream(3*time.Hour + time.Minute)
		w.PassUpstream(time.Minute)
		w.balance()
		owed := func(id string) int64 {
			sale, err := w.Sales.Get(t.Context(), id, "")
			require.NoError(t, err)
			return sale.ReceivableMicros
		}
		require.NotZero(t, owed(never.ID))
		require.Eventually(t, func() bool { // the upstream may need a moment to fail it, and the next look is minutes away
			w.sweeps()
			return w.Get(on.ID).Fulfilment == sales.Failed
		}, apptest.Patience, 20*time.Millisecond)
		w.balance()
		require.NotZero(t, owed(never.ID))
		require.Zero(t, owed(on.ID))
	})
}

// Two refunds that are owed alike: nobody can say which came in part, and the break
// says so.
func TestPartialRefundNamesThoseItMayBeOf(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.balance()
		w.failBatch("one", "0.30")
		w.failBatch("two", "")
		w.balance()
		w.balance()
		require.Equal(t, []string{"partial_refund -0.30"}, w.unresolved())
		e, err := w.only().Read()
		require.NoError(t, err)
		require.Len(t, e.Candidates, 1)
		require.NotEqual(t, w.only().SaleID, e.Candidates[0].SaleID)
		require.Equal(t, "2.00", w.Holds(ledger.RefundReceivable), "the other has come")
	})
}
