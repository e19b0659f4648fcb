package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/frame"
)

func TestOneSearchFindsEverythingOneMaySee(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Cashier)
	path := w.sellTopUp()
	b.becomes(path, sales.Complete)
	sale := b.saleAt(path)
	require.NoError(t, b.server.D.Customers.Write(t.Context(), b.shop.ID, "Róisín Byrne", sale.AccountNumber))
	manager, admin := b.signIn(staff.Manager), b.signIn(staff.Admin)
	sees := func(w *browser, text, link string) bool {
		t.Helper()
		got := w.get("/find?q=" + url.QueryEscape(text))
		require.Equal(t, http.StatusOK, got.StatusCode, got.body)
		return got.page(t).Find(`main a[href^="`+link+`"]`).Length() == 1
	}
	end := sale.AccountNumber[len(sale.AccountNumber)-4:]
	for _, text := range []string{sale.Code, sale.Ref, sale.AccountNumber, "+" + sale.AccountNumber, end, sale.TransferRef, "roisin"} {
		require.True(t, sees(w, text, path), text)
	}
	require.True(t, sees(w, "byrne", "/counter?number=~"))
	require.True(t, sees(admin, sale.Code, path), "who sees every shop")
	require.False(t, sees(admin, "byrne", "/counter?number=~"), "the customer book is the shop's")
	require.True(t, sees(manager, b.tills[0].Name, "/shift/"+sale.ShiftID))
	require.False(t, sees(w, b.tills[0].Name, "/shift/"+sale.ShiftID), "cashiers see their own shift alone")
	require.True(t, sees(admin, "cashier", "/admin/people/"+b.users[staff.Cashier].ID))
	require.False(t, sees(manager, "cashier", "/admin/people/"+b.users[staff.Cashier].ID))
	require.False(t, sees(manager, "%%%", path))
	require.Contains(t, manager.get("/find?q=nothing+like+it").page(t).Find("main").Text(), "Nothing matches")
	require.Equal(t, http.StatusUnprocessableEntity, manager.get("/find?q=ab").StatusCode)

	b.pass(8 * 24 * time.Hour)
	w = b.signIn(staff.Cashier)
	require.True(t, sees(w, sale.Ref, path), "a reference of ours, however old")
	require.False(t, sees(w, sale.TransferRef, path), "the upstream's for a week")
}

// TestOnlyLookingIsCounted and not the page that is opened to look from.
func TestOnlyLookingIsCounted(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Manager)
	for range frame.FindLimit.Rate.Burst + 1 {
		require.Equal(t, http.StatusOK, w.get("/find").StatusCode)
	}
	for range frame.FindLimit.Rate.Burst {
		asked := w.post("/find", url.Values{"in": {"/find"}, "q": {"nothing"}})
		require.Equal(t, http.StatusSeeOther, asked.StatusCode, asked.body)
		require.Equal(t, http.StatusOK, w.get(asked.Header.Get("Location")).StatusCode)
	}
	require.Equal(t, http.StatusTooManyRequests, w.get("/find?q=nothing").StatusCode)
}

// TestOneBoxFindsEachOfSix for who runs the shop: sales, customers, numbers,
// references, receipts and shifts.
func TestOneBoxFindsEachOfSix(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	path := b.signIn(staff.Cashier).sellTopUp()
	b.becomes(path, sales.Complete)
	sale := b.saleAt(path)
	require.NoError(t, b.server.D.Customers.Write(t.Context(), b.shop.ID, "Róisín Byrne", sale.AccountNumber))
	shift, err := b.server.D.Till.Get(t.Context(), sale.ShiftID, b.shop.ID)
	require.NoError(t, err)
	require.NotEmpty(t, sale.TransferRef)
	w := b.signIn(staff.Manager)
	for what, x := range map[string]struct{ text, part, link string }{
		"a sale by whose it is":              {"byrne", "Sales", path},
		"a customer":                         {"Róisín", "Customer book", "/counter?number=~"},
		"a customer by the number dialled":   {irish, "Customer book", "/counter?number=~"},
		"a number":                           {"+" + sale.AccountNumber, "Sales", path},
		"the end of a number":                {sale.AccountNumber[len(sale.AccountNumber)-4:], "Sales", path},
		"a reference of ours":                {sale.Ref, "Sales", path},
		"the service's reference":            {sale.TransferRef, "Sales", path},
		"a receipt, as it is printed":        {strings.ToLower(sale.Code[:4] + "-" + sale.Code[4:]), "Sales", path},
		"a shift by its till":                {b.tills[0].Name, "Shifts", "/shift/" + sale.ShiftID},
		"a shift by its till and number":     {b.tills[0].Name + " " + strconv.Itoa(shift.Number), "Shifts", "/shift/" + sale.ShiftID},
		"a shift by who worked it":           {b.users[staff.Cashier].DisplayName, "Shifts", "/shift/" + sale.ShiftID},
		"a shift by its id in small letters": {strings.ToLower(sale.ShiftID), "Shifts", "/shift/" + sale.ShiftID},
		"a shift by the id on its own page":  {sale.ShiftID, "Shifts", "/shift/" + sale.ShiftID},
	} {
		part := w.get("/find?q=" + url.QueryEscape(x.text)).page(t).Find(".office-part").FilterFunction(func(_ int, s *goquery.Selection) bool {
			return strings.TrimSpace(s.Find("h2").Text()) == x.part
		})
		require.Equal(t, 1, part.Find(`a[href^="`+x.link+`"]`).Length(), "%s: %s", what, x.text)
		require.Equal(t, http.StatusOK, w.get(part.Find(`a[href^="`+x.link+`"]`).AttrOr("href", "")).StatusCode, what)
	}
}

func TestASearchStaysInTheShop(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	path := b.signIn(staff.Cashier).sellTopUp()
	b.becomes(path, sales.Complete)
	other, _, err := b.staff.CreateShop(t.Context(), setup, staff.NewShop{Name: "Other", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
	require.NoError(t, err)
	_, err = b.staff.CreateUser(t.Context(), setup, staff.NewUser{Username: "stranger", Role: staff.Manager, ShopID: other.ID, Password: password})
	require.NoError(t, err)
	w := b.browser()
	require.Equal(t, http.StatusSeeOther, w.post("/login", url.Values{"username": {"stranger"}, "password": {password}}).StatusCode)
	for _, text := range []string{b.saleAt(path).Code, b.saleAt(path).Ref, b.saleAt(path).AccountNumber} {
		require.Zero(t, w.get("/find?q="+text).page(t).Find(`main a[href="`+path+`"]`).Length(), text)
	}
}
