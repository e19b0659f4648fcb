//go:build e2e

package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// pinReadable says whether the PIN stands on the page in groups, all of it within the window.
const pinReadable = `(() => {
	const pin = document.querySelector(".pin-value:not(.pin-masked)");
	const box = pin?.getBoundingClientRect();
	return pin && /^\d{4}(\s\d{1,4})+$/.test(pin.innerText.trim()) && box.top >= 0 && box.bottom <= innerHeight;
})()`

// keysFor counts the keys that a person presses while doing something.
func (b *browser) keysFor(do func()) int {
	before := b.keys
	do()
	return b.keys - before
}

// remembers waits until the counter knows how many customers' numbers end in these digits: customers are remembered a
// moment after their sale, and people type slower than this.
func (b *browser) remembers(ending string, numbers int) {
	b.t.Helper()
	b.until("the number is remembered", fmt.Sprintf(`(() => {
		const asked = new XMLHttpRequest();
		asked.open("GET", "/counter?step=recall&number=%s", false);
		asked.send();
		const answer = new DOMParser().parseFromString(asked.responseText, "text/html");
		return answer.querySelectorAll("#recalled [data-letter]").length === %d;
	})()`, ending, numbers))
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

	b.remembers(irish[len(irish)-4:], 1)
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

	recall := b.keysFor(func() {
		b.open("/counter")
		b.focused("Account number")
		b.typed(irish[len(irish)-4:])
		b.enter()
		b.until("the question", `document.body.innerText.includes("Press 2 to send another.")`)
		b.typed("2")
		b.state("complete", settles)
	})
	require.LessOrEqual(t, recall, 6, "an earlier customer by four digits")

	sellVoucher := func() {
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
		b.until("the PIN", pinReadable)
		b.until("the paper in its frame", `document.querySelector("iframe.auto-print")?.contentDocument?.querySelector(".slip")?.innerText.match(/\d{4} \d{4}/)`)
	}
	voucher := b.keysFor(sellVoucher)
	require.LessOrEqual(t, voucher, 6, "until the PIN can be read and is printed")
	t.Logf("keys: new number of %d digits %d, repeat %d, recall %d, PIN voucher %d", len(irish), fresh, again, recall, voucher)
	require.Equal(t, voucher, b.keysFor(sellVoucher), "the next customer's is not asked about")

	b.typed("p")
	b.untilWithin(settles, "the second print is the first duplicate", `document.querySelector("iframe.auto-print")?.contentDocument?.body?.innerText.includes("DUPLICATE")`)
	b.reload()
	b.until("what happened", `/PIN shown[^]*Receipt printed[^]*DUPLICATE 1/.test(document.querySelector(".timeline")?.innerText)`)
	b.typed("r")
	b.focused(cashReceived)

	require.Len(t, w.simulator.ledger(t), 5)
	for _, entry := range w.simulator.ledger(t) {
		require.Equal(t, 1, entry.TimesExecuted)
	}
}

// Of what sends again or cancels, the key only selects the button: a stray one does nothing that costs.
func TestKeysOfWhatSendsOrCancelsWaitForEnter(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	w.simulator.fault(t, map[string]any{"endpoint": "Provider"}, map[string]any{"kind": "error", "code": "AccountNumberInvalid", "context": "ProviderRefusedRequest"}, 1)
	b.confirmPage(irish, topUp(t, w.simulator))
	b.enter()
	b.state("failed", settles)
	refused := len(w.simulator.ledger(t))
	b.focused("Cash given back")
	b.typed("t")
	b.focused("Try again")
	b.state("failed", settles)
	require.Len(t, w.simulator.ledger(t), refused)
	b.typed("?")
	b.until("the keys", `/T Enter\s*Try again/.test(document.querySelector("#keys:popover-open")?.innerText)`)
	b.typed("?")
	b.until("no keys", `!document.querySelector("#keys:popover-open")`)
	b.typed("t")
	b.focused("Try again")
	require.Len(t, w.simulator.ledger(t), refused)
	b.enter()
	b.state("complete", settles)

	w.simulator.configure(t, map[string]any{"batchDelay": "1h"})
	b.confirmPage(batchNumber, batchProduct(t, w.simulator))
	b.enter()
	b.state("submitted", settles)
	b.typed("c")
	b.focused("Cancel")
	b.state("submitted", settles)
	b.enter()
	b.state("cancelled", settles)
}

// Four digits that several customers' numbers end in cost no key more: a letter chooses
// from below the field. One may as well type on.
func TestKeysOfARecallThatMeansSeveral(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	const ending, other = "4567", "0871114567"
	for _, number := range []string{irish, other} {
		b.open("/counter")
		b.focused("Account number")
		b.lookUp(number)
		b.until("a product", fixedKey)
		b.typed(asks[string](b, fixedKey))
		b.focused(cashReceived)
		b.enter()
		b.state("complete", settles)
	}
	listed := `document.querySelectorAll("#recalled [data-letter]").length === 2`
	b.remembers(ending, 2)
	for _, letter := range []string{"a", "b"} { // the latest first
		recall := b.keysFor(func() {
			b.open("/counter")
			b.focused("Account number")
			b.typed(map[string]string{"a": "٤٥٦٧", "b": ending}[letter])
			b.until("who is meant", listed)
			if letter == "a" {
				b.accessible("who four digits mean", "en")
				b.fits("who four digits mean", "en")
			}
			b.typed(letter)
			b.until("the question", `document.body.innerText.includes("Press 2 to send another.")`)
			b.typed("2")
			b.state("complete", settles)
		})
		require.LessOrEqual(t, recall, 6, letter)
	}
	sold := map[string]int{}
	for _, entry := range w.simulator.ledger(t) {
		sold[entry.AccountNumber]++
	}
	require.Equal(t, map[string]int{"353871234567": 2, "353871114567": 2}, sold)

	b.open("/counter")
	b.focused("Account number")
	b.typed(ending)
	b.until("who is meant", listed)
	b.typed("8")
	b.until("none of them", `document.querySelector("#recalled").childElementCount === 0`)
	require.Equal(t, ending+"8", asks[string](b, `document.querySelector("#number").value`))
	b.typed(kb.Backspace)
	b.until("who is meant", listed)
	b.enter()
	b.until("the choice", `document.querySelectorAll("a.card[data-key]").length === 2`)
}

// Esc leads back with the number in the field, and the next key replaces it.
func TestEscKeepsTheNumber(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	b.expect("status of 422") // a digit too many
	selected := `document.activeElement.id === "number" && document.activeElement.selectionStart === 0 && document.activeElement.selectionEnd === document.activeElement.value.length`
	value := `document.querySelector("#number").value`
	b.lookUp(irish)
	b.until("a product", fixedKey)
	b.typed(kb.Escape)
	b.until("the field", selected+` && location.search.includes("step=number")`)
	require.Equal(t, irish, asks[string](b, value))
	b.typed("0" + "85")
	require.Equal(t, "085", asks[string](b, value))
	b.typed(kb.Escape)
	require.Equal(t, "085", asks[string](b, value), "it is not lost")
	require.True(t, asks[bool](b, selected))
	b.eval(`document.activeElement.blur()`)
	b.typed("7")
	require.Equal(t, "7", asks[string](b, value), "the next number takes its place, wherever one types")

	// A slip is said, and who may be meant answers to the keys.
	b.open("/counter")
	b.focused("Account number")
	b.lookUp(irish + "8")
	b.until("the slip", `document.body.innerText.includes("One digit too many for an Irish mobile: 10 digits, this has 11.")`)
	b.accessible("a digit too many", "en")
	b.fits("a digit too many", "en")
	b.typed(kb.ArrowDown)
	b.until("the list", `document.activeElement.closest("[data-row-keys]")`)
	b.typed("1")
	b.until("the meter's products", `document.querySelector("h1")?.innerText.includes("Boyne Energy")`)

	// Another operator is a digit away.
	b.open("/counter?number=" + irish)
	b.until("a product", fixedKey)
	b.eval(`[...document.querySelectorAll(".lead a")].find((a) => a.textContent.includes("Other operator")).click()`)
	b.until("the operators", `document.querySelector("button[name=provider][data-key='1']")`)
	b.accessible("another operator", "en")
	b.fits("another operator", "en")
	b.typed("1")
	b.until("its products", `document.querySelector("button[name=sku]")`)
}

// A finger that trembles on the key of a product presses it again on the next page, where that key may be the answer to
// a question: nobody has read it yet.
func TestAKeyPressedTwiceAnswersNoQuestion(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	b.sellFixed(irish)
	b.state("complete", settles)
	b.open("/counter")
	b.lookUp(irish)
	b.until("what was bought before", `document.querySelector('a.card[data-key="1"]')`)
	b.eval(`document.querySelectorAll('[data-key="2"]').forEach((el) => delete el.dataset.key);
		document.querySelector('a.card[data-key="1"]').dataset.key = "2";
		document.addEventListener("keydown", (event) => { window.pressed ??= event.timeStamp; }, true)`)
	b.typed("2")
	b.until("the question", `document.body.innerText.includes("Press 2 to send another.")`)
	b.eval(`(() => {
		const again = new KeyboardEvent("keydown", {key: "2", code: "Digit2", bubbles: true, cancelable: true});
		Object.defineProperty(again, "timeStamp", {value: window.pressed + 200});
		document.activeElement.dispatchEvent(again);
	})()`)
	require.False(t, asks[bool](b, `new Promise((told) => setTimeout(() => told(Boolean(document.querySelector("[data-busy]"))), 50))`))
	require.Len(t, w.simulator.ledger(t), 1)
	b.until("a moment later", `performance.now() > window.pressed + 700`)
	b.typed("2")
	b.state("complete", settles)
	require.Len(t, w.simulator.ledger(t), 2)
}

// clicksOn clicks a product with the mouse and, as soon as it is there, the button that takes the cash; nth is which of
// clicks in a row the latter is: 2 of a double click. On a busy machine a browser may come to it too late to be one.
func (w *world) clicksOn(t *testing.T, nth int) *browser {
	t.Helper()
	b := w.atCounter(t, w.serve(t).ready(t))
	for range 5 {
		if b.clicksInTime(nth) {
			return b
		}
		b.open("/counter")
	}
	t.Fatal("five times the second click came too late")
	return nil
}

func (b *browser) clicksInTime(nth int) bool {
	b.t.Helper()
	b.lookUp(irish)
	b.until("a product", fixedKey)
	b.eval(fmt.Sprintf(`document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
			if (ctx?.select === "#page") window.came = performance.now();
		});
		window.pay = () => [...document.querySelectorAll(".confirm button")].find((el) => el.textContent.includes(%q));
		window.click = (el, detail) => {
			el.dispatchEvent(new PointerEvent("pointerdown", {bubbles: true}));
			el.dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true, detail}));
		};
		window.waits = setInterval(() => {
			if (!pay()) return;
			clearInterval(waits);
			setTimeout(() => {
				window.clicked = performance.now();
				if (window.inTime = clicked < came + 200) click(pay(), %d);
			}, 50);
		}, 5);
		click(document.querySelector('[data-key="' + %s + '"]'), 1)`, cashReceived, nth, fixedKey))
	b.until("the next click", `window.clicked`)
	return asks[bool](b, `window.inTime`)
}

// The second click of who clicks a product twice lands on what the next page has there: no cash has been asked for yet.
func TestAProductClickedTwiceIsNotSold(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.clicksOn(t, 2)
	b.until("a moment later", `performance.now() > window.clicked + 400`)
	require.True(t, asks[bool](b, `Boolean(pay())`))
	require.Empty(t, w.simulator.ledger(t))
	b.eval(`click(pay(), 1)`)
	b.state("complete", settles)
	require.Len(t, w.simulator.ledger(t), 1)
}

// Whoever sees the button at once, and presses it, need not wait.
func TestAQuickClickSells(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.clicksOn(t, 1)
	b.state("complete", settles)
	require.Len(t, w.simulator.ledger(t), 1)
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

// Nor do they bring the focus, and with it the page, back to where it began from who clicked beside everything and reads on.
func TestNewsDoNotMoveThePage(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	b.lookUp(irish)
	b.until("a product", fixedKey)
	b.look(390, 844, "light")
	b.eval(`(() => {
		window.row = document.createElement("nav");
		row.className = "chips";
		row.innerHTML = '<a href="/" aria-current="page">Here</a><a href="/">There</a>';
		for (const link of row.children) Object.assign(link.style, {flex: "none", width: "400px"});
		Object.assign(row.style, {display: "flex", overflowX: "auto"});
		document.querySelector("main").append(row);
		row.scrollLeft = 300;
		document.activeElement.blur();
		scrollTo(0, 600);
	})()`)
	b.eval(`for (const what of ["before", "after"]) document.querySelector(".tray-place").dispatchEvent(
		new CustomEvent("htmx:" + what + ":swap", {bubbles: true, detail: {ctx: {text: ""}}}))`)
	require.Equal(t, "600 300 BODY", asks[string](b, `[scrollY, row.scrollLeft, document.activeElement.tagName].join(" ")`))
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

// letTakePINs has a manager sign in, who lets this till take PINs.
func (b *browser) letTakePINs(password string) {
	b.t.Helper()
	b.signIn("manager", password)
	b.setPIN("905172", password)
	b.press("Let this till take PINs")
	b.until("trust", `document.body.innerText.includes("This till takes PINs.")`)
}

func TestACashierTakesOverInAMoment(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := newBrowser(t, w.serve(t).ready(t).url)
	b.expectASignedOutStream()

	b.letTakePINs(w.password)
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

// A till whose machine slept locks itself, though its lid was opened by someone who types at once: asleep, the clock that
// counts since a page came rests.
func TestATillThatSleptLocksItself(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := newBrowser(t, w.serve(t).ready(t).url)
	b.expectASignedOutStream()
	b.letTakePINs(w.password)
	b.open("/counter")
	b.typed("1")
	b.until("a till in use", `document.querySelector("#cash, #number, input:focus")?.value === "1"`)
	b.eval(`{ const now = Date.now; Date.now = () => now() + 600_000; }`)
	b.typed("2")
	b.until("the locked till", `location.pathname === "/unlock"`)
}
