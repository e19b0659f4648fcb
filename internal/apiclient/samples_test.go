package apiclient_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

func sample(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(shared, "samples", name))
	if err != nil {
		t.Skip("the samples are not here")
	}
	return string(data)
}

// sendSample sends a transfer that is answered with a sample of a failure.
func sendSample(t *testing.T, name string, status int) (*apiclient.SendTransferResponse, apiclient.Error) {
	t.Helper()
	client := newClient(t, newService(t, says(status, sample(t, name))).URL)
	got, err := client.SendTransfer(t.Context(), realSend(), permitted(newClock()))
	var failure *apiclient.Error
	require.ErrorAs(t, err, &failure)
	return got, *failure
}

func TestSendSamples(t *testing.T) {
	t.Parallel()
	t.Run("insufficient balance", func(t *testing.T) {
		t.Parallel()
		got, failure := sendSample(t, "send-transfer-insufficient-balance-http500.json", 500)
		require.Equal(t, apiclient.StateFailed, got.TransferRecord.ProcessingState)
		require.Nil(t, got.TransferRecord.TransferId)
		require.True(t, failure.Has(apiclient.CodeInsufficientBalance))
	})
	t.Run("missing ValidateOnly", func(t *testing.T) {
		t.Parallel()
		_, failure := sendSample(t, "send-transfer-missing-validateonly.json", 400)
		require.True(t, failure.HasContext(apiclient.CodeParameterInvalid, "ValidateOnly"))
	})
	t.Run("plus sign", func(t *testing.T) {
		t.Parallel()
		_, failure := sendSample(t, "send-transfer-plus-sign.json", 400)
		require.True(t, failure.HasContext(apiclient.CodeAccountNumberInvalid, apiclient.ContextAccountNumberFailedRegex))
	})
}

func TestWireSamples(t *testing.T) {
	t.Parallel()
	t.Run("account lookup", func(t *testing.T) {
		t.Parallel()
		got, err := newClient(t, newService(t, says(200, sample(t, "account-lookup-nearest-match.json"))).URL).GetAccountLookup(t.Context(), "2348012345678")
		require.NoError(t, err)
		require.Equal(t, []any{"NG", "2348012345678", 2, 0, apiclient.CodeNearestMatch}, []any{got.CountryIso, got.AccountNumberNormalized, got.ResultCode, len(got.Items), got.ErrorCodes[0].Code})
	})
	t.Run("authentication failed", func(t *testing.T) {
		t.Parallel()
		_, err := newClient(t, newService(t, says(401, sample(t, "auth-failed-http401.json"))).URL).GetBalance(t.Context())
		var failure *apiclient.Error
		require.ErrorAs(t, err, &failure)
		require.True(t, failure.Has(apiclient.CodeAuthenticationFailed))
		require.Equal(t, 401, failure.Status)
	})
	t.Run("balance", func(t *testing.T) {
		t.Parallel()
		got, err := newClient(t, newService(t, says(200, sample(t, "get-balance.json"))).URL).GetBalance(t.Context())
		require.NoError(t, err)
		require.Equal(t, apiclient.Decimal("12.34"), got.Balance)
	})
	t.Run("records", func(t *testing.T) {
		t.Parallel()
		got, err := newClient(t, newService(t, says(200, sample(t, "list-transfer-records-live.json"))).URL).ListTransferRecords(t.Context(), apiclient.ListTransferRecordsRequest{Take: 1})
		require.NoError(t, err)
		record := got.Items[0].TransferRecord
		require.Equal(t, []any{"863785357", apiclient.Decimal("11.0"), apiclient.StateComplete}, []any{record.TransferId.TransferRef, record.Price.ReceiveValue, record.ProcessingState})
	})
	t.Run("products", func(t *testing.T) {
		t.Parallel()
		var file struct{ Products json.RawMessage }
		require.NoError(t, json.Unmarshal([]byte(sample(t, "regexes-and-prices.json")), &file))
		got, err := newClient(t, newService(t, says(200, `{"ResultCode":1,"Items":`+string(file.Products)+`}`)).URL).GetProducts(t.Context(), apiclient.ProductFilter{})
		require.NoError(t, err)
		require.Equal(t, apiclient.Decimal("0.03"), got.Items[0].CommissionRate)
	})
	t.Run("UAT table", func(t *testing.T) {
		t.Parallel()
		var file struct{ Errors []apiclient.ErrorCode }
		require.NoError(t, json.Unmarshal([]byte(sample(t, "uat-suffix-table.json")), &file))
		require.Equal(t, apiclient.ErrorCode{Code: apiclient.CodeTransientProviderError, Context: apiclient.ContextProviderTimedOut}, file.Errors[1])
	})
}
