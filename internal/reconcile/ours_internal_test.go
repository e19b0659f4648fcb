package reconcile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/ledger"
	"airtill/internal/store"
)

func TestTheFloatOfSalesIsReadSaleBySale(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.URL(t, store.SQLite))
	ids := make([]string, 600)
	for i := range ids {
		ids[i] = string(rune('a' + i%26))
	}
	var plan []struct{ Detail string }
	require.NoError(t, db.Read(t.Context()).Raw("EXPLAIN QUERY PLAN "+floatOfSales, ids, []ledger.Account{ledger.Float, ledger.Reserved, ledger.BatchClearing, ledger.RefundReceivable}).Scan(&plan).Error)
	require.Contains(t, plan[0].Detail, "postings_by_sale")
}
