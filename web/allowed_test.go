package web

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/staff"
)

func TestACashierAsksForCashBackBeforeTheOutcomeIsKnown(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.trustedTill(staff.Cashier)
	b.openTill(w)
	b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"}}]`)
	path := w.sellTopUp()
	b.becomes(path, sales.Unknown)
	page := w.get(path).page(t)
	require.Contains(t, page.Find("details.while-open").Text(), "Can the customer not wait?")
	require.Zero(t, page.Find("#outcome .approve, #act-refund").Length(), "the live region offers no refund")

	form := fieldsOf(page.Find("details.while-open form"))
	asked := w.post(path+"/refund", with(form, "reason", "has to leave", "ask", "1"))
	require.Equal(t, http.StatusConflict, asked.StatusCode)
	waiting := fieldsOf(asked.page(t).Find("details.while-open form"))
	require.NotEmpty(t, waiting.Get("approval"))
	require.Equal(t, "has to leave", asked.page(t).Find("#reason-refund").AttrOr("value", ""))
	boss := b.signIn(staff.Manager)
	list := boss.get("/approvals").page(t)
	require.Contains(t, list.Find(".book").Text(), "Cash back for a sale that may still go through")
	require.Equal(t, sales.CashTaken, b.saleAt(path).Cash)

	given := w.post(path+"/refund", with(form, "reason", "has to leave", "manager", b.users[staff.Manager].ID, "secret", pinned[staff.Manager]))
	require.Equal(t, http.StatusSeeOther, given.StatusCode, given.body)
	require.Equal(t, sales.CashRefunded, b.saleAt(path).Cash)
	records, err := b.audit().List(t.Context(), audit.Filter{Act: audit.SaleApproved})
	require.NoError(t, err)
	require.Len(t, records, 1)
	require.Equal(t, "has to leave", records[0].Reason)
	require.Contains(t, records[0].After, b.users[staff.Manager].ID)
	require.Contains(t, b.signIn(staff.Manager).get("/").body, "Cash was given back before anyone knew")
}

// The form of a refund is the same for each sale: what was approved is that of one.
func TestAnApprovalOfOneRefundIsForNoOther(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.trustedTill(staff.Cashier)
	b.openTill(w)
	unknown := func(number string) (path string) {
		b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"}}]`)
		path = w.sellTo(number)
		b.becomes(path, sales.Unknown)
		return path
	}
	path, other := unknown(irish), unknown("0871234568")
	form := with(fieldsOf(w.get(path).page(t).Find("details.while-open form")), "reason", "has to leave")
	waiting := fieldsOf(w.post(path+"/refund", with(form, "ask", "1")).page(t).Find("details.while-open form"))
	boss := b.signIn(staff.Manager)
	decide := boss.get("/approvals").page(t).Find("form.decide").AttrOr("action", "")
	require.Equal(t, http.StatusSeeOther, boss.post(decide, url.Values{"csrf": {boss.csrf("/approvals")}, "approve": {"1"}}).StatusCode)

	require.Equal(t, http.StatusConflict, w.post(other+"/refund", waiting).StatusCode)
	require.Equal(t, sales.CashTaken, b.saleAt(other).Cash)
	require.Equal(t, http.StatusSeeOther, w.post(path+"/refund", waiting).StatusCode)
	require.Equal(t, sales.CashRefunded, b.saleAt(path).Cash)
}

func TestMuchCashLeavesWithAManagersPINOrFromTheirScreen(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.trustedTill(staff.Cashier)
	b.openTill(w)
	form := filled(formOf(t, w.get("/shift"), "/shift/cash"), "kind", "in", "amount", "500", "reason", "float")
	require.Equal(t, http.StatusSeeOther, w.post("/shift/cash", form).StatusCode)

	out := filled(formOf(t, w.get("/shift"), "/shift/cash"), "kind", "safe", "amount", "300", "reason", "too many notes")
	stopped := w.post("/shift/cash", out)
	require.Equal(t, http.StatusForbidden, stopped.StatusCode)
	require.Equal(t, 1, stopped.page(t).Find("form.move .approve #secret").Length())
	given := w.post("/shift/cash", filled(out, "manager", b.users[staff.Manager].ID, "secret", pinned[staff.Manager]))
	require.Equal(t, http.StatusSeeOther, given.StatusCode, squeezed(given.page(t).Find("form.move").Text()))
	require.Contains(t, w.get("/shift").page(t).Find(".facts").Text(), "allowed by")

	out = filled(formOf(t, w.get("/shift"), "/shift/cash"), "kind", "safe", "amount", "150", "reason", "again")
	asked := w.post("/shift/cash", filled(out, "ask", "1")).page(t)
	boss := b.signIn(staff.Manager)
	list := boss.get("/approvals").page(t)
	require.Contains(t, squeezed(list.Find(".book").Text()), "Cash out of the drawer 150.00 EUR · From the drawer into the safe · again")
	decide := list.Find("form.decide").AttrOr("action", "")
	require.Equal(t, http.StatusSeeOther, boss.post(decide, url.Values{"csrf": {boss.csrf("/approvals")}, "approve": {"1"}}).StatusCode)
	approved := filled(out, "approval", asked.Find("input[name=approval]").AttrOr("value", ""))
	require.Equal(t, http.StatusForbidden, w.post("/shift/cash", with(approved, "amount", "160")).StatusCode, "another sum was not approved")
	require.Equal(t, http.StatusForbidden, w.post("/shift/cash", with(approved, "reason", "flowers")).StatusCode, "another reason was not approved")
	require.Equal(t, http.StatusSeeOther, w.post("/shift/cash", approved).StatusCode)
}
