//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/store"
	"airtill/internal/vault"
)

// K17: web vault rotate is killed once it has sealed some of the rows anew. With both keys all of them open, and the
// till starts and sells; the same command goes on, and after it the new key alone opens everything.
func TestARotationThatIsKilledGoesOn(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		_, file, _ := strings.Cut(strings.Join(w.env, "\n"), "VAULT_KEY_FILE=")
		file, _, _ = strings.Cut(file, "\n")
		body, err := os.ReadFile(file)
		require.NoError(t, err)
		old, fresh := string(body), "rotated:"+strings.Repeat("5a", 32)+"\n"
		const bodies = 250
		w.putWebhooks(t, old, bodies)

		require.NoError(t, os.WriteFile(file, []byte(fresh+old), 0o600))
		marks := t.TempDir()
		said, status := w.tryCommand(t, []string{"AIRTILL_FAILPOINTS=K17", "AIRTILL_FAILPOINT_DIR=" + marks}, "vault", "rotate")
		require.Equal(t, -1, status, "killed in the middle: %s", said)
		require.FileExists(t, filepath.Join(marks, "K17"))
		require.Equal(t, 100, w.opened(t, fresh))
		require.Equal(t, bodies-100, w.opened(t, old))
		require.Equal(t, bodies, w.opened(t, fresh+old), "all is readable with both keys")

		between := w.serve(t).ready(t)
		cashier := w.cashier(t, between)
		cashier.toConfirm(irish).press(cashReceived).becomes("complete", settles)
		between.stop(t)

		said, status = w.tryCommand(t, nil, "vault", "rotate")
		require.Equal(t, 0, status, said)
		require.GreaterOrEqual(t, w.opened(t, fresh), bodies)
		require.Zero(t, w.opened(t, old))
		w.verify(t)
	})
}

// putWebhooks writes sealed bodies as webhooks leave them.
func (w *world) putWebhooks(t *testing.T, keys string, n int) {
	t.Helper()
	v, err := vault.New(keys)
	require.NoError(t, err)
	db, err := store.Open(t.Context(), w.databaseURL())
	require.NoError(t, err)
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		now := store.Moment(time.Now())
		for i := range n {
			digest := fmt.Sprintf("%03d", i)
			body, err := v.Seal(digest, vault.Receipt{Text: digest})
			if err != nil {
				return err
			}
			if err := tx.Exec(`INSERT INTO webhooks (id, digest, received_at, signed_at, encrypted, ref, sale_id, verdict, sealed_body)
				VALUES (?, ?, ?, ?, FALSE, '', '', 'foreign', ?)`, digest, digest, now, now, body).Error; err != nil {
				return err
			}
		}
		return nil
	}))
	require.NoError(t, db.Close())
}

// opened counts the webhooks that keys open.
func (w *world) opened(t *testing.T, keys string) (n int) {
	t.Helper()
	v, err := vault.New(keys)
	require.NoError(t, err)
	db, err := store.Open(t.Context(), w.databaseURL())
	require.NoError(t, err)
	var rows []struct{ Digest, SealedBody string }
	require.NoError(t, db.Read(t.Context()).Table("webhooks").Where("sealed_body <> ''").Find(&rows).Error)
	for _, row := range rows {
		if _, err := v.Open(row.Digest, row.SealedBody); err == nil {
			n++
		}
	}
	require.NoError(t, db.Close())
	return n
}
