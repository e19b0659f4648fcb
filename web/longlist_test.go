package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/pricing"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// TestALongListOfPeopleIsSearched: a chain has more people than anybody reads through.
func TestALongListOfPeopleIsSearched(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, nil)
		w := b.signIn(staff.Admin)
		const list = "/admin/people"
		rows := func(path string) int { return w.get(path).page(t).Find("table tbody tr").Length() }
		few := rows(list)
		require.Zero(t, w.get(list).page(t).Find(`main input[name="find0"]`).Length(), "a short list is read, not searched")
		err := db.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 130)
				INSERT INTO users (id, username, display_name, role, shop_id, locale, password_hash, epoch, created_at)
				SELECT 'more' || i, 'more' || i, CASE i WHEN 99 THEN 'Zoé Niñà' ELSE 'Person ' || i END, role, shop_id, locale, password_hash, 0, created_at
				FROM n, users WHERE username = ?`, b.users[staff.Cashier].Username).Error
		})
		require.NoError(t, err)

		page := w.get(list).page(t)
		require.Equal(t, 100, page.Find("table tbody tr").Length())
		require.Contains(t, page.Find("main").Text(), fmt.Sprintf("100 of %d are shown", few+130))
		names := page.Find("tbody th a").Map(func(_ int, s *goquery.Selection) string { return s.Text() })
		require.Less(t, slices.Index(names, "Person 2"), slices.Index(names, "Person 10"), "in the order of their names")
		found := w.get(list + "?find0=" + url.QueryEscape("nina ZOE")).page(t)
		require.Equal(t, 1, found.Find("table tbody tr").Length(), "capitals and accents make no difference")
		require.Equal(t, "Zoé Niñà", found.Find("tbody th a").Text())
		require.Equal(t, "nina ZOE", found.Find(`main input[name="find0"]`).AttrOr("value", ""))
		require.Equal(t, 1, rows(list+"?find0=more77"), "by the username")
		require.Zero(t, rows(list+"?find0=nobody"))
		require.Contains(t, w.get(list+"?find0=nobody").page(t).Find("main").Text(), "Nothing matches “nobody”.")

		require.Equal(t, "/admin/people/more99", w.get("/find?q=nina+zoe").page(t).Find("main tbody th a").AttrOr("href", ""), "everything is searched so")

		file := w.get(page.Find(`a[href*="file=csv"]`).AttrOr("href", ""))
		require.Equal(t, http.StatusOK, file.StatusCode)
		require.Equal(t, few+130+1, strings.Count(strings.TrimSpace(file.body), "\n")+1, "a file has them all")
	})
}

// TestWhatIsFoundIsActedOn: an act stays with its row when others are left out.
func TestWhatIsFoundIsActedOn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, nil)
		w := b.signIn(staff.Admin)
		for i := range 102 {
			_, err := b.server.D.Pricing.SaveRule(t.Context(), setup, pricing.Rule{Name: fmt.Sprintf("Rule %03d", i), Priority: i + 1, Way: pricing.Percent, Value: "2.5"})
			require.NoError(t, err)
		}
		found := w.get("/admin/prices?find0=077").page(t)
		row := found.Find("table tbody tr").First()
		require.Contains(t, row.Text(), "Rule 077")
		id := row.Find(`form[action="/admin/prices/retire"] input[name="id"]`).AttrOr("value", "")
		require.NotEmpty(t, id)
		require.Contains(t, row.Find("a").AttrOr("href", ""), id)
	})
}

// TestShopsStandInTheOrderOfTheirNames: the one that was made last is as easily found as the first.
func TestShopsStandInTheOrderOfTheirNames(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Admin)
	for _, name := range []string{"Zürich", "Éire Lane", "Corner 10", "Corner 2"} {
		_, _, err := b.staff.CreateShop(t.Context(), setup, staff.NewShop{Name: name, Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
		require.NoError(t, err)
	}
	for path, each := range map[string]string{
		"/admin/shops": "tbody th a", "/admin/people": `select[name="shop"] option`, "/reports/sales": `select[name="shop"] option`,
	} {
		all := w.get(path).page(t).Find(each)
		names := all.Map(func(_ int, s *goquery.Selection) string { return strings.TrimSpace(s.Text()) })
		names = slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, "All") })
		require.Equal(t, []string{"Camden Street", "Corner 2", "Corner 10", "Éire Lane", "Main Street", "Market Square", "Zürich"}, names, path)
	}
}

// TestManyPeopleAreChosenFromByShop: a page is no longer for each person of a chain. Who is chosen stays so.
func TestManyPeopleAreChosenFromByShop(t *testing.T) {
	t.Parallel()
	b := trading(t)
	shop, _, err := b.staff.CreateShop(t.Context(), setup, staff.NewShop{
		Name: "Zoo", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1,
	})
	require.NoError(t, err)
	more := func(from, to int, shop string) {
		require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
			return fill(tx, to, fmt.Sprintf(`INSERT INTO users (id, username, display_name, role, shop_id, locale,
				password_hash, epoch, created_at) SELECT 'more' || i, 'more' || i, 'Person ' || i, role, '%s', locale, password_hash, 0, created_at
				FROM n, users WHERE username = '%s' AND i >= %d`, shop, b.users[staff.Cashier].Username, from))
		}))
	}
	w := b.signIn(staff.Finance)
	options := func(path, list string) int {
		return w.get(path).page(t).Find(`select[name="` + list + `"] option`).Length()
	}
	pages := []string{"/sales?", "/reports/sales?"}
	for _, page := range pages {
		require.Equal(t, 2, options(page+"shop="+shop.ID, "till"), page)
		require.NotZero(t, options(page, "cashier"), page)
	}
	more(1, 3, shop.ID)
	more(4, 600, b.shop.ID)
	for _, page := range pages {
		require.Zero(t, options(page, "cashier"), page)
		require.NotZero(t, options(page, "till"), page)
		require.Equal(t, 1+3, options(page+"shop="+shop.ID, "cashier"), page)
		require.Less(t, 600, options(page+"shop="+b.shop.ID, "cashier"), page)
		for _, shop := range []string{"", shop.ID} {
			chosen := w.get(page + "shop=" + shop + "&cashier=more2").page(t)
			require.Equal(t, "Person 2", chosen.Find(`select[name="cashier"] option[selected]`).Text(), page)
		}
	}
	w = b.signIn(staff.Manager)
	require.Less(t, 600, options("/sales", "cashier"), "of the one shop that they see")
}

// TestOfManyCashiersThoseShortMostAreListed: a file has the others.
func TestOfManyCashiersThoseShortMostAreListed(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Finance)
	add := func(from, to int) {
		require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
			return fill(tx, to, fmt.Sprintf(`INSERT INTO shifts (id, shop_id, till_id, number, cashier_id, currency,
				opening_micros, opened_at, closed_at, counted_micros)
				SELECT 'old-' || i, '%s', '%s', 100 + i, 'cashier-' || i, 'EUR', 0, @at, @at, 0 FROM n WHERE i >= %d`,
				b.shop.ID, b.tills[1].ID, from))
		}))
	}
	const cut = "The list ends after 200. Download the CSV file for all of them."
	add(1, 200)
	b.pass(time.Minute)
	page := w.get("/reconcile/drawers").page(t)
	require.Equal(t, 200, page.Find("main tbody tr").Length())
	require.NotContains(t, page.Find("main").Text(), cut)
	add(201, 300)
	page = w.get("/reconcile/drawers").page(t)
	require.Equal(t, 200, page.Find("main tbody tr").Length())
	require.Contains(t, page.Find("main").Text(), cut)
	file := w.get(page.Find(`a[href*="file=csv"]`).AttrOr("href", ""))
	require.Equal(t, 1+300, strings.Count(strings.TrimSpace(file.body), "\n")+1)
}
