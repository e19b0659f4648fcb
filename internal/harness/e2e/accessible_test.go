//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// Every page is held to rules of axe-core, in light and in the dark, where nothing but colours differs. From right to left
// they do not: their contrast, which takes most of the time, is not computed again.
const wcag = `runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]`

var (
	rules    = map[string]string{"light": wcag, "dark": `runOnly: {type: "rule", values: ["color-contrast", "link-in-text-block"]}`}
	mirrored = map[string]string{"light": wcag + `, rules: {"color-contrast": {enabled: false}}`}
)

// finding is what axe-core has against a page.
type finding struct {
	ID    string
	Help  string
	Nodes []string
}

// TestEveryPage opens every page in every state, as each who may see it, from
// left to right and from right to left, on a desk and on a telephone:
//   - axe-core finds nothing, light or dark;
//   - at 320 pixels, and at twice the size of text, nothing has to be scrolled
//     sideways and no button is cut off;
//   - nothing moves while it loads;
//   - the first load and every page after it are light, and each role's first page waits
//     for one stylesheet and one script before it is painted.
func TestEveryPage(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	run := w.syncRun(t)
	p := w.serve(t).ready(t)
	cashier := w.atCounter(t, p)
	v := prepareViews(t, w, cashier)
	v.run = run
	for role, views := range map[string][]screen{
		"nobody": v.publicViews(), "cashier": v.atCounterViews(), "manager": v.managerViews(), "admin": v.adminViews(),
	} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			b := cashier // another browser would have to take over her till
			if role == "cashier" {
				b.t = t
			} else {
				b = newBrowser(t, p.url)
			}
			if role == "manager" || role == "admin" {
				b.signIn(role, w.password)
			}
			b.paintsAtOnce(views[0])
			var load loads
			for _, pass := range passes() {
				b.open(views[0].path)
				b.speak(pass.language)
				if load.first == 0 {
					b.forget()
				}
				b.walk(views, pass.width, func(v screen) {
					load.weigh(b, v)
					b.still(v, pass.width)
					b.accessible(v.name, pass.language)
					b.fits(v.name, pass.language)
					if v.whole {
						b.seenWhole(v.name, pass.language)
					}
				})
			}
			t.Logf("heaviest first load %.1f KB, page after it %.1f KB", load.first/1000, load.later/1000)
		})
	}
}

// pass is a language in which every page is walked, and how wide its window is while the page is made.
type pass struct {
	language string
	width    int64
}

// passes are from left to right and from right to left; LANGUAGES=es,fr,pt names others, which nothing that differs in
// kind is left to find in.
func passes() (all []pass) {
	named := os.Getenv("LANGUAGES")
	if named == "" {
		return []pass{{"en", 1280}, {"ar", 390}}
	}
	for language := range strings.SplitSeq(named, ",") {
		all = append(all, pass{language, 1280})
	}
	return all
}

// TestStatesReachedByDoing holds what no address leads to to the same.
func TestStatesReachedByDoing(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	w.hire(t, "second", "cashier")
	p := w.serve(t, "PRACTICE=true").ready(t)
	b := w.atCounter(t, p)
	check := func(b *browser, name string) {
		b.accessible(name, "en")
		b.fits(name, "en")
		b.look(1280, 800, "light")
	}

	b.changedPrice(topUp(t, w.simulator))
	check(b, "a changed price")
	bill := billProduct(t, w.simulator)
	b.billsOf("12345678901234567890"[:len(bill.UatNumber)], bill)
	check(b, "the bills")
	b.open("/counter")
	b.eval(`document.querySelector("form[action='/practice'] button").click()`)
	b.until("practice", `document.querySelector(".banner.tone-practice")`)
	check(b, "practice")
	b.eval(`document.querySelector("form[action='/practice'] button").click()`)
	b.until("the end of practice", `!document.querySelector(".banner.tone-practice") && document.readyState === "complete"`)

	second := newBrowser(t, p.url)
	second.signIn("second", w.password)
	second.until("the question whose till it is", `location.pathname === "/till"`)
	check(second, "a till in use")

	b.open("/shift/close")
	b.eval(`document.querySelector("[name=loose]").value = "100"`)
	b.press(closesShift)
	b.until("the report", `document.querySelector("h1")?.innerText.includes("Z report")`)
	check(b, "a closed shift")
}

// axe is the script of axe-core.
var axe = sync.OnceValues(func() ([]byte, error) {
	return os.ReadFile(filepath.Join("testdata", "axe", "axe.min.js"))
})

// accessible holds the page to axe-core, light and dark; on the way from one to the other nothing moves for
// people who ask for less motion, as every look here does.
func (b *browser) accessible(name, language string) {
	b.t.Helper()
	script, err := axe()
	require.NoError(b.t, err)
	b.eval(string(script))
	b.eval(`window.moves = 0, document.addEventListener("transitionrun", () => window.moves++)`)
	held := rules
	if language == "ar" {
		held = mirrored
	}
	for _, scheme := range []string{"light", "dark"} {
		b.look(1280, 1600, scheme) // tall: what lies under the tray at the foot of the window is not covered, but a scroll away
		if held[scheme] == "" {
			continue
		}
		for _, f := range b.findings(b.t, held[scheme]) {
			b.t.Errorf("%s, %s, %s: %s: %s\n  %s", name, language, scheme, f.ID, f.Help, strings.Join(f.Nodes, "\n  "))
		}
	}
	require.Zero(b.t, asks[int](b, `window.moves`), "%s: how many things moved on the way from light to dark", name)
}

func (b *browser) findings(t testing.TB, rules string) []finding {
	t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, actWithin)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](fmt.Sprintf(`axe.run(document, {%s, resultTypes: ["violations"], selectors: false}).then((result) =>
		JSON.stringify(result.violations.map((v) => ({ID: v.id, Help: v.help, Nodes: v.nodes.map((n) => n.html.slice(0, 200) + " " + n.failureSummary)}))))`, rules),
		chromedp.EvalAwaitPromise))
	require.NoError(t, err)
	var found []finding
	require.NoError(t, json.Unmarshal([]byte(text), &found))
	return found
}

// fits looks for what sticks out sideways or is cut off, on every width and with large text.
func (b *browser) fits(name, language string) {
	b.t.Helper()
	for _, size := range []struct {
		width, percent int64
	}{{320, 100}, {390, 100}, {1024, 100}, {1280, 100}, {1280, 200}} {
		b.look(size.width, 800, "light")
		b.textSize(size.percent)
		wide := asks[string](b, tooWide+` || `+tooNarrow)
		if wide == "" && size.width >= 1024 && size.percent == 100 {
			wide = asks[string](b, cutHints)
		}
		if wide != "" {
			b.t.Errorf("%s, %s, %d px, text %d %%: %s", name, language, size.width, size.percent, wide)
			b.shot(fmt.Sprintf("wide-%s-%s-%d-%d", strings.ReplaceAll(name, " ", "-"), language, size.width, size.percent))
		}
	}
	b.textSize(100)
}

// seenWhole looks for tables that have to be scrolled sideways.
func (b *browser) seenWhole(name, language string) {
	b.t.Helper()
	for _, width := range []int64{390, 1024, 1280} {
		b.look(width, 800, "light")
		if wide := asks[int](b, `Math.max(0, ...[...document.querySelectorAll(".scroller")].map((el) => el.scrollWidth - el.clientWidth))`); wide > 0 {
			b.t.Errorf("%s, %s, %d px: a table is %d px too wide", name, language, width, wide)
		}
	}
}

// textSize sets the size of text as a person does in their browser's settings.
func (b *browser) textSize(percent int64) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, actWithin)
	defer cancel()
	_, err := chromedp.Run(ctx, func(ctx context.Context, t *chromedp.Target) (cdp.Empty, error) {
		return cdp.Call(ctx, t, page.SetFontSizes, page.SetFontSizesParams{FontSizes: &page.FontSizes{Standard: 16 * percent / 100}})
	})
	require.NoError(b.t, err)
	b.until("the new size of text", fmt.Sprintf(`getComputedStyle(document.documentElement).fontSize === "%dpx"`, 16*percent/100))
}

// tooWide names what sticks out of the window, "" if nothing does.
const tooWide = `(() => {
	const root = document.scrollingElement;
	if (root.scrollWidth <= innerWidth + 1) return "";
	const out = [...document.querySelectorAll("body *")].filter((el) => {
		const box = el.getBoundingClientRect();
		return box.width > 0 && (box.right > innerWidth + 1 || box.left < -1) && el.checkVisibility() && !el.closest("header"); // it is as wide as the page
	});
	return "the page is " + root.scrollWidth + " wide: " + out.slice(0, 6).map((el) => el.tagName + "." + (el.className.baseVal ?? el.className) + " " + el.textContent.trim().slice(0, 40)).join(", ");
})()`

// tooNarrow names the texts of a page that are wider than the box they stand in, so that they are cut off or lie over
// what is beside them; "" if there are none. What is pushed aside by a finger may be, and so may the days below a
// picture, in boxes without a width, and the choices made so far, which the page repeats.
const tooNarrow = `(() => {
	const styles = new Map(), style = (el) => styles.get(el) ?? styles.set(el, getComputedStyle(el)).get(el);
	const range = document.createRange(), out = [];
	for (const root of document.querySelectorAll("main, #tray")) {
		const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
		while (texts.nextNode()) {
			const text = texts.currentNode, within = text.parentElement;
			if (!text.data.trim() || !within.checkVisibility() || within.closest("option, svg, .visually-hidden, .labels, .ticks, .step-value")) continue;
			range.selectNodeContents(text);
			for (const line of range.getClientRects()) {
				for (let el = within; line.width > 1 && el !== root; el = el.parentElement) {
					const {display, overflowX, clipPath} = style(el), box = el.getBoundingClientRect();
					if (overflowX === "auto" || overflowX === "scroll" || clipPath !== "none") break;
					if (display !== "inline" && display !== "contents" && (line.left < box.left - 2 || line.right > box.right + 2)) {
						out.push(text.data.trim().slice(0, 40) + " in " + el.tagName + "." + el.className);
						break;
					}
				}
			}
		}
	}
	return out.length ? "cut off: " + [...new Set(out)].slice(0, 6).join(", ") : "";
})()`

// cutHints names the hints in empty fields that are longer than their field, "" if there are none: what is to be typed there
// cannot be read. On a phone, or with large text, the field's name tells.
const cutHints = `(() => {
	const pen = document.createElement("canvas").getContext("2d");
	return [...document.querySelectorAll("input[placeholder]")].filter((el) => {
		const {fontWeight, fontSize, fontFamily, paddingLeft, paddingRight} = getComputedStyle(el);
		pen.font = fontWeight + " " + fontSize + " " + fontFamily;
		return el.checkVisibility() && pen.measureText(el.placeholder).width > el.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
	}).map((el) => "the hint is cut off: " + el.placeholder).join(", ");
})()`

// still looks for what has moved since the page began to load: the sum of all
// layout shifts is as good as zero.
func (b *browser) still(v screen, width int64) {
	b.t.Helper()
	if moved := asks[string](b, shifted); moved != "" {
		b.t.Errorf("%s at %d px: %s", v.name, width, moved)
	}
}

// shifted names what moved, "" if the sum of it is below a hundredth: a good
// page by Google's measure has less than a tenth.
const shifted = `(() => {
	let sum = 0, moved = [];
	const watch = new PerformanceObserver(() => {});
	watch.observe({type: "layout-shift", buffered: true});
	for (const entry of watch.takeRecords()) {
		if (entry.hadRecentInput) continue;
		sum += entry.value;
		for (const {node, previousRect: from, currentRect: to} of entry.sources) {
			moved.push((node?.className || node?.nodeName) + " from " + [from.x, from.y, from.width, from.height] + " to " + [to.x, to.y, to.width, to.height]);
		}
	}
	return sum < 0.01 ? "" : sum.toFixed(3) + ": " + moved.join("; ");
})()`

const (
	firstLoad = 100_000 // bytes over the wire, compressed
	laterPage = 20_000
)

// loads is what a browser had to load, in bytes: at first, and at most after it.
type loads struct {
	first, later float64
}

// weigh takes down what the page took over the wire.
func (l *loads) weigh(b *browser, v screen) {
	b.t.Helper()
	bytes, flags := b.transferred()
	// A flag is loaded once, with the first page that shows it: which one that is, and
	// whether it is Mexico's with its eagle, depends on what was sold since midnight.
	require.Less(b.t, bytes+flags, float64(firstLoad), v.name)
	if l.first == 0 {
		l.first = bytes
		return
	}
	l.later = max(l.later, bytes)
	require.Less(b.t, bytes, float64(laterPage), v.name)
}

// transferred is what the page took over the wire, in bytes, flags apart.
func (b *browser) transferred() (page, flags float64) {
	b.t.Helper()
	sum := func(which string) float64 {
		return asks[float64](b, `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
			.filter((entry) => `+which+`entry.name.includes("/flags/")).reduce((sum, entry) => sum + entry.transferSize, 0)`)
	}
	return sum("!"), sum("")
}

// forget empties the browser's cache, and leaves out the worker, which would
// answer from its own.
func (b *browser) forget() {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, actWithin)
	defer cancel()
	_, err := chromedp.Run(ctx, func(ctx context.Context, t *chromedp.Target) (cdp.Empty, error) {
		if _, err := cdp.Call(ctx, t, network.SetBypassServiceWorker, network.SetBypassServiceWorkerParams{Bypass: true}); err != nil {
			return cdp.Empty{}, err
		}
		return cdp.Call(ctx, t, network.ClearBrowserCache, cdp.Empty{})
	})
	require.NoError(b.t, err)
}

// TestFocusIsSeenAndTheOutcomeIsAnnounced: through a sale by keys alone one sees
// where one is, also with the colours of a high-contrast theme, and the outcome
// arrives in a region that is read out.
func TestFocusIsSeenAndTheOutcomeIsAnnounced(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	for _, colours := range []string{"none", "active"} {
		b.forcedColours(colours)
		b.open("/counter")
		b.focused("Account number")
		b.seesFocus("the number")
		b.lookUp(irish)
		b.until("a product", fixedKey)
		b.until("the focus on the heading", `document.activeElement?.matches("[data-focus]")`)
		b.typed(kb.Tab)
		b.seesFocus("the products")
		b.typed(asks[string](b, fixedKey))
		b.until("the confirmation", `document.querySelector(".confirm") && document.activeElement?.checkVisibility()`)
		b.seesFocus("the confirmation")
		if colours == "none" {
			b.enter()
		} else {
			b.eval(`window.asked = performance.now()`)
			b.until("the question to be read", `performance.now() > window.asked + 300`) // it may have that product's key
			b.typed("2")                                                                 // the same once more
		}
		b.state("complete", settles)
		b.seesFocus("the outcome")
		require.True(t, strings.HasPrefix(b.verdict(), sentText))
		require.True(t, asks[bool](b, `document.querySelector('[role="status"]').matches("[data-state=complete]")`))
	}
}

// seesFocus waits until what has the focus is marked by a line around it.
func (b *browser) seesFocus(where string) {
	b.t.Helper()
	b.until("the focus on "+where+" to be seen", `(() => {
		const el = document.activeElement;
		if (!el || el === document.body) return false;
		const style = getComputedStyle(el);
		return (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2) || style.boxShadow !== "none";
	})()`)
}

func (b *browser) forcedColours(value string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, actWithin)
	defer cancel()
	_, err := chromedp.Run(ctx, func(ctx context.Context, t *chromedp.Target) (cdp.Empty, error) {
		return cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "forced-colors", Value: value}},
		})
	})
	require.NoError(b.t, err)
}
