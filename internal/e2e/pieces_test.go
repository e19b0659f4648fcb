//go:build e2e

package e2e

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
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
