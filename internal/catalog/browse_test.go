package catalog_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// TestTheCatalogueTellsWhatIsNotSimplyOnSale: what an update took away or moved, what is hidden, and what fails.
func TestTheCatalogueTellsWhatIsNotSimplyOnSale(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := newListed(t, stock(20)...)
		b := newBench(t, db, u)
		update := func() {
			b.syncAll(t)
			require.NoError(t, db.Exec(t.Context(), "UPDATE provider_statuses SET processing = TRUE, message = ''"))
			require.NoError(t, db.Exec(t.Context(), "UPDATE catalog_versions SET version = version + 1"))
			require.NoError(t, b.Refresh(t.Context()))
		}
		update()
		browse := func(q catalog.Browse) catalog.Browsed {
			t.Helper()
			q.Search = inSpanish(q.Text)
			q.Limit = 100
			page, err := b.Browse(t.Context(), q)
			require.NoError(t, err)
			return page
		}
		skus := func(q catalog.Browse) (skus []string) {
			for _, e := range browse(q).Entries {
				skus = append(skus, e.SKU)
			}
			return skus
		}
		require.Len(t, skus(catalog.Browse{}), 20)
		for _, state := range catalog.States() {
			require.Empty(t, skus(catalog.Browse{State: state}), "%s: the first update has changed nothing", state)
		}

		rows := stock(20)[1:]
		rows[0] = "SKU002,Zephyr Ireland,EUR 2.50,Top-up,Ireland,N/A"
		u.restock(t, rows...)
		b.clock.advance(4 * time.Hour)
		update()
		chain := audit.New(audit.Deps{DB: db, Now: b.clock.now, Log: slog.New(slog.DiscardHandler)})
		require.NoError(t, b.Hide(t.Context(), chain, audit.Command("test"), "SKU003", "complaints"))
		failing := map[string]bool{"SKU004": true}
		require.Equal(t, []string{"SKU001"}, skus(catalog.Browse{State: catalog.Missing}))
		moved := skus(catalog.Browse{State: catalog.Moved})
		require.Contains(t, moved, "SKU002")
		require.Len(t, moved, b.lastRun(t, catalog.Products).Changed, "and what else is otherwise at the service")
		require.Equal(t, []string{"SKU003"}, skus(catalog.Browse{State: catalog.IsHidden}))
		require.Equal(t, []string{"SKU004"}, skus(catalog.Browse{State: catalog.Troubled, Failing: failing}))
		require.Equal(t, "complaints", browse(catalog.Browse{State: catalog.IsHidden}).Entries[0].Hidden.Reason)

		all := browse(catalog.Browse{Failing: failing})
		want := catalog.Tally{"": 19, catalog.Missing: 1, catalog.Moved: len(moved), catalog.IsHidden: 1, catalog.Troubled: 1}
		require.Equal(t, want, all.Found)
		require.Equal(t, map[string]catalog.Tally{"IE": want}, all.Countries)
		require.Len(t, all.Entries, 19)
		require.Len(t, skus(catalog.Browse{After: all.Entries[9].Key()}), 9, "what comes after")
		require.Empty(t, skus(catalog.Browse{ISO: "NG"}))
	})
}

// BenchmarkBrowse is a page of a whole market's catalogue.
func BenchmarkBrowse(b *testing.B) {
	u := wholeMarket(b)
	eachDatabase(b, func(b *testing.B, open func() *store.DB) {
		b.Helper()
		bench := newBench(b, open(), u)
		bench.syncAll(b)
		for b.Loop() {
			page, err := bench.Browse(b.Context(), catalog.Browse{Search: inSpanish("ireland")})
			require.NoError(b, err)
			require.NotEmpty(b, page.Entries)
		}
	})
}
