//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// officeScreens are the pages from which shops are run, by the name of their picture
// in the gallery. An admin may see them all.
var officeScreens = []screen{
	{name: "today", path: "/"},
	{name: "all-sales", path: "/sales"},
	{name: "one-sale", path: "/sales?from=" + time.Now().AddDate(0, 0, -3).Format(time.DateOnly), link: "main a[href^='/sales/0']"}, // at night nothing is sold yet
	{name: "report-sales", path: "/reports/sales"},
	{name: "report-margin", path: "/reports/margin"},
	{name: "report-products", path: "/reports/products"},
	{name: "report-cashiers", path: "/reports/cashiers"},
	{name: "report-failures", path: "/reports/failures"},
	{name: "report-commission", path: "/reports/commission"},
	{name: "report-hours", path: "/reports/hours"},
	{name: "report-cash", path: "/reports/cash"},
	{name: "report-limits", path: "/reports/limits"},
	{name: "reconcile", path: "/reconcile"},
	{name: "verdicts", path: "/reconcile/verdicts"},
	{name: "payments-and-sellers", path: "/reconcile/outside"},
	{name: "over-and-short", path: "/reconcile/drawers"},
	{name: "statements", path: "/statements"},
	{name: "statement", path: "/statements", link: "main a[href^='/statements/0']"},
	{name: "find", path: "/find?q=Aoife"},
	{name: "shifts", path: "/shifts"},
	{name: "shift-report", path: "/shifts", link: "main a[href^='/shift/0']"},
	{name: "health", path: "/admin/health"},
	{name: "prices", path: "/admin/prices"},
	{name: "price-rule", path: "/admin/prices/rule"},
	{name: "catalogue", path: "/admin/catalogue"},
	{name: "catalogue-products", path: "/admin/catalogue/products?find=ireland"},
	{name: "sync-run", path: "/admin/catalogue", link: "main a[href^='/admin/catalogue/runs/']"},
	{name: "missing-texts", path: "/admin/catalogue/texts?language=fr"},
	{name: "shelf", path: "/admin/counter"},
	{name: "picking", path: "/admin/counter?form=/admin/counter&act=hide&find-sku=ireland"},
	{name: "people", path: "/admin/people"},
	{name: "person", path: "/admin/people", link: "main a[href^='/admin/people/0']"},
	{name: "shops", path: "/admin/shops"},
	{name: "shop", path: "/admin/shops", link: "main a[href^='/admin/shops/0']"},
	{name: "limits", path: "/admin/limits"},
	{name: "sending", path: "/admin/sending"},
	{name: "transfer-service", path: "/admin/upstream"},
	{name: "jobs", path: "/admin/jobs"},
	{name: "corrections", path: "/admin/corrections"},
	{name: "webhooks", path: "/admin/webhooks"},
	{name: "setup", path: "/admin/setup"},
	{name: "audit", path: "/admin/audit"},
	{name: "password", path: "/password"},
	{name: "account", path: "/account"},
	{name: "second-step", path: "/account/second"},
	{name: "access", path: "/admin/access"},
	{name: "find-setting", path: "/admin/find?q=limit"},
	{name: "customer-data", path: "/admin/customer"},
}

// tradedWorld has a month of invented trade, with more of what "web seed" is asked for, admins, and a manager of one
// shop.
func tradedWorld(t *testing.T, more []string, admins ...string) (w *world, url string) {
	t.Helper()
	all := dialects()
	w = emptyWorld(t, all[len(all)-1], startSimulator(t))
	seed := []string{"seed", "--sales", "6000", "--days", "30", "--shops", "3"}
	command(t, w.env, "", "web", append(seed, more...)...)
	for _, admin := range admins {
		command(t, w.env, w.password+"\n", "web", "user", "add", "--username", admin, "--role", "admin")
	}
	command(t, w.env, w.password+"\n", "web", "user", "add", "--username", "manager", "--role", "manager", "--shop", "Camden Street")
	return w, w.serve(t).ready(t).url
}

// addressed returns the screens with the addresses that their links lead to.
func (b *browser) addressed(screens []screen) []screen {
	b.t.Helper()
	var all []screen
	for _, v := range screens {
		if v.link != "" {
			b.linked(v)
			v.path = asks[string](b, fmt.Sprintf(`document.querySelector(%q).getAttribute("href")`, v.link))
		}
		all = append(all, v)
	}
	return all
}

// linked opens a screen's list again until what it leads to is there: statements
// are closed after the till has begun.
func (b *browser) linked(v screen) {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		b.open(v.path)
		b.until(v.path, `document.readyState === "complete"`)
		return asks[bool](b, fmt.Sprintf(`!!document.querySelector(%q)`, v.link))
	}, settles, 300*time.Millisecond, "%s: no %s on %s", v.name, v.link, v.path)
}

// TestEveryPageOfTheOffice holds the pages from which shops are run, over a month of
// trade, to the same as TestEveryPage; and there is none that is not among them.
func TestEveryPageOfTheOffice(t *testing.T) {
	t.Parallel()
	w, url := tradedWorld(t, nil, "en", "ar", "es", "fr", "pt")
	for _, in := range passes() {
		language, width := in.language, in.width
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			b := newBrowser(t, url)
			b.signIn(language, w.password)
			views := b.addressed(officeScreens)
			holdsEachRoute(t, views)
			b.open("/")
			b.speak(language)
			b.forget()
			var load loads
			b.walk(views, width, func(v screen) {
				load.weigh(b, v)
				b.still(v, width)
				b.accessible(v.name, language)
				if v.name == "one-sale" { // whatever number was sold to, or none
					b.eval(`(document.querySelector(".facts .number") ?? document.querySelector(".facts dd")).textContent = "+9999 999 999 99999"`)
				}
				if v.name == "today" { // however much was sold
					b.eval(`document.querySelector(".figure-large bdi").textContent = "€1,234,567.89"`)
				}
				b.fits(v.name, language)
			})
			t.Logf("heaviest first load %.1f KB, page after it %.1f KB", load.first/1000, load.later/1000)
		})
	}
}

func holdsEachRoute(t *testing.T, views []screen) {
	t.Helper()
	for _, route := range officeRoutes(t) {
		require.True(t, slices.ContainsFunc(views, func(v screen) bool {
			address, _, _ := strings.Cut(v.path, "?")
			return route.MatchString(address)
		}), "no screen is of GET %s", route)
	}
}

// officeRoutes are the pages that an admin may open, but for those of TestEveryPage
// and of TestADifferenceInItsStates.
func officeRoutes(t *testing.T) (routes []*regexp.Regexp) {
	t.Helper()
	table, err := os.ReadFile("../../../web/testdata/routes.golden")
	require.NoError(t, err)
	for line := range strings.Lines(string(table)) {
		cells := strings.Fields(line) // method, route, what it answers nobody, …, an admin
		if cells[0] != "GET" || strings.HasPrefix(cells[2], "+") || !strings.HasPrefix(cells[len(cells)-1], "+") {
			continue
		}
		route := cells[1]
		page := path.Ext(route) == "" && path.Base(route) != "events" && !strings.HasPrefix(route, "/logos/") && !strings.HasPrefix(route, "/till/")
		elsewhere := route == "/today" || route == "/admin/" || path.Base(route) == "receipt" || route == "/reconcile/breaks/:id" ||
			path.Base(route) == "running" || path.Base(route) == "pick" // parts of pages
		if page && !elsewhere {
			routes = append(routes, regexp.MustCompile("^"+regexp.MustCompile(`:\w+`).ReplaceAllString(route, "[^/]+")+"$"))
		}
	}
	require.Greater(t, len(routes), 20)
	return routes
}
