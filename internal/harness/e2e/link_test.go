//go:build e2e

package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/store"
)

// singleSignOn names an identity provider that is away.
var singleSignOn = []string{
	"OIDC_ISSUER=http://127.0.0.1:1", "OIDC_CLIENT_ID=till", "OIDC_CLIENT_SECRET=8a61f0c29d", "OIDC_ROLES=desk=auditor",
}

// refusedArrivals notes somebody of singleSignOn's at each account, as if they had come with its username.
func refusedArrivals(t *testing.T, address string) {
	t.Helper()
	db, err := store.Open(t.Context(), address)
	require.NoError(t, err)
	require.NoError(t, db.Exec(t.Context(), `INSERT INTO refused_arrivals
	(id, vouched_by, subject, user_id, name, email, role, attempts, last_at)
SELECT id, 'http://127.0.0.1:1', '8f14e45f-ceea-467f-a9d4-' || id, id, 'Nora Byrne', 'nora.byrne@accounts.example.com',
	'auditor', 3, ? FROM users`, store.Moment(time.Now())))
	require.NoError(t, db.Close())
}

// TestAnAccountThatWaitsToBeLinked holds the page of an account as which somebody was refused to the same as
// TestEveryPageOfTheOffice.
func TestAnAccountThatWaitsToBeLinked(t *testing.T) {
	t.Parallel()
	w := emptyWorld(t, store.SQLite, startSimulator(t))
	for _, admin := range []string{"en", "ar", "es", "fr", "pt"} {
		command(t, w.env, w.password+"\n", "web", "user", "add", "--username", admin, "--role", "admin")
	}
	refusedArrivals(t, w.env[0][len("DATABASE_URL="):])
	p := w.serve(t, singleSignOn...).ready(t)
	for _, in := range passes() {
		t.Run(in.language, func(t *testing.T) {
			t.Parallel()
			b := newBrowser(t, p.url)
			b.signIn(in.language, w.password)
			b.open("/")
			b.speak(in.language)
			b.forget()
			views := b.addressed([]screen{
				{name: "people-waiting", path: "/admin/people"},
				{name: "person-waiting", path: "/admin/people", link: "main a[href^='/admin/people/0']"},
			})
			b.walk(views, in.width, func(v screen) {
				b.accessible(v.name, in.language)
				b.fits(v.name, in.language)
				for _, width := range []int64{1280, 390} {
					for _, scheme := range []string{"light", "dark"} {
						b.look(width, 844, scheme)
						b.shot(fmt.Sprintf("%s-%s-%d-%s", v.name, in.language, width, scheme))
					}
				}
			})
		})
	}
}
