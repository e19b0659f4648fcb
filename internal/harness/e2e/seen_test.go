//go:build e2e

package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNothingLiesOverAButtonOrTheFocus, at any size, with a tray full of sales that
// wait: what has the focus is seen whole as the page comes, and each button and link
// of what is to be done as soon as it is gone to.
func TestNothingLiesOverAButtonOrTheFocus(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	p := w.serve(t).ready(t)
	b := w.atCounter(t, p)
	b.expect("status of 409")
	v := prepareViews(t, w, b)
	w.simulator.fault(t, map[string]any{"endpoint": "Provider"}, map[string]any{"kind": "error", "code": "AccountNumberInvalid", "context": "ProviderRefusedRequest"}, 2)
	for _, number := range []string{"0871234571", "0871234572"} {
		b.confirmPage(number, v.fixed)
		b.enter()
		b.state("failed", settles)
	}
	for _, screen := range []screen{
		{name: "counter", path: "/counter"},
		{name: "products", path: "/counter?number=" + irish},
		{name: "amount", path: v.offer(irish, v.ranged)},
		{name: "confirm", path: v.offer("0871234560", v.fixed)},
		{name: "confirm again", path: v.offer(irish, v.fixed)},
		{name: "sent", path: v.sent},
		{name: "PIN", path: v.sentPIN},
		{name: "not sent", path: v.failed},
		{name: "unknown", path: v.unknown},
		{name: "shift", path: "/shift"},
		{name: "close", path: "/shift/close"},
	} {
		for _, size := range [][2]int64{{1280, 800}, {640, 400}, {390, 844}, {320, 640}} {
			b.look(size[0], size[1], "light")
			b.open(screen.path)
			b.until("the page", `document.querySelector("#tray-more, #tray .tray-item") && document.readyState === "complete" && !document.querySelector(".htmx-added, .htmx-settling")`)
			at := fmt.Sprintf("%s at %d×%d", screen.name, size[0], size[1])
			require.GreaterOrEqual(t, asks[int](b, `document.querySelectorAll("#tray .tray-item").length`), 3, at)
			require.True(t, asks[bool](b, trayAtTheEnd), "%s: the tray stands at the page's end and moves nothing", at)
			if hidden := asks[string](b, coveredFocus); hidden != "" {
				t.Errorf("%s: the focus: %s", at, hidden)
			}
			if hidden := asks[string](b, coveredButtons); hidden != "" {
				t.Errorf("%s: %s", at, hidden)
			}
		}
		b.look(640, 400, "light")
		b.open(screen.path)
		b.shot("seen-" + screen.name)
	}
}

// trayAtTheEnd says whether the tray comes after all else of the page and goes with it.
const trayAtTheEnd = `(() => {
	const tray = document.querySelector("#tray"), below = tray.getBoundingClientRect().top, own = [...tray.querySelectorAll("ul, li, a")];
	const goesAlong = [tray.parentElement, tray, ...own].every((el) => getComputedStyle(el).position === "static");
	return goesAlong && below >= document.querySelector("main").getBoundingClientRect().bottom - 1;
})()`

// seen names what of an element cannot be seen: nine points of it are asked for
// what lies on top there.
const seen = `const seen = (el) => {
	const box = el.getBoundingClientRect(), over = [];
	for (const x of [0.1, 0.5, 0.9]) for (const y of [0.15, 0.5, 0.85]) {
		const top = document.elementFromPoint(box.left + box.width * x, box.top + box.height * y);
		if (!top || !(el.contains(top) || top.contains(el))) over.push(top ? top.tagName + "." + (top.className.baseVal ?? top.className) : "outside");
	}
	return over.length ? 9 - over.length + " of 9 points of " + el.textContent.trim().slice(0, 30) + el.id + " under " + [...new Set(over)].join(", ") : "";
};`

const coveredFocus = `(() => { ` + seen + `
	const el = document.activeElement;
	return !el || el === document.body || el.tagName === "MAIN" ? "" : seen(el);
})()`

const coveredButtons = `(() => { ` + seen + `
	const all = [...document.querySelectorAll("main :is(form, .outcome-actions, .cards, .report-acts) :is(button, a, input:not([type=hidden])), #tray a")];
	const found = [];
	for (const el of all.filter((el) => el.checkVisibility() && !el.closest("[inert], [hidden], .visually-hidden") && el.getBoundingClientRect().width > 1)) {
		el.scrollIntoView({ block: "nearest", behavior: "instant" });
		const hidden = seen(el);
		if (hidden) found.push(hidden);
	}
	return found.slice(0, 5).join("; ");
})()`
