//go:build e2e

package e2e

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// countPrints counts the print windows that pages open, and opens none.
func (b *browser) countPrints() {
	b.t.Helper()
	_, err := chromedp.Run(b.ctx, func(ctx context.Context, t *chromedp.Target) (page.AddScriptToEvaluateOnNewDocumentResult, error) {
		return cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: `window.print = () => sessionStorage.setItem("prints", 1 + Number(sessionStorage.getItem("prints")))`,
		})
	})
	require.NoError(b.t, err)
}

// pdf prints the page as the browser does.
func (b *browser) pdf() []byte {
	b.t.Helper()
	printed, err := chromedp.Run(b.ctx, func(ctx context.Context, t *chromedp.Target) (page.PrintToPDFResult, error) {
		return cdp.Call(ctx, t, page.PrintToPDF, page.PrintToPDFParams{PreferCSSPageSize: new(true), PrintBackground: new(true)})
	})
	require.NoError(b.t, err)
	return printed.Data
}

// linesOfATotal is on how many lines of a paper the longest total stands: one that goes on below is read as two numbers.
const linesOfATotal = `(() => {
	const total = document.querySelector(".total bdi"), text = document.createRange();
	const was = total.textContent;
	total.textContent = "−TND\u00a0123,456,789,012.345";
	text.selectNodeContents(total);
	const lines = text.getClientRects().length;
	total.textContent = was;
	return lines;
})()`

func TestAReceiptPrintsOnceOnOneStrip(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	b.countPrints()
	b.sellFixed(irish)
	b.state("complete", settles)
	sale := asks[string](b, `location.pathname`)
	b.open(sale + "/receipt")
	b.press("Print")
	b.until("the print window", `sessionStorage.getItem("prints") === "1"`)
	b.expect("status of 409") // the second asking for leave
	b.reload()
	b.until("the page again", `performance.getEntriesByType("resource").some((e) => e.name.endsWith("/open"))`)
	require.Equal(t, "1", asks[string](b, `sessionStorage.getItem("prints")`), "a reload prints nothing")

	for width, points := range map[string]float64{"58": 58 * 72 / 25.4, "80": 80 * 72 / 25.4} {
		b.open(sale + "/receipt?width=" + width)
		b.until("the measured page", `document.adoptedStyleSheets.length === 1`)
		require.Equal(t, 1, asks[int](b, linesOfATotal), "a total of twelve digits and three decimals on %s mm", width)
		pdf := string(b.pdf())
		require.Len(t, regexp.MustCompile(`/Type\s*/Page\b`).FindAllString(pdf, -1), 1, "one strip of %s mm", width)
		box := regexp.MustCompile(`/MediaBox\s*\[0 0 ([0-9.]+) ([0-9.]+)\]`).FindStringSubmatch(pdf)
		require.NotNil(t, box)
		across, err := strconv.ParseFloat(box[1], 64)
		require.NoError(t, err)
		require.InDelta(t, points, across, 1, "%s mm wide", width)
	}
}

func TestTheBridgePrintsAndAFailedPrintIsNoFailedSale(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	p := w.serve(t).ready(t)
	papers := make(chan []byte, 4)
	bridge := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		answer.Header().Set("Access-Control-Allow-Origin", p.url)
		answer.Header().Set("Access-Control-Allow-Headers", "Content-Type")
		answer.Header().Set("Access-Control-Allow-Private-Network", "true")
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			papers <- body
		}
	}))
	b := w.atCounter(t, p)
	manager := newPerson(t, p.url)
	manager.signIn("manager", w.password)
	manager.get("/till/printer").fill("bridge", bridge.URL+"/print").press("Save")

	b.sellFixed(irish)
	b.state("complete", settles)
	sale := asks[string](b, `location.pathname`)
	b.open(sale + "/receipt")
	b.press("Print")
	b.until("the printer's answer", `!document.querySelector("[data-was-printed]").hidden`)
	paper := <-papers
	require.Equal(t, "\x1b@", string(paper[:2]))
	require.Contains(t, string(paper), w.simulator.only(t).TransferRefs[0])

	bridge.Close()
	b.expect("ERR_CONNECTION_REFUSED")
	b.press("Print")
	b.until("the failure", `!document.querySelector("[data-not-printed]").hidden`)
	b.open(sale)
	b.state("complete", settles)
	require.Contains(t, b.says(), "Sent, but the receipt did not print. Print again.")
	require.Empty(t, papers, "nothing printed twice")
}

// Without the till nothing prints, and the page says so: the frame that fails is one that nobody sees.
func TestAPrintThatDoesNotReachTheTillIsTold(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	p := w.serve(t).ready(t)
	b := w.atCounter(t, p)
	b.expect("ERR_CONNECTION_REFUSED")
	b.expect("console: ") // htmx tells of each request that failed
	b.sellFixed(irish)
	b.state("complete", settles)
	told := `document.querySelector("[data-auto-failed]").checkVisibility()`
	b.typed("p")
	b.until("the paper and its script", `(() => {
		const paper = document.querySelector("iframe.auto-print")?.contentDocument;
		return paper?.querySelector(".slip") && paper.readyState === "complete";
	})()`)
	require.False(t, asks[bool](b, told))
	p.stop(t)
	b.until("the pause after a print", `performance.now() > 1000 + (window.askedAt ??= performance.now())`)
	b.typed("p")
	b.untilWithin(settles, "that nothing was printed", told)
}

// The till is gone between the paper and its leave to print: the page and the one around it say that nothing printed.
func TestALeaveToPrintThatIsLostIsTold(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	_, err := chromedp.Run(b.ctx, func(ctx context.Context, t *chromedp.Target) (page.AddScriptToEvaluateOnNewDocumentResult, error) {
		return cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: `const fetches = window.fetch; window.fetch = (url, ...more) => String(url).endsWith("/open") ? Promise.reject(new TypeError("Failed to fetch")) : fetches(url, ...more)`,
		})
	})
	require.NoError(t, err)
	b.expect("exception: ")
	b.sellFixed(irish)
	b.state("complete", settles)
	b.typed("p")
	b.untilWithin(settles, "that nothing was printed", `document.querySelector("[data-auto-failed]").checkVisibility()`)
	require.True(t, asks[bool](b, `document.querySelector("iframe.auto-print").contentDocument.querySelector("[data-not-printed]").checkVisibility()`))
}
