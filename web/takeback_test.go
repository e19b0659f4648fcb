package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/money"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
)

const notGivenBack = "form[action$='/not-given-back']"

// owed is a sale that was not sent, whose cash is due back.
func (w *browser) owed() (path string) {
	w.b.t.Helper()
	w.b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"AccountNumberInvalid"}}]`)
	path = w.sellTopUp()
	w.b.becomes(path, sales.Failed)
	return path
}

// giveBack presses "Cash given back", and returns the form that takes it back.
func (w *browser) giveBack(path string) url.Values {
	w.b.t.Helper()
	got := w.post(path+"/refund", w.fields(path, "#act-refund"))
	require.Equal(w.b.t, http.StatusSeeOther, got.StatusCode, got.body)
	return w.fields(path, notGivenBack)
}

// drawer is what the till at which a sale was made must hold.
func (b *bench) drawer(path string) money.Amount {
	b.t.Helper()
	shift, err := b.server.D.Till.Get(b.t.Context(), b.saleAt(path).ShiftID, "")
	require.NoError(b.t, err)
	cash, err := b.server.D.Till.Cash(b.t.Context(), shift)
	require.NoError(b.t, err)
	return cash
}

func (b *bench) soundBooks() {
	b.t.Helper()
	run, err := b.checks.Verify(b.t.Context(), "test")
	require.NoError(b.t, err)
	require.True(b.t, run.Holds, "%+v", run.Findings)
}

// TestCashThatWasNotGivenBackIsTakenBack by who pressed the button, as long as the drawer is open, and as often as it
// was pressed wrongly; no form does it twice.
func TestCashThatWasNotGivenBackIsTakenBack(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.atTill(staff.Cashier)
		path := w.owed()
		before := b.drawer(path)
		refund := w.fields(path, "#act-refund")
		first := w.giveBack(path)
		require.NotEqual(t, before, b.drawer(path))

		taken := w.post(path+"/not-given-back", first)
		require.Equal(t, http.StatusSeeOther, taken.StatusCode, taken.body)
		require.Equal(t, sales.CashRefundDue, b.saleAt(path).Cash)
		require.Equal(t, before, b.drawer(path))
		page := w.get(path).page(t)
		require.Contains(t, page.Find(".timeline").Text(), "Not given back after all: €")
		require.Contains(t, page.Find(".give-back").Text(), "Give")
		require.Zero(t, page.Find(notGivenBack).Length())
		require.Equal(t, http.StatusConflict, w.post(path+"/not-given-back", first).StatusCode, "once")
		require.Equal(t, http.StatusConflict, w.post(path+"/refund", refund).StatusCode, "the form of before")

		second := w.giveBack(path)
		require.Equal(t, http.StatusConflict, w.post(path+"/not-given-back", first).StatusCode, "of the first time")
		require.Equal(t, sales.CashRefunded, b.saleAt(path).Cash)
		require.Equal(t, http.StatusSeeOther, w.post(path+"/not-given-back", second).StatusCode)
		w.giveBack(path)
		require.Contains(t, b.signIn(staff.Manager).get("/admin/corrections").body, "Not given back after all")
		b.soundBooks()
	})
}

// TestAManagerSaysThatACashierGaveNothingBack: for another person, and once the drawer is counted, which was over then.
func TestAManagerSaysThatACashierGaveNothingBack(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w, boss := b.atTill(staff.Cashier), b.signIn(staff.Manager)
		path := w.owed()
		w.giveBack(path)
		stopped := boss.post(path+"/not-given-back", url.Values{"csrf": {boss.csrf(path)}})
		require.Equal(t, http.StatusConflict, stopped.StatusCode, "not in passing")
		byOther := with(boss.fields(path, notGivenBack), "reason", "the customer is back")
		require.Equal(t, http.StatusSeeOther, boss.post(path+"/not-given-back", byOther).StatusCode)
		held := b.drawer(path).Decimal(2)
		form := w.giveBack(path)
		require.Regexp(t, `^/shift/close`, w.closeWith("loose", held))
		require.Regexp(t, `^/shift/[0-9A-Z]{26}$`, w.closeWith("loose", held))
		require.Equal(t, http.StatusConflict, w.post(path+"/not-given-back", form).StatusCode, "the drawer is counted")
		require.Equal(t, sales.CashRefunded, b.saleAt(path).Cash)

		page := boss.get(path).page(t)
		require.Contains(t, squeezed(page.Find(notGivenBack).Closest("section").Text()), "counted since")
		late := with(boss.fields(path, notGivenBack), "reason", "the customer is back")
		require.Equal(t, http.StatusSeeOther, boss.post(path+"/not-given-back", late).StatusCode)
		require.Equal(t, sales.CashRefundDue, b.saleAt(path).Cash)
		require.Contains(t, boss.get(path).page(t).Find(".timeline").Text(), "Allowed: Cash booked as given back that was not")
		b.showsCorrected(boss, path)
		b.pass(48 * time.Hour)
		_, err := b.server.D.Statements.CloseDue(t.Context())
		require.NoError(t, err)
		b.soundBooks()
	})
}

// showsCorrected: the count was over by the price of a sale whose refund was taken back later.
func (b *bench) showsCorrected(boss *browser, path string) {
	b.t.Helper()
	b.pass(time.Minute)
	_, err := b.server.D.Reconcile.LookAtDrawers(b.t.Context(), "")
	require.NoError(b.t, err)
	over, err := b.server.D.Reconcile.Queue(b.t.Context(), reconcile.QueueFilter{Kind: reconcile.CashOver})
	require.NoError(b.t, err)
	require.Len(b.t, over.Breaks, 1)
	for _, shown := range []string{"/shift/" + b.saleAt(path).ShiftID, "/reconcile/breaks/" + over.Breaks[0].ID} {
		link := boss.get(shown).page(b.t).Find("a[href='" + path + "']")
		require.Contains(b.t, link.Text(), "Booked later", shown)
	}
	require.Contains(b.t, squeezed(boss.get("/shifts").page(b.t).Find(".cell-state").Text()), "Corrected later −€")
	require.Regexp(b.t, `(?m),(\d+\.\d\d),-\d+\.\d\d,EUR\r?$`, boss.get("/shifts?file=csv").body)
	row := boss.get("/reconcile/drawers").page(b.t).Find("tbody tr")
	require.Equal(b.t, "−"+strings.TrimSpace(row.Find("td:nth-child(4)").Text()), strings.TrimSpace(row.Find("td:nth-child(6)").Text()))
}
