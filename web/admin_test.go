package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
)

// fill returns the form of a page that posts a value of act, or the first form
// to an action where act is "", with the given fields filled in.
func (w *browser) fill(page, action, act string, values map[string]string) url.Values {
	w.b.t.Helper()
	got := w.get(page)
	require.Equal(w.b.t, http.StatusOK, got.StatusCode, got.body)
	form := url.Values{}
	got.page(w.b.t).Find(`form[action="` + action + `"]`).EachWithBreak(func(_ int, f *goquery.Selection) bool {
		if own, _ := f.Find(`input[name="act"]`).Attr("value"); act != "" && own != act {
			return true
		}
		f.Find("input[name]:not([type=radio]:not([checked]))").Each(func(_ int, i *goquery.Selection) { form.Set(i.AttrOr("name", ""), i.AttrOr("value", "")) })
		f.Find("select[name]").Each(func(_ int, i *goquery.Selection) {
			form.Set(i.AttrOr("name", ""), i.Find("option[selected]").AttrOr("value", i.Find("option").First().AttrOr("value", "")))
		})
		return false
	})
	require.NotEmpty(w.b.t, form, "%s has no form to %s (%s)", page, action, act)
	for name, value := range values {
		form.Set(name, value)
	}
	return form
}

// TestEveryOfficePageIsWritten opens each page of the office in each language.
func TestEveryOfficePageIsWritten(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Admin)
	pages := []string{"/admin/people/" + b.users[staff.Cashier].ID, "/admin/shops/" + b.shop.ID, "/admin/prices/rule"}
	for _, place := range frame.OfficePlaces {
		pages = append(pages, place.Path)
	}
	for _, language := range locale.Languages() {
		require.NoError(t, b.staff.SetLocale(t.Context(), b.users[staff.Admin].ID, language.Tag))
		for _, path := range pages {
			got := w.get(path)
			require.Equal(t, http.StatusOK, got.StatusCode, "%s: %s", path, got.body)
			main := got.page(t).Find("main")
			require.Equal(t, 1, main.Find("h1").Length(), path)
			require.NotRegexp(t, `\b(office|people|shelf|shops|limits|prices|rates|catalogue|jobs|webhooks|setup|audit|role|reports)\.[a-zA-Z]+`, main.Text(), "a key without a text: %s in %s", path, language.Tag)
		}
	}
}

func TestTheOfficeOpensWhereOneMayGo(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	for role, first := range map[staff.Role]string{staff.Admin: "/admin/setup", staff.Finance: "/admin/prices", staff.Auditor: "/admin/audit", staff.Manager: "/admin/counter", staff.Supervisor: "/admin/counter"} {
		require.Equal(t, first, b.signIn(role).get("/admin/").Header.Get("Location"), role)
	}
	require.Equal(t, http.StatusForbidden, b.signIn(staff.Cashier).get("/admin/").StatusCode)
	tabs := b.signIn(staff.Auditor).get("/admin/audit").page(t).Find(`.tabs a, nav a[href^="/admin/"]`).Map(func(_ int, a *goquery.Selection) string { return a.AttrOr("href", "") })
	require.NotContains(t, strings.Join(tabs, " "), "/admin/people", "an auditor is not led where they may not go")
}
