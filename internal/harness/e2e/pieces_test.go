//go:build e2e

package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// slowLine is what comes in a second over the worst connection a shop may have.
const slowLine = 8_000 // bytes

// slow makes the window's connection one over which a page comes in pieces.
func (b *browser) slow() {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, actWithin)
	defer cancel()
	_, err := chromedp.Run(ctx, func(ctx context.Context, t *chromedp.Target) (cdp.Empty, error) {
		if _, err := cdp.Call(ctx, t, network.SetBypassServiceWorker, network.SetBypassServiceWorkerParams{Bypass: true}); err != nil {
			return cdp.Empty{}, err // its line is another
		}
		_, err := cdp.Call(ctx, t, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
			MatchedNetworkConditions: []*network.Conditions{{DownloadThroughput: slowLine, UploadThroughput: slowLine}},
		})
		return cdp.Empty{}, err
	})
	require.NoError(b.t, err)
}

// A page that comes in pieces is drawn when it is whole: a table whose columns
// find their width row by row would move under the finger.
func TestAPageThatComesInPiecesDoesNotMove(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	p := w.serve(t).ready(t)
	w.atCounter(t, p).sellFixed(irish)
	b := newBrowser(t, p.url)
	b.signIn("admin", w.password)
	b.slow()
	views := append(prepared{}.adminViews(), screen{name: "today", path: "/"}, screen{name: "all sales", path: "/sales"}, screen{name: "a report", path: "/reports/sales"})
	for _, width := range []int64{1280, 390} {
		b.walk(views, width, func(v screen) { b.still(v, width) })
	}
}

// lateStyle is by how much the style comes after the page here.
const lateStyle = 300 * time.Millisecond

// asksEarly is what an extension of the browser does, or the browser itself: it
// asks how something looks as soon as it is there.
const asksEarly = `const early = setInterval(() => {
	if (!document.querySelector("#whole")) return;
	clearInterval(early);
	window.early = getComputedStyle(document.body).marginTop;
}, 1)`

// styleLate has the style come after the page, every time, and asks early how the
// page looks.
func (b *browser) styleLate() {
	b.t.Helper()
	require.NoError(b.t, chromedp.Listen(b.ctx, func(event any) {
		held, ok := event.(*fetch.EventRequestPaused)
		if !ok {
			return
		}
		time.AfterFunc(lateStyle, func() {
			_, _ = chromedp.Run(b.ctx, func(ctx context.Context, t *chromedp.Target) (cdp.Empty, error) { // the page has gone if it fails
				return cdp.Call(ctx, t, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: held.RequestID})
			})
		})
	}))
	ctx, cancel := context.WithTimeout(b.ctx, actWithin)
	defer cancel()
	_, err := chromedp.Run(ctx, func(ctx context.Context, t *chromedp.Target) (page.AddScriptToEvaluateOnNewDocumentResult, error) {
		if _, err := cdp.Call(ctx, t, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*.css"}}}); err != nil {
			return page.AddScriptToEvaluateOnNewDocumentResult{}, err
		}
		return cdp.Call[page.AddScriptToEvaluateOnNewDocumentParams, page.AddScriptToEvaluateOnNewDocumentResult](ctx, t,
			page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: asksEarly})
	})
	require.NoError(b.t, err)
}

// A page whose style comes late is not there before it: what is asked before the
// style came, Chromium may keep, and draw once more after the first time.
func TestAStyleThatComesLateIsWaitedFor(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	p := w.serve(t).ready(t)
	b := newBrowser(t, p.url)
	b.signIn("admin", w.password)
	b.styleLate()
	b.walk([]screen{{name: "verdicts", path: "/reconcile/verdicts"}, {name: "prices", path: "/admin/prices"}}, 1280, func(v screen) {
		b.forget()
		b.open(v.path)
		require.Equal(t, "0px", asks[string](b, `window.early`), "%s was there before its style", v.name)
		b.still(v, 1280)
	})
}
