//go:build e2e

package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// stray is a key as a page hears it: held down, or of a keyboard that types no Latin letters.
func (b *browser) stray(key, more string) {
	b.t.Helper()
	b.eval(fmt.Sprintf(`document.activeElement.dispatchEvent(
		new KeyboardEvent("keydown", { key: %q, bubbles: true, cancelable: true, %s })); 0`, key, more))
}

// asksForASecond brings the cashier to the question whether the same is meant to be sold again.
func (b *browser) asksForASecond() {
	b.t.Helper()
	b.sellFixed(irish)
	b.state("complete", settles)
	b.typed("r")
	b.until("the question", `document.body.innerText.includes("Press 2 to send another.")`)
}

// Whoever holds the key of a product down has not read what the next page asks.
func TestAKeyHeldDownChoosesOnce(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	b.asksForASecond()
	b.eval(`document.addEventListener("submit", () => { window.wasSent = true; }, true)`)
	b.stray("2", "repeat: true")
	require.False(t, asks[bool](b, `Boolean(window.wasSent)`), "a second sale")
	b.typed("2")
	b.state("complete", settles)
	require.Len(t, w.simulator.ledger(t), 2)
}

// A letter typed in a list of people looks for a name there.
func TestALetterInAListOfNamesChoosesAName(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	w.simulator.fault(t, map[string]any{"endpoint": "SendTransfer"}, map[string]any{"kind": "drop", "when": "after"}, 1)
	w.simulator.fault(t, map[string]any{"endpoint": "ListTransferRecords"}, map[string]any{"kind": "delay", "for": "20s"}, -1)
	b.sellFixed(irish)
	b.state("unknown", settles)
	b.reload()
	b.until("who may allow it", `document.querySelector(".while-open #manager")`)
	b.eval(`document.querySelector(".while-open").open = true; document.querySelector("#manager").focus()`)
	b.typed("p")
	require.False(t, asks[bool](b, `Boolean(document.querySelector("iframe.auto-print"))`), "a slip")
}

// The letters on the buttons work on a keyboard without Latin letters, and the digits in whatever script, or without Shift
// where a French keyboard writes them with it.
func TestKeysOfOtherKeyboards(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	b.sellFixed(irish)
	b.state("complete", settles)
	for i, second := range []string{"٢", "é"} {
		b.stray("ق", `code: "KeyR"`)
		b.until("the question", `document.body.innerText.includes("Press 2 to send another.")`)
		b.stray(second, `code: "Digit2"`)
		b.state("complete", settles)
		require.Len(t, w.simulator.ledger(t), 2+i)
	}
}

// A browser that fills in a name tells of a key without saying which.
func TestWhatABrowserFillsInIsNoKey(t *testing.T) {
	t.Parallel()
	b := newBrowser(t, newWorldOn(t).serve(t).ready(t).url)
	b.open("/login")
	b.eval(`document.querySelector("#username, [name=username]").dispatchEvent(new Event("keydown", { bubbles: true }))`)
	b.typed("still") // or what the page complains of is not heard
	b.until("what was typed", `document.querySelector("[name=username]").value.endsWith("still")`)
}

// A digit that found no connection is not the first of the next customer's.
func TestADigitThatFoundNoConnectionIsForgotten(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	b.expect("ERR_INTERNET_DISCONNECTED")
	b.expect("console: ") // htmx tells of what it could not fetch
	b.sellFixed(irish)
	b.state("complete", settles)
	b.network(false)
	b.until("the bar", offlineBar)
	b.typed("9")
	b.until("the request to fail", `!document.querySelector(".htmx-request")`)
	b.network(true)
	b.until("the bar to go", "!("+offlineBar+")")
	b.typed("0")
	b.until("the field", `document.querySelector("#number")`)
	b.typed("871")
	b.until("what was typed", `document.querySelector("#number").value === "0871"`)
}

// A scanner is quicker than the page its number is for: the Enter behind the number presses nothing of the page before, here
// that cash was given back, but looks the number up.
func TestANumberScannedAheadIsLookedUp(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	w.simulator.fault(t, map[string]any{"endpoint": "Provider"}, map[string]any{"kind": "error", "code": "AccountNumberInvalid", "context": "ProviderRefusedRequest"}, 1)
	b.sellFixed(irish)
	b.state("failed", settles)
	b.reload() // without the number's field, which a sale that is waited for has
	b.focused("Cash given back")
	b.eval(`(() => {
		window.acts = [];
		const ask = window.fetch;
		window.fetch = (what, how) => new Promise((go) => {
			if (how?.method === "POST") window.acts.push(new URL(what, location).pathname);
			setTimeout(() => go(ask(what, how)), 500);
		});
	})()`)
	b.typed(irish + kb.Enter)
	b.until("a product", fixedKey)
	require.Equal(t, []string{"/counter"}, asks[[]string](b, `window.acts`))
}

// News that come while a form is on its way do not say that it was answered: it is not sent again.
func TestNewsDoNotFreeAFormThatIsSent(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	b.eval(`(() => {
		const ask = window.fetch;
		window.fetch = (what, how) => how?.method === "POST" ? new Promise(() => {}) : ask(what, how);
		document.querySelector("#number").value = "` + irish + `";
		document.querySelector("#number").form.requestSubmit();
	})()`)
	b.until("the form on its way", `document.querySelector("[data-busy]")`)
	b.eval(`(() => {
		const sourceElement = document.querySelector(".tray-place");
		sourceElement.setAttribute("hx-sse:connect", "/tray/events");
		for (const what of ["after:swap", "finally:request"]) {
			sourceElement.dispatchEvent(new CustomEvent("htmx:" + what, {bubbles: true, detail: {ctx: {sourceElement}}}));
		}
	})()`)
	require.True(t, asks[bool](b, `Boolean(document.querySelector("[data-busy]"))`))
}

// A stream that is refused whenever the page is there does not make it come over and over.
func TestAStreamThatIsRefusedDoesNotReloadThePageAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	b.reload()
	b.eval(`(() => {
		window.isLeft = true;
		addEventListener("pagehide", () => { sessionStorage.stayed = performance.now(); });
		document.querySelector(".tray-place").dispatchEvent(new CustomEvent("htmx:sse:error", {bubbles: true, detail: {status: 429}}));
	})()`)
	b.until("the page again", `!window.isLeft && document.readyState === "complete"`)
	require.Greater(t, asks[float64](b, `Number(sessionStorage.stayed)`), 2900.0)
}

// A word typed without its accents finds what is written with them.
func TestTheFilterFoldsAccents(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	b.lookUp(irish)
	b.until("a product", fixedKey)
	b.eval(`(() => {
		document.querySelector("#offers .card :not(kbd)").textContent = "Crédito Télécom";
		const box = document.querySelector("[data-filter='#offers'] input");
		box.value = "telecom CREDITO";
		box.dispatchEvent(new Event("input", {bubbles: true}));
	})()`)
	require.Equal(t, 1, asks[int](b, `document.querySelectorAll("#offers .card:not([hidden])").length`))
}

// A count of seconds is written with marks between its thousands, which are not left behind.
func TestManySecondsAreOneNumber(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	for _, written := range []string{"1,234 s", "1.234 s", "1\u202f234\u00a0s", "1234 s"} {
		b.eval(fmt.Sprintf(`document.querySelector("#seconds")?.remove();
			document.querySelector("main").insertAdjacentHTML("beforeend", '<span id="seconds" data-tray-elapsed="1234" data-digit="0">%s</span>')`, written))
		b.until("the next second", fmt.Sprintf(`document.querySelector("#seconds").textContent !== %q || %t`, written, written == "1234 s"))
		require.Regexp(t, `^123\d\D`, asks[string](b, `document.querySelector("#seconds").textContent`))
	}
}

// What is given and counted is understood as the till will: with marks between thousands, in the digits of the language.
func TestSumsAreThoseOfTheTill(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	into := func(field, text string) {
		b.eval(fmt.Sprintf(`(() => {
			const field = document.querySelector(%q);
			field.value = %q;
			field.dispatchEvent(new Event("input", { bubbles: true }));
		})()`, field, text))
	}
	b.confirmPage(irish, topUp(t, w.simulator))
	for typed, change := range map[string]string{"1,500": "€1,489.54", "1,500.50": "€1,490.04", "١٥٫٤٦": "€5.00", "11,46": "€1.00", "20": "€9.54", "1,50,0": "–"} {
		into("#cash", typed)
		require.Equal(t, change, asks[string](b, `document.querySelector("[data-change]").textContent`), typed)
	}
	// Three decimals are as many digits as a group has: which it is depends on the mark alone, here a comma.
	b.eval(`(() => {
		document.documentElement.lang = "fr-TN";
		Object.assign(document.querySelector("#cash").dataset, { cash: "1200000", currency: "TND", decimals: "3", mark: "," });
	})()`)
	for typed, change := range map[string]string{"1.500": "1498,800", "1,500": "0,300", "0.500": "–", "1.5": "0,300", "1.500,5": "1499,300"} {
		into("#cash", typed)
		require.Equal(t, change, asks[string](b, `document.querySelector("[data-change]").textContent.replace(/[^\d,–]/g, "")`), typed)
	}
	// How many decimals a currency has is the till's to say: this one's browser leaves out those of some.
	b.eval(`Object.assign(document.querySelector("#cash").dataset, { currency: "COP", decimals: "2" }); document.documentElement.lang = "en"`)
	into("#cash", "1.5")
	require.Equal(t, "COP 0.30", asks[string](b, `document.querySelector("[data-change]").textContent.replace(/\s/, " ")`))
	b.eval(`Object.assign(document.querySelector("#cash").dataset, { currency: "IQD", decimals: "3", mark: "." })`)
	into("#cash", "1.500")
	require.Equal(t, "IQD 0.300", asks[string](b, `document.querySelector("[data-change]").textContent.replace(/\s/, " ")`))
	b.open("/shift/close")
	into("[data-micros]", "٢")
	require.NotEqual(t, "€0.00", asks[string](b, `document.querySelector("[data-sum] bdi").textContent`))
	into("[data-micros]", "1,000")
	require.Regexp(t, `^€[0-9]+,000\.00$`, asks[string](b, `document.querySelector("[data-sum] bdi").textContent`))
}

// The language is that of one's account: another browser may have changed it under a page.
func TestALanguageChosenElsewhereTurnsThePage(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	p := w.serve(t).ready(t)
	b := w.atCounter(t, p)
	b.eval(`fetch("/language", { method: "POST", body: new URLSearchParams({ csrf: document.querySelector("[name=csrf]").value, language: "ar", next: "/account" }) }); 0`)
	// Its first tag says so: every page lists Arabic among the languages, with its direction.
	b.until("the other language", `(() => {
		const asked = new XMLHttpRequest();
		asked.open("GET", "/account", false);
		asked.send();
		return /<html lang="ar[^>]*dir="rtl"/.test(asked.responseText);
	})()`)
	b.eval(`document.querySelector("a[href='/sales']").click()`)
	b.until("the list", `location.pathname === "/sales" && document.querySelector("#main h1")`)
	require.Equal(t, "rtl ar", asks[string](b, `document.dir + " " + document.documentElement.lang.slice(0, 2)`))
}

// A page made after an upgrade does not go on with the script of the program before.
func TestAPageOfANewerProgramBringsItsScript(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	visit := func(path string) {
		b.eval(fmt.Sprintf(`window.isOld = true; document.querySelector("a[href='%s']").click()`, path))
		b.until("the page", fmt.Sprintf(`location.pathname === %q && document.querySelector("#main h1") && document.readyState === "complete"`, path))
	}
	visit("/sales")
	require.True(t, asks[bool](b, `Boolean(window.isOld)`), "the same program's is taken in")
	b.eval(`document.querySelector('script[src*="/app-"]').setAttribute("src", "/static/app-old.js")`)
	visit("/shift")
	require.False(t, asks[bool](b, `Boolean(window.isOld)`))
}

// A form that comes back with what is wrong can be loaded again.
func TestAPageOfARefusedFormCanBeReloaded(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := newBrowser(t, w.serve(t).ready(t).url)
	b.expect("status of 422")
	b.signIn("cashier", w.password)
	b.focused("Cash in the drawer")
	b.typed("x")
	b.enter()
	b.until("what is wrong", `document.querySelector("#float-problem")`)
	b.reload()
	b.focused("Cash in the drawer")
}
