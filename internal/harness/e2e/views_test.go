//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/store"
)

// screen is a page in a state, for the tests that look at all of them:
// accessibility, narrow screens, large text, weight, layout shift.
type screen struct {
	name string
	path string
	link string // what leads to the screen on the page at path; "" if it is that page
	// whole says that its tables are read without scrolling them sideways.
	whole bool
	// refused is what the browser complains of when the page is asked for: an
	// error page comes with its status.
	refused string
}

// atCounterViews are the pages of a cashier. A new page or state is one line
// here; what has to happen first belongs into prepareViews.
func (v prepared) atCounterViews() []screen {
	return []screen{
		{name: "the number", path: "/counter"},
		{name: "a number refused", path: "/counter?number=hello", refused: "status of 422"},
		{name: "the products", path: "/counter?number=" + irish},
		{name: "no product found", path: "/counter?number=" + irish + "&q=nothing+like+it"},
		{name: "which operator", path: "/counter?number=" + irish + "&country=GB"},
		{name: "which country", path: "/counter?number=12345678"},
		{name: "an amount of choice", path: v.offer(irish, v.ranged)},
		{name: "a bill's details", path: v.offer("12345678901234567890"[:len(v.bill.UatNumber)], v.bill)},
		{name: "confirm", path: v.offer("0871234560", v.fixed)},
		{name: "confirm the same again", path: v.offer(irish, v.fixed)},
		{name: "confirm a PIN", path: v.offer(irish, v.pin)},
		{name: "sent", path: v.sent},
		{name: "sent, with a PIN", path: v.sentPIN},
		{name: "not sent", path: v.failed},
		{name: "not known yet", path: v.unknown},
		{name: "a receipt", path: v.sent + "/receipt"},
		{name: "the shop's copy", path: v.sent + "/receipt?copy=shop&width=58"},
		{name: "a test print", path: "/till/printer/test"},
		{name: "a waiting slip", path: v.unknown + "/receipt"},
		{name: "the sales", path: "/sales"},
		{name: "waiting sales", path: "/sales?state=waiting"},
		{name: "no sale found", path: "/sales?q=nothing"},
		{name: "the shift", path: "/shift"},
		{name: "close the shift", path: "/shift/close"},
		{name: "the report of a shift", path: v.report},
		{name: "which till", path: "/till"},
		{name: "the customers", path: "/customers"},
		{name: "the own PIN", path: "/account"},
		{name: "not found", path: "/sales/none", refused: "status of 404"},
		{name: "not allowed", path: "/approvals", refused: "status of 403"},
	}
}

// managerViews are the pages that only a manager sees.
func (v prepared) managerViews() []screen {
	return []screen{
		{name: "today", path: "/"},
		{name: "all sales", path: "/sales"},
		{name: "past shifts", path: "/shifts"},
		{name: "the printer", path: "/till/printer"},
		{name: "approvals", path: "/approvals"},
		{name: "who works here", path: "/till"},
		{name: "a sale that may be refunded", path: v.unknown},
		{name: "verdicts", path: "/reconcile/verdicts"},
		{name: "how it runs", path: "/admin/health"},
		{name: "statements", path: "/statements"},
		{name: "a report", path: "/reports/sales"},
		{name: "a search", path: "/find?q=" + irish},
	}
}

// adminViews are the pages from which the business is set up, without much in them:
// so they are as light as a page after the first may be.
func (v prepared) adminViews() []screen {
	return []screen{
		{name: "prices", path: "/admin/prices"},
		{name: "a price rule", path: "/admin/prices/rule"},
		{name: "products without a text", path: "/admin/catalogue/texts?language=fr"},
		{name: "the catalogue", path: "/admin/catalogue"},
		{name: "a sync run", path: v.run, whole: true},
		{name: "the shelf", path: "/admin/counter"},
		{name: "a product to pick", path: "/admin/counter?form=/admin/counter&act=hide&find-sku=ireland"},
		{name: "the people", path: "/admin/people"},
		{name: "the shops", path: "/admin/shops"},
		{name: "the limits", path: "/admin/limits"},
		{name: "the sending", path: "/admin/sending"},
		{name: "the transfer service", path: "/admin/upstream"},
		{name: "the jobs", path: "/admin/jobs"},
		{name: "webhooks", path: "/admin/webhooks"},
		{name: "the setup", path: "/admin/setup"},
		{name: "the audit", path: "/admin/audit"},
		{name: "a day that is none", path: "/admin/audit?from=2026-02-30", refused: "status of 422"},
	}
}

// publicViews are the pages for who has not signed in.
func (v prepared) publicViews() []screen {
	return []screen{
		{name: "sign in", path: "/login"},
		{name: "the state for a customer", path: v.status},
	}
}

// prepared is what the views need to exist.
type prepared struct {
	fixed, ranged, bill, pin       product
	sent, sentPIN, failed, unknown string // paths of sales
	report, status, run            string
}

func (v prepared) offer(number string, p product) string {
	return fmt.Sprintf("/counter?number=%s&provider=%s&sku=%s", number, p.ProviderCode, p.SkuCode)
}

// prepareViews makes a sale of each outcome.
func prepareViews(t *testing.T, w *world, b *browser) prepared {
	t.Helper()
	v := prepared{fixed: topUp(t, w.simulator), pin: pinProduct(t, w.simulator), bill: billProduct(t, w.simulator), ranged: rangedProduct(t, w.simulator)}
	sell := func(number string, p product, state string) string {
		b.open(v.offer(number, p))
		b.focused(cashReceived)
		b.enter()
		b.state(state, settles)
		return asks[string](b, `location.pathname`)
	}
	v.sent = sell(irish, v.fixed, "complete")
	v.sentPIN = sell(irish, v.pin, "complete")
	b.open(v.sent + "/receipt")
	v.status = asks[string](b, `new URL(document.querySelector(".address").innerText).pathname`)
	b.open("/shift")
	v.report = asks[string](b, `document.querySelector(".report-acts a[href^='/shift/0']").getAttribute("href")`)
	w.simulator.fault(t, map[string]any{"endpoint": "Provider"}, map[string]any{"kind": "error", "code": "AccountNumberInvalid", "context": "ProviderRefusedRequest"}, 1)
	v.failed = sell("0871234568", v.fixed, "failed")
	w.simulator.fault(t, map[string]any{"endpoint": "SendTransfer"}, map[string]any{"kind": "drop", "when": "before"}, 1)
	v.unknown = sell("0871234569", v.fixed, "unknown")
	return v
}

// syncRun writes down a run of three days ago that added, moved and removed products,
// with the longest prices there are, before anything is served. It returns its page.
func (w *world) syncRun(t *testing.T) string {
	t.Helper()
	db, err := store.Open(t.Context(), w.databaseURL())
	require.NoError(t, err)
	at := store.Moment(time.Now().AddDate(0, 0, -3))
	run := catalog.Run{ID: "run", Resource: catalog.Products, StartedAt: at, LeaseUntil: at, EndedAt: &at, Outcome: catalog.Done, Added: 1, Changed: 2, Removed: 1, Written: 4, Published: true}
	sku := topUp(t, w.simulator).SkuCode
	const before, after = "100.00 EUR: 224629.00 NGN, customer fee 10.50 EUR, distributor fee 0.25 EUR", "100.00 EUR: 198450.00 NGN, customer fee 12.50 EUR, distributor fee 0.25 EUR"
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		return errors.Join(tx.Create(&run).Error, tx.Create(&[]catalog.Change{
			{ID: "1", RunID: run.ID, SKU: sku, Field: catalog.Added, Became: after, ChangedAt: at},
			{ID: "2", RunID: run.ID, SKU: sku, Field: catalog.Minimum, Was: before, Became: after, ChangedAt: at},
			{ID: "3", RunID: run.ID, SKU: sku, Field: catalog.Commission, Was: "0.1", Became: "0.085", ChangedAt: at},
			{ID: "4", RunID: run.ID, SKU: sku, Field: catalog.Removed, Was: before, ChangedAt: at},
		}).Error)
	}))
	require.NoError(t, db.Close())
	return "/admin/catalogue/runs/" + run.ID
}

// rangedProduct is a top-up whose amount is chosen.
func rangedProduct(t testing.TB, s *simulator) product {
	t.Helper()
	for _, p := range s.products(t, "countryIsos=IE") {
		if p.RedemptionMechanism == "Immediate" && p.ProcessingMode == "Instant" && p.Minimum.SendValue != p.Maximum.SendValue && len(p.SettingDefinitions) == 0 && !p.LookupBillsRequired {
			return p
		}
	}
	t.Fatal("the simulator sells no amount of choice")
	return product{}
}

// walk opens each view in turn, on a window of a width in pixels, and waits until
// it stands.
func (b *browser) walk(views []screen, width int64, each func(v screen)) {
	b.t.Helper()
	for _, v := range views {
		if v.refused != "" {
			b.expect(v.refused)
		}
		b.look(width, 844, "light")
		b.open(v.path)
		b.until(v.name, `document.readyState === "complete" && document.fonts.status === "loaded"`)
		each(v)
	}
}

// speak changes the language of the page's reader.
func (b *browser) speak(tag string) {
	b.t.Helper()
	b.until("the choice of language", `document.querySelector(".languages button")`)
	// The page that is left may speak it, too, and is there for a moment.
	b.eval(fmt.Sprintf(
		`document.body.dataset.left = "", document.querySelector(".languages button[value=%s]").click()`, tag,
	))
	b.until("the page in "+tag, fmt.Sprintf(
		`document.readyState === "complete" && !("left" in document.body.dataset) &&
		document.documentElement.lang.startsWith(%q)`, tag,
	))
}
