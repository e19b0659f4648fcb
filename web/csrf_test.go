package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/web/frame"
)

// tokenOn returns the form token of a page.
func tokenOn(t *testing.T, a answer) string {
	t.Helper()
	token, _ := a.page(t).Find("input[name=csrf]").First().Attr("value")
	require.NotEmpty(t, token)
	return token
}

func TestClientsThatDoNotSayWhereFromNeedTheToken(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]http.Header{
		"says nothing":       {"Accept": {"text/html"}},
		"old, with Origin":   {"Accept": {"text/html"}, "Origin": {"null"}},
		"says nothing, curl": {"Accept": {"*/*"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, storetest.New(t), nil)
			w := b.browser()
			w.header = header
			form := loginAs("admin")
			require.Equal(t, http.StatusForbidden, w.post("/login", form).StatusCode)
			form.Set("csrf", tokenOn(t, w.get("/login")))
			before := form.Get("csrf")
			require.Equal(t, http.StatusSeeOther, w.post("/login", form).StatusCode)

			form.Set("csrf", before)
			require.Equal(t, http.StatusForbidden, w.post("/logout", form).StatusCode, "the token of before login")
			other := b.signIn(staff.Cashier)
			form.Set("csrf", tokenOn(t, other.get("/nowhere")))
			require.Equal(t, http.StatusForbidden, w.post("/logout", form).StatusCode, "the token of another session")
			for _, made := range []string{"", "x", strings.Repeat("A", 86), "%%%"} {
				form.Set("csrf", made)
				require.Equal(t, http.StatusForbidden, w.post("/logout", form).StatusCode, made)
			}
			page := w.do("GET", "/nowhere", nil, http.Header{"Accept": {"text/html"}})
			again := w.do("GET", "/nowhere", nil, http.Header{"Accept": {"text/html"}})
			require.NotEqual(t, tokenOn(t, page), tokenOn(t, again), "it looks different each time")
			asked := w.do("POST", "/logout", nil, http.Header{"X-CSRF-Token": {tokenOn(t, page)}})
			require.Equal(t, http.StatusSeeOther, asked.StatusCode)
		})
	}
}

func TestOriginOfThePublicAddressIsOurs(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), func(d *frame.Deps) { d.PublicURL = "https://till.example" })
	w := b.browser()
	for origin, want := range map[string]int{"https://till.example": http.StatusSeeOther, "http://till.example": http.StatusForbidden, "https://till.example.evil.example": http.StatusForbidden} {
		w.header = http.Header{"Origin": {origin}, "Accept": {"text/html"}} // behind a proxy that changes Host
		require.Equal(t, want, w.post("/login", loginAs("admin")).StatusCode, origin)
	}
}

func TestRoutesForOtherProgramsNeedNoToken(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil, frame.Route{Method: "POST", Path: "/hook", Permission: frame.Public, Handle: text("taken"), CrossSite: true})
	w := b.browser()
	w.header = http.Header{"Content-Type": {"application/json"}}
	require.Equal(t, "taken", w.do("POST", "/hook", strings.NewReader("{}"), nil).body)
}

func TestPartsOfPagesAskForASignInThemselves(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	got := b.browser().do("GET", "/whoami", nil, http.Header{"HX-Request": {"true"}, "HX-Request-Type": {"partial"}})
	require.Equal(t, http.StatusUnauthorized, got.StatusCode)
	require.Contains(t, got.body, "You have been signed out")
	whole := b.browser().do("GET", "/whoami", nil, http.Header{"HX-Request": {"true"}, "HX-Request-Type": {"full"}})
	require.Equal(t, http.StatusSeeOther, whole.StatusCode)
}
