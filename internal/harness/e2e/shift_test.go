//go:build e2e

package e2e

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// closesShift is the button that ends a count.
const closesShift = "Close the shift"

// K14, when everything of a close is written and nothing committed: the shift is
// open as before, and the same form closes it, once.
func TestKilledInAShiftClose(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		marks := t.TempDir()
		first := w.serve(t, "AIRTILL_FAILPOINTS=K14", "AIRTILL_FAILPOINT_DIR="+marks).ready(t)
		cashier := w.cashier(t, first)
		cashier.toConfirm(irish).press(cashReceived).becomes("complete", settles)
		again := cashier.get("/shift/close").fill("loose", "100").press(closesShift)
		require.Contains(t, again.text(), "Count again", "the price of the sale is missing")
		again.fill("loose", "101").tryPress(closesShift)
		first.killed(t, startWithin)
		require.FileExists(t, filepath.Join(marks, "K14"), "the place was reached")

		second := w.serve(t)
		again.by = cashier.at(second.url)
		require.Contains(t, again.by.get("/shift").text(), "Open since", "nothing was closed")
		report := again.press(closesShift)
		require.Contains(t, report.text(), "Z report 1")
		require.Contains(t, report.text(), "Times counted2", "the count that was cut off left nothing")
		require.Equal(t, report.url.Path, again.press(closesShift).url.Path, "the same form is the same close")
		second.stop(t)
		w.verify(t)
	})
}

// A till that is closed on another device stops in the browser without a key
// being pressed.
func TestATillClosedElsewhereFreezesLive(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	p := w.serve(t).ready(t)
	b := w.atCounter(t, p)
	require.False(t, asks[bool](b, `document.querySelector("#frozen").checkVisibility()`))
	report := w.cashier(t, p).get("/shift/close").fill("loose", "100").press(closesShift)
	require.Contains(t, report.text(), "Z report 1")
	b.expect("status of 409")
	b.until("the notice", `document.querySelector("#frozen").checkVisibility()`)
	b.shot("frozen-notice")
	b.typed(irish)
	b.enter()
	b.until("the page that says what to do", `document.querySelector("h1")?.innerText === "This till has stopped"`)
	b.press("Work at this till")
	b.focused("Cash in the drawer")
}
