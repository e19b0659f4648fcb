package sandbox_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/sandbox"
)

func TestBadInput_RightCodeAndNeverAChangedBalance(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"limits":false}`)
	good := order("A", nil)
	for _, c := range []struct{ endpoint, body, want string }{
		{"SendTransfer", "{", "RequestInvalid"},
		{"SendTransfer", good + "x", "RequestInvalid"},
		{"SendTransfer", "null", "RequestInvalid"},
		{"SendTransfer", "[]", "RequestInvalid"},
		{"SendTransfer", `"text"`, "RequestInvalid"},
		{"SendTransfer", " ", "RequestInvalid"},
		{"SendTransfer", strings.Replace(good, `"A"`, "\"\xff\xfe\"", 1), "RequestInvalid"},
		{"SendTransfer", strings.Replace(good, "10.00", "NaN", 1), "RequestInvalid"},
		{"SendTransfer", strings.Replace(good, "10.00", `"10.00"`, 1), "ParameterInvalid/SendValue"},
		{"SendTransfer", strings.Replace(good, "10.00", `{}`, 1), "ParameterInvalid/SendValue"},
		{"SendTransfer", strings.Replace(good, "10.00", `true`, 1), "ParameterInvalid/SendValue"},
		{"SendTransfer", strings.Replace(good, "10.00", `1e999999999`, 1), "ParameterInvalid/SendValue"},
		{"SendTransfer", strings.Replace(good, "10.00", `0.000000001`, 1), "ParameterInvalid/SendValue"},
		{"SendTransfer", strings.Replace(good, `"`+testNumber+`"`, testNumber, 1), "ParameterInvalid/AccountNumber"},
		{"SendTransfer", strings.Replace(good, `"A"`, `["A"]`, 1), "ParameterInvalid/DistributorRef"},
		{"SendTransfer", strings.Replace(good, `"A"`, `""`, 1), "ParameterMissing/DistributorRef"},
		{"SendTransfer", strings.Replace(good, "false", `"false"`, 1), "ParameterInvalid/ValidateOnly"},
		{"SendTransfer", strings.Replace(good, "false", `null`, 1), "ParameterInvalid/ValidateOnly"},
		{"SendTransfer", strings.Replace(good, "{", `{"Settings":5,`, 1), "ParameterInvalid/Settings"},
		{"SendTransfer", strings.Replace(good, "{", `{"Settings":[{"Name":5}],`, 1), "ParameterInvalid/Settings"},
		{"SendTransfer", strings.Replace(good, "{", `{"BillRef":5,`, 1), "ParameterInvalid/BillRef"},
		{"SendTransfer", strings.Repeat("[", 100_000), "RequestInvalid"},
		{"EstimatePrices", "{}", "RequestInvalid"},
		{"EstimatePrices", "null", "RequestInvalid"},
		{"EstimatePrices", "[5]", "RequestInvalid"},
		{"EstimatePrices", `[{"BatchItemRef":5}]`, "ParameterInvalid/BatchItemRef"},
		{"EstimatePrices", "[null]", "RequestInvalid"},
		{"CancelTransfers", `{"TransferId":1}`, "RequestInvalid"},
		{"CancelTransfers", `[{"BatchItemRef":"1","TransferId":"1"}]`, "ParameterInvalid/TransferId"},
		{"CancelTransfers", `[{"BatchItemRef":"1","TransferId":{"TransferRef":1}}]`, "ParameterInvalid/TransferId"},
		{"ListTransferRecords", `[]`, "RequestInvalid"},
		{"ListTransferRecords", `{"Take":"x"}`, "ParameterInvalid/Take"},
		{"ListTransferRecords", `{"Take":99999999999999999999}`, "ParameterInvalid/Take"},
		{"LookupBills", `{"SkuCode":1}`, "ParameterInvalid/SkuCode"},
		{"LookupBills", `]`, "RequestInvalid"},
	} {
		r := l.api(c.endpoint, c.body)
		r.is(t, 400, 4, c.want)
	}
	require.Equal(t, "10000.00", l.ledger().Balance)
	require.Empty(t, l.list(""))
}

func TestBadInput_SuperfluousParametersAreIgnored(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	r := l.api("SendTransfer", strings.Replace(order("A", nil), "{", `{"New":{"a":[1]},`, 1))
	r.is(t, 200, 1, "")
	l.api("GetBalance?x=1&x=2", "").is(t, 200, 1, "")
}

func TestBadInput_TenMegabytes(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	body := strings.Replace(order("A", nil), "{", `{"Padding":"`+strings.Repeat("x", 10<<20)+`",`, 1)
	l.api("SendTransfer", body).is(t, 400, 4, "RequestInvalid")
	require.Empty(t, l.ledger().Entries)
}

func TestBadInput_UnknownPathsAndWrongMethods(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, path := range []string{"/api/V1/Unknown", "/api/V1/", "/api/V2/GetBalance", "/api/V1/SendTransfer/1", "/api/v1/getbalance"} {
		r := l.parse(l.must("GET", path, ""))
		r.is(t, 404, 4, "RequestInvalid")
	}
	require.Equal(t, 404, l.must("GET", "/elsewhere", "").status)
	require.Equal(t, "/_sandbox/", l.must("GET", "/", "").header.Get("Location"))
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH"} {
		r := l.parse(l.must(method, "/api/V1/GetBalance", "{}"))
		r.is(t, 405, 4, "RequestInvalid")
		require.Equal(t, "GET", r.header.Get("Allow"))
	}
	r := l.parse(l.must("GET", "/api/V1/SendTransfer", ""))
	r.is(t, 405, 4, "RequestInvalid")
	require.Equal(t, "POST", r.header.Get("Allow"))
}

func TestCorrelationIDComesBack(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, name := range []string{"GetBalance", "GetCountries"} {
		require.Equal(t, "c-1", l.api(name, "", "X-Correlation-Id", "c-1").header.Get("X-Correlation-Id"))
	}
	require.Empty(t, l.api("GetBalance", "").header.Get("X-Correlation-Id"))
}

// FuzzSendTransfer: whatever is sent, the answer is an envelope, and the
// balance falls exactly by what the ledger says was deducted.
func FuzzSendTransfer(f *testing.F) {
	for _, seed := range []string{order("A", nil), `{}`, `[]`, `{"SkuCode":null}`, order("B", map[string]any{"SendValue": "1"}), order("C", map[string]any{"Settings": []any{nil}})} {
		f.Add([]byte(seed), "DeferTransfer")
	}
	service, err := sandbox.New(sandbox.Deps{Data: sandbox.Memory, Seed: 1, Products: 50, Now: func() time.Time { return start }})
	require.NoError(f, err)
	f.Cleanup(func() { require.NoError(f, service.Close()) })
	handler := service.Handler()
	f.Fuzz(func(t *testing.T, body []byte, options string) {
		w := serve(t, handler, http.MethodPost, "/api/V1/SendTransfer", body, options)
		var r result
		require.NoError(t, json.Unmarshal(w, &r))
		require.Contains(t, []int{1, 3, 4, 5}, r.ResultCode)
	})
}

// FuzzQuery: whatever stands in the query, the answer is an envelope.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"accountNumber=353871234567", "countryIsos=IE&countryIsos=", "%zz", "a;b", "skuCodes=%ff"} {
		f.Add("GetProducts", seed)
		f.Add("GetAccountLookup", seed)
	}
	service, err := sandbox.New(sandbox.Deps{Data: sandbox.Memory, Seed: 1, Products: 50, Now: func() time.Time { return start }})
	require.NoError(f, err)
	f.Cleanup(func() { require.NoError(f, service.Close()) })
	require.NotEmpty(f, serve(f, service.Handler(), http.MethodPut, "/_sandbox/config", []byte(`{"limits":false}`), ""))
	handler := service.Handler()
	f.Fuzz(func(t *testing.T, _, query string) {
		for _, name := range []string{"GetProducts", "GetAccountLookup", "GetProviders", "GetProductDescriptions"} {
			var r result
			require.NoError(t, json.Unmarshal(serve(t, handler, http.MethodGet, "/api/V1/"+name+"?"+query, nil, ""), &r))
			require.Contains(t, []int{1, 2, 4}, r.ResultCode)
		}
	})
}

// serve calls a handler without a network.
func serve(t testing.TB, handler http.Handler, method, target string, body []byte, options string) []byte {
	t.Helper()
	path, query, _ := strings.Cut(target, "?")
	request, err := http.NewRequestWithContext(t.Context(), method, "http://sandbox"+path, bytes.NewReader(body))
	require.NoError(t, err)
	request.URL.RawQuery = query
	request.Header = http.Header{"Api_key": {"sandbox-key"}, "X-Options": {options}}
	w := &recorder{header: http.Header{}}
	handler.ServeHTTP(w, request)
	return w.body
}

// recorder is a ResponseWriter that keeps the body.
type recorder struct {
	header http.Header
	status int
	body   []byte
}

func (r *recorder) Header() http.Header { return r.header }
func (r *recorder) WriteHeader(s int)   { r.status = s }
func (r *recorder) Write(b []byte) (int, error) {
	r.body = append(r.body, b...)
	return len(b), nil
}
