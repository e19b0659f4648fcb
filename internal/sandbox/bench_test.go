package sandbox_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/sandbox"
)

// benchServer serves a simulator for a benchmark, limits off.
func benchServer(b *testing.B, deps sandbox.Deps) *httptest.Server {
	b.Helper()
	deps.Now, deps.Seed = time.Now, 1
	service, err := sandbox.New(deps)
	require.NoError(b, err)
	server := httptest.NewServer(service.Handler())
	b.Cleanup(func() {
		server.Close()
		require.NoError(b, service.Close())
	})
	serve(b, service.Handler(), http.MethodPut, "/_sandbox/config", []byte(`{"limits":false,"openingBalance":"100000000"}`), "")
	serve(b, service.Handler(), http.MethodPost, "/_sandbox/reset", nil, "")
	server.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = 64
	return server
}

func call(b *testing.B, client *http.Client, method, url string, body []byte) int {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), method, url, bytes.NewReader(body))
	require.NoError(b, err)
	request.Header.Set("api_key", "sandbox-key")
	response, err := client.Do(request)
	require.NoError(b, err)
	n, err := io.Copy(io.Discard, response.Body)
	require.NoError(b, err)
	require.NoError(b, response.Body.Close())
	require.Equal(b, 200, response.StatusCode)
	return int(n)
}

// BenchmarkSendTransfer sells over HTTP, client and simulator on the same
// machine: at least 5,000 a second on two cores in memory.
func BenchmarkSendTransfer(b *testing.B) {
	for name, data := range map[string]func() string{"memory": func() string { return sandbox.Memory }, "journal": b.TempDir} {
		b.Run(name, func(b *testing.B) {
			server := benchServer(b, sandbox.Deps{Data: data()})
			var n atomic.Int64
			b.SetParallelism(8)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					call(b, server.Client(), http.MethodPost, server.URL+"/api/V1/SendTransfer", []byte(order("R"+strconv.FormatInt(n.Add(1), 10), nil)))
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "transfers/s")
		})
	}
}

// BenchmarkGetProducts reads the whole list, made once and then only copied.
func BenchmarkGetProducts(b *testing.B) {
	deps := sandbox.Deps{Data: sandbox.Memory, Products: 17_573}
	if _, err := os.Stat("../../../shared/data/sku-list.csv"); err == nil {
		deps = sandbox.Deps{Data: sandbox.Memory, Catalog: "../../../shared/data/sku-list.csv"}
	}
	server := benchServer(b, deps)
	size := call(b, server.Client(), http.MethodGet, server.URL+"/api/V1/GetProducts", nil)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		call(b, server.Client(), http.MethodGet, server.URL+"/api/V1/GetProducts", nil)
	}
}

// BenchmarkListTransferRecords looks up one DistributorRef among a million.
func BenchmarkListTransferRecords(b *testing.B) {
	deps := sandbox.Deps{Data: sandbox.Memory, Now: time.Now, Seed: 1, Products: 50}
	service, err := sandbox.New(deps)
	require.NoError(b, err)
	defer service.Close()
	handler := service.Handler()
	serve(b, handler, http.MethodPut, "/_sandbox/config", []byte(`{"limits":false,"openingBalance":"1000000000"}`), "")
	serve(b, handler, http.MethodPost, "/_sandbox/reset", nil, "")
	for i := range 1_000_000 {
		serve(b, handler, http.MethodPost, "/api/V1/SendTransfer", []byte(order("R"+strconv.Itoa(i), nil)), "")
	}
	for name, body := range map[string]string{"by ref": `{"Take":100,"DistributorRef":"R500000"}`, "page": `{"Take":100,"Skip":500}`} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				require.Greater(b, len(serve(b, handler, http.MethodPost, "/api/V1/ListTransferRecords", []byte(body), "")), 300)
			}
		})
	}
}

// BenchmarkStart is the time from nothing to a service that answers.
func BenchmarkStart(b *testing.B) {
	for _, products := range []int{0, 17_573} {
		b.Run(fmt.Sprint(products), func(b *testing.B) {
			for b.Loop() {
				service, err := sandbox.New(sandbox.Deps{Data: sandbox.Memory, Seed: 1, Products: products, Now: time.Now})
				require.NoError(b, err)
				require.NoError(b, service.Close())
			}
		})
	}
}
