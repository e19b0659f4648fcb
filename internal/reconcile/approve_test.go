package reconcile_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/store"
	"airtill/internal/storetest"
)

func auditOf(saleID string) audit.Filter { return audit.Filter{Subject: "sale:" + saleID} }

func TestApproval_OfATwinThatIsStillOpen(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.topUp()
		_, _, err := w.sales.Sell(t.Context(), w.seller, order("1", offer), offer)
		require.NoError(t, err)
		second := order("2", offer)
		second.Again = true
		_, _, err = w.sales.Sell(t.Context(), w.seller, second, offer)
		require.Equal(t, sales.StopOpenTwin, sales.Approvable(err), "a cashier's word is not enough")
		require.Equal(t, sales.StopOpenTwin, sales.Approvable(w.sales.Check(t.Context(), w.seller, second, offer)), "told before any cash is taken")
		second.Approver = "manager"
		sale, _, err := w.sales.Sell(t.Context(), w.seller, second, offer)
		require.NoError(t, err)
		entries, err := w.audit.List(t.Context(), auditOf(sale.ID))
		require.NoError(t, err)
		require.Len(t, entries, 1)
		require.Equal(t, "cashier", entries[0].UserID)
		require.Contains(t, entries[0].After, `"approver":"manager"`)
		require.Contains(t, entries[0].After, `"allowed":"open-twin"`)
	})
}

func TestApproval_IsRecordedOnlyWhereItWasNeeded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.topUp()
	o := order("1", offer)
	o.Approver = "manager"
	sale, _, err := w.sales.Sell(t.Context(), w.seller, o, offer)
	require.NoError(t, err)
	entries, err := w.audit.List(t.Context(), auditOf(sale.ID))
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestPINsAreNoTwinsOfOtherTills(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.pinOffer()
	o := order("1", offer)
	o.AccountNumber = pinNumber
	_, _, err := w.sales.Sell(t.Context(), w.seller, o, offer)
	require.NoError(t, err)
	o.Key += "again"
	require.ErrorAs(t, w.sales.Check(t.Context(), w.seller, o, offer), new(*sales.DuplicateError), "asked about, not stopped: it goes to nobody")
	other := w.seller
	other.TillID = "till 2"
	require.NoError(t, w.sales.Check(t.Context(), other, o, offer))
}

func TestRefundWhileUnknown_NeedsAManagerAndIsFollowed(t *testing.T) {
	t.Parallel()
	for name, executed := range map[string]bool{"it succeeds: J14": true, "it was never executed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				w := newWorld(t, db)
				offer := w.topUp()
				control := order("control", offer)
				control.AccountNumber = "353871111111"
				w.becomes(w.sell(control, offer).ID, sales.Complete, false)
				when := map[bool]string{true: "after", false: "before"}[executed]
				w.fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"` + when + `"}}`)
				sale := w.becomes(w.sell(order("1", offer), offer).ID, sales.Unknown, false)

				_, err := w.sales.Refund(t.Context(), sale.ID, w.act())
				require.Equal(t, sales.StopRefundUnknown, sales.Approvable(err))
				sale, err = w.sales.Refund(t.Context(), sale.ID, w.approved("an angry customer"))
				require.NoError(t, err)
				require.Equal(t, sales.CashRefunded, sale.Cash)
				require.Contains(t, w.incidents(), sales.RefundedUnknown)

				for range 40 {
					w.pass(30 * time.Second)
					require.NoError(t, w.books.Sweep(t.Context()))
				}
				sale = w.get(sale.ID)
				require.NotContains(t, w.incidents(), sales.RefundedUnknown, "its end is known")
				total, err := sale.Quoted().Total()
				require.NoError(t, err)
				if executed {
					require.Equal(t, sales.Complete, sale.Fulfilment)
					require.Equal(t, total.Decimal(2), w.holds(ledger.Losses))
					require.Contains(t, w.incidents(), sales.LateSuccess)
				} else {
					require.Equal(t, sales.Failed, sale.Fulfilment)
					require.Equal(t, "0.00", w.holds(ledger.Losses))
				}
				require.Equal(t, sales.CashRefunded, sale.Cash)
				w.atRest()
			})
		})
	}
}

func TestRefundOverTheLimit_NeedsAManager(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.topUp()
		w.fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"AccountNumberInvalid"}}`)
		sale := w.becomes(w.sell(order("1", offer), offer).ID, sales.Failed, false)
		price := sale.Price()
		w.limit(sales.Limit{ShopID: "shop", Subject: sales.OneRefund, Period: sales.Each, Measure: sales.Sum, Currency: "EUR", Most: price.Micros() - 1})
		_, err := w.sales.Refund(t.Context(), sale.ID, w.act())
		require.Equal(t, sales.StopLimit, sales.Approvable(err))
		require.Equal(t, sales.CashRefundDue, w.get(sale.ID).Cash)
		_, err = w.sales.Refund(t.Context(), sale.ID, w.approved(""))
		require.NoError(t, err)
		stops, err := w.sales.Stops(t.Context(), "shop", w.now().Add(-time.Hour))
		require.NoError(t, err)
		require.Len(t, stops, 1)
		require.Equal(t, []int{1, 1}, []int{stops[0].Stopped, stops[0].Allowed}, "one refund, which was allowed")
		w.atRest()
	})
}

// limit sets a limit.
func (w *world) limit(l sales.Limit) {
	w.t.Helper()
	require.NoError(w.t, w.sales.SetLimit(w.t.Context(), audit.Command("test"), l))
}

func eur(text string) money.Amount { return money.MustParse(text, "EUR") }
