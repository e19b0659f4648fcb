package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// TestAReportIsNarrowedOnItsForm by each list that the form offers: to what plain SQL
// finds of the same value.
func TestAReportIsNarrowedOnItsForm(t *testing.T) {
	t.Parallel()
	b := invented(t, newMarket(t, storetest.NewAt(t, stock.Copy)))
	w := b.signIn(staff.Finance)
	const address = "/reports/sales?by=shop&from=2026-02-01&to=2026-02-28"
	for name, column := range map[string]string{"country": "country_iso", "provider": "provider_code", "kind": "kind", "till": "till_id", "cashier": "cashier_id"} {
		var most struct {
			Value string
			N     int64
		}
		require.NoError(t, b.db.Read(t.Context()).Raw("SELECT "+column+" AS value, COUNT(*) AS n FROM sales WHERE NOT practice AND recorded_at >= '2026-02-01' AND recorded_at < '2026-03-01' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1").Scan(&most).Error)
		list := w.get(address).page(t).Find(`form.asks select[name="` + name + `"]`)
		offered := list.Find(`option[value="` + most.Value + `"]`)
		require.Equal(t, 1, offered.Length(), "%s: %s is not offered", name, most.Value)
		require.NotEqual(t, most.Value, offered.Text(), "%s by its name", name)
		_, chosen := list.Find("option").First().Attr("selected")
		require.True(t, chosen || list.Find("[selected]").Length() == 0, "all, at first")

		page := w.get(address + "&" + name + "=" + url.QueryEscape(most.Value)).page(t)
		require.Equal(t, strconv.FormatInt(most.N, 10), page.Find(".figures-table tfoot td").First().Text(), "%s = %s", name, most.Value)
		require.Equal(t, most.Value, page.Find(`form.asks select[name="`+name+`"] [selected]`).AttrOr("value", ""))
		require.Zero(t, page.Find(`.chips li, form.asks input[type="hidden"]`).Length(), "%s is asked for once", name)
		_, open := page.Find("form.asks details").Attr("open")
		require.True(t, open, "what is chosen is in sight")
	}
}

// TestALongReportLeavesTheUsualPeriodsAsTheyWere: by day it would be too long, so it is by month, which today is not.
func TestALongReportLeavesTheUsualPeriodsAsTheyWere(t *testing.T) {
	t.Parallel()
	w := trading(t).signIn(staff.Finance)
	page := w.get("/reports/sales?by=day&from=2025-10-01&to=2026-02-28").page(t)
	require.Equal(t, "month", page.Find(`select[name="by"] [selected]`).AttrOr("value", ""))
	links := page.Find("main .tabs").Last().Find("a")
	require.Equal(t, 6, links.Length())
	for _, link := range links.EachIter() {
		require.NotContains(t, link.AttrOr("href", ""), "by=month", link.Text())
	}
}

// TestAComparisonBeginsWithTheFirstDay: before 2020 nothing was sold, which is no reason to refuse what was asked for.
func TestAComparisonBeginsWithTheFirstDay(t *testing.T) {
	t.Parallel()
	w := trading(t).signIn(staff.Finance)
	for _, query := range []string{
		"by=month&compare=before&from=2022-01-01&to=2026-02-28", "by=month&compare=year&from=2020-01-01&to=2020-06-30",
		"by=day&compare=week&from=2020-01-01&to=2020-01-07",
	} {
		got := w.get("/reports/sales?" + query)
		require.Equal(t, http.StatusOK, got.StatusCode, query)
		require.Empty(t, got.page(t).Find("#report-problem").Text(), query)
	}
}

// TestAFormOffersWhatItsReportCanBeNarrowedBy and what an address chose otherwise
// is named, and can be taken away.
func TestAFormOffersWhatItsReportCanBeNarrowedBy(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Finance)
	for address, want := range map[string]string{
		"/reports/sales":                    "provider kind till cashier", // without a catalogue there are no countries
		"/reports/margin?by=product":        "provider kind",
		"/reports/cashiers":                 "provider till cashier",
		"/reports/sales?till=x&by=provider": "provider cashier",
		"/reports/failures":                 "provider",
		"/reports/hours":                    "",
		"/reports/cash":                     "till cashier",
		"/reports/limits":                   "till cashier",
	} {
		got := w.get(address)
		require.Equal(t, http.StatusOK, got.StatusCode, address)
		names := got.page(t).Find("form.asks details select").Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("name", "") })
		require.Equal(t, want, strings.Join(names, " "), address)
	}
	var sku, name string
	require.NoError(t, b.db.Read(t.Context()).Raw("SELECT code, name FROM rollup_names WHERE what = 'product' ORDER BY code LIMIT 1").Row().Scan(&sku, &name))
	chip := w.get("/reports/margin?product=" + url.QueryEscape(sku)).page(t).Find(".chips a")
	require.Contains(t, chip.Text(), name)
	require.NotContains(t, chip.AttrOr("href", ""), "product")
	links := w.get("/reports/sales?provider=SHIE&till=x").page(t).Find(`nav a[href^="/reports/cash?"]`)
	require.NotContains(t, links.AttrOr("href", ""), "provider", "drawers know no provider")
	require.Contains(t, links.AttrOr("href", ""), "till=x")
}

// TestAManagerIsOfferedThePeopleOfTheOwnShop alone.
func TestAManagerIsOfferedThePeopleOfTheOwnShop(t *testing.T) {
	t.Parallel()
	b := trading(t)
	people := b.signIn(staff.Manager).get("/reports/sales").page(t).Find(`select[name="cashier"] option`)
	require.Contains(t, people.Text(), b.users[staff.Cashier].DisplayName)
	var others []string
	require.NoError(t, b.db.Read(t.Context()).Raw("SELECT id FROM users WHERE shop_id <> ?", b.shop.ID).Scan(&others).Error)
	require.NotEmpty(t, others)
	for _, id := range others {
		require.Zero(t, people.Filter(`[value="`+id+`"]`).Length())
	}
}

// TestPeopleOfOneNameAreToldApart in a report, by their usernames; nobody else's is shown.
func TestPeopleOfOneNameAreToldApart(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.atTill(staff.Cashier)
		b.openTill(w)
		path, _ := w.sold(irish)
		first := b.users[staff.Cashier]
		other, err := b.staff.CreateUser(t.Context(), setup, staff.NewUser{
			Username: "second", DisplayName: first.DisplayName, Role: staff.Cashier, Password: password, ShopID: b.shop.ID,
		})
		require.NoError(t, err)
		again, _ := w.sold("0871114567")
		b.moveSale(again, "cashier_id = '"+other.ID+"'")
		require.NotEqual(t, path, again)
		require.NoError(t, b.server.D.Report.Rebuild(t.Context()))
		page := b.signIn(staff.Manager).get("/reports/cashiers").page(t)
		var names []string
		page.Find(".figures-table tbody th").Each(func(_ int, head *goquery.Selection) { names = append(names, strings.TrimSpace(head.Text())) })
		require.ElementsMatch(t, []string{first.DisplayName + " (" + first.Username + ")", first.DisplayName + " (second)"}, names)
		offered := page.Find("form.asks select[name=cashier] option").Text()
		require.Contains(t, offered, first.DisplayName+" (second)")
		require.NotContains(t, offered, "("+b.users[staff.Manager].Username+")")
	})
}
