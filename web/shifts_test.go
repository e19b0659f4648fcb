package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"airtill/internal/catalog"
	"airtill/internal/forecast"
	"airtill/internal/harness/storetest"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/internal/till"
	"airtill/web/reports"
)

// TestEveryRowOfTheCashReportOpensItsShifts follows the links of every grouping, to
// shops of two time zones, and counts what is there.
func TestEveryRowOfTheCashReportOpensItsShifts(t *testing.T) {
	t.Parallel()
	b := trading(t)
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("UPDATE shops SET zone = 'Pacific/Kiritimati' WHERE name = 'Market Square'").Error // its mornings are the evenings before
	}))
	require.NoError(t, b.server.D.Report.Rebuild(t.Context()))
	w := b.signIn(staff.Finance)
	for _, kind := range reports.Kinds() {
		if kind.Of != report.OfDrawers {
			continue
		}
		for _, by := range kind.By {
			report := w.get("/reports/cash?from=2026-02-01&to=2026-03-09&by=" + string(by)).page(t)
			rows := report.Find(".figures-table tbody tr")
			require.Positive(t, rows.Length(), by)
			rows.Each(func(_ int, row *goquery.Selection) {
				shifts, err := strconv.Atoi(strings.TrimSpace(row.Find("td").First().Text()))
				require.NoError(t, err)
				link := row.Find("a").AttrOr("href", "")
				require.Equal(t, shifts, w.shiftsBehind(link), "%s: %s", by, link)
			})
		}
	}
	require.Equal(t, http.StatusNotFound, w.get("/shifts?from=yesterday&to=2026-03-09").StatusCode)
	require.Equal(t, http.StatusNotFound, w.get("/shifts?to=yesterday").StatusCode)
	require.Equal(t, http.StatusNotFound, w.get("/shifts?shop=none").StatusCode)
	other := w.get("/reports/cash?by=shop").page(t).Find(`.figures-table a:contains("Market Square")`).AttrOr("href", "")
	require.Equal(t, http.StatusNotFound, b.signIn(staff.Manager).get(other).StatusCode, "not her shop")
}

// shiftsBehind counts the shifts of a list, page by page.
func (w *browser) shiftsBehind(link string) (n int) {
	w.b.t.Helper()
	for link != "" {
		got := w.get(link)
		require.Equal(w.b.t, http.StatusOK, got.StatusCode, link)
		page := got.page(w.b.t)
		n += page.Find("table.list tbody tr").Length()
		link = page.Find(".page-foot a").AttrOr("href", "")
	}
	return n
}

// TestShiftsOfADayFillTheirPage, where another shop's clock is on another day all the while.
func TestShiftsOfADayFillTheirPage(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		east, tills, err := b.staff.CreateShop(t.Context(), setup, staff.NewShop{Name: "East", Zone: "Pacific/Kiritimati", Country: "KI", Currency: "EUR", Tills: 1})
		require.NoError(t, err)
		shift := func(id, shop, till string) string {
			return `INSERT INTO shifts (id, shop_id, till_id, number, cashier_id, currency, opening_micros, opened_at, closed_at, counted_micros)
				SELECT '` + id + `' || i, '` + shop + `', '` + till + `', i, '` + b.users[staff.Cashier].ID + `', 'EUR', 0, @at, @at, 0 FROM n`
		}
		require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error { // noon in Dublin is the next day in the east
			if err := fill(tx, 101, shift("new-", east.ID, tills[0].ID)); err != nil {
				return err
			}
			return fill(tx, 2, shift("a-", b.shop.ID, b.tills[1].ID))
		}))
		page := b.signIn(staff.Finance).get("/shifts?from=2026-03-01&to=2026-03-01").page(t)
		require.Equal(t, 2+1, page.Find("table.list tbody tr").Length(), "one was open")
		require.Zero(t, page.Find(".page-foot a").Length())
		require.Equal(t, 101, b.signIn(staff.Finance).shiftsBehind("/shifts?from=2026-03-02&to=2026-03-02"))
		require.Equal(t, 101+2+1, b.signIn(staff.Finance).shiftsBehind("/shifts"))
		// One end of a period will do, as in the list of sales.
		require.Equal(t, 2+1, b.signIn(staff.Finance).shiftsBehind("/shifts?to=2026-03-01"))
		require.Equal(t, 2+1, b.signIn(staff.Finance).shiftsBehind("/shifts?from=2026-02-27"), "until her today")
		require.Zero(t, b.signIn(staff.Finance).shiftsBehind("/shifts?to=2026-02-27"))
	})
}

// TestOpenShiftsFollowThoughTheLastOneOfAPageCloses while the page is read.
func TestOpenShiftsFollowThoughTheLastOneOfAPageCloses(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
			return fill(tx, 104, `INSERT INTO shifts (id, shop_id, till_id, number, cashier_id, currency, opening_micros, opened_at)
				SELECT 'a-' || (1000 + i), '`+b.shop.ID+`', 'till-' || i, i, '`+b.users[staff.Cashier].ID+`', 'EUR', 0, @at FROM n`)
		}))
		w := b.signIn(staff.Manager)
		page := w.get("/shifts").page(t)
		last := page.Find("table.list tbody tr").Last().Find("a").AttrOr("href", "")
		require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Exec("UPDATE shifts SET closed_at = opened_at, counted_micros = 0 WHERE id = ?", strings.TrimPrefix(last, "/shift/")).Error
		}))
		more := w.get(page.Find(".page-foot a").AttrOr("href", "")).page(t).Find("table.list tbody")
		require.Equal(t, 5, strings.Count(more.Text(), "Open"), more.Text())
		require.Equal(t, 1, more.Find("a[href='"+last+"']").Length(), "as a closed one it follows")
	})
}

// TestAlertsOfTodayLeadToWhereTheyAreMended for whoever reads them.
func TestAlertsOfTodayLeadToWhereTheyAreMended(t *testing.T) {
	t.Parallel()
	b := trading(t)
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		if err := tx.Exec("INSERT INTO river_job (kind, state, args, max_attempts, attempt, finalized_at) VALUES ('sweep', 'discarded', '{}', 1, 1, ?)", b.clock()).Error; err != nil {
			return err
		}
		now := b.clock()
		return tx.Create(&catalog.Run{ID: "1", Resource: "products", StartedAt: now, LeaseUntil: now, EndedAt: &now, Outcome: catalog.Failed}).Error
	}))
	for role, leads := range map[staff.Role][]string{staff.Admin: {"/admin/jobs", "/admin/catalogue"}, staff.Manager: {"/admin/health", "/admin/health"}} {
		w := b.signIn(role)
		var links []string
		w.get("/today").page(t).Find("#today .alerts a").Each(func(_ int, a *goquery.Selection) { links = append(links, a.AttrOr("href", "")) })
		require.Equal(t, leads, links, role)
		require.Contains(t, w.get("/today").page(t).Find(`#today .figure:contains("Updates and jobs")`).Text(), "Problems: 2", role)
		for _, link := range links {
			require.Equal(t, http.StatusOK, w.get(link).StatusCode, "%s: %s", role, link)
		}
	}
}

// TestFloatLastsTellsAManagerWhatIsBehindIt: the forecast is of all shops, and she
// sees the sales of one.
func TestFloatLastsTellsAManagerWhatIsBehindIt(t *testing.T) {
	t.Parallel()
	b := trading(t)
	b.server.D.Forecast = forecast.New(forecast.Deps{Report: b.server.D.Report, Now: b.clock})
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("INSERT INTO upstream_balances (id, asked_at, told_at, micros, currency, open_sales) VALUES ('1', ?, ?, 500000000, 'EUR', 0)", b.clock(), b.clock()).Error
	}))
	note := func(role staff.Role) string {
		return b.signIn(role).get("/today").page(t).Find(`#today .figure:contains("Float lasts") .hint`).Text()
	}
	const words = "For all shops together. The link leads to the sales of yours."
	require.Contains(t, note(staff.Manager), words)
	require.NotEmpty(t, note(staff.Finance))
	require.NotContains(t, note(staff.Finance), words)
}

// TestTodayNamesWhoSellsNow: whoever took the till over, not who opened its shift.
func TestTodayNamesWhoSellsNow(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	cashier := b.atTill(staff.Cashier)
	b.becomes(cashier.sellTopUp(), sales.Complete)
	require.NoError(t, b.server.D.Report.Rebuild(t.Context()))
	selling := func() string {
		return squeezed(b.signIn(staff.Finance).get("/today").page(t).Find("#today .sellers").Text())
	}
	require.Contains(t, selling(), b.users[staff.Cashier].DisplayName+" Till 1 · since 12:00 €10.46 Sales: 1")
	b.pass(time.Hour)
	b.atTill(staff.Manager)
	require.Contains(t, selling(), b.users[staff.Manager].DisplayName+" Till 1 · since 13:00")
	require.NotContains(t, selling(), b.users[staff.Cashier].DisplayName+" ")
}

// TestAShiftsSalesAreThoseOfItsDrawer, whatever the clocks of two processes say: one may sell what the other, which is
// behind, takes the shift over for or closes.
func TestAShiftsSalesAreThoseOfItsDrawer(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w, boss := b.atTill(staff.Cashier), b.signIn(staff.Finance)
		sell := func(number string) string {
			path, _ := w.sold(number)
			b.moveSale(path, "fulfilment = 'complete', cash = 'earned'")
			return path
		}
		b.openTill(w)
		b.pass(-time.Second)
		early := sell("0871234561")
		require.Equal(t, "1", squeezed(w.get("/shift").page(t).Find(".figure:has(a[href*='state=complete']) dd").First().Text()))
		b.pass(time.Minute)
		late := sell("0871234562")
		b.pass(-time.Second)
		report := ""
		for report = w.closeWith("loose", "110"); !strings.HasPrefix(report, "/shift/0"); report = w.closeWith("loose", "110") {
		}
		query := "?shift=" + strings.TrimPrefix(report, "/shift/")
		var listed []string
		for _, row := range boss.get("/sales" + query).page(t).Find("table.list tbody a").EachIter() {
			path, _, _ := strings.Cut(row.AttrOr("href", ""), "?")
			listed = append(listed, path)
		}
		require.Equal(t, []string{late, early}, listed)
		file := boss.get("/sales.csv" + query).body
		require.Contains(t, file, "353871234561")
		require.Contains(t, file, "353871234562")
	})
}

// TestAReportPrintsOnRecordThoughItsShiftClosesMeanwhile: a Z report is no X report that prints as often as one likes.
func TestAReportPrintsOnRecordThoughItsShiftClosesMeanwhile(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	boss := b.signIn(staff.Manager)
	b.openTill(boss)
	closes := func(path string) answer {
		open, err := b.server.D.Till.Current(t.Context(), b.tills[0].ID)
		require.NoError(t, err)
		closed := false
		query := b.db.Read(t.Context()).Callback().Query()
		require.NoError(t, query.After("gorm:query").Replace("test:closes", func(tx *gorm.DB) {
			if closed || !strings.Contains(tx.Statement.SQL.String(), "shifts") {
				return
			}
			closed = true
			_, _, err := b.server.D.Till.Close(t.Context(), till.Ending{
				Key: open.ID, Actor: setup, ShopID: b.shop.ID, ShiftID: open.ID, Count: till.Counted(open.Opening()),
			})
			require.NoError(t, err)
		}))
		got := boss.get("/shift/" + open.ID + path)
		require.True(t, closed)
		return got
	}
	printed := closes("/receipt?width=58")
	require.Equal(t, http.StatusSeeOther, printed.StatusCode)
	require.Contains(t, printed.Header.Get("Location"), "/receipt?width=58")
	report := boss.get(printed.Header.Get("Location")).page(t)
	require.Equal(t, 1, report.Find("form[action$='/print']").Length(), "on record")
	boss.post("/till", url.Values{"till": {b.tills[0].ID}})
	b.openTill(boss)
	require.Equal(t, http.StatusConflict, closes("/receipt.escpos").StatusCode)
}
