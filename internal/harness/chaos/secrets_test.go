package chaos

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAPINInAnAttributeIsSeen: a page has more than what one reads on it, such as hidden fields.
func TestAPINInAnAttributeIsSeen(t *testing.T) {
	t.Parallel()
	pages := map[string]string{
		"/metrics":           "sold 1",
		"/login":             `<form action="/login" method="post"></form>`,
		"/sales":             `<main>Sold</main><button data-copy="1234567890123456">Copy</button>`,
		"/reports/sales.csv": `"A","**3456"`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
		_, _ = io.WriteString(w, pages[r.URL.Path])
	}))
	t.Cleanup(server.Close)
	address := server.Listener.Addr().String()
	c := &crew{world: &world{sites: []*site{{name: "web1", own: address, proxy: &proxy{address: address}}}}}
	require.NoError(t, c.expose(t.Context()))
	j := &judgement{truth: &truth{}}
	for place, text := range c.exposed {
		j.searched(place, text, []string{"1234567890123456"})
	}
	require.Equal(t, []violation{{Law: "I9", Evidence: "a PIN stands in /sales"}}, j.found)
}
