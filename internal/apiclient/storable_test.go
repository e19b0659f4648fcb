package apiclient

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTextsFilledUpWithZerosCanBeStored: PostgreSQL refuses them, and with them the sale or the page they are for.
func TestTextsFilledUpWithZerosCanBeStored(t *testing.T) {
	t.Parallel()
	var listed TransferRecordWithErrorCodes
	require.NoError(t, json.Unmarshal([]byte(`{"TransferRecord":{"SkuCode":"A\u0000","AccountNumber":"353\u0000\u0000",
		"ProcessingState":"Complete\u0000","Price":{"TaxName":"VAT\u0000","TaxCalculation":"Inclusive\u0000",
		"SendCurrencyIso":"EUR\u0000","ReceiveCurrencyIso":"EUR\u0000"}},"ResultCode":1}`), &listed))
	require.Equal(t, TransferRecord{
		SkuCode: "A", AccountNumber: "353", ProcessingState: StateComplete,
		Price: &Price{TaxName: "VAT", TaxCalculation: "Inclusive", SendCurrencyIso: "EUR", ReceiveCurrencyIso: "EUR"},
	}, listed.TransferRecord)
	require.Equal(t, 1, listed.ResultCode)
	var bill Bill
	require.NoError(t, json.Unmarshal([]byte(`{"Price":{"TaxName":"VAT\u0000"},"BillRef":"B\u0000"}`), &bill))
	require.Equal(t, Bill{Price: Price{TaxName: "VAT"}, BillRef: "B"}, bill)
	var estimated EstimatedPrice
	require.NoError(t, json.Unmarshal([]byte(`{"Price":{"TaxName":"VAT\u0000"},"SkuCode":7,"ResultCode":1}`), &estimated))
	require.Equal(t, EstimatedPrice{Price: &Price{TaxName: "VAT"}, ResultCode: 1}, estimated)
	var cancelled TransferWithState
	require.NoError(t, json.Unmarshal([]byte(`{"ProcessingState":"Halted\u0000","ResultCode":1}`), &cancelled))
	require.Equal(t, TransferWithState{ProcessingState: "Halted", ResultCode: 1}, cancelled)
	var record TransferRecord
	require.NoError(t, json.Unmarshal([]byte(`{"SkuCode":7,"AccountNumber":"353"}`), &record), "as the decoder tolerates")
	require.Equal(t, TransferRecord{AccountNumber: "353"}, record)
}
