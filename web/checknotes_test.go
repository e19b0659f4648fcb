package web

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// TestTheChecksSpeakTheReadersLanguage, also with what was stored before their notes had words, which is English.
func TestTheChecksSpeakTheReadersLanguage(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	_, err := b.checks.Verify(t.Context(), "test")
	require.NoError(t, err)
	w := b.signIn(staff.Admin)
	w.post("/language", url.Values{"language": {"es"}, "next": {"/"}})
	checks := w.get("/admin/health").page(t).Find(".checks")
	require.Contains(t, checks.Text(), "Aún no hay nada anotado fuera")
	require.Zero(t, checks.Find(`[lang="en"]`).Length(), checks.Text())

	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec(`UPDATE verify_runs SET findings = '[{"Name":"I6","Rule":"x","Note":"not at rest: sales are open"}]'`).Error
	}))
	require.Equal(t, "not at rest: sales are open", w.get("/admin/health").page(t).Find(`.checks [lang="en"]`).Text())
}
