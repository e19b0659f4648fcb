//go:build e2e

package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What make run prints is all that a person needs to sell at once, on the first
// start and on a later one.
func TestDemoSellsWithWhatItPrints(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, number := range []string{irish, "0871234568"} {
		p := start(t, nil, "web", "demo", "--addr", "127.0.0.1:0", "--data", dir)
		var line struct {
			URL, Sandbox string
			Users        []struct{ Username, Password, Role string }
		}
		p.line(t, &line)
		p.answers(t, line.URL+"/readyz", http.StatusOK, canSell)
		for _, user := range line.Users {
			require.Equal(t, http.StatusOK, newPerson(t, line.URL).signIn(user.Username, user.Password).status, user.Role)
		}
		cashier := newPerson(t, line.URL)
		counter := cashier.signIn("cashier", line.Users[0].Password)
		require.Zero(t, counter.named("Open shift").Length(), "the cashier's shift is open")
		require.Equal(t, 1, counter.doc.Find("#number").Length())

		outcome := cashier.toConfirm(number).press(cashReceived).becomes("complete", settles)
		upstream := &simulator{url: line.Sandbox}
		entries := upstream.ledger(t)
		require.Equal(t, 1, entries[len(entries)-1].TimesExecuted)
		require.Equal(t, "353"+number[1:], entries[len(entries)-1].AccountNumber)
		require.Contains(t, cashier.get("/sales").text(), outcome.doc.Find("#outcome .account").First().Text())
		sold(t, newPerson(t, line.URL), line.Users[1].Password)
		p.stop(t)
	}
}

// sold waits until the manager's day shows that something was sold.
func sold(t *testing.T, manager *person, password string) {
	t.Helper()
	manager.signIn("manager", password)
	require.Eventually(t, func() bool {
		return manager.get("/reports/sales").doc.Find(".figures-table tbody tr").Length() > 0
	}, settles, 100*time.Millisecond)
}
