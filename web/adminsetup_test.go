package web

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
)

// now is the step that stands out, and how many are open.
func (w *browser) stepNow() (name string, open int) {
	w.b.t.Helper()
	steps := w.get("/admin/setup").page(w.b.t).Find("ol.setup > li")
	require.Equal(w.b.t, 8, steps.Length())
	return steps.Filter(`[aria-current="step"]`).Find(".office-acts").Children().First().Text(), steps.Not(".done").Length()
}

// settle does what a button of a step does.
func (w *browser) settle(step, act string) answer {
	w.b.t.Helper()
	form := w.fill("/admin/setup", "/admin/setup", "", nil)
	return w.post("/admin/setup", url.Values{"csrf": form["csrf"], "step": {step}, "act": {act}})
}

func TestSetupLeadsFromStepToStep(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Admin)
	require.Equal(t, "/admin/setup", w.get("/admin/").Header.Get("Location"), "a till that lacks something leads its admin there")

	_, open := w.stepNow()
	require.Equal(t, 3, open, "webhook, printer and practice: the rest is seen in the books")
	require.Equal(t, http.StatusUnprocessableEntity, w.settle("credentials", "leave-out").StatusCode, "nothing is sold without them")
	require.Equal(t, http.StatusUnprocessableEntity, w.settle("shop", "check").StatusCode, "a shop is there or is not")
	require.Equal(t, http.StatusSeeOther, w.settle("credentials", "check").StatusCode)
	require.Equal(t, http.StatusSeeOther, w.settle("webhook", "check").StatusCode, "the simulator has keys")
	next, open := w.stepNow()
	require.Equal(t, 2, open)
	require.Equal(t, "Test print", next)
	require.Equal(t, http.StatusOK, w.get("/till/printer/test").StatusCode, "who sets up may see what a printer would print")
	require.Equal(t, http.StatusSeeOther, w.settle("printer", "leave-out").StatusCode)
	b.becomes(b.atTill(staff.Cashier).sellTopUp(), "complete")
	_, open = w.stepNow()
	require.Zero(t, open)
	require.Contains(t, w.get("/admin/setup").body, "All done")
	require.Equal(t, "/admin/prices", w.get("/admin/").Header.Get("Location"))
}

func TestSetupSaysWhatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"GetBalance"},"action":{"kind":"drop","when":"before"}}]`)
	w := b.signIn(staff.Admin)
	refused := w.settle("credentials", "check")
	require.Equal(t, http.StatusConflict, refused.StatusCode)
	require.Contains(t, refused.page(t).Find(".problem").Text(), "did not accept this access")
	require.Equal(t, http.StatusForbidden, b.signIn(staff.Finance).get("/admin/setup").StatusCode)
}
