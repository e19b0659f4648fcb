package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/alert"
	"airtill/internal/app"
	"airtill/internal/harness/storetest"
	"airtill/internal/idp/idptest"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// ssoBench is a strict till with an identity provider.
func ssoBench(t *testing.T, db *store.DB) (*bench, *idptest.Provider) {
	t.Helper()
	b := stoppedBench(t, db)
	provider := idptest.New(t, b.clock)
	b.start(app.Config{
		UpstreamBaseURL: "http://127.0.0.1:1", UpstreamAPIKey: "key", SecondFactor: app.SecondRequired, PublicURL: "http://localhost:8080",
		OIDCIssuer: provider.URL, OIDCClientID: idptest.ClientID, OIDCClientSecret: idptest.Secret,
		OIDCRoles: []string{"owners=admin", "books=finance", "desk=auditor", "tills=cashier"}, OIDCGroupClaim: "groups", OIDCShopClaim: "shop",
		OIDCSecond: []string{"mfa"},
	}, nil)
	return b, provider
}

// leaves presses the button of the sign-in, and returns where the browser is sent.
func (w *browser) leaves() string {
	w.b.t.Helper()
	left := w.post("/login/sso", url.Values{"next": {"/whoami"}})
	require.Equal(w.b.t, http.StatusOK, left.StatusCode, left.body)
	address, _ := left.page(w.b.t).Find("a.button").Attr("href")
	require.Equal(w.b.t, "0; url="+address, left.Header.Get("Refresh"))
	return address
}

// arrives signs in at the provider as whoever its claims say.
func (w *browser) arrives(p *idptest.Provider) answer {
	w.b.t.Helper()
	state, code := p.Visit(w.leaves())
	w.header.Set("Sec-Fetch-Site", "cross-site")
	defer w.header.Set("Sec-Fetch-Site", "same-origin")
	return w.get("/login/sso?" + url.Values{"state": {state}, "code": {code}}.Encode())
}

func claims(subject, name string, groups ...string) map[string]any {
	return map[string]any{"sub": subject, "preferred_username": name, "groups": groups}
}

func TestSigningInThroughAnIdentityProvider(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b, provider := ssoBench(t, db)
		provider.Claims = claims("7", "nora", "others", "desk")
		w := b.browser()
		require.Equal(t, 1, w.get("/login").page(t).Find(`form[action="/login/sso"]`).Length())
		in := w.arrives(provider)
		require.Equal(t, "/whoami", in.Header.Get("Location"), in.body)
		require.Equal(t, "nora", w.who())
		account := w.get("/account").page(t)
		require.Zero(t, account.Find(`a[href="/password"]`).Length(), "there is no password to change")
		require.Equal(t, http.StatusConflict, w.post("/password", url.Values{"current": {""}, "password": {password}}).StatusCode)
		require.Equal(t, http.StatusUnprocessableEntity, b.browser().post("/login", url.Values{"username": {"nora"}, "password": {""}}).StatusCode)
		require.Equal(t, http.StatusSeeOther, w.post("/logout", nil).StatusCode)
		require.Empty(t, w.who(), "signing out ends the session here")

		// The group decides at each sign-in; who has the same name elsewhere is another.
		provider.Claims = claims("7", "renamed", "tills")
		old := b.browser()
		_ = old.arrives(provider)
		require.Equal(t, "nora", old.who())
		require.Equal(t, http.StatusOK, old.get("/account").StatusCode)
		nora := b.named("nora")
		require.Equal(t, staff.Cashier, nora.Role)
		require.Equal(t, b.shop.ID, nora.ShopID, "the only shop")
		provider.Claims = claims("8", "nora", "desk")
		other := b.browser().arrives(provider)
		require.Equal(t, http.StatusForbidden, other.StatusCode)
		require.Contains(t, other.body, "The username nora belongs to another account here.")
		provider.Claims = claims("9", "admin", "desk")
		require.Equal(t, http.StatusForbidden, b.browser().arrives(provider).StatusCode, "a name opens no account that is there")

		provider.Claims = claims("7", "nora", "visitors")
		none := b.browser().arrives(provider)
		require.Equal(t, http.StatusForbidden, none.StatusCode)
		require.Contains(t, none.body, "None of your groups may use this till.")
		require.NoError(t, b.staff.Disable(t.Context(), setup, nora.ID, "left"))
		provider.Claims = claims("7", "nora", "desk")
		shut := b.browser().arrives(provider)
		require.Equal(t, http.StatusForbidden, shut.StatusCode)
		require.Contains(t, shut.body, "Your account here is not enabled.")
	})
}

func (b *bench) named(username string) staff.User {
	b.t.Helper()
	all, err := b.staff.Users(b.t.Context())
	require.NoError(b.t, err)
	for _, u := range all {
		if u.Username == username {
			return u
		}
	}
	require.Fail(b.t, "nobody is called "+username)
	return staff.User{}
}

// A name that cannot be shown shuts nobody out: they cannot change it here, and are called by their username.
func TestANameOfTheProvidersThatCannotBeShown(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b, provider := ssoBench(t, db)
		for username, name := range map[string]string{"nora": "Nora\tByrne", "liam": strings.Repeat("Liam", 51), "aoife": "A\x00"} {
			provider.Claims = claims(username, username, "desk")
			provider.Claims["name"] = name
			w := b.browser()
			in := w.arrives(provider)
			require.Equal(t, http.StatusSeeOther, in.StatusCode, username)
			require.Equal(t, username, b.named(username).DisplayName)
		}
	})
}

// Of whom nobody says in which shop they work, an admin does.
func TestTheShopOfWhoArrives(t *testing.T) {
	t.Parallel()
	b, provider := ssoBench(t, storetest.New(t))
	quay, _, err := b.staff.CreateShop(t.Context(), setup, staff.NewShop{Name: "Quay", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
	require.NoError(t, err)
	provider.Claims = claims("1", "sean", "tills")
	waits := b.browser().arrives(provider)
	require.Equal(t, http.StatusForbidden, waits.StatusCode)
	require.Contains(t, waits.body, "Your account here is not enabled.")
	sean := b.named("sean")
	require.ErrorContains(t, b.staff.ChangePost(t.Context(), setup, sean.ID, staff.Post{Role: staff.Manager, ShopID: quay.ID}, "x"), "groups decide")
	require.NoError(t, b.staff.ChangePost(t.Context(), setup, sean.ID, staff.Post{Role: staff.Cashier, ShopID: quay.ID}, "his shop"))
	require.NoError(t, b.staff.Enable(t.Context(), setup, sean.ID, "his shop"))
	w := b.browser()
	require.Equal(t, http.StatusSeeOther, w.arrives(provider).StatusCode)
	require.Equal(t, quay.ID, b.named("sean").ShopID, "and it stays")
	require.ErrorContains(t, b.staff.SetPassword(t.Context(), setup, sean.ID, password, 0, "x"), "no password here")

	provider.Claims = claims("2", "mary", "tills")
	provider.Claims["shop"] = "Quay"
	require.Equal(t, http.StatusSeeOther, b.browser().arrives(provider).StatusCode)
	require.Equal(t, quay.ID, b.named("mary").ShopID)
	provider.Claims = claims("3", "eve", "tills")
	provider.Claims["shop"] = "Nowhere"
	require.Contains(t, b.browser().arrives(provider).body, "names a shop that this till does not know")
}

// Whose group now works in a shop, and nobody says in which, waits for an admin as a newcomer does; until then they are
// no longer what their group was.
func TestTheShopOfWhoseGroupChanges(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b, provider := ssoBench(t, db)
		quay, _, err := b.staff.CreateShop(t.Context(), setup, staff.NewShop{Name: "Quay", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
		require.NoError(t, err)
		provider.Claims = claims("1", "nora", "desk")
		old := b.browser()
		require.Equal(t, http.StatusSeeOther, old.arrives(provider).StatusCode)
		provider.Claims = claims("1", "nora", "tills")
		b.pass(time.Minute)
		waits := b.browser().arrives(provider)
		require.Equal(t, http.StatusForbidden, waits.StatusCode)
		require.Contains(t, waits.body, "Your account here is not enabled.")
		require.Empty(t, old.who(), "an auditor no more")
		nora := b.named("nora")
		require.Equal(t, staff.Cashier, nora.Role)
		require.True(t, nora.Disabled())
		require.NoError(t, b.staff.ChangePost(t.Context(), setup, nora.ID, staff.Post{Role: staff.Cashier, ShopID: quay.ID}, "her shop"))
		require.NoError(t, b.staff.Enable(t.Context(), setup, nora.ID, "her shop"))
		w := b.browser()
		require.Equal(t, http.StatusSeeOther, w.arrives(provider).StatusCode)
		require.Equal(t, "nora", w.who())
	})
}

// A role that needs a second step has it from the provider where the setting says so, else here.
func TestTheSecondStepOfWhoArrives(t *testing.T) {
	t.Parallel()
	b, provider := ssoBench(t, storetest.New(t))
	provider.Claims = claims("1", "nora", "books")
	provider.Claims["amr"] = []string{"pwd"}
	w := b.browser()
	require.Equal(t, http.StatusSeeOther, w.arrives(provider).StatusCode)
	require.Equal(t, "/account/second", w.get("/whoami").Header.Get("Location"), "one of her own")
	provider.Claims["amr"] = []string{"pwd", "mfa"}
	b.pass(time.Minute)
	w = b.browser()
	require.Equal(t, "/whoami", w.arrives(provider).Header.Get("Location"))
	require.Equal(t, "nora", w.who())

	// With one of her own, it is asked for where the provider had none.
	begun := w.post("/account/second", url.Values{"act": {"begin"}})
	require.Equal(t, http.StatusSeeOther, begun.StatusCode)
	page := w.get("/account/second").page(t)
	require.Zero(t, page.Find(`input[type="password"]`).Length())
	secret := page.Find(".second-secret").Text()
	done := w.post("/account/second", url.Values{"act": {"confirm"}, "code": {b.codeOf(secret)}})
	require.Equal(t, http.StatusOK, done.StatusCode, done.body)
	provider.Claims["amr"] = []string{"pwd"}
	b.pass(time.Minute)
	half := b.browser()
	require.Equal(t, "/login/second?language=&next=%2Fwhoami", half.arrives(provider).Header.Get("Location"))
	require.Empty(t, half.who())
	in := half.post("/login/second", url.Values{"code": {b.codeOf(secret)}, "next": {"/whoami"}})
	require.Equal(t, "/whoami", in.Header.Get("Location"))
}

// The second step that the provider asked for counts for the day on which a PIN opens the till again, as the password
// does: whoever has none here is not sent to set one up in the middle of selling.
func TestAPINOpensAgainWhatTheProviderAskedASecondStepFor(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b, provider := ssoBench(t, db)
		require.NoError(t, b.staff.SetRule(t.Context(), setup, staff.Rule{Role: staff.Cashier, SecondFactor: true}, ""))
		provider.Claims = claims("1", "aoife", "tills")
		provider.Claims["amr"] = []string{"pwd", "mfa"}
		w := b.browser()
		_ = w.arrives(provider)
		require.Equal(t, "aoife", w.who())
		set := w.post("/account/pin", url.Values{"csrf": {w.csrf("/account")}, "pin": {"4826"}})
		require.Equal(t, http.StatusSeeOther, set.StatusCode, set.body)
		manager := staff.Presence{User: b.users[staff.Manager], Shop: b.shop}.Actor()
		require.NoError(t, b.staff.Trust(t.Context(), manager, w.cookies[b.server.CookieName("device")].Value))
		require.Equal(t, "/unlock", w.post("/lock", url.Values{"csrf": {w.csrf("/account")}}).Header.Get("Location"))
		require.Equal(t, "/whoami", w.unlock("4826").Header.Get("Location"))
		require.Equal(t, "aoife", w.who())

		// Without it, the next day, one of their own is asked for.
		b.pass(staff.SessionAbsolute)
		provider.Claims["amr"] = []string{"pwd"}
		w = b.browser()
		_ = w.arrives(provider)
		require.Equal(t, "/account/second", w.get("/whoami").Header.Get("Location"))
	})
}

// What comes back counts once, in the browser that left, within minutes.
func TestWhatTheProviderSaysIsForOneBrowserOnce(t *testing.T) {
	t.Parallel()
	b, provider := ssoBench(t, storetest.New(t))
	provider.Claims = claims("1", "nora", "desk")
	w := b.browser()
	state, code := provider.Visit(w.leaves())
	back := "/login/sso?" + url.Values{"state": {state}, "code": {code}}.Encode()
	thief := b.browser()
	require.Equal(t, http.StatusForbidden, thief.get(back).StatusCode, "another browser")
	stolen := w.cookies[b.server.CookieName("sso-"+state)]
	require.Equal(t, http.StatusSeeOther, w.get(back).StatusCode)
	twice := w.get(back)
	require.Equal(t, http.StatusSeeOther, twice.StatusCode, "who went back to the provider is signed in, and not told otherwise")
	require.Equal(t, "/", twice.Header.Get("Location"))
	require.Equal(t, "nora", w.who())
	thief.cookies[stolen.Name] = stolen
	require.Equal(t, http.StatusForbidden, thief.get(back).StatusCode, "the same state again, cookie and all")
	require.Empty(t, thief.session())

	late := b.browser()
	state, code = provider.Visit(late.leaves())
	b.pass(6 * time.Minute)
	refused := late.get("/login/sso?" + url.Values{"state": {state}, "code": {code}}.Encode())
	require.Equal(t, http.StatusForbidden, refused.StatusCode)
	require.Contains(t, refused.body, "sign-in did not work. Try again.")
	require.Equal(t, http.StatusForbidden, late.get("/login/sso?error=access_denied").StatusCode)
}

// Two tabs may be at the provider at once; each brings its own answer.
func TestTwoTabsAtTheProvider(t *testing.T) {
	t.Parallel()
	b, provider := ssoBench(t, storetest.New(t))
	provider.Claims = claims("1", "nora", "desk")
	w := b.browser()
	var backs []string
	for range 2 {
		state, code := provider.Visit(w.leaves())
		backs = append(backs, "/login/sso?"+url.Values{"state": {state}, "code": {code}}.Encode())
	}
	for _, back := range backs {
		require.Equal(t, "/whoami", w.get(back).Header.Get("Location"))
		require.Equal(t, "nora", w.who())
	}
}

// Who is sent back by the provider goes where they were going, in the language that they chose on the page, as who gives
// a password does.
func TestWayAndLanguageOutliveTheProvider(t *testing.T) {
	t.Parallel()
	b, provider := ssoBench(t, storetest.New(t))
	provider.Claims = claims("1", "nora", "desk")
	require.Equal(t, http.StatusSeeOther, b.browser().arrives(provider).StatusCode)
	nora := b.named("nora")
	require.NoError(t, b.staff.SetLocale(t.Context(), nora.ID, "fr"))
	w := b.browser()
	chosen := w.post("/language", url.Values{"language": {"es"}, "next": {"/sales?q=1"}}).Header.Get("Location")
	leave := func(at answer) string {
		fields := url.Values{}
		form := at.page(t).Find(`form[action="/login/sso"]`)
		for _, name := range []string{"next", "language"} {
			fields.Set(name, form.Find(`input[name="`+name+`"]`).AttrOr("value", ""))
		}
		address, _ := w.post("/login/sso", fields).page(t).Find("a.button").Attr("href")
		return address
	}
	state, _ := provider.Visit(leave(w.get(chosen)))
	back := url.Values{"state": {state}, "error": {"access_denied"}}
	refused := w.get("/login/sso?" + back.Encode())
	require.Equal(t, http.StatusForbidden, refused.StatusCode)
	require.Equal(t, "/sales?q=1", refused.page(t).Find(`form[action="/login"] input[name="next"]`).AttrOr("value", ""))
	state, code := provider.Visit(leave(refused))
	back = url.Values{"state": {state}, "code": {code}}
	require.Equal(t, "/sales?q=1", w.get("/login/sso?"+back.Encode()).Header.Get("Location"))
	require.Equal(t, "es", b.named("nora").Locale)
}

// While the provider is away an admin signs in with a password; that is on record, and told of.
func TestAnAdminBreaksTheGlass(t *testing.T) {
	t.Parallel()
	b := stoppedBench(t, storetest.New(t))
	b.start(app.Config{
		UpstreamBaseURL: "http://127.0.0.1:1", UpstreamAPIKey: "key", OIDCIssuer: "http://127.0.0.1:1", OIDCClientID: "till",
		OIDCClientSecret: "s", OIDCRoles: []string{"tills=cashier"},
	}, nil)
	rule := func() (alert.Tier, []string) {
		for _, r := range b.server.D.Health.Rules() {
			if r.Name == alert.BreakGlass {
				require.True(t, r.Events, "another sign-in is told of, too")
				tier, facts, err := r.Look(t.Context())
				require.NoError(t, err)
				return tier, facts
			}
		}
		return "none", nil
	}
	away := b.browser().post("/login/sso", url.Values{"next": {"/sales?q=1"}})
	require.Equal(t, http.StatusServiceUnavailable, away.StatusCode)
	require.Contains(t, away.body, "sign-in does not answer.")
	require.Equal(t, 1, away.page(t).Find(`form[action="/login"]`).Length(), "a password will do")
	require.Equal(t, "/sales?q=1", away.page(t).Find(`form[action="/login"] input[name="next"]`).AttrOr("value", ""))
	_ = b.signIn(staff.Cashier)
	tier, _ := rule()
	require.Equal(t, alert.Fine, tier)
	w := b.signIn(staff.Admin)
	tier, facts := rule()
	require.Equal(t, alert.Warning, tier)
	require.Equal(t, []string{"admin", "2026-03-01 12:00 UTC"}, facts)
	require.Contains(t, w.get("/admin/audit").body, "Admin signed in without single sign-on")
	b.pass(25 * time.Hour)
	tier, _ = rule()
	require.Equal(t, alert.Fine, tier)
}

func TestATillWithoutAnIdentityProvider(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	require.Zero(t, b.browser().get("/login").page(t).Find(`form[action="/login/sso"]`).Length())
	require.Equal(t, http.StatusNotFound, b.browser().post("/login/sso", nil).StatusCode)
	require.Equal(t, http.StatusNotFound, b.browser().get("/login/sso?code=1&state=2").StatusCode)
}
