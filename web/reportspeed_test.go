package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/report"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/frame"
	"airtill/web/reports"
)

// TestReportPagesOverManySales measures every report page over HTTP on the database
// that BENCH_DATABASE_URL names, filled by web seed --bare, beside the same page on a
// smaller one, BENCH_SMALLER_URL: every grouping over four weeks and a year, of all
// shops and of one, compared and not. Both are asked in turn, so that what else the
// machine does meets both. BENCH_PAGES is a part of the addresses to be asked.
func TestReportPagesOverManySales(t *testing.T) {
	large, small := os.Getenv("BENCH_DATABASE_URL"), os.Getenv("BENCH_SMALLER_URL")
	if large == "" || small == "" {
		t.Skip("BENCH_DATABASE_URL and BENCH_SMALLER_URL name no databases")
	}
	const rounds = 101 // with 21, other ones of the shortest pages were far above the rest each time
	many, few := measured(t, large), measured(t, small)
	var all []time.Duration
	type page struct {
		address   string
		many, few time.Duration
		p95       time.Duration
	}
	var pages []page
	for _, address := range many.addresses() {
		if !strings.Contains(address, os.Getenv("BENCH_PAGES")) {
			continue
		}
		var took [2][]time.Duration
		for round := range 2 * rounds {
			i := (round + round/2) % 2 // each comes first as often as second
			w := []measuredTill{many, few}[i]
			took[i] = append(took[i], w.ask(strings.ReplaceAll(address, many.shop, w.shop)))
		}
		slices.Sort(took[0])
		slices.Sort(took[1])
		all = append(all, took[0]...)
		pages = append(pages, page{address, took[0][rounds/2], took[1][rounds/2], took[0][rounds-1]})
	}
	slices.Sort(all)
	slices.SortFunc(pages, func(x, y page) int { return int(y.many - x.many) })
	for _, p := range pages[:min(12, len(pages))] {
		t.Logf("%6.1f ms, at most %6.1f, smaller %6.1f ms, ×%.2f %s", ms(p.many), ms(p.p95), ms(p.few), ms(p.many)/ms(p.few), p.address)
	}
	slices.SortFunc(pages, func(x, y page) int { return int(1000 * (ms(y.many)/ms(y.few) - ms(x.many)/ms(x.few))) })
	for _, p := range pages[:min(8, len(pages))] {
		t.Logf("×%.2f: %6.1f ms, smaller %6.1f ms %s", ms(p.many)/ms(p.few), ms(p.many), ms(p.few), p.address)
	}
	t.Logf("%d pages, %d requests: median %.1f ms, p95 %.1f ms, slowest %.1f ms; median ratio ×%.2f", len(pages), len(all), ms(all[len(all)/2]), ms(all[len(all)*95/100]), ms(all[len(all)-1]),
		ms(pages[len(pages)/2].many)/ms(pages[len(pages)/2].few))
	require.Less(t, all[len(all)*95/100], 150*time.Millisecond)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// measuredTill is a till on a database that was filled before.
type measuredTill struct {
	*browser
	shop string // one that has sold
}

func measured(t *testing.T, url string) measuredTill {
	t.Helper()
	db, err := store.Open(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	var shop string
	require.NoError(t, db.Read(t.Context()).Raw("SELECT shop_id FROM sales ORDER BY id LIMIT 1").Scan(&shop).Error)
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { // of a run before
		if err := tx.Exec("UPDATE users SET username = id WHERE username NOT LIKE 'seed-%'").Error; err != nil {
			return err
		}
		return tx.Exec("UPDATE shops SET name = id WHERE name = 'Main Street'").Error
	}))
	b := newBench(t, db, func(d *frame.Deps) { d.Log = slog.New(slog.DiscardHandler) })
	b.now = time.Now().UTC().Truncate(24 * time.Hour).Add(-9 * time.Hour) // in the middle of a day there is most to compare it with
	require.NoError(t, b.server.D.Report.Refresh(t.Context()))
	return measuredTill{b.signIn(staff.Finance), shop}
}

func (w measuredTill) ask(address string) time.Duration {
	w.b.t.Helper()
	began := time.Now()
	got := w.get(address)
	took := time.Since(began)
	require.Equal(w.b.t, http.StatusOK, got.StatusCode, address)
	return took
}

// addresses are the pages; {shop} is a shop of each database's own.
func (w measuredTill) addresses() []string {
	today := report.DayOf(w.b.now, time.UTC)
	all := []string{"/today", "/sales", "/sales?state=settled&from=" + today.String()}
	for _, kind := range reports.Kinds() {
		for _, by := range kind.By {
			for _, days := range []report.Day{28, 365} {
				for _, rest := range []string{"", "&shop=" + w.shop, "&compare=year"} {
					all = append(all, fmt.Sprintf("/reports/%s?from=%s&to=%s&by=%s%s", kind.Name, today-days+1, today, by, rest))
				}
			}
		}
	}
	return all
}
