package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// sold sells the first fixed product to a number and returns the sale's path
// and SKU.
func (w *browser) sold(number string) (path, sku string) {
	w.b.t.Helper()
	sku = fixed(w.b.t, w.get("/counter?number="+url.QueryEscape(number)))
	path = w.post("/sales", confirmed(w.b.t, w.get("/counter?number="+url.QueryEscape(number)+"&sku="+sku))).Header.Get("Location")
	require.True(w.b.t, strings.HasPrefix(w.outcome(path), "Sent."))
	return path, sku
}

// csrf is the token of any form of a page.
func (w *browser) csrf(path string) string {
	w.b.t.Helper()
	token := w.get(path).page(w.b.t).Find("input[name=csrf]").First().AttrOr("value", "")
	require.NotEmpty(w.b.t, token)
	return token
}

func TestAnEarlierCustomerIsFoundFromTheOneField(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.signIn(staff.Cashier)
		path, sku := w.sold(irish)
		bought := b.server.D.Customers.Remembered(b.shop.ID, "353871234567", strings.TrimPrefix(path, "/sales/"))
		require.NoError(t, b.db.Exec(t.Context(), bought.SQL, bought.Args...))

		straight := w.get("/counter?number=4567")
		require.Equal(t, http.StatusSeeOther, straight.StatusCode, "one is no question")
		confirm := w.get(straight.Header.Get("Location"))
		require.Equal(t, sku, confirm.page(t).Find("form.confirm input[name=sku]").AttrOr("value", ""), "the last sale once more")
		offers := w.get(confirm.page(t).Find("form.confirm a[data-back]").AttrOr("href", "")).page(t)
		before := offers.Find("a.card-before")
		require.Equal(t, 1, before.Length(), "what the number bought before")
		require.Equal(t, "1", before.AttrOr("data-key", ""))
		require.Contains(t, before.AttrOr("href", ""), sku)

		written := w.post("/customers", url.Values{"csrf": {w.csrf("/customers")}, "name": {"Zoë Byrne"}, "number": {irish}})
		require.Equal(t, http.StatusSeeOther, written.StatusCode, written.body)
		require.Equal(t, http.StatusSeeOther, w.post("/customers", url.Values{"csrf": {w.csrf("/customers")}, "name": {"Zoe Walsh"}, "number": {"0871114567"}}).StatusCode)
		require.Contains(t, w.get("/counter?number="+irish).page(t).Find(".lead").Text(), "Zoë Byrne")
		require.Contains(t, w.get("/counter").page(t).Find(".recent").Text(), "Zoë Byrne", "recent sales name the customer")

		recalled := w.get("/counter?number=4567&step=recall").page(t).Find("#recalled a")
		letters := recalled.Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("data-letter", "") })
		require.Equal(t, []string{"A", "B"}, letters, "two numbers that end in the same, each with its letter")
		nobody := w.get("/counter?number=9999&step=recall")
		require.Zero(t, nobody.page(t).Find("#recalled a").Length())
		require.Equal(t, http.StatusOK, nobody.StatusCode, "nothing is refused while one types")

		choice := w.get("/counter?number=zoe").page(t)
		require.Equal(t, 2, choice.Find("a.card[data-key]").Length())
		require.Contains(t, choice.Find("a.card[data-key='2']").Text()+choice.Find("a.card[data-key='1']").Text(), "Zoe Walsh")

		require.Equal(t, http.StatusUnprocessableEntity, w.get("/counter?number=nobody").StatusCode)
		require.Equal(t, http.StatusUnprocessableEntity, w.get("/counter?number=9999").StatusCode)
		csrf := w.csrf("/customers")
		require.Equal(t, http.StatusSeeOther, w.post("/customers/forget", url.Values{"csrf": {csrf}, "number": {"353871114567"}}).StatusCode)
		require.NotContains(t, w.get("/customers").body, "Zoe Walsh")
		require.NotContains(t, b.log.String(), "871234567")
	})
}

func TestTheBookRefusesOnTheSameForm(t *testing.T) {
	t.Parallel()
	w := newMarket(t, storetest.NewAt(t, stock.Copy)).signIn(staff.Cashier)
	for _, c := range []struct{ name, number, at string }{{"", irish, "#customer-name-problem"}, {"Ama", "12", "#customer-number-problem"}, {"1234", irish, "#customer-name-problem"}} {
		got := w.post("/customers", url.Values{"csrf": {w.csrf("/customers")}, "name": {c.name}, "number": {c.number}})
		require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode)
		require.NotEmpty(t, strings.TrimSpace(got.page(t).Find(c.at).Text()), "%+v", c)
		require.Equal(t, c.number, got.page(t).Find("#customer-number").AttrOr("value", ""), "what was typed is kept")
	}
}

// TestTheBookFindsANumberAsItIsDialled: at home, from abroad, or by how it ends.
func TestTheBookFindsANumberAsItIsDialled(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		w := newMarket(t, db).signIn(staff.Cashier)
		for name, number := range map[string]string{"Ama": irish, "Kofi": "0871114567"} {
			require.Equal(t, http.StatusSeeOther, w.post("/customers", url.Values{"csrf": {w.csrf("/customers")}, "name": {name}, "number": {number}}).StatusCode)
		}
		for typed, found := range map[string]int{
			"087 111 4567": 1, "0871114567": 1, "+353 87 111 4567": 1, "00353871114567": 1, "353871114567": 1, "1114567": 1, "4567": 2,
			"0861114567": 0, "+44 7871 114567": 0,
		} {
			page := w.get("/customers?q=" + url.QueryEscape(typed)).page(t)
			require.Equal(t, found, page.Find("ul.book li").Length(), typed)
		}
	})
}

// TestARefusedNameStaysWhereItWasTyped: in its entry, among what was searched for.
func TestARefusedNameStaysWhereItWasTyped(t *testing.T) {
	t.Parallel()
	w := newMarket(t, storetest.NewAt(t, stock.Copy)).signIn(staff.Cashier)
	for name, number := range map[string]string{"Ama": irish, "Kofi": "0871114567"} {
		require.Equal(t, http.StatusSeeOther, w.post("/customers", url.Values{"csrf": {w.csrf("/customers")}, "name": {name}, "number": {number}}).StatusCode)
	}
	form := w.get("/customers?q=ama").page(t).Find("form[action^='/customers/']").First()
	fields := url.Values{}
	form.Find("input").Each(func(_ int, input *goquery.Selection) { fields.Set(input.AttrOr("name", ""), input.AttrOr("value", "")) })
	for typed, status := range map[string]int{"12": http.StatusUnprocessableEntity, "kofi": http.StatusConflict} {
		fields.Set("name", typed)
		refused := w.post(form.AttrOr("action", ""), fields)
		require.Equal(t, status, refused.StatusCode)
		page := refused.page(t)
		require.Equal(t, 1, page.Find("ul.book li").Length(), "the search stands")
		entry := page.Find("ul.book li details[open]")
		require.Equal(t, typed, entry.Find("input[name=name][aria-invalid]").AttrOr("value", ""))
		require.NotEmpty(t, entry.Find(".problem").Text())
		require.Equal(t, 1, page.Find("section.customers .problem").Length(), "it is said once")
	}
	fields.Del("number")
	require.NotEmpty(t, w.post(form.AttrOr("action", ""), fields).page(t).Find("#customers-problem").Text())
	fields.Set("name", "Ama K.")
	require.Equal(t, http.StatusSeeOther, w.post(form.AttrOr("action", ""), fields).StatusCode)
}

func TestFavouritesComeFirst(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Manager)
	b.openTill(w)
	offers := w.get("/counter?number=" + irish).page(t)
	cards := offers.Find("button[name=sku]")
	require.Greater(t, cards.Length(), 1)
	last := cards.Last().AttrOr("value", "")
	pin := func(value string) answer {
		return w.post("/favourites", url.Values{"csrf": {w.csrf("/counter")}, "sku": {last}, "pin": {value}, "next": {"/counter?number=" + irish}})
	}
	require.Equal(t, http.StatusSeeOther, pin("1").StatusCode)
	offers = w.get("/counter?number=" + irish).page(t)
	require.Equal(t, last, offers.Find("button[name=sku]").First().AttrOr("value", ""))
	require.Contains(t, offers.Find("legend").First().Text(), "Favourites")
	require.Equal(t, 1, offers.Find("button[name=sku]").FilterFunction(func(_ int, s *goquery.Selection) bool { return s.AttrOr("value", "") == last }).Length(), "shown once")
	require.Equal(t, http.StatusSeeOther, pin("").StatusCode)
	require.NotEqual(t, last, w.get("/counter?number="+irish).page(t).Find("button[name=sku]").First().AttrOr("value", ""))

	cashier := b.signIn(staff.Cashier)
	require.Equal(t, http.StatusForbidden, cashier.post("/favourites", url.Values{"csrf": {cashier.csrf("/customers")}, "sku": {last}, "pin": {"1"}}).StatusCode)
}

// openTill opens the shift at a browser's till, if none is open there.
func (b *bench) openTill(w *browser) {
	b.t.Helper()
	if page := w.get("/counter").page(b.t); page.Find("#float").Length() > 0 {
		csrf := page.Find("form[action='/shift/open'] input[name=csrf]").AttrOr("value", "")
		require.Equal(b.t, http.StatusSeeOther, w.post("/shift/open", url.Values{"csrf": {csrf}, "float": {"100"}}).StatusCode)
	}
}

func TestASecondIdenticalSaleIsAskedAboutBeforeTheCashIsCounted(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	dublin, err := time.LoadLocation("Europe/Dublin")
	require.NoError(t, err)
	year, month, day := b.now.In(dublin).Date()
	b.pass(time.Date(year, month, day, 23, 55, 0, 0, dublin).Sub(b.now))
	w := b.signIn(staff.Cashier)
	_, sku := w.sold(irish)
	page := w.get("/counter?number=" + irish + "&sku=" + sku).page(t)
	require.Regexp(t, `to this number was sent at \d\d:\d\d from Till 1\. Press 2 to send another\.`, strings.Join(strings.Fields(page.Find("[role=alert]").Text()), " "))
	b.pass(10 * time.Minute)
	onAnotherDay := w.get("/counter?number=" + irish + "&sku=" + sku).page(t)
	require.Regexp(t, `was sent on \d+ \w+ \d{4}, \d\d:\d\d from Till 1\.`, strings.Join(strings.Fields(onAnotherDay.Find("[role=alert]").Text()), " "))
	b.pass(-10 * time.Minute)
	another := page.Find("button[name=another]")
	require.Equal(t, "2", another.AttrOr("data-key", ""))
	form := url.Values{}
	page.Find("form.confirm input[type=hidden]").Each(func(_ int, field *goquery.Selection) { form.Set(field.AttrOr("name", ""), field.AttrOr("value", "")) })
	form.Set("cash", "500")
	asked := w.post("/sales", form)
	require.Equal(t, http.StatusConflict, asked.StatusCode, "asked again by the sale itself")
	require.Regexp(t, `Cash given 500 · Change: ?€4\d\d\.\d\d`, strings.Join(strings.Fields(asked.page(t).Find(".pay").Text()), " "))
	form.Set("another", "1")
	require.Equal(t, http.StatusSeeOther, w.post("/sales", form).StatusCode)
}

func TestVouchersNeedNoNumber(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Cashier)
	all := w.get("/counter").page(t).Find("a[data-row-key='0']").AttrOr("href", "")
	require.NotEmpty(t, all)
	list := w.get(all).page(t)
	headings := list.Find("#offers legend bdi").Map(func(_ int, s *goquery.Selection) string { return s.Text() })
	require.Greater(t, len(headings), 1)
	require.Equal(t, headings, list.Find("#offers .group").Map(func(_ int, s *goquery.Selection) string {
		link, err := url.Parse(s.Find("a.card").Last().AttrOr("href", ""))
		require.NoError(t, err)
		provider, _ := b.server.D.Catalog.Current().Provider(link.Query().Get("provider"))
		return provider.Name
	}), "each under its operator")
	require.Contains(t, list.Find("a.card[data-key='2']").Text(), "Pays")
	confirm := list.Find("a.card[data-key='1']").AttrOr("href", "")
	require.NotEmpty(t, confirm)
	form := confirmed(t, w.get(confirm))
	require.Equal(t, "0000000000", form.Get("number"))
	sale := w.post("/sales", form).Header.Get("Location")
	require.True(t, strings.HasPrefix(w.outcome(sale), "Sent."))
	require.NoError(t, b.server.D.Report.Refresh(t.Context()))
	b.pass(10 * time.Minute)
	quick := w.get("/counter").page(t).Find("section.recent").Last().Find("a[data-row-key]").First()
	require.Contains(t, quick.AttrOr("href", ""), form.Get("sku"), "what sells is on the counter")
}
