package web

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/demodata"
	"airtill/internal/harness/storetest"
	"airtill/internal/money"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// TestEverySaleIsTakenAwayOnce: a list of several pages comes whole, and without
// costs for who may not see them.
func TestEverySaleIsTakenAwayOnce(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Finance)
	got := w.get("/sales.csv?from=2026-01-01&to=2026-03-31")
	require.Equal(t, http.StatusOK, got.StatusCode)
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(got.body, "\uFEFF"))).ReadAll()
	require.NoError(t, err)
	last := len(rows) - 1
	require.Equal(t, []string{"Total", "600"}, rows[last][:2])
	rows = rows[:last]
	require.Equal(t, 601, len(rows)) //nolint:testifylint // Len would print them all
	seen := map[string]bool{}
	for _, row := range rows[1:] {
		seen[row[5]] = true
		require.NotEmpty(t, row[1], "the shop's name")
	}
	require.Equal(t, 600, len(seen)) //nolint:testifylint // Len would print them all
	require.Contains(t, rows[0], "Commission received")
	require.Equal(t, "Country", rows[0][6])
	require.Equal(t, "Ireland", rows[1][6], "as the pages say it")
	w.header.Set("Accept-Language", "fr")
	require.Contains(t, w.get("/sales.csv?from=2026-01-01&to=2026-03-31").body, ",Irlande,")
	for format, begins := range map[string]string{"xlsx": "PK", "pdf": "%PDF-"} {
		require.True(t, strings.HasPrefix(w.get("/sales."+format+"?from=2026-03-01&to=2026-03-02").body, begins), format)
	}
	require.Equal(t, http.StatusUnprocessableEntity, w.get("/sales.csv?q=0871").StatusCode)
	require.Equal(t, http.StatusUnprocessableEntity, w.get("/sales.csv?from=yesterday").StatusCode)
	require.Positive(t, w.get("/sales?from=2026-01-01&to=2026-03-31").page(t).Find(`.exports a[href^="/sales.csv?"]`).Length())
	require.Equal(t, http.StatusForbidden, b.signIn(staff.Cashier).get("/sales.csv").StatusCode)
}

// TestWhatWasNotSentCostsNothingInTheFile: what a batch or a reversed sale was deducted came back, and no report counts it.
func TestWhatWasNotSentCostsNothingInTheFile(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Finance)
	require.NoError(t, b.db.Exec(t.Context(), "UPDATE sales SET fulfilment = 'failed', cash = 'refund_due' WHERE id = (SELECT MAX(id) FROM sales WHERE fulfilment = 'complete')"))
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(w.get("/sales.csv?from=2026-01-01&to=2026-03-31").body, "\uFEFF"))).ReadAll()
	require.NoError(t, err)
	unsent := 0
	for _, row := range rows[1 : len(rows)-1] {
		if row[10] != "Not sent" {
			continue
		}
		unsent++
		for _, column := range []string{"Cost", "Commission received"} {
			amount, err := money.Parse(row[slices.Index(rows[0], column)], "EUR")
			require.NoError(t, err)
			require.True(t, amount.IsZero(), "%s: %s", column, amount)
		}
	}
	require.Positive(t, unsent)
}

const yearOfSales = "/sales.csv?from=2025-06-01&to=2026-03-01"

// traded is a bench with thousands of sales: one thousand invented, and copies of it.
func traded(t *testing.T, db *store.DB, thousands int) *bench {
	t.Helper()
	b := newBench(t, db, nil)
	g, err := demodata.New(demodata.Deps{DB: db, Staff: b.staff, Now: b.clock, Log: slog.New(slog.DiscardHandler)}, demodata.Plan{Sales: 1000, Days: 200, Shops: 2, Seed: 3, Bare: true})
	require.NoError(t, err)
	require.NoError(t, g.Generate(t.Context()))
	rows, err := db.Read(t.Context()).Raw("SELECT * FROM sales LIMIT 1").Rows()
	require.NoError(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(t, err)
	require.NoError(t, rows.Err())
	values := slices.Clone(columns)
	for i, column := range columns {
		switch column {
		case "id", "idempotency_key", "code", "ref":
			values[i] = column + " || '-' || n"
		case "number":
			values[i] = "number + 100000 * n"
		}
	}
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < ?) INSERT INTO sales ("+strings.Join(columns, ",")+") SELECT "+strings.Join(values, ",")+" FROM sales CROSS JOIN copies", thousands-1).Error
	}))
	return b
}

// download begins to read a file as a browser does; what ends ctx closes the
// connection.
func (w *browser) download(ctx context.Context, path string) io.ReadCloser {
	w.b.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.b.http.URL+path, nil)
	require.NoError(w.b.t, err)
	for _, cookie := range w.cookies {
		r.AddCookie(&http.Cookie{Name: cookie.Name, Value: cookie.Value})
	}
	response, err := w.b.http.Client().Transport.RoundTrip(r)
	require.NoError(w.b.t, err)
	require.Equal(w.b.t, http.StatusOK, response.StatusCode)
	return response.Body
}

// TestALongFileTakesNoMoreMemoryThanAShortOne reads many sales while the server, in
// the same process, writes them: 40,000, or with FULL_SIZE set (make full-size)
// 200,000. What is kept of them would be on the heap after a collection: of a slice
// of rows more than 500 bytes for each.
func TestALongFileTakesNoMoreMemoryThanAShortOne(t *testing.T) { //nolint:paralleltest // the heap is everybody's
	if testing.Short() {
		t.Skip("invents tens of thousands of sales")
	}
	thousands, most := 40, int64(8<<20)
	if os.Getenv("FULL_SIZE") != "" {
		thousands = 200
	}
	w := traded(t, storetest.New(t), thousands).signIn(staff.Finance)
	// Nobody reads meanwhile, so the server comes to stand: the least of some collections
	// is without what it had just thrown away.
	heap := func() int64 {
		least := int64(math.MaxInt64)
		for range 3 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			least = min(least, int64(m.HeapAlloc))
		}
		return least
	}
	read := map[string]string{}
	for _, format := range []string{"csv", "xlsx"} {
		body := w.download(t.Context(), strings.Replace(yearOfSales, "csv", format, 1))
		file, err := os.Create(filepath.Join(t.TempDir(), "file")) // keeps nothing on the heap
		require.NoError(t, err)
		early, part := int64(0), int64(256<<10)
		for n := 0; ; n++ {
			_, err := io.CopyN(file, body, part)
			if n == 1 {
				early = heap()
			}
			if n > 1 {
				require.Less(t, heap()-early, most, "bytes of growth in part %d of %s", n, format)
			}
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
		}
		require.NoError(t, body.Close())
		require.NoError(t, file.Close())
		whole, err := os.ReadFile(file.Name())
		require.NoError(t, err)
		read[format] = string(whole)
	}
	require.Equal(t, thousands*1000+1, strings.Count(read["csv"], "\r\n"))
	book, err := zip.NewReader(strings.NewReader(read["xlsx"]), int64(len(read["xlsx"])))
	require.NoError(t, err)
	rows, err := book.Open("xl/worksheets/sheet1.xml")
	require.NoError(t, err)
	// No rollup has people and products at once, and there are more than are looked at.
	long := w.get("/sales?from=2025-06-01&to=2026-03-01&cashier=x&product=x").page(t)
	require.Contains(t, long.Find(".lead").Text(), "At least 0 sales. The sums cover the latest 20,000 only")
	require.Zero(t, long.Find(".sums-row").Length())

	written, err := io.ReadAll(rows)
	require.NoError(t, err)
	require.Equal(t, thousands*1000+1, bytes.Count(written, []byte("<row ")))
}

var exportLogged = regexp.MustCompile(`route=/sales\.csv .*?bytes=(\d+)`)

// TestWhoStopsReadingStopsTheFile closes the connection behind the first lines:
// the handler, which reads page by page as it writes, must end long before all
// is read.
func TestWhoStopsReadingStopsTheFile(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		const thousands = 40
		b := traded(t, db, thousands)
		ctx, cancel := context.WithCancel(t.Context())
		body := b.signIn(staff.Finance).download(ctx, yearOfSales)
		_, err := bufio.NewReader(body).ReadString('\n')
		require.NoError(t, err)
		cancel()
		require.NoError(t, body.Close())
		var logged []string
		waitFor(t, "the handler ends", func() bool {
			logged = exportLogged.FindStringSubmatch(b.log.String())
			return logged != nil
		})
		written, err := strconv.Atoi(logged[1])
		require.NoError(t, err)
		require.Less(t, written, thousands*1000*100/2, "bytes; a row has more than 100")
	})
}
