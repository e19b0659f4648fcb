package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/store"
	"airtill/internal/vault"
)

// TestANumberIsHandedOutAndErasedFromTheCommandLine reads the number from standard input,
// where no list of processes shows it.
func TestANumberIsHandedOutAndErasedFromTheCommandLine(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, url string) {
		key := filepath.Join(t.TempDir(), "vault-key")
		require.NoError(t, os.WriteFile(key, []byte(vault.NewKey()), 0o600))
		environ := []string{"DATABASE_URL=" + url, "VAULT_KEY_FILE=" + key}
		require.Equal(t, 0, airtill(t, environ, "", "migrate").status)
		shop := airtill(t, environ, "", "shop", "add", "--name", "Corner Shop", "--zone", "Europe/Dublin", "--country", "IE", "--currency", "EUR")
		require.Equal(t, 0, shop.status, shop.err)
		db, err := store.Open(t.Context(), url) // closed before the next command: SQLite has one process
		require.NoError(t, err)
		require.NoError(t, db.Exec(t.Context(), `INSERT INTO customer_numbers
			(shop_id, account_number, ending, sale_id, seen_at) SELECT id, '353871234567', '4567', '', ? FROM shops`, store.Moment(time.Now())))
		require.NoError(t, db.Close())

		got := airtill(t, environ, "087 123 4567\n", "person", "export")
		require.Equal(t, 0, got.status, got.err)
		require.Contains(t, got.out, `"number": "353871234567"`)
		require.Contains(t, got.out, `"shop": "Corner Shop"`)
		require.Equal(t, 1, airtill(t, environ, "", "person", "export").status, "no number")
		require.Contains(t, airtill(t, environ, "087 123 4567\n", "person", "erase").err, "Say why")

		got = airtill(t, environ, "", "person", "erase", "--number", "+353 87 123 4567", "--reason", "letter of 3 March")
		require.Equal(t, "erased: the number of 0 sales, 1 entries of customer books\n", got.out)
		require.NotContains(t, got.err, "1234567")
		require.Contains(t, airtill(t, environ, "087 123 4567\n", "person", "erase", "--reason", "again").err, "Nothing is stored")
		require.NotContains(t, airtill(t, environ, "087 123 4567\n", "person", "export").out, "Corner Shop")
		require.Equal(t, 0, airtill(t, environ, "", "verify").status)
	})
}

// What was remembered of numbers under an older key can be found no more, and so not be erased: it goes with the key.
func TestARotatedKeyLeavesNoNumberBehind(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, url string) {
		key := filepath.Join(t.TempDir(), "vault-key")
		require.NoError(t, os.WriteFile(key, []byte(vault.NewKey()), 0o600))
		environ := []string{"DATABASE_URL=" + url, "VAULT_KEY_FILE=" + key}
		require.Equal(t, 0, airtill(t, environ, "", "migrate").status)
		stored := func(sql string) (n int64) {
			db, err := store.Open(t.Context(), url) // closed before the next command: SQLite has one process
			require.NoError(t, err)
			if sql != "" {
				require.NoError(t, db.Exec(t.Context(), sql, store.Moment(time.Now())))
			}
			require.NoError(t, db.Read(t.Context()).Raw("SELECT (SELECT COUNT(*) FROM number_operators) + (SELECT COUNT(*) FROM number_lookups)").Scan(&n).Error)
			require.NoError(t, db.Close())
			return n
		}
		stored("INSERT INTO number_lookups (number_hash, country, items, asked_at) VALUES ('older', 'IE', '[]', ?)")
		require.EqualValues(t, 2, stored("INSERT INTO number_operators (number_hash, provider, region, source, seen_at) VALUES ('older', 'ZEIE', '', 'sale', ?)"))
		got := airtill(t, environ, "", "vault", "rotate")
		require.Equal(t, 0, got.status, got.err)
		require.Zero(t, stored(""))
	})
}
