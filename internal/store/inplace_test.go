package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// TestPostgresIsGivenWhatIsMeant: what goes and comes past pgx's own codecs is what PostgreSQL understands.
func TestPostgresIsGivenWhatIsMeant(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		if db.Dialect() == store.SQLite {
			t.Skip("another driver")
		}
		text, number, none := "été", int64(-3), (*time.Time)(nil)
		for written, at := range map[string]time.Time{
			"2026-03-14 12:00:00.000001": time.Date(2026, 3, 14, 13, 0, 0, 1000, time.FixedZone("", 3600)),
			"1969-07-20 20:17:40":        time.Date(1969, 7, 20, 20, 17, 40, 0, time.UTC),
			"2000-01-01 00:00:00":        time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC),
		} {
			var same, unset bool
			var read time.Time
			var some, null *time.Time
			require.NoError(t, db.Rows(t.Context(), store.Query{
				SQL: `SELECT ?::timestamp = '` + written + `' AND ?::timestamp = '` + written + `' AND ?::text = 'été' AND
?::bigint = -3, ?::timestamp IS NULL, timestamp '` + written + `', timestamp '` + written + `', NULL::timestamp`,
				Args: []any{at, &at, &text, &number, &none},
				Row:  func(scan store.Scanner) error { return scan(&same, &unset, &read, &some, &null) },
			}))
			require.True(t, same, written)
			require.True(t, unset)
			require.Equal(t, at.UTC(), read)
			require.Equal(t, at.UTC(), *some)
			require.Nil(t, null)
		}
		require.Error(t, db.Rows(t.Context(), store.Query{
			SQL: "SELECT NULL::timestamp", Row: func(scan store.Scanner) error { return scan(new(time.Time)) },
		}), "no time is not a time")
	})
}
