package limit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// Not by all that ever happened to any sale, for each that is made.
func TestWhatWasTriedAgainIsReadByItsTime(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		for _, whose := range []string{"cashier_id", "account_number", "shop_id"} {
			asked := usedSince(inCurrency("price_micros", "price_currency", "EUR"), whose, "x", "id", "x", time.Now())
			plan := storetest.Plan(t, db, "SELECT "+asked.SQL, asked.Args...)
			require.Contains(t, plan, "sale_events_set_right", whose)
			require.NotContains(t, plan, "SCAN sale_events", whose)
		}
	})
}
