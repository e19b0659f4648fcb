package catalog_test

import (
	"encoding/json"
	"log/slog"
	"slices"
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

// Neither an answer that was held back nor a product that is back says of a product that it changed.
func TestOnlyWhatAnUpdateChangedIsListedAsChanged(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := newListed(t, stock(20)...)
		b := newBench(t, db, u)
		b.syncAll(t)
		update := func(first, last int, dear ...string) catalog.Run { // the products that the service has, and its news
			u.alter(func(method string, body []byte) []byte {
				if method != "GetProducts" {
					return body
				}
				var answer struct {
					ResultCode int
					Items      []map[string]any
				}
				require.NoError(t, json.Unmarshal(body, &answer))
				answer.Items = answer.Items[first:last]
				for _, item := range answer.Items {
					if slices.Contains(dear, item["SkuCode"].(string)) {
						item["CommissionRate"] = 0.5
					}
				}
				body, err := json.Marshal(answer)
				require.NoError(t, err)
				return body
			})
			b.clock.advance(4 * time.Hour)
			require.NoError(t, b.Sync(t.Context(), false, catalog.Products))
			return b.lastRun(t, catalog.Products)
		}
		changed := func() (skus []string) {
			q := catalog.Browse{Search: inSpanish(""), State: catalog.Moved}
			q.Limit = 100
			page, err := b.Browse(t.Context(), q)
			require.NoError(t, err)
			for _, e := range page.Entries {
				skus = append(skus, e.SKU)
			}
			return skus
		}
		require.Equal(t, 1, update(0, 20, "SKU002").Changed)
		require.Equal(t, []string{"SKU002"}, changed())

		require.Equal(t, catalog.Held, update(0, 5, "SKU002", "SKU003").Outcome)
		require.Equal(t, []string{"SKU002"}, changed(), "held back")

		require.Equal(t, 1, update(0, 19, "SKU002").Removed)
		require.Equal(t, []string{"SKU002"}, changed(), "one went")
		require.Equal(t, 1, update(0, 20, "SKU002").Added)
		require.Equal(t, []string{"SKU002"}, changed(), "and is back")
	})
}

// A product that could not be sold is listed as missing no longer than any other.
func TestWhatIsMissingIsListedForThreeMonths(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := newListed(t, stock(20)...)
		b := newBench(t, db, u)
		u.alter(func(method string, body []byte) []byte {
			if method != "GetProducts" {
				return body
			}
			var answer struct {
				ResultCode int
				Items      []map[string]any
			}
			require.NoError(t, json.Unmarshal(body, &answer))
			for _, item := range answer.Items {
				if item["SkuCode"] == "SKU020" {
					item["CommissionRate"] = "half"
				}
			}
			body, err := json.Marshal(answer)
			require.NoError(t, err)
			return body
		})
		b.syncAll(t)
		missing := func() int {
			q := catalog.Browse{Search: inSpanish(""), State: catalog.Missing}
			q.Limit = 100
			page, err := b.Browse(t.Context(), q)
			require.NoError(t, err)
			require.Len(t, page.Entries, page.Found[catalog.Missing])
			return len(page.Entries)
		}
		require.Equal(t, 1, b.lastRun(t, catalog.Products).Unsellable)
		u.restock(t, stock(18)...)
		b.clock.advance(4 * time.Hour)
		b.syncAll(t)
		require.Equal(t, 2, missing())
		b.clock.advance(91 * 24 * time.Hour)
		require.Zero(t, missing())
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
