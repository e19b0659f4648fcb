package sandbox_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// estimated is an item of EstimatePrices.
type estimated struct {
	BatchItemRef, SkuCode string
	ResultCode            int
	ErrorCodes            []struct{ Code, Context string }
	Price                 *price
}

func (l *lab) estimate(fields string) estimated {
	l.t.Helper()
	r := l.api("EstimatePrices", `[{"BatchItemRef":"1",`+fields+`}]`)
	r.is(l.t, 200, 1, "")
	all := items[estimated](l.t, r)
	require.Len(l.t, all, 1)
	return all[0]
}

func (e estimated) is(t *testing.T, code int, want string) {
	t.Helper()
	require.Equal(t, code, e.ResultCode)
	got := ""
	if len(e.ErrorCodes) > 0 {
		got = strings.TrimSuffix(e.ErrorCodes[0].Code+"/"+e.ErrorCodes[0].Context, "/")
	}
	require.Equal(t, want, got)
}

func TestEstimatePrices_Rule1_NotBothValues(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	e := l.estimate(`"SkuCode":"IE_LU_TopUp","SendValue":10,"ReceiveValue":9.55`)
	e.is(t, 4, "ParameterCombinationInvalid/SendValue,ReceiveValue")
	require.Nil(t, e.Price, "fields are filled in on success only")
	require.Empty(t, e.SkuCode)
	l.estimate(`"SkuCode":"IE_LU_TopUp"`).is(t, 4, "ParameterMissing/SendValue,ReceiveValue")
	l.estimate(`"SkuCode":"IE_LU_TopUp","SendValue":0,"ReceiveValue":null`).is(t, 4, "ParameterMissing/SendValue,ReceiveValue")
}

func TestEstimatePrices_Rule2_ReceiveValueGivesTheSendValue(t *testing.T) {
	t.Parallel()
	e := newLab(t).estimate(`"SkuCode":"IE_LU_TopUp","SendValue":0,"ReceiveValue":9.55`)
	e.is(t, 1, "")
	require.Equal(t, json.Number("10"), e.Price.SendValue)
	require.Equal(t, "EUR", e.Price.SendCurrencyIso)
	require.Equal(t, "IE_LU_TopUp", e.SkuCode)
}

func TestEstimatePrices_Rule3_SendValueInAgentCurrency(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, fields := range []string{`"SendValue":10`, `"SendValue":10.00,"SendCurrencyIso":""`, `"SendValue":10,"SendCurrencyIso":null,"ReceiveValue":0`} {
		e := l.estimate(`"SkuCode":"IE_LU_TopUp",` + fields)
		e.is(t, 1, "")
		require.Equal(t, json.Number("9.55"), e.Price.ReceiveValue)
	}
	l.estimate(`"SkuCode":"IE_LU_TopUp","SendValue":1.99`).is(t, 4, "ParameterOutOfRange/SendValue")
	l.estimate(`"SkuCode":"IE_LU_TopUp","SendValue":80.01`).is(t, 4, "ParameterOutOfRange/SendValue")
	l.estimate(`"SkuCode":"IE_LU_TopUp","SendValue":-1`).is(t, 4, "ParameterOutOfRange/SendValue")
	l.estimate(`"SkuCode":"IE_LU_TopUp","SendValue":10.005`).is(t, 4, "ParameterInvalid/SendValue")
	l.estimate(`"SkuCode":"IE_LU_TopUp","SendValue":"10"`).is(t, 4, "ParameterInvalid/SendValue")
	l.estimate(`"SkuCode":"NONE","SendValue":1`).is(t, 4, "ParameterInvalid/SkuCode")
	l.estimate(`"SendValue":1`).is(t, 4, "ParameterMissing/SkuCode")
}

func TestEstimatePrices_Rule4_SendValueInAnotherCurrency(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	e := l.estimate(`"SkuCode":"IE_LU_TopUp","SendValue":11.64,"SendCurrencyIso":"USD"`)
	e.is(t, 1, "")
	require.Equal(t, json.Number("11.64"), e.Price.SendValue)
	require.Equal(t, "USD", e.Price.SendCurrencyIso)
	require.Equal(t, json.Number("9.55"), e.Price.ReceiveValue)
	l.estimate(`"SkuCode":"IE_LU_TopUp","SendValue":10,"SendCurrencyIso":"XXX"`).is(t, 4, "ParameterInvalid/SendCurrencyIso")

	other := map[string]any{"SendValue": json.Number("11.64"), "SendCurrencyIso": "USD"}
	l.send("A", other).is(t, 400, 4, "ParameterInvalid/SendCurrencyIso")
	l.config(`{"sendCurrencies":["USD"]}`)
	l.send("B", other).is(t, 200, 1, "")
	require.Equal(t, "10.10", l.entry("B").Deducted, "the balance moves in the agent's currency")
}

func TestEstimatePrices_Rule5_PricesAreThoseOfTheProducts(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, p := range l.products("?countryIsos=IE&countryIsos=CO") {
		for _, bound := range []price{p.Minimum, p.Maximum} {
			e := l.estimate(fmt.Sprintf(`"SkuCode":%q,"SendValue":%s`, p.SkuCode, bound.SendValue))
			e.is(t, 1, "")
			require.Equal(t, bound, *e.Price)
			e = l.estimate(fmt.Sprintf(`"SkuCode":%q,"ReceiveValue":%s`, p.SkuCode, bound.ReceiveValue))
			e.is(t, 1, "")
			require.Equal(t, bound.ReceiveValue, e.Price.ReceiveValue)
		}
		l.config(`{"limits":false}`)
	}
}

func TestEstimatePrices_Rule6_NearestMatch(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.product(func(p *product) bool {
		return p.Minimum.ReceiveCurrencyIso == "COP" && !p.fixed() && p.LookupBillsRequired == false
	})
	e := l.estimate(fmt.Sprintf(`"SkuCode":%q,"ReceiveValue":20000.5`, p.SkuCode))
	e.is(t, 2, "NearestMatch/ProviderCannotSupplyRequestReceiveValue")
	require.NotContains(t, e.Price.ReceiveValue.String(), ".", "the currency has whole units only")

	e = l.estimate(`"SkuCode":"IE_LU_TopUp","ReceiveValue":100000`)
	e.is(t, 2, "NearestMatch/ProviderCannotSupplyRequestReceiveValue")
	require.Equal(t, json.Number("80"), e.Price.SendValue)
	fixed := l.product(func(p *product) bool { return p.fixed() })
	e = l.estimate(fmt.Sprintf(`"SkuCode":%q,"ReceiveValue":0.01`, fixed.SkuCode))
	e.is(t, 2, "NearestMatch/ProviderCannotSupplyRequestReceiveValue")
	require.Equal(t, fixed.Minimum, *e.Price)
	l.estimate(`"SkuCode":"IE_LU_TopUp","ReceiveValue":-1`).is(t, 4, "ParameterOutOfRange/ReceiveValue")
}

func TestBatch_Rule1_BatchItemRefIsUnique(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.api("EstimatePrices", `[{"BatchItemRef":"1","SkuCode":"IE_LU_TopUp","SendValue":5},{"BatchItemRef":"1","SkuCode":"IE_LU_TopUp","SendValue":6}]`).
		is(t, 400, 4, "BatchItemRefMustBeUnique")
	l.api("CancelTransfers", `[{"BatchItemRef":"1","TransferId":{"TransferRef":"1"}},{"BatchItemRef":"1","TransferId":{"TransferRef":"2"}}]`).
		is(t, 400, 4, "BatchItemRefMustBeUnique")
	l.api("EstimatePrices", `[{"SkuCode":"IE_LU_TopUp","SendValue":5}]`).is(t, 400, 4, "RequestInvalid")
	l.api("CancelTransfers", `[{"TransferId":{"TransferRef":"1","DistributorRef":"A"}}]`).is(t, 400, 4, "RequestInvalid")
}

func TestBatch_Rule2_EachItemHasItsOwnResult(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	r := l.api("EstimatePrices", `[{"BatchItemRef":"good","SkuCode":"IE_LU_TopUp","SendValue":10},{"BatchItemRef":"bad","SkuCode":"IE_LU_TopUp","SendValue":1},
		{"BatchItemRef":"near","SkuCode":"IE_LU_TopUp","ReceiveValue":9999}]`)
	r.is(t, 200, 1, "")
	byRef := map[string]estimated{}
	for _, e := range items[estimated](t, r) {
		byRef[e.BatchItemRef] = e
	}
	byRef["good"].is(t, 1, "")
	require.NotNil(t, byRef["good"].Price)
	byRef["bad"].is(t, 4, "ParameterOutOfRange/SendValue")
	require.Nil(t, byRef["bad"].Price)
	byRef["near"].is(t, 2, "NearestMatch/ProviderCannotSupplyRequestReceiveValue")
	require.NotNil(t, byRef["near"].Price)
}

func TestBatch_Rule3_OverallFailureHandlesNoItem(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.sendBatch("A")
	l.api("CancelTransfers", `[{"BatchItemRef":"1","TransferId":{"DistributorRef":"A"}},{"BatchItemRef":"1","TransferId":{"DistributorRef":"A"}}]`).
		is(t, 400, 4, "BatchItemRefMustBeUnique")
	l.api("CancelTransfers", `[{"BatchItemRef":"1","TransferId":{"DistributorRef":"A"}},{"TransferId":{"DistributorRef":"A"}}]`).is(t, 400, 4, "RequestInvalid")
	require.Equal(t, "Submitted", l.list("")[0].TransferRecord.ProcessingState)
}

func TestBatch_Rule3_OverallSuccessWithEveryItemFailed(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	r := l.api("EstimatePrices", `[{"BatchItemRef":"1","SkuCode":"NO","SendValue":5},{"BatchItemRef":"2","SkuCode":"NO","SendValue":5}]`)
	r.is(t, 200, 1, "")
	require.Len(t, r.Items, 2)
	for _, e := range items[estimated](t, r) {
		e.is(t, 4, "ParameterInvalid/SkuCode")
	}
	r = l.api("CancelTransfers", `[{"BatchItemRef":"1","TransferId":{"TransferRef":"1"}},{"BatchItemRef":"2","TransferId":{"TransferRef":"2"}}]`)
	r.is(t, 200, 1, "")
	require.Len(t, r.Items, 2)
	for _, c := range items[cancelled](t, r) {
		require.Equal(t, 4, c.ResultCode)
	}
}

func TestBatch_Rule4_OrderOfItemsIsNotKept(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	var batch, asked []string
	for i := range 100 {
		asked = append(asked, fmt.Sprint(i))
		batch = append(batch, fmt.Sprintf(`{"BatchItemRef":"%d","SkuCode":"IE_LU_TopUp","SendValue":5}`, i))
	}
	var answered []string
	for _, e := range items[estimated](t, l.api("EstimatePrices", "["+strings.Join(batch, ",")+"]")) {
		answered = append(answered, e.BatchItemRef)
	}
	require.ElementsMatch(t, asked, answered)
	require.NotEqual(t, asked, answered)
	l.api("EstimatePrices", "["+strings.Join(batch, ",")+`,{"BatchItemRef":"100"}]`).is(t, 400, 4, "TooManyParameters/BatchItemRef")
}

// rat is a number of the wire as it is.
func rat(t *testing.T, n json.Number) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(n.String())
	require.True(t, ok, n)
	return r
}

func TestPrices_TaxIsInsideOrTakenOff(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	calculations := map[string]bool{}
	for _, p := range l.products("") {
		if p.Minimum.TaxName != nil && p.Minimum.TaxCalculation == nil {
			calculations["provider's"] = true
			require.Equal(t, p.Minimum.ReceiveValue, p.Minimum.ReceiveValueExcludingTax)
		}
		if p.Minimum.TaxCalculation != nil {
			calculations[*p.Minimum.TaxCalculation] = true
			require.NotEqual(t, p.Maximum.ReceiveValue, p.Maximum.ReceiveValueExcludingTax)
			want := new(big.Rat).Mul(rat(t, p.Maximum.ReceiveValue), new(big.Rat).Sub(big.NewRat(1, 1), rat(t, p.Maximum.TaxRate)))
			if *p.Maximum.TaxCalculation == "Inclusive" {
				want.Quo(rat(t, p.Maximum.ReceiveValue), new(big.Rat).Add(big.NewRat(1, 1), rat(t, p.Maximum.TaxRate)))
			}
			off := new(big.Rat).Abs(want.Sub(want, rat(t, p.Maximum.ReceiveValueExcludingTax)))
			require.LessOrEqual(t, off.Cmp(big.NewRat(1, 2)), 0, "%s is off by %s, more than half a whole unit", p.SkuCode, off)
		}
	}
	require.Len(t, calculations, 3)
}
