package store_test

import (
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// TestASessionThatTakesNoWritesIsGivenUp: one that began while the server took none, or at one that had to let another
// take its place, would take none for as long as it lasts, which is an hour.
func TestASessionThatTakesNoWritesIsGivenUp(t *testing.T) {
	t.Parallel()
	const busy = 4
	url := postgresURL(t)
	owner, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer owner.Close(t.Context())
	takesNone := func(value string) {
		t.Helper()
		_, err := owner.Exec(t.Context(), `DO $$ BEGIN
			EXECUTE 'ALTER DATABASE ' || current_database() || ' SET default_transaction_read_only = `+value+`'; END $$`)
		require.NoError(t, err)
	}
	takesNone("on")
	db := storetest.Open(t, url)
	write := func() error { return db.Exec(t.Context(), insertPosting, "j", 1, 5, noon) }
	var all, done sync.WaitGroup
	all.Add(busy)
	for range busy { // connections, since each waits for the others
		done.Go(func() {
			_ = db.Tx(t.Context(), func(tx *store.Tx) error {
				var one int
				err := tx.Raw("SELECT 1").Scan(&one).Error
				all.Done()
				all.Wait()
				return err
			})
		})
	}
	done.Wait()
	err = write()
	require.Equal(t, fault.Unsure, fault.KindOf(store.Explain(err, false)), "%v", err)

	takesNone("off")
	require.NoError(t, write(), "it takes writes again")
}
