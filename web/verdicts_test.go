package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/frame"
)

func TestASaleOpenFor45DaysIsDecidedByTwoPeople(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"before"}}]`)
	path := b.atTill(staff.Cashier).sellTopUp()
	b.becomes(path, sales.Unknown)
	const list = "/reconcile/verdicts"
	require.Contains(t, b.signIn(staff.Finance).get(list).body, "No sale has waited that long.")
	b.pass(46 * 24 * time.Hour)
	require.Equal(t, 1, b.signIn(staff.Manager).get("/").page(t).Find(`.alerts a[href="/reconcile/verdicts"]`).Length(), "the office is told")
	require.Equal(t, http.StatusForbidden, b.signIn(staff.Cashier).get(list).StatusCode)

	manager := b.signIn(staff.Manager)
	id := b.saleAt(path).ID
	form := manager.fields(list, `form[action$="/propose"]`)
	form.Set("verdict", "failed")
	form.Set("reason", strings.Repeat("x", frame.LongestText+1))
	long := manager.post(list+"/"+id+"/propose", form)
	require.Equal(t, http.StatusUnprocessableEntity, long.StatusCode)
	require.Equal(t, form.Get("reason"), long.page(t).Find("#reason-"+id).AttrOr("value", ""), "what was typed is kept")
	require.Equal(t, 1, long.page(t).Find(`[name="verdict"][value="failed"][checked]`).Length())
	form.Set("reason", "the provider's statement")
	require.Equal(t, http.StatusSeeOther, manager.post(list+"/"+id+"/propose", form).StatusCode)
	require.Equal(t, sales.Unknown, b.saleAt(path).Fulfilment)
	form.Set("agree", "1")
	require.Equal(t, http.StatusForbidden, manager.post(list+"/"+id+"/decide", form).StatusCode, "not a manager's to sign")

	stale := b.signIn(staff.Finance)
	b.pass(14 * time.Minute)
	form = stale.fields(list, `form[action$="/decide"]`)
	form.Set("agree", "1")
	got := stale.post(list+"/"+id+"/decide", form)
	require.Equal(t, http.StatusForbidden, got.StatusCode)
	require.Contains(t, got.body, "Sign in again first")
	fresh := b.signIn(staff.Finance)
	form = fresh.fields(list, `form[action$="/decide"]`)
	form.Set("agree", "1")
	require.Equal(t, http.StatusSeeOther, fresh.post(list+"/"+id+"/decide", form).StatusCode)
	require.Equal(t, sales.Failed, b.saleAt(path).Fulfilment)

	page := b.signIn(staff.Manager).get(path).page(t)
	why := page.Find(".verdict-words").Text()
	require.Contains(t, why, "Two people decided that it was not sent.")
	require.NotContains(t, why, "The transfer service refused it.")
	last := strings.TrimSpace(page.Find(".timeline li").Last().Find("span").First().Text())
	require.Regexp(t, `^Two people decided: Not sent.* · the provider's statement$`, last, "in their words alone")
	require.NoError(t, b.server.D.Report.Refresh(t.Context()))
	reasons := b.signIn(staff.Finance).get("/reports/failures?by=reason&from=2026-03-01&to=2026-03-01").page(t)
	require.Contains(t, reasons.Text(), "Two people decided that it was not sent.")
}
