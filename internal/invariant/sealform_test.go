package invariant

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
)

// TestSealsOfBothFormsAreRead: a night's seal that nobody could read again would let
// everything before it be changed.
func TestSealsOfBothFormsAreRead(t *testing.T) {
	t.Parallel()
	want := seal{From: "28", To: "36", Ends: time.Date(2026, 3, 2, 6, 47, 0, 5000, time.UTC), Rows: 8, Hash: "6a09"}
	for _, after := range []string{
		`{"ends":"2026-03-02T06:47:00.000005Z","from":"28","hash":"6a09","rows":8,"to":"36"}`,
		`[{"name":"from","kind":"text","after":"28"},{"name":"to","kind":"text","after":"36"},
			{"name":"ends","kind":"time","after":"2026-03-02T06:47:00.000005Z"},
			{"name":"rows","kind":"count","after":"8"},{"name":"hash","kind":"text","after":"6a09"}]`,
	} {
		got, err := sealOf(audit.Record{Act: audit.BooksSealed, After: after})
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, tampered := range []string{``, `{"rows":`, `{"rows":"many","ends":"2026-03-02T06:47:00Z"}`, `[]`} {
		_, err := sealOf(audit.Record{After: tampered})
		require.Error(t, err, tampered)
	}
}
