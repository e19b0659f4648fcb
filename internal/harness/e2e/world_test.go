package e2e

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// world is a till with its services, set up from the command line as README
// says.
type world struct {
	t         testing.TB
	env       []string
	simulator *simulator
	password  string
	served    []*web
}

const worldPassword = "seven lamps over a quiet harbour"

// eachWorld runs a test on SQLite, and on PostgreSQL with Redis if they are
// there.
func eachWorld(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	for _, dialect := range dialects() {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t, dialect, startSimulator(t)))
		})
	}
}

func dialects() []store.Dialect {
	if os.Getenv("TEST_DATABASE_URL") == "" {
		return []store.Dialect{store.SQLite}
	}
	return []store.Dialect{store.SQLite, store.Postgres}
}

// newWorld is a shop with a till, a cashier, a manager and an admin, and with the
// simulator's catalogue.
func newWorld(t testing.TB, dialect store.Dialect, upstream *simulator) *world {
	t.Helper()
	database := stocked.Copy(t, dialect)
	db, err := store.Open(t.Context(), database)
	require.NoError(t, err)
	// What was stocked long ago, on a slow machine, sells nothing until the upstream was heard again.
	require.NoError(t, db.Exec(t.Context(), "UPDATE catalog_versions SET as_of = ?", store.Moment(time.Now())))
	require.NoError(t, db.Close())
	return worldAt(t, dialect, upstream, database)
}

// unstockedWorld has no catalogue yet.
func unstockedWorld(t testing.TB, dialect store.Dialect, upstream *simulator) *world {
	t.Helper()
	return worldAt(t, dialect, upstream, furnished.Copy(t, dialect))
}

// emptyWorld has a database that nothing is in.
func emptyWorld(t testing.TB, dialect store.Dialect, upstream *simulator) *world {
	t.Helper()
	return worldAt(t, dialect, upstream, storetest.URL(t, dialect))
}

// stocked has what each world begins with: hashing its passwords alone, or fetching
// its catalogue, would take longer than many a test.
var stocked = storetest.Original{Fill: func(t testing.TB, dialect store.Dialect, url string) {
	t.Helper()
	furnished.Fill(t, dialect, url)
	p := worldAt(t, dialect, startSimulator(t), url).serve(t)
	p.synced(t)
}}

var furnished = storetest.Original{Fill: func(t testing.TB, dialect store.Dialect, url string) {
	t.Helper()
	w := worldAt(t, dialect, startSimulator(t), url)
	command(t, w.env, "", "web", "shop", "add", "--name", "Corner Shop", "--zone", "Europe/Dublin", "--country", "IE", "--currency", "EUR", "--tills", "1")
	w.hire(t, "cashier", "cashier")
	w.hire(t, "manager", "manager")
	command(t, w.env, w.password+"\n", "web", "user", "add", "--username", "admin", "--role", "admin")
}}

func worldAt(t testing.TB, dialect store.Dialect, upstream *simulator, database string) *world {
	t.Helper()
	w := &world{t: t, simulator: upstream, password: worldPassword}
	vault := filepath.Join(t.TempDir(), "vault-key")
	require.NoError(t, os.WriteFile(vault, []byte("k1:"+"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n"), 0o600))
	w.env = []string{
		"DATABASE_URL=" + database, "VAULT_KEY_FILE=" + vault,
		"SECOND_FACTOR=optional", // what signs in here is a script
		"UPSTREAM_BASE_URL=" + upstream.url, "UPSTREAM_AUTH_URL=" + upstream.url,
		"UPSTREAM_CLIENT_ID=sandbox-client", "UPSTREAM_CLIENT_SECRET=sandbox-secret",
	}
	if dialect == store.Postgres {
		w.env = append(w.env, "REDIS_URL="+redisURL(t))
	}
	return w
}

// hire adds a user of the shop.
func (w *world) hire(t testing.TB, name, role string) {
	t.Helper()
	command(t, w.env, w.password+"\n", "web", "user", "add", "--username", name, "--role", role, "--shop", "Corner Shop")
}

// databases counts the Redis databases given out: the worlds of one server must
// not see each other.
var databases atomic.Int64

func redisURL(t testing.TB) string {
	t.Helper()
	given := os.Getenv("TEST_REDIS_URL")
	require.NotEmpty(t, given, "TEST_REDIS_URL is not set")
	u, err := url.Parse(given)
	require.NoError(t, err)
	number := strconv.FormatInt(databases.Add(1), 10)
	if u.Scheme == "unix" {
		query := u.Query()
		query.Set("db", number)
		u.RawQuery = query.Encode()
	} else {
		u.Path = "/" + number
	}
	return u.String()
}

// web is one running process of a world.
type web struct {
	*process
	url string
}

// serve starts a process and waits until it answers.
func (w *world) serve(t testing.TB, more ...string) *web {
	t.Helper()
	return w.serveAt(t, freeAddress(t), more...)
}

// serveAt is serve at an address of choice.
func (w *world) serveAt(t testing.TB, address string, more ...string) *web {
	t.Helper()
	env := append([]string{"LISTEN_ADDR=" + address, "PUBLIC_URL=http://" + address}, append(w.env, more...)...)
	p := &web{process: start(t, env, "web", "serve"), url: "http://" + address}
	p.answers(t, p.url+"/healthz", http.StatusOK, startWithin)
	w.served = append(w.served, p)
	return p
}

// webLog is all that the processes of the world have printed.
func (w *world) webLog() string {
	var all strings.Builder
	for _, p := range w.served {
		all.WriteString(p.log.String())
	}
	return all.String()
}

// canSell is how long it takes until a process can: what could not be synced is
// tried again after a minute.
const canSell = 2 * time.Minute

// ready waits until a process has something to sell.
func (p *web) ready(t testing.TB) *web {
	t.Helper()
	p.answers(t, p.url+"/readyz", http.StatusOK, canSell)
	return p
}

// synced waits until a process has fetched the whole catalogue.
func (p *web) synced(t testing.TB) {
	t.Helper()
	const last = `"resource":"error-texts"`
	require.Eventually(t, func() bool { return strings.Contains(p.log.String(), last) }, canSell, 50*time.Millisecond)
}

// cashier signs in at a process and opens the shift if it must.
func (w *world) cashier(t testing.TB, p *web) *person {
	t.Helper()
	someone := newPerson(t, p.url)
	v := someone.signIn("cashier", w.password)
	if v.named("Open shift").Length() > 0 {
		v = v.fill("float", "100").press("Open shift")
	}
	require.Positive(t, v.doc.Find("#number").Length(), "not at the counter: %s", v.text())
	return someone
}

// verify checks what must always hold. The till must not be running on SQLite.
func (w *world) verify(t testing.TB) {
	t.Helper()
	require.Contains(t, command(t, w.env, "", "web", "verify"), "everything holds")
}

// newWorldOn is a world on the database that production has, if it is there.
func newWorldOn(t testing.TB) *world {
	t.Helper()
	all := dialects()
	return newWorld(t, all[len(all)-1], startSimulator(t))
}
