package web

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/frame"
	"airtill/web/machine"
)

// signedHeader is a header as the service writes it, with a signature that is
// none.
func (b *bench) signedHeader(kid string, at time.Time) http.Header {
	b.t.Helper()
	h, prefix, t := http.Header{}, apiclient.DefaultWebhookHeaderPrefix, fmt.Sprint(at.Unix())
	h.Set(prefix+"Signature", "t="+t+",v1="+base64.StdEncoding.EncodeToString(make([]byte, 256)))
	h.Set(prefix+"Timestamp", t)
	h.Set(prefix+"Algorithm", "rs256")
	h.Set(prefix+"Key-Id", kid)
	return h
}

// kid is the id of the key that the simulator signs with.
func (b *bench) kid() string {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.upstream+"/.well-known/webhook-keys", nil)
	require.NoError(b.t, err)
	response, err := b.http.Client().Transport.RoundTrip(r)
	require.NoError(b.t, err)
	defer response.Body.Close()
	var set struct{ Keys []struct{ Kid string } }
	require.NoError(b.t, json.NewDecoder(response.Body).Decode(&set))
	require.NotEmpty(b.t, set.Keys)
	return set.Keys[0].Kid
}

// deliver posts a webhook and returns the status.
func (b *bench) deliver(header http.Header, body string) int {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.http.URL+frame.HookPath, strings.NewReader(body))
	require.NoError(b.t, err)
	r.Header = header
	response, err := b.http.Client().Transport.RoundTrip(r)
	require.NoError(b.t, err)
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	require.NoError(b.t, err)
	return response.StatusCode
}

// refused returns how many webhooks were refused for each reason.
func (b *bench) refused() map[string]int {
	b.t.Helper()
	families, err := b.server.D.Metrics.Gather()
	require.NoError(b.t, err)
	counts := map[string]int{}
	for _, family := range families {
		if family.GetName() != "airtill_webhooks_refused_total" {
			continue
		}
		for _, m := range family.GetMetric() {
			counts[m.GetLabel()[0].GetValue()] = int(m.GetCounter().GetValue())
		}
	}
	return counts
}

// rows counts what a webhook could change.
func (b *bench) rows() (rows [4]int64) {
	b.t.Helper()
	for i, table := range []string{"sales", "sale_events", "postings", "webhooks"} {
		require.NoError(b.t, b.db.Read(b.t.Context()).Table(table).Count(&rows[i]).Error)
	}
	return rows
}

func TestEachRefusalHasItsCodeAndItsCounterAndChangesNothing(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarketWith(t, db, true)
		path := b.signIn(staff.Cashier).sellTopUp()
		b.becomes(path, sales.Complete)
		sale := b.saleAt(path)
		const pin = "4829155033771234"
		body := `{"TransferRecord":{"TransferId":{"TransferRef":"1","DistributorRef":"` + sale.Ref + `"},"ProcessingState":"Failed","ReceiptParams":{"pin":"` + pin + `"}},"ResultCode":1,"ErrorCodes":[]}`
		good := func() http.Header { return b.signedHeader(b.kid(), b.clock()) }
		with := func(change func(http.Header)) http.Header { h := good(); change(h); return h }
		prefix := apiclient.DefaultWebhookHeaderPrefix
		require.Equal(t, 401, b.deliver(good(), body), "forged")
		before := b.rows()
		for name, sent := range map[string]struct {
			header http.Header
			body   string
			status int
			reason apiclient.WebhookReason
		}{
			"no headers":      {http.Header{}, body, 400, apiclient.WebhookMalformed},
			"another alg":     {with(func(h http.Header) { h.Set(prefix+"Algorithm", "hs256") }), body, 400, apiclient.WebhookMalformed},
			"a header twice":  {with(func(h http.Header) { h.Add(prefix+"Key-Id", "x") }), body, 400, apiclient.WebhookMalformed},
			"no JSON":         {good(), "hello", 400, apiclient.WebhookMalformed},
			"forged":          {good(), body, 401, apiclient.WebhookForged},
			"unknown key":     {b.signedHeader("nobody's", b.clock()), body, 503, apiclient.WebhookUnknownKey}, // the keys were fetched before
			"replayed later":  {b.signedHeader(b.kid(), b.clock().Add(-6*time.Minute)), body, 408, apiclient.WebhookLate},
			"from the future": {b.signedHeader(b.kid(), b.clock().Add(6*time.Minute)), body, 408, apiclient.WebhookLate},
			"oversize":        {good(), `{"a":"` + strings.Repeat("x", 300<<10) + `"}`, 400, apiclient.WebhookOversize},
			"undecryptable": {with(func(h http.Header) {
				h.Set(prefix+"Encryption", "hybrid")
				h.Set(prefix+"Data-Algorithm", "AES-256-GCM")
			}), body, 400, apiclient.WebhookSealed},
		} {
			counted := b.refused()[string(sent.reason)]
			require.Equal(t, sent.status, b.deliver(sent.header, sent.body), name)
			require.Equal(t, counted+1, b.refused()[string(sent.reason)], name)
		}
		require.Equal(t, before, b.rows())
		require.Equal(t, sale, b.saleAt(path))
		for _, secret := range []string{pin, sale.AccountNumber} {
			require.NotContains(t, b.log.String(), secret)
		}
	})
}

func TestAFloodOfForgedWebhooksIsCountedAndHardlyLogged(t *testing.T) {
	t.Parallel()
	b := newMarketWith(t, storetest.NewAt(t, stock.Copy), true)
	for i := range 300 {
		status := 503 // no set was fetched since it was first seen
		if i%7 == 0 {
			status = 401 // but for the first
		}
		require.Equal(t, status, b.deliver(b.signedHeader(fmt.Sprint("flood-", i%7), b.clock()), `{"ResultCode":1}`))
	}
	require.Equal(t, 300, b.refused()["unknown_key"])
	require.Equal(t, 1, strings.Count(b.log.String(), "webhook.refused"), "a line a second, whatever comes")
	b.pass(time.Second)
	require.Equal(t, 503, b.deliver(b.signedHeader("flood", b.clock()), `{"ResultCode":1}`))
	require.Contains(t, b.log.String(), "unsaid=299")
	for line := range strings.Lines(b.log.String()) {
		require.False(t, strings.Contains(line, "http.request") && strings.Contains(line, frame.HookPath) && !strings.Contains(line, "level=DEBUG"), line)
	}
}

func TestASlowSenderIsCutOff(t *testing.T) {
	t.Parallel()
	b := newMarketWith(t, storetest.NewAt(t, stock.Copy), true)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(b.http.URL, "http://"))
	require.NoError(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: till\r\nContent-Length: 1000\r\n", frame.HookPath)
	require.NoError(t, err)
	require.NoError(t, b.signedHeader("k", b.clock()).Write(conn))
	_, err = io.WriteString(conn, "\r\n{")
	require.NoError(t, err)
	began := time.Now()
	require.NoError(t, conn.SetReadDeadline(began.Add(14*time.Second)), "a second before any request is cut off")
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusBadRequest, response.StatusCode)
	require.GreaterOrEqual(t, time.Since(began), machine.HookWithin-time.Second)
	_, err = conn.Read(make([]byte, 1<<10))
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the connection is closed")
	require.Equal(t, 1, b.refused()["unread"])
}
