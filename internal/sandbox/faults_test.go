package sandbox_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/sandbox"
)

// faultLog is the answer of GET /_sandbox/faults.
type faultLog struct {
	Faults []sandbox.Fault
	Log    []struct{ Kind, Endpoint, Ref string }
	Kinds  map[string]string
}

func (l *lab) faults() faultLog {
	l.t.Helper()
	var f faultLog
	require.NoError(l.t, json.Unmarshal(l.must("GET", "/_sandbox/faults", "").body, &f))
	return f
}

func TestFaults_BrokenConnectionsBeforeAndAfterExecuting(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"drop", "reset", "cut"} {
		for _, when := range []string{"before", "after"} {
			t.Run(kind+" "+when, func(t *testing.T) {
				t.Parallel()
				l := newLab(t)
				l.send("warm", nil).is(t, 200, 1, "") // a kept connection must break as well
				l.fault(`{"match":{"endpoint":"SendTransfer","ref":"A"},"action":{"kind":"` + kind + `","when":"` + when + `","bytes":20}}`)
				_, err := l.do("POST", "/api/V1/SendTransfer", order("A", nil))
				require.Error(t, err)
				executed := 1
				if when == "before" && kind != "cut" {
					executed = 0
				}
				got := 0
				for _, e := range l.ledger().Entries {
					if e.DistributorRef == "A" {
						got = e.TimesExecuted
					}
				}
				require.Equal(t, executed, got)
				require.Equal(t, 1, l.faults().Faults[0].Fired)
			})
		}
	}
}

func TestFaults_HangEndsWhenTheClientGoesAway(t *testing.T) {
	t.Parallel()
	for when, executed := range map[string]int{"before": 0, "after": 1} {
		l := newLab(t)
		l.fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"hang","when":"` + when + `"}}`)
		ctx, leave := context.WithCancel(t.Context())
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, l.server.URL+"/api/V1/SendTransfer", strings.NewReader(order("A", nil)))
		require.NoError(t, err)
		request.Header.Set("api_key", "sandbox-key")
		ended := make(chan error, 1)
		go func() {
			_, err := l.client.Do(request) //nolint:bodyclose // there is none
			ended <- err
		}()
		eventually(t, func() bool {
			return l.faults().Faults[0].Fired == 1 && (when == "before" || len(l.ledger().Entries) == 1)
		})
		leave()
		require.ErrorIs(t, <-ended, context.Canceled)
		require.Len(t, l.ledger().Entries, executed)
	}
}

func TestFaults_DelayBeforeExecutesThoughTheClientLeft(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"delay","for":"200ms"}}`)
	ctx, leave := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer leave()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, l.server.URL+"/api/V1/SendTransfer", strings.NewReader(order("A", nil)))
	require.NoError(t, err)
	request.Header.Set("api_key", "sandbox-key")
	_, err = l.client.Do(request) //nolint:bodyclose // there is none
	require.ErrorIs(t, err, context.DeadlineExceeded)
	eventually(t, func() bool { return len(l.list("")) == 1 })
	require.Equal(t, 1, l.entry("A").TimesExecuted)
}

func TestClose_EndsWhatIsDelayedOnPurpose(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.fault(`{"match":{"endpoint":"SendTransfer","ref":"A"},"action":{"kind":"delay","for":"1h"}}`)
	l.fault(`{"match":{"endpoint":"Provider","ref":"B"},"action":{"kind":"delay","for":"80s"}}`)
	ended := make(chan struct{}, 2)
	for _, ref := range []string{"A", "B"} {
		go func() {
			defer func() { ended <- struct{}{} }()
			_, _ = l.do("POST", "/api/V1/SendTransfer", order(ref, nil)) // however it ends
		}()
	}
	eventually(t, func() bool { f := l.faults().Faults; return f[0].Fired == 1 && f[1].Fired == 1 })
	require.NoError(t, l.service.Close())
	<-ended
	<-ended
	l.server.Close()
	l.open()
}

func TestFaults_ForeignBodies(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.fault(`{"match":{"ref":"html"},"action":{"kind":"html"}}`)
	a := l.must("POST", "/api/V1/SendTransfer", order("html", nil))
	require.Equal(t, 502, a.status)
	require.Contains(t, string(a.body), "<html>")
	require.Empty(t, l.ledger().Entries)
	l.fault(`{"match":{"ref":"html2"},"action":{"kind":"html","status":504,"when":"after"}}`)
	require.Equal(t, 504, l.must("POST", "/api/V1/SendTransfer", order("html2", nil)).status)
	require.Equal(t, 1, l.entry("html2").TimesExecuted)

	l.fault(`{"match":{"ref":"foreign"},"action":{"kind":"wrong_record"}}`)
	r := l.send("foreign", nil)
	r.is(t, 200, 1, "")
	require.NotEqual(t, "foreign", r.TransferRecord.TransferID.DistributorRef)
	require.NotEqual(t, topup, r.TransferRecord.SkuCode)
	require.Equal(t, 1, l.entry("foreign").TimesExecuted)
	l.fault(`{"match":{"endpoint":"ListTransferRecords"},"action":{"kind":"wrong_record"}}`)
	require.NotEqual(t, "foreign", l.list("")[0].TransferRecord.TransferID.DistributorRef)

	l.fault(`{"match":{"ref":"new"},"action":{"kind":"novelty"}}`)
	r = l.send("new", nil)
	r.is(t, 200, 1, "")
	require.Contains(t, string(r.body), `{"NewField":{`)
	require.NotEmpty(t, r.header.Get("Set-Cookie"))

	l.fault(`{"match":{"endpoint":"GetBalance"},"action":{"kind":"big_body","bytes":3000000}}`)
	big := l.mustRaw("GET", "/api/V1/GetBalance")
	require.Equal(t, 3_000_000, big)
}

// mustRaw returns how many bytes a response has, without looking at it.
func (l *lab) mustRaw(method, path string) int {
	l.t.Helper()
	request, err := http.NewRequestWithContext(l.t.Context(), method, l.server.URL+path, nil)
	require.NoError(l.t, err)
	request.Header.Set("api_key", l.key)
	response, err := l.server.Client().Do(request)
	require.NoError(l.t, err)
	defer response.Body.Close()
	n := 0
	for buffer := make([]byte, 1<<16); ; {
		read, err := response.Body.Read(buffer)
		if n += read; err != nil {
			return n
		}
	}
}

func TestFaults_LateSuccess(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"limits":false}`)
	l.fault(`{"match":{"ref":"A"},"action":{"kind":"late_success","for":"1m"}}`)
	l.send("A", nil).is(t, 503, 3, "TransientProviderError/ProviderTimedOut")
	require.Equal(t, 1, l.entry("A").TimesExecuted)
	require.Empty(t, l.list(""))
	l.fault(`{"match":{"ref":"B"},"action":{"kind":"late_success","for":"1m","listed":"Failed"}}`)
	l.send("B", nil).is(t, 503, 3, "TransientProviderError/ProviderTimedOut")
	require.Equal(t, "Failed", l.list("")[0].TransferRecord.ProcessingState)
	l.fault(`{"match":{"ref":"C"},"action":{"kind":"late_success","for":"1m","reply":"none"}}`)
	_, err := l.do("POST", "/api/V1/SendTransfer", order("C", nil))
	require.Error(t, err)
	l.advance(time.Minute)
	require.Equal(t, []string{"C", "B", "A"}, refs(l.list("")))
	for _, listed := range l.list("") {
		listed.answered = answered{status: 200}
		listed.is(t, 200, 1, "")
		require.Equal(t, "Complete", listed.TransferRecord.ProcessingState)
	}
}

func TestFaults_LateReversal(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"limits":false}`)
	l.fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"late_reversal","for":"1m"}}`)
	l.send("A", nil).is(t, 200, 1, "")
	require.NotEqual(t, "10000.00", l.ledger().Balance)
	l.advance(time.Minute)
	l.reaches("A", "Failed")
	require.Equal(t, "10000.00", l.ledger().Balance)
	require.Equal(t, "10.10", l.entry("A").Refunded)
}

func TestFaults_Requote(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"requote","amount":"0.40","commission":"0.11"}}`)
	r := l.send("A", nil)
	r.is(t, 200, 1, "")
	require.Equal(t, json.Number("0.5"), r.TransferRecord.Price.DistributorFee)
	require.Equal(t, json.Number("0.11"), r.TransferRecord.CommissionApplied)
	require.Equal(t, "9989.61", l.ledger().Balance)
}

func TestFaults_Lists(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"limits":false}`)
	l.send("A", nil).is(t, 200, 1, "")
	l.fault(`{"match":{"endpoint":"ListTransferRecords"},"action":{"kind":"list_empty"},"times":2}`)
	require.Empty(t, l.list(""))
	require.Empty(t, l.list(`,"DistributorRef":"A"`))
	require.Len(t, l.list(""), 1)
	l.fault(`{"match":{"endpoint":"ListTransferRecords"},"action":{"kind":"list_stale","for":"30s"},"times":-1}`)
	require.Empty(t, l.list(""))
	l.advance(29 * time.Second)
	require.Empty(t, l.list(""))
	l.advance(30 * time.Second)
	require.Len(t, l.list(""), 1)
}

func TestFaults_BalanceDriftAndProviderDown(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.fault(`{"match":{"endpoint":"GetBalance"},"action":{"kind":"balance_drift","amount":"-1.25"}}`)
	require.Equal(t, json.Number("9998.75"), l.api("GetBalance", "").Balance)
	require.Equal(t, "-1.25", l.ledger().Drift)
	l.fault(`{"match":{"sku":"IE_LU_TopUp"},"action":{"kind":"provider_down"}}`)
	l.send("A", nil).is(t, 503, 3, "TransientProviderError/ProviderTemporarilyUnavailable")
	l.send("A", nil).is(t, 200, 1, "")
}

// TestErrors_EveryCodeAndContextCanBeMadeToOccur gives those that no rule
// brings about, in the shape of the endpoint.
func TestErrors_EveryCodeAndContextCanBeMadeToOccur(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"limits":false}`)
	for _, c := range []struct {
		code, context  string
		status, result int
	}{
		{"TransientProviderError", "AccountTemporarilyUnavailable", 503, 3},
		{"TransientProviderError", "ProductUnavailable", 503, 3},
		{"TransientProviderError", "ProviderTemporarilyUnavailable", 503, 3},
		{"TransientProviderError", "ProviderRefusedRequest", 503, 3},
		{"ProviderError", "ProviderUnknownError", 500, 5},
		{"ProviderError", "ProviderRefusedRequest", 500, 5},
		{"OtherError", "", 500, 5},
		{"RateLimited", "", 429, 3},
		{"RateLimited", "TransactionStillInProgress", 429, 3},
		{"AccountNumberInvalid", "ProviderRefusedRequest", 400, 4},
		{"AuthenticationFailed", "TokenExpired", 401, 4},
		{"DuplicateTransactionPrevented", "", 400, 4},
	} {
		want := strings.TrimSuffix(c.code+"/"+c.context, "/")
		for _, endpoint := range []string{"SendTransfer", "Provider", "LookupBills", "GetProducts", "EstimatePrices"} {
			if c.status == 401 && endpoint != "SendTransfer" || (c.status == 400 && endpoint == "Provider") {
				continue
			}
			l.fault(`{"match":{"endpoint":"` + endpoint + `"},"action":{"kind":"error","code":"` + c.code + `","context":"` + c.context + `"}}`)
			call := map[string]func() result{
				"SendTransfer": func() result { return l.send("A", nil) }, "Provider": func() result { return l.send("A", nil) },
				"LookupBills":    func() result { return l.api("LookupBills", "{}") },
				"GetProducts":    func() result { return l.api("GetProducts", "") },
				"EstimatePrices": func() result { return l.api("EstimatePrices", "[]") },
			}[endpoint]
			r := call()
			r.is(t, c.status, c.result, want)
			if c.result == 3 {
				require.NotEmpty(t, r.header.Get("Retry-After"))
			}
		}
	}
}

func TestFaults_NthTimesChanceAndLog(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"limits":false}`)
	l.fault(`{"match":{"endpoint":"GetBalance","nth":3},"action":{"kind":"error","code":"OtherError"},"times":2}`)
	var failed []int
	for i := 1; i <= 6; i++ {
		if l.api("GetBalance", "").ResultCode == 5 {
			failed = append(failed, i)
		}
	}
	require.Equal(t, []int{3, 4}, failed)
	f := l.faults()
	require.Equal(t, 2, f.Faults[0].Fired)
	require.Equal(t, 6, f.Faults[0].Seen)
	require.Len(t, f.Log, 2)
	require.Equal(t, "GetBalance", f.Log[0].Endpoint)

	require.Equal(t, 204, l.must("DELETE", "/_sandbox/faults", "").status)
	require.Empty(t, l.faults().Faults)
	l.fault(`{"match":{"endpoint":"GetBalance"},"action":{"kind":"error","code":"OtherError"},"times":-1,"chance":50}`)
	lost := 0
	for range 100 {
		if l.api("GetBalance", "").ResultCode == 5 {
			lost++
		}
	}
	require.Greater(t, lost, 25)
	require.Less(t, lost, 75)
}

func TestFaults_BadScriptsAreRefused(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, script := range []string{
		``, `{}`, `[{"action":{"kind":"unknown"}}]`, `[{"action":{"kind":"error"}}]`, `[null]`, `[{"match":{"endpont":"x"}}]`,
		`[{"action":{"kind":"drop","when":"whenever"}}]`, `[{"action":{"kind":"delay","for":5}}]`, `[{"action":{"kind":"requote","amount":"x"}}]`,
	} {
		require.Equal(t, 400, l.must("POST", "/_sandbox/faults", script).status, script)
	}
	require.Empty(t, l.faults().Faults)
	require.NotEmpty(t, l.faults().Kinds)
}
