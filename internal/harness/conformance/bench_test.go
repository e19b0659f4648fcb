package conformance_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/sandbox"
)

// What is sold: a range product in EUR with a number of its provider, and one
// that is fulfilled in batches.
const (
	topup       = "IE_LU_TopUp"
	number      = "353871234567"
	batchTopup  = "CU_IS_TopUp"
	batchNumber = "5351234567"
)

// clock is the one time of both sides; tests move it.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// bench is a simulator of a test's own and a client of it.
type bench struct {
	*apiclient.Client
	t     testing.TB
	clock *clock
	wire  *wire
	url   string
}

// withKey and withToken are the two ways to authenticate.
func withKey(d *apiclient.Deps) { d.APIKey = "sandbox-key" }

func withToken(d *apiclient.Deps) {
	d.AuthURL, d.ClientID, d.ClientSecret = d.BaseURL, "sandbox-client", "sandbox-secret"
}

func newBench(t testing.TB, credentials func(*apiclient.Deps)) *bench {
	t.Helper()
	b := &bench{t: t, clock: newClock()}
	service, err := sandbox.New(sandbox.Deps{Data: sandbox.Memory, Seed: 1, Now: b.clock.now})
	require.NoError(t, err)
	b.wire = &wire{next: service.Handler()}
	server := httptest.NewServer(b.wire)
	b.url = server.URL
	t.Cleanup(func() {
		server.Close()
		require.NoError(t, service.Close())
		require.Empty(t, b.wire.violations)
		require.NotEmpty(t, b.wire.passed, "nothing was held against the description")
	})
	b.Client = b.client(credentials)
	return b
}

// client returns one more client of the same simulator, with budgets of its own.
func (b *bench) client(credentials func(*apiclient.Deps)) *apiclient.Client {
	b.t.Helper()
	deps := apiclient.Deps{BaseURL: b.url, Now: b.clock.now}
	credentials(&deps)
	client, err := apiclient.New(deps)
	require.NoError(b.t, err)
	b.t.Cleanup(client.Close)
	return client
}

// ask makes a request that is none of the client's.
func (b *bench) ask(method, path, body string) []byte {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, strings.NewReader(body))
	require.NoError(b.t, err)
	response, err := http.DefaultClient.Do(r)
	require.NoError(b.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(b.t, err)
	require.Less(b.t, response.StatusCode, 300, "%s", text)
	return text
}

// console tells or asks the simulator's console something.
func (b *bench) console(method, what, body string, into any) {
	b.t.Helper()
	text := b.ask(method, "/_sandbox/"+what, body)
	if into != nil {
		require.NoError(b.t, json.Unmarshal(text, into))
	}
}

func (b *bench) config(change string) {
	b.t.Helper()
	b.console(http.MethodPut, "config", change, nil)
}

func (b *bench) fault(fault string) {
	b.t.Helper()
	b.console(http.MethodPost, "faults", "["+fault+"]", nil)
}

// pass lets time pass on both sides, and the simulator look at its schedule.
func (b *bench) pass(d time.Duration) {
	b.t.Helper()
	b.clock.advance(d)
	b.config(`{}`)
}

func (b *bench) ledger() (ledger sandbox.Ledger) {
	b.t.Helper()
	b.console(http.MethodGet, "ledger", "", &ledger)
	return ledger
}

// entry returns what the simulator did under a DistributorRef.
func (b *bench) entry(ref string) sandbox.LedgerEntry {
	b.t.Helper()
	for _, e := range b.ledger().Entries {
		if e.DistributorRef == ref {
			return e
		}
	}
	return sandbox.LedgerEntry{}
}

// reaches waits until the simulator has a transfer in a state, without asking
// through the client, whose calls are counted.
func (b *bench) reaches(ref string, state apiclient.ProcessingState) {
	b.t.Helper()
	require.Eventually(b.t, func() bool { return b.entry(ref).State == string(state) }, time.Minute, 5*time.Millisecond)
}

// order is a transfer of 10.00; change may be nil.
func order(ref string, change func(*apiclient.SendTransferRequest)) apiclient.SendTransferRequest {
	r := apiclient.SendTransferRequest{SkuCode: topup, SendValue: "10.00", AccountNumber: number, DistributorRef: ref}
	if change != nil {
		change(&r)
	}
	return r
}

func (b *bench) send(r apiclient.SendTransferRequest) (*apiclient.SendTransferResponse, error) {
	b.t.Helper()
	return b.SendTransfer(b.t.Context(), r, apiclient.SendOptions{Permit: b.clock.now()})
}

// sent sends an order that must be taken.
func (b *bench) sent(r apiclient.SendTransferRequest) *apiclient.TransferRecord {
	b.t.Helper()
	got, err := b.send(r)
	require.NoError(b.t, err)
	require.Equal(b.t, apiclient.ResultSuccess, got.ResultCode)
	return got.TransferRecord
}

func toBatch(r *apiclient.SendTransferRequest) { r.SkuCode, r.AccountNumber = batchTopup, batchNumber }

// listed returns the one record of a DistributorRef.
func (b *bench) listed(ref string) apiclient.TransferRecordWithErrorCodes {
	b.t.Helper()
	page, err := b.ListTransferRecords(b.t.Context(), apiclient.ListTransferRecordsRequest{DistributorRef: ref, Take: 100})
	require.NoError(b.t, err)
	require.Len(b.t, page.Items, 1)
	require.False(b.t, page.ThereAreMoreItems)
	return page.Items[0]
}

func (b *bench) balance() apiclient.Decimal {
	b.t.Helper()
	got, err := b.GetBalance(b.t.Context())
	require.NoError(b.t, err)
	return got.Balance
}

// product returns the first product that fits.
func (b *bench) product(f apiclient.ProductFilter, fits func(apiclient.Product) bool) apiclient.Product {
	b.t.Helper()
	all, err := b.GetProducts(b.t.Context(), f)
	require.NoError(b.t, err)
	for _, p := range all.Items {
		if fits(p) {
			return p
		}
	}
	require.Fail(b.t, "no such product")
	return apiclient.Product{}
}

// failed takes a refusal by the service out of an error.
func failed(t testing.TB, err error) *apiclient.Error {
	t.Helper()
	var failure *apiclient.Error
	require.ErrorAs(t, err, &failure)
	return failure
}
