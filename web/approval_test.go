package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// blocked leaves a sale open at a trusted till and returns the form of the same
// sale once more, which is stopped.
func (b *bench) blocked() (w *browser, form url.Values) {
	b.t.Helper()
	w = b.trustedTill(staff.Cashier)
	b.openTill(w)
	path, sku := w.sold(irish)
	b.moveSale(path, "fulfilment = 'unknown', final_at = NULL, next_check_at = '2030-01-01 00:00:00'")
	got := w.get("/counter?number=" + irish + "&sku=" + sku)
	return w, fieldsOf(got.page(b.t).Find("form.confirm"))
}

// fieldsOf are the hidden fields of a form.
func fieldsOf(form *goquery.Selection) url.Values {
	values := url.Values{}
	form.Find("input[type=hidden]").Each(func(_ int, field *goquery.Selection) {
		values.Set(field.AttrOr("name", ""), field.AttrOr("value", ""))
	})
	return values
}

func with(form url.Values, more ...string) url.Values {
	values := url.Values{}
	for name, v := range form {
		values[name] = v
	}
	for i := 0; i < len(more); i += 2 {
		values.Set(more[i], more[i+1])
	}
	return values
}

func TestAManagersPINApprovesOneActAtTheTill(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w, form := b.blocked()
		manager := b.users[staff.Manager].ID
		require.Equal(t, http.StatusConflict, w.post("/sales", form).StatusCode, "nobody allowed it")
		require.Equal(t, http.StatusConflict, w.post("/sales", with(form, "approve", "1")).StatusCode, "a cashier allows nothing")

		wrong := w.post("/sales", with(form, "manager", manager, "secret", "1111"))
		require.Equal(t, http.StatusConflict, wrong.StatusCode)
		require.Contains(t, wrong.page(t).Find("#secret-problem").Text(), "This PIN is wrong.")
		require.Equal(t, form.Get("key"), fieldsOf(wrong.page(t).Find("form.confirm")).Get("key"))
		require.Equal(t, http.StatusConflict, w.post("/sales", with(form, "manager", b.users[staff.Cashier].ID, "secret", pinned[staff.Cashier])).StatusCode, "a colleague is no manager")

		sold := w.post("/sales", with(form, "manager", manager, "secret", pinned[staff.Manager]))
		require.Equal(t, http.StatusSeeOther, sold.StatusCode, sold.body)
		records, err := b.audit().List(t.Context(), audit.Filter{Act: audit.ApprovalGiven})
		require.NoError(t, err)
		require.Len(t, records, 1)
		require.Equal(t, manager, records[0].UserID)
		require.Contains(t, records[0].After, b.users[staff.Cashier].ID, "the record names both")
		require.NotContains(t, records[0].After, "871234567")
		require.NotContains(t, b.log.String(), pinned[staff.Manager])
	})
}

func (b *bench) audit() *audit.Log {
	return b.server.D.Audit
}

func TestAManagerApprovesFromTheirOwnScreen(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w, form := b.blocked()
	asked := w.post("/sales", with(form, "ask", "1"))
	require.Equal(t, http.StatusConflict, asked.StatusCode)
	waiting := fieldsOf(asked.page(t).Find("form.confirm"))
	require.NotEmpty(t, waiting.Get("approval"))
	require.Equal(t, http.StatusConflict, w.post("/sales", waiting).StatusCode, "not yet")

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	answers := w.events(ctx, "/approvals/"+waiting.Get("approval")+"/events")
	says(t, answers, `id="approve"`)

	boss := b.signIn(staff.Manager)
	require.Contains(t, boss.get("/counter").page(t).Find("#tray").Text(), "asks for your approval")
	list := boss.get("/approvals").page(t)
	require.Contains(t, list.Find(".book").Text(), "•••")
	require.NotContains(t, list.Find(".book").Text(), "871234567")
	decide := list.Find("form.decide").AttrOr("action", "")
	require.Equal(t, http.StatusForbidden, w.post(decide, url.Values{"csrf": {w.csrf("/customers")}, "approve": {"1"}}).StatusCode)
	require.Equal(t, http.StatusSeeOther, boss.post(decide, url.Values{"csrf": {boss.csrf("/approvals")}, "approve": {"1"}}).StatusCode)
	says(t, answers, "Allowed.")

	other := with(waiting, "number", "0871234568")
	require.Equal(t, http.StatusSeeOther, w.post("/sales", with(other, "key", b.server.NewKey())).StatusCode, "another number is not stopped at all")
	require.Equal(t, http.StatusConflict, w.post("/sales", with(waiting, "key", b.server.NewKey())).StatusCode, "another request was not approved")
	sold := w.post("/sales", waiting)
	require.Equal(t, http.StatusSeeOther, sold.StatusCode, sold.body)
	require.True(t, strings.HasPrefix(sold.Header.Get("Location"), "/sales/"))
	require.Equal(t, http.StatusConflict, boss.post(decide, url.Values{"csrf": {boss.csrf("/approvals")}}).StatusCode, "decided is decided")
}

// TestAFormThatSellsNothingLeavesItsApproval: reading it spends nothing, the sale does.
func TestAFormThatSellsNothingLeavesItsApproval(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w, form := b.blocked()
	waiting := fieldsOf(w.post("/sales", with(form, "ask", "1")).page(t).Find("form.confirm"))
	boss := b.signIn(staff.Manager)
	list := boss.get("/approvals").page(t)
	require.Contains(t, list.Find(".book").Text(), "A sale that was stopped")
	decide := list.Find("form.decide").AttrOr("action", "")
	require.Equal(t, http.StatusSeeOther, boss.post(decide, url.Values{"csrf": {boss.csrf("/approvals")}, "approve": {"1"}}).StatusCode)

	used := func() (rows int) {
		require.NoError(t, b.db.Read(t.Context()).Raw("SELECT COUNT(*) FROM approvals WHERE used_at IS NOT NULL").Scan(&rows).Error)
		return rows
	}
	require.NotEqual(t, http.StatusSeeOther, w.post("/sales", with(waiting, "cash", "1")).StatusCode, "another request, and too little cash")
	require.Zero(t, used(), "nothing was sold")
	sold := w.post("/sales", waiting)
	require.Equal(t, http.StatusSeeOther, sold.StatusCode, sold.body)
	require.Equal(t, 1, used())
	again := w.post("/sales", waiting)
	require.Equal(t, sold.Header.Get("Location"), again.Header.Get("Location"), "a double click is one sale")
}
