//go:build e2e

package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheAnswerOfAnotherScreenReachesTheCashier, without a key, whatever it is.
func TestTheAnswerOfAnotherScreenReachesTheCashier(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	p := w.serve(t).ready(t)
	b := w.atCounter(t, p)
	manager := newBrowser(t, p.url)
	manager.signIn("manager", w.password)
	offer := topUp(t, w.simulator)
	w.simulator.fault(t, map[string]any{"endpoint": "SendTransfer"}, map[string]any{"kind": "drop", "when": "before"}, 1)
	b.confirmPage(irish, offer)
	b.enter()
	b.state("unknown", settles)
	b.expect("status of 409") // the same once more is stopped
	ask := func(answer string) {
		b.open(prepared{}.offer(irish, offer))
		b.press("Ask on a manager's screen")
		b.until("the question", `document.querySelector("#approve")?.innerText.includes("Asked.")`)
		manager.open("/approvals")
		manager.press(answer)
		manager.until("it is decided", `document.querySelector(".approvals .empty")`)
	}
	ask("Do not allow")
	b.until("the refusal", `document.querySelector("#approve")?.innerText.includes("Not allowed")`)
	ask("Allow")
	b.until("the leave, with the focus on going on", `document.activeElement?.closest("#approve") && document.querySelector("#approve").innerText.includes("Allowed.")`)
	b.shot("allowed")
	b.enter()
	b.state("complete", settles)
	require.Equal(t, 1, w.simulator.only(t).TimesExecuted)
}
