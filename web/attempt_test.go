package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
)

func TestRefundIsPaidOnce(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"RateLimited"}}]`)
	w := b.signIn(staff.Cashier)
	path := w.sellTopUp()
	require.True(t, strings.HasPrefix(w.outcome(path), "Not sent. Nothing was charged."))
	var internal string
	require.NoError(t, b.db.Read(t.Context()).Table("error_texts").Where("code = ?", "RateLimited").Pluck("message", &internal).Error)
	require.NotEmpty(t, internal)
	for _, page := range []string{path, "/s/" + b.saleAt(path).Code} {
		require.NotContains(t, w.get(page).page(t).Text(), internal, "the upstream's words are not for customers")
	}
	csrf := w.get(path).page(t).Find("#act-refund input[name=csrf]").AttrOr("value", "")
	require.NotEmpty(t, csrf)
	require.Equal(t, http.StatusSeeOther, w.post(path+"/refund", url.Values{"csrf": {csrf}}).StatusCode)
	require.Equal(t, http.StatusConflict, w.post(path+"/refund", url.Values{"csrf": {csrf}}).StatusCode)
	require.Equal(t, sales.CashRefunded, b.saleAt(path).Cash)
	require.Contains(t, w.get(path+"/receipt").body, "CASH GIVEN BACK")
	after := w.get(path).page(t).Find("#outcome").Text()
	require.NotContains(t, after, "or give the cash back", "it is given back")
	require.Contains(t, after, "The cash was given back")
	require.Equal(t, "Your purchase was not delivered. The shop has given your money back.", b.statusOf(path))
}

// statusOf is what the public page says of a sale.
func (b *bench) statusOf(path string) string {
	return strings.TrimSpace(b.browser().get("/s/" + b.saleAt(path).Code).page(b.t).Find(".lead").Text())
}

func TestTryAgainIsANewAttempt(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"RateLimited"}}]`)
	w := b.signIn(staff.Cashier)
	path := w.sellTopUp()
	require.True(t, strings.HasPrefix(w.outcome(path), "Not sent."))
	first := b.saleAt(path)
	csrf := w.get(path).page(t).Find("#act-retry input[name=csrf]").AttrOr("value", "")
	early := w.post(path+"/retry", url.Values{"csrf": {csrf}})
	require.Equal(t, http.StatusConflict, early.StatusCode, "the service said when to come again")
	require.Contains(t, early.body, "asks to wait")
	b.pass(time.Minute)
	require.Equal(t, http.StatusSeeOther, w.post(path+"/retry", url.Values{"csrf": {csrf}}).StatusCode)
	b.becomes(path, sales.Complete)
	second := b.saleAt(path)
	require.NotEqual(t, first.Ref, second.Ref)
	require.Equal(t, first.Ref[:30], second.Ref[:30])
	require.Equal(t, sales.CashEarned, second.Cash)
}

// TestASecondPressOfTryAgainLeadsToTheSale: a stale page, or two people at once, ask for the attempt that is made
// already, whatever became of it.
func TestASecondPressOfTryAgainLeadsToTheSale(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	refuse := func() {
		b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"AccountNumberInvalid"}}]`)
	}
	refuse()
	w := b.atTill(staff.Cashier)
	path := w.sellTopUp()
	b.becomes(path, sales.Failed)
	stale := w.fields(path, "#act-retry")
	attempt := func(form url.Values, is int, state sales.State) {
		t.Helper()
		pressed := w.post(path+"/retry", form)
		require.Equal(t, http.StatusSeeOther, pressed.StatusCode)
		require.Equal(t, path, pressed.Header.Get("Location"))
		b.becomes(path, state)
		require.Equal(t, is, b.saleAt(path).Attempt)
	}

	refuse()
	attempt(stale, 2, sales.Failed)
	attempt(stale, 2, sales.Failed) // nobody has read yet why the second one failed
	again := w.fields(path, "#act-retry")
	b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"}}]`)
	attempt(again, 3, sales.Unknown)
	attempt(again, 3, sales.Unknown)
	attempt(stale, 3, sales.Unknown)
	require.Equal(t, http.StatusConflict, w.post(path+"/retry", url.Values{"csrf": again["csrf"]}).StatusCode, "a page of an earlier version")
}

// TestNoCashIsPromisedBackForWhatWentThrough: an earlier attempt is known to have been carried out, a later one failed,
// and the sale is looked up again within minutes. Until then the press would be refused.
func TestNoCashIsPromisedBackForWhatWentThrough(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		refuse := func() {
			b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"AccountNumberInvalid"}}]`)
		}
		refuse()
		w := b.atTill(staff.Cashier)
		path := w.sellTopUp()
		b.becomes(path, sales.Failed)
		first := b.saleAt(path)
		refuse()
		require.Equal(t, http.StatusSeeOther, w.post(path+"/retry", w.fields(path, "#act-retry")).StatusCode)
		b.becomes(path, sales.Failed)
		second := b.saleAt(path)
		require.Equal(t, 2, second.Attempt)
		press := w.fields(path, "#act-refund")
		require.Equal(t, 1, w.get(path).page(t).Find(".give-back").Length())

		at := store.Moment(b.clock())
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return errors.Join(
				tx.Exec("UPDATE sales SET stopped = ? WHERE id = ?", true, first.ID).Error,
				tx.Exec("UPDATE attempts SET next_check_at = ? WHERE ref = ?", at.Add(time.Minute), first.Ref).Error,
				tx.Exec("INSERT INTO sale_events (sale_id, seq, at, cause, source, ref, was, became, actor, note) "+
					"VALUES (?, 1000, ?, ?, 'poll', ?, 'failed/refund_due', 'failed/refund_due', '', '')",
					first.ID, at, sales.Listed, first.Ref).Error,
			)
		}))
		require.Equal(t, http.StatusConflict, w.post(path+"/refund", press).StatusCode)
		page := w.get(path).page(t)
		require.Zero(t, page.Find("#act-refund").Length())
		require.Zero(t, page.Find(".give-back").Length())
		require.Contains(t, page.Find("main").Text(), "An earlier attempt of this sale went through")
	})
}
