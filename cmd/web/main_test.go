package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
	"airtill/internal/harness/redistest"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/staff/stafftest"
	"airtill/internal/store"
	"airtill/internal/vault"
)

// said is what a command printed.
type said struct {
	status   int
	out, err string
}

func airtill(t *testing.T, environ []string, in string, args ...string) said {
	t.Helper()
	var out, problems bytes.Buffer
	status := run(t.Context(), args, environ, strings.NewReader(in), &out, &problems)
	return said{status, out.String(), problems.String()}
}

func TestCommandsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"sell"}, {"shop"}, {"serve", "now"}, {"migrate", "--force"}} {
		got := airtill(t, nil, "", args...)
		require.Equal(t, 2, got.status, args)
		require.NotEmpty(t, got.err)
	}
	got := airtill(t, nil, "", "help")
	require.Equal(t, 0, got.status)
	for _, c := range commands() {
		require.Contains(t, got.out, "web "+c.name)
	}
	require.Equal(t, 0, airtill(t, nil, "", "user", "add", "--help").status)
}

func TestSetUpFromTheCommandLine(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, url string) {
		environ := []string{"DATABASE_URL=" + url}
		require.Equal(t, said{0, "the database is up to date\n", ""}, airtill(t, environ, "", "migrate"))

		shop := []string{"shop", "add", "--name", "Corner Shop", "--zone", "Europe/Dublin", "--country", "IE", "--currency", "EUR", "--tills", "2"}
		require.Equal(t, 0, airtill(t, environ, "", shop...).status)
		again := airtill(t, environ, "", shop...)
		require.Equal(t, 1, again.status)
		require.Contains(t, again.err, "There is already a shop named")

		user := func(password string, args ...string) said {
			return airtill(t, environ, password, append([]string{"user", "add"}, args...)...)
		}
		require.Equal(t, 0, user("correct horse battery\n", "--username", "mary", "--role", "cashier", "--shop", "Corner Shop").status)
		require.Equal(t, 0, user("correct horse battery\r\n", "--username", "anne", "--role", "admin", "--shop", "Corner Shop").status)
		for want, got := range map[string]said{
			"too short":               user("short\n", "--username", "tom", "--role", "cashier", "--shop", "Corner Shop"),
			"no password":             user("", "--username", "tom", "--role", "cashier", "--shop", "Corner Shop"),
			"There is no shop":        user("correct horse battery\n", "--username", "tom", "--role", "cashier", "--shop", "Elsewhere"),
			"There is no role":        user("", "--username", "tom", "--role", "king"),
			"--shop: A cashier bel":   user("", "--username", "tom", "--role", "cashier"),
			`username "mary" is take`: user("correct horse battery\n", "--username", "Mary", "--role", "admin"),
		} {
			require.Equal(t, 1, got.status, want)
			require.Contains(t, got.err, want)
		}

		db := storetest.Open(t, url)
		office := staff.New(staff.Deps{DB: db, Now: time.Now, Audit: audit.New(audit.Deps{DB: db, Now: time.Now}), Log: newLog(io.Discard, 0), Hashing: stafftest.Hashing()})
		mary, err := office.Login(t.Context(), staff.Attempt{Username: "mary", Password: "correct horse battery", Address: "192.0.2.1"})
		require.NoError(t, err)
		require.Equal(t, staff.Cashier, mary.Role)
	})
}

func TestACommandNeedsAnUpToDateDatabase(t *testing.T) {
	t.Parallel()
	environ := []string{"DATABASE_URL=sqlite:" + filepath.Join(t.TempDir(), "new.db")}
	for _, command := range []string{"verify", "shop add --name X"} {
		got := airtill(t, environ, "", strings.Fields(command)...)
		require.Equal(t, 1, got.status)
		require.Contains(t, got.err, "run web migrate")
	}
	serve := airtill(t, append(environ, "PUBLIC_URL=http://127.0.0.1:1", "UPSTREAM_BASE_URL=http://127.0.0.1:1", "UPSTREAM_API_KEY=k", "LISTEN_ADDR=127.0.0.1:0"), "", "serve")
	require.Equal(t, 1, serve.status)
	require.Contains(t, serve.err, "run web migrate")
}

// TestAnOlderProgramSaysThatTheDatabaseIsNewer, and changes nothing: what the newer one hides it does not know.
func TestAnOlderProgramSaysThatTheDatabaseIsNewer(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, url string) {
		environ := []string{"DATABASE_URL=" + url}
		require.Zero(t, airtill(t, environ, "", "migrate").status)
		db, err := store.Open(t.Context(), url)
		require.NoError(t, err)
		require.NoError(t, db.Exec(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied, tstamp) VALUES (999999, TRUE, CURRENT_TIMESTAMP)"))
		require.NoError(t, db.Close())
		require.Equal(t, said{0, "the database is newer than this program; nothing was changed\n", ""}, airtill(t, environ, "", "migrate"))
		require.Contains(t, airtill(t, environ, "", "check").out, "newer than this program")
		works := airtill(t, environ, "", "limit", "list")
		require.Zero(t, works.status, "as the older program does beside the newer one")
		require.Contains(t, works.err, "web.database_newer")
	})
}

func TestVerifyNamesWhatOffends(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, url string) {
		environ := []string{"DATABASE_URL=" + url}
		require.Equal(t, 0, airtill(t, environ, "", "shop", "add", "--name", "X", "--zone", "UTC", "--country", "IE", "--currency", "EUR").status)
		good := airtill(t, environ, "", "verify")
		require.Equal(t, 0, good.status, good.err)
		require.True(t, strings.HasSuffix(good.out, "everything holds\n"), good.out)
		for _, name := range []string{"I2", "I3", "I4", "I5", "I6", "I7", "I8", "audit"} {
			require.Regexp(t, "(?m)^ok +"+name+" .*: \\d+ checked, 0 offend", good.out)
		}

		spoil(t, url,
			"INSERT INTO postings (journal, line, kind, account, micros, currency, at) VALUES ('lost/J2', 0, 'J2', '1110', 5000000, 'EUR', CURRENT_TIMESTAMP)")
		got := airtill(t, environ, "", "verify")
		require.Equal(t, 1, got.status)
		require.Contains(t, got.out, "I3 lost/J2")
		require.Contains(t, got.out, "I6 1110")
		require.Regexp(t, `(?m)^FAIL +I3 .*: \d+ checked, 1 offend`, got.out)
		require.NotContains(t, got.out, "everything holds")
	})
}

// What nobody but the owner of the database can do is named.
func TestVerifyNamesTampering(t *testing.T) {
	t.Parallel()
	keys := filepath.Join(t.TempDir(), "vault-key")
	require.NoError(t, os.WriteFile(keys, []byte(vault.NewKey()), 0o600))
	storetest.EachURL(t, func(t *testing.T, url string) {
		environ := []string{"DATABASE_URL=" + url, "VAULT_KEY_FILE=" + keys}
		require.Equal(t, 0, airtill(t, environ, "", "shop", "add", "--name", "X", "--zone", "UTC", "--country", "IE", "--currency", "EUR").status)
		good := airtill(t, environ, "", "verify")
		require.Equal(t, 0, good.status, good.out)
		for _, name := range []string{"audit", "guards", "tail", "sealed", "shifts", "statements"} {
			require.Regexp(t, "(?m)^ok +"+name+" .* 0 offend", good.out)
		}
		drop, gone := "DROP TRIGGER audit_entries_no_update", "trigger audit_entries_no_update"
		if strings.HasPrefix(url, "postgres") {
			drop, gone = "DROP TRIGGER audit_entries_append_only ON audit_entries", "trigger audit_entries_append_only"
		}
		spoil(t, url, drop, "UPDATE audit_entries SET mac = 'k1:00' WHERE seq = 1")
		bad := airtill(t, environ, "", "verify")
		require.Equal(t, 1, bad.status)
		require.Contains(t, bad.out, "guards "+gone+": It is missing")
		require.Contains(t, bad.out, "audit 1: It is not signed by this till")
	})
}

// TestVerifyAsksWithinTheBudgetOfCalls: what it asks of the service is counted with what the till asks.
func TestVerifyAsksWithinTheBudgetOfCalls(t *testing.T) {
	t.Parallel()
	d := startDemo(t, t.TempDir())
	path := filepath.Join(t.TempDir(), "verify.db")
	environ := []string{"DATABASE_URL=sqlite:" + path, "UPSTREAM_BASE_URL=" + d.Sandbox, "UPSTREAM_API_KEY=sandbox-key"}
	require.Zero(t, airtill(t, environ, "", "migrate").status)
	got := airtill(t, environ, "", "verify")
	require.Zero(t, got.status, got.out+got.err)
	calls, err := os.ReadFile(path + ".calls")
	require.NoError(t, err)
	require.Contains(t, string(calls), "GetBalance ")
}

// TestCheckAsksWithinTheBudgetOfCalls, as verify does, which the processes of the till share in Redis.
func TestCheckAsksWithinTheBudgetOfCalls(t *testing.T) {
	t.Parallel()
	budget := apiclient.NewRedisBudget(redistest.New(t), "sandbox-key", time.Now, slog.New(slog.DiscardHandler))
	d := startDemo(t, t.TempDir())
	environ := []string{
		"DATABASE_URL=sqlite:" + filepath.Join(t.TempDir(), "check.db"), "REDIS_URL=" + os.Getenv("TEST_REDIS_URL"),
		"UPSTREAM_BASE_URL=" + d.Sandbox, "UPSTREAM_API_KEY=sandbox-key",
	}
	require.Eventually(t, func() bool { // a Redis that is slow to answer is not waited for
		before, unread := budget.Used(t.Context())
		tried := airtill(t, environ, "", "check").out
		after, err := budget.Used(t.Context())
		return errors.Join(unread, err) == nil && strings.Contains(tried, "ok    upstream credentials: ") &&
			after["GetBalance"].Used == before["GetBalance"].Used+1
	}, time.Minute, 10*time.Millisecond)
	require.Zero(t, airtill(t, environ, "", "migrate").status)
	got := airtill(t, environ, "", "verify")
	require.Zero(t, got.status, got.out+got.err)
}

// spoil writes what the program never would.
func spoil(t *testing.T, url string, statements ...string) {
	t.Helper()
	db, err := store.Open(t.Context(), url)
	require.NoError(t, err)
	for _, sql := range statements {
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			storetest.AsOwner(t, tx)
			return tx.Exec(sql).Error
		}))
	}
	require.NoError(t, db.Close())
}

func TestCheckTriesEachThing(t *testing.T) {
	t.Parallel()
	d := startDemo(t, t.TempDir())
	dir := t.TempDir()
	environ := []string{
		"DATABASE_URL=sqlite:" + filepath.Join(dir, "check.db"), "PUBLIC_URL=http://127.0.0.1:8080",
		"UPSTREAM_BASE_URL=" + d.Sandbox, "UPSTREAM_AUTH_URL=" + d.Sandbox, "UPSTREAM_CLIENT_ID=sandbox-client", "UPSTREAM_CLIENT_SECRET=sandbox-secret",
	}
	require.Equal(t, 0, airtill(t, environ, "", "migrate").status)
	good := airtill(t, environ, "", "check")
	require.Equal(t, 0, good.status, good.out)
	require.Equal(t, 5, strings.Count(good.out, "\n"))
	require.Equal(t, 5, strings.Count(good.out, "ok    "))
	require.NotContains(t, good.out, "sandbox-secret")
	require.Contains(t, good.out, "encrypted webhooks are refused")

	keys := filepath.Join(dir, "webhook-keys.pem")
	require.NoError(t, os.WriteFile(keys, append(privatePEM(t), privatePEM(t)...), 0o600))
	require.Contains(t, airtill(t, append(environ, "WEBHOOK_PRIVATE_KEY_FILE="+keys), "", "check").out, "opened with 2 private", "the key and its predecessor")
	require.NoError(t, os.WriteFile(keys, []byte("no key"), 0o600))
	require.Contains(t, airtill(t, append(environ, "WEBHOOK_PRIVATE_KEY_FILE="+keys), "", "check").out, "FAIL  webhook keys: WEBHOOK_PRIVATE_KEY_FILE")
	withVault := append(environ, "VAULT_KEY_FILE="+filepath.Join(dir, "vault-key"))
	require.Contains(t, airtill(t, withVault, "", "check").out, "FAIL  vault: ", "there is none")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "vault-key"), []byte("k1:not hex"), 0o600))
	require.Contains(t, airtill(t, withVault, "", "check").out, "FAIL  vault: vault key: each line must be")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "vault-key"), []byte(vault.NewKey()), 0o600))
	require.Contains(t, airtill(t, withVault, "", "check").out, "ok    vault: the keys are usable")
	require.NoError(t, os.Chmod(filepath.Join(dir, "vault-key"), 0o644))
	require.Contains(t, airtill(t, withVault, "", "check").out, "FAIL  vault: vault key: others may read")
	byKey := []string{environ[0], environ[1], environ[2], "UPSTREAM_API_KEY=sandbox-key"} // the service's own address has the keys
	require.Contains(t, airtill(t, byKey, "", "check").out, "ok    webhook keys: ")

	bad := airtill(t, append(environ, "UPSTREAM_CLIENT_SECRET=wrong", "REDIS_URL=redis://127.0.0.1:1", "UPSTREAM_AUTH_URL=http://127.0.0.1:1"), "", "check")
	require.Equal(t, 1, bad.status)
	for _, name := range []string{"Redis", "upstream credentials", "webhook keys"} {
		require.Contains(t, bad.out, "FAIL  "+name+": ")
	}
	require.Equal(t, 5, strings.Count(bad.out, "\n"))

	all := airtill(t, append(environ, "SMTP_URL=smtp://127.0.0.1:1?tls=none", "MAIL_FROM=till@example.com", "OIDC_ISSUER=http://127.0.0.1:1", "OIDC_CLIENT_ID=till",
		"OIDC_CLIENT_SECRET=0123456789abcdef", "OIDC_ROLES=admins=admin", "ALERT_WEBHOOK_URL=http://127.0.0.1:1/?token=hush", "ALERT_WEBHOOK_SECRET=0123456789abcdef"), "", "check")
	require.Equal(t, 1, all.status)
	for _, name := range []string{"mail server", "single sign-on", "alert webhook"} {
		require.Contains(t, all.out, "FAIL  "+name+": ")
	}
	require.NotContains(t, all.out, "hush")
	require.Contains(t, airtill(t, append(environ, "ALERT_WEBHOOK_URL="+d.Sandbox, "ALERT_WEBHOOK_SECRET=0123456789abcdef"), "", "check").out,
		"ok    alert webhook: somebody answers at its host; nothing was posted")
}

// privatePEM is a fresh private key.
func privatePEM(t *testing.T) []byte {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
}

// demoLine is the last line of web demo.
type demoLine struct {
	URL     string
	Sandbox string
	Users   []struct{ Username, Password, Role string }
}

// startDemo runs web demo until the test ends.
func startDemo(t *testing.T, dir string) demoLine {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	read, write := io.Pipe()
	problems, ended := new(bytes.Buffer), make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"demo", "--addr", "127.0.0.1:0", "--data", dir}, nil, nil, write, problems)
		_ = write.Close()
	}()
	t.Cleanup(func() {
		stop()
		select {
		case status := <-ended:
			require.Equal(t, 0, status, problems.String())
		case <-time.After(time.Minute):
			t.Error("the demo does not end")
		}
	})
	var line demoLine
	require.NoError(t, json.NewDecoder(skipTo(t, read, '{')).Decode(&line), problems)
	return line
}

// skipTo reads up to the first line that begins with a byte, and returns what
// follows from there.
func skipTo(t *testing.T, r io.Reader, begin byte) io.Reader {
	t.Helper()
	previous, one := byte('\n'), make([]byte, 1)
	for {
		_, err := io.ReadFull(r, one)
		require.NoError(t, err)
		if previous == '\n' && one[0] == begin {
			return io.MultiReader(bytes.NewReader([]byte{begin}), r)
		}
		previous = one[0]
	}
}

func TestDemoIsReadyAndKeepsWhatItHas(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var keys []string
	for range 2 {
		t.Run("start", func(t *testing.T) {
			d := startDemo(t, dir)
			require.Len(t, d.Users, 3)
			for i, name := range []string{"cashier", "manager", "admin"} {
				require.Equal(t, name, d.Users[i].Username)
				require.Equal(t, name, d.Users[i].Role)
			}
			require.Equal(t, http.StatusOK, get(t, d.URL+"/healthz"))
			require.Equal(t, http.StatusOK, get(t, d.Sandbox+"/_sandbox/ledger"))
			require.Eventually(t, func() bool { return get(t, d.URL+"/readyz") == http.StatusOK }, time.Minute, 20*time.Millisecond)
			key, err := os.ReadFile(filepath.Join(dir, "airtill.db.vault-key"))
			require.NoError(t, err)
			keys = append(keys, string(key), d.Users[0].Password)
		})
	}
	require.Len(t, keys, 4)
	require.Equal(t, keys[0], keys[2], "the vault's key stays")
	require.NotEqual(t, keys[1], keys[3], "the passwords are new")
	require.Equal(t, 0, airtill(t, []string{"DATABASE_URL=sqlite:" + filepath.Join(dir, "airtill.db")}, "", "verify").status)
}

func TestDemoStaysOnThisMachine(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.0.2.1:80", "nonsense"} {
		got := airtill(t, nil, "", "demo", "--addr", addr, "--data", t.TempDir())
		require.Equal(t, 1, got.status)
		require.Contains(t, got.err, "not a loopback address")
	}
}

func get(t *testing.T, url string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode
}
