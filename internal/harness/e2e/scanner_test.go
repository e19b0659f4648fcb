//go:build e2e

package e2e

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

const (
	otherIrish = "0871114567"
	otherShown = `document.querySelector("#page").innerText.includes("+353 87 111 4567") && ` + fixedKey
)

// scan types a number as a scanner does: one key so long after the other, and Enter at the end. Each key tells when it was
// pressed, as a device's do: however late a busy machine brings it, it is no slower typed.
func (b *browser) scan(number string, gap time.Duration) {
	b.t.Helper()
	acts := []chromedp.Action[chromedp.Void]{chromedp.Sleep(200 * time.Millisecond)} // to take it up
	pressed := time.Now().Add(200 * time.Millisecond)
	for _, key := range number + kb.Enter {
		at := input.TimeSinceEpoch(float64(pressed.UnixMicro()) / 1e6)
		acts = append(acts, chromedp.KeyEvent(string(key), func(k *input.DispatchKeyEventParams) { k.Timestamp = at }), chromedp.Sleep(gap))
		pressed = pressed.Add(gap)
	}
	b.do("scan", acts...)
}

// A number scanned while its products are shown for another one begins with keys that choose from those. It is looked up, and
// nothing is sold, however fast the scanner is beside the pages: its Enter would send what its digits have chosen.
func TestANumberScannedWhereSomethingIsToBeChosenIsLookedUp(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	for _, gap := range []time.Duration{0, 8 * time.Millisecond, 25 * time.Millisecond, 60 * time.Millisecond} {
		b.open("/counter")
		b.lookUp(irish)
		b.until("a product", fixedKey)
		b.scan(otherIrish, gap)
		b.until("the products of the number scanned", otherShown)
		require.Empty(t, w.simulator.ledger(t), gap)
	}
}

// The last of it may come while a page stands there that its links do not work on yet: it is kept for the page asked for next.
func TestANumberScannedIntoAPageThatIsNotReadyIsLookedUp(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	b.lookUp(irish)
	b.until("a product", fixedKey)
	b.eval(`new MutationObserver((_, watch) => {
		if (!document.querySelector("#cash")) return;
		watch.disconnect();
		for (const key of [..."` + otherIrish + `", "Enter"])
			document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
	}).observe(document, { childList: true, subtree: true })`)
	b.eval(`document.querySelector("button.card-offer[data-key='" + ` + fixedKey + ` + "']").click()`)
	b.until("the products of the number scanned", otherShown)
	require.Empty(t, w.simulator.ledger(t))
}

// Nor does it answer whether another of the same is meant, though it begins with that key.
func TestANumberScannedAsAnotherIsAskedForSellsNone(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	b.sellFixed(irish)
	b.state("complete", settles)
	b.open("/counter")
	b.lookUp(irish)
	b.until("a product", fixedKey)
	b.typed(asks[string](b, fixedKey))
	b.until("the question", `document.body.innerText.includes("Press 2 to send another.")`)
	b.scan("233241234567", 8*time.Millisecond)
	b.until("the number looked up", `/\D233241234567/.test(document.querySelector("#page").innerText.replace(/ /g, ""))`)
	require.Len(t, w.simulator.ledger(t), 1)
}
