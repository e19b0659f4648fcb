package apiclient_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

// TestAWrongClockIsSeenByTheDateOfAnAnswer whatever the answer says, and never without
// proof: an answer names the second, and takes its time.
func TestAWrongClockIsSeenByTheDateOfAnAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		date  string        // of the answer
		takes time.Duration // until it is there
		ahead time.Duration
	}{
		"they agree":                     {"Sun, 01 Mar 2026 12:00:00 GMT", time.Second, 0},
		"a second of the answer's way":   {"Sun, 01 Mar 2026 11:59:59 GMT", 0, 0},
		"an answer after a minute":       {"Sun, 01 Mar 2026 12:01:00 GMT", time.Minute, 0},
		"an hour behind":                 {"Sun, 01 Mar 2026 13:00:02 GMT", 2 * time.Second, -time.Hour},
		"an hour ahead":                  {"Sun, 01 Mar 2026 10:59:59 GMT", time.Minute, time.Hour},
		"years behind":                   {"Mon, 01 Mar 2027 12:00:00 GMT", 0, -365 * 24 * time.Hour},
		"a time that is none":            {"yesterday", 0, 0},
		"an answer that names no moment": {"", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := newClock()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				clock.advance(c.takes)
				w.Header()["Date"] = []string{c.date}
				w.WriteHeader(http.StatusBadGateway)
			}))
			t.Cleanup(server.Close)
			client := newClient(t, server.URL, func(d *apiclient.Deps) { d.Now = clock.now })
			require.Zero(t, client.ClockAhead(), "nothing is known yet")
			_, err := client.GetBalance(t.Context())
			require.Error(t, err)
			require.Equal(t, c.ahead, client.ClockAhead())
		})
	}
}
