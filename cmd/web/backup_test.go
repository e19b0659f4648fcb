package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/app"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// backedUp is a till that sells, and how its commands are called.
type backedUp struct {
	*apptest.World
	environ   []string // without DATABASE_URL
	dialect   store.Dialect
	url       string
	identity  string
	recipient string
}

func newBackedUp(t *testing.T, url string) *backedUp {
	t.Helper()
	dir, db := t.TempDir(), storetest.Open(t, url)
	b := &backedUp{World: apptest.New(t, db), dialect: db.Dialect(), url: url, identity: filepath.Join(dir, "identity")}
	keys := filepath.Join(dir, "vault-key")
	require.NoError(t, os.WriteFile(keys, []byte(apptest.VaultKey), 0o600))
	b.environ = []string{
		"VAULT_KEY_FILE=" + keys, "PUBLIC_URL=http://127.0.0.1:8080", "LISTEN_ADDR=127.0.0.1:0",
		"UPSTREAM_BASE_URL=" + b.Upstream.URL, "UPSTREAM_AUTH_URL=" + b.Upstream.URL,
		"UPSTREAM_CLIENT_ID=sandbox-client", "UPSTREAM_CLIENT_SECRET=sandbox-secret",
	}
	made := airtill(t, nil, "", "backup", "key", "--to", b.identity)
	require.Equal(t, 0, made.status, made.err)
	b.recipient = strings.TrimSpace(made.out)
	return b
}

func (b *backedUp) at(url string) []string {
	return append([]string{"DATABASE_URL=" + url}, b.environ...)
}

// whileSelling sells as fast as it goes until do has ended, and returns how many were.
func (b *backedUp) whileSelling(do func()) (sold int) {
	ctx, stop := context.WithCancel(b.T.Context())
	ended, begun, offer := make(chan error, 1), make(chan struct{}), b.TopUp()
	go func() {
		for n := 0; ; n++ {
			order := apptest.Order(fmt.Sprint("meanwhile", n), offer)
			order.AccountNumber = fmt.Sprintf("35387%07d", n)
			sale, _, err := b.Try(order, offer)
			if err != nil || ctx.Err() != nil {
				sold = n
				ended <- err
				return
			}
			b.Sales.Dispatch(sale)
			if n == 2 { // some were sold before
				close(begun)
			}
		}
	}()
	select {
	case <-begun:
	case err := <-ended:
		require.NoError(b.T, err, "nothing is sold")
	}
	do()
	stop()
	require.NoError(b.T, <-ended)
	return sold
}

// The rehearsal: sell, back up while selling, restore elsewhere. The books hold there,
// the till has a new installation code, what was recorded and not sent is voided, and
// with the vault's key a PIN can be read. So a till grows from SQLite into PostgreSQL.
func TestABackupIsRestoredElsewhere(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, url string) {
		b := newBackedUp(t, url)
		voucher := b.PINOffer()
		o := apptest.Order("pin", voucher)
		o.AccountNumber = apiclient.DefaultPINAccountNumber
		pinned := b.Becomes(b.Sell(o, voucher).ID, sales.Complete, false)
		recorded, _, err := b.Try(apptest.Order("recorded", b.TopUp()), b.TopUp())
		require.NoError(t, err)
		require.Equal(t, sales.Recorded, recorded.Fulfilment)

		file := filepath.Join(t.TempDir(), "till.backup")
		require.Positive(t, b.whileSelling(func() {
			said := airtill(t, b.at(url), "", "backup", "--to", file, "--recipient", b.recipient)
			require.Equal(t, 0, said.status, said.err)
			require.Contains(t, said.err, "VAULT_KEY_FILE are not in it")
		}))
		body, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NotContains(t, string(body), apptest.Number)
		again := airtill(t, b.at(url), "", "backup", "--to", file, "--recipient", b.recipient)
		require.Equal(t, 1, again.status, "an older backup is not written over")

		storetest.EachURL(t, func(t *testing.T, elsewhere string) {
			if b.dialect == store.Postgres && strings.HasPrefix(elsewhere, "sqlite:") {
				said := airtill(t, b.at(elsewhere), "", "restore", "--from", file, "--identity", b.identity)
				require.Contains(t, said.err, "the backup is of a postgres database, and can only be restored into one")
				return
			}
			b.restores(t, file, elsewhere, pinned, recorded)
		})
	})
}

func (b *backedUp) restores(t *testing.T, file, elsewhere string, pinned, recorded sales.Sale) {
	t.Helper()
	said := airtill(t, b.at(elsewhere), "", "restore", "--from", file, "--identity", b.identity)
	require.Equal(t, 0, said.status, said.err)
	require.Contains(t, said.out, "the installation code is now ")
	require.NotContains(t, said.out, "the installation code is now "+recorded.Ref[:4])
	require.Contains(t, said.out, "voided: receipt "+recorded.Code)
	require.NotContains(t, said.out, "voided: receipt "+pinned.Code)

	verified := airtill(t, []string{"DATABASE_URL=" + elsewhere, b.environ[0]}, "", "verify")
	require.Equal(t, 0, verified.status, verified.out)
	again := airtill(t, b.at(elsewhere), "", "restore", "--from", file, "--identity", b.identity)
	require.Contains(t, again.err, "there is something in this database already")

	books, err := app.OpenBooks(t.Context(), app.Deps{
		Config:   app.Config{DatabaseURL: elsewhere, UpstreamBaseURL: b.Upstream.URL, UpstreamAPIKey: "sandbox-key"},
		VaultKey: apptest.VaultKey, Log: b.Log, Now: b.Now,
	})
	require.NoError(t, err)
	there, err := app.New(t.Context(), books)
	require.NoError(t, err)
	same, err := there.Sales.Get(t.Context(), pinned.ID, "")
	require.NoError(t, err)
	opened, err := there.Sales.Receipt(same)
	require.NoError(t, err)
	require.NotEmpty(t, opened.PIN())
	receipt, err := b.Sales.Receipt(pinned)
	require.NoError(t, err)
	require.Equal(t, receipt.PIN(), opened.PIN())
	require.NoError(t, there.Close())
	require.NoError(t, books.Close())
}

// Until the upstream has been asked about what is recorded, no process starts on a
// restored backup.
func TestARestoredBackupWaitsForTheUpstream(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, url string) {
		b := newBackedUp(t, url)
		b.Sell(apptest.Order("a", b.TopUp()), b.TopUp())
		stream := airtill(t, b.at(url), "", "backup", "--to", "-", "--recipient", b.recipient)
		require.Equal(t, 0, stream.status, stream.err)
		elsewhere := storetest.URL(t, b.dialect)

		other := filepath.Join(t.TempDir(), "vault-key")
		require.NoError(t, os.WriteFile(other, []byte(strings.ReplaceAll(apptest.VaultKey, "0", "f")), 0o600))
		wrong := append(b.at(elsewhere), "VAULT_KEY_FILE="+other)
		said := airtill(t, wrong, stream.out, "restore", "--from", "-", "--identity", b.identity)
		require.Equal(t, 1, said.status)
		require.Contains(t, said.err, "VAULT_KEY_FILE does not have the key")

		b.Upstream.Close()
		said = airtill(t, b.at(elsewhere), "", "restored")
		require.Equal(t, 1, said.status)
		said = airtill(t, b.at(elsewhere), "", "serve")
		require.Equal(t, 1, said.status)
		require.Contains(t, said.err, "web restored")
	})
}

func TestABackupThatSomebodyCannotMakeOrReadIsRefusedFirst(t *testing.T) {
	t.Parallel()
	b := newBackedUp(t, storetest.URL(t, store.SQLite))
	dir := t.TempDir()
	for want, args := range map[string][]string{
		"nobody could read it":       {"backup", "--to", "-"},
		"--recipient: ":              {"backup", "--to", "-", "--recipient", "age1nonsense"},
		"say where to":               {"backup", "--recipient", b.recipient},
		"say what and with which":    {"restore", "--from", "-"},
		"no such file or directory":  {"restore", "--from", "-", "--identity", filepath.Join(dir, "none")},
		"is there already":           {"backup", "key", "--to", b.identity},
		"decrypt: ":                  {"restore", "--from", b.identity, "--identity", b.identity},
		"put the vault's keys of th": {"restore", "--from", b.identity, "--identity", b.identity},
	} {
		environ := b.at("sqlite:" + filepath.Join(dir, "new.db"))
		if strings.HasPrefix(want, "put the vault") {
			environ = append(environ, "VAULT_KEY_FILE=")
		}
		said := airtill(t, environ, "", args...)
		require.Equal(t, 1, said.status, want)
		require.Contains(t, said.err, want)
	}
	require.NoFileExists(t, filepath.Join(dir, "new.db"))
}

// Whoever writes a file of that name meanwhile does not lose it: it may be the key that opens the backups.
func TestANewFileReplacesNoneThatCameMeanwhile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "identity")
	err := newFile(path, func(io.Writer) error {
		unfinished, err := filepath.Glob(path + ".unfinished-*")
		require.NoError(t, err)
		require.Len(t, unfinished, 1, "what a killed backup leaves behind says what it is")
		return os.WriteFile(path, []byte("first"), 0o600)
	})
	require.ErrorContains(t, err, "is there already")
	kept, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "first", string(kept))
	all, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, all, 1, "nothing else is left")
}
