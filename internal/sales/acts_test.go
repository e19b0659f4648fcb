package sales_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/store"
	"airtill/internal/till"
)

// failed is a sale that the provider refused at once.
func (w *world) failed(key string) sales.Sale {
	w.T.Helper()
	offer := w.TopUp()
	w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"AccountNumberInvalid"}}`)
	return w.Becomes(w.Sell(apptest.Order(key, offer), offer).ID, sales.Failed, false)
}

// closed closes the world's drawer, which holds a sum.
func (w *world) closed(sum money.Amount) till.Count {
	w.T.Helper()
	drawer := till.Counted(sum)
	_, again, err := w.Till.Close(w.T.Context(), till.Ending{
		Key: "close", Actor: w.Act().Actor, ShopID: "shop", ShiftID: w.Seller.ShiftID, Count: drawer,
	})
	require.NoError(w.T, err)
	require.False(w.T, again)
	return drawer
}

// Cash is given back out of an open drawer only: the books must say whose.
func TestRefund_NeedsAnOpenDrawer(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.failed("1")
		act := w.Act()
		act.ShiftID = ""
		_, err := w.Sales.Refund(t.Context(), sale.ID, act)
		require.Equal(t, "shift.needed-for-cash", codeOf(err))

		drawer := w.closed(sale.Price())
		_, err = w.Sales.Refund(t.Context(), sale.ID, w.Act())
		require.Equal(t, "shift.closed-undone", codeOf(err), "the drawer was counted")
		require.Equal(t, sale, w.Get(sale.ID))

		next, err := w.Till.Open(t.Context(), till.Opening{Actor: act.Actor, ShopID: "shop", TillID: "till", Float: drawer})
		require.NoError(t, err)
		act.ShiftID = next.ID
		after, err := w.Sales.Refund(t.Context(), sale.ID, act)
		require.NoError(t, err)
		require.Equal(t, sales.CashRefunded, after.Cash)
		require.Equal(t, "0.00", w.Holds(ledger.TillOf(next.ID)), "it comes out of the drawer that pays")
		require.Equal(t, "0.00", w.Holds(ledger.RefundsDue))
		_, err = w.Sales.Refund(t.Context(), sale.ID, act)
		require.Equal(t, "sale.refunded", codeOf(err))
	})
}

// An owner may stand at a till of another shop, whose drawer holds another currency: no cash for this sale is in it.
func TestRefund_ComesOutOfADrawerOfItsCurrency(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale, act := w.failed("1"), w.Act()
		abroad, err := w.Till.Open(t.Context(), till.Opening{
			Actor: act.Actor, ShopID: "abroad", TillID: "abroad", Float: till.Counted(money.Of(0, "GBP")),
		})
		require.NoError(t, err)
		act.ShiftID = abroad.ID
		_, err = w.Sales.Refund(t.Context(), sale.ID, act)
		require.Equal(t, "drawer.currency", codeOf(err))
		require.Equal(t, sale, w.Get(sale.ID))
		require.Equal(t, "0.00", w.Holds(ledger.TillOf(abroad.ID)))
		_, err = w.Sales.Refund(t.Context(), sale.ID, w.Act())
		require.NoError(t, err)
		w.AtRest()
	})
}

// Two cashiers who give the same cash back at once: one does, the other is told.
func TestRefund_OfTwoAtOnceIsOne(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.failed("1")
		first, act := w.Sales, w.Act()
		w.Begin("process-2")
		errs := make(chan error, 2)
		for _, process := range []*sales.Service{first, w.Sales} {
			go func() {
				_, err := process.Refund(t.Context(), sale.ID, act)
				errs <- err
			}()
		}
		told := []string{codeOf(<-errs), codeOf(<-errs)}
		require.ElementsMatch(t, []string{"", "sale.refunded"}, told)
		require.Equal(t, "0.00", w.Holds(ledger.TillOf(w.Seller.ShiftID)))
		w.AtRest()
	})
}

// What a cashier may call off has not been sent; its cash is due back.
func TestCallOff_VoidsWhatIsNotSent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.recorded("1")
		after, err := w.Sales.CallOff(t.Context(), sale.ID, w.Act())
		require.NoError(t, err)
		require.Equal(t, sales.Voided, after.Fulfilment)
		require.Equal(t, sales.CashRefundDue, after.Cash)
		again, err := w.Sales.CallOff(t.Context(), sale.ID, w.Act())
		require.NoError(t, err, "two people at once: it was not sent")
		require.Equal(t, after.Events, again.Events)
		<-w.Sales.Dispatch(after)
		require.Zero(t, w.Executed(after), "and is never sent")
		sent := w.Becomes(w.Sell(apptest.Order("2", w.TopUp()), w.TopUp()).ID, sales.Complete, false)
		_, err = w.Sales.CallOff(t.Context(), sent.ID, w.Act())
		require.Equal(t, "sale.sent", codeOf(err))
		w.AtRest()
	})
}

// TestTryAgain_WaitsAndAsks: for a shift, for what has an end, for as long as the upstream wants, and for float.
func TestTryAgain_WaitsAndAsks(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		w.Stop()
		sale, act := w.failed("1"), w.Act()
		again := func(act sales.Act) (sales.Sale, error) { return w.Sales.TryAgain(t.Context(), sale.ID, act) }
		act.ShiftID = ""
		_, err := again(act)
		require.Equal(t, "shift.needed", codeOf(err))

		w.moved(sale.ID, "retry_at = ?", store.Moment(w.Now().Add(90*time.Second-time.Millisecond)))
		_, err = again(w.Act())
		require.Equal(t, "sale.wait", codeOf(err))
		require.Contains(t, fault.Message(err), " 90 s", "the seconds to wait, never too few")
		w.Pass(90 * time.Second)

		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return sales.RaiseIncident(t.Context(), tx, sales.Incident{Kind: sales.NoFloat, At: store.Moment(w.Now())})
		}))
		_, err = again(w.Act())
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
		require.Equal(t, 1, w.Get(sale.ID).Attempt)
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return sales.CloseIncidents(tx, sales.NoFloat, "test", w.Now())
		}))
		after, err := again(w.Act())
		require.NoError(t, err)
		require.Equal(t, sales.Recorded, after.Fulfilment)
		require.NotEqual(t, sale.Ref, after.Ref)
		_, err = again(w.Act())
		require.Equal(t, "sale.moved", codeOf(err), "it is under way")
		w.Sales.Dispatch(after)
		w.Becomes(sale.ID, sales.Complete, false)
		_, err = again(w.Act())
		require.Equal(t, "sale.moved", codeOf(err), "it went through")
		w.AtRest()
	})
}

// A drawer that is closed at the same moment has reported what it carries over: this sale is not tried again from it.
func TestTryAgain_NeedsAnOpenDrawer(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale, act := w.failed("1"), w.Act()
		w.closed(sale.Price())
		_, err := w.Sales.TryAgain(t.Context(), sale.ID, act)
		require.Equal(t, "shift.closed-undone", codeOf(err))
		require.Equal(t, sale, w.Get(sale.ID))
	})
}

// What stops a new sale stops another attempt: it would be recorded, sent by nobody and void a minute later.
func TestTryAgain_StopsWhereSellingDoes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.failed("1")
		require.NoError(t, w.Sales.Drain(t.Context()))
		_, err := w.Sales.TryAgain(t.Context(), sale.ID, w.Act())
		require.Equal(t, "till.restarting", codeOf(err))
		w.Sales.Halt()
		_, err = w.Sales.TryAgain(t.Context(), sale.ID, w.Act())
		require.Equal(t, "till.restored", codeOf(err))
		require.Equal(t, sale, w.Get(sale.ID))
	})
}

// A sale without a PIN has none to show, and whoever asked is not on record as having seen one.
func TestReveal_OfNoPINIsNotOnRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	sale := w.recorded("1")
	require.Equal(t, "sale.no-pin", codeOf(w.Sales.Reveal(t.Context(), sale.ID, w.Act())))
	_, ever, err := w.Sales.Shown(t.Context(), sale.ID, "cashier")
	require.NoError(t, err)
	require.False(t, ever)
	entries, err := w.Audit.List(t.Context(), auditOf(sale.ID))
	require.NoError(t, err)
	require.Empty(t, entries)
}

// The settings of a product are offered again as they last worked, for that number in that shop.
func TestLastSettings_AreThoseThatWorked(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		ids := w.sold(3)
		for i, meter := range []string{"first", "second", "third"} {
			w.moved(ids[i], "account_number = '353870000000', settings = ?", fmt.Sprintf(`[{"Name":"MeterId","Value":%q}]`, meter))
		}
		sku := w.Get(ids[0]).SKUCode
		last := func(shop, account, sku string) (value string) {
			settings, err := w.Sales.LastSettings(t.Context(), shop, account, sku)
			require.NoError(t, err)
			for _, s := range settings {
				value += s.Name + "=" + s.Value
			}
			return value
		}
		require.Equal(t, "MeterId=third", last("shop", "353870000000", sku))
		w.moved(ids[2], "fulfilment = 'failed'")
		require.Equal(t, "MeterId=second", last("shop", "353870000000", sku), "what failed may be wrong")
		w.moved(ids[1], "shop_id = 'other'")
		require.Equal(t, "MeterId=first", last("shop", "353870000000", sku))
		require.Empty(t, last("shop", "353870000001", sku))
		require.Empty(t, last("shop", "353870000000", "ANOTHER"))
		w.moved(ids[0], "settings = 'broken'")
		_, err := w.Sales.LastSettings(t.Context(), "shop", "353870000000", sku)
		require.ErrorContains(t, err, "last settings")
	})
}

// The sums of the newest sales are those of all, while there are no more than are looked at.
func TestNewestTotals_AreThoseOfAllWhileTheyAreFew(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		began := w.Now()
		ids := w.sold(4)
		w.moved(ids[0], "fulfilment = 'failed', cash = 'refund_due', reason_code = 'Rejected'")
		w.moved(ids[1], "price_currency = 'KES'")
		w.moved(ids[2], "practice = ?", true)
		w.moved(ids[3], "shop_id = 'other'")
		for name, f := range map[string]sales.Filter{
			"all": {}, "practice": {Practice: true}, "a shop": {ShopID: "other"}, "a currency": {Currency: "KES"},
			"what failed": {States: []sales.State{sales.Failed}}, "for a reason": {Reason: "Rejected"},
			"a while":          {From: began, To: w.Get(ids[1]).RecordedAt},
			"before all of it": {To: began},
		} {
			want, err := w.Sales.Totals(t.Context(), f)
			require.NoError(t, err, name)
			got, all, err := w.Sales.NewestTotals(t.Context(), f)
			require.NoError(t, err, name)
			require.True(t, all, name)
			require.ElementsMatch(t, want, got, name)
			require.Equal(t, name != "before all of it", len(got) > 0, name)
		}
	})
}

// The most frequent failure stands first, of one sum the code decides, and what has no code is not counted.
func TestFailuresSince_AreInOrderOfTheirNumber(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	for i, id := range w.sold(6) {
		code := []string{"Busy", "Closed", "Closed", "Asleep", "", "Busy"}[i]
		w.moved(id, "fulfilment = 'failed', reason_code = ?", code)
	}
	found, err := w.Sales.FailuresSince(t.Context(), w.Now().Add(-time.Hour))
	require.NoError(t, err)
	require.Equal(t, []sales.Failures{{Code: "Busy", Count: 2}, {Code: "Closed", Count: 2}, {Code: "Asleep", Count: 1}}, found)
}

// A till's latest sales leave out those whose number its owner had erased, and keep practice apart.
func TestRecent_LeavesOutWhatWasErased(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	ids := w.sold(3)
	w.moved(ids[0], "account_number = ?", sales.Erased)
	w.moved(ids[1], "practice = ?", true)
	for practice, want := range map[bool]string{false: ids[2], true: ids[1]} {
		found, err := w.Sales.Recent(t.Context(), "shop", "till", practice, 10)
		require.NoError(t, err)
		require.Equal(t, []string{want}, idsOf(found))
	}
}
