//go:build e2e

package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAProductIsHiddenByPickingIt, by keys alone: what is typed finds it, an arrow picks
// it, and Enter in the field after it hides it.
func TestAProductIsHiddenByPickingIt(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := newBrowser(t, w.serve(t).ready(t).url)
	b.signIn("manager", w.password)
	b.open("/admin/counter")
	b.eval(`document.querySelector("#hide [name=find-sku]").focus()`)
	b.typed("ireland top-up")
	b.until("what is found", `document.querySelectorAll("#hide [name=sku]").length > 3`)
	require.Zero(t, asks[int](b, `document.querySelectorAll("#pin [name=sku]").length`), "in the other form nothing was looked for")
	check(b, "a product is picked")
	b.eval(`document.querySelectorAll("#hide [name=sku]")[1].click()`)
	name := asks[string](b, `document.querySelector("#hide .choice:has(:checked) bdi").textContent`)
	b.eval(`document.querySelector("#hide [name=find-sku]").focus()`)
	b.typed(" nowhere")
	b.until("that nothing else is found", `document.querySelector("#hide .matches").innerText.includes("Nothing matches")`)
	require.Equal(t, name, asks[string](b, `document.querySelector("#hide .choice:has(:checked) bdi").textContent`), "what was picked stays")
	b.eval(`document.querySelector("#hide [name=reason]").focus()`)
	b.typed("complaints")
	b.enter()
	b.until("that it is hidden", `document.querySelector("#hide tbody")?.innerText.includes("complaints")`)
	require.Contains(t, asks[string](b, `document.querySelector("#hide tbody").innerText`), name)
	require.NotContains(t, asks[string](b, `document.querySelector("#hide tbody").innerText`), "SKU")
}
