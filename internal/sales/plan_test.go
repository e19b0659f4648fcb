package sales_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// TestTheGuardedUpdateGoesByThePrimaryKey: PostgreSQL has been seen to choose a
// partial index on open states for the compare-and-set of a sale, at a third
// of its cost again.
func TestTheGuardedUpdateGoesByThePrimaryKey(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		if db.Dialect() != store.Postgres {
			return // SQLite's planner knows one way only
		}
		w := newWorld(t, db)
		offer := w.TopUp()
		for i := range 40 {
			o := apptest.Order(fmt.Sprintf("%02d", i), offer)
			o.AccountNumber = fmt.Sprintf("3538712345%02d", i)
			w.Becomes(w.Sell(o, offer).ID, sales.Complete, false)
		}
		var plan []string
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			storetest.AsOwner(t, tx)
			if err := tx.Exec("ANALYZE sales").Error; err != nil {
				return err
			}
			if err := tx.Exec("SET LOCAL enable_seqscan = off").Error; err != nil { // forty rows are read whole otherwise
				return err
			}
			return tx.Raw("EXPLAIN UPDATE sales SET fulfilment = 'sending' WHERE id = 'x' AND events = 1 AND fulfilment = 'recorded'").Scan(&plan).Error
		}))
		require.Contains(t, strings.Join(plan, "\n"), "sales_pkey")
	})
}
