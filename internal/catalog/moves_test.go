package catalog_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// listed are the lines of a run, each as field and code.
func (b *bench) listed(t *testing.T, f catalog.ChangeFilter) (lines []string) {
	t.Helper()
	changes, err := b.RunChanges(t.Context(), f)
	require.NoError(t, err)
	for _, c := range changes {
		lines = append(lines, string(c.Field)+" "+c.SKU)
	}
	return lines
}

func TestARunListsWhatCameWentAndMoved(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		rows := stock(20)
		u := newListed(t, rows...)
		b := newBench(t, db, u)
		b.syncAll(t)
		first := b.lastRun(t, catalog.Products)
		require.Equal(t, 20, first.Added)
		require.Empty(t, b.listed(t, catalog.ChangeFilter{RunID: first.ID, Limit: 100}), "everything is new")

		rows[2] = "SKU003,Zephyr Ireland,EUR 3.50,Top-up,Ireland,N/A"
		u.restock(t, append(rows[:18], "NEW1,Zephyr Ireland,EUR 70.00,Top-up,Ireland,N/A", "NEW2,Zephyr Ireland,EUR 80.00,Top-up,Ireland,N/A")...)
		b.clock.advance(time.Hour)
		b.syncAll(t)
		run := b.lastRun(t, catalog.Products)
		all := catalog.ChangeFilter{RunID: run.ID, Language: "en", Limit: 100}
		lines := b.listed(t, all)
		require.ElementsMatch(t, []string{"added NEW1", "added NEW2", "minimum SKU003", "maximum SKU003", "removed SKU019", "removed SKU020"}, lines)
		require.Equal(t, []string{"removed SKU019", "removed SKU020"}, lines[4:])
		listed, err := b.ListedOf(t.Context(), run.ID)
		require.NoError(t, err)
		require.Equal(t, map[catalog.Field]int{catalog.Added: run.Added, catalog.Removed: run.Removed, catalog.Minimum: 1, catalog.Maximum: 1}, listed)

		changes, err := b.RunChanges(t.Context(), catalog.ChangeFilter{RunID: run.ID, Language: "en", Fields: []catalog.Field{catalog.Removed}, Limit: 1})
		require.NoError(t, err)
		gone, text, err := b.Find(t.Context(), "SKU019", "en")
		require.NoError(t, err)
		require.Equal(t, []string{gone.Provider, "Zephyr Ireland", "IE", text.DisplayText}, []string{changes[0].Provider, changes[0].Operator, changes[0].Country, changes[0].Text})
		require.Contains(t, changes[0].Was, ": 19.00 EUR")
		require.Empty(t, changes[0].Became)

		var paged []string
		for after := ""; ; {
			page, err := b.RunChanges(t.Context(), catalog.ChangeFilter{RunID: run.ID, After: after, Limit: 4})
			require.NoError(t, err)
			if len(page) == 0 {
				break
			}
			for _, c := range page {
				paged, after = append(paged, string(c.Field)+" "+c.SKU), c.ID
			}
		}
		require.Equal(t, lines, paged)

		u.restock(t, append(rows[:18], "SKU019,Zephyr Ireland,EUR 29.00,Top-up,Ireland,N/A", "NEW1,Zephyr Ireland,EUR 70.00,Top-up,Ireland,N/A", "NEW2,Zephyr Ireland,EUR 80.00,Top-up,Ireland,N/A")...)
		b.clock.advance(time.Hour)
		b.syncAll(t)
		back := b.lastRun(t, catalog.Products)
		require.Equal(t, []string{"added SKU019"}, b.listed(t, catalog.ChangeFilter{RunID: back.ID, Limit: 100}), "what comes back has not moved")
		require.Equal(t, lines, b.listed(t, all), "and went in the run before all the same")

		_, err = b.RunByID(t.Context(), "none")
		require.Equal(t, fault.NotFound, fault.KindOf(err))
	})
}

func TestStatusChecksThatFindNothingAreNotNotable(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), newListed(t, stock(20)...))
	b.syncAll(t)
	for range 5 {
		b.clock.advance(2 * time.Minute)
		require.NoError(t, b.SyncStatuses(t.Context()))
	}
	runs, err := b.NotableRuns(t.Context(), 1000)
	require.NoError(t, err)
	require.Len(t, runs, len(catalog.Resources()))
	all, err := b.Runs(t.Context(), 1000)
	require.NoError(t, err)
	require.Len(t, all, len(runs)+5)
}

// TestChangesDoNotGrowWithoutEnd: the oldest go, and moves do not crowd out what
// came and went.
func TestChangesDoNotGrowWithoutEnd(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, newListed(t, stock(1)...))
		const most = 100_000
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			for field, n := range map[catalog.Field]int{catalog.Minimum: most + 3, catalog.Removed: 2} {
				err := tx.Exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
					INSERT INTO catalog_changes (id, run_id, sku, field, was, became, changed_at) SELECT `+padded+`, 'run', 'SKU', ?, '', '', ? FROM n`, n, string(field)+"-", field, b.clock.now()).Error
				if err != nil {
					return err
				}
			}
			return nil
		}))
		require.NoError(t, b.Forget(t.Context()))
		listed, err := b.ListedOf(t.Context(), "run")
		require.NoError(t, err)
		require.Equal(t, map[catalog.Field]int{catalog.Minimum: most, catalog.Removed: 2}, listed)
		require.Len(t, b.listed(t, catalog.ChangeFilter{RunID: "run", Fields: []catalog.Field{catalog.Minimum}, Limit: 1}), 1)
		var id string
		require.NoError(t, db.Read(t.Context()).Raw("SELECT MIN(id) FROM catalog_changes WHERE field = 'minimum'").Scan(&id).Error)
		require.Equal(t, fmt.Sprintf("minimum-%06d", 4), id)
	})
}

// padded numbers rows so that they sort as they count, on both databases.
const padded = "CAST(? AS TEXT) || SUBSTR('000000' || CAST(i AS TEXT), LENGTH(CAST(i AS TEXT)) + 1, 6)"
