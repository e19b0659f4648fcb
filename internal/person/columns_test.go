package person_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/person"
	"airtill/internal/store"
)

// personal are the names of columns of text that may hold something of a customer's number.
var personal = regexp.MustCompile(
	`account|number|phone|msisdn|meter|customer|folded|ending|bill|settings|subject|summary|evidence|document|note|_json|` +
		`sealed_body|sealed_receipt|params_hash|hint|asked$`)

// TestEveryColumnThatMayHoldANumberIsListed reads the schema: who adds a column that may
// hold a customer's number says in Columns what becomes of it.
func TestEveryColumnThatMayHoldANumberIsListed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		query := `SELECT m.name || '.' || c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
			WHERE m.type = 'table' AND c.type = 'TEXT' AND m.name NOT LIKE 'river%' AND m.name NOT LIKE 'goose%'`
		if db.Dialect() == store.Postgres {
			query = `SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'public'
				AND data_type = 'text' AND table_name NOT LIKE 'river%' AND table_name NOT LIKE 'goose%'`
		}
		var columns []string
		require.NoError(t, db.Read(t.Context()).Raw(query).Scan(&columns).Error)
		require.Greater(t, len(columns), 200)
		listed := map[string]bool{}
		for _, c := range person.Columns {
			require.Contains(t, columns, c.Name, "there is no such column")
			require.False(t, listed[c.Name], c.Name)
			require.NotEmpty(t, c.Why, c.Name)
			listed[c.Name] = true
		}
		var missing []string
		for _, name := range columns {
			if _, column, _ := strings.Cut(name, "."); personal.MatchString(column) && !listed[name] {
				missing = append(missing, name)
			}
		}
		slices.Sort(missing)
		require.Empty(t, missing, "say in person.Columns what becomes of these: %s", fmt.Sprint(missing))
	})
}
