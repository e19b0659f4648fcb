package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/frame"
)

func TestLoginAndLogout(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		w := b.browser()
		form := w.get("/login?next=/counter%3Fnumber%3D1")
		require.Equal(t, http.StatusOK, form.StatusCode)
		require.Empty(t, w.session(), "nobody has a session before they sign in")
		next, _ := form.page(t).Find("input[name=next]").Attr("value")
		require.Equal(t, "/counter?number=1", next)

		wrong := w.post("/login", url.Values{"username": {"cashier"}, "password": {"wrong"}, "next": {next}})
		require.Equal(t, http.StatusUnprocessableEntity, wrong.StatusCode)
		page := wrong.page(t)
		require.Equal(t, "The username or the password is wrong.", strings.TrimSpace(page.Find("[role=alert] span").Text()))
		name, _ := page.Find("input[name=username]").Attr("value")
		require.Equal(t, "cashier", name)
		kept, typed := page.Find("input[name=password]").Attr("value")
		require.False(t, typed, kept)
		require.Empty(t, w.session())

		in := w.post("/login", url.Values{"username": {" Cashier"}, "password": {password}, "next": {next}})
		require.Equal(t, http.StatusSeeOther, in.StatusCode)
		require.Equal(t, "/counter?number=1", in.Header.Get("Location"))
		require.Len(t, w.session(), 43, "256 bits")
		require.Equal(t, http.StatusSeeOther, w.get("/login").StatusCode, "who is in needs no form")

		stolen := *w
		out := w.post("/logout", nil)
		require.Equal(t, "/login", out.Header.Get("Location"))
		require.Equal(t, `"cache"`, out.Header.Get("Clear-Site-Data"))
		require.Empty(t, w.session())
		require.Empty(t, stolen.who(), "the old session is worth nothing")
	})
}

func TestPlantedSessionIsWorthNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		attacker := b.signIn(staff.Cashier)
		planted := attacker.session()
		victim := b.browser()
		victim.cookies["airtill-session"] = &http.Cookie{Name: "airtill-session", Value: planted}
		in := victim.post("/login", url.Values{"username": {"admin"}, "password": {password}})
		require.Equal(t, http.StatusSeeOther, in.StatusCode)
		require.NotEqual(t, planted, victim.session())
		require.Empty(t, attacker.who(), "and it is over")

		unknown := b.browser()
		unknown.cookies["airtill-session"] = &http.Cookie{Name: "airtill-session", Value: strings.Repeat("A", 43)}
		_ = unknown.post("/login", url.Values{"username": {"admin"}, "password": {password}})
		require.NotEqual(t, strings.Repeat("A", 43), unknown.session())
	})
}

func TestSessionEndsWithWhatItStoodOn(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*bench, string) error{
		"disabled": func(b *bench, id string) error { return b.staff.Disable(b.t.Context(), setup, id, "") },
		"new password": func(b *bench, id string) error {
			return b.staff.SetPassword(b.t.Context(), setup, id, password+"2", 0, "")
		},
		"new role": func(b *bench, id string) error {
			return b.staff.ChangePost(b.t.Context(), setup, id, staff.Post{Role: staff.Auditor}, "")
		},
		"signed out": func(b *bench, id string) error { return b.staff.EndSessions(b.t.Context(), setup, id, "") },
		"idle":       func(b *bench, _ string) error { b.pass(staff.SessionIdle); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, b *bench) {
				w := b.signIn(staff.Cashier)
				require.Equal(t, "cashier", w.who())
				require.NoError(t, end(b, b.users[staff.Cashier].ID))
				require.Empty(t, w.who())
			})
		})
	}
}

// A script that asks by itself must not keep a till open that nobody stands at.
func TestOnlyPeopleKeepASessionAlive(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		person, script := b.signIn(staff.Cashier), b.signIn(staff.Cashier)
		for range 3 {
			b.pass(staff.SessionIdle / 2)
			_, _ = person.who(), script.get("/poll")
		}
		require.Equal(t, "cashier", person.who())
		require.Empty(t, script.who())
		for range int(staff.SessionAbsolute/staff.SessionIdle) * 2 {
			b.pass(staff.SessionIdle / 2)
			_ = person.who()
		}
		require.Empty(t, person.who(), "eight hours end it all the same")
	}, frame.Route{Method: "GET", Path: "/poll", Permission: frame.SignedIn, Handle: text("news"), Background: true})
}

func TestCookiesOverHTTPS(t *testing.T) {
	t.Parallel()
	https := newBench(t, storetest.New(t), func(d *frame.Deps) { d.PublicURL = "https://till.example" })
	plain := newBench(t, storetest.New(t), nil)
	for b, secure := range map[*bench]bool{https: true, plain: false} {
		w := b.browser()
		_ = w.get("/login")
		_ = w.post("/login", url.Values{"username": {"cashier"}, "password": {password}})
		require.Len(t, w.cookies, 3, "session, form and device")
		for name, cookie := range w.cookies {
			require.Equal(t, secure, strings.HasPrefix(name, "__Host-"), name)
			require.Equal(t, secure, cookie.Secure, name)
			require.True(t, cookie.HttpOnly, name)
			require.Equal(t, http.SameSiteLaxMode, cookie.SameSite, name)
			require.Equal(t, "/", cookie.Path, name)
			require.Empty(t, cookie.Domain, name)
		}
		require.Zero(t, w.cookies[b.server.CookieName("session")].MaxAge, "gone with the browser")
	}
}

func TestNextIsAPathOfOurs(t *testing.T) {
	t.Parallel()
	for next, want := range map[string]string{
		"": "/", "/counter": "/counter", "/counter?number=%2B353": "/counter?number=%2B353", "/sales/1#x": "/sales/1#x",
		"//evil.example": "/", "/\\evil.example": "/", "\\\\evil.example": "/", "https://evil.example": "/", "javascript:alert(1)": "/",
		"/\t/evil.example": "/", "///evil.example": "/", "evil": "/", "/login": "/", "/logout": "/", " /x": "/", "/%zz": "/", "http:/x": "/", "/x\r\nSet-Cookie: a=b": "/",
	} {
		require.Equal(t, want, frame.LocalPath(next), next)
	}
}

func FuzzLocalPath(f *testing.F) {
	for _, seed := range []string{"/", "//a", "/\\a", "/a?b#c", "a:b", "/%2f%2fa", "/\u2028/a"} {
		f.Add(seed)
	}
	base, err := url.Parse("https://till.example/login")
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, next string) {
		got, err := base.Parse(frame.LocalPath(next))
		require.NoError(t, err)
		require.Equal(t, "till.example", got.Host)
		require.Equal(t, "https", got.Scheme)
	})
}

func TestGuessingMeetsAWaitThatTheFormShows(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.browser()
	var last answer
	for range 6 {
		last = w.post("/login", url.Values{"username": {"cashier"}, "password": {"wrong"}})
	}
	require.Equal(t, http.StatusTooManyRequests, last.StatusCode)
	require.Equal(t, "1", last.Header.Get("Retry-After"))
	require.Contains(t, last.page(t).Find("form").Text(), "Try again in 1 second.")
	b.pass(time.Second)
	require.Equal(t, http.StatusSeeOther, w.post("/login", url.Values{"username": {"cashier"}, "password": {password}}).StatusCode)
}

func TestTillIsRememberedByTheBrowser(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, nil)
		at := func(w *browser) string {
			p, _, live, err := b.staff.Present(t.Context(), w.session())
			require.NoError(t, err)
			require.True(t, live)
			return p.Till.Name
		}
		first, second := b.signIn(staff.Cashier), b.signIn(staff.Supervisor)
		require.Equal(t, "Till 1", at(first))
		require.Equal(t, "Till 2", at(second), "the first is taken")

		moved := first.post("/till", url.Values{"till": {b.tills[1].ID}, "next": {"/counter"}})
		require.Equal(t, "/counter", moved.Header.Get("Location"))
		require.Equal(t, "Till 2", at(first))
		_ = first.post("/logout", nil)
		_ = first.post("/login", url.Values{"username": {"manager"}, "password": {password}})
		require.Equal(t, "Till 2", at(first), "this browser stands there, whoever signs in")

		_, tills, err := b.staff.CreateShop(t.Context(), setup, staff.NewShop{Name: "Other", Zone: "UTC", Country: "FR", Currency: "EUR", Tills: 1})
		require.NoError(t, err)
		for _, till := range []string{tills[0].ID, "nonsense", ""} {
			require.Equal(t, http.StatusNotFound, first.post("/till", url.Values{"till": {till}}).StatusCode)
		}
		require.Equal(t, http.StatusForbidden, b.signIn(staff.Admin).post("/till", url.Values{"till": {b.tills[0].ID}}).StatusCode)
	})
}

// TestAPasswordIsNotGivenAgainByTheSameForm: its answer was lost, and whom it was for may have chosen their own since.
func TestAPasswordIsNotGivenAgainByTheSameForm(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w, nora, person := b.signIn(staff.Admin), b.browser(), "/admin/people/"+b.users[staff.Cashier].ID
	const given, own = "given zebra battery", "my very own zebra battery"
	form := w.fill(person, person, "password", map[string]string{"password": given, "reason": "forgotten"})
	for range 2 {
		require.Equal(t, person+"?done=saved", w.post(person, form).Header.Get("Location"))
	}
	refused := func(says string) {
		t.Helper()
		require.Contains(t, w.post(person, form).body, says)
		set, err := b.audit().List(t.Context(), audit.Filter{Act: audit.UserPasswordSet})
		require.NoError(t, err)
		require.Len(t, set, 1)
	}
	form.Set("password", given+" 2")
	refused("This page was used for something else already.")
	form.Set("password", given)
	require.Equal(t, http.StatusSeeOther, nora.post("/login", url.Values{"username": {"cashier"}, "password": {given}}).StatusCode)
	refused("This form is out of date. Nothing was changed.")
	require.Equal(t, "/", nora.post("/password", url.Values{
		"csrf": {nora.csrf("/password")}, "current": {given}, "password": {own},
	}).Header.Get("Location"))
	refused("This form is out of date. Nothing was changed.")
	require.Equal(t, "cashier", nora.get("/whoami").body)
}
