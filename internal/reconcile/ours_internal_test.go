package reconcile

import (
	"testing"
	"time"

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

// Not by all that was ever sold, on each page of a difference.
func TestWhatIsBookedForADifferenceIsReadByItsJournal(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		asked := storetest.Recorded(t, db)
		_, err := New(Deps{DB: db}).BookedFor(t.Context(), Break{ID: "x", Currency: "EUR"})
		require.NoError(t, err)
		require.Len(t, *asked, 1)
		plan := storetest.Plan(t, db, (*asked)[0].SQL, (*asked)[0].Args...)
		require.Regexp(t, "sqlite_autoindex_postings_1|postings_journal_line_key", plan)
	})
}

// Not among all that were ever resolved, nor by all balances there ever were: SQLite sorted them.
func TestWhatIsUnresolvedAndTheLastBalancesAreReadAlone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		asked := storetest.Recorded(t, db)
		s := New(Deps{DB: db, Now: time.Now})
		for _, f := range []QueueFilter{
			{}, {ShopID: "x"}, {Kind: ForeignSale}, {ShopID: "x", Kind: ForeignSale, Owner: "x"},
		} {
			_, err := s.Queue(t.Context(), f)
			require.NoError(t, err)
			_, err = s.Unresolved(t.Context(), f.ShopID)
			require.NoError(t, err)
		}
		require.Len(t, *asked, 12)
		for _, query := range *asked {
			require.Contains(t, storetest.Plan(t, db, query.SQL, query.Args...), "breaks_unresolved")
		}
		*asked = nil
		_, err := s.LastQuiet(t.Context())
		require.NoError(t, err)
		_, err = lastSettled(db.Read(t.Context()), "EUR")
		require.NoError(t, err)
		for _, query := range *asked {
			plan := storetest.Plan(t, db, query.SQL, query.Args...)
			require.Regexp(t, "SEARCH upstream_balances USING INDEX|Backward using upstream_balances_pkey", plan)
			require.NotContains(t, plan, "B-TREE")
		}
	})
}

// Not by all differences that there ever were, for each shift.
func TestOverAndShortIsReadShiftByShift(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		asked := storetest.Recorded(t, db)
		_, err := New(Deps{DB: db}).OverAndShort(t.Context(), "x", time.Time{}, time.Now())
		require.NoError(t, err)
		require.Len(t, *asked, 1)
		plan := storetest.Plan(t, db, (*asked)[0].SQL, (*asked)[0].Args...)
		require.Regexp(t, "sqlite_autoindex_postings_1|postings_journal_line_key", plan)
	})
}
