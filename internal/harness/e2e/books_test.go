//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestADifferenceInItsStates walks one through the queue as two people deal with it:
// each state is held to the same as every page.
func TestADifferenceInItsStates(t *testing.T) {
	t.Parallel()
	w, b, second := office(t)
	for _, v := range []struct{ name, path string }{
		{"the queue, empty", "/reconcile"}, {"payments and other sellers", "/reconcile/outside"}, {"drawers over time", "/reconcile/drawers"},
	} {
		b.open(v.path)
		check(b, v.name)
	}

	w.simulator.fault(t, map[string]any{"endpoint": "GetBalance"}, map[string]any{"kind": "balance_drift", "amount": "-3.21"}, 1)
	page := differs(b)
	check(b, "the queue")
	b.open(page)
	check(b, "a difference, open")
	b.eval(`document.querySelector("button[formaction$='/take']").click()`)
	b.until("that she has taken it", `document.readyState === "complete" && !document.querySelector("button[formaction$='/take']")`)
	check(b, "a difference, taken")
	propose(b, "writeoff", "asked them, nobody knows")
	check(b, "a difference, proposed by oneself")
	second.open(page)
	check(second, "a difference, proposed by another")
	confirm(second)
	check(second, "a difference, resolved")
	second.open("/reconcile?state=resolved")
	second.until("it among those resolved", differenceLink)
	check(second, "the queue, resolved")
}

// TestADifferenceOpensAgain: other software's transfer was under way when two people
// resolved it. Now it is complete and has its commission, on which they did not agree.
func TestADifferenceOpensAgain(t *testing.T) {
	t.Parallel()
	w, b, second := office(t)
	w.simulator.configure(t, map[string]any{"batchDelay": "1h"})
	w.simulator.sellElsewhere(t, batchProduct(t, w.simulator), "353"+batchNumber[1:], "OTHER-1")
	page := differs(b)
	b.open(page)
	propose(b, "foreign", "the web shop")
	second.open(page)
	confirm(second)
	second.open("/reconcile")
	second.until("an empty queue", `document.readyState === "complete" && !`+differenceLink)

	w.simulator.configure(t, map[string]any{"clockOffset": "2h"})
	require.Eventually(t, func() bool { return w.simulator.only(t).State == "Complete" }, actWithin, 50*time.Millisecond)
	require.Equal(t, page, differs(second), "the same difference")
	check(second, "the queue, with one that is open again")
	second.open(page)
	second.until("that it is open again, and why", `document.querySelector("main").textContent.includes("opened it again: there was new evidence") && document.querySelector("#resolution")`)
	check(second, "a difference, open again")
}

// TestADifferenceIsMatched: other software sold, and somebody paid the upstream as much.
// A dry run tells of the one before there is a difference; then each is offered as the
// other side of the other, and can be read first.
func TestADifferenceIsMatched(t *testing.T) {
	t.Parallel()
	w, b, _ := office(t)
	w.simulator.configure(t, map[string]any{"batchDelay": "1h"})
	require.Eventually(t, func() bool { // the till looks by itself when it begins
		b.open("/reconcile")
		return asks[bool](b, `[...document.querySelectorAll(".figure")].some((el) => el.innerText.includes("Records compared") && !el.innerText.includes("Not yet"))`)
	}, actWithin, 300*time.Millisecond)
	w.simulator.sellElsewhere(t, batchProduct(t, w.simulator), "353"+batchNumber[1:], "OTHER-1")
	b.eval(`document.querySelector("form[action='/reconcile/look'] button[name=dry]").click()`)
	b.until("what a look would change", `document.readyState === "complete" && document.querySelector(".dry table")`)
	require.False(t, asks[bool](b, "Boolean("+differenceLink+")"), "it changes nothing")
	check(b, "a dry run")
	page := differs(b)
	w.simulator.console(t, http.MethodPost, "topup", map[string]string{"amount": w.simulator.only(t).Deducted}, nil)
	b.eval(`document.querySelector("form[action='/reconcile/look'] button:not([name])").click()`)
	b.until("both in the queue", `document.querySelectorAll("main a[href^='/reconcile/breaks/']").length === 2`)

	b.open(page)
	b.until("the other side", `document.querySelector("form[action$='/match'] a[href^='/reconcile/breaks/']")`)
	check(b, "a difference, with its other side")
	b.eval(`document.querySelector("#match-note").value = "the web shop paid for it"; document.querySelector("#match-note").form.requestSubmit()`)
	b.until("that they are matched", `document.readyState === "complete" && document.querySelector(".to-sale a[href^='/reconcile/breaks/']")`)
	check(b, "a difference, matched")
	b.open("/reconcile")
	b.until("an empty queue", `document.readyState === "complete" && !`+differenceLink)
}

// office is a till with two people of the office before their browsers.
func office(t *testing.T) (w *world, first, second *browser) {
	t.Helper()
	w = newWorldOn(t)
	for _, name := range []string{"fionn", "sorcha"} {
		command(t, w.env, w.password+"\n", "web", "user", "add", "--username", name, "--role", "finance")
	}
	p := w.serve(t).ready(t)
	first, second = newBrowser(t, p.url), newBrowser(t, p.url)
	first.signIn("fionn", w.password)
	second.signIn("sorcha", w.password)
	return w, first, second
}

// check holds what a browser shows to what every page is held to.
func check(b *browser, name string) {
	b.accessible(name, "en")
	b.fits(name, "en")
	b.shots(name)
	b.look(1280, 800, "light")
}

const differenceLink = `document.querySelector("main a[href^='/reconcile/breaks/']")`

// differs looks at the records and the balance, and returns the page of what is found.
func differs(b *browser) (page string) {
	b.open("/reconcile")
	b.eval(`document.querySelector("form[action='/reconcile/look'] button:not([name])").click()`)
	b.until("a difference in the queue", differenceLink)
	return asks[string](b, differenceLink+`.getAttribute("href")`)
}

func propose(b *browser, how, why string) {
	b.eval(fmt.Sprintf(`document.querySelector("#resolution").value = %q; document.querySelector("#why").value = %q; document.querySelector("#why").form.requestSubmit()`, how, why))
	b.until("the proposal", `document.querySelector("#proposal-title")`)
}

func confirm(b *browser) {
	b.eval(`document.querySelector("form[action$='/confirm'] .primary").click()`)
	b.until("the end of it", `document.readyState === "complete" && !document.querySelector("#proposal-title")`)
}
