//go:build e2e

package e2e

import (
	"testing"
)

// TestADifferenceInItsStates walks one through the queue as two people deal with it:
// each state is held to the same as every page.
func TestADifferenceInItsStates(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	for _, name := range []string{"fionn", "sorcha"} {
		command(t, w.env, w.password+"\n", "web", "user", "add", "--username", name, "--role", "finance")
	}
	p := w.serve(t).ready(t)
	b, second := newBrowser(t, p.url), newBrowser(t, p.url)
	b.signIn("fionn", w.password)
	check := func(b *browser, name string) {
		b.accessible(name, "en")
		b.fits(name, "en")
		b.shots(name)
		b.look(1280, 800, "light")
	}
	for _, v := range []struct{ name, path string }{
		{"the queue, empty", "/reconcile"}, {"payments and other sellers", "/reconcile/outside"}, {"drawers over time", "/reconcile/drawers"},
	} {
		b.open(v.path)
		check(b, v.name)
	}

	w.simulator.fault(t, map[string]any{"endpoint": "GetBalance"}, map[string]any{"kind": "balance_drift", "amount": "-3.21"}, 1)
	b.open("/reconcile")
	b.eval(`document.querySelector("form[action='/reconcile/look'] button:not([name])").click()`)
	const link = `document.querySelector("main a[href^='/reconcile/breaks/']")`
	b.until("a difference in the queue", link)
	check(b, "the queue")
	page := asks[string](b, link+`.getAttribute("href")`)
	b.open(page)
	check(b, "a difference, open")
	b.eval(`document.querySelector("button[formaction$='/take']").click()`)
	b.until("that she has taken it", `document.readyState === "complete" && !document.querySelector("button[formaction$='/take']")`)
	check(b, "a difference, taken")
	b.eval(`document.querySelector("#resolution").value = "writeoff"; document.querySelector("#why").value = "asked them, nobody knows"; document.querySelector("#why").form.requestSubmit()`)
	b.until("the proposal", `document.querySelector("#proposal-title")`)
	check(b, "a difference, proposed by oneself")

	second.signIn("sorcha", w.password)
	second.open(page)
	check(second, "a difference, proposed by another")
	second.eval(`document.querySelector("form[action$='/confirm'] .primary").click()`)
	second.until("the end of it", `document.readyState === "complete" && !document.querySelector("#proposal-title")`)
	check(second, "a difference, resolved")
	second.open("/reconcile?state=resolved")
	second.until("it among those resolved", link)
	check(second, "the queue, resolved")
}
