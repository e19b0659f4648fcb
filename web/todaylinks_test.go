package web

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/forecast"
	"airtill/internal/harness/storetest"
	"airtill/internal/report"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// amountIn reads the figure out of a text like "€1,234.50" or "98.3 %".
func amountIn(text string) string {
	return strings.ReplaceAll(regexp.MustCompile(`[\d.,]+`).FindString(text), ",", "")
}

// behind is what the list of sales or the report says that a figure of Today leads
// to.
type behind struct {
	t    testing.TB
	page *goquery.Document
	file [][]string // the same as a file: every row
}

func (w *browser) behind(link string) behind {
	w.b.t.Helper()
	got := w.get(link)
	require.Equal(w.b.t, http.StatusOK, got.StatusCode, link)
	address, err := url.Parse(link)
	require.NoError(w.b.t, err)
	b := behind{t: w.b.t, page: got.page(w.b.t)}
	if address.Path == "/sales" || strings.HasPrefix(address.Path, "/reports/") {
		address.Path += ".csv"
		w.b.pass(20 * time.Second) // files are limited in number
		file := w.get(address.String())
		require.Equal(w.b.t, http.StatusOK, file.StatusCode, address.String())
		b.file, err = csv.NewReader(strings.NewReader(strings.TrimPrefix(file.body, "\uFEFF"))).ReadAll()
		require.NoError(w.b.t, err)
		for b.file[len(b.file)-1][0] == "Total" {
			b.file = b.file[:len(b.file)-1]
		}
	}
	return b
}

// count counts the rows whose state is one of those, or all.
func (b behind) count(states ...string) int {
	n := 0
	for _, row := range b.file[1:] {
		if len(states) == 0 || strings.Contains(strings.Join(states, "|"), row[b.column("State")]) {
			n++
		}
	}
	return n
}

func (b behind) column(name string) int {
	b.t.Helper()
	for i, column := range b.file[0] {
		if column == name {
			return i
		}
	}
	require.Fail(b.t, "no column "+name, "%v", b.file[0])
	return 0
}

// taken sums what was paid for what was sent.
func (b behind) taken() string {
	b.t.Helper()
	var cents int64
	for _, row := range b.file[1:] {
		if row[b.column("State")] == "Sent" {
			cents += centsOf(b.t, row[b.column("Paid")])
		}
	}
	return fmt.Sprintf("%d.%02d", cents/100, cents%100)
}

// total sums a column of a report.
func (b behind) total(column string) string {
	b.t.Helper()
	cents := b.cents(column)
	return fmt.Sprintf("%d.%02d", cents/100, cents%100)
}

func (b behind) cents(column string) (cents int64) {
	b.t.Helper()
	for _, row := range b.file[1:] {
		cents += centsOf(b.t, row[b.column(column)])
	}
	return cents
}

func centsOf(t testing.TB, text string) int64 {
	t.Helper()
	cents, err := strconv.ParseInt(strings.Replace(text, ".", "", 1), 10, 64)
	require.NoError(t, err)
	return cents
}

// TestEveryFigureOfTodayOpensItsSales follows each link of Today and reckons the
// figure again from what is behind it. There are shops in two time zones, sales in
// two currencies and practice sales, none of which may be mixed up.
func TestEveryFigureOfTodayOpensItsSales(t *testing.T) {
	t.Parallel()
	b := trading(t)
	b.pass(8 * time.Hour)
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		for _, change := range []string{
			// The second shop's day begins nine hours earlier: of its sales of today some belong to tomorrow.
			"UPDATE shops SET zone = 'Asia/Tokyo' WHERE name = 'Market Square'",
			"UPDATE sales SET price_currency = 'GBP' WHERE id IN (SELECT id FROM sales ORDER BY id DESC LIMIT 2)",
			"UPDATE sales SET practice = TRUE WHERE id IN (SELECT id FROM sales ORDER BY id DESC LIMIT 2 OFFSET 2)",
			"UPDATE sales SET fulfilment = 'voided', reason_code = '', reason_context = '' WHERE id IN (SELECT id FROM sales WHERE recorded_at >= '2026-03-01' AND NOT practice ORDER BY id LIMIT 2)",
			"UPDATE sales SET fulfilment = 'failed', reason_code = 'ProviderError', reason_context = 'ProductUnavailable' WHERE id IN (SELECT id FROM sales WHERE recorded_at >= '2026-03-01' AND NOT practice ORDER BY id LIMIT 1 OFFSET 3)",
			"UPDATE sales SET fulfilment = 'unknown', final_at = NULL WHERE id IN (SELECT id FROM sales WHERE recorded_at >= '2026-03-01' AND NOT practice ORDER BY id LIMIT 1 OFFSET 4)",
		} {
			if err := tx.Exec(change).Error; err != nil {
				return err
			}
		}
		return nil
	}))
	require.NoError(t, b.server.D.Report.Rebuild(t.Context()))
	w := b.signIn(staff.Finance)
	today := w.get("/today").page(t)
	checked := map[string]bool{}
	today.Find("#today .figure").Each(func(_ int, f *goquery.Selection) {
		name, value := strings.TrimSpace(f.Find("dt").Text()), amountIn(f.Find("dd bdi").First().Text())
		link, open := f.Find("a").Attr("href")
		require.True(t, open, "%s leads nowhere", name)
		found := w.behind(link)
		checked[name] = true
		switch name {
		case "Cash for sent sales":
			require.Equal(t, value, found.taken(), link)
			require.Contains(t, found.page.Find(".sums-row").Text(), value)
		case "Sent":
			require.Equal(t, value, strconv.Itoa(found.count("Sent")), link)
			require.Equal(t, value, strconv.Itoa(found.count()), link)
		case "Not sent":
			require.Equal(t, value, strconv.Itoa(found.count()), link)
			require.Zero(t, found.count("Sent"))
		case "Margin":
			var euros [][]string
			for _, row := range found.file {
				if row[1] != "GBP/EUR" {
					euros = append(euros, row)
				}
			}
			found.file = euros
			require.Equal(t, value, found.total("Margin"), link)
		case "Open differences":
			require.Equal(t, value, strconv.Itoa(found.page.Find("table.list tbody tr").Length()), link)
		case "Prices as of":
			require.Equal(t, "/admin/health", link)
		case "Updates and jobs":
			require.Equal(t, "/admin/health", link)
			require.Contains(t, f.Text(), "Good")
		default:
			require.Fail(t, "nobody reckons this figure again: "+name)
		}
	})
	for _, name := range []string{"Cash for sent sales", "Sent", "Not sent", "Margin"} {
		require.True(t, checked[name], name)
	}

	hours, taken := today.Find("#today .picture-columns svg a"), int64(0)
	require.Greater(t, hours.Length(), 4)
	hours.Each(func(_ int, hour *goquery.Selection) {
		require.Equal(t, hour.AttrOr("aria-label", ""), hour.Find("title").Text(), "for who hears it and who points at it")
		_, said, _ := strings.Cut(hour.AttrOr("aria-label", ""), ": ")
		found := w.behind(hour.AttrOr("href", ""))
		require.Equal(t, amountIn(said), found.taken(), hour.AttrOr("href", ""))
		taken += centsOf(t, found.taken())
	})
	require.Positive(t, taken)
	require.Equal(t, fmt.Sprintf("%d.%02d", taken/100, taken%100), amountIn(today.Find("#today .picture-total").Text()), "beside the picture")
}

// TestWhatIsToBeGivenBackOpensThoseSales: of all tills of the shop, though its manager sits at one of them, and without
// what still waits.
func TestWhatIsToBeGivenBackOpensThoseSales(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	cashier := b.atTill(staff.Cashier)
	b.openTill(cashier)
	for i, change := range []string{
		"fulfilment = 'failed', cash = 'refund_due'",
		"fulfilment = 'failed', cash = 'refund_due', till_id = '" + b.tills[1].ID + "'",
		"fulfilment = 'unknown', cash = 'taken', final_at = NULL, next_check_at = '2030-01-01 00:00:00'",
	} {
		path, _ := cashier.sold(fmt.Sprint("087123456", i))
		b.moveSale(path, change)
	}
	for _, w := range []*browser{b.signIn(staff.Finance), b.atTill(staff.Manager)} {
		figures := w.get("/today").page(t).Find("#today .figure").FilterFunction(func(_ int, f *goquery.Selection) bool {
			return strings.TrimSpace(f.Find("dt").Text()) == "To give back"
		})
		require.Equal(t, "2", amountIn(figures.Find("dd bdi").First().Text()))
		list := w.get(figures.Find("a").AttrOr("href", "")).page(t)
		require.Equal(t, 2, list.Find("table.list tbody tr").Length())
		require.Equal(t, 2, list.Find("table.list .cell-state:contains('Give back cash')").Length())
		require.Equal(t, "owed", list.Find("form.asks [name=state] [selected]").AttrOr("value", ""), "and may be filtered further")
	}
}

// TestWhatWaitsIsOneSum in each currency, in however many states the sales are; so is what is owed.
func TestWhatWaitsIsOneSum(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.atTill(staff.Cashier)
		b.openTill(w)
		sums := map[string]int64{}
		for i, state := range []string{"unknown", "processing", "failed", "voided", "cancelled"} {
			path, _ := w.sold(fmt.Sprint("087123456", i))
			name, change := "Waiting", "cash = 'taken', final_at = NULL, next_check_at = '2030-01-01 00:00:00'"
			if i > 1 {
				name, change = "To give back", "cash = 'refund_due'"
			}
			b.moveSale(path, "fulfilment = '"+state+"', "+change)
			sums[name] += b.saleAt(path).PriceMicros / 10_000
		}
		path, _ := w.sold("0871234569") // given back in doubt: its cash is not held any more
		b.moveSale(path, "fulfilment = 'unknown', cash = 'refunded', final_at = NULL, next_check_at = '2030-01-01 00:00:00'")
		told := map[string]int64{}
		b.signIn(staff.Manager).get("/today").page(t).Find("#today .figure").Each(func(_ int, f *goquery.Selection) {
			if name := strings.TrimSpace(f.Find("dt").Text()); sums[name] != 0 {
				note := strings.TrimSpace(f.Find(".hint").Text())
				require.NotContains(t, note, "·")
				told[name] = centsOf(t, amountIn(note))
			}
		})
		require.Equal(t, sums, told)
	})
}

// TestFloatLastsOpensWhatItIsToldFrom: the spending by the hour of the weeks that
// the forecast looks back on.
func TestFloatLastsOpensWhatItIsToldFrom(t *testing.T) {
	t.Parallel()
	b := trading(t)
	b.server.D.Forecast = forecast.New(forecast.Deps{Report: b.server.D.Report, Now: b.clock})
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("INSERT INTO upstream_balances (id, asked_at, told_at, micros, currency, open_sales) VALUES ('1', ?, ?, 500000000, 'EUR', 0)", b.clock(), b.clock()).Error
	}))
	w := b.signIn(staff.Finance)
	var link string
	w.get("/today").page(t).Find("#today .figure").Each(func(_ int, f *goquery.Selection) {
		if strings.HasPrefix(f.Find("dt").Text(), "Float lasts") {
			link = f.Find("a").AttrOr("href", "")
		}
	})
	require.NotEmpty(t, link)
	today := report.DayOf(b.clock(), b.shop.Location())
	var used int64
	require.NoError(t, b.db.Read(t.Context()).Raw(`SELECT COALESCE(SUM(actual_send_micros + actual_dist_micros - commission_micros), 0) FROM sales
		WHERE fulfilment = 'complete' AND recorded_at >= ? AND recorded_at < ?`, (today-35).Time(), (today+1).Time()).Scan(&used).Error)
	require.Positive(t, used)
	require.Equal(t, fmt.Sprintf("%d.%02d", used/1_000_000, used/10_000%100), w.behind(link).total("Float used"))
}

// TestTodayIsOfEveryCurrency: the shops of another currency are in the counts, and their
// sums stand by themselves.
func TestTodayIsOfEveryCurrency(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Finance)
	sent := func() string {
		text := strings.Join(strings.Fields(w.get("/").page(t).Find("main").Text()), " ")
		found := regexp.MustCompile(`Sent ?([\d,]+)`).FindStringSubmatch(text)
		require.NotNil(t, found, text)
		return found[1]
	}
	before := sent()
	require.NotEqual(t, "0", before)
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("UPDATE sales SET price_currency = 'NGN' WHERE shop_id = (SELECT MAX(shop_id) FROM sales)").Error
	}))
	require.NoError(t, b.server.D.Report.Rebuild(t.Context()))
	require.Equal(t, before, sent(), "all shops are counted")
	page := w.get("/").page(t).Find("main").Text()
	for _, words := range []string{"NGN", "€", "Paid by hour · "} {
		require.Contains(t, page, words)
	}
}
