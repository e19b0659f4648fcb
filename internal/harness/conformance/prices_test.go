package conformance_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

func (b *bench) estimate(r apiclient.EstimationRequest) apiclient.EstimatedPrice {
	b.t.Helper()
	r.BatchItemRef = "1"
	got, err := b.EstimatePrices(b.t.Context(), []apiclient.EstimationRequest{r})
	require.NoError(b.t, err)
	require.Len(b.t, got.Items, 1)
	return got.Items[0]
}

func TestEstimates(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	forward := b.estimate(apiclient.EstimationRequest{SkuCode: topup, SendValue: "10.00"})
	require.Equal(t, apiclient.ResultSuccess, forward.ResultCode)
	require.Equal(t, "9.55 EUR for 10 EUR", fmt.Sprintf("%s %s for %s %s",
		forward.Price.ReceiveValue, forward.Price.ReceiveCurrencyIso, forward.Price.SendValue, forward.Price.SendCurrencyIso))
	require.Equal(t, forward.Price, b.estimate(apiclient.EstimationRequest{SkuCode: topup, ReceiveValue: "9.55"}).Price, "and the way back")
	dollars := b.estimate(apiclient.EstimationRequest{SkuCode: topup, SendValue: "11.64", SendCurrencyIso: "USD"})
	require.Equal(t, "9.55 for 11.64 USD", fmt.Sprintf("%s for %s %s", dollars.Price.ReceiveValue, dollars.Price.SendValue, dollars.Price.SendCurrencyIso))
	require.Equal(t, forward.Price, b.sent(order("R1", nil)).Price, "the transfer costs what was estimated")
}

func TestEstimateOfTheNearestValue(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	near := b.estimate(apiclient.EstimationRequest{SkuCode: topup, ReceiveValue: "100000"})
	require.Equal(t, apiclient.ResultWarning, near.ResultCode)
	require.Equal(t, []apiclient.ErrorCode{{Code: apiclient.CodeNearestMatch, Context: apiclient.ContextProviderCannotSupplyRequestReceiveValue}}, near.ErrorCodes)
	require.Equal(t, apiclient.Decimal("80"), near.Price.SendValue)
	require.Equal(t, 200, b.wire.last(t, "/api/V1/EstimatePrices").status)
	_, err := b.GetAccountLookup(t.Context(), "353811234567")
	require.NoError(t, err)
	require.Equal(t, 200, b.wire.last(t, "/api/V1/GetAccountLookup").status)
}

// A batch whose items fail each for itself, larger than one call may be.
func TestEstimatesInBatches(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	requests := make([]apiclient.EstimationRequest, 130)
	for i := range requests {
		requests[i] = apiclient.EstimationRequest{SkuCode: topup, SendValue: apiclient.Decimal(fmt.Sprintf("%d.00", 2+i%70)), BatchItemRef: fmt.Sprint(i)}
	}
	requests[3].SkuCode = "GUESSED"
	requests[125].ReceiveValue = "5.00"
	got, err := b.EstimatePrices(t.Context(), requests)
	require.NoError(t, err)
	require.Len(t, b.wire.of("/api/V1/EstimatePrices"), 2)
	require.Len(t, got.Items, len(requests))
	for i, item := range got.Items {
		require.Equal(t, fmt.Sprint(i), item.BatchItemRef)
		switch i {
		case 3:
			require.Equal(t, []apiclient.ErrorCode{{Code: apiclient.CodeParameterInvalid, Context: "SkuCode"}}, item.ErrorCodes)
			require.Nil(t, item.Price)
		case 125:
			require.Equal(t, []apiclient.ErrorCode{{Code: apiclient.CodeParameterCombinationInvalid, Context: "SendValue,ReceiveValue"}}, item.ErrorCodes)
			require.Nil(t, item.Price)
		default:
			require.Equal(t, fmt.Sprint(2+i%70), string(item.Price.SendValue))
		}
	}
}

// question asks for the bills of a holder.
func (b *bench) question() apiclient.LookupBillsRequest {
	b.t.Helper()
	biller := b.product(apiclient.ProductFilter{}, func(p apiclient.Product) bool {
		return p.LookupBillsRequired && p.ProcessingMode == apiclient.ModeInstant
	})
	q := apiclient.LookupBillsRequest{SkuCode: biller.SkuCode, AccountNumber: "1234567890"}
	for _, definition := range biller.SettingDefinitions {
		q.Settings = append(q.Settings, apiclient.Setting{Name: definition.Name, Value: "M. Popescu"})
	}
	return q
}

func TestABillIsLookedUpAndPaid(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	q := b.question()
	owed, err := b.LookupBills(t.Context(), q)
	require.NoError(t, err)
	require.NotEmpty(t, owed.Items)
	bill := owed.Items[0]
	require.NotEmpty(t, bill.AdditionalInfo)
	pay := order("R1", func(r *apiclient.SendTransferRequest) {
		r.SkuCode, r.AccountNumber, r.Settings, r.SendValue, r.BillRef = q.SkuCode, q.AccountNumber, q.Settings, bill.Price.SendValue, bill.BillRef
	})
	unnamed := pay
	unnamed.BillRef = ""
	_, err = b.send(unnamed)
	require.True(t, failed(t, err).HasContext(apiclient.CodeParameterMissing, "BillRef"))
	require.Equal(t, apiclient.StateComplete, b.sent(pay).ProcessingState)
	left, err := b.LookupBills(t.Context(), q)
	require.NoError(t, err)
	require.Len(t, left.Items, len(owed.Items)-1)
	require.NotContains(t, left.Items, bill)
}

// meter is a product that asks for one setting.
func (b *bench) meter() apiclient.Product {
	b.t.Helper()
	return b.product(apiclient.ProductFilter{CountryIsos: []string{"IE"}}, func(p apiclient.Product) bool {
		return len(p.SettingDefinitions) == 1 && !p.LookupBillsRequired
	})
}

// Settings go verbatim, the agent's own beside the provider's.
func TestSettingsArriveAsTheyWereSent(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	meter := b.meter()
	name := meter.SettingDefinitions[0].Name
	require.True(t, meter.SettingDefinitions[0].IsMandatory)
	sale := order("R1", func(r *apiclient.SendTransferRequest) {
		r.SkuCode, r.AccountNumber, r.SendValue = meter.SkuCode, "12345678901", meter.Minimum.SendValue
		r.Settings = []apiclient.Setting{{Name: name, Value: "12345678901"}, {Name: "till & shop", Value: "2 <é>"}}
	})
	b.sent(sale)
	require.JSONEq(t, string(marshalled(t, sale.Settings)), string(marshalled(t, b.entry("R1").Settings)))
	sale.Settings = sale.Settings[1:]
	_, err := b.send(sale)
	require.True(t, failed(t, err).HasContext(apiclient.CodeParameterMissing, name))
}
