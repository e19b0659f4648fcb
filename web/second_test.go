package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"airtill/internal/app"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// strictBench is a till whose roles need what they need in earnest.
func strictBench(t *testing.T, db *store.DB) *bench {
	t.Helper()
	b := stoppedBench(t, db)
	b.start(app.Config{
		UpstreamBaseURL: "http://127.0.0.1:1", UpstreamAPIKey: "key", SecondFactor: app.SecondRequired,
	}, nil)
	return b
}

// enrol sets up a second factor for whoever is signed in, and returns its secret and the
// recovery codes.
func (w *browser) enrol() (secret string, recovery []string) {
	t := w.b.t
	t.Helper()
	begun := w.post("/account/second", url.Values{"act": {"begin"}})
	require.Equal(t, "/account/second", begun.Header.Get("Location"), begun.body)
	page := w.get("/account/second").page(t)
	secret = page.Find(".second-secret").Text()
	require.Len(t, secret, 32)
	require.Equal(t, "image/png", w.get("/account/second/qr.png").Header.Get("Content-Type"))
	shown := w.post("/account/second", url.Values{"act": {"confirm"}, "password": {password}, "code": {w.b.codeOf(secret)}})
	require.Equal(t, http.StatusOK, shown.StatusCode, shown.body)
	shown.page(t).Find(".second-codes code").Each(func(_ int, code *goquery.Selection) { recovery = append(recovery, code.Text()) })
	require.Len(t, recovery, 10)
	return secret, recovery
}

func (b *bench) codeOf(secret string) string {
	b.t.Helper()
	code, err := totp.GenerateCode(secret, b.clock())
	require.NoError(b.t, err)
	return code
}

// password types the password, and returns what follows.
func (w *browser) password(role staff.Role) answer {
	w.b.t.Helper()
	return w.post("/login", url.Values{"username": {string(role)}, "password": {password}, "next": {"/whoami"}})
}

func TestWhoNeedsASecondStepSetsItUpBeforeAnythingElse(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := strictBench(t, db)
		require.Equal(t, "manager", b.signIn(staff.Manager).who(), "not unless the setting says so")
		for _, role := range []staff.Role{staff.Finance, staff.Admin} {
			w := b.signIn(role)
			for _, path := range []string{"/", "/today", "/account", "/whoami", "/admin/people"} {
				require.Equal(t, "/account/second", w.get(path).Header.Get("Location"), "%s at %s", role, path)
			}
			require.Equal(t, http.StatusForbidden, w.do(http.MethodGet, "/whoami", nil, http.Header{"Accept": {"text/event-stream"}}).StatusCode)
			planted := w.session()
			secret, recovery := w.enrol()
			require.NotEqual(t, planted, w.session(), "under a new token")
			require.Equal(t, string(role), w.who())

			b.pass(time.Minute)
			next := b.browser()
			half := next.password(role)
			require.Equal(t, "/login/second?language=&next=%2Fwhoami", half.Header.Get("Location"))
			require.Empty(t, next.session(), "a password alone opens nothing")
			require.Empty(t, next.who())
			require.Equal(t, http.StatusOK, next.get("/login/second?next=/whoami").StatusCode)
			wrong := next.post("/login/second", url.Values{"code": {"000000"}, "next": {"/whoami"}})
			require.Equal(t, http.StatusUnprocessableEntity, wrong.StatusCode)
			said := strings.TrimSpace(wrong.page(t).Find("[role=alert] span").Text())
			code := b.codeOf(secret)
			in := next.post("/login/second", url.Values{"code": {code}, "next": {"/whoami"}})
			require.Equal(t, "/whoami", in.Header.Get("Location"), in.body)
			require.Equal(t, string(role), next.who())

			replay := b.browser()
			_ = replay.password(role)
			again := replay.post("/login/second", url.Values{"code": {code}})
			require.Equal(t, http.StatusUnprocessableEntity, again.StatusCode)
			require.Equal(t, said, strings.TrimSpace(again.page(t).Find("[role=alert] span").Text()), "the same words as for a wrong one")
			out := replay.post("/login/second", url.Values{"code": {recovery[3]}, "next": {"/whoami"}})
			require.Equal(t, http.StatusSeeOther, out.StatusCode, out.body)
			require.Equal(t, string(role), replay.who())
		}
	})
}

func TestHalfASignInEnds(t *testing.T) {
	t.Parallel()
	b := strictBench(t, storetest.New(t))
	secret, _ := b.signIn(staff.Finance).enrol()
	stranger := b.browser()
	require.Equal(t, "/login?next=%2F", stranger.get("/login/second").Header.Get("Location"))
	require.Equal(t, http.StatusForbidden, stranger.post("/login/second", url.Values{"code": {b.codeOf(secret)}}).StatusCode)

	b.pass(time.Minute)
	late := b.browser()
	_ = late.password(staff.Finance)
	b.pass(10 * time.Minute)
	require.Equal(t, http.StatusForbidden, late.post("/login/second", url.Values{"code": {b.codeOf(secret)}}).StatusCode)

	changed := b.browser()
	_ = changed.password(staff.Finance)
	require.NoError(t, b.staff.EndSessions(t.Context(), setup, b.users[staff.Finance].ID, "x"))
	require.Equal(t, http.StatusForbidden, changed.post("/login/second", url.Values{"code": {b.codeOf(secret)}}).StatusCode)

	disabled := b.browser()
	_ = disabled.password(staff.Finance)
	require.NoError(t, b.staff.Disable(t.Context(), setup, b.users[staff.Finance].ID, "x"))
	require.Equal(t, http.StatusForbidden, disabled.post("/login/second", url.Values{"code": {b.codeOf(secret)}}).StatusCode)
}

func TestASecondStepIsRemovedByItsOwner(t *testing.T) {
	t.Parallel()
	b := strictBench(t, storetest.New(t))
	w := b.signIn(staff.Manager)
	secret, _ := w.enrol()
	other := b.browser()
	b.pass(time.Minute)
	_ = other.password(staff.Manager)
	require.Equal(t, http.StatusSeeOther, other.post("/login/second", url.Values{"code": {b.codeOf(secret)}}).StatusCode)
	b.pass(time.Minute)
	remove := url.Values{"act": {"remove"}, "password": {password}, "code": {"000000"}}
	require.Equal(t, http.StatusUnprocessableEntity, w.post("/account/second", remove).StatusCode)
	remove.Set("code", b.codeOf(secret))
	require.Equal(t, "/account?done=second-removed", w.post("/account/second", remove).Header.Get("Location"))
	require.Equal(t, "manager", w.who())
	require.Empty(t, other.who(), "what was open elsewhere is over")
	require.Equal(t, "manager", b.signIn(staff.Manager).who())
}

func TestARoleIsUsedFromItsNetworksAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	admin, finance := b.signIn(staff.Admin), b.signIn(staff.Finance)
	shut := admin.post("/admin/access", url.Values{"act": {"admin"}, "role": {"admin"}, "networks": {"192.0.2.0/24"}})
	require.Equal(t, http.StatusUnprocessableEntity, shut.StatusCode)
	require.Contains(t, shut.body, "This would lock you out: you are at 127.0.0.1.")
	set := admin.post("/admin/access", url.Values{"act": {"finance"}, "role": {"finance"}, "networks": {"192.0.2.0/24"}})
	require.Equal(t, "/admin/access?done=saved", set.Header.Get("Location"), set.body)

	refused := finance.get("/today")
	require.Equal(t, http.StatusForbidden, refused.StatusCode)
	require.Contains(t, refused.body, "Your role may not be used from here (127.0.0.1).")
	require.Empty(t, finance.who(), "and the session is over")
	again := b.browser().password(staff.Finance)
	require.Equal(t, http.StatusForbidden, again.StatusCode)
	require.Contains(t, again.body, "Your role may not be used from here (127.0.0.1).")
	require.Equal(t, 2, admin.get("/admin/audit").page(t).Find(`td:contains("Sign-in from elsewhere refused")`).Length())
	require.Equal(t, "cashier", b.signIn(staff.Cashier).who())
}
