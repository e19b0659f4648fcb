package report_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/demodata"
	"airtill/internal/harness/storetest"
	"airtill/internal/pricing"
	"airtill/internal/store"
)

// TestAPreviewThatIsCutReadsNoOtherShop: of many shops with many sales, the sales of those that no longer count are not
// read.
func TestAPreviewThatIsCutReadsNoOtherShop(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		if db.Dialect() == store.SQLite {
			t.Skip("nothing is counted")
		}
		w := newWorld(t, db, demodata.Plan{Sales: 400, Days: 5, Shops: 4, Seed: 3})
		w.report.Uses().Pricing = pricing.New(pricing.Deps{DB: db, Now: w.clock})
		draft := pricing.Rule{Name: "All", Priority: 5, Way: pricing.Fixed, Value: "0.40"}
		before := db.Counts()
		whole, err := w.report.PreviewRule(t.Context(), draft)
		require.NoError(t, err)
		require.False(t, whole.Cut)
		all := db.Counts().Sub(before).Statements
		before = db.Counts()
		cut, err := w.report.GoOn(t.Context(), draft)
		require.NoError(t, err)
		require.True(t, cut.Cut)
		require.Less(t, db.Counts().Sub(before).Statements, all-3)
	})
}
