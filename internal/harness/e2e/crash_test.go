//go:build e2e

package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// recovers is how long a sale may stay unknown that the upstream has carried
// out: a process counts as gone after 10 s, and the first look-up comes 2 s
// after that.
const recovers = time.Minute

// crash is one kill of the till at a named place, in the middle of a sale.
type crash struct {
	w     *world
	first *web
	mark  string // the file that the place leaves when it kills
	after *person
}

// killAt sells to a till that kills itself at a place, and starts it again. It
// returns the confirm page that was sent, to be sent again.
func killAt(t *testing.T, w *world, place string) (crash, *view) {
	t.Helper()
	marks := t.TempDir()
	c := crash{w: w, mark: filepath.Join(marks, place)}
	c.first = w.serve(t, "AIRTILL_FAILPOINTS="+place, "AIRTILL_FAILPOINT_DIR="+marks).ready(t)
	cashier := w.cashier(t, c.first)
	confirm := cashier.toConfirm(irish)
	require.Positive(t, confirm.named(cashReceived).Length(), confirm.text())
	confirm.tryPress(cashReceived) // the answer may or may not come before the kill
	c.first.killed(t, startWithin)
	require.FileExists(t, c.mark, "the place was reached")

	second := w.serve(t)
	c.after = cashier.at(second.url)
	confirm.by = c.after
	return c, confirm
}

// tryPress presses a button, and does not mind if the till dies of it.
func (v *view) tryPress(name string) {
	v.by.t.Helper()
	button := v.named(name).First()
	form := button.Closest("form")
	request, err := http.NewRequest(http.MethodPost, v.by.base+form.AttrOr("action", ""), strings.NewReader(formValues(form, button).Encode()))
	require.NoError(v.by.t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Accept", "text/html")
	if response, err := v.by.client.Do(request); err == nil {
		_ = response.Body.Close()
	}
}

// sale is the page of the only sale there is.
func (p *person) sale() *view {
	p.t.Helper()
	list := p.get("/sales")
	link := list.doc.Find(`main a[href^="/sales/0"]`).First()
	require.Equal(p.t, 1, link.Length(), "no sale: %s", list.text())
	return p.get(link.AttrOr("href", ""))
}

// K5, after the bytes have left, and K6, after the reply has come: the transfer
// was carried out, and the till that starts again finds it in the list.
func TestKilledBetweenSendAndSettle(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"K5", "K6"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			eachWorld(t, func(t *testing.T, w *world) {
				c, confirm := killAt(t, w, place)
				sale := c.after.sale()
				require.Contains(t, []string{"sending", "unknown", "complete"}, sale.state())
				sale = sale.becomes("complete", recovers)
				require.Contains(t, sale.verdict(), sentText)
				require.Equal(t, sale.url.Path, confirm.press(cashReceived).url.Path, "the same form is the same sale")

				sold := w.simulator.only(t)
				require.Equal(t, 1, sold.TimesExecuted, "carried out once")
				require.Len(t, sold.RequestedAt, 1, "and sent once")
				c.rest(t)
			})
		})
	}
}

// rest stops the till and checks the books.
func (c crash) rest(t *testing.T) {
	t.Helper()
	for _, p := range c.w.served[1:] {
		p.stop(t)
	}
	c.w.verify(t)
}

// K4, after the permit and before the first byte: nobody can know from the
// outside, so it is unknown, never sent again, and decided by the absence rule
// later than a test waits (see the tests of sales).
func TestKilledBetweenPermitAndSend(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		c, confirm := killAt(t, w, "K4")
		sale := c.after.sale().becomes("unknown", recovers)
		require.Contains(t, sale.verdict(), "We don't know yet if it went through. Do not sell it again.")
		again := confirm.press(cashReceived)
		require.Equal(t, sale.url.Path, again.url.Path)
		require.Equal(t, "unknown", again.state())

		// Whoever tries to sell it anew is told so.
		anew := c.after.toConfirm(irish)
		if anew.named(cashReceived).Length() > 0 {
			anew = anew.press(cashReceived)
		}
		require.Contains(t, anew.text(), "is not finished")
		require.Empty(t, anew.state())

		// A look-up has been made by now or is made soon, and changes nothing.
		watchFor(t, 5*time.Second, func() { require.Empty(t, w.simulator.ledger(t), "never sent") })
		c.rest(t)
	})
}

// watchFor looks again and again for a while: what must not happen, does not.
func watchFor(t *testing.T, length time.Duration, look func()) {
	t.Helper()
	for end := time.Now().Add(length); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		look()
	}
}

// K2, after the sale is recorded and before anything else: the sale is there
// and is sent, whether or not the form comes again.
func TestKilledAfterRecording(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		c, confirm := killAt(t, w, "K2")
		outcome := confirm.press(cashReceived).becomes("complete", recovers)
		require.Equal(t, c.after.sale().url.Path, outcome.url.Path)
		require.Equal(t, 1, w.simulator.only(t).TimesExecuted)
		c.rest(t)
	})
}

// K1, before the sale commits: nothing was sold, and the form works as if
// nothing had been.
func TestKilledBeforeRecording(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		c, confirm := killAt(t, w, "K1")
		require.Contains(t, c.after.get("/sales").text(), "Nothing sold yet today.")
		confirm.press(cashReceived).becomes("complete", recovers)
		require.Equal(t, 1, w.simulator.only(t).TimesExecuted)
		c.rest(t)
	})
}

// K3, before the permit: sent by the next process within a minute. K7, after
// the outcome is written: nothing changes any more.
func TestKilledAroundTheSend(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"K3", "K7"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			eachWorld(t, func(t *testing.T, w *world) {
				c, confirm := killAt(t, w, place)
				c.after.sale().becomes("complete", recovers)
				confirm.press(cashReceived).becomes("complete", settles)
				sold := w.simulator.only(t)
				require.Equal(t, 1, sold.TimesExecuted)
				require.Len(t, sold.RequestedAt, 1)
				c.rest(t)
			})
		})
	}
}

// The PIN of a voucher that was bought while the till died is not lost.
func TestPINSurvivesAKill(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		marks := t.TempDir()
		first := w.serve(t, "AIRTILL_FAILPOINTS=K5", "AIRTILL_FAILPOINT_DIR="+marks).ready(t)
		cashier := w.cashier(t, first)
		pin := pinProduct(t, w.simulator)
		cashier.get("/counter?number=" + irish + "&provider=" + pin.ProviderCode + "&sku=" + pin.SkuCode).tryPress(cashReceived)
		first.killed(t, startWithin)
		_, err := os.Stat(filepath.Join(marks, "K5"))
		require.NoError(t, err)

		sale := cashier.at(w.serve(t).url).sale().becomes("complete", recovers)
		require.Regexp(t, `^\d{4}( \d{1,4})+$`, squeeze(sale.press("Show the PIN").doc.Find(".pin-value").Text()))
		require.Equal(t, 1, w.simulator.only(t).TimesExecuted)
	})
}

// Every fault of the wire between the send and its answer ends in the truth.
func TestWhateverTheAnswerItIsCarriedOutOnce(t *testing.T) {
	t.Parallel()
	for name, action := range map[string]map[string]any{
		"dropped":    {"kind": "drop", "when": "after"},
		"reset":      {"kind": "reset", "when": "after"},
		"cut":        {"kind": "cut", "bytes": 40},
		"HTML":       {"kind": "html", "when": "after", "status": 502},
		"another's":  {"kind": "wrong_record"},
		"50 MB":      {"kind": "big_body"},
		"late":       {"kind": "delay", "when": "after", "for": "3s"},
		"never made": {"kind": "drop", "when": "before"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorldOn(t)
			p := w.serve(t).ready(t)
			cashier := w.cashier(t, p)
			w.simulator.fault(t, map[string]any{"endpoint": "SendTransfer"}, action, 1)
			outcome := cashier.toConfirm(irish).press(cashReceived)
			if name == "never made" {
				outcome = outcome.becomes("unknown", settles)
				watchFor(t, 5*time.Second, func() {
					require.Equal(t, "unknown", cashier.get(outcome.url.Path).state(), "absence is weak")
				})
			} else {
				outcome.becomes("complete", recovers)
				require.Equal(t, 1, w.simulator.only(t).TimesExecuted)
			}
			require.Equal(t, 1, w.simulator.fired(t), "the fault was there")
			for _, e := range w.simulator.ledger(t) {
				require.LessOrEqual(t, len(e.RequestedAt), 1, "sent once")
			}
		})
	}
}
