package web

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/staff"
)

func TestLanguageBeforeLogin(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		w := b.browser()
		require.Equal(t, "ar", w.do(http.MethodGet, "/login", nil, http.Header{"Accept-Language": {"ar-EG,en;q=0.5"}}).page(t).Find("html").AttrOr("lang", ""), "as the browser prefers")
		w.get("/login")
		chosen := w.post("/language", url.Values{"language": {"es"}, "next": {"/sales?q=1"}})
		require.Equal(t, http.StatusSeeOther, chosen.StatusCode)
		require.Equal(t, "/login?language=es&next=%2Fsales%3Fq%3D1", chosen.Header.Get("Location"))
		page := w.do(http.MethodGet, "/login", nil, http.Header{"Accept-Language": {"ar"}}).page(t)
		require.Equal(t, "es", page.Find("html").AttrOr("lang", ""), "a choice outlives what the browser prefers")
		require.Equal(t, "Español", page.Find(`.languages [aria-pressed="true"]`).Text())

		away := w.post("/language", url.Values{"language": {"es"}, "next": {"//evil.example"}})
		require.Equal(t, "/login?language=es&next=%2F", away.Header.Get("Location"))
		require.Equal(t, http.StatusUnprocessableEntity, w.post("/language", url.Values{"language": {"tlh"}}).StatusCode)
		unasked := b.browser().do(http.MethodPost, "/language", nil, http.Header{"Sec-Fetch-Site": {"cross-site"}})
		require.Equal(t, http.StatusForbidden, unasked.StatusCode)
	})
}

func TestLanguageOfAnAccount(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		w := b.signIn(staff.Cashier)
		require.Equal(t, "ltr", w.get("/sales").page(t).Find("html").AttrOr("dir", ""))
		chosen := w.post("/language", url.Values{"language": {"ar"}, "next": {"/sales"}})
		require.Equal(t, "/sales", chosen.Header.Get("Location"))
		page := w.get("/sales").page(t)
		require.Equal(t, "ar-IE", page.Find("html").AttrOr("lang", ""), "with the numbers of the shop's country")
		require.Equal(t, "rtl", page.Find("html").AttrOr("dir", ""))
		require.Equal(t, "/sales", page.Find(`.languages input[name=next]`).AttrOr("value", ""))

		elsewhere := b.signIn(staff.Cashier).get("/sales").page(t)
		require.Equal(t, "rtl", elsewhere.Find("html").AttrOr("dir", ""), "the account remembers")

		another := b.browser()
		asked := another.post("/language", url.Values{"language": {"fr"}, "next": {"/sales"}}).Header.Get("Location")
		form := with(fieldsOf(another.get(asked).page(t).Find("form.sheet")), "username", string(staff.Cashier), "password", "wrong")
		refused := another.post("/login", form)
		require.Equal(t, http.StatusUnprocessableEntity, refused.StatusCode)
		form = with(fieldsOf(refused.page(t).Find("form.sheet")), "username", string(staff.Cashier), "password", password)
		require.Equal(t, "/sales", another.post("/login", form).Header.Get("Location"))
		require.Equal(t, "fr-IE", another.get("/sales").page(t).Find("html").AttrOr("lang", ""), "what was chosen to sign in goes before what the account remembers")
	})
}
