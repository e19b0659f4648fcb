package frame

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/sales"
)

// TestARepeatedSaleGoesToTheNumberItWentTo, whatever signs it has and whichever shop repeats it.
func TestARepeatedSaleGoesToTheNumberItWentTo(t *testing.T) {
	t.Parallel()
	for _, account := range []string{
		"353871234567", "447700900123", "0871234567", "GB12345678", "GB-1234-5678", "12-3456-7", "00123456", "0000000000",
	} {
		again := Repeat(sales.Sale{Terms: sales.Terms{AccountNumber: account}})
		number, err := catalog.ParseNumber(again.Number, "IE")
		require.NoError(t, err, account)
		require.Contains(t, number.Forms(), account)
	}
}
