//go:build e2e

package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/web/locale"
)

// TestSendIsInSightOnATelephone: nobody scrolls to send. The places at the bottom
// do not cover the button, nor the button the sum.
func TestSendIsInSightOnATelephone(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	b.look(390, 740, "light")
	b.confirmPage("0871234568", topUp(t, w.simulator))
	require.True(t, asks[bool](b, `(() => {
		const total = document.querySelector(".bill .total dd"), t = total.getBoundingClientRect();
		return total.contains(document.elementFromPoint(t.right - 8, t.top + 2)) && total.contains(document.elementFromPoint(t.right - 8, t.bottom - 2));
	})()`), "what to take stays in sight, too")
	require.True(t, asks[bool](b, `(() => {
		const send = document.querySelector(".confirm .button.primary"), r = send.getBoundingClientRect();
		return scrollY === 0 && send.contains(document.elementFromPoint(r.x + r.width / 2, r.bottom - 4)) && send.contains(document.elementFromPoint(r.x + r.width / 2, r.top + 4));
	})()`))
}

// TestTabsAreOneRowOnATelephone: from either side, the page one is on is in sight,
// also after another was chosen, and the page itself does not move sideways.
func TestTabsAreOneRowOnATelephone(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := newBrowser(t, w.serve(t).ready(t).url)
	b.signIn("admin", w.password)
	b.look(390, 844, "light")
	const settled = `(() => {
		return document.documentElement.scrollWidth <= innerWidth && [...document.querySelectorAll(".tabs")].every((row) => {
			const r = row.getBoundingClientRect(), a = (row.querySelector("[aria-current]") ?? row).getBoundingClientRect();
			return r.height < 70 && a.left >= 0 && a.right <= innerWidth;
		});
	})()`
	for _, language := range []string{"en", "ar"} {
		b.speak(language)
		for _, path := range []string{"/admin/people", "/admin/webhooks", "/admin/audit", "/admin/prices", "/reports/limits"} {
			b.open(path)
			b.until("the row of "+path+" in "+language, settled)
		}
		b.open("/admin/people")
		b.eval(`[...document.querySelectorAll(".tabs li:last-child a")][0].click()`)
		b.until("the last group", `location.pathname === "/admin/upstream" && `+settled)
		b.eval(`[...document.querySelectorAll(".tabs li:last-child a")][1].click()`)
		b.until("the last page of it", `location.pathname === "/admin/health" && `+settled)
	}
}

// TestTheNavigationFoldsAndIsNeverCut: at each width and in each language every place
// stands whole in the bar or under "More", with sales waiting beside it.
func TestTheNavigationFoldsAndIsNeverCut(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	p := w.serve(t).ready(t)
	b := w.atCounter(t, p)
	w.simulator.fault(t, map[string]any{"endpoint": "SendTransfer"}, map[string]any{"kind": "drop", "when": "before"}, 1)
	b.confirmPage("0871234568", topUp(t, w.simulator))
	b.enter()
	b.untilWithin(settles, "the sale that waits", `document.querySelector("#waiting")`)
	manager := newBrowser(t, p.url)
	manager.signIn("manager", w.password)
	for _, who := range []*browser{b, manager} {
		for _, language := range locale.Languages() {
			who.speak(language.Tag)
			for width := int64(320); width <= 1520; width += 48 {
				who.look(width, 800, "light")
				require.Empty(t, asks[string](who, placesCut), "%s at %d, %s", language.Tag, width, asks[string](who, "location.pathname"))
				require.LessOrEqual(t, asks[int64](who, barWidth), width, "the bar in %s, %s", language.Tag, asks[string](who, "location.pathname"))
			}
		}
	}
	manager.speak("en")
	for _, width := range []int64{1280, 848, 390} {
		manager.look(width, 800, "light")
		manager.shot(fmt.Sprintf("today-open-%d", width))
	}
	manager.press("More")
	manager.eval(`document.querySelector("#more a[href='/reconcile']").click()`)
	manager.until("the place from More", `location.pathname === "/reconcile"`)
}

// barWidth is how wide the bar at the top is with an alert beside the sales that wait.
const barWidth = `(() => {
	const waits = document.querySelector("#waiting"), alert = document.createElement("button");
	alert.className = "pill tone-wait";
	alert.innerHTML = waits.querySelector("svg").outerHTML + "9";
	if (!document.querySelector("[popovertarget=alerts]")) waits.before(alert);
	const width = document.scrollingElement.scrollWidth;
	alert.remove();
	return width;
})()`

// placesCut names the places of the navigation that are not whole, or not to be had.
const placesCut = `(() => {
	const nav = document.querySelector("nav.places"), box = nav.getBoundingClientRect(), cut = [];
	const shown = (el) => getComputedStyle(el).display !== "none";
	const bar = [...nav.querySelectorAll(":scope > ul:not(.menu) > li")], more = nav.querySelector(".more");
	for (const li of bar.filter(shown)) {
		const el = li.firstElementChild, r = el.getBoundingClientRect();
		if (r.left < box.left - 1 || r.right > box.right + 1 || el.scrollWidth > el.clientWidth + 1) cut.push(el.innerText.trim());
	}
	const folded = [...nav.querySelectorAll(".menu > li")];
	bar.filter((li) => li !== more).forEach((li, i) => {
		if (shown(li) === shown(folded[i]) || !shown(li) && !shown(more)) cut.push("nowhere or twice: " + li.textContent.trim());
	});
	if (document.documentElement.scrollWidth > innerWidth) {
		const wide = [...document.querySelectorAll("body *")].filter((el) => el.getBoundingClientRect().right > innerWidth + 1);
		cut.push("wider than the screen: " + wide.slice(0, 5).map((el) => el.tagName + "." + (el.className.baseVal ?? el.className)).join(" "));
	}
	return cut.join(", ");
})()`
