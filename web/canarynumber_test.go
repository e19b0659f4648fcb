package web

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/staff"
)

// canaryNumber is what every form of a number of this test has in common, and its name is
// who it stands under in the book.
const canaryNumber, canaryName = "871234567", "Siobhan"

// tells says whether an address tells a number or a name, or more that is a customer's.
func tells(address string, more ...string) bool {
	for range 3 { // an address may stand within an address
		if plain, err := url.QueryUnescape(address); err == nil {
			address = plain
		}
	}
	digits := strings.NewReplacer(" ", "", "-", "", "\u00a0", "").Replace(address)
	return slices.ContainsFunc(append(more, canaryName), func(s string) bool { return strings.Contains(address, s) }) ||
		strings.Contains(digits, canaryNumber)
}

// keepsQuiet fails where an answer leads to an address with the number: a redirect, a
// link, a picture, a script's request, or a form that sends its fields by its address.
func keepsQuiet(t *testing.T, at string, got answer, more ...string) {
	t.Helper()
	for _, header := range []string{"Location", "HX-Push-Url", "HX-Redirect", "HX-Location", "Refresh", "Link"} {
		require.False(t, tells(got.Header.Get(header), more...), "%s: %s %s", at, header, got.Header.Get(header))
	}
	if !strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") {
		return
	}
	page := got.page(t)
	page.Find("*").Each(func(_ int, s *goquery.Selection) {
		for _, a := range s.Nodes[0].Attr {
			if strings.HasPrefix(a.Key, "hx-") || strings.HasPrefix(a.Key, "data-") || a.Key == "href" || a.Key == "src" || a.Key == "action" || a.Key == "formaction" {
				require.False(t, tells(a.Val, more...), "%s: <%s %s=%q>", at, s.Nodes[0].Data, a.Key, a.Val)
			}
		}
	})
	page.Find("form").Each(func(_ int, form *goquery.Selection) {
		if strings.EqualFold(form.AttrOr("method", "get"), "post") {
			return
		}
		form.Find("input, button, option").Each(func(_ int, field *goquery.Selection) {
			value := field.AttrOr("value", "")
			require.False(t, tells(value, more...), "%s: a form to %q sends %s=%q by its address", at, form.AttrOr("action", ""), field.AttrOr("name", ""), value)
		})
	})
}

// TestANumberStandsInNoAddress types a number into every field that takes one, goes on by
// links and forms alone, and looks at every address that comes of it; then at every page
// of everybody.
func TestANumberStandsInNoAddress(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.atTill(staff.Cashier)
	sent := func(path string, form url.Values) answer {
		t.Helper()
		got := w.post(path, form)
		keepsQuiet(t, "POST "+path, got)
		for hops := 0; got.StatusCode == http.StatusSeeOther && hops < 3; hops++ {
			next := got.Header.Get("Location")
			got = w.get(next)
			keepsQuiet(t, next, got)
		}
		return got
	}
	typed := func(page, form, field, text string) answer {
		t.Helper()
		found := w.get(page).page(t).Find(form)
		require.Equal(t, 1, found.Length(), "%s has no %s", page, form)
		require.Equal(t, "post", found.AttrOr("method", ""), "%s %s", page, form)
		values := fieldsOf(found)
		values.Set(field, text)
		return sent(found.AttrOr("action", ""), values)
	}

	offers := typed("/counter", "form.lookup", "number", "087 123 4567")
	require.Equal(t, http.StatusOK, offers.StatusCode)
	require.Contains(t, offers.page(t).Text(), "87 123 4567", "it is on the page")
	form := fieldsOf(offers.page(t).Find("form#offers"))
	form.Set("sku", fixed(t, offers))
	confirm := w.get("/counter?" + form.Encode())
	keepsQuiet(t, "the confirm page", confirm)
	outcome := sent("/sales", confirmed(t, confirm))
	require.Equal(t, http.StatusOK, outcome.StatusCode)
	sold, err := b.server.D.Sales.List(t.Context(), sales.Filter{
		ShopID: b.shop.ID, Accounts: []string{"353" + canaryNumber}, Limit: 1,
	})
	require.NoError(t, err)
	require.Len(t, sold, 1, "it was sold to that number")
	path := "/sales/" + sold[0].ID
	b.becomes(path, sales.Complete)
	keepsQuiet(t, path, w.get(path))
	keepsQuiet(t, "a number that looks wrong", typed("/counter", "form.lookup", "number", "087 123 45671"))

	csrf := w.csrf("/customers")
	sent("/customers", url.Values{"csrf": {csrf}, "name": {canaryName}, "number": {"087 123 4567"}})
	sent("/customers", url.Values{"csrf": {csrf}, "name": {""}, "number": {"087 123 4567"}})
	for page, form := range map[string]string{
		"/sales": "form.filter", "/customers": "form.filter", "/find": `form[action="/find"]`,
	} {
		for _, text := range []string{canaryNumber, canaryName} {
			got := typed(page, form, "q", text)
			require.Equal(t, http.StatusOK, got.StatusCode, page)
			require.Contains(t, got.page(t).Text(), "87 123 4567", "%s finds it by %s", page, text)
		}
	}
	for _, text := range []string{"4567", canaryName} {
		keepsQuiet(t, "the counter", typed("/counter", "form.lookup", "number", text))
	}

	p, billed, _ := b.biller()
	holder, list := w.owing(p, billed)
	bill := list.bills(t)[0]
	form = fieldsOf(list.page(t).Find("form.details"))
	form.Set("setting."+p.Settings[0].Name, holder)
	form.Set("bill", bill)
	form.Set("step", "confirm")
	boosted := http.Header{"Hx-Request": {"true"}, "Hx-Boosted": {"true"}, "Content-Type": {"application/x-www-form-urlencoded"}}
	chosen := w.do(http.MethodPost, "/counter", io.NopCloser(strings.NewReader(form.Encode())), boosted)
	require.Equal(t, 1, chosen.page(t).Find("form.confirm").Length(), chosen.page(t).Text())
	pushed := chosen.Header.Get("Hx-Push-Url")
	require.Contains(t, pushed, "bill=")
	keepsQuiet(t, "a bill that was chosen", chosen, bill, holder, strings.TrimPrefix(billed, "+"))
	require.Contains(t, w.get(pushed).page(t).Find("dl.facts").Text(), holder, "a reload shows the same")

	for _, header := range []http.Header{{"Hx-Request": {"true"}, "Hx-Boosted": {"true"}}, {"Hx-Request": {"true"}}} {
		header.Set("Content-Type", "application/x-www-form-urlencoded")
		body := url.Values{"csrf": {w.csrf("/counter")}, "number": {"0871234567"}}.Encode()
		got := w.do(http.MethodPost, "/counter", io.NopCloser(strings.NewReader(body)), header)
		require.Equal(t, http.StatusOK, got.StatusCode)
		keepsQuiet(t, "a browser with scripts", got)
		if pushed := got.Header.Get("Hx-Push-Url"); header.Get("Hx-Boosted") != "" {
			require.Contains(t, w.get(pushed).page(t).Text(), "87 123 4567", "a reload shows the same")
			require.Equal(t, pushed, got.page(t).Find("input[name=next]").AttrOr("value", ""), "another language shows it too")
		} else {
			require.Empty(t, pushed)
		}
	}

	names := strings.NewReplacer(":id", sold[0].ID, ":code", sold[0].Code, ":name", "sales", ":provider", sold[0].ProviderCode)
	for _, role := range staff.Roles() {
		w := b.signIn(role)
		if role.InShop() {
			w = b.atTill(role)
		}
		for _, r := range b.server.routes() {
			if r.Method == http.MethodGet && !strings.Contains(r.Path, "*") && !r.Stream {
				at := names.Replace(r.Path)
				keepsQuiet(t, string(role)+" at "+at, w.get(at))
			}
		}
	}
	require.NotContains(t, b.log.String(), canaryNumber, "in the log")
}
