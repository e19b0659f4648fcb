//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// realList is a list of 17,573 products on sale.
const realList = "../../../../shared/data/sku-list.csv"

func TestTheRealListIsSold(t *testing.T) {
	t.Parallel()
	list, err := filepath.Abs(realList)
	require.NoError(t, err)
	if _, err := os.Stat(list); err != nil {
		t.Skip("the list is not there")
	}
	for _, dialect := range dialects() {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			w := unstockedWorld(t, dialect, startSimulator(t, "--data", ":memory:", "--catalog", list))
			cashier := w.cashier(t, w.serve(t).ready(t))
			offers := cashier.get("/counter?number=%2B2348031234567")
			for deadline := time.Now().Add(aMinute); offers.doc.Find("button.card-offer, button.card-operator").Length() == 0; {
				require.True(t, time.Now().Before(deadline), "nothing is offered: %s", offers.text())
				time.Sleep(200 * time.Millisecond) // the sync is at it
				offers = cashier.get("/counter?number=%2B2348031234567")
			}
			if offers.doc.Find("button.card-operator").Length() > 0 {
				offers = offers.use(offers.doc.Find("button.card-operator").First())
			}
			outcome := offers.use(offers.fixed()).press(cashReceived).becomes("complete", settles)
			require.Contains(t, outcome.verdict(), sentText)
			require.Equal(t, 1, w.simulator.only(t).TimesExecuted)
		})
	}
}
