package sandbox_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSendTransfer_Rule5_SuccessDeductsAndAppliesCommission(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	r := l.send("A1", nil)
	r.is(t, 200, 1, "")
	require.Equal(t, "Complete", r.TransferRecord.ProcessingState)
	require.Equal(t, "172366400001", r.TransferRecord.TransferID.TransferRef)
	require.Equal(t, "2026-03-01T12:00:00.0000000Z", r.TransferRecord.StartedUtc)
	require.Equal(t, "2026-03-01T12:00:00.0000000Z", r.TransferRecord.CompletedUtc)

	// 10.00 sent and 0.10 distributor fee, 8.3 % commission
	require.Equal(t, json.Number("0.1"), r.TransferRecord.Price.DistributorFee)
	require.Equal(t, json.Number("0.83"), r.TransferRecord.CommissionApplied)
	e := l.entry("A1")
	require.Equal(t, 1, e.TimesExecuted)
	require.Equal(t, "10.10", e.Deducted)
	require.Equal(t, "0.83", e.Commission)
	require.Equal(t, "9990.73", l.ledger().Balance)
	require.Equal(t, json.Number("9990.73"), l.api("GetBalance", "").Balance)
}

func TestSendTransfer_Rule1_SendValueWithinBounds(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for value, want := range map[string]string{
		"1.99": "ParameterOutOfRange/SendValue", "80.01": "ParameterOutOfRange/SendValue",
		"0": "ParameterOutOfRange/SendValue", "-10": "ParameterOutOfRange/SendValue", "999999999": "ParameterOutOfRange/SendValue",
		"10.001": "ParameterInvalid/SendValue", "1e21": "ParameterInvalid/SendValue",
	} {
		l.send("A", map[string]any{"SendValue": json.Number(value)}).is(t, 400, 4, want)
	}
	l.send("least", map[string]any{"SendValue": json.Number("2")}).is(t, 200, 1, "")
	l.send("most", map[string]any{"SendValue": json.Number("8e1")}).is(t, 200, 1, "")
}

func TestSendTransfer_Rule2_SkuFromGetProducts(t *testing.T) {
	t.Parallel()
	newLab(t).send("A", map[string]any{"SkuCode": "GUESSED"}).is(t, 400, 4, "ParameterInvalid/SkuCode")
}

func TestSendTransfer_Rule3_DistributorRefIdentifiesTheTransfer(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, ref := range []string{"A1", "01ARZ3NDEKTSV4RRFFQ69G5FAV01ABCD", "ref with blanks & ümlauts", strings.Repeat("x", 100)} {
		r := l.send(ref, nil)
		r.is(t, 200, 1, "")
		require.Equal(t, ref, r.TransferRecord.TransferID.DistributorRef)
		require.Regexp(t, "^[0-9]+$", r.TransferRecord.TransferID.TransferRef)
		require.Equal(t, 1, l.entry(ref).TimesExecuted)
	}
}

func TestSendTransfer_ParametersMissing(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, name := range []string{"SkuCode", "SendValue", "AccountNumber", "DistributorRef"} {
		l.send("A", map[string]any{name: nil}).is(t, 400, 4, "ParameterMissing/"+name)
		l.send("A", map[string]any{name: json.RawMessage("null")}).is(t, 400, 4, "ParameterMissing/"+name)
	}
	l.api("SendTransfer", `{}`).is(t, 400, 4, "ParameterMissing/SkuCode,SendValue,AccountNumber,DistributorRef")
	l.send("A", map[string]any{"ValidateOnly": nil}).is(t, 400, 4, "ParameterInvalid/ValidateOnly")
	l.send(strings.Repeat("A", 101), nil).is(t, 400, 4, "ParameterInvalid/DistributorRef")
	require.Equal(t, "10000.00", l.ledger().Balance)
}

func TestSendTransfer_AccountNumberPassesTheRegex(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, number := range []string{"+353871234567", "353 87 1234567", "353851234567", "35387123456", "١٢٣", "☎"} {
		l.send("A", map[string]any{"AccountNumber": number}).is(t, 400, 4, "AccountNumberInvalid/AccountNumberFailedRegex")
	}
	// an alternate of the regex lets the default number of PIN products pass, the provider does not
	l.send("A", map[string]any{"AccountNumber": "0000000000"}).is(t, 400, 4, "AccountNumberInvalid/ProviderRefusedRequest")
}

func TestSendTransfer_Rule4_ValidateOnlyMakesNothing(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	r := l.send("A", map[string]any{"ValidateOnly": true})
	r.is(t, 200, 1, "")
	require.Nil(t, r.TransferRecord.TransferID)
	require.NotNil(t, r.TransferRecord.Price)
	require.Empty(t, l.list(""))
	require.Empty(t, l.ledger().Entries)
	require.Equal(t, "10000.00", l.ledger().Balance)

	check := func(account string) result {
		return l.send("A", map[string]any{"ValidateOnly": true, "AccountNumber": account})
	}
	check("353111").is(t, 400, 4, "AccountNumberInvalid/AccountNumberFailedRegex")
	check("353000000005").is(t, 400, 4, "AccountNumberInvalid/ProviderRefusedRequest")

	l.config(`{"openingBalance":"5.00"}`)
	l.must("POST", "/_sandbox/reset", "")
	l.send("A", map[string]any{"ValidateOnly": true}).is(t, 500, 5, "InsufficientBalance")
}

func TestSendTransfer_InsufficientBalanceHasAFailedRecordWithoutTransferID(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"openingBalance":"10.09"}`)
	l.must("POST", "/_sandbox/reset", "")
	r := l.send("A", nil)
	r.is(t, 500, 5, "InsufficientBalance")
	require.Equal(t, "Failed", r.TransferRecord.ProcessingState)
	require.Nil(t, r.TransferRecord.TransferID)
	require.Nil(t, r.TransferRecord.Price)
	require.Empty(t, l.list(""))

	l.must("POST", "/_sandbox/topup", `{"amount":"0.01"}`)
	l.send("A", nil).is(t, 200, 1, "")
	require.Equal(t, "0.83", l.ledger().Balance)
}

func TestSendTransfer_UATNumbersPickTheOutcomeByTheLastDigit(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for digit, want := range map[string]struct {
		status, code int
		err          string
	}{
		"0": {200, 1, ""}, "1": {429, 3, "RateLimited"},
		"2": {503, 3, "TransientProviderError/ProviderTimedOut"}, "3": {503, 3, "TransientProviderError/ProviderRefusedRequest"},
		"4": {500, 5, "ProviderError/ProductUnavailable"}, "5": {400, 4, "AccountNumberInvalid/ProviderRefusedRequest"},
		"6": {500, 5, "ProviderError/ProviderTemporarilyUnavailable"}, "7": {500, 5, "InsufficientBalance"},
		"8": {400, 4, "AccountNumberInvalid/AccountNumberFailedRegex"}, "9": {500, 5, "ProviderError/RechargeNotAllowed"},
	} {
		r := l.send("UAT"+digit, map[string]any{"AccountNumber": "35300000000" + digit})
		r.is(t, want.status, want.code, want.err)
	}
	require.Equal(t, "10000.00", l.ledger().Balance)
	require.Zero(t, l.entry("UAT0").TimesExecuted)
	require.True(t, l.entry("UAT0").Test)
}
