package apiclient_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

// catalogue writes a GetProducts answer of so many products, a hundred
// different ones in turn, and tells after each round of them.
type catalogue struct {
	products int
	bytes    int64
	written  func()
}

func (c *catalogue) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	out := io.MultiWriter(w, (*counter)(&c.bytes))
	_, _ = io.WriteString(out, `{"ResultCode":1,"ErrorCodes":[],"Items":[`)
	var different [100][]byte
	for i := range c.products {
		product := &different[i%len(different)]
		if *product == nil {
			*product = marshal(benchProduct(i))
		}
		if i > 0 {
			_, _ = io.WriteString(out, ",")
		}
		_, _ = out.Write(*product)
		if i%len(different) == 0 {
			c.written()
		}
	}
	_, _ = io.WriteString(out, `]}`)
}

func marshal(value any) []byte {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return data
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func benchProduct(i int) apiclient.Product {
	price := apiclient.Price{
		CustomerFee: "0.00", DistributorFee: "0.00", ReceiveValue: apiclient.Decimal(fmt.Sprintf("%d.%02d", 10+i%900, i%100)),
		ReceiveCurrencyIso: "NGN", ReceiveValueExcludingTax: apiclient.Decimal(fmt.Sprintf("%d.%02d", 9+i%900, i%100)),
		TaxRate: "0.075", TaxName: "VAT", TaxCalculation: apiclient.TaxInclusive,
		SendValue: apiclient.Decimal(fmt.Sprintf("%d.%02d", 1+i%90, i%100)), SendCurrencyIso: "EUR",
	}
	sku := fmt.Sprintf("PV%02d%05d", i%99, i)
	return apiclient.Product{
		ProviderCode: fmt.Sprintf("PV%02d", i%99), SkuCode: sku, LocalizationKey: sku + "_L",
		SettingDefinitions: []apiclient.SettingDefinition{}, Maximum: price, Minimum: price, CommissionRate: "0.07",
		ProcessingMode: apiclient.ModeInstant, RedemptionMechanism: apiclient.RedeemImmediate,
		Benefits: []string{"Mobile", "Data"}, ValidityPeriodIso: "P30D", UatNumber: fmt.Sprintf("23400000%05d", i),
		DefaultDisplayText: fmt.Sprintf("%d MB for %d days, all networks", i, i%60), RegionCode: "NG", PaymentTypes: []string{"Prepaid"},
	}
}

// heap is what lives on the heap or has not been collected yet, in bytes.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// peakOfProducts returns the most memory that reading a catalogue took, and
// the length of its body, in bytes.
func peakOfProducts(tb testing.TB, products int) (peak uint64, body int64) {
	tb.Helper()
	runtime.GC()
	before := heap()
	source := &catalogue{products: products, written: func() { peak = max(peak, heap()) }}
	server := httptest.NewServer(source)
	defer server.Close()
	client, err := apiclient.New(apiclient.Deps{BaseURL: server.URL, APIKey: "k", Now: newClock().now})
	require.NoError(tb, err)
	defer client.Close()
	got, err := client.GetProducts(tb.Context(), apiclient.ProductFilter{})
	require.NoError(tb, err)
	require.Len(tb, got.Items, products)
	require.Equal(tb, benchProduct((products-1)%100), got.Items[products-1])
	return max(peak, heap()) - before, source.bytes
}

const realCatalogue = 17_573

// Not parallel: it measures the memory of the process.
func TestProductsAreDecodedAsTheyArrive(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	peak, body := peakOfProducts(t, realCatalogue)
	t.Logf("peak %d MB for a body of %d MB: %d %%", peak>>20, body>>20, peak*100/uint64(body))
	require.LessOrEqual(t, peak, 3*uint64(body))
}

func BenchmarkGetProducts(b *testing.B) {
	for b.Loop() {
		peak, body := peakOfProducts(b, realCatalogue)
		b.SetBytes(body)
		b.ReportMetric(float64(peak)/float64(body), "peak/body")
	}
}

// BenchmarkOverhead compares SendTransfer with a bare POST of the same bodies
// to the same server: turns of each alternate, and the quickest turn counts, so
// that whatever else the machine does falls on both. "fenced" is a bare POST
// whose body is a reader net/http does not know, as the permit fence needs: it
// sends headers and body in two packets.
func BenchmarkOverhead(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, completeAnswer)
	}))
	defer server.Close()
	c := newClock()
	client, err := apiclient.New(apiclient.Deps{BaseURL: server.URL, APIKey: "k", Now: c.now})
	require.NoError(b, err)
	defer client.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()

	bare := quickest{call: func() { barePost(b, transport, server.URL, func(r io.Reader) io.Reader { return r }) }}
	fenced := quickest{call: func() {
		barePost(b, transport, server.URL, func(r io.Reader) io.Reader { return struct{ io.Reader }{r} })
	}}
	ours := quickest{call: func() {
		_, err := client.SendTransfer(b.Context(), realSend(), permitted(c))
		require.NoError(b, err)
	}}
	for b.Loop() {
		bare.turn()
		fenced.turn()
		ours.turn()
	}
	b.ReportMetric(bare.perCall(), "bare-ns")
	b.ReportMetric(fenced.perCall(), "fenced-ns")
	b.ReportMetric(ours.perCall(), "client-ns")
	b.ReportMetric(ours.perCall()/bare.perCall(), "client/bare")
	b.ReportMetric(ours.perCall()/fenced.perCall(), "client/fenced")
}

func barePost(b *testing.B, transport *http.Transport, url string, wrap func(io.Reader) io.Reader) {
	b.Helper()
	body, err := json.Marshal(realSend())
	require.NoError(b, err)
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url+"/api/V1/SendTransfer", wrap(bytes.NewReader(body)))
	require.NoError(b, err)
	r.ContentLength = int64(len(body))
	r.Header.Set("Content-Type", "application/json")
	resp, err := transport.RoundTrip(r)
	require.NoError(b, err)
	data, err := io.ReadAll(resp.Body)
	require.NoError(b, err)
	require.NoError(b, resp.Body.Close())
	var out apiclient.SendTransferResponse
	require.NoError(b, json.Unmarshal(data, &out))
}

// quickest keeps the shortest of many turns of calls.
type quickest struct {
	call func()
	best time.Duration
}

const callsPerTurn = 50

func (q *quickest) turn() {
	started := time.Now()
	for range callsPerTurn {
		q.call()
	}
	if took := time.Since(started); q.best == 0 || took < q.best {
		q.best = took
	}
}

func (q *quickest) perCall() float64 { return float64(q.best.Nanoseconds()) / callsPerTurn }
