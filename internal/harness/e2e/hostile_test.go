//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/hostile"
	"airtill/internal/store"
)

// wordsOfTheWire are what the transfer service writes for people to read.
var wordsOfTheWire = []string{
	"AdditionalInformation", "BonusType", "BonusValidity", "Context", "CountryName", "CurrencyName", "CustomerCareNumber", "Dates", "DefaultDisplayText",
	"Description", "DescriptionMarkdown", "DisplayText", "Headline", "LogoUrl", "Message", "Name", "ReadMoreMarkdown", "ReceiptText", "RegionName",
	"ShortName", "TaxName", "TermsAndConditionsMarkDown", "ValidityPeriodIso",
}

// wordsOfPeople are what people of the till have written, and what stands in sales of
// what the service once wrote.
var wordsOfPeople = map[string][]string{
	"shops": {"name", "address", "tax_id"}, "tills": {"name"}, "users": {"display_name"}, "customers": {"name"}, "price_rules": {"name"},
	"report_views": {"name"}, "report_mailings": {"problem", "recipients"}, "top_ups": {"reference"}, "foreign_sellers": {"name"},
	"sales": {"provider_name", "customer_care", "product_text", "validity", "tax_name", "reason_context"}, "incidents": {"note"},
	"refused_arrivals": {"name", "email", "subject"}, "reconcile_runs": {"error"}, "breaks": {"reference"}, "approvals": {"summary"}, "catalog_runs": {"error"},
}

// spoiled is the simulator with markup behind every word it writes, the next few of
// the corpus each time.
func spoiled(t *testing.T, of *simulator) *simulator {
	t.Helper()
	target, err := url.Parse(of.url)
	require.NoError(t, err)
	var next atomic.Int64
	texts := hostile.Markup()
	var spoil func(value any, told bool) any
	spoil = func(value any, told bool) any {
		switch v := value.(type) {
		case map[string]any:
			for key, inner := range v {
				v[key] = spoil(inner, slices.Contains(wordsOfTheWire, key) || key == "Value" && v["Name"] == nil)
			}
		case []any:
			for i := range v {
				v[i] = spoil(v[i], told)
			}
		case string:
			if told {
				at := int(next.Add(3))
				return v + " " + texts[at%len(texts)] + texts[(at+1)%len(texts)] + texts[(at+2)%len(texts)]
			}
		}
		return value
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(r *http.Response) error {
		if !strings.Contains(r.Header.Get("Content-Type"), "json") || !strings.HasPrefix(r.Request.URL.Path, "/api/") {
			return nil
		}
		decoder := json.NewDecoder(r.Body)
		decoder.UseNumber() // amounts stay as they were written
		var answer any
		if err := decoder.Decode(&answer); err != nil {
			return err
		}
		body, err := json.Marshal(spoil(answer, false))
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
		return err
	}
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		in.Header.Del("Accept-Encoding") // what is zipped cannot be written into
		proxy.ServeHTTP(out, in)
	}))
	t.Cleanup(server.Close)
	return &simulator{process: of.process, url: server.URL}
}

// spoilRows puts markup behind what people have written: the next few of the corpus
// into each row, all of it where there are few rows.
func spoilRows(t *testing.T, address string) {
	t.Helper()
	db, err := store.Open(t.Context(), address)
	require.NoError(t, err)
	texts := hostile.Markup()
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		for table, columns := range wordsOfPeople {
			var rows []int64
			if err := tx.Raw("SELECT rowid FROM " + table).Scan(&rows).Error; err != nil {
				return err
			}
			each := max(8, len(texts)/max(1, len(rows)))
			for i, row := range rows {
				var some strings.Builder
				for n := range each {
					some.WriteString(" " + texts[(i*each+n)%len(texts)])
				}
				for _, column := range columns {
					if err := tx.Exec("UPDATE "+table+" SET "+column+" = "+column+" || ? WHERE rowid = ?", some.String(), row).Error; err != nil {
						return fmt.Errorf("%s.%s: %w", table, column, err)
					}
				}
			}
		}
		return nil
	}))
	require.NoError(t, db.Close())
}

// whatIsEvil lists what the corpus has made of a document.
const whatIsEvil = `((doc) => {
	const found = [];
	if (window.pwned) found.push("a script ran");
	const kinds = "[x-evil], x-evil, marquee, iframe, object, embed, base, math, frameset, isindex, xmp, listing, plaintext, noembed, template[x-data], annotation-xml, foreignObject, animate, meta[http-equiv], keygen, track, image, svg script";
	for (const el of doc.querySelectorAll(kinds)) found.push("an element: " + el.outerHTML.slice(0, 120));
	for (const el of doc.querySelectorAll("*")) {
		if ((el.tagName === "SCRIPT" || el.tagName === "STYLE") && !el.nonce && !(el.src || "").startsWith(location.origin + "/")) found.push("without a nonce: " + el.outerHTML.slice(0, 120));
		for (const {name, value} of el.attributes) {
			if (/^on|^(data-)?hx-on/i.test(name)) found.push("a handler: " + name + "=" + value.slice(0, 80));
			if (!/^(href|src|srcset|action|formaction|data|poster|background|xlink:href|(data-)?hx-(get|post|vals))$/i.test(name)) continue;
			let to;
			try { to = new URL(value, location) } catch { found.push("an address: " + value.slice(0, 80)); continue }
			const away = el.tagName === "A" && to.protocol === "https:" && el.relList.contains("noreferrer");
			if (to.origin !== location.origin && !away && !value.startsWith("#")) found.push("an address: " + name + "=" + value.slice(0, 80));
		}
	}
	return [...new Set(found)];
})`

// pattern is the route of a path: ids are told from words by their figures.
var idInPath = regexp.MustCompile(`/[0-9A-Z]{8,26}(/|$)`)

// crawl opens every page that pages lead to, a few of each route, and holds them to be
// harmless. It returns which routes were seen, and the texts that were on them.
func (b *browser) crawl(texts []string, begin ...string) (seen map[string]int, shown map[string]bool) {
	b.t.Helper()
	seen, shown = map[string]int{}, map[string]bool{}
	asked := map[string]bool{}
	for len(begin) > 0 {
		address := begin[0]
		begin = begin[1:]
		place, query, _ := strings.Cut(address, "?")
		values, err := url.ParseQuery(query)
		require.NoError(b.t, err)
		route := idInPath.ReplaceAllString(place, "/:id$1")
		kind := route + "?" + strings.Join(slices.Sorted(maps.Keys(values)), "&")
		file := values.Has("file") || path.Ext(place) != "" || values.Has("print")
		if file || asked[address] || seen[kind] >= 1 || seen[route] >= 4 {
			continue
		}
		asked[address], seen[kind] = true, seen[kind]+1
		if route+"?" != kind {
			seen[route]++
		}
		b.open(address)
		if evil := asks[[]string](b, whatIsEvil+"(document)"); len(evil) > 0 {
			b.t.Errorf("%s: %s", address, strings.Join(evil, "\n"))
		}
		whole := asks[string](b, `document.documentElement.textContent + [...document.querySelectorAll("input, textarea")].map((el) => el.value).join(" ")`)
		for _, text := range texts {
			if strings.Contains(whole, text) {
				shown[text] = true
			}
		}
		begin = append(begin, asks[[]string](b, `[...document.querySelectorAll("a[href]")].map((el) => el.getAttribute("href")).filter((href) => href.startsWith("/"))`)...)
	}
	return seen, shown
}

// TestNothingThatOthersWriteRunsInABrowser puts the corpus of markup behind every word
// of the transfer service and of people, and opens every page: no script of it runs,
// no element or attribute of it is there, and the content security policy has nothing
// to report. What newBrowser hears of is held against the test, too.
func TestNothingThatOthersWriteRunsInABrowser(t *testing.T) {
	t.Parallel()
	texts := hostile.Markup()
	require.GreaterOrEqual(t, len(texts), 200)
	w := emptyWorld(t, store.SQLite, spoiled(t, startSimulator(t)))
	command(t, w.env, "", "web", "seed", "--sales", "400", "--days", "10", "--shops", "2")
	command(t, w.env, w.password+"\n", "web", "user", "add", "--username", "admin", "--role", "admin")
	command(t, w.env, w.password+"\n", "web", "user", "add", "--username", "manager", "--role", "manager", "--shop", "Camden Street")
	refusedArrivals(t, strings.TrimPrefix(w.env[0], "DATABASE_URL="))
	spoilRows(t, strings.TrimPrefix(w.env[0], "DATABASE_URL="))
	p := w.serve(t, singleSignOn...).ready(t)

	seller := newPerson(t, p.url)
	seller.signIn("manager", w.password)
	v := seller.get("/till")
	if v.doc.Find(`[name="till"]`).Length() > 0 {
		till := v.doc.Find(`[name="till"]`).First().AttrOr("value", "")
		seller.send(http.MethodPost, p.url+"/till", url.Values{"csrf": {v.doc.Find(`[name="csrf"]`).AttrOr("value", "")}, "till": {till}, "take": {"1"}})
	}
	if v = seller.get("/shift"); v.named("Open shift").Length() > 0 {
		v.fill("float", "100").press("Open shift")
	}
	sold := seller.toConfirm("0871234567").press(cashReceived).becomes("complete", settles)
	paper, err := seller.get(sold.url.Path + "/receipt").doc.Html()
	require.NoError(t, err)
	status := regexp.MustCompile(`/s/[0-9A-Z]{8}`).FindString(paper)
	require.NotEmpty(t, status, "the customer's page")

	shown := map[string]bool{}
	for who, begin := range map[string][]string{
		"manager": {"/", "/admin/find?q=limit", "/admin/pick?of=product&field=sku&find-sku=a", "/counter", "/counter?number=0871234567", confirmAt(seller), sold.url.Path, sold.url.Path + "/receipt", "/customers", "/shift", "/shift/close", "/account", "/approvals", "/till", "/till/printer"},
		"admin":   {"/", "/admin/", "/sales", "/find?q=Street", "/admin/find?q=limit", "/admin/pick?of=product&field=sku&find-sku=a", "/admin/catalogue/texts?language=fr", "/admin/counter", "/admin/audit", "/admin/prices/rule", "/password"},
		"":        {"/login", "/offline", status},
	} {
		b := newBrowser(t, p.url)
		b.expect("/counter?number=") // an invented sale is sold again, of what this simulator does not sell
		if who != "" {
			b.signIn(who, w.password)
		}
		seen, on := b.crawl(texts, begin...)
		maps.Copy(shown, on)
		t.Logf("%s: %d kinds of page, %d of the texts on them", who, len(seen), len(on))
		if who != "" {
			everyRoute(t, who, seen)
		}
		if who == "" { // the check sees what it looks for
			b.mu.Lock()
			require.Empty(t, b.troubles)
			b.mu.Unlock()
			b.expect("Content Security Policy")
			corpus, err := json.Marshal(texts)
			require.NoError(t, err)
			caught := asks[int](b, fmt.Sprintf(`%s.filter((text) => %s(new DOMParser().parseFromString("<p>" + text, "text/html")).length > 0).length`, corpus, whatIsEvil))
			require.Greater(t, caught, len(texts)/2, "of the corpus, taken for markup")
			t.Logf("of %d texts %d would be seen if they were taken for markup", len(texts), caught)
		}
	}
	require.Greater(t, len(shown), len(texts)*3/4, "the corpus stands on the pages, as text")
}

// confirmAt is the page on which a sale is confirmed.
func confirmAt(p *person) string {
	return p.toConfirm("0867654321").url.RequestURI()
}

// everyRoute holds that a page of each route was opened that answers a role with one.
func everyRoute(t *testing.T, role string, seen map[string]int) {
	t.Helper()
	table, err := os.ReadFile("../../../web/testdata/routes.golden")
	require.NoError(t, err)
	column := map[string]int{"manager": 5, "admin": 8}[role]
	for line := range strings.Lines(string(table)) {
		cells := strings.Fields(line)
		if cells[0] != "GET" || strings.HasPrefix(cells[2], "+") || !strings.HasPrefix(cells[column], "+") {
			continue
		}
		route := cells[1]
		if path.Ext(route) != "" || slices.Contains([]string{"events", "running", "state", "today", "test"}, path.Base(route)) || strings.HasPrefix(route, "/logos/") || strings.HasPrefix(route, "/reconcile/breaks/") || role == "admin" && path.Base(route) == "receipt" {
			continue // files, parts of pages, and what this world has none of
		}
		is := regexp.MustCompile("^" + regexp.MustCompile(`:\w+`).ReplaceAllString(route, "[^/?]+") + "(\\?|$)")
		require.True(t, slices.ContainsFunc(slices.Collect(maps.Keys(seen)), is.MatchString), "%s: no page of %s was opened: %v", role, route, slices.Sorted(maps.Keys(seen)))
	}
}
