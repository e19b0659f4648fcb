//go:build e2e

package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSaleWithoutScript(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		p := w.serve(t).ready(t)
		cashier := w.cashier(t, p)
		confirm := cashier.toConfirm(irish)
		require.Positive(t, confirm.named(cashReceived).Length(), confirm.text())
		outcome := confirm.press(cashReceived)
		require.Regexp(t, `^/sales/[0-9A-Z]{26}$`, outcome.url.Path, "POST /sales leads to the sale")
		outcome = outcome.becomes("complete", settles)
		require.Contains(t, outcome.verdict(), sentText)

		receipt := cashier.get(outcome.url.Path + "/receipt")
		require.Contains(t, squeeze(receipt.doc.Text()), w.simulator.only(t).TransferRefs[0])
		list := cashier.get("/sales")
		require.Positive(t, list.doc.Find(`a[href="`+outcome.url.Path+`"]`).Length(), list.text())

		again := confirm.press(cashReceived)
		require.Equal(t, outcome.url.Path, again.url.Path, "the same form is the same sale")
		require.Equal(t, 1, w.simulator.only(t).TimesExecuted)

		require.Equal(t, http.StatusOK, cashier.get("/shift").status)
		cashier.get("/sales").press("Sign out")
		require.Equal(t, "/login", cashier.get(outcome.url.Path).url.Path, "signed out")
	})
}

func TestSecondIdenticalSaleIsAskedAbout(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		cashier := w.cashier(t, w.serve(t).ready(t))
		cashier.toConfirm(irish).press(cashReceived).becomes("complete", settles)

		second := cashier.toConfirm(irish)
		if second.doc.Find(`[data-key="2"]`).Length() == 0 {
			second = second.press(cashReceived)
		}
		require.Empty(t, second.state(), "confirming as ever must not send another")
		require.Contains(t, second.text(), "to this number was sent at")
		second.key("2").becomes("complete", settles)
		entries := w.simulator.ledger(t)
		require.Len(t, entries, 2)
		for _, e := range entries {
			require.Equal(t, 1, e.TimesExecuted)
		}
	})
}

// What cannot be a number is explained on the same form, with what was typed.
func TestBadNumbersStayOnTheForm(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	cashier := w.cashier(t, w.serve(t).ready(t))
	for _, typed := range []string{"", "12", "1234567890123456789012345", "hello", "☎️☎️☎️", "'; DROP TABLE sales; --", "<script>alert(1)</script>", "\u202e123"} {
		v := cashier.get("/counter").fill("number", typed).press("Look up")
		field := v.doc.Find(`input#number`)
		require.Equal(t, 1, field.Length(), "%q: %s", typed, v.text())
		if typed == "" {
			continue
		}
		require.Equal(t, http.StatusUnprocessableEntity, v.status, typed)
		require.Equal(t, typed, field.AttrOr("value", ""), "what was typed is kept")
		require.NotEmpty(t, squeeze(v.doc.Find("#number-problem").Text()), typed)
	}
	require.Empty(t, w.simulator.ledger(t))
}

// The upstream is away when the till starts: it starts, says so, and sells
// nothing; when the upstream is back, it sells.
func TestUpstreamDownAtTheStart(t *testing.T) {
	t.Parallel()
	for _, dialect := range dialects() {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			address := freeAddress(t)
			w := unstockedWorld(t, dialect, &simulator{url: "http://" + address})
			p := w.serve(t)
			p.answers(t, p.url+"/readyz", http.StatusServiceUnavailable, startWithin)
			someone := newPerson(t, p.url)
			v := someone.signIn("cashier", w.password)
			if v.named("Open shift").Length() > 0 {
				v = v.fill("float", "0").press("Open shift")
			}
			require.Contains(t, v.text(), "Nothing to sell yet")
			require.Zero(t, v.doc.Find("#number").Length())

			w.simulator = startSimulatorAt(t, address, "--data", ":memory:")
			p.ready(t)
			someone.toConfirm(irish).press(cashReceived).becomes("complete", settles)
			require.Equal(t, 1, w.simulator.only(t).TimesExecuted)
		})
	}
}
