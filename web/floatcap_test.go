package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/staff"
)

func TestAShopsCapOnTheFloatRefusesKindlyBeforeCashIsTaken(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	cashier, admin := b.signIn(staff.Cashier), b.signIn(staff.Admin)
	b.becomes(cashier.sellTopUp(), sales.Complete)
	sku := fixed(t, cashier.get("/counter?number="+irish))
	const other = "0871234568"
	form := confirmed(t, cashier.get("/counter?number="+other+"&sku="+sku))

	const path = "/admin/limits"
	fields := map[string]string{"kind": "float-day", "shop": b.shop.ID, "most": "1", "currency": "EUR"}
	require.Equal(t, http.StatusSeeOther, admin.post(path, admin.fill(path, path, "", fields)).StatusCode)
	require.Contains(t, admin.get(path).page(t).Find(".figures-table").Text(), "Float a shop may use in a day")

	const words = "This shop has used the float it may use today. Nothing was sold. Do not take cash."
	require.Contains(t, cashier.get("/counter?number="+other+"&sku="+sku).page(t).Find("main").Text(), words, "before the cash")
	got := cashier.post("/sales", form)
	require.Equal(t, http.StatusConflict, got.StatusCode, "and on the form that was open")
	require.Contains(t, got.page(t).Find("main").Text(), words)

	fields["most"] = "5000"
	require.Equal(t, http.StatusSeeOther, admin.post(path, admin.fill(path, path, "", fields)).StatusCode)
	path2 := cashier.post("/sales", confirmed(t, cashier.get("/counter?number="+other+"&sku="+sku))).Header.Get("Location")
	b.becomes(path2, sales.Complete)
}

// TestBelowItsReserveAShopIsWarnedAndSells: whoever is in charge there reads it, as the
// office does; another shop's manager does not.
func TestBelowItsReserveAShopIsWarnedAndSells(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	other, _, err := b.staff.CreateShop(t.Context(), setup, staff.NewShop{Name: "Elsewhere", Zone: "UTC", Country: "IE", Currency: "EUR", Tills: 1})
	require.NoError(t, err)
	_, err = b.staff.CreateUser(t.Context(), setup, staff.NewUser{Username: "boss2", Role: staff.Manager, ShopID: other.ID, Password: password})
	require.NoError(t, err)
	stranger := b.browser()
	require.Equal(t, http.StatusSeeOther, stranger.post("/login", url.Values{"username": {"boss2"}, "password": {password}}).StatusCode)
	admin, cashier := b.signIn(staff.Admin), b.signIn(staff.Cashier)
	warned := func(w *browser) bool {
		return strings.Contains(w.get("/admin/health").page(t).Find(".banner:not([hidden])").Text(), "The float is low. Top it up before selling stops.")
	}
	require.False(t, warned(admin))
	fields := map[string]string{"kind": "float", "shop": b.shop.ID, "most": "9000000", "currency": "EUR"}
	require.Equal(t, http.StatusSeeOther, admin.post("/admin/limits", admin.fill("/admin/limits", "/admin/limits", "", fields)).StatusCode)
	require.True(t, warned(admin))
	require.True(t, warned(b.signIn(staff.Manager)))
	require.False(t, warned(stranger))
	b.becomes(cashier.sellTopUp(), sales.Complete)
}
