package apiclient_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

// canaries must stand in no error text, whatever goes wrong.
var canaries = []string{"key-canary", "secret-canary", "353870000000", "pin-4711", "R1"}

func requireSilent(t *testing.T, err error) {
	t.Helper()
	require.Error(t, err)
	for _, canary := range canaries {
		require.NotContains(t, err.Error(), canary)
	}
}

// Every way a call can fail says what happened and nothing that is not its own.
func TestErrorsGiveNothingAway(t *testing.T) {
	t.Parallel()
	raw := func(answer string) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, l.Close()) })
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = http.ReadRequest(bufio.NewReader(conn))
				_, _ = io.WriteString(conn, answer)
				_ = conn.Close()
			}
		}()
		return "http://" + l.Addr().String()
	}
	for name, base := range map[string]string{
		"no HTTP":         raw("pin-4711 and no HTTP\r\n\r\n"),
		"a bad status":    raw("HTTP/1.1 pin-4711 x\r\n\r\n"),
		"a bad header":    raw("HTTP/1.1 200 OK\r\npin-4711 353870000000\r\n\r\n{}"),
		"a bad length":    raw("HTTP/1.1 200 OK\r\nContent-Length: pin-4711\r\n\r\n{}"),
		"a bad chunk":     raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\npin-4711\r\n{}"),
		"a cut body":      raw("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n" + completeAnswer),
		"bad JSON":        newService(t, says(200, `{"ResultCode":"pin-4711"`)).URL,
		"bad types":       newService(t, says(200, `{"ResultCode":"pin-4711 353870000000"}`)).URL,
		"a bad context":   newService(t, says(400, `{"ResultCode":4,"ErrorCodes":[{"Code":"key-canary","Context":"353870000000,pin-4711"}]}`)).URL,
		"a failed record": newService(t, says(500, strings.Replace(completeAnswer, `"ResultCode":1`, `"ResultCode":5`, 1))).URL,
		"no host":         "http://353870000000.invalid",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := newClient(t, base)
			_, err := client.SendTransfer(t.Context(), realSend(), permitted(newClock()))
			requireSilent(t, err)
			_, err = client.GetProviders(t.Context(), apiclient.ProviderFilter{AccountNumber: "353870000000"})
			requireSilent(t, err)
		})
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	err := &apiclient.Error{
		Op: "SendTransfer", Status: 503, ResultCode: 3, Err: apiclient.ErrNotSent,
		Codes: []apiclient.ErrorCode{{Code: "RateLimited", Context: "TransactionStillInProgress"}, {Code: "ParameterInvalid", Context: "SkuCode, Take"}, {Code: "12345"}},
	}
	require.EqualError(t, err, "SendTransfer: HTTP 503: ResultCode 3 RateLimited (TransactionStillInProgress) ParameterInvalid (SkuCode, Take) ?: nothing was sent")
	require.True(t, err.Has(apiclient.CodeRateLimited))
	require.False(t, err.Has("TransactionStillInProgress"))
	require.True(t, err.HasContext(apiclient.CodeRateLimited, apiclient.ContextTransactionStillInProgress))
	require.True(t, err.HasContext(apiclient.CodeParameterInvalid, "Take"))
	require.False(t, err.HasContext(apiclient.CodeRateLimited, "Take"))
}

func TestRetryAfterReachesTheError(t *testing.T) {
	t.Parallel()
	s := newService(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "Sun, 01 Mar 2026 12:00:30 GMT")
		says(503, `{"ResultCode":3,"ErrorCodes":[{"Code":"RateLimited"}]}`)(w, r)
	})
	_, err := newClient(t, s.URL).GetBalance(t.Context())
	var failure *apiclient.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, apiclient.Error{
		Op: "GetBalance", Status: 503, ResultCode: 3, RetryAfter: 30 * time.Second,
		Codes: []apiclient.ErrorCode{{Code: "RateLimited"}},
	}, *failure)
}

func TestCorrelationID(t *testing.T) {
	t.Parallel()
	s := newService(t, says(200, empty))
	client := newClient(t, s.URL)
	_, err := client.GetCountries(apiclient.WithCorrelationID(t.Context(), "C9"))
	require.NoError(t, err)
	require.Equal(t, "C9", s.last(t).Header.Get("X-Correlation-Id"))
	made := map[string]bool{}
	for range 3 {
		_, err := client.GetCountries(t.Context())
		require.NoError(t, err)
		made[s.last(t).Header.Get("X-Correlation-Id")] = true
	}
	require.Len(t, made, 3)
}

func TestMalformedCookiesAreNoFailure(t *testing.T) {
	t.Parallel()
	s := newService(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Set-Cookie"] = []string{"", "=", ";;;", "a b=c\"", "x=\xff\xfe; Expires=never; Max-Age=x", strings.Repeat("c", 8000)}
		says(200, completeAnswer)(w, r)
	})
	client := newClient(t, s.URL)
	for range 2 {
		_, err := client.SendTransfer(t.Context(), realSend(), permitted(newClock()))
		require.NoError(t, err)
	}
	require.Empty(t, s.last(t).Header.Values("Cookie"))
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	registry, i, c := prometheus.NewRegistry(), newIdentity(t, halfAnHour), newClock()
	answers := []string{completeAnswer, "<html>", `{"ResultCode":4}`, `{"ResultCode":9}`}
	s := newService(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", c.now().Add(30*time.Second).Format(http.TimeFormat))
		says(200, answers[0])(w, r)
		answers = answers[1:]
	})
	client := newClient(t, s.URL, i.deps(c), func(d *apiclient.Deps) { d.Metrics = registry })
	for range len(answers) {
		_, _ = client.SendTransfer(t.Context(), realSend(), permitted(c))
	}
	s.Close()
	client.Close() // of the connections, or one found dead would be "broken"
	_, err := client.GetBalance(t.Context())
	require.Error(t, err)
	budget := apiclient.WithPriority(t.Context(), apiclient.PriorityBackground)
	for err = nil; !errors.Is(err, apiclient.ErrBudget); {
		_, err = client.GetRegions(budget, apiclient.RegionFilter{})
	}
	c.advance(90 * time.Second)
	require.Equal(t, map[string]float64{
		"airtill_upstream_requests_total GetBalance dial":         1,
		"airtill_upstream_requests_total GetRegions dial":         12,
		"airtill_upstream_requests_total SendTransfer client":     1,
		"airtill_upstream_requests_total SendTransfer success":    1,
		"airtill_upstream_requests_total SendTransfer unknown":    1,
		"airtill_upstream_requests_total SendTransfer unreadable": 1,
		"airtill_upstream_request_seconds GetBalance":             1,
		"airtill_upstream_request_seconds GetRegions":             12,
		"airtill_upstream_request_seconds SendTransfer":           4,
		"airtill_upstream_budget_refused_total GetRegions":        1,
		"airtill_upstream_token_fetches_total ok":                 1,
		"airtill_upstream_token_age_seconds":                      90,
		"airtill_upstream_clock_ahead_seconds":                    -30,
		"airtill_upstream_answered_timestamp_seconds":             float64(c.now().Add(-90 * time.Second).Unix()),
	}, gathered(t, registry))
	require.Panics(t, func() {
		_, _ = apiclient.New(apiclient.Deps{BaseURL: s.URL, APIKey: "k", Now: c.now, Metrics: registry})
	}, "the same metrics twice are a slip of the program")
}

// gathered returns every metric under its name and label values; a histogram
// counts its observations.
func gathered(t *testing.T, registry *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	require.NoError(t, err)
	values := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			name := family.GetName()
			for _, label := range metric.GetLabel() {
				name += " " + label.GetValue()
			}
			values[name] = metric.GetCounter().GetValue() + metric.GetGauge().GetValue() + float64(metric.GetHistogram().GetSampleCount())
		}
	}
	return values
}

func batchService(t *testing.T, failAt int) *service {
	t.Helper()
	calls := 0
	var s *service
	s = newService(t, func(w http.ResponseWriter, r *http.Request) {
		var asked []apiclient.EstimationRequest
		if err := json.Unmarshal([]byte(s.last(t).body), &asked); err != nil {
			panic(err)
		}
		if calls++; calls == failAt {
			says(500, `{"ResultCode":5,"ErrorCodes":[{"Code":"OtherError"}]}`)(w, r)
			return
		}
		items := []apiclient.EstimatedPrice{{BatchItemRef: "not asked for", ResultCode: 1}}
		for _, a := range slices.Backward(asked) {
			items = append(items, apiclient.EstimatedPrice{BatchItemRef: a.BatchItemRef, SkuCode: a.SkuCode, ResultCode: 1})
		}
		body, err := json.Marshal(apiclient.EstimatePricesResponse{Envelope: apiclient.Envelope{ResultCode: calls}, Items: items})
		if err != nil {
			panic(err)
		}
		_, _ = w.Write(body)
	})
	return s
}

func estimations(n int) []apiclient.EstimationRequest {
	requests := make([]apiclient.EstimationRequest, n)
	for i := range requests {
		requests[i] = apiclient.EstimationRequest{SkuCode: fmt.Sprint("sku", i), BatchItemRef: fmt.Sprint("ref", i), SendValue: "1"}
	}
	return requests
}

func TestBatchesAreCutAndRejoined(t *testing.T) {
	t.Parallel()
	s := batchService(t, 0)
	got, err := newClient(t, s.URL).EstimatePrices(t.Context(), estimations(150))
	require.NoError(t, err)
	require.Len(t, s.got(), 2)
	require.Len(t, got.Items, 150)
	require.Equal(t, 2, got.ResultCode, "the warning of the second part is kept")
	for i, item := range got.Items {
		require.Equal(t, fmt.Sprint("sku", i), item.SkuCode)
	}
}

func TestBatchThatFailsHalfway(t *testing.T) {
	t.Parallel()
	s := batchService(t, 2)
	got, err := newClient(t, s.URL).EstimatePrices(t.Context(), estimations(250))
	var failure *apiclient.Error
	require.ErrorAs(t, err, &failure)
	require.True(t, failure.Has(apiclient.CodeOtherError))
	require.Len(t, got.Items, 100)
	require.Len(t, s.got(), 2)

	got, err = newClient(t, batchService(t, 1).URL).EstimatePrices(t.Context(), estimations(1))
	require.Error(t, err)
	require.Nil(t, got)
}

func TestBatchWithTwoOfOneName(t *testing.T) {
	t.Parallel()
	s := batchService(t, 0)
	client := newClient(t, s.URL)
	_, err := client.EstimatePrices(t.Context(), append(estimations(101), estimations(1)...))
	var failure *apiclient.Error
	require.ErrorAs(t, err, &failure)
	require.True(t, failure.Has(apiclient.CodeBatchItemRefMustBeUnique))
	require.ErrorIs(t, err, apiclient.ErrNotSent)
	got, err := client.CancelTransfers(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, got.Items)
	require.Empty(t, s.got())
}

// A connection that died is an error for the caller to judge: a replay by the
// transport would be a call that no budget has counted.
func TestReadingCallsAreNotReplayedEither(t *testing.T) {
	t.Parallel()
	for range 20 {
		s := newCrookedServer(t)
		requests := make(chan string, 10)
		s.next = func(_ *net.TCPConn, in *bufio.Reader) {
			if r, err := http.ReadRequest(in); err == nil {
				requests <- r.URL.Path
			}
		}
		go s.serve()
		client := newClient(t, "http://"+s.Addr().String())
		_, err := client.GetBalance(t.Context())
		require.NoError(t, err)
		_, err = client.GetBalance(t.Context())
		require.Error(t, err)
		require.Len(t, requests, 1)
	}
}
