//go:build e2e

package e2e

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// keysFor counts the keys that a person presses while doing something.
func (b *browser) keysFor(do func()) int {
	before := b.keys
	do()
	return b.keys - before
}

// The budgets of keys: a new number of N digits with a fixed product takes
// N + 3, a repeat and a voucher at most 6, another cashier a PIN and Enter.
func TestKeysOfASale(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))

	fresh := b.keysFor(func() {
		b.lookUp(irish)
		b.until("a product", fixedKey)
		b.typed(asks[string](b, fixedKey))
		b.focused(cashReceived)
		b.enter()
		b.state("complete", settles)
	})
	require.LessOrEqual(t, fresh, len(irish)+3)

	again := b.keysFor(func() {
		b.open("/counter")
		b.focused("Account number")
		b.typed(kb.ArrowDown)
		b.until("the list", `document.activeElement.closest("[data-row-keys]")`)
		b.typed("1")
		b.until("the question", `document.body.innerText.includes("Press 2 to send another.")`)
		b.typed("2")
		b.state("complete", settles)
	})
	require.LessOrEqual(t, again, 3, "a repeat, with the question of a second one answered")

	voucher := b.keysFor(func() {
		b.open("/counter")
		b.focused("Account number")
		b.typed(kb.ArrowDown)
		b.until("the list", `document.activeElement.closest("[data-row-keys]")`)
		b.typed("0")
		b.until("the vouchers", `document.querySelector('a.card[data-key="1"]')`)
		b.typed("1")
		b.focused(cashReceived)
		b.enter()
		b.state("complete", settles)
	})
	require.LessOrEqual(t, voucher, 6)
	t.Logf("keys: new number of %d digits %d, repeat %d, PIN voucher %d", len(irish), fresh, again, voucher)

	require.Len(t, w.simulator.ledger(t), 3)
	for _, entry := range w.simulator.ledger(t) {
		require.Equal(t, 1, entry.TimesExecuted)
	}
}

// What changes beside a person takes no focus: the next Enter would press
// another button than the one they see.
func TestNewsLeaveTheFocusWhereItIs(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	b.lookUp(irish)
	b.until("a product", fixedKey)
	b.typed(asks[string](b, fixedKey))
	b.focused(cashReceived)
	b.eval(`(window.held = document.querySelector(".top a")).focus()`)
	b.eval(`document.querySelector(".tray-place").dispatchEvent(new CustomEvent("htmx:after:swap", {bubbles: true, detail: {ctx: {}}}))`)
	require.True(t, asks[bool](b, `document.activeElement === window.held`))
}

// setPIN gives whoever is signed in a till PIN.
func (b *browser) setPIN(pin, password string) {
	b.t.Helper()
	b.open("/account")
	b.until("the form", `document.querySelector("#new-pin")`)
	b.eval(`document.querySelector("#new-pin").focus()`)
	b.typed(pin + kb.Tab + password)
	b.enter()
	b.until("the PIN is set", `document.body.innerText.includes("Your PIN is set.")`)
}

func TestACashierTakesOverInAMoment(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := newBrowser(t, w.serve(t).ready(t).url)
	b.expect("status of 401") // the stream of the locked page

	b.signIn("manager", w.password)
	b.setPIN("905172", w.password)
	b.press("Let this till take PINs")
	b.until("trust", `document.body.innerText.includes("This till takes PINs.")`)
	b.typed("*")
	b.until("the locked till", `location.pathname === "/unlock"`)
	b.focused("Your PIN")
	b.accessible("the locked till", "en")
	b.fits("the locked till", "en")
	b.look(1280, 800, "light")
	b.eval(`document.querySelector('a[href^="/login"]').click()`)
	b.focused("Username")
	b.typed("cashier" + kb.Tab + w.password)
	b.enter()
	b.until("signed in", `document.querySelector(".who")?.innerText.includes("cashier") && document.readyState === "complete"`)
	b.setPIN("4826", w.password)
	b.open("/counter")
	b.focused("Cash in the drawer")

	began := time.Now()
	keys := b.keysFor(func() {
		b.typed("*")
		b.focused("Your PIN")
		b.typed("905172")
		b.enter()
		b.until("the manager", `document.querySelector(".who")?.innerText.includes("manager")`)
	})
	took := time.Since(began)
	require.LessOrEqual(t, keys, len("905172")+2, "the lock, the PIN and Enter")
	t.Logf("another cashier: %d keys, %v", keys, took.Round(time.Millisecond))
	require.Equal(t, "/counter", asks[string](b, "location.pathname"), "where the till was")
}
