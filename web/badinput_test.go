package web

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/reports"
)

// TestBadInputIsRefusedWhereItWasTyped: each with a reason at the field, and what
// was typed still there.
func TestBadInputIsRefusedWhereItWasTyped(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	long, huge := strings.Repeat("x", 300), "99999999999999999999999999"
	person, shop := "/admin/people/"+b.users[staff.Cashier].ID, "/admin/shops/"+b.shop.ID
	pages := map[string]*browser{"finance": b.signIn(staff.Finance), "admin": b.signIn(staff.Admin)}
	rate := map[string]string{"from_currency": "USD", "to_currency": "EUR", "rate": "0.92"}
	rule := map[string]string{"name": "Rule", "priority": "10", "way": "percent", "value": "3"}
	newcomer := map[string]string{"username": "nora", "display_name": "Nora", "role": "cashier", "shop": b.shop.ID, "password": password}
	quay := map[string]string{"name": "Quay", "zone": "Europe/Dublin", "country": "IE", "currency": "EUR", "tills": "2"}
	for name, c := range map[string]struct {
		who, page, action, act string
		values                 map[string]string
		field, typed           string
	}{
		"a rate of zero":                {"finance", "/admin/prices", "/admin/rates", "", rate, "rate", "0"},
		"a rate of nearly nothing":      {"finance", "/admin/prices", "/admin/rates", "", rate, "rate", "0.00000000000000000001"},
		"a negative rate":               {"finance", "/admin/prices", "/admin/rates", "", rate, "rate", "-0.92"},
		"an enormous rate":              {"finance", "/admin/prices", "/admin/rates", "", rate, "rate", huge},
		"a rate in powers":              {"finance", "/admin/prices", "/admin/rates", "", rate, "rate", "1e300"},
		"a rate to itself":              {"finance", "/admin/prices", "/admin/rates", "", rate, "to_currency", "USD"},
		"a currency ISO does not have":  {"finance", "/admin/prices", "/admin/rates", "", rate, "from_currency", "QQQ"},
		"a currency that is none":       {"finance", "/admin/prices", "/admin/rates", "", rate, "from_currency", long},
		"a rule with a long name":       {"finance", "/admin/prices/rule", "/admin/prices/rule", "", rule, "name", long},
		"a rule of enormous value":      {"finance", "/admin/prices/rule", "/admin/prices/rule", "", rule, "value", huge},
		"a rule of priority zero":       {"finance", "/admin/prices/rule", "/admin/prices/rule", "", rule, "priority", "0"},
		"a rule of enormous priority":   {"finance", "/admin/prices/rule", "/admin/prices/rule", "", rule, "priority", huge},
		"a limit of zero":               {"admin", "/admin/limits", "/admin/limits", "", map[string]string{"kind": "number-day"}, "most", "0"},
		"a limit of zero money":         {"admin", "/admin/limits", "/admin/limits", "", map[string]string{"kind": "sale", "currency": "EUR"}, "most", "0.00"},
		"a negative limit":              {"admin", "/admin/limits", "/admin/limits", "", map[string]string{"kind": "number-day"}, "most", "-3"},
		"a negative limit of money":     {"admin", "/admin/limits", "/admin/limits", "", map[string]string{"kind": "sale", "currency": "EUR"}, "most", "-3"},
		"an enormous limit":             {"admin", "/admin/limits", "/admin/limits", "", map[string]string{"kind": "number-day"}, "most", huge},
		"an enormous limit of money":    {"admin", "/admin/limits", "/admin/limits", "", map[string]string{"kind": "sale", "currency": "EUR"}, "most", huge},
		"a limit in no currency":        {"admin", "/admin/limits", "/admin/limits", "", map[string]string{"kind": "sale", "most": "5"}, "currency", "EUROS"},
		"a long username":               {"admin", "/admin/people", "/admin/people", "", newcomer, "username", long},
		"a username with spaces":        {"admin", "/admin/people", "/admin/people", "", newcomer, "username", "no ra"},
		"a long name":                   {"admin", "/admin/people", "/admin/people", "", newcomer, "display_name", long},
		"a change without a reason":     {"admin", person, person, "disable", nil, "reason", " "},
		"a shop with a long name":       {"admin", "/admin/shops", "/admin/shops", "", quay, "name", long},
		"a shop with a long address":    {"admin", "/admin/shops", "/admin/shops", "", quay, "address", long},
		"a shop without a till":         {"admin", "/admin/shops", "/admin/shops", "", quay, "tills", "0"},
		"a shop with a million tills":   {"admin", "/admin/shops", "/admin/shops", "", quay, "tills", "1000000"},
		"a shop in no country":          {"admin", "/admin/shops", "/admin/shops", "", quay, "country", "XX"},
		"a shop in no zone":             {"admin", "/admin/shops", "/admin/shops", "", quay, "zone", "../etc/passwd"},
		"a till with a long name":       {"admin", shop, shop, "till", nil, "till", long},
		"a shop renamed to a long name": {"admin", shop, shop, "facts", map[string]string{"name": "Quay"}, "name", long},
	} {
		t.Run(name, func(t *testing.T) {
			form := pages[c.who].fill(c.page, c.action, c.act, c.values)
			form.Set(c.field, c.typed)
			got := pages[c.who].post(c.action, form)
			require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode, got.body)
			field := got.page(t).Find(`.field.refused [name="` + c.field + `"]`)
			require.Equal(t, 1, field.Length(), "%s is not named", c.field)
			require.NotEmpty(t, strings.TrimSpace(field.Closest(".field").Find(".problem").Text()))
			if field.Is("select") {
				chosen := ""
				if field.Find(`option[value="`+c.typed+`"]`).Length() > 0 {
					chosen = c.typed
				}
				require.Equal(t, chosen, field.Find("[selected]").AttrOr("value", ""), "something else is chosen instead of what is not in the list")
			} else {
				require.Equal(t, c.typed, field.AttrOr("value", ""), "what was typed is gone")
			}
			for other, value := range c.values {
				kept := field.Closest("form").Find(`[name="` + other + `"]`)
				switch {
				case other == c.field || other == "password":
				case kept.Is("select"):
					require.Equal(t, value, kept.Find("[selected]").AttrOr("value", ""), other)
				default:
					require.Equal(t, value, kept.AttrOr("value", ""), other)
				}
			}
		})
	}
}

// TestTheLastAdminStays: whoever tries to be rid of them is told why on the form.
func TestTheLastAdminStays(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Admin)
	own := "/admin/people/" + b.users[staff.Admin].ID
	for act, words := range map[string]string{"disable": "You cannot disable yourself", "role": "You cannot change your own role"} {
		got := w.post(own, w.fill(own, own, act, map[string]string{"reason": "I am leaving", "role": "finance"}))
		require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode)
		require.Contains(t, got.page(t).Find("#office-problem").Text(), words)
		require.Equal(t, "I am leaving", got.page(t).Find(`form:has([name="act"][value="`+act+`"]) [name="reason"]`).AttrOr("value", ""))
	}
	// Two admins at once, each of whom would be rid of the other: one of them stays.
	second, err := b.staff.CreateUser(t.Context(), setup, staff.NewUser{Username: "second", Role: staff.Admin, Password: password})
	require.NoError(t, err)
	other := b.browser()
	require.Equal(t, http.StatusSeeOther, other.post("/login", url.Values{"username": {"second"}, "password": {password}}).StatusCode)
	theirs := "/admin/people/" + second.ID
	demote := map[string]string{"reason": "too many", "role": "auditor"} // which takes no second person
	mine, yours := w.fill(theirs, theirs, "role", demote), other.fill(own, own, "role", demote)
	require.Equal(t, http.StatusSeeOther, w.post(theirs, mine).StatusCode)
	require.NotEqual(t, own+"?done=saved", other.post(own, yours).Header.Get("Location"))
	for _, change := range []error{
		b.staff.Disable(t.Context(), audit.Command("test"), b.users[staff.Admin].ID, "leaving"),
		b.staff.ChangePost(t.Context(), audit.Command("test"), b.users[staff.Admin].ID, staff.Post{Role: staff.Auditor}, "leaving"),
	} {
		require.ErrorContains(t, change, "last admin")
	}
}

// TestPeriodsThatCannotBe are refused where they were typed, whatever the report
// and whatever it is to be written as.
func TestPeriodsThatCannotBe(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Finance)
	for _, kind := range reports.Kinds() {
		for query, words := range map[string]string{
			"from=0001-01-01&to=9999-12-31":                   "first day as a date",
			"from=2020-01-01&to=2047-05-18":                   "at most ten years", // ten thousand days
			"from=2026-02-30":                                 "first day as a date",
			"to=31/12/2026":                                   "last day as a date",
			"from=2026-03-02&to=2026-03-01":                   "ends before it starts",
			"from=2026-03-01%00&to=2026-03-01":                "first day as a date",
			"from=" + strings.Repeat("9", 500):                "first day as a date",
			"by=colour":                                       "cannot be grouped",
			"compare=always":                                  "no comparison",
			"from=2026-02-01&to=2026-02-28&by=%27%3B+DROP+--": "cannot be grouped",
		} {
			address := "/reports/" + kind.Name + "?" + strings.ReplaceAll(query, " ", "+")
			got := w.get(address)
			require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode, address)
			page := got.page(t)
			require.Contains(t, page.Find("#report-problem").Text(), words, address)
			typed, err := url.ParseQuery(strings.ReplaceAll(query, " ", "+"))
			require.NoError(t, err)
			for _, name := range []string{"from", "to"} {
				if typed.Has(name) && !strings.Contains(typed.Get(name), "\x00") {
					require.Equal(t, typed.Get(name), page.Find(`[name="`+name+`"]`).AttrOr("value", ""), address)
				}
			}
			for _, format := range frame.ExportFormats {
				require.Equal(t, http.StatusUnprocessableEntity, w.get(strings.Replace(address, "?", "."+format+"?", 1)).StatusCode, address)
			}
		}
		b.pass(time.Duration(frame.FileLimit.Rate.Burst) * frame.FileLimit.Rate.Every)
	}
	for _, query := range []string{"from=0001-01-01", "to=9999-12-31", "from=soon"} {
		got := w.get("/sales?" + query)
		require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode, query)
		field, typed, _ := strings.Cut(query, "=")
		require.Equal(t, typed, got.page(t).Find(`.field.refused [name="`+field+`"]`).AttrOr("value", ""))
		require.Equal(t, http.StatusUnprocessableEntity, w.get("/sales.csv?"+query).StatusCode, query)
	}
	for _, address := range []string{"/sales?state=nonsense", "/sales.csv?state=nonsense", "/reconcile?kind=nonsense", "/reconcile?state=nonsense", "/reconcile?file=csv&kind=nonsense"} {
		require.Equal(t, http.StatusNotFound, w.get(address).StatusCode, address)
	}
	auditor := b.signIn(staff.Auditor)
	for _, field := range []string{"from", "to"} {
		got := auditor.get("/admin/audit?" + field + "=0001-01-01")
		require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode)
		require.Equal(t, "0001-01-01", got.page(t).Find(`.field.refused [name="`+field+`"]`).AttrOr("value", ""))
	}
	require.Equal(t, http.StatusUnprocessableEntity, auditor.get("/admin/audit?action=nonsense").StatusCode)
	const turned = "?from=2026-03-02&to=2026-03-01"
	got := auditor.get("/admin/audit" + turned)
	require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode)
	require.Equal(t, "2026-03-01", got.page(t).Find(`.field.refused [name="to"]`).AttrOr("value", ""))
	for _, path := range []string{"/sales", "/shifts"} {
		got := w.get(path + turned)
		require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode, path)
		require.Contains(t, got.page(t).Find("main").Text(), "ends before it starts", path)
	}
}

// TestAReportsNameIsRefusedBesideTheReport and the report is still there.
func TestAReportsNameIsRefusedBesideTheReport(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Finance)
	const path = "/reports/margin?by=country&from=2026-02-01&to=2026-02-28"
	for _, name := range []string{" ", strings.Repeat("x", 61)} {
		got := w.post("/reports/views", url.Values{"csrf": {w.formToken("/reports/sales")}, "name": {name}, "path": {path}})
		require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode)
		page := got.page(t)
		require.NotEmpty(t, page.Find("#view-name-problem").Text())
		require.Equal(t, name, page.Find("#view-name").AttrOr("value", ""))
		require.Positive(t, page.Find(".figures-table tbody tr").Length())
	}
}

// TestOnlyAReportIsSentByMail, whatever the page's own address was changed to.
func TestOnlyAReportIsSentByMail(t *testing.T) {
	t.Parallel()
	w := newBench(t, storetest.New(t), nil).signIn(staff.Finance)
	send := func(path string) answer {
		return w.post("/reports/mailings", url.Values{"csrf": {w.formToken("/reports/sales")}, "path": {path}})
	}
	broken := send("/reports/%zz")
	require.Equal(t, http.StatusUnprocessableEntity, broken.StatusCode)
	require.Contains(t, broken.page(t).Find("main").Text(), "Only a report can be sent.")
	require.Equal(t, http.StatusNotFound, send("/reports/none").StatusCode)
}

// TestNothingInAFileIsAFormula: whoever may name a shop, a till or a person cannot
// make the spreadsheet of whoever opens the file reckon.
func TestNothingInAFileIsAFormula(t *testing.T) {
	t.Parallel()
	b := trading(t)
	const evil = `=HYPERLINK("https://evil.example","open")`
	shops, err := b.staff.Shops(t.Context())
	require.NoError(t, err)
	for i, shop := range shops {
		require.NoError(t, b.staff.ChangeShop(t.Context(), setup, shop.ID, staff.ShopFacts{Name: evil[:len(evil)-i]}))
		tills, err := b.staff.Tills(t.Context(), shop.ID)
		require.NoError(t, err)
		require.NoError(t, b.staff.RenameTill(t.Context(), setup, tills[0].ID, "@SUM(A1:A9)", ""))
	}
	w, seen := b.signIn(staff.Finance), 0
	for _, address := range []string{"/reports/sales.csv?by=shop&from=2026-02-20&to=2026-02-26", "/reports/cash.csv?by=till&from=2026-02-20&to=2026-02-26", "/sales.csv?from=2026-02-26&to=2026-02-26"} {
		rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(w.get(address).body, "\uFEFF"))).ReadAll()
		require.NoError(t, err, address)
		require.Greater(t, len(rows), 1, address)
		for _, row := range rows {
			for _, cell := range row {
				require.NotRegexp(t, `^\s*[=+@]`, cell, address)
				if strings.HasPrefix(cell, "'") {
					seen++
				}
			}
		}
	}
	require.Positive(t, seen, "the names are in the files, disarmed")
}
