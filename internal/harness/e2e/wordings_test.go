//go:build e2e

package e2e

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// confirmPage opens the confirm page of a product for a number.
func (b *browser) confirmPage(number string, p product) {
	b.t.Helper()
	b.open("/counter?number=" + url.QueryEscape(number) + "&provider=" + p.ProviderCode + "&sku=" + p.SkuCode)
	b.focused(cashReceived)
}

// Every error code of a provider is told in plain words, with what to do.
func TestEveryRefusalInPlainWords(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	offer := topUp(t, w.simulator)
	refusals := []struct{ code, context, words, advice string }{
		{"AccountNumberInvalid", "ProviderRefusedRequest", "does not accept this number.", "Check the number with the customer."},
		{"AccountNumberInvalid", "AccountNumberFailedRegex", "This is not a number of", "Check the number with the customer."},
		{"RateLimited", "", "Too many transfers to this number in a short time.", "Try again in a few minutes"},
		{"TransientProviderError", "ProviderRefusedRequest", "refused the transfer.", "Try again in a few minutes"},
		{"TransientProviderError", "ProviderTemporarilyUnavailable", "is not available right now.", "Try again in a few minutes"},
		{"TransientProviderError", "ProductUnavailable", "This product is not available right now.", "Offer another product"},
		{"TransientProviderError", "AccountTemporarilyUnavailable", "This number cannot receive it right now.", "Try again in a few minutes"},
		{"ProviderError", "ProductUnavailable", "This product is not available right now.", "Offer another product"},
		{"ProviderError", "RechargeNotAllowed", "This product cannot be sent to this number.", "Offer another product"},
		{"ProviderError", "ProviderUnknownError", "refused the transfer.", "Try again in a few minutes"},
		{"OtherError", "", "The transfer service refused it.", "Tell your manager."},
	}
	var pages []string // some refusals are believed only after a look: all are waited for together
	for i, c := range refusals {
		number := fmt.Sprintf("08712345%02d", i)
		w.simulator.fault(t, map[string]any{"endpoint": "Provider", "number": "35387" + number[3:]}, map[string]any{"kind": "error", "code": c.code, "context": c.context}, 1)
		b.confirmPage(number, offer)
		b.enter()
		b.until("the page of the sale", `document.querySelector('[role="status"][data-state]')`)
		pages = append(pages, asks[string](b, "location.pathname"))
	}
	for i, c := range refusals {
		b.open(pages[i])
		b.state("failed", 45*time.Second)
		said := b.verdict()
		require.True(t, strings.HasPrefix(said, "Not sent. Nothing was charged."), "%s/%s: %s", c.code, c.context, said)
		for _, part := range []string{c.words, c.advice, "Give back €", "Code " + c.code} {
			require.Contains(t, said, part, "%s/%s", c.code, c.context)
		}
		require.True(t, b.has("button", "Cash given back"))
	}
	for _, entry := range w.simulator.ledger(t) {
		require.Zero(t, entry.TimesExecuted)
	}
}

func TestAcceptedIsOnItsWay(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	w.simulator.configure(t, map[string]any{"batchDelay": "1h"})
	b.confirmPage(batchNumber, batchProduct(t, w.simulator))
	b.enter()
	b.state("submitted", settles)
	require.True(t, strings.HasPrefix(b.verdict(), "On its way."), b.verdict())
	require.Contains(t, b.verdict(), "The provider has accepted it.")
	require.False(t, b.has("button", "Cash given back"))
}

func TestAChangedPriceAsksAgain(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	b.expect("status of 409")
	b.confirmPage(irish, topUp(t, w.simulator))
	b.eval(`document.querySelector('input[name="shown"]').value = "1.23 EUR"`) // as the page of before the change
	b.enter()
	b.until("the question", `document.body.innerText.includes("The price was €1.23 and is now €")`)
	require.Contains(t, b.says(), "Changed.")
	require.Empty(t, w.simulator.ledger(t))
	b.focused(cashReceived)
	b.enter()
	b.state("complete", settles)
	require.Equal(t, 1, w.simulator.only(t).TimesExecuted)
}

func TestAProviderThatIsDownTakesNoCash(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	offer := topUp(t, w.simulator)
	b.expect("status of 409")
	b.confirmPage(irish, offer)
	w.simulator.configure(t, map[string]any{"suspendedProviders": []string{offer.ProviderCode}})
	other := newPerson(t, b.base)
	other.signIn("cashier", w.password)
	path := asks[string](b, "location.pathname + location.search")
	for deadline := time.Now().Add(2 * time.Minute); !strings.Contains(other.get(path).text(), "is not taking transfers right now"); time.Sleep(time.Second) {
		require.True(t, time.Now().Before(deadline), "the status does not become known")
	}
	b.open(asks[string](b, "location.pathname + location.search"))
	b.until("the refusal", `document.body.innerText.includes("is not taking transfers right now. Nothing was charged. Do not take cash.")`)
	require.False(t, b.has("button", cashReceived))
	require.Empty(t, w.simulator.ledger(t))
}

func TestASessionThatEndsUnderAFormKeepsIt(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	b.confirmPage(irish, topUp(t, w.simulator))
	key := asks[string](b, `document.querySelector('input[name="key"]').value`)
	b.expectASignedOutStream()
	b.eval(`fetch("/logout", {method: "POST", redirect: "manual"}).then(() => { window.signedOut = true; })`)
	b.until("the sign-out elsewhere", `window.signedOut || location.pathname === "/login"`)
	b.until("another page or this", `document.readyState === "complete"`)
	if asks[bool](b, `location.pathname !== "/login"`) {
		b.press(cashReceived)
	}
	b.until("the login page", `location.pathname === "/login"`)
	require.Contains(t, asks[string](b, "location.href"), "next=", "it does not lead back")
	b.focused("Username")
	b.typed("cashier\t" + w.password)
	b.enter()
	b.focused(cashReceived)
	require.Equal(t, key, asks[string](b, `document.querySelector('input[name="key"]').value`), "the same name for the sale")
	b.enter()
	b.state("complete", settles)
	require.Equal(t, 1, w.simulator.only(t).TimesExecuted)
}

func TestAReloadWhileItIsSentSendsNothingElse(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	w.simulator.fault(t, map[string]any{"endpoint": "Provider"}, map[string]any{"kind": "delay", "for": "3s"}, 1)
	b.confirmPage(irish, topUp(t, w.simulator))
	b.enter()
	b.until("the page of the sale", `document.querySelector('[role="status"][data-state="sending"]')`)
	for range 3 {
		b.do("reload", chromedp.Reload())
	}
	b.state("complete", settles)
	require.Equal(t, 1, w.simulator.only(t).TimesExecuted)
}

func TestTwoTabsSellOnceUnlessAsked(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	first := w.atCounter(t, w.serve(t).ready(t))
	offer := topUp(t, w.simulator)
	first.confirmPage(irish, offer)
	second := first.tab()
	second.confirmPage(irish, offer)
	first.front()
	first.enter()
	first.state("complete", settles)
	second.front()
	second.expect("status of 409")
	second.press(cashReceived)
	second.until("the question", `document.body.innerText.includes("Press 2 to send another.")`)
	require.Equal(t, 1, w.simulator.only(t).TimesExecuted)
}

// After ten seconds the next number can be typed, and the sale goes on below.
func TestTheScreenFreesItself(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	w.simulator.fault(t, map[string]any{"endpoint": "Provider"}, map[string]any{"kind": "delay", "for": "16s"}, 1)
	b.confirmPage(irish, topUp(t, w.simulator))
	b.enter()
	b.until("the page of the sale", `document.querySelector('[role="status"][data-state="sending"]')`)
	b.untilWithin(15*time.Second, "the field", `document.activeElement.id === "number" && document.activeElement.checkVisibility()`)
	b.typed("0871234568")
	b.enter()
	b.until("the next customer's products", fixedKey)
	b.until("the sale in the tray", `document.querySelector("#tray .tray-item")?.innerText.includes("Sending")`)
	b.untilWithin(30*time.Second, "its report", `document.querySelector("#tray .tray-says").textContent.includes("Sent: ")`)
	require.Equal(t, 1, w.simulator.only(t).TimesExecuted)
}

// The till goes away under a cashier who waits, and comes back: the page picks
// the sale up by itself.
func TestTheTillRestartsWhileACashierWaits(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	address := freeAddress(t)
	first := w.serveAt(t, address).ready(t)
	b := w.atCounter(t, first)
	for _, noise := range []string{"console: ", "ERR_", "Failed to load resource", "htmx", "status of"} {
		b.expect(noise)
	}
	w.simulator.fault(t, map[string]any{"endpoint": "SendTransfer"}, map[string]any{"kind": "delay", "when": "after", "for": "5s"}, 1)
	b.confirmPage(irish, topUp(t, w.simulator))
	b.enter()
	b.until("the page of the sale", `document.querySelector('[role="status"][data-state="sending"]')`)
	require.NoError(t, first.cmd.Process.Kill())
	<-first.ended
	w.serveAt(t, address)
	b.state("complete", 2*time.Minute)
	require.Equal(t, 1, w.simulator.only(t).TimesExecuted)
	require.Len(t, w.simulator.only(t).RequestedAt, 1)
}
