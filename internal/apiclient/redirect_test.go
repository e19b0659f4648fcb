package apiclient_test

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

// Whoever answers for the service cannot lead a call, with its key or token and what is sold, to another host; nor can
// the identity provider lead the credentials there.
func TestNoCallIsLedOn(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		var reached atomic.Int64
		elsewhere := newService(t, func(w http.ResponseWriter, r *http.Request) {
			reached.Add(1)
			says(200, completeAnswer)(w, r)
		})
		lead := newService(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", elsewhere.URL+r.URL.Path)
			w.WriteHeader(status)
		})
		now := newClock()
		withKey := newClient(t, lead.URL)
		_, err := withKey.SendTransfer(t.Context(), realSend(), permitted(now))
		require.Error(t, err, status)
		_, err = withKey.GetBalance(t.Context())
		require.Error(t, err, status)
		withToken := newClient(t, lead.URL, func(d *apiclient.Deps) {
			d.APIKey, d.AuthURL, d.ClientID, d.ClientSecret = "", lead.URL, "id", "secret-canary"
		})
		_, err = withToken.GetBalance(t.Context())
		require.ErrorIs(t, err, apiclient.ErrToken, status)
		require.Len(t, lead.got(), 3)
		require.Zero(t, reached.Load(), status)
	}
}

// Over HTTP/2, Go repeats a request by itself that a server turned away.
func TestConnectionsSpeakHTTP1Alone(t *testing.T) {
	t.Parallel()
	require.Equal(t, "{HTTP1}", newClient(t, "http://127.0.0.1:1").Speaks())
}
