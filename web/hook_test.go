package web

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/internal/storetest"
)

// simulate tells the simulator's console something.
func (b *bench) simulate(method, what, body string) string {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.upstream+"/_sandbox/"+what, strings.NewReader(body))
	require.NoError(b.t, err)
	response, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(b.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(b.t, err)
	require.Less(b.t, response.StatusCode, 300, "%s", text)
	return string(text)
}

// sellTopUp makes a sale and returns its path.
func (w *browser) sellTopUp() string {
	w.b.t.Helper()
	sku := fixed(w.b.t, w.get("/counter?number="+irish))
	got := w.post("/sales", confirmed(w.b.t, w.get("/counter?number="+irish+"&sku="+sku)))
	require.Equal(w.b.t, http.StatusSeeOther, got.StatusCode, got.body)
	return got.Header.Get("Location")
}

func (b *bench) saleAt(path string) sales.Sale {
	b.t.Helper()
	sale, err := b.server.d.Sales.Get(b.t.Context(), strings.TrimPrefix(path, "/sales/"), "")
	require.NoError(b.t, err)
	return sale
}

func (b *bench) becomes(path string, state sales.State) {
	b.t.Helper()
	waitFor(b.t, string(state), func() bool { return b.saleAt(path).Fulfilment == state })
}

func (b *bench) webhooks() (rows []struct{ Verdict, SealedBody string }) {
	b.t.Helper()
	require.NoError(b.t, b.db.Read(b.t.Context()).Table("webhooks").Scan(&rows).Error)
	return rows
}

func TestADeferredSaleIsCompletedByItsWebhook(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newMarketWith(t, db, true)
		b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"Webhook"},"action":{"kind":"webhook_duplicate","count":5}}]`)
		path := b.signIn(staff.Cashier).sellTopUp()
		b.becomes(path, sales.Complete)
		events, err := b.server.d.Sales.History(t.Context(), strings.TrimPrefix(path, "/sales/"))
		require.NoError(t, err)
		require.Equal(t, sales.Notified, events[len(events)-1].Cause)
		rows := b.webhooks()
		require.Len(t, rows, 1, "a body delivered five times is kept and applied once")
		require.NotContains(t, rows[0].SealedBody, "353871234567")
		require.NotContains(t, b.log.String(), "353871234567")
	})
}

func TestAWithheldWebhookIsPolledFor(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newMarketWith(t, db, true)
		b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"Webhook"},"action":{"kind":"webhook_withhold"},"times":-1}]`)
		w := b.signIn(staff.Cashier)
		path := w.sellTopUp()
		b.becomes(path, sales.Submitted)
		require.True(t, strings.HasPrefix(w.outcome(path), "On its way."))
		waitFor(t, "complete by look-up", func() bool {
			b.pass(10 * time.Second)
			require.NoError(t, b.server.d.Reconcile.Sweep(t.Context()))
			return b.saleAt(path).Fulfilment == sales.Complete
		})
		require.Empty(t, b.webhooks())
	})
}

func TestForgedWebhooksChangeNothing(t *testing.T) {
	t.Parallel()
	for mode, status := range map[string]string{"body": "401", "no_key": "401", "wrong_key": "401", "alg": "400", "aim": "", "order": ""} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			b := newMarketWith(t, storetest.New(t), true)
			b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"Webhook"},"action":{"kind":"webhook_forge","mode":"`+mode+`"}}]`)
			path := b.signIn(staff.Cashier).sellTopUp()
			b.becomes(path, sales.Complete) // by the genuine one, which comes second
			require.Len(t, b.webhooks(), 1)
			if status != "" { // a correlation id is not signed and decides nothing; either order is accepted
				require.Contains(t, b.log.String(), "webhook.refused")
				require.Contains(t, b.log.String(), "status="+status)
			}
		})
	}
}

func TestWebhooksThatAreNoneAreRefused(t *testing.T) {
	t.Parallel()
	b := newMarketWith(t, storetest.New(t), true)
	for name, body := range map[string]string{"empty": "", "no signature": `{"ResultCode":1}`, "oversize": `{"a":"` + strings.Repeat("x", 300<<10) + `"}`} {
		got := b.browser().do(http.MethodPost, "/webhooks/transfers", strings.NewReader(body), http.Header{"Sec-Fetch-Site": nil, "Content-Type": {"application/json"}})
		require.Equal(t, http.StatusBadRequest, got.StatusCode, name)
	}
	require.Equal(t, http.StatusMethodNotAllowed, b.browser().get("/webhooks/transfers").StatusCode)
	require.Empty(t, b.webhooks())
}

func TestALateGenuineWebhookIsAHintToLook(t *testing.T) {
	t.Parallel()
	b := newMarketWith(t, storetest.New(t), true)
	b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"Webhook"},"action":{"kind":"webhook_late","for":"10m"},"times":-1}]`)
	path := b.signIn(staff.Cashier).sellTopUp()
	waitFor(t, "a look-up is due at once", func() bool {
		sale := b.saleAt(path)
		return sale.NextCheckAt != nil && !sale.NextCheckAt.After(b.clock())
	})
	b.becomes(path, sales.Submitted) // the webhook itself decided nothing
	require.NoError(t, b.server.d.Reconcile.Sweep(t.Context()))
	b.becomes(path, sales.Complete)
	require.Empty(t, b.webhooks())
}

func TestRefundIsPaidOnce(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.New(t))
	b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"RateLimited"}}]`)
	w := b.signIn(staff.Cashier)
	path := w.sellTopUp()
	require.True(t, strings.HasPrefix(w.outcome(path), "Not sent. Nothing was charged."))
	internal := b.server.d.Catalog.Current().ErrorMessage("RateLimited")
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
}

func TestTryAgainIsANewAttempt(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.New(t))
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

func TestRefusedWebhooksAreWrittenDownTogether(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		for range 40 {
			require.Equal(t, http.StatusBadRequest, b.deliver(http.Header{}, "{}"))
		}
		noted := func() []sales.RefusedNotices {
			all, err := b.server.d.Sales.RefusedNotices(t.Context(), noon)
			require.NoError(t, err)
			return all
		}
		b.server.noteRefusals(t.Context())
		b.server.noteRefusals(t.Context())
		require.Equal(t, []sales.RefusedNotices{{Minute: noon, Reason: "malformed", Count: 40}}, noted())
		require.Equal(t, http.StatusBadRequest, b.deliver(http.Header{}, "{}"))
		require.Eventually(t, func() bool { return noted()[0].Count == 41 }, 3*gatherFor, gatherFor/50, "by itself, soon")
		b.pass(8 * 24 * time.Hour)
		require.Equal(t, http.StatusBadRequest, b.deliver(http.Header{}, "{}"))
		b.server.noteRefusals(t.Context())
		require.Len(t, noted(), 1, "what is old is forgotten")
	})
}
