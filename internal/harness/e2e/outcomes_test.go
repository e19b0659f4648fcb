//go:build e2e

package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A provider that did not answer in time is asked about before its failure is
// believed: unknown at first, then not executed, without a key being pressed.
func TestUnknownAndThenNotExecuted(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	w.simulator.fault(t, map[string]any{"endpoint": "Provider"}, map[string]any{"kind": "error", "code": "TransientProviderError", "context": "ProviderTimedOut"}, 1)
	b.confirmPage(irish, topUp(t, w.simulator))
	b.enter()
	b.state("unknown", settles)
	require.True(t, strings.HasPrefix(b.verdict(), "We don't know yet if it went through. Do not sell it again."), b.verdict())
	require.False(t, b.has("button", "Cash given back"))
	b.state("failed", 2*time.Minute)
	require.True(t, strings.HasPrefix(b.verdict(), "Not sent. Nothing was charged."), b.verdict())
	require.Contains(t, b.verdict(), "Give back €")
	require.True(t, b.has("button", "Cash given back"))
	require.Zero(t, w.simulator.only(t).TimesExecuted)
}

// What is wrong between the shop and the service is no fault of the customer's
// number, and the words say whom to tell.
func TestTroubleOfTheShopsOwnAccountInPlainWords(t *testing.T) {
	t.Parallel()
	for code, words := range map[string]string{"InsufficientBalance": "Tell your manager.", "AuthenticationFailed": "Tell your manager."} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			w := newWorldOn(t)
			b := w.atCounter(t, w.serve(t).ready(t))
			w.simulator.fault(t, map[string]any{"endpoint": "SendTransfer"}, map[string]any{"kind": "error", "code": code}, 4)
			b.confirmPage(irish, topUp(t, w.simulator))
			b.enter()
			b.state("failed", aMinute)
			said := b.verdict()
			require.True(t, strings.HasPrefix(said, "Not sent. Nothing was charged."), said)
			require.Contains(t, said, "Give back €")
			require.Contains(t, said, "Code "+code)
			require.Contains(t, said, words)
			for _, entry := range w.simulator.ledger(t) {
				require.Zero(t, entry.TimesExecuted)
			}
		})
	}
}

// The till's printer is set to print by itself: one print, in a frame of its
// own, and a reload prints nothing.
func TestAReceiptPrintsByItselfOnce(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	p := w.serve(t).ready(t)
	papers := make(chan []byte, 4)
	bridge := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		answer.Header().Set("Access-Control-Allow-Origin", p.url)
		answer.Header().Set("Access-Control-Allow-Headers", "Content-Type")
		answer.Header().Set("Access-Control-Allow-Private-Network", "true")
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			papers <- body
		}
	}))
	defer bridge.Close()
	b := w.atCounter(t, p)
	manager := newPerson(t, p.url)
	manager.signIn("manager", w.password)
	form := manager.get("/till/printer")
	form.doc.Find(`input[name="auto"]`).SetAttr("checked", "checked")
	form.fill("bridge", bridge.URL+"/print").press("Save")

	b.confirmPage(irish, topUp(t, w.simulator))
	b.typed("50") // what the customer gives; the field takes it
	b.until("the change", `document.querySelector("[data-change]").textContent.includes("€")`)
	b.enter()
	b.state("complete", settles)
	select {
	case paper := <-papers:
		require.Contains(t, string(paper), w.simulator.only(t).TransferRefs[0])
		require.Contains(t, string(paper), "Change")
	case <-time.After(actWithin):
		t.Fatal("nothing was printed")
	}
	b.reload()
	b.state("complete", settles)
	require.False(t, asks[bool](b, `Boolean(document.querySelector("[data-auto-print]"))`))
	require.Empty(t, papers, "one print")
}

// After ten seconds the field wakes where it stood: the verdict does not move.
func TestTheVerdictStaysWhereItIsAfterTenSeconds(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	w.simulator.fault(t, map[string]any{"endpoint": "Provider"}, map[string]any{"kind": "delay", "for": "20s"}, 1)
	b.confirmPage(irish, topUp(t, w.simulator))
	b.enter()
	b.until("the page of the sale", `document.querySelector('[role="status"][data-state="sending"]')`)
	const top = `document.querySelector(".verdict").getBoundingClientRect().top + scrollY`
	before := asks[float64](b, top)
	b.untilWithin(aMinute, "the field", `document.activeElement.id === "number"`)
	require.InDelta(t, before, asks[float64](b, top), 0.5)
}

// Once the outcome is there, the page asks for it no more: each answer would take the focus from whoever reads on.
func TestAnOutcomeIsAskedForUntilItIsThere(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	w.simulator.fault(t, map[string]any{"endpoint": "Provider"}, map[string]any{"kind": "delay", "for": "3s"}, 1)
	b.confirmPage(irish, topUp(t, w.simulator))
	b.enter()
	b.state("sending", settles)
	b.state("complete", settles)
	b.eval(`window.asked = 0; document.addEventListener("htmx:sse:before:connection", () => window.asked++); window.endedAt = performance.now()`)
	b.until("some seconds", `performance.now() > window.endedAt + 3000`)
	require.Zero(t, asks[int](b, `window.asked`))
}
