package pricing_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/pricing"
)

func TestRetail(t *testing.T) {
	t.Parallel()
	for send, want := range map[string]string{"10": "10.00", "10.301": "10.31", "0.000001": "0.01"} {
		price := catalog.Price{SendMicros: money.MustParse(send, "EUR").Micros(), SendCurrency: "EUR", CustomerFeeMicros: 500_000}
		got, err := pricing.Retail(price, "EUR")
		require.NoError(t, err)
		require.Equal(t, want, got.Decimal(2))
	}
	_, err := pricing.Retail(catalog.Price{SendMicros: 1, SendCurrency: "EUR"}, "USD")
	require.Equal(t, fault.Conflict, fault.KindOf(err))
}
