package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// TestADamagedFileIsToldOf: the till starts on it, since most of it can be read, and was ready while pages that came upon
// the rest said that the fault was ours.
func TestADamagedFileIsToldOf(t *testing.T) {
	t.Parallel()
	url := storetest.Damaged(t, "postings")
	for name, ask := range map[string]func(db *store.DB) error{
		"a question": func(db *store.DB) error {
			_, err := store.Value[int](db.Read(t.Context()).Raw("SELECT COUNT(*) FROM postings NOT INDEXED"))
			return err
		},
		"a write": func(db *store.DB) error {
			return db.Exec(t.Context(), "DELETE FROM postings WHERE id = 1")
		},
	} {
		db, err := store.Open(t.Context(), url)
		require.NoError(t, err)
		require.NoError(t, db.Ping(t.Context()), "nobody has come upon it")
		err = store.Explain(ask(db), false)
		require.Equal(t, fault.Unavailable, fault.KindOf(err), "%s: %v", name, err)
		require.Contains(t, fault.Message(err), "damaged", name)
		require.ErrorContains(t, db.Ping(t.Context()), "damaged", name)
		require.NoError(t, db.Close())
	}
}
