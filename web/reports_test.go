package web

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/harness/demodata"
	"airtill/internal/jobs"
	"airtill/internal/jobs/jobstest"
	"airtill/internal/sheet"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/reports"
)

// invented adds the trade to a bench.
func invented(t testing.TB, b *bench) *bench {
	t.Helper()
	g, err := demodata.New(demodata.Deps{DB: b.db, Staff: b.staff, Now: b.clock, Log: slog.New(slog.DiscardHandler)}, demodata.Plan{Sales: 600, Days: 30, Shops: 2, Seed: 2})
	require.NoError(t, err)
	require.NoError(t, g.Generate(t.Context()))
	require.NoError(t, b.server.D.Report.Refresh(t.Context()))
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec(`INSERT INTO limit_stops (id, at, shop_id, till_id, cashier_id, subject, period, measure, currency, most, used, sku_code, price_micros, price_currency, sale_id, approver)
			SELECT s.id, '2026-02-10 12:00:00', s.id, '', '', 'number', 'day', 'count', '', 3, 3, '', 10000000, 'EUR', '', '' FROM shops s`).Error
	}))
	return b
}

func TestEveryReportAnswersInEveryForm(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Finance)
	for _, kind := range reports.Kinds() {
		for _, by := range kind.By {
			for _, compare := range reports.Comparisons {
				address := "/reports/" + kind.Name + "?from=2026-02-01&to=2026-03-01&by=" + string(by) + "&compare=" + compare
				got := w.get(address)
				require.Equal(t, http.StatusOK, got.StatusCode, address)
				page := got.page(t)
				require.Positive(t, page.Find(".figures-table tbody tr").Length(), address)
				require.Equal(t, 1, page.Find(".picture").Length(), address)
				require.NotContains(t, page.Find("main").Text(), "reports.", "a key without a text: %s", address)
			}
		}
		for format, begins := range map[string]string{"csv": "\uFEFF", "xlsx": "PK", "pdf": "%PDF-"} {
			got := w.get("/reports/" + kind.Name + "." + format + "?from=2026-02-01&to=2026-03-01")
			require.Equal(t, http.StatusOK, got.StatusCode)
			require.Equal(t, frame.ContentTypes[format], got.Header.Get("Content-Type"))
			require.True(t, strings.HasPrefix(got.body, begins), "%s.%s", kind.Name, format)
		}
	}
}

// TestFigureOpensItsSales follows the links of a report and counts.
// TestTheHeatMapIsTheSalesByWeekdayAndHour, each cell reckoned again from the sales.
func TestTheHeatMapIsTheSalesByWeekdayAndHour(t *testing.T) {
	t.Parallel()
	b := trading(t)
	var sold []struct {
		RecordedAt time.Time
		Zone       string
	}
	require.NoError(t, b.db.Read(t.Context()).Raw(`SELECT s.recorded_at, h.zone FROM sales s JOIN shops h ON h.id = s.shop_id
		WHERE NOT s.practice AND s.price_currency = 'EUR' AND s.recorded_at >= '2026-01-25'`).Scan(&sold).Error)
	want := map[string]int{}
	for _, sale := range sold {
		zone, err := time.LoadLocation(sale.Zone)
		require.NoError(t, err)
		if at := sale.RecordedAt.In(zone); at.Format(time.DateOnly) >= "2026-02-01" && at.Format(time.DateOnly) <= "2026-02-28" {
			want[at.Format("Mon 15:00")]++
		}
	}
	require.Greater(t, len(want), 30)
	heat := b.signIn(staff.Finance).get("/reports/hours?from=2026-02-01&to=2026-02-28").page(t).Find("table.heat")
	hours, got, hottest := heat.Find("thead th"), map[string]int{}, 0
	heat.Find("tbody tr").Each(func(_ int, day *goquery.Selection) {
		day.Find("td").Each(func(i int, cell *goquery.Selection) {
			n, err := strconv.Atoi(strings.TrimSpace(cell.Text()))
			require.NoError(t, err)
			if n > 0 {
				got[day.Find("th").Text()+" "+hours.Eq(i).Text()] = n
			}
			if cell.HasClass("heat-5") {
				hottest = max(hottest, n)
			}
			require.Equal(t, n == 0, cell.HasClass("heat-0"))
		})
	})
	require.Equal(t, want, got)
	require.Equal(t, slices.Max(slices.Collect(maps.Values(want))), hottest)
}

func TestFigureOpensItsSales(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Finance)
	for _, address := range []string{"/sales?slot=168", "/sales?slot=-1", "/sales?slot=noon", "/sales?slot=14&from=2020-01-01&to=2026-03-01"} {
		require.Equal(t, http.StatusNotFound, w.get(address).StatusCode, address)
	}
	for _, by := range []string{"provider", "product", "cashier", "till", "shop", "country", "day"} {
		rows := w.get("/reports/sales?from=2026-02-20&to=2026-02-26&by=" + by).page(t).Find(".figures-table tbody tr")
		require.Positive(t, rows.Length(), by)
		rows.Each(func(_ int, row *goquery.Selection) {
			link, ok := row.Find("a").Attr("href")
			require.True(t, ok)
			list := w.get(link).page(t)
			require.Equal(t, row.Find("td").First().Text(), strconv.Itoa(list.Find("table.list tbody tr").Length()), link)
		})
	}
	cells := w.get("/reports/hours?from=2026-02-05&to=2026-02-26").page(t).Find("table.heat td a")
	require.Greater(t, cells.Length(), 30)
	cells.Each(func(_ int, cell *goquery.Selection) {
		link := cell.AttrOr("href", "")
		require.Equal(t, cell.Text(), strconv.Itoa(w.get(link).page(t).Find("table.list tbody tr").Length()), link)
	})
	for _, report := range []string{"failures?", "failures?by=provider&reason=AccountNumberInvalid%2FProviderRefusedRequest&"} {
		rows := w.get("/reports/" + report + "from=2026-02-05&to=2026-02-26").page(t).Find(".figures-table tbody tr")
		require.Positive(t, rows.Length(), report)
		rows.Each(func(_ int, row *goquery.Selection) {
			link, ok := row.Find("a").Attr("href")
			require.True(t, ok)
			require.Equal(t, row.Find("td").First().Text(), strconv.Itoa(w.get(link).page(t).Find("table.list tbody tr").Length()), link)
		})
	}
}

func TestReportsRefuseWhatHasNoAnswer(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Finance)
	for query, words := range map[string]string{
		"from=2026-03-02&to=2026-03-01":         "ends before it starts",
		"from=2026-02-30":                       "first day as a date",
		"from=tomorrow":                         "first day as a date",
		"to=9999-01-01":                         "last day as a date",
		"from=0001-01-01&to=2026-03-01":         "first day as a date",
		"from=2026-04-01&to=2026-04-02":         "has not started",
		"by=colour":                             "cannot be grouped",
		"compare=neighbours":                    "no comparison",
		"by=product&cashier=x":                  "do not work together",
		"by=" + url.QueryEscape("shop_id;drop"): "cannot be grouped",
	} {
		got := w.get("/reports/sales?" + query)
		require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode, query)
		require.Contains(t, got.page(t).Find("#report-problem").Text(), words, query)
		require.Equal(t, http.StatusUnprocessableEntity, w.get("/reports/sales.csv?"+query).StatusCode, query)
	}
	for _, address := range []string{"/reports/none", "/reports/sales.doc", "/reports/sales.doc?from=tomorrow", "/reports/sales?shop=none"} {
		require.Equal(t, http.StatusNotFound, w.get(address).StatusCode, address)
	}
}

// TestManagerSeesTheOwnShop: neither the figures of another nor its sales.
func TestManagerSeesTheOwnShop(t *testing.T) {
	t.Parallel()
	b := trading(t)
	shops, err := b.staff.Shops(t.Context())
	require.NoError(t, err)
	w := b.signIn(staff.Manager) // of a shop without sales
	require.Contains(t, w.get("/reports/sales").page(t).Find("main").Text(), "Nothing was sold")
	for _, shop := range shops {
		if shop.ID != b.shop.ID {
			require.Equal(t, http.StatusNotFound, w.get("/reports/sales?shop="+shop.ID).StatusCode)
			require.Equal(t, http.StatusNotFound, w.get("/sales?from=2026-02-01&to=2026-02-28&shop="+shop.ID).StatusCode)
		}
	}
	require.Zero(t, w.get("/sales?from=2026-02-01&to=2026-02-28").page(t).Find("table.list tbody tr").Length())
}

func TestViewsAreSavedAndForgotten(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Finance)
	path := "/reports/margin?by=country&from=2026-02-01&to=2026-02-28"
	save := func(name, path string) answer {
		return w.post("/reports/views", url.Values{"csrf": {w.formToken("/reports/sales")}, "name": {name}, "path": {path}})
	}
	require.Equal(t, http.StatusSeeOther, save("=Countries", path).StatusCode)
	view := w.get("/reports/sales").page(t).Find(".views a")
	require.Equal(t, "=Countries", view.Text())
	require.Equal(t, path, view.AttrOr("href", ""))
	for _, bad := range []string{"https://evil.example/reports/x", "//evil.example/reports/x", "/admin/users", "javascript:alert(1)"} {
		require.Equal(t, http.StatusUnprocessableEntity, save("x", bad).StatusCode, bad)
	}
	require.Equal(t, http.StatusUnprocessableEntity, save(" ", path).StatusCode)
	action := w.get("/reports/sales").page(t).Find(".views form").AttrOr("action", "")
	stranger := b.signIn(staff.Auditor)
	stranger.post(action, url.Values{"csrf": {stranger.formToken("/reports/sales")}})
	require.Equal(t, 1, w.get("/reports/sales").page(t).Find(".views a").Length(), "another user's act")
	w.post(action, url.Values{"csrf": {w.formToken("/reports/sales")}})
	require.Zero(t, w.get("/reports/sales").page(t).Find(".views a").Length())
}

func (w *browser) formToken(path string) string {
	w.b.t.Helper()
	token, ok := w.get(path).page(w.b.t).Find(`input[name="csrf"]`).First().Attr("value")
	require.True(w.b.t, ok)
	return token
}

func TestExportSaysWhatThePageSays(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Finance)
	got := w.get("/reports/sales.csv?from=2026-02-20&to=2026-02-26&by=shop")
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(got.body, "\uFEFF"))).ReadAll()
	require.NoError(t, err)
	page := w.get("/reports/sales?from=2026-02-20&to=2026-02-26&by=shop").page(t)
	require.Len(t, rows, page.Find(".figures-table tbody tr, .figures-table tfoot tr").Length()+1)
	var paid int64
	for _, row := range rows[1 : len(rows)-1] {
		paid += centsOf(t, row[6])
	}
	require.Equal(t, "Total", rows[len(rows)-1][0])
	require.Equal(t, paid, centsOf(t, rows[len(rows)-1][6]))
	require.Equal(t, amountIn(page.Find(".figures-table tfoot td").Last().Text()), rows[len(rows)-1][6])
	printed := strings.Join(pdfTexts(t, w.get("/reports/sales.pdf?from=2026-02-20&to=2026-02-26").body), " ")
	for _, words := range []string{"All shops", "20 Feb 2026 to 26 Feb 2026", "Paid by day", "23 Feb", page.Find(".figures-table tfoot td").Last().Text()} {
		require.Contains(t, printed, words)
	}
	page.Find(".picture .bar-value").Each(func(_ int, value *goquery.Selection) {
		require.Contains(t, pdfTexts(t, w.get("/reports/sales.pdf?from=2026-02-20&to=2026-02-26&by=shop").body), value.Text(), "the picture of the page")
	})
	require.Equal(t, []string{"Shop", "Currency", "Sales", "Sent", "Not sent", "Share sent", "Paid"}, rows[0])
	require.Contains(t, got.Header.Get("Content-Disposition"), "sales-2026-02-20-2026-02-26.csv")
	book := w.get("/reports/sales.xlsx?from=2026-02-20&to=2026-02-26&by=shop")
	files, err := zip.NewReader(bytes.NewReader([]byte(book.body)), int64(len(book.body)))
	require.NoError(t, err)
	require.Len(t, files.File, 6)
}

func TestTodayBesideAWeekAgo(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Finance)
	for _, address := range []string{"/", "/today"} {
		page := w.get(address).page(t)
		require.Positive(t, page.Find("#today .figure").Length())
		require.Positive(t, page.Find("#today .picture a").Length())
		page.Find("#today .figure a, #today .technical a, #today + h2 + nav a").Each(func(_ int, link *goquery.Selection) {
			require.Equal(t, http.StatusOK, w.get(link.AttrOr("href", "none")).StatusCode, link.AttrOr("href", ""))
		})
		require.NotContains(t, page.Find("main").Text(), "today.")
	}
}

// TestEveryFileIsSeenMoving on the board of long work, and leaves it when it is
// whole or could not be finished.
func TestEveryFileIsSeenMoving(t *testing.T) {
	t.Parallel()
	b := trading(t)
	watcher := jobstest.Watch(t, b.db)
	b.server.D.Board = watcher.Board
	w := b.signIn(staff.Finance)
	for _, name := range []string{"reports/sales.csv?by=provider&", "reports/hours.xlsx?", "reports/cash.pdf?", "sales.csv?", "sales.xlsx?", "sales.pdf?"} {
		require.Equal(t, http.StatusOK, w.get("/"+name+"from=2026-02-20&to=2026-02-26").StatusCode, name)
		signs := watcher.Moved(jobs.Export, 3)
		require.Contains(t, signs[0].Detail, b.users[staff.Finance].DisplayName, name)
	}
	broken := func(yield func([]sheet.Cell, error) bool) {
		for n := range int64(2) {
			if !yield([]sheet.Cell{sheet.Whole(n)}, nil) {
				return
			}
		}
		yield(nil, errors.New("the lights are out"))
	}
	for _, format := range frame.ExportFormats {
		table := sheet.Table{Columns: []sheet.Column{{Name: "n"}}, Rows: frame.Watched(t.Context(), b.server.D.Board.Begin(jobs.Export, "", 0), "broken", broken)}
		require.ErrorContains(t, frame.WriteSheet(io.Discard, table, locale.New(language.English, time.UTC), format), "the lights are out", format)
		watcher.Moved(jobs.Export, 2)
	}
}
