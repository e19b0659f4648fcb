package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/frame"
)

// TestWhatIsTooLongIsRefusedWithWhatWasTyped posts a text of a character too many to
// every form that takes one, then one that just fits.
func TestWhatIsTooLongIsRefusedWithWhatWasTyped(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"}}]`)
	manager, finance, admin := b.atTill(staff.Manager), b.signIn(staff.Finance), b.signIn(staff.Admin)
	sale := manager.sellTopUp()
	b.becomes(sale, sales.Unknown)
	agreed := b.stand(reconcile.Break{Kind: reconcile.CashShort, ShopID: b.shop.ID, Micros: -12_500_000})
	booked := b.stand(reconcile.Break{Kind: reconcile.BalanceDown, Micros: -3_210_000, FloatMicros: -3_210_000})
	paid := b.stand(reconcile.Break{Kind: reconcile.BalanceUp, Micros: 5_000_000, FloatMicros: 5_000_000})
	sku, person := b.saleAt(sale).SKUCode, "/admin/people/"+b.users[staff.Cashier].ID
	for _, form := range []struct {
		name   string
		who    *browser
		action string
		values url.Values
		field  string
		kept   string // where what was typed stands afterwards
	}{
		{"a comment on a difference", finance, agreed + "/comment", nil, "note", "#note"},
		{"a difference agreed to", finance, agreed + "/agree", nil, "note", "#note"},
		{"why something is booked", finance, booked + "/propose", url.Values{"resolution": {"writeoff"}}, "note", "#why"},
		{"what it is booked by", finance, paid + "/propose", url.Values{"resolution": {"writeoff"}, "note": {"bank charge"}}, "reference", "#reference"},
		{"a payment", finance, "/reconcile/topups", url.Values{"amount": {"500"}, "account": {"1010"}}, "reference", "#topup-reference"},
		{"other software", finance, "/reconcile/sellers", url.Values{"prefix": {"POS2-"}}, "name", "#seller-name"},
		{"its references", finance, "/reconcile/sellers", url.Values{"name": {"Web shop"}}, "prefix", "#prefix"},
		{"a product hidden in a shop", admin, "/admin/counter", url.Values{"sku": {sku}, "act": {"hide"}, "shop": {b.shop.ID}}, "reason", ".field.refused [name=reason]"},
		{"a product hidden", admin, "/admin/catalogue/hide", url.Values{"sku": {sku}}, "reason", `form[action="/admin/catalogue/hide"] .field.refused [name=reason]`},
		{"a person signed out", admin, person, url.Values{"act": {"sign-out"}}, "reason", ".field.refused [name=reason]"},
		{"cash into the drawer", manager, "/shift/cash", url.Values{"key": {"cash-1"}, "kind": {"in"}, "amount": {"5"}}, "reason", "#reason"},
		{"cash given back while unknown", manager, sale + "/refund", url.Values{"approve": {"1"}}, "reason", "#reason-refund"},
	} {
		t.Run(form.name, func(t *testing.T) {
			values := url.Values{form.field: {strings.Repeat("é", frame.LongestText+1)}}
			for name, value := range form.values {
				values[name] = value
			}
			got := form.who.post(form.action, values)
			require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode, got.body)
			page := got.page(t)
			require.Equal(t, values.Get(form.field), page.Find(form.kept).AttrOr("value", ""))
			require.NotEmpty(t, strings.TrimSpace(page.Find(".problem").Text()))
			fits := frame.LongestText
			if form.action == "/shift/cash" {
				fits = 200 // which stand on a receipt
			}
			values.Set(form.field, strings.Repeat("é", fits))
			got = form.who.post(form.action, values)
			require.Equal(t, http.StatusSeeOther, got.StatusCode, got.body)
		})
	}
}
