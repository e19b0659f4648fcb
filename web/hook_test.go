package web

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/signal"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/locale"
)

// simulate tells the simulator's console something.
func (b *bench) simulate(method, what, body string) string {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.upstream+"/_sandbox/"+what, strings.NewReader(body))
	require.NoError(b.t, err)
	response, err := b.http.Client().Transport.RoundTrip(r)
	require.NoError(b.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(b.t, err)
	require.Less(b.t, response.StatusCode, 300, "%s", text)
	return string(text)
}

// sellTopUp makes a sale and returns its path.
func (w *browser) sellTopUp() string { return w.sellTo(irish) }

func (w *browser) sellTo(number string) string {
	w.b.t.Helper()
	sku := fixed(w.b.t, w.get("/counter?number="+number))
	got := w.post("/sales", confirmed(w.b.t, w.get("/counter?number="+number+"&sku="+sku)))
	require.Equal(w.b.t, http.StatusSeeOther, got.StatusCode, got.body)
	return got.Header.Get("Location")
}

func (b *bench) saleAt(path string) sales.Sale {
	b.t.Helper()
	sale, err := b.server.D.Sales.Get(b.t.Context(), strings.TrimPrefix(path, "/sales/"), "")
	require.NoError(b.t, err)
	return sale
}

func (b *bench) becomes(path string, state sales.State) {
	b.t.Helper()
	defer func() {
		if b.t.Failed() {
			sale := b.saleAt(path)
			b.t.Logf("it is %s: %s %s, %d permits, %d looks\n%s", sale.Fulfilment, sale.ReasonCode, sale.ReasonContext,
				sale.Permits, sale.Looks, b.log.String())
		}
	}()
	waitFor(b.t, string(state), func() bool { return b.saleAt(path).Fulfilment == state })
}

func (b *bench) webhooks() (rows []struct{ Verdict, SealedBody string }) {
	b.t.Helper()
	require.NoError(b.t, b.db.Read(b.t.Context()).Table("webhooks").Scan(&rows).Error)
	return rows
}

func TestADeferredSaleIsCompletedByItsWebhook(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarketWith(t, db, true)
		b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"Webhook"},"action":{"kind":"webhook_duplicate","count":5}}]`)
		path := b.signIn(staff.Cashier).sellTopUp()
		b.becomes(path, sales.Complete)
		last, err := store.One[sales.Event](b.db.Read(t.Context()).Where("sale_id = ?", b.saleAt(path).ID).Order("seq DESC"), nil)
		require.NoError(t, err)
		require.Equal(t, sales.Notified, last.Cause)
		rows := b.webhooks()
		require.Len(t, rows, 1, "a body delivered five times is kept and applied once")
		require.NotContains(t, rows[0].SealedBody, "353871234567")
		require.NotContains(t, b.log.String(), "353871234567")
	})
}

func TestAWithheldWebhookIsPolledFor(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarketWith(t, db, true)
		b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"Webhook"},"action":{"kind":"webhook_withhold"},"times":-1}]`)
		w := b.signIn(staff.Cashier)
		path := w.sellTopUp()
		b.becomes(path, sales.Submitted)
		require.True(t, strings.HasPrefix(w.outcome(path), "On its way."))
		waitFor(t, "complete by look-up", func() bool {
			b.pass(10 * time.Second)
			require.NoError(t, b.server.D.FollowUp.Sweep(t.Context()))
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
			b := newMarketWith(t, storetest.NewAt(t, stock.Copy), true)
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
	b := newMarketWith(t, storetest.NewAt(t, stock.Copy), true)
	for name, body := range map[string]string{"empty": "", "no signature": `{"ResultCode":1}`, "oversize": `{"a":"` + strings.Repeat("x", 300<<10) + `"}`} {
		got := b.browser().do(http.MethodPost, "/webhooks/transfers", strings.NewReader(body), http.Header{"Sec-Fetch-Site": nil, "Content-Type": {"application/json"}})
		require.Equal(t, http.StatusBadRequest, got.StatusCode, name)
	}
	require.Equal(t, http.StatusMethodNotAllowed, b.browser().get("/webhooks/transfers").StatusCode)
	require.Empty(t, b.webhooks())
}

func TestALateGenuineWebhookIsAHintToLook(t *testing.T) {
	t.Parallel()
	b := newMarketWith(t, storetest.NewAt(t, stock.Copy), true)
	b.simulate(http.MethodPut, "config", `{"deferDelay":"1s"}`) // after the reply to the send, which says when to look
	b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"Webhook"},"action":{"kind":"webhook_late","for":"10m"},"times":-1}]`)
	path := b.signIn(staff.Cashier).sellTopUp()
	b.becomes(path, sales.Submitted)
	b.pass(time.Second)
	waitFor(t, "a look-up is due at once", func() bool {
		sale := b.saleAt(path)
		return sale.NextCheckAt != nil && !sale.NextCheckAt.After(b.clock())
	})
	b.becomes(path, sales.Submitted) // the webhook itself decided nothing
	require.NoError(t, b.server.D.FollowUp.Sweep(t.Context()))
	b.becomes(path, sales.Complete)
	require.Empty(t, b.webhooks())
}

func (b *bench) refusedSums() []sales.RefusedSums {
	b.t.Helper()
	all, err := b.server.D.Sales.RefusedSums(b.t.Context())
	require.NoError(b.t, err)
	for i := range all {
		all[i].LastAt = all[i].LastAt.UTC()
	}
	return all
}

func TestRefusedWebhooksAreWrittenDownTogether(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		for range 40 {
			require.Equal(t, http.StatusBadRequest, b.deliver(http.Header{}, "{}"))
		}
		require.Empty(t, b.refusedSums(), "one by one nothing is written")
		b.server.machine.NoteRefusals(t.Context())
		b.server.machine.NoteRefusals(t.Context())
		require.Equal(t, []sales.RefusedSums{{Reason: "malformed", Week: 40, Month: 40, LastAt: noon}}, b.refusedSums())
		b.server.machine.GatherFor = 20 * time.Millisecond
		require.Equal(t, http.StatusBadRequest, b.deliver(http.Header{}, "{}"))
		waitFor(t, "it is written by itself", func() bool { return b.refusedSums()[0].Week == 41 })
		require.Equal(t, http.StatusBadRequest, b.deliver(http.Header{}, "{}"))
		b.server.Close(t.Context())
		require.Equal(t, 42, b.refusedSums()[0].Week, "at the end what is left is written")
	})
}

// TestClosingWaitsForTheRefusalsBeingWritten: what was counted is not lost with the process.
func TestClosingWaitsForTheRefusalsBeingWritten(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		require.Equal(t, http.StatusBadRequest, b.deliver(http.Header{}, "{}"))
		b.server.machine.NoteRefusals(t.Context())
		require.Equal(t, http.StatusBadRequest, b.deliver(http.Header{}, "{}"))
		var writes sync.WaitGroup
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { // holds the row they are added to
			if err := tx.Exec("UPDATE webhook_refusal_days SET count = count").Error; err != nil {
				return err
			}
			writes.Go(func() { b.server.machine.NoteRefusals(t.Context()) })
			time.Sleep(50 * time.Millisecond) // it has taken what was counted, and waits for the row
			hurried, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			b.server.Close(hurried) // whoever gives it a deadline has it kept
			closed := make(chan struct{})
			writes.Go(func() { b.server.Close(t.Context()); close(closed) })
			select {
			case <-closed:
				t.Error("closed before what was counted was written")
			case <-time.After(100 * time.Millisecond):
			}
			return nil
		}))
		writes.Wait()
		require.Equal(t, 2, b.refusedSums()[0].Week)
	})
}

// TestRefusedWebhooksOutliveADatabaseThatIsAway: refusing asks nothing of it, and what
// could not be written goes with the next.
func TestRefusedWebhooksOutliveADatabaseThatIsAway(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, url string) {
		db, err := store.Open(t.Context(), url)
		require.NoError(t, err)
		b := newMarketWith(t, db, true)
		rename := func(from, to string) {
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
				storetest.AsOwner(t, tx)
				return tx.Exec("ALTER TABLE " + from + " RENAME TO " + to).Error
			}))
		}
		require.Equal(t, http.StatusBadRequest, b.deliver(http.Header{}, "{}"))
		rename("webhook_refusal_days", "away")
		b.server.machine.NoteRefusals(t.Context())
		require.Contains(t, b.log.String(), "webhook.refusals_not_noted")
		b.pass(time.Minute)
		require.Equal(t, http.StatusBadRequest, b.deliver(http.Header{}, "{}"))
		rename("away", "webhook_refusal_days")
		b.server.machine.NoteRefusals(t.Context())
		require.Equal(t, []sales.RefusedSums{{Reason: "malformed", Week: 2, Month: 2, LastAt: noon.Add(time.Minute)}}, b.refusedSums())

		forged := b.signedHeader(b.kid(), b.clock())
		require.Equal(t, http.StatusUnauthorized, b.deliver(forged, "{}"))
		require.NoError(t, db.Close())
		require.Equal(t, http.StatusBadRequest, b.deliver(http.Header{}, "{}"))
		require.Equal(t, http.StatusUnauthorized, b.deliver(forged, "{}"))
	})
}

// TestProcessesAddUpWhatTheyRefused: several write at once, and neither waits for the
// other's row in another order.
func TestProcessesAddUpWhatTheyRefused(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		const processes, times = 4, 25
		ended := make(chan error, processes)
		var last *sales.Service
		for range processes {
			process := sales.New(sales.Deps{DB: db, Bus: signal.NewMemory(), Now: func() time.Time { return noon }, Log: slog.New(slog.DiscardHandler)})
			last = process
			go func() {
				var failed error
				for i := range times {
					counts := map[apiclient.WebhookReason]sales.Refused{}
					for _, reason := range refusals {
						counts[reason] = sales.Refused{Reason: string(reason), Count: 2, LastAt: noon.Add(time.Duration(i-times+1) * time.Second)}
					}
					failed = errors.Join(failed, process.NoteRefused(t.Context(), slices.Collect(maps.Values(counts))))
				}
				ended <- failed
			}()
		}
		for range processes {
			require.NoError(t, <-ended)
		}
		sums, err := last.RefusedSums(t.Context())
		require.NoError(t, err)
		require.Len(t, sums, len(refusals))
		for _, sum := range sums {
			require.Equal(t, processes*times*2, sum.Week)
			require.WithinDuration(t, noon, sum.LastAt, 0)
		}
	})
}

// TestThePageTellsWhatWasRefusedAndWhy in words of each language, after a restart too.
func TestThePageTellsWhatWasRefusedAndWhy(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.signIn(staff.Admin)
		const day = 24 * time.Hour
		refuse := func(ago time.Duration, reason apiclient.WebhookReason, n int) {
			require.NoError(t, b.server.D.Sales.NoteRefused(t.Context(), []sales.Refused{{Reason: string(reason), Count: n, LastAt: noon.Add(-ago)}}))
		}
		require.Contains(t, w.get("/admin/webhooks").body, "Nothing was refused in the last 90 days.")
		for _, reason := range refusals {
			refuse(89*day, reason, 7)
		}
		refuse(90*day+13*time.Hour, apiclient.WebhookLate, 1) // forgotten with the next
		refuse(30*day, apiclient.WebhookForged, 100)
		refuse(29*day, apiclient.WebhookForged, 20)
		refuse(7*day, apiclient.WebhookForged, 3)
		refuse(6*day, apiclient.WebhookForged, 1)
		refuse(time.Hour, apiclient.WebhookForged, 1)
		refuse(2*time.Hour, apiclient.WebhookForged, 2)
		var rows int64
		require.NoError(t, db.Read(t.Context()).Table("webhook_refusal_days").Count(&rows).Error)
		require.EqualValues(t, len(refusals)+5, rows, "a row for each day and reason, for 90 days")
		first := w.get("/admin/webhooks").page(t).Find(".office-part").Last().Find("tbody tr").First()
		require.Equal(t, []string{"1 Mar 2026, 11:00", "4", "27"}, first.Find("td").Map(func(_ int, cell *goquery.Selection) string { return strings.TrimSpace(cell.Text()) }))
		require.Contains(t, first.Text(), "The signature is wrong")
		for _, language := range locale.Languages() {
			require.NoError(t, b.staff.SetLocale(t.Context(), b.users[staff.Admin].ID, language.Tag))
			table := w.get("/admin/webhooks").page(t).Find(".office-part").Last()
			require.Equal(t, len(refusals), table.Find("tbody tr").Length(), language.Tag)
			table.Find("tbody tr > :first-child").Each(func(_ int, cell *goquery.Selection) {
				words := strings.TrimSpace(cell.Find("bdi").First().Text())
				require.Contains(t, words, " ", language.Tag)
				require.NotContains(t, words, "webhooks.", language.Tag)
			})
		}
	})
}

// refusals are all reasons for which a webhook is refused.
var refusals = []apiclient.WebhookReason{
	apiclient.WebhookMalformed, apiclient.WebhookSealed, apiclient.WebhookUnknownKey, apiclient.WebhookForged,
	apiclient.WebhookLate, apiclient.WebhookNoKeys, apiclient.WebhookBusy, apiclient.WebhookOversize,
	apiclient.WebhookSlow, apiclient.WebhookUnavailable,
}
