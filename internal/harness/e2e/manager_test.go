//go:build e2e

package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"airtill/internal/store"
)

// TestAReportOnPaper: what is printed is the report alone, and whole on an upright A4 page.
func TestAReportOnPaper(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	command(t, w.env, "", "web", "seed", "--sales", "400", "--days", "20", "--shops", "2")
	run := w.syncRun(t)
	b := newBrowser(t, w.serve(t).ready(t).url)
	b.signIn("admin", w.password)
	b.open(run)
	b.seenWhole("a sync run", "en")
	for _, path := range []string{"/reports/sales", "/reports/margin", "/reports/failures", "/reports/hours"} {
		b.open(path + "?from=" + time.Now().AddDate(0, 0, -15).Format(time.DateOnly) + "&to=" + time.Now().Format(time.DateOnly) + "&compare=before")
		require.Positive(t, asks[int](b, printedControls+".length"), "on the screen there are some")
		b.onPaper(718) // the width of A4 less Chromium's margins
		require.Empty(t, asks[string](b, printedControls+`.map((el) => el.outerHTML.slice(0, 120)).join("\n")`), "%s: nothing to press", path)
		require.Positive(t, asks[int](b, `[...document.querySelectorAll(".figures-table tbody tr")].filter((el) => el.checkVisibility()).length`), "%s: its table", path)
		require.Positive(t, asks[float64](b, `document.querySelector(".picture")?.getBoundingClientRect().height ?? 0`), "%s: its picture", path)
		require.Empty(t, asks[string](b, cutOff), "%s is cut off", path)
		if path == "/reports/hours" {
			b.heatOnPaper()
		}
		b.look(1280, 800, "light")
	}
	b.fileUnderWay(w)
}

// fileUnderWay asks for a file while one is being written, and sees how far that is.
func (b *browser) fileUnderWay(w *world) {
	b.t.Helper()
	db, err := store.Open(b.t.Context(), w.databaseURL())
	require.NoError(b.t, err)
	b.t.Cleanup(func() { require.NoError(b.t, db.Close()) })
	require.NoError(b.t, db.Tx(b.t.Context(), func(tx *store.Tx) error {
		return tx.Exec(`INSERT INTO running_work (id, kind, detail, asked_by, done, total, started_at, seen_at)
			SELECT 'a', 'export', 'sales.csv, Admin', id, 50, 200, ?, ? FROM users WHERE username = 'admin'`, time.Now().UTC(), time.Now().UTC()).Error
	}))
	b.eval(`document.querySelectorAll(".files a").forEach((el) => el.addEventListener("click", (event) => event.preventDefault()))`)
	require.False(b.t, asks[bool](b, `!!document.querySelector(".files progress")`))
	b.eval(`document.querySelector(".files a").click()`)
	b.until("how far the file is", `document.querySelector(".files").innerText.includes("sales.csv: 50 of 200 (25.0%)")`)
	check(b, "a file under way")
	require.NoError(b.t, db.Tx(b.t.Context(), func(tx *store.Tx) error { return tx.Exec("DELETE FROM running_work").Error }))
	b.until("that it is written", `!document.querySelector(".files progress")`)
}

// heatOnPaper holds the map of the week to what a printer without colours, which leaves
// backgrounds out where it may, makes of it; also where a shop is open day and night.
func (b *browser) heatOnPaper() {
	b.t.Helper()
	type shade struct {
		Heat, Grey     int
		Contrast, Size float64
		Printed        string
	}
	shades := asks[[]shade](b, `(() => {
		const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
		const light = (colour) => {
			canvas.fillStyle = colour;
			canvas.fillRect(0, 0, 1, 1);
			const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
			return 0.2126 * r + 0.7152 * g + 0.0722 * b;
		};
		return [0, 1, 2, 3, 4, 5].map((heat) => {
			const cell = document.querySelector(".heat tbody td"), was = cell.className;
			cell.className = "heat-" + heat;
			const style = getComputedStyle(cell), [paper, ink] = [light(style.backgroundColor), light(style.color)];
			const shade = { Heat: heat, Grey: Math.round(1000 * paper), Contrast: (Math.max(paper, ink) + 0.05) / (Math.min(paper, ink) + 0.05), Size: parseFloat(style.fontSize), Printed: style.printColorAdjust };
			cell.className = was;
			return shade;
		});
	})()`)
	for i, s := range shades {
		require.Equal(b.t, "exact", s.Printed, "printers leave backgrounds out otherwise")
		require.GreaterOrEqual(b.t, s.Contrast, 4.5, "heat %d", s.Heat)
		require.GreaterOrEqual(b.t, s.Size, 9.0, "heat %d: pixels, of which an inch has 96", s.Heat)
		if i > 0 {
			require.Less(b.t, s.Grey, shades[i-1].Grey-30, "heat %d is darker than the one before", s.Heat)
		}
	}
	b.eval(`document.querySelectorAll(".heat tr").forEach((row) => {
		while (row.children.length < 25) row.append(row.lastElementChild.cloneNode(true));
		[...row.children].filter((cell) => cell.className).forEach((cell) => { cell.textContent = "1,204" });
	})`)
	require.Empty(b.t, asks[string](b, cutOff), "day and night")
}

// printedControls are what leads elsewhere or asks for something and is seen.
const printedControls = `[...document.querySelectorAll("nav, form, button, input, select, textarea, summary, .button")].filter((el) => el.checkVisibility() && el.getBoundingClientRect().width > 1)`

// cutOff names what of the tables and pictures lies beyond the paper, or beyond what
// shows a part of them on a screen.
const cutOff = `[...document.querySelectorAll(".scroller, .picture")].filter((el) => el.scrollWidth > el.clientWidth + 1 || el.getBoundingClientRect().right > innerWidth + 1)
	.map((el) => el.className + " " + el.scrollWidth + " in " + el.clientWidth).join(", ")`

// onPaper shows the page as it is printed on paper of a width in pixels.
func (b *browser) onPaper(width int64) {
	b.t.Helper()
	b.do("size", chromedp.EmulateViewport(width, 1040))
	ctx, cancel := context.WithTimeout(b.ctx, actWithin)
	defer cancel()
	_, err := chromedp.Run(ctx, func(ctx context.Context, t *chromedp.Target) (cdp.Empty, error) {
		return cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	})
	require.NoError(b.t, err)
	b.until("the paper", `matchMedia("print").matches`)
}

// TestTodayMovesByItself: a sale that waits appears to a manager who does nothing, and
// the page is not loaded anew.
func TestTodayMovesByItself(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	p := w.serve(t).ready(t)
	cashier := w.atCounter(t, p)
	manager := newBrowser(t, p.url)
	manager.signIn("manager", w.password)
	manager.open("/")
	manager.until("a day without a sale that waits", waitingFigure("0"))
	manager.eval(`window.stays = true`)
	w.simulator.fault(t, map[string]any{"endpoint": "SendTransfer"}, map[string]any{"kind": "drop", "when": "before"}, 1)
	cashier.open(prepared{}.offer("0871234569", topUp(t, w.simulator)))
	cashier.focused(cashReceived)
	cashier.enter()
	cashier.state("unknown", settles)
	manager.until("the sale that waits", waitingFigure("1"))
	require.True(t, asks[bool](manager, `window.stays === true`), "only the figures are new")
}

// TestASyncUnderWayIsSeenWhereItWasAskedFor, how far it has come, and that it has ended.
func TestASyncUnderWayIsSeenWhereItWasAskedFor(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	p := w.serve(t).ready(t)
	b := newBrowser(t, p.url)
	b.signIn("admin", w.password)
	b.open("/admin/catalogue")
	for endpoint, wait := range map[string]string{"GetCountries": "2s", "GetProviders": "15s"} {
		w.simulator.fault(t, map[string]any{"endpoint": endpoint}, map[string]any{"kind": "delay", "for": wait}, 1)
	}
	const underWay = `/Long work in progress[^]*of/.test(document.querySelector("#running")?.innerText)`
	b.press("Update now")
	b.until("the page is there again", `document.querySelector("[role=status]")?.innerText.trim() && document.readyState === "complete"`)
	b.eval(`window.stays = true`)
	b.until("the sync", underWay)
	b.until("its end", "!("+underWay+")")
	require.True(t, asks[bool](b, `window.stays === true`), "only that part is new")
}

// waitingFigure says whether Today tells that so many sales wait; of none it has no figure.
func waitingFigure(n string) string {
	return `(document.querySelector("#today .figure:has(a[href='/sales?state=waiting'])")?.innerText.match(/\d+/)?.[0] ?? "0") === "` + n + `"`
}

// TestWhatAReportIsNarrowedByIsSeenOnATelephone, and can be taken away there.
func TestWhatAReportIsNarrowedByIsSeenOnATelephone(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := newBrowser(t, w.serve(t).url)
	b.signIn("admin", w.password)
	b.look(390, 844, "light")
	b.open("/reports/sales?product=XX-9")
	require.Positive(t, asks[float64](b, `document.querySelector(".chips a").getBoundingClientRect().height`))
	b.eval(`document.querySelector(".chips a").click()`)
	b.until("all products", `!location.search.includes("XX-9") && !document.querySelector(".chips")`)
}
