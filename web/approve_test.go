package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"airtill/internal/limit"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// atTill signs a role in at the till whose shift is open.
func (b *bench) atTill(role staff.Role) *browser {
	b.t.Helper()
	w := b.signIn(role)
	got := w.post("/till", url.Values{"till": {b.tills[0].ID}, "take": {"1"}})
	require.Equal(b.t, http.StatusSeeOther, got.StatusCode, got.body)
	return w
}

// fields returns the hidden fields of a form on a page.
func (w *browser) fields(path, form string) url.Values {
	w.b.t.Helper()
	found := w.get(path).page(w.b.t).Find(form)
	require.Equal(w.b.t, 1, found.Length(), "%s has no %s", path, form)
	values := url.Values{}
	for _, input := range found.Find("input[type=hidden]").EachIter() {
		values.Set(input.AttrOr("name", ""), input.AttrOr("value", ""))
	}
	return values
}

func TestALimitExplainsItselfAndAManagerAllowsOneMore(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		require.NoError(t, b.server.D.Limits.Set(t.Context(), setup, limit.Limit{ShopID: b.shop.ID, Kind: limit.Kind{Subject: limit.OneNumber, Period: limit.Day, Measure: limit.Count}, Most: 1}))
		cashier := b.atTill(staff.Cashier)
		path := cashier.sellTopUp()
		b.becomes(path, sales.Complete)
		page := "/counter?number=" + irish + "&sku=" + b.saleAt(path).SKUCode + "&pay=1"

		form := cashier.fields(page, "form.confirm")
		form.Set("another", "1")
		stopped := cashier.post("/sales", form)
		require.Equal(t, http.StatusConflict, stopped.StatusCode)
		words := strings.Join(strings.Fields(stopped.page(t).Find("form.confirm").Text()), " ")
		require.Contains(t, words, "Sales to this number today: 1. The limit is 1. A manager can allow another one.")
		require.Zero(t, stopped.page(t).Find("button[name=approve]").Length())
		form.Set("approve", "1")
		require.Equal(t, http.StatusConflict, cashier.post("/sales", form).StatusCode, "a cashier approves nothing")

		manager := b.atTill(staff.Manager)
		form = manager.fields(page, "form.confirm")
		form.Set("another", "1")
		require.Equal(t, 1, manager.post("/sales", form).page(t).Find("button[name=approve]").Length())
		form.Set("approve", "1")
		sold := manager.post("/sales", form)
		require.Equal(t, http.StatusSeeOther, sold.StatusCode, sold.body)
		b.becomes(sold.Header.Get("Location"), sales.Complete)
		told := b.signIn(staff.Auditor).get("/admin/audit?action=sale.approved").page(t).Find("tbody tr").First().Text()
		for _, line := range []string{"Allowed: A limit is reached", "Limit: Sales to one number in a day", "At most: 1", "Shop: " + b.shop.Name} {
			require.Contains(t, told, line)
		}
	})
}

func TestALimitHoldsForASaleTriedAgainAndAManagerAllowsIt(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	require.NoError(t, b.server.D.Limits.Set(t.Context(), setup, limit.Limit{ShopID: b.shop.ID, Kind: limit.Kind{Subject: limit.OneNumber, Period: limit.Day, Measure: limit.Count}, Most: 1}))
	b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"RateLimited"}}]`)
	cashier := b.atTill(staff.Cashier)
	path := cashier.sellTopUp()
	b.becomes(path, sales.Failed)
	b.becomes(cashier.sellTopUp(), sales.Complete)
	b.pass(time.Minute)

	csrf := cashier.get(path).page(t).Find("#act-retry input[name=csrf]").AttrOr("value", "")
	stopped := cashier.post(path+"/retry", url.Values{"csrf": {csrf}})
	require.Equal(t, http.StatusConflict, stopped.StatusCode)
	require.Contains(t, stopped.body, "Sales to this number today: 1. The limit is 1.")
	require.Equal(t, 1, b.saleAt(path).Attempt)
	require.Equal(t, 1, stopped.page(t).Find(`.approval form[action="`+path+`/retry"]`).Length(), "a manager may be asked")

	manager := b.atTill(staff.Manager)
	form := manager.fields(path, "#act-retry")
	form.Set("approve", "1")
	form.Set("reason", "the customer wants both")
	require.Equal(t, 1, manager.post(path+"/retry", url.Values{"csrf": form["csrf"]}).page(t).Find("form[action$='/retry'] [name=approve]").Length())
	require.Equal(t, http.StatusSeeOther, manager.post(path+"/retry", form).StatusCode)
	b.becomes(path, sales.Complete)
}

func TestASaleIsTriedAgainBesideTheSameOpenOneByAManagerAlone(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"AccountNumberInvalid"}}]`)
	cashier := b.atTill(staff.Cashier)
	path := cashier.sellTopUp()
	b.becomes(path, sales.Failed)
	b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"}}]`)
	b.becomes(cashier.sellTopUp(), sales.Unknown)

	stopped := cashier.post(path+"/retry", cashier.fields(path, "#act-retry"))
	require.Equal(t, http.StatusConflict, stopped.StatusCode)
	require.Regexp(t, `The same sale, made at \d\d:\d\d, is not finished`, stopped.body)
	require.Equal(t, 1, b.saleAt(path).Attempt)
	require.Equal(t, 1, stopped.page(t).Find(`.approval form[action="`+path+`/retry"]`).Length(), "a manager may be asked")

	manager := b.atTill(staff.Manager)
	form := manager.fields(path, "#act-retry")
	form.Set("approve", "1")
	form.Set("reason", "the customer wants both")
	require.Equal(t, http.StatusSeeOther, manager.post(path+"/retry", form).StatusCode)
	b.becomes(path, sales.Complete)
}

func TestASaleIsTriedAgainBesideTheSameThatWasSentIfBothAreMeant(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"AccountNumberInvalid"}}]`)
	cashier := b.atTill(staff.Cashier)
	path := cashier.sellTopUp()
	b.becomes(path, sales.Failed)
	b.becomes(cashier.sellTopUp(), sales.Complete)

	asked := cashier.post(path+"/retry", cashier.fields(path, "#act-retry"))
	require.Equal(t, http.StatusConflict, asked.StatusCode)
	require.Regexp(t, `to this number was sent at \d\d:\d\d from Till 1.*Press 2 to send another`, asked.page(t).Find("#outcome .notice").Text())
	require.Equal(t, 1, b.saleAt(path).Attempt)
	require.Zero(t, asked.page(t).Find(".approval").Length(), "no manager is needed")
	form := asked.page(t).Find("#act-retry")
	another := form.Find("button[name=another]")
	require.Equal(t, "2", another.AttrOr("data-key", ""))
	require.NotContains(t, form.Find("button").AttrOr("class", ""), "primary", "the cash that is owed comes first")
	require.Equal(t, http.StatusSeeOther, cashier.post(path+"/retry", url.Values{
		"csrf": {form.Find("input[name=csrf]").AttrOr("value", "")}, "another": {another.AttrOr("value", "")},
	}).StatusCode)
	b.becomes(path, sales.Complete)
}

func TestCashIsGivenBackWhileUnknownByAManagerAlone(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"}}]`)
	cashier := b.atTill(staff.Cashier)
	path := cashier.sellTopUp()
	b.becomes(path, sales.Unknown)
	page := cashier.get(path).page(t)
	require.Zero(t, page.Find("#act-refund, form[action$='/refund'] [name=approve]").Length())
	csrf := page.Find("input[name=csrf]").First().AttrOr("value", "")
	refused := cashier.post(path+"/refund", url.Values{"csrf": {csrf}, "approve": {"1"}, "reason": {"I want to"}})
	require.Equal(t, http.StatusConflict, refused.StatusCode)
	require.Contains(t, refused.body, "Only a manager can allow this.")
	require.Equal(t, sales.CashTaken, b.saleAt(path).Cash)

	manager := b.atTill(staff.Manager)
	form := manager.fields(path, "form[action$='/refund']")
	form.Set("reason", "the customer has to leave")
	require.Equal(t, http.StatusSeeOther, manager.post(path+"/refund", form).StatusCode)
	require.Equal(t, sales.CashRefunded, b.saleAt(path).Cash)
	require.Contains(t, manager.get("/").body, "Cash was given back before anyone knew")
	page = cashier.get(path).page(t)
	require.Contains(t, page.Find("#outcome").Text(), "The cash was given back")
	require.NotContains(t, page.Find("#outcome .verdict").Text(), "waiting slip", "nobody waits for it any more")
	require.Contains(t, page.Find("#print").Text(), "Refund slip")
	paper := cashier.get(path + "/receipt").page(t).Text()
	require.Contains(t, paper, "CASH GIVEN BACK")
	require.NotContains(t, paper, "WAITING")
	require.Equal(t, "The shop has given your money back. It is not known yet whether your purchase arrives all the same.", b.statusOf(path))
	allowed := manager.get("/admin/corrections").page(t).Find(`tbody td[data-column="Allowed by"]`)
	require.Equal(t, "manager", strings.TrimSpace(allowed.First().Text()))
}

func TestAnEmptyFloatIsToldToWhoCanMendItAndStopsSellingBeforeCashIsTaken(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"InsufficientBalance"}}]`)
	cashier := b.atTill(staff.Cashier)
	path := cashier.sellTopUp()
	b.becomes(path, sales.Failed)
	require.Contains(t, b.signIn(staff.Manager).get("/").page(t).Find(".banners").Text(), "The float is used up")
	page := cashier.get("/counter?number=" + irish + "&sku=" + b.saleAt(path).SKUCode + "&pay=1").page(t)
	require.NotContains(t, page.Find(".banners").Text(), "The float")
	require.Contains(t, page.Find("form.confirm").Text(), "The float is used up. Nothing was sold. Do not take cash.")
	require.NotContains(t, page.Find("form.confirm").Text(), "Cash received, send")
}

func TestABatchSaleIsCancelledFromItsPage(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	b.simulate(http.MethodPut, "config", `{"batchDelay":"1h"}`)
	cashier := b.atTill(staff.Cashier)
	form := cashier.fields("/counter?number=%2B5351234567&provider=ISCU&country=CU&sku=CU_IS_TopUp&pay=10&step=confirm", "form.confirm")
	sold := cashier.post("/sales", form)
	require.Equal(t, http.StatusSeeOther, sold.StatusCode, sold.body)
	path := sold.Header.Get("Location")
	b.becomes(path, sales.Submitted)
	form = cashier.fields(path, "#act-cancel")
	require.Equal(t, http.StatusSeeOther, cashier.post(path+"/cancel", form).StatusCode)
	require.Equal(t, sales.Cancelled, b.saleAt(path).Fulfilment)
	require.Equal(t, http.StatusSeeOther, cashier.post(path+"/cancel", form).StatusCode, "pressed twice")
	require.Contains(t, cashier.outcome(path), "Cancelled. Nothing was charged.")
	_, err := b.server.D.Sales.Observe(t.Context(), b.saleAt(path).ID, sales.Observation{Cause: sales.Repaid, At: b.server.D.Now()})
	require.NoError(t, err)
	page := cashier.get(path).page(t)
	require.Equal(t, 1, page.Find("#act-refund").Length(), "the cash is due back")
	require.Zero(t, page.Find("#act-retry").Length(), "what was cancelled is not tried again, though nothing is owed for it any more")
}
