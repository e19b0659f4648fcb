package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
)

// BenchmarkProductsPage is the page of a number's products, from the request to its compressed answer.
func BenchmarkProductsPage(b *testing.B) {
	m := newMarket(b, storetest.NewAt(b, stock.Copy))
	w := m.signIn(staff.Cashier)
	shown := w.get("/counter?number=" + irish)
	handler, asked := m.http.Config.Handler, 0
	b.ReportAllocs()
	for b.Loop() {
		asked++
		form := url.Values{"number": {fmt.Sprintf("087%07d", 1_000_000+asked)}}
		r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/counter", strings.NewReader(form.Encode()))
		r.Host = strings.TrimPrefix(m.http.URL, "http://")
		r.Header = http.Header{
			"Content-Type": {"application/x-www-form-urlencoded"}, "Sec-Fetch-Site": {"same-origin"}, "Accept": {"text/html"},
			"Accept-Encoding": {"gzip"}, "Hx-Request": {"true"}, "Hx-Boosted": {"true"},
		}
		for _, cookie := range w.cookies {
			r.AddCookie(&http.Cookie{Name: cookie.Name, Value: cookie.Value})
		}
		got := httptest.NewRecorder()
		handler.ServeHTTP(got, r)
		require.Equal(b, http.StatusOK, got.Code)
		if asked%40 == 0 {
			m.pass(time.Minute)
		}
	}
	b.ReportMetric(float64(strings.Count(shown.body, `name="sku"`)), "cards")
}
