//go:build e2e

package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

const (
	irish    = "0871234567"
	irishE   = "353871234567" // as it goes to the service
	settles  = 15 * time.Second
	aMinute  = time.Minute
	sentText = "Sent."
)

// fixedKey is the key of the first product with one price.
const fixedKey = `[...document.querySelectorAll('button.card-offer[data-key]')]
	.find((card) => card.querySelectorAll('.card-price .amount').length === 1)?.dataset.key`

// sellFixed sells the first product with one price to a number, by keys alone.
func (b *browser) sellFixed(number string) {
	b.t.Helper()
	b.lookUp(number)
	b.until("a product", fixedKey)
	b.typed(asks[string](b, fixedKey))
	b.focused(cashReceived)
	b.enter()
	b.until("the outcome", `document.querySelector('[role="status"][data-state]')`)
}

// atCounter signs the cashier in and opens the shift if none is.
func (w *world) atCounter(t *testing.T, p *web) *browser {
	t.Helper()
	w.cashier(t, p) // opens the shift
	b := newBrowser(t, p.url)
	b.signIn("cashier", w.password)
	b.focused("Account number")
	return b
}

func TestSaleByKeysAlone(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		p := w.serve(t).ready(t)
		b := newBrowser(t, p.url)
		b.signIn("cashier", w.password)
		b.focused("Cash in the drawer")
		require.True(t, b.has("button", "Open shift"))
		b.typed("100")
		b.enter()

		b.focused("Account number")
		require.True(t, b.has("textbox", "Account number"))
		require.True(t, b.has("button", "Look up"))
		b.sellFixed(irish)
		b.state("complete", settles)
		require.True(t, strings.HasPrefix(b.verdict(), sentText), b.verdict())

		sold := w.simulator.only(t)
		require.Equal(t, 1, sold.TimesExecuted)
		require.Equal(t, irishE, sold.AccountNumber)

		b.open(asks[string](b, `location.pathname`) + "/receipt")
		receipt := b.says()
		for _, line := range []string{"Corner Shop", "Till 1", sold.TransferRefs[0], "TOTAL", "€"} {
			require.Contains(t, receipt, line)
		}
		p.stop(t)
		w.verify(t)
	})
}

func TestFailureSaysNothingWasCharged(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		b := w.atCounter(t, w.serve(t).ready(t))
		w.simulator.fault(t, map[string]any{"endpoint": "Provider"}, map[string]any{"kind": "error", "code": "AccountNumberInvalid", "context": "ProviderRefusedRequest"}, 1)
		b.sellFixed(irish)
		b.state("failed", settles)
		require.True(t, strings.HasPrefix(b.verdict(), "Not sent. Nothing was charged."), b.verdict())
		require.True(t, b.has("button", "Cash given back"))
		require.Zero(t, w.simulator.only(t).TimesExecuted)
	})
}

// A lost answer to a transfer that was carried out: the screen says that nobody
// knows yet, and corrects itself without a key being pressed.
func TestLostAnswerIsUnknownAndThenSent(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		b := w.atCounter(t, w.serve(t).ready(t))
		w.simulator.fault(t, map[string]any{"endpoint": "SendTransfer"}, map[string]any{"kind": "drop", "when": "after"}, 1)
		// The list shows the record late, so that the screen can be read meanwhile.
		w.simulator.fault(t, map[string]any{"endpoint": "ListTransferRecords"}, map[string]any{"kind": "delay", "for": "2s"}, -1)
		b.sellFixed(irish)
		b.state("unknown", settles)
		require.True(t, strings.HasPrefix(b.verdict(), "We don't know yet if it went through. Do not sell it again."), b.verdict())
		require.False(t, b.has("button", "Cash given back"), "no refund while the outcome is unknown")
		b.state("complete", aMinute)
		require.True(t, strings.HasPrefix(b.verdict(), sentText), b.verdict())
		require.Equal(t, 1, w.simulator.only(t).TimesExecuted)
	})
}

func TestDoubleEnterMakesOneSale(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		b := w.atCounter(t, w.serve(t).ready(t))
		b.lookUp(irish)
		b.until("a product", fixedKey)
		b.typed(asks[string](b, fixedKey))
		b.focused(cashReceived)
		b.enter()
		b.typed(kb.Enter + kb.Enter)
		b.state("complete", settles)
		require.Equal(t, 1, w.simulator.only(t).TimesExecuted)
	})
}

// A scanner ends its code with Enter, some with two: the second must not
// confirm what nobody has read.
func TestScannersSecondEnterConfirmsNothing(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	b.lookUp(irish)
	b.typed(kb.Enter)
	b.until("a product", fixedKey)
	require.Empty(t, w.simulator.ledger(t))
}

func TestBackAfterASaleSellsNothing(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		b := w.atCounter(t, w.serve(t).ready(t))
		b.sellFixed(irish)
		b.state("complete", settles)
		b.do("back", chromedp.NavigateBack())
		b.until("the page before", `document.readyState === "complete" && !document.querySelector('[role="status"][data-state]')`)
		if asks[bool](b, `[...document.querySelectorAll("button")].some((el) => el.textContent.includes("`+cashReceived+`"))`) {
			b.expect("status of 409") // asked about as the second of two
			b.press(cashReceived)
			b.until("the sale, or a question", `document.querySelector('[role="status"][data-state]') || document.body.innerText.includes("Press 2 to send another.")`)
		}
		sold := w.simulator.only(t)
		require.Equal(t, 1, sold.TimesExecuted)
		require.Len(t, sold.RequestedAt, 1)
	})
}

func TestPINIsShownInGroups(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		b := w.atCounter(t, w.serve(t).ready(t))
		pin := pinProduct(t, w.simulator)
		b.open("/counter?number=" + irish + "&provider=" + pin.ProviderCode + "&sku=" + pin.SkuCode)
		b.focused(cashReceived)
		b.enter()
		b.state("complete", settles)
		require.True(t, strings.HasPrefix(b.verdict(), sentText), b.verdict())
		b.until("the PIN, to whoever has sold it", pinReadable)
		shown := asks[string](b, `document.querySelector(".pin-value").innerText`)
		require.NotContains(t, w.webLog(), strings.ReplaceAll(shown, " ", ""), "a PIN in the log")
	})
}

// pinProduct is a fixed PIN product that any shop can sell.
func pinProduct(t testing.TB, s *simulator) product {
	t.Helper()
	for _, p := range s.products(t, "countryIsos=IE") {
		if p.RedemptionMechanism == "ReadReceipt" && p.ProcessingMode == "Instant" && p.Minimum.SendValue == p.Maximum.SendValue && len(p.SettingDefinitions) == 0 {
			return p
		}
	}
	t.Fatal("the simulator sells no PIN")
	return product{}
}

func TestUATNumbersPickTheirOutcome(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	p := w.serve(t).ready(t)
	b := w.atCounter(t, p)
	offer := topUp(t, w.simulator)
	for digit, want := range map[string]string{"0": "complete", "5": "failed"} {
		number := offer.UatNumber[:len(offer.UatNumber)-1] + digit
		b.open("/counter?number=" + number + "&provider=" + offer.ProviderCode + "&sku=" + offer.SkuCode)
		b.focused(cashReceived)
		b.enter()
		b.state(want, settles)
	}
	require.Len(t, w.simulator.ledger(t), 2)
}

// topUp is a fixed Irish top-up.
func topUp(t testing.TB, s *simulator) product {
	t.Helper()
	for _, p := range s.products(t, "countryIsos=IE&benefits=Minutes") {
		if p.RedemptionMechanism == "Immediate" && p.ProcessingMode == "Instant" && p.Minimum.SendValue == p.Maximum.SendValue && len(p.UatNumber) > 1 {
			return p
		}
	}
	t.Fatal("the simulator sells no fixed top-up")
	return product{}
}
