package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/app"
	"airtill/internal/harness/hostile"
	"airtill/internal/harness/storetest"
	"airtill/internal/idp/idptest"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// linkBench is a till with an identity provider and a second admin. No role needs a second step.
func linkBench(t *testing.T, db *store.DB) (*bench, *idptest.Provider) {
	t.Helper()
	b := stoppedBench(t, db)
	p := idptest.New(t, b.clock)
	b.start(app.Config{
		UpstreamBaseURL: "http://127.0.0.1:1", UpstreamAPIKey: "key", PublicURL: "http://localhost:8080",
		OIDCIssuer: p.URL, OIDCClientID: idptest.ClientID, OIDCClientSecret: idptest.Secret,
		OIDCRoles: []string{"owners=admin", "desk=auditor", "tills=cashier"}, OIDCGroupClaim: "groups",
	}, nil)
	_, err := b.staff.CreateUser(t.Context(), setup, staff.NewUser{Username: "second", Role: staff.Admin, Password: password})
	require.NoError(t, err)
	return b, p
}

// An admin links whoever was refused, a second one confirms it, and they are in; and back.
func TestAnAdminLinksAnAccount(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b, provider := linkBench(t, db)
		w := b.signIn(staff.Admin)
		const list = "/admin/people"
		path := list + "/" + b.users[staff.Cashier].ID
		require.NotContains(t, w.get(list).body, "of the organisation")
		require.NotContains(t, w.get(path).body, "of the organisation")

		provider.Claims = claims("sub-7", "cashier", "desk")
		provider.Claims["name"], provider.Claims["email"] = "Nora Byrne", "nora@example.com"
		refused := b.browser().arrives(provider)
		require.Equal(t, http.StatusForbidden, refused.StatusCode)
		require.Contains(t, refused.body, "The username cashier belongs to another account here. Ask an admin.")
		for _, leak := range []string{"sub-7", "Nora", "linked", "/admin/"} {
			require.NotContains(t, refused.body, leak)
		}
		people := w.get(list).page(t).Find("main").Text()
		require.Contains(t, people, "1 person of the organisation waits to be linked. They tried to sign in with a username that is already taken here.")
		page := w.get(path).page(t).Find("main").Text()
		require.Contains(t, page, "Nora Byrne ("+provider.URL+") tried to sign in as this account on 1 Mar 2026")
		require.Contains(t, page, "Link them, if they are the same person.")
		require.Contains(t, page, "Their role here changes from Cashier to Auditor, and follows their groups at each sign-in. "+
			"The password of this account is deleted: they sign in through the organisation.")
		require.Contains(t, page, "nora@example.com")
		require.Contains(t, page, "sub-7")
		require.Zero(t, w.get(list+"/"+b.users[staff.Finance].ID).page(t).Find(`[value="link"]`).Length())

		form := w.fill(path, path, "link", map[string]string{"reason": ""})
		require.Equal(t, http.StatusUnprocessableEntity, w.post(path, form).StatusCode, "without a reason nothing is done")
		form.Set("reason", "asked her")
		changed := url.Values{"csrf": form["csrf"], "act": form["act"], "arrival": form["arrival"], "reason": form["reason"], "role": {"admin"}}
		require.Equal(t, http.StatusConflict, w.post(path, changed).StatusCode, "another role than she has")
		b.pass(11 * time.Minute)
		require.Contains(t, w.post(path, form).page(t).Find(".problem").Text(), "Sign in again first")
		w = b.signIn(staff.Admin)
		form.Set("csrf", w.csrf(path))
		require.Equal(t, path+"?done=saved", w.post(path, form).Header.Get("Location"))
		waits := w.get(path + "?done=saved").page(t).Find("main").Text()
		require.Contains(t, waits, "Account linked with a person of the organisation: Nora Byrne (sub-7): Auditor, asked for by admin")
		require.Equal(t, path+"?done=saved", w.post(path, form).Header.Get("Location"), "it is the one that waits")
		form.Set("reason", "she asked again")
		require.Equal(t, http.StatusConflict, w.post(path, form).StatusCode, "one change at a time")
		require.Equal(t, http.StatusForbidden, w.post(path, w.fill(path, path, "confirm", nil)).StatusCode)
		till := b.signIn(staff.Cashier)
		second := b.browser()
		require.Equal(t, http.StatusSeeOther, second.post("/login", url.Values{"username": {"second"}, "password": {password}}).StatusCode)
		require.Equal(t, http.StatusSeeOther, second.post(path, second.fill(path, path, "confirm", nil)).StatusCode)
		require.NotEqual(t, http.StatusOK, till.get("/whoami").StatusCode, "her sessions are over")

		old := url.Values{"username": {"cashier"}, "password": {password}}
		require.Equal(t, http.StatusUnprocessableEntity, b.browser().post("/login", old).StatusCode)
		hers := b.browser()
		require.Equal(t, "/whoami", hers.arrives(provider).Header.Get("Location"))
		require.Equal(t, "cashier", hers.who())
		require.Zero(t, hers.get("/account").page(t).Find(`a[href="/password"]`).Length())
		linked := w.get(path).page(t)
		require.Contains(t, linked.Find("main").Text(), "sub-7")
		require.Zero(t, linked.Find(`form input[value="password"]`).Length(), "no password is set anew")
		require.NotContains(t, w.get(list).body, "of the organisation")
		require.Contains(t, w.get("/admin/audit").body, "Account linked with a person of the organisation")

		// And back.
		const chosen = "another zebra battery"
		bare := w.fill(path, path, "unlink", map[string]string{"reason": "left"})
		got := w.post(path, bare)
		require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode)
		require.Contains(t, got.page(t).Find(".field.refused .problem").Text(), "This account has no password.")
		bare.Set("password", chosen)
		require.Equal(t, http.StatusSeeOther, w.post(path, bare).StatusCode)
		require.Equal(t, http.StatusSeeOther, second.post(path, second.fill(path, path, "confirm", nil)).StatusCode)
		require.Equal(t, http.StatusForbidden, b.browser().arrives(provider).StatusCode)
		old.Set("password", chosen)
		require.Equal(t, http.StatusSeeOther, b.browser().post("/login", old).StatusCode)

		// She waits again, and is dismissed.
		require.Equal(t, http.StatusSeeOther, w.post(path, w.fill(path, path, "dismiss", nil)).StatusCode)
		require.Zero(t, w.get(path).page(t).Find(`[value="link"]`).Length())
		require.Contains(t, w.get("/admin/audit").body, "Attempt to sign in through the organisation dismissed")
	})
}

// What the provider calls people is shown as text, in every language.
func TestWhoWaitsToBeLinkedIsShownAsText(t *testing.T) {
	t.Parallel()
	b, provider := linkBench(t, storetest.New(t))
	w := b.signIn(staff.Admin)
	path := "/admin/people/" + b.users[staff.Cashier].ID
	provider.Claims = claims("7", "cashier", "tills")
	provider.Claims["name"] = `<script>window.pwned = 1</script>`
	require.Equal(t, http.StatusForbidden, b.browser().arrives(provider).StatusCode)
	require.Contains(t, w.get(path).body, "&lt;script&gt;window.pwned = 1&lt;/script&gt; ("+provider.URL)
	shown := 0
	for i, text := range hostile.Markup() {
		if i%8 != 0 {
			continue
		}
		require.NoError(t, b.db.Exec(t.Context(), "UPDATE refused_arrivals SET name = ?, email = ?, subject = ?", text, text, text))
		for _, address := range []string{path, "/admin/people"} {
			page := w.get(address).page(t)
			require.Zero(t, page.Find("[x-evil], x-evil, marquee, iframe, object, embed, base, main script, main img").Length(), text)
			if strings.Contains(page.Find("main").Text(), text) {
				shown++
			}
		}
	}
	require.Greater(t, shown, 20)
}
