package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// TestCashThatGoesBackStandsOnTheSale: how much, by whom, out of which drawer; what was
// not sent does not say that anything was received; and a success that comes after all
// is told with what to do.
func TestCashThatGoesBackStandsOnTheSale(t *testing.T) {
	t.Parallel()
	db := storetest.NewAt(t, stock.Copy)
	b := newMarket(t, db)
	w := b.signIn(staff.Cashier)
	b.openTill(w)
	b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"AccountNumberInvalid","context":"ProviderRefusedRequest"}}]`)
	sku := fixed(t, w.get("/counter?number="+irish))
	path := w.post("/sales", confirmed(t, w.get("/counter?number="+irish+"&sku="+sku))).Header.Get("Location")
	b.becomes(path, sales.Failed)
	text := func(selector string) string {
		return strings.Join(strings.Fields(w.get(path).page(t).Find(selector).Text()), " ")
	}
	require.NotContains(t, text(".facts"), "Received")
	require.NotContains(t, text(".facts"), "Face value")
	b.pass(time.Minute)
	require.Equal(t, http.StatusSeeOther, w.post(path+"/refund", url.Values{"csrf": {w.csrf(path)}}).StatusCode)
	sale := b.saleAt(path)
	price := "€" + sale.Price().Decimal(2)
	require.Regexp(t, "Cash taken: "+price+".*Sent to the transfer service.*The transfer service says: Not sent.*Cash given back: "+price+" cashier, out of the drawer of Till 1, shift 1", text(".timeline"))

	manager := b.signIn(staff.Manager)
	list := manager.get("/admin/corrections").page(t)
	row := list.Find("tbody tr")
	require.Equal(t, 1, row.Length())
	require.Contains(t, row.Text(), "Cash given back: "+price)
	require.Contains(t, row.Text(), "Till 1")
	require.Equal(t, path, list.Find("table a[href^='/sales/']").AttrOr("href", ""))
	require.Zero(t, manager.get("/admin/corrections?from=2026-01-01&to=2026-01-02&who="+b.users[staff.Manager].ID).page(t).Find("tbody tr").Length())
	mistyped := manager.get("/admin/corrections?from=2026-13-01")
	require.Equal(t, http.StatusUnprocessableEntity, mistyped.StatusCode)
	require.Equal(
		t, list.Find("input[name=to]").AttrOr("value", ""), mistyped.page(t).Find("input[name=to]").AttrOr("value", ""),
		"the other field stays at today",
	)
	require.Equal(t, http.StatusForbidden, w.get("/admin/corrections").StatusCode)

	sale = b.saleAt(path)
	b.pass(time.Minute)
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("INSERT INTO sale_events (sale_id, seq, at, cause, source, ref, was, became, actor, note) VALUES (?,?,?,?,?,?,?,?,?,?)",
			sale.ID, sale.Events+1, store.Moment(b.clock()), sales.Listed, "list", sale.Ref, "failed/refunded", "complete/refunded", "", "").Error
	}))
	b.moveSale(path, "fulfilment = 'complete'")
	require.Contains(t, text(".verdict"), "It went through after all, but "+price+" had been given back. Do not give anything back again.")
	require.Contains(t, text(".timeline"), "It went through after all")
}
