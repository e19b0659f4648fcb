package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/reconcile"
	"airtill/internal/staff"
)

// sumOf is what an account holds.
func (b *bench) sumOf(account string) (micros int64) {
	b.t.Helper()
	require.NoError(b.t, b.db.Read(b.t.Context()).Raw(
		"SELECT COALESCE(SUM(micros), 0) FROM postings WHERE account = ?", account,
	).Scan(&micros).Error)
	return micros
}

func (b *bench) breakAt(page string) reconcile.Break {
	b.t.Helper()
	found, _, err := b.server.D.Reconcile.Break(b.t.Context(), strings.TrimPrefix(page, "/reconcile/breaks/"), "")
	require.NoError(b.t, err)
	return found
}

// TestABookingOfTheWrongAccountIsTakenBackByTwo and booked again, against the right one.
func TestABookingOfTheWrongAccountIsTakenBackByTwo(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		page := b.stand(reconcile.Break{Kind: reconcile.BalanceUp, Micros: 5_000_000, FloatMicros: 5_000_000})
		first, second := b.signIn(staff.Finance), b.secondFinance()
		safe := b.sumOf("1010")
		post := func(w *browser, act string, form url.Values) int { return w.post(page+act, form).StatusCode }
		agree := func() {
			read := fieldsOf(second.get(page).page(t).Find(`form[action$="/confirm"]`))
			require.Equal(t, http.StatusSeeOther, post(second, "/confirm", read))
		}
		require.Equal(t, http.StatusSeeOther, post(first, "/propose", url.Values{
			"resolution": {"topup"}, "account": {"1010"}, "reference": {"INV 7"}, "note": {"paid"},
		}))
		agree()
		require.Equal(t, safe-5_000_000, b.sumOf("1010"))

		require.Equal(t, "Take the booking back", first.get(page).page(t).Find(`main button[formaction$="/undo"]`).Text())
		require.Equal(t, http.StatusUnprocessableEntity, post(first, "/undo", url.Values{"note": {" "}}))
		require.Equal(t, http.StatusSeeOther, post(first, "/undo", url.Values{"note": {"it is owed"}}))
		require.Equal(t, safe-5_000_000, b.sumOf("1010"), "one person changes nothing")
		require.Equal(t, http.StatusForbidden, post(first, "/confirm", nil))
		require.Equal(t, http.StatusConflict, post(first, "/propose", url.Values{"resolution": {"writeoff"}, "note": {"x"}}))
		require.Equal(t, http.StatusConflict, post(first, "/agree", url.Values{"note": {"x"}}))
		require.Contains(t, second.get(page).page(t).Find("main").Text(), "The booking of €5.00 against 1010")
		require.Equal(t, http.StatusSeeOther, post(second, "/decline", nil))
		require.Equal(t, reconcile.TopUp, b.breakAt(page).Resolution)
		require.Contains(t, first.get("/reconcile/outside").body, "INV 7")

		require.Equal(t, http.StatusSeeOther, post(first, "/undo", url.Values{"note": {"it is owed"}}))
		read := fieldsOf(second.get(page).page(t).Find(`form[action$="/confirm"]`))
		require.Equal(t, http.StatusSeeOther, post(second, "/confirm", read))
		require.Equal(t, http.StatusConflict, post(second, "/confirm", read), "once")
		require.Equal(t, safe, b.sumOf("1010"))
		require.EqualValues(t, 5_000_000, b.breakAt(page).FloatMicros)
		require.NotContains(t, first.get("/reconcile/outside").body, "INV 7")
		records, err := b.audit().List(t.Context(), audit.Filter{Limit: 1})
		require.NoError(t, err)
		require.Equal(t, audit.BreakReopened, records[0].Act)

		require.Equal(t, http.StatusSeeOther, post(first, "/propose", url.Values{
			"resolution": {"topup"}, "account": {"2100"}, "reference": {"INV 7"}, "note": {"not paid yet"},
		}))
		agree()
		require.EqualValues(t, -5_000_000, b.sumOf("2100"))
		require.EqualValues(t, 5_000_000, b.sumOf("1100"))
		require.EqualValues(t, 5_000_000, b.breakAt(page).BookedMicros)
		b.soundBooks()
	})
}

// TestAWrongMatchIsTakenBack: both differences are open again, as they were.
func TestAWrongMatchIsTakenBack(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		missing := b.stand(reconcile.Break{Kind: reconcile.MissingUpstream, ShopID: b.shop.ID, Micros: 9_400_000, FloatMicros: 9_400_000})
		foreign := b.stand(reconcile.Break{Kind: reconcile.ForeignSale, Micros: -9_400_000, FloatMicros: -9_400_000})
		before := []reconcile.Break{b.breakAt(missing), b.breakAt(foreign)}
		w := b.signIn(staff.Finance)
		form := url.Values{"other": {before[1].ID}, "note": {"the same"}}
		for range 2 {
			require.Equal(t, http.StatusSeeOther, w.post(missing+"/match", form).StatusCode)
			reopen := w.get(foreign).page(t).Find(`main button[formaction$="/reopen"]`)
			require.Equal(t, "Open it again", reopen.Text())
			require.Equal(t, http.StatusSeeOther, w.post(foreign+"/reopen", url.Values{"note": {"another"}}).StatusCode)
			require.Equal(t, http.StatusConflict, w.post(missing+"/reopen", url.Values{"note": {"another"}}).StatusCode)
			for i, page := range []string{missing, foreign} {
				after := b.breakAt(page)
				require.Equal(t, before[i].FloatMicros, after.FloatMicros)
				require.Equal(t, reconcile.Open, after.State)
				require.Empty(t, after.Reference)
				require.Zero(t, after.BookedMicros)
			}
		}
		require.Equal(t, 1, w.get(missing).page(t).Find("form[action$='/match']").Length())
	})
}
