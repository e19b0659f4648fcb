package web

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/pricing"
	"airtill/internal/staff"
)

// An old rate that shops still sell at is said to be old where rates are entered, until
// there is a newer one.
func TestAnOldRateIsSaidWhereRatesAreEntered(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	b.abroad("GBP")
	said := func() string { return b.signIn(staff.Finance).get("/admin/prices").page(t).Find("main").Text() }
	require.NotContains(t, said(), "Old: enter today's rate")
	b.pass(20 * 24 * time.Hour)
	require.Contains(t, said(), "Old: enter today's rate")
	newer := pricing.Rate{FromCurrency: "EUR", ToCurrency: "GBP", Rate: "0.85"}
	require.NoError(t, b.server.D.Pricing.AddRate(t.Context(), setup, newer))
	require.NotContains(t, said(), "Old: enter today's rate")
}
