package web

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/frame"
)

// floodRate is how many forged webhooks come in a second while genuine ones are served.
const floodRate = 3_000

// BenchmarkDeferredSaleBesideForgedWebhooks tells by what factor a sale that a genuine
// webhook completes takes longer while forged ones come: half of them with the id of the
// real key, so that their signature must be checked. Quiet and busy rounds follow one
// another, so that what else the machine does meets both. The forger shares the processor
// with the till.
func BenchmarkDeferredSaleBesideForgedWebhooks(b *testing.B) {
	m := newMarketWith(b, storetest.NewAt(b, stock.Copy), true)
	require.NoError(b, m.db.Tx(b.Context(), func(tx *store.Tx) error { return tx.Exec("DELETE FROM sale_limits").Error }))
	w := m.signIn(staff.Cashier)
	sku := fixed(b, w.get("/counter?number="+irish))
	numbers := 0
	round := func() (took []time.Duration) {
		for range 25 {
			numbers++
			number := fmt.Sprintf("08712%05d", numbers)
			form := confirmed(b, w.get("/counter?number="+number+"&sku="+url.QueryEscape(sku)))
			began := time.Now()
			got := w.post("/sales", form)
			require.Equal(b, http.StatusSeeOther, got.StatusCode, got.body)
			m.becomes(got.Header.Get("Location"), sales.Complete)
			took = append(took, time.Since(began))
			m.pass(10 * time.Second) // a cashier has so many requests a minute
		}
		return took
	}
	var alone, beside []time.Duration
	var forged int64
	var flooded time.Duration
	for b.Loop() {
		alone = append(alone, round()...)
		began, stop := time.Now(), m.flood(b)
		beside = append(beside, round()...)
		forged += stop()
		flooded += time.Since(began)
	}
	slices.Sort(alone)
	slices.Sort(beside)
	require.Len(b, m.webhooks(), len(alone)+len(beside), "each sale has its genuine webhook, and nothing else was taken")
	b.ReportMetric(float64(forged)/flooded.Seconds(), "forged/s")
	for _, of := range []struct {
		name string
		at   int
	}{{"p50", 50}, {"p99", 99}} {
		slow, quick := beside[len(beside)*of.at/100], alone[len(alone)*of.at/100]
		b.ReportMetric(float64(slow.Microseconds())/1000, of.name+"-ms-beside")
		b.ReportMetric(float64(slow)/float64(quick), of.name+"-times")
	}
}

// flood posts forged webhooks until it is stopped, which says how many were refused.
func (b *bench) flood(t testing.TB) (stop func() int64) {
	t.Helper()
	const senders = 32
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: senders}}
	kid, end := b.kid(), make(chan struct{})
	var refused atomic.Int64
	var all sync.WaitGroup
	for i := range senders {
		kid := []string{kid, "nobody's"}[i%2]
		all.Go(func() {
			due := time.NewTicker(time.Second * senders / floodRate)
			defer due.Stop()
			for {
				select {
				case <-end:
					return
				case <-due.C:
				}
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.http.URL+frame.HookPath, strings.NewReader(`{"ResultCode":1}`))
				if err != nil {
					t.Error(err)
					return
				}
				r.Header = b.signedHeader(kid, b.clock())
				response, err := client.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, response.Body) // only to keep the connection
				_ = response.Body.Close()
				if response.StatusCode != http.StatusUnauthorized {
					t.Error("a forged webhook was answered", response.StatusCode)
				}
				refused.Add(1)
			}
		})
	}
	return func() int64 { close(end); all.Wait(); client.CloseIdleConnections(); return refused.Load() }
}
