//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// network switches the connection of the window off or on.
func (b *browser) network(on bool) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, actWithin)
	defer cancel()
	_, err := chromedp.Run(ctx, func(ctx context.Context, t *chromedp.Target) (cdp.Empty, error) {
		var rules []*network.Conditions
		if !on {
			rules = []*network.Conditions{{Offline: true}}
		}
		service := !on
		if _, err := cdp.Call(ctx, t, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{EmulateOfflineServiceWorker: &service, MatchedNetworkConditions: rules}); err != nil {
			return cdp.Empty{}, err
		}
		return cdp.Call(ctx, t, network.OverrideNetworkState, network.OverrideNetworkStateParams{Offline: !on, DownloadThroughput: -1, UploadThroughput: -1})
	})
	require.NoError(b.t, err)
}

const offlineBar = `document.querySelector("#offline")?.checkVisibility()`

// The network goes away under a confirmed form: the bar says so, nothing is
// sent, then or later by itself, and the form keeps what it has and its key.
func TestWithoutNetworkNothingIsSoldAndNothingIsLost(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	b.expect("ERR_INTERNET_DISCONNECTED")
	b.expect("console: ") // htmx tells of the stream it lost
	b.lookUp(irish)
	b.until("a product", fixedKey)
	b.typed(asks[string](b, fixedKey))
	b.focused(cashReceived)
	key := asks[string](b, `document.querySelector("[name=key]").value`)

	b.network(false)
	b.until("the bar", offlineBar)
	b.shots("31-no-connection")
	b.enter()
	b.until("the page to be the same", `location.pathname === "/counter"`)
	require.Equal(t, key, asks[string](b, `document.querySelector("[name=key]").value`))
	require.Empty(t, w.simulator.ledger(t))

	b.network(true)
	b.until("the bar to go", "!("+offlineBar+")")
	require.Empty(t, w.simulator.ledger(t), "nothing was queued")
	b.enter()
	b.state("complete", settles)
	require.Equal(t, 1, w.simulator.only(t).TimesExecuted)
}

// keptPaths is what the browser has kept of the till.
const keptPaths = `caches.keys().then((names) => Promise.all(names.map((name) => caches.open(name).then((cache) => cache.keys()))))
	.then((lists) => lists.flat().map((request) => new URL(request.url).pathname))`

// A browser that was closed while its worker began to keep the shell does it when it is opened again.
func TestAShellThatWasCutOffIsKeptAfterAll(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := newBrowser(t, w.serve(t).ready(t).url)
	isKept := func() {
		for began := time.Now(); !slices.Contains(asks[[]string](b, keptPaths), "/offline"); {
			require.Less(t, time.Since(began), answersWithin, "the page without a connection")
		}
	}
	b.signIn("manager", w.password)
	isKept()
	asks[bool](b, `caches.keys().then((names) => Promise.all(names.map(async (name) => {
		await caches.delete(name);
		await caches.open(name);
	}))).then(() => true)`)
	b.reload()
	isKept()
}

// A worker that takes another's place under a page on its way would leave the
// page hanging: a new one must wait. The pauses put the change at every moment
// of a page's way.
func TestANewWorkerLeavesPagesOnTheirWayAlone(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	p := w.serve(t).ready(t)
	b := newBrowser(t, p.url)
	b.signIn("manager", w.password)
	b.until("the worker", `navigator.serviceWorker.controller`)
	for n := range 30 {
		b.eval(fmt.Sprintf(`navigator.serviceWorker.register("/worker.js?another=%d"); 0`, n))
		time.Sleep(time.Duration(n) * 10 * time.Millisecond)
		b.open("/account")
		b.open("/sales")
	}
}

// The server goes away: what was typed stays, a new page is the one that says
// so, and the browser has kept no page of the till.
func TestWithoutServerThePageSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	address := freeAddress(t)
	p := w.serveAt(t, address).ready(t)
	b := w.atCounter(t, p)
	b.sellFixed(irish)
	b.state("complete", settles)
	b.open("/counter")
	b.focused("Account number")
	b.until("the worker", `navigator.serviceWorker.controller`)
	for began := time.Now(); !slices.Contains(asks[[]string](b, keptPaths), "/offline"); {
		require.Less(t, time.Since(began), actWithin, "the worker keeps the page that says so")
	}

	b.expect("ERR_CONNECTION_REFUSED")
	b.expect("console: ") // htmx tells of each request that failed
	p.stop(t)
	b.typed("0871234568")
	b.enter()
	b.until("the bar", offlineBar)
	require.Equal(t, "0871234568", asks[string](b, `document.querySelector("#number").value`))
	b.open("/sales")
	b.until("the page that says so", `document.querySelector("h1")?.innerText === "No connection"`)
	b.shots("32-no-server")

	for _, path := range asks[[]string](b, keptPaths) {
		require.True(t, path == "/offline" || strings.HasPrefix(path, "/static/"), path)
	}

	w.serveAt(t, address)
	b.eval(`document.querySelector("[data-again]").click()`)
	b.until("the sales again", `document.querySelector(".sales, table")`)
}
