package catalog_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/harness/storetest"
	"airtill/internal/jobs"
	"airtill/internal/jobs/jobstest"
	"airtill/internal/sandbox"
	"airtill/internal/store"
)

// stock is a product list of n top-ups of one operator.
func stock(n int) []string {
	var rows []string
	for i := 1; i <= n; i++ {
		rows = append(rows, fmt.Sprintf("SKU%03d,Zephyr Ireland,EUR %d.00,Top-up,Ireland,N/A", i, i))
	}
	return rows
}

func TestFirstSyncSellsEverything(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, newUpstream(t, sandbox.Deps{}))
		require.True(t, b.Current().Empty())
		require.Zero(t, b.Current().Version())
		before := time.Now()
		require.NoError(t, b.SyncDue(t.Context()))
		c := b.Current()
		require.EqualValues(t, 1, c.Version())
		require.GreaterOrEqual(t, c.Size(), 1500)
		require.WithinRange(t, c.PricesAsOf(), before.Add(-time.Second), time.Now())
		require.WithinRange(t, c.StatusAsOf(), before.Add(-time.Second), time.Now())
		require.GreaterOrEqual(t, len(c.SellingCountries()), 40)
		kinds, told := map[catalog.Kind]int{}, map[string]int{}
		for p := range c.AllProducts() {
			kinds[p.Kind]++
			for _, language := range languages {
				text := c.Text(p, language)
				require.NotEmpty(t, text.DisplayText)
				told[text.Language]++
			}
			provider, ok := c.Provider(p.Provider)
			require.True(t, ok)
			_, ok = c.Country(provider.Country)
			require.True(t, ok)
			require.NotEmpty(t, provider.Name)
		}
		for _, kind := range []catalog.Kind{catalog.KindTopUp, catalog.KindData, catalog.KindBundle, catalog.KindPIN, catalog.KindVoucher, catalog.KindElectricity, catalog.KindTV, catalog.KindBill} {
			require.Positive(t, kinds[kind], kind)
		}
		require.Len(t, told, len(languages))
		var codes []string
		require.NoError(t, db.Read(t.Context()).Table("error_texts").Pluck("code", &codes).Error)
		require.Contains(t, codes, "InsufficientBalance")
		require.Equal(t, c.Size(), b.count(t, "airtill_catalog_products"))
	})
}

func TestNothingNewWritesNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, newListed(t, stock(20)...))
		b.syncAll(t)
		first := b.Current()
		b.clock.advance(time.Hour)
		b.syncAll(t)
		require.Equal(t, first.Version(), b.Current().Version())
		require.Greater(t, b.Current().PricesAsOf(), first.PricesAsOf())
		for _, resource := range catalog.Resources() {
			run := b.lastRun(t, resource)
			require.Equal(t, catalog.Done, run.Outcome, resource)
			require.Zero(t, run.Added+run.Changed+run.Removed+run.Written, resource)
		}
	})
}

func TestDiffFindsAddedChangedAndRemoved(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		rows := stock(20)
		u := newListed(t, rows...)
		b := newBench(t, db, u)
		b.syncAll(t)
		held, _ := b.Current().Product("SKU003")

		rows[2] = "SKU003,Zephyr Ireland,EUR 3.50,Top-up,Ireland,N/A"
		u.restock(t, append(rows[:19], "NEW1,Zephyr Ireland,EUR 70.00,Top-up,Ireland,N/A", "NEW2,Zephyr Ireland,EUR 80.00,Top-up,Ireland,N/A")...)
		b.clock.advance(time.Hour)
		b.syncAll(t)

		run := b.lastRun(t, catalog.Products)
		require.Equal(t, []int{2, 1, 1}, []int{run.Added, run.Changed, run.Removed})
		require.EqualValues(t, 2, b.Current().Version())
		require.Equal(t, 21, b.Current().Size())
		_, ok := b.Current().Product("SKU020")
		require.False(t, ok)
		now, _ := b.Current().Product("SKU003")
		require.Equal(t, "3.50 EUR", now.Minimum.Receive().String())
		require.Equal(t, "3.00 EUR", held.Minimum.Receive().String(), "a snapshot that was handed out never changes")

		changes, err := b.Changes(t.Context(), 10)
		require.NoError(t, err)
		require.Len(t, changes, 2)
		require.ElementsMatch(t, []catalog.Field{catalog.Minimum, catalog.Maximum}, []catalog.Field{changes[0].Field, changes[1].Field})
		require.Contains(t, changes[0].Was, ": 3.00 EUR")
		require.Contains(t, changes[0].Became, ": 3.50 EUR")
		require.Equal(t, run.ID, changes[0].RunID)
	})
}

func TestWithdrawnProductsStillHaveTheirText(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := newListed(t, stock(20)...)
		b := newBench(t, db, u)
		b.syncAll(t)
		u.restock(t, stock(19)...)
		b.syncAll(t)
		gone, text, err := b.Find(t.Context(), "SKU020", "en")
		require.NoError(t, err)
		require.Equal(t, "20.00 EUR", gone.Minimum.Receive().String())
		require.NotEqual(t, "SKU020", text.DisplayText)
		_, _, err = b.Find(t.Context(), "NEVER", "en")
		require.Error(t, err)

		u.restock(t, stock(20)...)
		b.syncAll(t)
		require.Equal(t, 1, b.lastRun(t, catalog.Products).Added)
		_, ok := b.Current().Product("SKU020")
		require.True(t, ok, "what comes back is sold again")

		u.restock(t)
		require.NoError(t, b.Sync(t.Context(), true, catalog.Resources()...))
		require.Zero(t, b.Current().Size())
		u.restock(t, stock(20)...)
		b.syncAll(t)
		require.Equal(t, 20, b.Current().Size(), "all of it went and came back")
	})
}

func TestAbsurdlySmallAnswerIsHeld(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := newListed(t, stock(20)...)
		b := newBench(t, db, u)
		b.syncAll(t)
		first := b.Current()
		u.restock(t, stock(9)...)
		b.clock.advance(4 * time.Hour)
		require.NoError(t, b.SyncDue(t.Context()))
		run := b.lastRun(t, catalog.Products)
		require.Equal(t, catalog.Held, run.Outcome)
		require.Equal(t, 11, run.Removed)
		require.Zero(t, run.Written)
		require.Equal(t, 20, b.Current().Size())
		require.Equal(t, first.PricesAsOf(), b.Current().PricesAsOf(), "held prices are not confirmed")
		require.Contains(t, b.log.String(), "catalog.held")
		require.Equal(t, 1, b.count(t, "airtill_catalog_syncs_total", "held", "products"))

		require.NoError(t, b.Sync(t.Context(), true, catalog.Resources()...))
		require.Equal(t, catalog.Done, b.lastRun(t, catalog.Products).Outcome)
		require.Equal(t, 9, b.Current().Size())
	})
}

// TestAForcedSyncWaitsForTheRunThatHoldsAResource: that run holds back what a person has asked to apply.
func TestAForcedSyncWaitsForTheRunThatHoldsAResource(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := newListed(t, stock(20)...)
		b := newBench(t, db, u)
		b.syncAll(t)
		u.restock(t, stock(9)...)
		begun := store.Moment(b.clock.now())
		busy := catalog.Run{ID: "BUSY", Resource: catalog.Products, StartedAt: begun, LeaseUntil: begun.Add(2 * time.Minute)}
		change := func(sql string, args ...any) {
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Exec(sql, args...).Error }))
		}
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Create(&busy).Error }))
		query := "SELECT args FROM river_job"
		if db.Dialect() == store.SQLite {
			query = "SELECT json(args) FROM river_job"
		}
		asked := func() (args []string) {
			require.NoError(t, db.Read(t.Context()).Raw(query).Scan(&args).Error)
			return args
		}
		require.NoError(t, b.Sync(t.Context(), false, catalog.Products))
		require.Empty(t, asked(), "whoever only wants news has it of that run")
		require.NoError(t, b.Sync(t.Context(), true, catalog.Resources()...))
		require.Equal(t, 20, b.Current().Size())
		require.Len(t, asked(), 1)
		require.JSONEq(t, `{"force":true,"only":["products"]}`, asked()[0])

		now := store.Moment(b.clock.now())
		change("UPDATE catalog_runs SET ended_at = ?, outcome = ? WHERE id = ?", now, catalog.Held, busy.ID)
		change("UPDATE river_job SET state = 'available', scheduled_at = ?", now)
		b.work(t)
		b.serves(t, 9, soon)
	})
}

func TestTruncatedAnswerChangesNothing(t *testing.T) {
	t.Parallel()
	u := newListed(t, stock(20)...)
	b := newBench(t, storetest.New(t), u)
	b.syncAll(t)
	u.alter(func(path string, body []byte) []byte {
		if path == "GetProducts" {
			return body[:len(body)/2]
		}
		return body
	})
	require.Error(t, b.Sync(t.Context(), false, catalog.Products))
	require.Equal(t, catalog.Failed, b.lastRun(t, catalog.Products).Outcome)
	require.Equal(t, 20, b.Current().Size())
}

func TestUpstreamDownServesTheLastCatalogue(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := newListed(t, stock(20)...)
		b := newBench(t, db, u)
		u.shut()
		require.Error(t, b.SyncDue(t.Context()))
		require.True(t, b.Current().Empty(), "nothing has ever been known")
		require.Equal(t, 1, u.count("GetCountries"))
		require.Zero(t, u.count("GetProducts"), "the others are not tried in vain")

		u.open()
		b.clock.advance(2 * time.Minute)
		require.NoError(t, b.SyncDue(t.Context()))
		known := b.Current()
		require.Equal(t, 20, known.Size())

		u.shut()
		b.clock.advance(25 * time.Hour)
		require.Error(t, b.SyncDue(t.Context()))
		require.Equal(t, 20, b.Current().Size())
		require.Equal(t, known.PricesAsOf(), b.Current().PricesAsOf())
		require.Contains(t, b.log.String(), "catalog.sync_failed")
		require.Contains(t, b.lastRun(t, catalog.Countries).Note, "502")
	})
}

func TestOneRefusedResourceDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	u := newListed(t, stock(5)...)
	b := newBench(t, storetest.New(t), u)
	sandboxed := *u.sandbox.Load()
	u.stand(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "GetRegions") {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte(`{"ResultCode":3,"ErrorCodes":[{"Code":"RateLimited"}],"Items":[]}`))
			return
		}
		sandboxed.ServeHTTP(w, r)
	})
	require.Error(t, b.SyncDue(t.Context()))
	require.Equal(t, 5, b.Current().Size())
	require.Equal(t, catalog.Failed, b.lastRun(t, catalog.Regions).Outcome)
}

func TestUnknownNullAndAbsurdValuesAreNoError(t *testing.T) {
	t.Parallel()
	storetest.Each(t, syncUnknownNullAndAbsurdValues)
}

func syncUnknownNullAndAbsurdValues(t *testing.T, db *store.DB) {
	t.Helper()
	u := newListed(t, stock(20)...)
	u.alter(func(path string, body []byte) []byte {
		if path != "GetProducts" {
			return body
		}
		body = bytes.Replace(body, []byte(`"Instant"`), []byte(`"Telepathic"`), 1)
		body = bytes.Replace(body, []byte(`"Immediate"`), []byte(`"Whispered","NewField":{"a":[1,null]}`), 1)
		body = bytes.Replace(body, []byte(`"ReceiveValue":7,`), []byte(`"ReceiveValue":1e99,"x":7,`), 1)
		return bytes.Replace(body, []byte(`"Items":[`), []byte(`"Items":[{"SkuCode":null},{"SkuCode":"ZERO\u0000","ProviderCode":"P"},{"SkuCode":"`+strings.Repeat("LONG", 1000)+`","ProviderCode":"P"},{"SkuCode":"BARE","ProviderCode":"NOBODY","Minimum":null,"Benefits":null},`), 1)
	})
	b := newBench(t, db, u)
	b.syncAll(t)
	run := b.lastRun(t, catalog.Products)
	require.Equal(t, catalog.Done, run.Outcome)
	require.Equal(t, 5, run.Unsellable)
	require.Contains(t, b.log.String(), "catalog.dropped")
	require.Equal(t, 19, b.Current().Size())
	require.Contains(t, b.log.String(), "catalog.unsellable")
}

func TestResourcesAreSyncedWhenDue(t *testing.T) {
	t.Parallel()
	u := newListed(t, stock(20)...)
	b := newBench(t, storetest.New(t), u)
	require.NoError(t, b.SyncDue(t.Context()))
	require.NoError(t, b.SyncDue(t.Context()))
	require.Equal(t, 1, u.count("GetProducts"))
	require.Equal(t, 1, u.count("GetProviderStatus"))

	b.clock.advance(61 * time.Second)
	require.NoError(t, b.SyncStatuses(t.Context()))
	require.Equal(t, 2, u.count("GetProviderStatus"))
	require.Equal(t, 1, u.count("GetProducts"))

	b.clock.advance(3 * time.Hour)
	require.NoError(t, b.SyncDue(t.Context()))
	require.Equal(t, 2, u.count("GetProducts"))
	require.Equal(t, 1, u.count("GetCountries"))

	b.clock.advance(22 * time.Hour)
	require.NoError(t, b.SyncDue(t.Context()))
	require.Equal(t, 2, u.count("GetCountries"))
}

// TestASyncOfAClockThatWasAheadPostponesNothing: neither one that ended nor one cut short.
func TestASyncOfAClockThatWasAheadPostponesNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := newListed(t, stock(20)...)
		b := newBench(t, db, u)
		b.clock.advance(30 * 24 * time.Hour)
		require.NoError(t, b.SyncDue(t.Context()))
		require.NoError(t, db.Exec(t.Context(), "UPDATE catalog_runs SET ended_at = NULL, outcome = '' WHERE resource = ?", catalog.Products))
		b.clock.advance(-30 * 24 * time.Hour)
		for range 2 { // once, and then it is done
			require.NoError(t, b.SyncDue(t.Context()))
			require.NoError(t, b.SyncStatuses(t.Context()))
			require.Equal(t, 2, u.count("GetProviderStatus"))
			require.Equal(t, 2, u.count("GetProducts"))
		}
		b.clock.advance(time.Minute)
		require.NoError(t, b.SyncDue(t.Context()))
		require.Equal(t, 2, u.count("GetProducts"))
	})
}

// TestASyncOfAClockThatWasAheadKeepsNoPricesYoung: they are as of the next one, and grow old from then on.
func TestASyncOfAClockThatWasAheadKeepsNoPricesYoung(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, newListed(t, stock(20)...))
		b.clock.advance(30 * 24 * time.Hour)
		b.syncAll(t)
		b.clock.advance(-30 * 24 * time.Hour)
		b.syncAll(t)
		require.WithinDuration(t, b.clock.now(), b.Current().PricesAsOf(), time.Minute)
		require.WithinDuration(t, b.clock.now(), b.Current().StatusAsOf(), time.Minute)
	})
}

// TestATextMaySpellAZeroCharacter with a backslash: only a zero character itself cannot be stored.
func TestATextMaySpellAZeroCharacter(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := newListed(t, stock(20)...)
		u.alter(func(path string, body []byte) []byte {
			if path != "GetProducts" {
				return body
			}
			return bytes.Replace(body, []byte(`"Immediate"`), []byte(`"write \\u0000"`), 1)
		})
		b := newBench(t, db, u)
		b.syncAll(t)
		require.NotContains(t, b.log.String(), "catalog.dropped")
		require.Equal(t, 20, b.Current().Size())
	})
}

// TestTheSyncIsNotDueForTheStatusesAlone: they have a job of their own, and each sync costs a collection.
func TestTheSyncIsNotDueForTheStatusesAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), newListed(t, stock(20)...))
	due := func(kind string) bool {
		t.Helper()
		for _, job := range b.Jobs() {
			if p, periodic := job.(jobs.Periodic); periodic && p.Kind == kind {
				due, err := p.Due(t.Context())
				require.NoError(t, err)
				return due
			}
		}
		t.Fatal(kind, "is no job")
		return false
	}
	require.True(t, due("catalog.sync"), "nothing was ever asked")
	require.NoError(t, b.SyncDue(t.Context()))
	require.False(t, due("catalog.sync"))
	b.clock.advance(61 * time.Second)
	require.True(t, due("catalog.status"))
	require.False(t, due("catalog.sync"))
	b.clock.advance(3 * time.Hour)
	require.True(t, due("catalog.sync"))
}

// A process that dies in the middle of a sync leaves an open run and rows that
// no version has: the next process finishes both.
func TestInterruptedRunIsFinishedByTheNext(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := newListed(t, stock(20)...)
		b := newBench(t, db, u)
		b.syncAll(t)
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			now := store.Moment(b.clock.now())
			if err := tx.Exec("UPDATE products SET withdrawn_at = ? WHERE sku = 'SKU005'", now).Error; err != nil {
				return err
			}
			return tx.Create(&catalog.Run{ID: "DEAD", Resource: catalog.Products, StartedAt: now.Add(time.Millisecond), LeaseUntil: now.Add(2 * time.Minute), Written: 1}).Error
		}))
		asked := u.count("GetProducts")
		require.NoError(t, b.SyncDue(t.Context()))
		b.clock.advance(time.Minute)
		require.NoError(t, b.SyncDue(t.Context()))
		require.Equal(t, asked, u.count("GetProducts"), "its lease still runs")

		require.NoError(t, b.Sync(t.Context(), false, catalog.Regions))
		require.EqualValues(t, 1, b.Current().Version())
		b.clock.advance(2 * time.Minute)
		require.NoError(t, b.SyncDue(t.Context()))
		require.Equal(t, asked+1, u.count("GetProducts"))
		require.EqualValues(t, 2, b.Current().Version())
		require.Equal(t, 20, b.Current().Size())
	})
}

// What a sync has written so far is not a version before it ends, except
// statuses.
func TestHalfASyncIsNotPublished(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := newListed(t, stock(20)...)
		b := newBench(t, db, u)
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			now := store.Moment(b.clock.now())
			return tx.Create(&catalog.Run{ID: "BUSY", Resource: catalog.Texts, StartedAt: now, LeaseUntil: now.Add(2 * time.Minute)}).Error
		}))
		require.NoError(t, b.Sync(t.Context(), false, catalog.Products, catalog.Statuses))
		require.True(t, b.Current().Empty())
		require.False(t, b.Current().StatusAsOf().IsZero())
		b.clock.advance(3 * time.Minute)
		require.NoError(t, b.Sync(t.Context(), false, catalog.Statuses))
		require.Equal(t, 20, b.Current().Size(), "a dead process holds up nobody")
	})
}

// TestASyncIsSeenMoving on the board, and leaves it when it is done, was refused or
// was cut.
func TestASyncIsSeenMoving(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	u := newUpstream(t, sandbox.Deps{Catalog: listFile(t, stock(3))})
	watcher := jobstest.Watch(t, db)
	b := newBench(t, db, u, func(d *catalog.Deps) { d.Board = watcher.Board })
	b.syncAll(t)
	signs := watcher.Moved(jobs.Catalogue, len(catalog.Resources()))
	require.EqualValues(t, len(catalog.Resources()), signs[0].Total)
	require.Equal(t, string(catalog.Resources()[1]), signs[1].Detail)
	require.Error(t, b.Sync(watcher.CutAfter(2), true, catalog.Resources()...))
	watcher.Moved(jobs.Catalogue, 2)
	u.shut()
	require.Error(t, b.Sync(t.Context(), true, catalog.Resources()...))
	running, err := watcher.Running(t.Context())
	require.NoError(t, err)
	require.Empty(t, running)
}
