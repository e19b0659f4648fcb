package web

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/staff"
	"airtill/internal/store"
)

// retires takes a till out of use, or returns it (act), by its button on the shop's page.
func (w *browser) retires(act, till string) {
	w.b.t.Helper()
	path := "/admin/shops/" + w.b.shop.ID
	form := w.fill(path, path, act, map[string]string{"till_id": till})
	require.Equal(w.b.t, http.StatusSeeOther, w.post(path, form).StatusCode)
}

// places are the names of the tills that a browser may choose.
func (w *browser) places() []string {
	w.b.t.Helper()
	return w.get("/till").page(w.b.t).Find(".card-till .card-name").Map(func(_ int, s *goquery.Selection) string { return s.Text() })
}

// TestATillOutOfUse takes no new shift and nobody is sent to it, but a shift that is open at it goes on.
func TestATillOutOfUse(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		admin := b.signIn(staff.Admin)
		cashier, supervisor := b.signIn(staff.Cashier), b.signIn(staff.Supervisor)
		opens := url.Values{"csrf": {supervisor.csrf("/counter")}, "float": {"100"}}
		for _, till := range b.tills {
			admin.retires("retire", till.ID)
		}
		shop := admin.get("/admin/shops/" + b.shop.ID).page(t).Find("main").Text()
		require.Contains(t, shop, "Out of use since")
		require.NotContains(t, shop, "In use")

		require.Equal(t, http.StatusOK, cashier.get("/counter").StatusCode, "the open shift goes on")
		require.Equal(t, []string{"Till 1"}, cashier.places())
		require.Equal(t, "/till", supervisor.get("/counter").Header.Get("Location"))
		refused := supervisor.post("/shift/open", opens)
		require.Equal(t, http.StatusConflict, refused.StatusCode)
		require.Contains(t, refused.body, "This till is out of use. Choose another one.")
		require.Equal(t, http.StatusNotFound, supervisor.post("/till", url.Values{"till": {b.tills[1].ID}}).StatusCode)

		admin.retires("return", b.tills[1].ID)
		require.Equal(t, []string{"Till 1", "Till 2"}, supervisor.places())
		require.Equal(t, http.StatusOK, supervisor.get("/counter").StatusCode)
	})
}

// TestAShopWithoutATillInUse: its people sign in, and who would sell reads why they cannot.
func TestAShopWithoutATillInUse(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Exec("UPDATE shifts SET closed_at = opened_at, closed_by = cashier_id").Error
		}))
		admin, before := b.signIn(staff.Admin), b.signIn(staff.Cashier)
		for _, till := range b.tills {
			admin.retires("retire", till.ID)
		}
		for _, w := range []*browser{b.signIn(staff.Manager), before} {
			require.Equal(t, http.StatusOK, w.get("/sales").StatusCode)
			got := w.get("/till")
			require.Equal(t, http.StatusConflict, got.StatusCode)
			require.Contains(t, got.body, "No till of your shop is in use. Ask an admin to set one up.")
		}
		cashier := b.signIn(staff.Cashier)
		require.Equal(t, http.StatusConflict, cashier.get("/counter").StatusCode)
		admin.retires("return", b.tills[0].ID)
		require.Equal(t, http.StatusSeeOther, cashier.post("/till", url.Values{"till": {b.tills[0].ID}}).StatusCode)
		require.Equal(t, http.StatusOK, cashier.get("/counter").StatusCode)
	})
}
