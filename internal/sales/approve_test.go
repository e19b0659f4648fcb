package sales_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/ledger"
	"airtill/internal/limit"
	"airtill/internal/sales"
	"airtill/internal/store"
)

func auditOf(saleID string) audit.Filter { return audit.Filter{Subject: audit.Of(audit.Sale, saleID)} }

func TestApproval_OfATwinThatIsStillOpen(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		_, _, err := w.Try(apptest.Order("1", offer), offer)
		require.NoError(t, err)
		second := apptest.Order("2", offer)
		second.Again = true
		_, _, err = w.Try(second, offer)
		require.Equal(t, sales.StopOpenTwin, sales.Approvable(err), "a cashier's word is not enough")
		require.Equal(t, sales.StopOpenTwin, sales.Approvable(w.Check(w.Seller, second, offer)), "told before any cash is taken")
		second.Approver = approval.Approver{ID: "manager"}
		sale, _, err := w.Try(second, offer)
		require.NoError(t, err)
		entries, err := w.Audit.List(t.Context(), auditOf(sale.ID))
		require.NoError(t, err)
		require.Len(t, entries, 1)
		require.Equal(t, "cashier", entries[0].UserID)
		facts, err := entries[0].Facts()
		require.NoError(t, err)
		require.Contains(t, facts, audit.Person("approver", "manager"))
		require.Contains(t, facts, audit.Word("allowed", sales.StopOpenTwin))
	})
}

func TestApproval_IsRecordedOnlyWhereItWasNeeded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.TopUp()
	o := apptest.Order("1", offer)
	o.Approver = approval.Approver{ID: "manager"}
	sale, _, err := w.Try(o, offer)
	require.NoError(t, err)
	entries, err := w.Audit.List(t.Context(), auditOf(sale.ID))
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestPINsAreNoTwinsOfOtherTills(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.PINOffer()
	o := apptest.Order("1", offer)
	o.AccountNumber = apiclient.DefaultPINAccountNumber
	_, _, err := w.Try(o, offer)
	require.NoError(t, err)
	o.Key += "again"
	require.ErrorAs(t, w.Check(w.Seller, o, offer), new(*sales.DuplicateError), "asked about, not stopped: it goes to nobody")
	other := w.Seller
	other.TillID = "till 2"
	require.NoError(t, w.Check(other, o, offer))
}

func TestRefundWhileUnknown_NeedsAManagerAndIsFollowed(t *testing.T) {
	t.Parallel()
	for name, executed := range map[string]bool{"it succeeds: J14": true, "it was never executed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				w := newWorld(t, db)
				offer := w.TopUp()
				control := apptest.Order("control", offer)
				control.AccountNumber = "353871111111"
				w.Becomes(w.Sell(control, offer).ID, sales.Complete, false)
				when := map[bool]string{true: "after", false: "before"}[executed]
				w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"` + when + `"}}`)
				sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Unknown, false)

				_, err := w.Sales.Refund(t.Context(), sale.ID, w.Act())
				require.Equal(t, sales.StopRefundUnknown, sales.Approvable(err))
				sale, err = w.Sales.Refund(t.Context(), sale.ID, w.Approved("an angry customer"))
				require.NoError(t, err)
				require.Equal(t, sales.CashRefunded, sale.Cash)
				require.Contains(t, w.Incidents(), sales.RefundedUnknown)

				for range 40 {
					w.Pass(30 * time.Second)
					require.NoError(t, w.FollowUp.Sweep(t.Context()))
				}
				sale = w.Get(sale.ID)
				require.NotContains(t, w.Incidents(), sales.RefundedUnknown, "its end is known")
				total, err := sale.Quoted().Total()
				require.NoError(t, err)
				if executed {
					require.Equal(t, sales.Complete, sale.Fulfilment)
					require.Equal(t, total.Decimal(2), w.Holds(ledger.Losses))
					require.Contains(t, w.Incidents(), sales.LateSuccess)
				} else {
					require.Equal(t, sales.Failed, sale.Fulfilment)
					require.Equal(t, "0.00", w.Holds(ledger.Losses))
				}
				require.Equal(t, sales.CashRefunded, sale.Cash)
				w.AtRest()
			})
		})
	}
}

// TestWhatCannotBeDoneIsPutToNobody: a form that comes again, whose approval is spent by now, must say that the cash
// was given back, and not that nothing was done.
func TestWhatCannotBeDoneIsPutToNobody(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		again := func(id string) string {
			_, err := w.Sales.Refund(t.Context(), id, w.Act())
			require.Empty(t, sales.Approvable(err))
			return codeOf(err)
		}
		absent := w.Absent()
		_, err := w.Sales.Refund(t.Context(), absent.ID, w.Act())
		require.NoError(t, err)
		_, err = w.Sales.TryAgain(t.Context(), absent.ID, w.Act())
		require.Equal(t, "sale.cash-given-back", codeOf(err))

		w.Limit(limit.Limit{ShopID: "shop", Kind: limit.Kind{Subject: limit.OneRefund, Period: limit.Each, Measure: limit.Sum}, Currency: "EUR", Most: 1})
		require.Equal(t, "sale.refunded", again(absent.ID), "over a limit")
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"}}`)
		offer := w.TopUp()
		unknown := apptest.Order("unknown", offer)
		unknown.AccountNumber = "353872222222"
		sale := w.Becomes(w.Sell(unknown, offer).ID, sales.Unknown, false)
		_, err = w.Sales.Refund(t.Context(), sale.ID, w.Approved("an angry customer"))
		require.NoError(t, err)
		require.Equal(t, "sale.refunded", again(sale.ID), "before its outcome is known")
	})
}

func TestRefundOverTheLimit_NeedsAManager(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"AccountNumberInvalid"}}`)
		sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Failed, false)
		price := sale.Price()
		w.Limit(limit.Limit{ShopID: "shop", Kind: limit.Kind{Subject: limit.OneRefund, Period: limit.Each, Measure: limit.Sum}, Currency: "EUR", Most: price.Micros() - 1})
		_, err := w.Sales.Refund(t.Context(), sale.ID, w.Act())
		require.Equal(t, sales.StopLimit, sales.Approvable(err))
		require.Equal(t, sales.CashRefundDue, w.Get(sale.ID).Cash)
		_, err = w.Sales.Refund(t.Context(), sale.ID, w.Approved(""))
		require.NoError(t, err)
		stops, err := w.Limits.Stops(t.Context())
		require.NoError(t, err)
		require.Len(t, stops, 1)
		require.Equal(t, []int{1, 1}, []int{stops[0].Stopped, stops[0].Allowed}, "one refund, which was allowed")
		w.AtRest()
	})
}

// TestAnActThatIsRefusedLeavesNothingOnRecord: what a manager allowed is written before
// the reducer is asked, and goes with it.
func TestAnActThatIsRefusedLeavesNothingOnRecord(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Complete, false)
		w.Limit(limit.Limit{ShopID: "shop", Kind: limit.Kind{Subject: limit.OneRefund, Period: limit.Each, Measure: limit.Sum}, Currency: "EUR", Most: 1})
		_, err := w.Sales.Refund(t.Context(), sale.ID, w.Approved("a mistake"))
		require.Equal(t, fault.Conflict, fault.KindOf(err), "the customer has been served")
		require.Equal(t, sale, w.Get(sale.ID))
		entries, err := w.Audit.List(t.Context(), auditOf(sale.ID))
		require.NoError(t, err)
		require.Empty(t, entries)
		stops, err := w.Limits.Stops(t.Context())
		require.NoError(t, err)
		require.Empty(t, stops)
	})
}
