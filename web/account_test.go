package web

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
)

// Office roles have an account page, too; the PIN and the till are for who stands at one.
func TestEveryRoleHasAnAccountPage(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	for _, role := range staff.Roles() {
		page := b.signIn(role).get("/account")
		require.Equal(t, http.StatusOK, page.StatusCode, role)
		doc := page.page(t)
		require.Equal(t, 1, doc.Find(`a[href="/password"]`).Length(), role)
		require.Equal(t, 1, doc.Find(`section[aria-labelledby="sessions-title"] li`).Length(), role)
		atTill := role == staff.Cashier || role == staff.Supervisor || role == staff.Manager
		require.Equal(t, atTill, doc.Find(`form[action="/account/pin"]`).Length() == 1, role)
		require.Equal(t, atTill, doc.Find("#device-title").Length() == 1, role)
	}
}

func TestOwnSessionsAreSeenAndEnded(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		in := func(agent string) *browser {
			w := b.browser()
			w.header.Set("User-Agent", agent)
			got := w.post("/login", url.Values{"username": {"auditor"}, "password": {password}})
			require.Equal(t, http.StatusSeeOther, got.StatusCode, got.body)
			return w
		}
		phone := in("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1")
		desk := in("Mozilla/5.0 (Windows NT 10.0) Firefox/140.0")
		other, stranger := in("x"), b.signIn(staff.Finance)

		list := desk.get("/account").page(t).Find(`section[aria-labelledby="sessions-title"]`)
		require.Equal(t, 3, list.Find("li").Length(), "nobody else's")
		require.Contains(t, list.Text(), "Safari, iPhone")
		require.Contains(t, list.Text(), "127.0.0.1")
		here := list.Find("li:has(.badge)")
		require.Contains(t, here.Text(), "Firefox, Windows")
		require.Zero(t, here.Find("form").Length(), "this one is ended by signing out")

		id, _ := list.Find(`li:contains("iPhone") input[name=session]`).Attr("value")
		require.NotContains(t, id, phone.session())
		require.Equal(t, http.StatusSeeOther, stranger.post("/account/sessions", url.Values{"session": {id}}).StatusCode)
		require.Equal(t, "auditor", phone.who(), "nobody ends another's")
		done := desk.post("/account/sessions", url.Values{"session": {id}})
		require.Equal(t, "/account?done=ended", done.Header.Get("Location"))
		require.Empty(t, phone.who())
		require.Equal(t, []string{"auditor", "auditor", "finance"}, []string{desk.who(), other.who(), stranger.who()})

		_ = desk.post("/account/sessions", url.Values{"session": {""}})
		require.Empty(t, other.who())
		require.Equal(t, []string{"auditor", "finance"}, []string{desk.who(), stranger.who()})
		trail := b.signIn(staff.Admin).get("/admin/audit").page(t)
		require.Equal(t, 2, trail.Find(`td:contains("Signed out everywhere else")`).Length(), "each ending that ended something is on record")
	})
}
