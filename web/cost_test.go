package web

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/app"
	"airtill/internal/harness/storetest"
	"airtill/internal/limit"
	"airtill/internal/pricing"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/frame"
)

// TestWhatASaleCosts counts what the pages of one sale and its send ask of the
// database: exactly, and nothing else. make bench-ci counts what the whole program asks,
// with its streams and jobs. bench/bounds.json bounds both; it may become less, never more.
func TestWhatASaleCosts(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		if db.Dialect() == store.SQLite {
			t.Skip("nothing is counted")
		}
		b := newMarket(t, db)
		w := b.signIn(staff.Cashier)
		for _, number := range []string{"0871234501", "0871234502", "0871234503"} {
			sale := w.sellTo(number)
			b.becomes(sale, sales.Complete)
			w.get(sale)
		}
		const number = "0871234504"
		var whole store.Counts
		cost := func(page string, ask func()) {
			before := db.Counts()
			ask()
			took := db.Counts().Sub(before)
			whole = store.Counts{
				Commits: whole.Commits + took.Commits, Statements: whole.Statements + took.Statements, Trips: whole.Trips + took.Trips,
			}
			t.Logf("%-10s %+v", page, took)
		}
		var offers, confirm answer
		var sale string
		cost("look-up", func() { offers = w.get("/counter?number=" + number) })
		byAddress, before := whole, db.Counts()
		typed := w.do(http.MethodPost, "/counter", strings.NewReader(url.Values{"number": {"0871234505"}}.Encode()), http.Header{
			"Hx-Request": {"true"}, "Hx-Boosted": {"true"}, "Content-Type": {"application/x-www-form-urlencoded"}, "Sec-Fetch-Site": {"same-origin"},
		})
		require.Equal(t, http.StatusOK, typed.StatusCode, typed.body)
		require.Equal(t, byAddress, db.Counts().Sub(before), "typed into the form it costs the same")
		sku := fixed(t, offers)
		cost("confirm", func() { confirm = w.get("/counter?number=" + number + "&sku=" + sku) })
		form := confirmed(t, confirm)
		cost("sale", func() {
			got := w.post("/sales", form)
			require.Equal(t, http.StatusSeeOther, got.StatusCode, got.body)
			sale = got.Header.Get("Location")
			require.NoError(t, b.server.D.Sales.Drain(t.Context()))
		})
		cost("outcome", func() { require.Contains(t, w.get(sale).body, "Sent.") })
		t.Logf("%-10s %+v", "whole", whole)
		var may struct{ Pages store.Counts }
		bounds, err := os.ReadFile("../bench/bounds.json")
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(bounds, &may))
		require.Positive(t, may.Pages.Commits)
		require.LessOrEqual(t, whole.Commits, may.Pages.Commits)
		require.LessOrEqual(t, whole.Statements, may.Pages.Statements)
		require.LessOrEqual(t, whole.Trips, may.Pages.Trips)
	})
}

// TestWhatASaleAllocates counts what GORM, database/sql and pgx allocate for the pages of a
// sale and its send, of a cashier who has sold before.
func TestWhatASaleAllocates(t *testing.T) { //nolint:paralleltest // the heap is everybody's
	db := storetest.NewAt(t, stock.Copy)
	if db.Dialect() == store.SQLite {
		t.Skip("its driver is another")
	}
	built, _ := debug.ReadBuildInfo()
	if slices.Contains(built.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector throws pooled memory away")
	}
	b := newMarket(t, db)
	w := b.signIn(staff.Cashier)
	sell := func(number int) {
		sale := w.sellTo(fmt.Sprintf("08712345%02d", number))
		b.becomes(sale, sales.Complete)
		require.Contains(t, w.get(sale).body, "Sent.")
	}
	for i := range 3 {
		sell(i)
	}
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 1
	const counted = 3
	each := int64(math.MaxInt64)
	for round := range 4 { // in one of them the pool opens no further connection and no collection empties what is kept
		before := databaseAllocations(t)
		for i := range counted {
			sell(50 + counted*round + i)
		}
		each = min(each, (databaseAllocations(t)-before)/counted)
	}
	t.Logf("%d objects a sale", each)
	var may struct{ Pages struct{ Allocations int64 } }
	bounds, err := os.ReadFile("../bench/bounds.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(bounds, &may))
	require.Greater(t, each, may.Pages.Allocations/2, "not everything is counted")
	require.LessOrEqual(t, each, may.Pages.Allocations)
}

// databaseAllocations is how many objects the database layer has allocated for pages and sends.
func databaseAllocations(t *testing.T) (objects int64) {
	t.Helper()
	runtime.GC()
	runtime.GC() // a profile is complete as of the last but one
	n, _ := runtime.MemProfile(nil, true)
	records := make([]runtime.MemProfileRecord, n+1000)
	n, ok := runtime.MemProfile(records, true)
	require.True(t, ok)
	layer := regexp.MustCompile(`^(gorm\.io/|database/sql\.|github\.com/jackc/)`)
	rooms := regexp.MustCompile(`^airtill/(web|internal/sales)\b`)
	for _, record := range records[:n] {
		var below, ours, test bool
		frames := runtime.CallersFrames(record.Stack())
		for more := true; more; {
			var f runtime.Frame
			f, more = frames.Next()
			below, ours = below || layer.MatchString(f.Function), ours || rooms.MatchString(f.Function)
			test = test || strings.HasSuffix(f.File, "_test.go")
		}
		if below && ours && !test {
			objects += record.AllocObjects
		}
	}
	return objects
}

// TestWhatIsRememberedIsNeverOld: what one process changes holds at the next request in
// each, and no bus is between them.
func TestWhatIsRememberedIsNeverOld(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		other := b.beside()
		both := []*browser{b.signIn(staff.Cashier), other.signIn(staff.Cashier)}
		d, ctx := b.server.D, t.Context()
		sku := fixed(t, both[0].get("/counter?number="+irish))
		confirm := "/counter?number=" + irish + "&sku=" + sku
		each := func(path, what string, holds func(page *goquery.Document) bool) {
			t.Helper()
			for i, w := range both {
				require.True(t, holds(w.get(path).page(t)), "process %d: %s", i, what)
			}
		}
		total := func(page *goquery.Document) string { return page.Find("dl.bill .total .amount").Text() }
		price := total(both[0].get(confirm).page(t))
		card := func(page *goquery.Document) string {
			return page.Find("button[name=sku][value='" + sku + "'] .card-price").Text()
		}
		listed := card(both[0].get("/counter?number=" + irish).page(t))
		offered := func(page *goquery.Document) bool { return page.Find("button[name=sku][value='"+sku+"']").Length() == 1 }
		blocked := func(page *goquery.Document) bool { return page.Find("form.confirm button.primary").Length() == 0 }
		each("/counter?number="+irish, "offered", offered)
		each(confirm, "sold at its price", func(page *goquery.Document) bool { return !blocked(page) && total(page) == price })

		_, err := d.Pricing.SaveRule(ctx, setup, pricing.Rule{Name: "All", Priority: 1, Way: pricing.Percent, Value: "50"})
		require.NoError(t, err)
		each(confirm, "a new price", func(page *goquery.Document) bool { return total(page) != price })
		each("/counter?number="+irish, "a new price on its card", func(page *goquery.Document) bool { return card(page) != listed })

		limit := limit.Limit{Kind: limit.Kind{Subject: limit.OneSale, Period: limit.Each, Measure: limit.Sum}, Currency: "EUR", Most: 10_000}
		require.NoError(t, d.Limits.Set(ctx, setup, limit))
		each(confirm, "a lowered limit", blocked)

		require.NoError(t, d.Catalog.HideIn(ctx, d.Audit, setup, b.shop.ID, sku, "not here"))
		each("/counter?number="+irish, "a hidden product", func(page *goquery.Document) bool { return !offered(page) })

		each("/counter", "an open shift", func(page *goquery.Document) bool { return page.Find("#number").Length() == 1 })
		both[0].closeWith("pieces-50000000", "2")
		each("/counter", "a closed shift", func(page *goquery.Document) bool { return page.Find("#number").Length() == 0 })

		require.NoError(t, d.Staff.Disable(ctx, setup, b.users[staff.Cashier].ID, "left"))
		for _, w := range both {
			require.Empty(t, w.who())
		}
	})
}

// beside is another process on the same database and upstream.
func (b *bench) beside() *bench {
	other := stoppedBench(b.t, b.db)
	other.shop, other.tills, other.users, other.upstream = b.shop, b.tills, b.users, b.upstream
	other.start(app.Config{UpstreamBaseURL: b.upstream, UpstreamAPIKey: "sandbox-key"}, func(d *frame.Deps) {
		require.NoError(b.t, d.Catalog.Refresh(b.t.Context()))
	})
	return other
}
