package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/money"
	"airtill/internal/staff"
	"airtill/internal/store"
)

func TestPracticeTouchesNothing(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.signIn(staff.Cashier)
		require.Equal(t, http.StatusNotFound, w.post("/practice", url.Values{"csrf": {w.csrf("/account")}, "on": {"1"}}).StatusCode, "only where it is configured")
		b.server.D.Practice = true
		journals := func() (n int64) {
			require.NoError(t, db.Read(t.Context()).Raw("SELECT COUNT(*) FROM postings").Scan(&n).Error)
			return n
		}
		cash := func() money.Amount {
			shift, err := b.server.D.Till.Current(t.Context(), b.tills[0].ID)
			require.NoError(t, err)
			held, err := b.server.D.Till.Cash(t.Context(), *shift)
			require.NoError(t, err)
			return held
		}
		posted, held := journals(), cash()
		require.Equal(t, http.StatusSeeOther, w.post("/practice", url.Values{"csrf": {w.csrf("/account")}, "on": {"1"}}).StatusCode)
		require.Contains(t, w.get("/counter").page(t).Find(".banner.tone-practice").Text(), "PRACTICE")

		sku := fixed(t, w.get("/counter?number="+irish))
		practise := func(number string) string {
			sale := w.post("/sales", confirmed(t, w.get("/counter?number="+number+"&sku="+sku+"&provider="+b.providerOf(sku)))).Header.Get("Location")
			return w.outcome(sale)
		}
		require.True(t, strings.HasPrefix(practise(irish), "Sent."))
		require.True(t, strings.HasPrefix(practise(irish), "Sent."), "as often as one likes")
		require.True(t, strings.HasPrefix(practise("0871234515"), "Not sent. Nothing was charged."), "a refusal is practised, too")
		require.Equal(t, posted, journals(), "no posting")
		require.Equal(t, held, cash(), "no cash")
		require.Contains(t, w.get("/sales").page(t).Find(".cell-state").Text(), "PRACTICE")
		require.Zero(t, w.get("/counter?number="+irish).page(t).Find("a.card-before").Length())

		long := url.Values{"csrf": {w.csrf("/account")}, "on": {strings.Repeat("1", 10_000)}}
		require.Equal(t, http.StatusSeeOther, w.post("/practice", long).StatusCode)
		stored, err := store.Value[int](db.Read(t.Context()).Raw("SELECT MAX(LENGTH(data)) FROM sessions"))
		require.NoError(t, err)
		require.Less(t, stored, 1000, "every request would read what was sent")

		require.Equal(t, http.StatusSeeOther, w.post("/practice", url.Values{"csrf": {w.csrf("/account")}}).StatusCode)
		require.Zero(t, w.get("/counter").page(t).Find(".banner.tone-practice").Length())
		require.Contains(t, w.get("/sales").page(t).Find(".sums-row dd").First().Text(), "0", "no figure of the day")
	})
}

func (b *bench) providerOf(sku string) string {
	b.t.Helper()
	p, ok := b.server.D.Catalog.Current().Product(sku)
	require.True(b.t, ok)
	return p.Provider
}

func TestOneSearchFindsASale(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Cashier)
	path, _ := w.sold(irish)
	sale, err := b.server.D.Sales.Get(t.Context(), strings.TrimPrefix(path, "/sales/"), "")
	require.NoError(t, err)
	require.Equal(t, http.StatusSeeOther, w.post("/customers", url.Values{"csrf": {w.csrf("/customers")}, "name": {"Zoë Byrne"}, "number": {irish}}).StatusCode)
	for _, q := range []string{"4567", "087 123 4567", "+353 87 123 4567", sale.Code[:4] + "-" + sale.Code[4:], sale.Ref, sale.TransferRef, "byrne", "zoe"} {
		require.Equal(t, path, w.get("/sales?q="+url.QueryEscape(q)).Header.Get("Location"), q)
	}
	admin := b.signIn(staff.Admin) // of all shops
	require.Equal(t, path, admin.get("/sales?q=0871234567").Header.Get("Location"))
	require.Equal(t, 1, admin.get("/find?q=0871234567").page(t).Find(`a[href="`+path+`"]`).Length())
	require.Contains(t, w.get("/sales?q=nobody").page(t).Text(), "No sale matches")
	second, _ := w.sold("0872234567")
	for _, page := range []string{"", "&before=" + strings.TrimPrefix(second, "/sales/")} { // one is left on the last page
		require.Equal(t, http.StatusOK, w.get("/sales?q=4567"+page).StatusCode, page)
	}
}

// TestAPageIsConfirmedAsItWasShown: where practice begins or ends in another tab, cash is neither taken for nothing nor
// a transfer sent for none.
func TestAPageIsConfirmedAsItWasShown(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	b.server.D.Practice = true
	w := b.signIn(staff.Cashier)
	sku := fixed(t, w.get("/counter?number="+irish))
	page := "/counter?number=" + irish + "&sku=" + sku + "&provider=" + b.providerOf(sku)
	practise := func(on string) {
		require.Equal(t, http.StatusSeeOther, w.post("/practice", url.Values{"csrf": {w.csrf("/account")}, "on": {on}}).StatusCode)
	}
	for _, c := range []struct{ before, after, says string }{
		{"", "1", "Practice began after this page was shown"},
		{"1", "", "Practice ended after this page was shown"},
	} {
		practise(c.before)
		shown := confirmed(t, w.get(page))
		shown.Set("cash", "50")
		practise(c.after)
		again := w.post("/sales", shown)
		require.Equal(t, http.StatusUnprocessableEntity, again.StatusCode, c.says)
		doc := again.page(t)
		require.Contains(t, doc.Find("#cash-problem").Text(), c.says)
		require.Equal(t, "50", doc.Find("#cash").AttrOr("value", ""), "what was typed stays")
		require.Equal(t, shown.Get("key"), doc.Find("main input[name=key]").AttrOr("value", ""))
		sold, err := b.server.D.Sales.SoldAs(t.Context(), shown.Get("key"))
		require.NoError(t, err)
		require.Empty(t, sold)
	}
	shown := confirmed(t, w.get(page))
	sold := w.post("/sales", shown).Header.Get("Location")
	require.Contains(t, sold, "/sales/")
	practise("1")
	require.Equal(t, sold, w.post("/sales", shown).Header.Get("Location"), "what was sold before practice began is sold")
}

func TestPracticeOutlivesAPasswordChange(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	b.server.D.Practice = true
	w := b.signIn(staff.Cashier)
	require.Equal(t, http.StatusSeeOther, w.post("/practice", url.Values{"csrf": {w.csrf("/account")}, "on": {"1"}}).StatusCode)
	form := url.Values{"csrf": {w.csrf("/password")}, "current": {password}, "password": {password + " new"}}
	require.Equal(t, http.StatusSeeOther, w.post("/password", form).StatusCode)
	require.Equal(t, 1, w.get("/account").page(t).Find(".banner.tone-practice").Length(), "whoever practises goes on to")
}
