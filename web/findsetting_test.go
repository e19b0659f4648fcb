package web

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/web/frame"
)

// TestASettingIsFoundByWhatItIsFor: by its name or another word for it, in the reader's
// language, accents aside, and only what that person may open.
func TestASettingIsFoundByWhatItIsFor(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	found := func(w *browser, typed string) (paths []string) {
		page := w.get("/admin/find?" + url.Values{"q": {typed}}.Encode()).page(t)
		page.Find(".office tbody a").Each(func(_ int, a *goquery.Selection) {
			paths = append(paths, a.AttrOr("href", ""))
			require.Equal(t, http.StatusOK, w.get(a.AttrOr("href", "")).StatusCode, a.Text())
		})
		return paths
	}
	admin, manager := b.signIn(staff.Admin), b.signIn(staff.Manager)
	for _, place := range frame.OfficePlaces {
		page := admin.get(place.Path).page(t)
		require.Equal(t, 1, page.Find(`main form[action="/admin/find"] input[name="q"]`).Length(), place.Path)
	}
	for typed, path := range map[string]string{
		"exchange": "/admin/prices", "Mark-up": "/admin/prices", "tax": "/admin/shops", "GDPR": "/admin/customer",
		"second step": "/admin/access", "favourites": "/admin/counter#pin", "who changed": "/admin/audit",
		"HIDE product": "/admin/catalogue/products#hide", "money refunds": "/admin/corrections",
	} {
		require.Contains(t, found(admin, typed), path, typed)
	}
	require.Equal(t, []string{"/admin/counter", "/admin/counter#pin"}, found(manager, "favourites"))
	require.Empty(t, found(manager, "GDPR"))
	require.Empty(t, found(admin, "zebra"))
	require.Empty(t, found(admin, ""))
	require.Equal(t, http.StatusSeeOther, admin.post("/language", url.Values{"language": {"es"}}).StatusCode)
	require.Contains(t, found(admin, "limite"), "/admin/limits", "without its accent")
	require.Equal(t, http.StatusForbidden, b.signIn(staff.Cashier).get("/admin/find?q=x").StatusCode)
}
