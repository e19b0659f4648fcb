package web

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/staff"
)

// TestEverySaleIsTakenAwayOnce: a list of several pages comes whole, and without
// costs for who may not see them.
func TestEverySaleIsTakenAwayOnce(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Finance)
	got := w.get("/sales.csv?from=2026-01-01&to=2026-03-31")
	require.Equal(t, http.StatusOK, got.StatusCode)
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(got.body, "\uFEFF"))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, 601, len(rows)) //nolint:testifylint // Len would print them all
	seen := map[string]bool{}
	for _, row := range rows[1:] {
		seen[row[5]] = true
		require.NotEmpty(t, row[1], "the shop's name")
	}
	require.Equal(t, 600, len(seen)) //nolint:testifylint // Len would print them all
	require.Contains(t, rows[0], "Commission received")
	for format, begins := range map[string]string{"xlsx": "PK", "pdf": "%PDF-"} {
		require.True(t, strings.HasPrefix(w.get("/sales."+format+"?from=2026-03-01&to=2026-03-02").body, begins), format)
	}
	require.Equal(t, http.StatusUnprocessableEntity, w.get("/sales.csv?q=0871").StatusCode)
	require.Equal(t, http.StatusNotFound, w.get("/sales.csv?from=yesterday").StatusCode)
	require.Positive(t, w.get("/sales?from=2026-01-01&to=2026-03-31").page(t).Find(`.exports a[href^="/sales.csv?"]`).Length())
	require.Equal(t, http.StatusForbidden, b.signIn(staff.Cashier).get("/sales.csv").StatusCode)
}
