package store_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/store"
)

// Where only the folder of the database may be written to, a sale could not be recorded: SQLite had no place for the
// file that it needs for one.
func TestTemporaryFilesAreBesideADatabaseThatHasNoOtherPlace(t *testing.T) {
	for _, folder := range []string{"data", "Anna's till, 50 % & more"} {
		t.Setenv("TMPDIR", "") // for t.TempDir
		dir := filepath.Join(t.TempDir(), folder)
		t.Setenv("TMPDIR", filepath.Join(dir, "none"))
		db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(dir, "till.db"))
		require.NoError(t, err)
		var place string
		require.NoError(t, db.Read(t.Context()).Raw("PRAGMA temp_store_directory").Scan(&place).Error)
		require.Equal(t, dir, place)
		require.NoError(t, db.Close())
	}
}

// A folder for temporary files that is full stops no sale: what writes needs no file there, but for migrations.
func TestWhatIsWrittenNeedsNoTemporaryFile(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "till.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, db.Migrate(t.Context()))
	var where int
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Raw("PRAGMA temp_store").Scan(&where).Error
	}))
	require.Equal(t, 2, where, "memory")
}
