package sandbox_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/stretchr/testify/require"

	"airtill/internal/sandbox"
)

// start is when every test begins.
var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// lab is a simulator of a test's own, and a client that holds every response
// against /swagger/docs/v1.
type lab struct {
	t       testing.TB
	deps    sandbox.Deps
	service *sandbox.Service
	server  *httptest.Server
	client  *http.Client
	key     string // for the header api_key; "": none
	token   string // for the header Authorization
}

func newLab(t testing.TB, change ...func(*sandbox.Deps)) *lab {
	t.Helper()
	deps := sandbox.Deps{Data: sandbox.Memory, Seed: 1, Now: func() time.Time { return start }}
	for _, c := range change {
		c(&deps)
	}
	l := &lab{t: t, deps: deps, key: "sandbox-key"}
	l.open()
	t.Cleanup(l.close)
	return l
}

func (l *lab) open() {
	l.t.Helper()
	service, err := sandbox.New(l.deps)
	require.NoError(l.t, err)
	l.service, l.server = service, httptest.NewServer(service.Handler())
	l.client = &http.Client{
		Transport:     &validating{t: l.t, next: l.server.Client().Transport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// close ends the service first: the server waits for calls that hang.
func (l *lab) close() {
	require.NoError(l.t, l.service.Close())
	l.server.CloseClientConnections()
	l.server.Close()
}

// restart is a stop and a start on the same data.
func (l *lab) restart() {
	l.t.Helper()
	l.close()
	l.open()
}

// answered is a response that was read.
type answered struct {
	status int
	header http.Header
	body   []byte
}

// do makes a request; an error is for the caller, who may expect it.
func (l *lab) do(method, path, body string, headers ...string) (answered, error) {
	l.t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), method, l.server.URL+path, strings.NewReader(body))
	require.NoError(l.t, err)
	if l.key != "" {
		request.Header.Set("api_key", l.key)
	}
	if l.token != "" {
		request.Header.Set("Authorization", "Bearer "+l.token)
	}
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := l.client.Do(request)
	if err != nil {
		return answered{}, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return answered{status: response.StatusCode, header: response.Header, body: data}, err
}

func (l *lab) must(method, path, body string, headers ...string) answered {
	l.t.Helper()
	a, err := l.do(method, path, body, headers...)
	require.NoError(l.t, err)
	return a
}

// result is the envelope of any response with what tests look at.
type result struct {
	answered
	ResultCode              int
	ErrorCodes              []struct{ Code, Context string }
	ThereAreMoreItems       bool
	Balance                 json.Number
	CurrencyIso             string
	CountryIso              string
	AccountNumberNormalized string
	TransferRecord          *record
	Items                   []json.RawMessage
}

type record struct {
	TransferID        *struct{ TransferRef, DistributorRef string } `json:"TransferId"`
	SkuCode           string
	Price             *price
	CommissionApplied json.Number
	StartedUtc        string
	CompletedUtc      string
	ProcessingState   string
	ReceiptText       string
	ReceiptParams     map[string]string
	AccountNumber     string
}

type price struct {
	CustomerFee, DistributorFee, ReceiveValue, ReceiveValueExcludingTax, SendValue json.Number
	ReceiveCurrencyIso, SendCurrencyIso                                            string
	TaxRate                                                                        json.Number
	TaxName, TaxCalculation                                                        *string
}

type product struct {
	ProviderCode, SkuCode, LocalizationKey, ProcessingMode, RedemptionMechanism, UatNumber, RegionCode string
	Minimum, Maximum                                                                                   price
	CommissionRate                                                                                     json.Number
	Benefits                                                                                           []string
	SettingDefinitions                                                                                 []struct {
		Name        string
		IsMandatory bool
	}
	LookupBillsRequired bool
}

func (p *product) fixed() bool { return p.Minimum.SendValue == p.Maximum.SendValue }

// api calls an endpoint: with a body it is a POST. The name may carry a query.
func (l *lab) api(name, body string, headers ...string) result {
	l.t.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	return l.parse(l.must(method, "/api/V1/"+name, body, headers...))
}

func (l *lab) parse(a answered) result {
	l.t.Helper()
	r := result{answered: a}
	require.NoError(l.t, json.Unmarshal(a.body, &r), "%.200s", a.body)
	return r
}

// is checks status, result code and the first error, written "Code" or
// "Code/Context"; "" is plain success.
func (r result) is(t testing.TB, status, code int, want string) {
	t.Helper()
	got := ""
	if len(r.ErrorCodes) > 0 {
		got = r.ErrorCodes[0].Code
		if r.ErrorCodes[0].Context != "" {
			got += "/" + r.ErrorCodes[0].Context
		}
	}
	require.Equal(t, want, got, "%.300s", r.body)
	require.Equal(t, code, r.ResultCode)
	require.Equal(t, status, r.status)
}

func items[T any](t testing.TB, r result) []T {
	t.Helper()
	all := make([]T, len(r.Items))
	for i, raw := range r.Items {
		require.NoError(t, json.Unmarshal(raw, &all[i]))
	}
	return all
}

func (l *lab) products(query string) []product {
	l.t.Helper()
	return items[product](l.t, l.api("GetProducts"+query, ""))
}

// product returns the first product that fits, of a provider that works.
func (l *lab) product(fits func(*product) bool) product {
	l.t.Helper()
	for _, p := range l.products("") {
		if fits(&p) {
			return p
		}
	}
	require.Fail(l.t, "no such product")
	return product{}
}

// topup is a range product of the number testNumber, in EUR.
const (
	topup      = "IE_LU_TopUp"
	testNumber = "353871234567"
)

// order is the body of a SendTransfer of 10.00 with some fields changed; a nil
// value takes the field out.
func order(ref string, change map[string]any) string {
	fields := map[string]any{"SkuCode": topup, "SendValue": json.Number("10.00"), "AccountNumber": testNumber, "DistributorRef": ref, "ValidateOnly": false}
	for name, value := range change {
		fields[name] = value
		if value == nil {
			delete(fields, name)
		}
	}
	body, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(body)
}

func (l *lab) send(ref string, change map[string]any, headers ...string) result {
	l.t.Helper()
	return l.api("SendTransfer", order(ref, change), headers...)
}

func (l *lab) list(filter string) []result {
	l.t.Helper()
	r := l.api("ListTransferRecords", `{"Take":100`+filter+`}`)
	r.is(l.t, 200, 1, "")
	return items[result](l.t, r)
}

// config changes the configuration.
func (l *lab) config(change string) {
	l.t.Helper()
	a := l.must(http.MethodPut, "/_sandbox/config", change)
	require.Equal(l.t, 200, a.status, "%s", a.body)
}

// advance moves the simulated time to so much after the start.
func (l *lab) advance(to time.Duration) {
	l.t.Helper()
	l.config(`{"clockOffset":"` + to.String() + `"}`)
}

func (l *lab) fault(fault string) {
	l.t.Helper()
	a := l.must(http.MethodPost, "/_sandbox/faults", "["+fault+"]")
	require.Equal(l.t, 200, a.status, "%s", a.body)
}

func (l *lab) ledger() sandbox.Ledger {
	l.t.Helper()
	var ledger sandbox.Ledger
	require.NoError(l.t, json.Unmarshal(l.must(http.MethodGet, "/_sandbox/ledger", "").body, &ledger))
	return ledger
}

// entry returns the ledger's entry of a DistributorRef.
func (l *lab) entry(ref string) sandbox.LedgerEntry {
	l.t.Helper()
	var ledger sandbox.Ledger
	require.NoError(l.t, json.Unmarshal(l.must(http.MethodGet, "/_sandbox/ledger?ref="+url.QueryEscape(ref), "").body, &ledger))
	require.Len(l.t, ledger.Entries, 1, ref)
	return ledger.Entries[0]
}

// eventually polls until a condition holds.
func eventually(t testing.TB, holds func() bool) {
	t.Helper()
	require.Eventually(t, holds, time.Minute, 5*time.Millisecond)
}

// described is the interface's description, loaded once.
var described = sync.OnceValues(func() (routers.Router, error) {
	service, err := sandbox.New(sandbox.Deps{Data: sandbox.Memory, Products: 1, Now: func() time.Time { return start }})
	if err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	service.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/swagger/docs/v1", nil))
	if err := service.Close(); err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(w.Body.Bytes())
	if err != nil {
		return nil, err
	}
	if err := doc.Validate(context.Background()); err != nil {
		return nil, err
	}
	return legacy.NewRouter(doc)
})

// checked remembers responses that were found good, by hash: the long lists of
// reference data come again and again.
var checked sync.Map

// validating fails the test when a response does not fit the description.
type validating struct {
	t    testing.TB
	next http.RoundTripper
}

func (v *validating) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := v.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(response.Body)
	response.Body = io.NopCloser(io.MultiReader(bytes.NewReader(data), failing{err}))
	if err != nil || strings.HasPrefix(r.URL.Path, "/_sandbox/") || response.Header.Get("Content-Type") == "text/html" {
		return response, nil //nolint:nilerr // a broken body is the reader's to meet
	}
	if _, done := checked.LoadOrStore(sha256.Sum256(fmt.Appendf(bytes.Clone(data), "%s %s %d", r.Method, r.URL.Path, response.StatusCode)), true); done {
		return response, nil
	}
	router, err := described()
	require.NoError(v.t, err)
	bare := r.Clone(r.Context())
	bare.URL.Host, bare.URL.Scheme, bare.Host = "", "", ""
	if response.StatusCode == http.StatusMethodNotAllowed {
		bare.Method = response.Header.Get("Allow")
	}
	route, parameters, err := router.FindRoute(bare)
	if err != nil {
		return response, nil //nolint:nilerr // a path of no endpoint
	}
	err = openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: bare, PathParams: parameters, Route: route},
		Status:                 response.StatusCode, Header: response.Header, Body: io.NopCloser(bytes.NewReader(data)),
	})
	require.NoError(v.t, err, "%s %s: %.500s", r.Method, r.URL.Path, data)
	return response, nil
}

// failing ends a body with the error that ended the real one.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}
