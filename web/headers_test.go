package web

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/web/frame"
)

// A page whose name was made to lead here reads nothing.
func TestOnlyTheTillsOwnNameIsAnswered(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), func(d *frame.Deps) { d.PublicURL = "https://till.example.com" })
	for host, want := range map[string]int{
		"till.example.com": http.StatusOK, "TILL.example.com:443": http.StatusOK, "127.0.0.1:8080": http.StatusOK,
		"[::1]:8080": http.StatusOK, "localhost:8080": http.StatusOK, "web:8080": http.StatusOK, "10.1.2.3": http.StatusOK,
		"evil.example": http.StatusMisdirectedRequest, "127.0.0.1.evil.example:8080": http.StatusMisdirectedRequest,
		"localhost.": http.StatusMisdirectedRequest, "till.example.com.evil.example": http.StatusMisdirectedRequest,
	} {
		for _, path := range []string{"/login", "/healthz"} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.http.URL+path, nil)
			require.NoError(t, err)
			request.Host = host
			response, err := b.http.Client().Do(request)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			require.Equal(t, want, response.StatusCode, "%s %s", host, path)
			require.NotEmpty(t, response.Header.Get("Content-Security-Policy"))
		}
	}
}
