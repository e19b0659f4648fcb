//go:build e2e

package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	floodRate    = 3000 // forged posts a second; what the machine cannot do is reported
	floodSenders = 24
	floodFor     = 12 * time.Second
	quietFor     = 8 * time.Second
	sellEvery    = 400 * time.Millisecond // within what one cashier may do
)

// forgery is one way to post what the service never sent.
type forgery struct {
	name   string
	header http.Header
	body   []byte
}

func forgeries(kid string) []forgery {
	signed := func(kid, t string) http.Header {
		return http.Header{
			"X-Service-Webhook-Signature": {"t=" + t + ",v1=" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 256))},
			"X-Service-Webhook-Timestamp": {t}, "X-Service-Webhook-Algorithm": {"rs256"}, "X-Service-Webhook-Key-Id": {kid},
		}
	}
	now, old := fmt.Sprint(time.Now().Unix()), fmt.Sprint(time.Now().Add(-time.Hour).Unix())
	body := []byte(`{"TransferRecord":{"TransferId":{"TransferRef":"1","DistributorRef":"AAAA01ZZZZZZZZZZZZZZZZZZZZZZZZ01"},"ProcessingState":"Complete"},"ResultCode":1,"ErrorCodes":[]}`)
	return []forgery{
		{"no headers", http.Header{}, body},
		{"a bad signature", signed(kid, now), body},
		{"an unknown key", signed("kid-0", now), body},
		{"late", signed(kid, old), body},
	}
}

// flood posts forgeries of every kind, at a rate or as fast as the machine does,
// until it is told to stop. It returns how many were answered with each status.
func flood(t *testing.T, address, kid string, stop <-chan struct{}) map[int]int64 {
	t.Helper()
	kinds := forgeries(kid)
	transport := &http.Transport{MaxIdleConnsPerHost: floodSenders}
	defer transport.CloseIdleConnections()
	var counts sync.Map
	var senders sync.WaitGroup
	began := time.Now()
	var sent atomic.Int64
	for range floodSenders {
		senders.Go(func() {
			for {
				n := sent.Add(1)
				due := began.Add(time.Duration(n) * time.Second / floodRate)
				select {
				case <-stop:
					return
				case <-time.After(time.Until(due)):
				}
				kind := kinds[n%int64(len(kinds))]
				header := kind.header
				if kind.name == "an unknown key" {
					header = header.Clone()
					header.Set("X-Service-Webhook-Key-Id", fmt.Sprint("kid-", n))
				}
				request, err := http.NewRequest(http.MethodPost, address+"/webhooks/transfers", bytes.NewReader(kind.body))
				if err != nil {
					continue
				}
				request.Header = header
				status := 0 // no answer
				if response, err := transport.RoundTrip(request); err == nil {
					_, _ = io.Copy(io.Discard, response.Body)
					_ = response.Body.Close()
					status = response.StatusCode
				}
				count, _ := counts.LoadOrStore(status, &atomic.Int64{})
				count.(*atomic.Int64).Add(1)
			}
		})
	}
	senders.Wait()
	total := map[int]int64{}
	counts.Range(func(status, count any) bool {
		total[status.(int)] = count.(*atomic.Int64).Load()
		return true
	})
	return total
}

// sells sells one top-up after another for a while, each to a number of its own,
// and returns how long each took from the button to the outcome.
func sells(p *person, first int, until time.Time) (took []time.Duration) {
	p.t.Helper()
	pace := time.NewTicker(sellEvery)
	defer pace.Stop()
	for n := first; time.Now().Before(until); n++ {
		<-pace.C
		confirm := p.toConfirm(fmt.Sprintf("087%07d", n))
		began := time.Now()
		confirm.press(cashReceived).becomes("complete", settles)
		took = append(took, time.Since(began))
	}
	return took
}

func percentile(took []time.Duration, percent int) time.Duration {
	sorted := slices.Sorted(slices.Values(took))
	return sorted[(len(sorted)-1)*percent/100]
}

// While thousands of forged webhooks a second come in, genuine ones complete
// sales, cashiers sell, the key server is left alone and nothing is kept.
func TestSellingGoesOnUnderAFloodOfForgedWebhooks(t *testing.T) {
	w := newWorldOn(t)
	keys := countKeys(t, w.simulator.url)
	p := w.serve(t, "SEND_MODE=defer", "LOG_LEVEL=warn", "UPSTREAM_AUTH_URL="+keys.url).ready(t)
	w.simulator.configure(t, map[string]any{"webhookUrl": p.url + "/webhooks/transfers", "deferDelay": "50ms"})
	cashier := w.cashier(t, p)
	quiet := sells(cashier, 2000000, time.Now().Add(quietFor))

	fetched := keys.fetched.Load()
	stop, done := make(chan struct{}), make(chan map[int]int64)
	kid := keys.kid(t)
	began := time.Now()
	go func() { done <- flood(t, p.url, kid, stop) }()
	loud := sells(cashier, 3000000, began.Add(floodFor))
	close(stop)
	answered := <-done
	length := time.Since(began)

	var all int64
	for status, n := range answered {
		all += n
		require.Contains(t, []int{400, 401, 408, 503}, status, "%v", answered)
	}
	t.Logf("forged posts: %d in %s, %.0f/s of %d/s asked, answered %v", all, length.Round(time.Millisecond), float64(all)/length.Seconds(), floodRate, answered)
	t.Logf("sales, button to outcome: quiet %d, p50 %s, p95 %s; flooded %d, p50 %s, p95 %s; ratio of p50 %.2f",
		len(quiet), percentile(quiet, 50), percentile(quiet, 95), len(loud), percentile(loud, 50), percentile(loud, 95),
		float64(percentile(loud, 50))/float64(percentile(quiet, 50)))
	require.NotEmpty(t, loud, "cashiers go on selling")

	metrics := scrape(t, p.url)
	require.GreaterOrEqual(t, metrics[`airtill_webhooks_total{status="200"}`], float64(len(quiet)+len(loud)), "genuine ones are served")
	require.InDelta(t, float64(all), metrics[`airtill_webhooks_refused_total{reason="malformed"}`]+metrics[`airtill_webhooks_refused_total{reason="bad_signature"}`]+
		metrics[`airtill_webhooks_refused_total{reason="unknown_key"}`]+metrics[`airtill_webhooks_refused_total{reason="late"}`], floodSenders)
	t.Logf("resident memory %d MiB", int(metrics["process_resident_memory_bytes"])>>20)
	require.Less(t, metrics["process_resident_memory_bytes"], float64(400<<20))
	require.Less(t, len(p.log.String()), 1<<20, "the log does not grow with the flood")
	require.LessOrEqual(t, keys.fetched.Load()-fetched, int64(1)+1, "the key server is asked once a minute at most; one of these was the test's own")
	for _, e := range w.simulator.ledger(t) {
		require.Equal(t, 1, e.TimesExecuted)
	}
	p.stop(t)
	w.verify(t)
}

// keyServer is the identity provider, with the fetches of its webhook keys
// counted.
type keyServer struct {
	url     string
	fetched *atomic.Int64
}

func countKeys(t *testing.T, upstream string) keyServer {
	t.Helper()
	target, err := url.Parse(upstream)
	require.NoError(t, err)
	proxy, fetched := httputil.NewSingleHostReverseProxy(target), &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/.well-known/webhook-keys" {
			fetched.Add(1)
		}
		proxy.ServeHTTP(out, r)
	}))
	t.Cleanup(server.Close)
	return keyServer{url: server.URL, fetched: fetched}
}

// kid is the id of the key that signs now.
func (k keyServer) kid(t *testing.T) string {
	t.Helper()
	response, err := http.Get(k.url + "/.well-known/webhook-keys")
	require.NoError(t, err)
	defer response.Body.Close()
	var set struct{ Keys []struct{ Kid string } }
	require.NoError(t, json.NewDecoder(response.Body).Decode(&set))
	require.NotEmpty(t, set.Keys)
	return set.Keys[0].Kid
}

// scrape reads a process's metrics.
func scrape(t *testing.T, address string) map[string]float64 {
	t.Helper()
	response, err := http.Get(address + "/metrics")
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	values := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		var name string
		var value float64
		if n, _ := fmt.Sscan(line, &name, &value); n == 2 && !strings.HasPrefix(line, "#") {
			values[name] = value
		}
	}
	return values
}
