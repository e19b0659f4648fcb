//go:build e2e

package e2e

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/store"
)

// Two processes on one PostgreSQL and one Redis are one till.
func TestTwoProcessesAreOneTill(t *testing.T) {
	t.Parallel()
	if len(dialects()) == 1 {
		t.Skip("needs PostgreSQL and Redis: TEST_DATABASE_URL, TEST_REDIS_URL")
	}
	w := unstockedWorld(t, store.Postgres, startSimulator(t))
	one, two := w.serve(t), w.serve(t)
	one.ready(t)
	two.ready(t)
	require.Equal(t, 1, strings.Count(w.webLog(), `"msg":"catalog.synced","resource":"products"`), "one sync for both")

	here := w.cashier(t, one)
	there := here.at(two.url)
	require.Equal(t, here.get("/counter?number="+irish).text(), there.get("/counter?number="+irish).text(), "the same catalogue")

	// The answer comes late, so that the other process can watch meanwhile.
	w.simulator.fault(t, map[string]any{"endpoint": "SendTransfer"}, map[string]any{"kind": "delay", "when": "after", "for": "2s"}, 1)
	outcome := here.toConfirm(irish).press(cashReceived)
	watched := there.get(outcome.url.Path)
	require.NotEmpty(t, watched.state(), "a sale of one is seen in the other")
	require.Contains(t, there.events(outcome.url.Path+"/events"), `data-state="complete"`, "and its live page moves")
	require.Equal(t, "complete", here.get(outcome.url.Path).state())

	// One process ends in the middle of a sale of its own; what it sends ends
	// first, and the other goes on selling.
	w.simulator.fault(t, map[string]any{"endpoint": "SendTransfer"}, map[string]any{"kind": "delay", "when": "after", "for": "2s"}, 1)
	last := here.toConfirm("0871234568").press(cashReceived)
	one.stop(t)
	require.Equal(t, "complete", there.get(last.url.Path).state(), "SIGTERM lets a send end")
	there.toConfirm("0871234569").press(cashReceived).becomes("complete", settles)

	entries := w.simulator.ledger(t)
	require.Len(t, entries, 3)
	for _, e := range entries {
		require.Equal(t, 1, e.TimesExecuted)
	}
	w.verify(t)
}

// events follows a live page to its end.
func (p *person) events(path string) string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), aMinute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+path, nil)
	require.NoError(p.t, err)
	response, err := p.client.Do(request)
	require.NoError(p.t, err)
	defer response.Body.Close()
	require.Equal(p.t, http.StatusOK, response.StatusCode)
	var all strings.Builder
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if lines.Text() == "event: done" {
			return all.String()
		}
		all.WriteString(lines.Text() + "\n")
	}
	require.Fail(p.t, "the stream ended before the sale", all.String())
	return ""
}

// A new price is served by both within seconds, after one sync.
func TestANewCatalogueReachesBothProcesses(t *testing.T) {
	t.Parallel()
	if len(dialects()) == 1 {
		t.Skip("needs PostgreSQL and Redis: TEST_DATABASE_URL, TEST_REDIS_URL")
	}
	w := newWorld(t, store.Postgres, startSimulator(t))
	one, two := w.serve(t).ready(t), w.serve(t).ready(t)
	here := w.cashier(t, one)
	provider := topUp(t, w.simulator).ProviderCode

	w.simulator.configure(t, map[string]any{"suspendedProviders": []string{provider}})
	for _, p := range []*web{one, two} {
		deadline := time.Now().Add(2 * aMinute) // statuses are asked for once a minute
		offers := here.at(p.url).get("/counter?number=" + irish + "&provider=" + provider)
		for !strings.Contains(offers.text(), "Provider problems") {
			require.True(t, time.Now().Before(deadline), "the suspended provider is not shown at %s: %s", p.url, offers.text())
			time.Sleep(500 * time.Millisecond)
			offers = here.at(p.url).get("/counter?number=" + irish + "&provider=" + provider)
		}
	}
}
