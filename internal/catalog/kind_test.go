package catalog_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/catalog"
)

func wireProduct(t *testing.T, change func(p *apiclient.Product)) apiclient.Product {
	t.Helper()
	p := apiclient.Product{
		SkuCode: "S1", ProviderCode: "P1", ProcessingMode: "Instant", RedemptionMechanism: "Immediate",
		Benefits: []string{"Mobile", "Minutes"}, CommissionRate: "0.07",
		Minimum: apiclient.Price{SendValue: "1.00", SendCurrencyIso: "EUR", ReceiveValue: "10", ReceiveCurrencyIso: "USD", ReceiveValueExcludingTax: "8", CustomerFee: "0.50", DistributorFee: "0"},
		Maximum: apiclient.Price{SendValue: "5.00", SendCurrencyIso: "EUR", ReceiveValue: "50", ReceiveCurrencyIso: "USD", ReceiveValueExcludingTax: "40", CustomerFee: "0.50", DistributorFee: "0"},
	}
	if change != nil {
		change(&p)
	}
	body, err := json.Marshal(p) // as it comes from the wire
	require.NoError(t, err)
	var back apiclient.Product
	require.NoError(t, json.Unmarshal(body, &back))
	return back
}

func TestKinds(t *testing.T) {
	t.Parallel()
	const account, receipt = "Immediate", "ReadReceipt"
	for _, c := range []struct {
		redemption string
		benefits   []string
		want       catalog.Kind
	}{
		{account, []string{"Mobile", "Minutes"}, catalog.KindTopUp},
		{account, []string{"Mobile"}, catalog.KindTopUp},
		{account, []string{"Balance"}, catalog.KindTopUp},
		{account, []string{"Data", "Mobile"}, catalog.KindData},
		{account, []string{"Internet"}, catalog.KindData},
		{account, []string{"Minutes", "Data", "Mobile"}, catalog.KindBundle},
		{account, []string{"Minutes"}, catalog.KindMinutes},
		{receipt, []string{"Mobile", "Minutes"}, catalog.KindPIN},
		{receipt, []string{"Data"}, catalog.KindPIN},
		{receipt, []string{"LongDistance", "Minutes"}, catalog.KindLongDistance},
		{receipt, []string{"Digital Product"}, catalog.KindVoucher},
		{receipt, []string{"Electricity", "Utility"}, catalog.KindElectricity},
		{account, []string{"TV", "Utility"}, catalog.KindTV},
		{account, []string{"Utility"}, catalog.KindBill},
		{account, []string{"Telepathy"}, catalog.KindOther},
		{account, nil, catalog.KindOther},
		{"SomethingNew", []string{"Mobile", "Hologram"}, catalog.KindTopUp},
	} {
		w := wireProduct(t, func(p *apiclient.Product) {
			p.Benefits, p.RedemptionMechanism = c.benefits, apiclient.RedemptionMechanism(c.redemption)
		})
		require.Equal(t, c.want, catalog.ProductFrom(&w).Kind, "%s %v", c.redemption, c.benefits)
	}
	bill := wireProduct(t, func(p *apiclient.Product) { p.LookupBillsRequired = true })
	require.Equal(t, catalog.KindBill, catalog.ProductFrom(&bill).Kind)
}

func TestUnsellableProductsSayWhy(t *testing.T) {
	t.Parallel()
	for why, change := range map[string]func(p *apiclient.Product){
		"":                   nil,
		"no SKU or provider": func(p *apiclient.Product) { p.ProviderCode = "" },
		"an amount is finer": func(p *apiclient.Product) { p.Minimum.ReceiveValue = "0.0000001" },
		"an amount cannot":   func(p *apiclient.Product) { p.Maximum.SendValue = "1e21" },
		"the send values":    func(p *apiclient.Product) { p.Minimum.SendValue = "6" },
		"the receive values": func(p *apiclient.Product) { p.Minimum.ReceiveValue = "-1" },
		"a fee":              func(p *apiclient.Product) { p.Minimum.CustomerFee = "2" },
		"the currencies":     func(p *apiclient.Product) { p.Maximum.ReceiveCurrencyIso = "GBP" },
		"the commission":     func(p *apiclient.Product) { p.CommissionRate = "99e99999" },
	} {
		w := wireProduct(t, change)
		p := catalog.ProductFrom(&w)
		if why == "" {
			require.Empty(t, p.Unsellable)
		} else {
			require.Contains(t, p.Unsellable, why)
		}
	}
	for _, c := range []struct {
		why    string
		change func(p *apiclient.Product)
	}{ // the other end of the range is sold, too
		{"a fee", func(p *apiclient.Product) { p.Maximum.CustomerFee = "6" }},
		{"a fee", func(p *apiclient.Product) { p.Maximum.DistributorFee = "-1" }},
		{"a fee", func(p *apiclient.Product) { p.Minimum.CustomerFee = "-1" }},
		{"no SKU or provider", func(p *apiclient.Product) { p.SkuCode = "" }},
		{"the send values", func(p *apiclient.Product) { p.Minimum.SendValue = "0" }},
		{"the receive values", func(p *apiclient.Product) { p.Maximum.ReceiveValue = "0" }},
		{"the currencies", func(p *apiclient.Product) { p.Maximum.SendCurrencyIso = "GBP" }},
		{"the currencies", func(p *apiclient.Product) { p.Minimum.SendCurrencyIso, p.Maximum.SendCurrencyIso = "e1", "e1" }},
	} {
		w := wireProduct(t, c.change)
		require.Contains(t, catalog.ProductFrom(&w).Unsellable, c.why)
	}
}

func TestAbsentPartsOfAPriceAreNothing(t *testing.T) {
	t.Parallel()
	w := wireProduct(t, func(p *apiclient.Product) {
		p.Minimum.CustomerFee, p.Minimum.DistributorFee, p.Minimum.ReceiveValueExcludingTax = "", "", ""
	})
	p := catalog.ProductFrom(&w)
	require.Empty(t, p.Unsellable)
	require.Equal(t, p.Minimum.Receive(), p.Minimum.ReceiveExcludingTax())
	require.True(t, p.Minimum.CustomerFee().IsZero())
	w = wireProduct(t, func(p *apiclient.Product) { p.Minimum.ReceiveValueExcludingTax = "0.5" })
	p = catalog.ProductFrom(&w)
	require.EqualValues(t, 500_000, p.Minimum.ReceiveExcludingTax().Micros())
}

// A test number with letters is one: without them it would be somebody's account.
func TestATestNumberComesAsTheServiceHasIt(t *testing.T) {
	t.Parallel()
	w := wireProduct(t, func(p *apiclient.Product) { p.UatNumber = " AB-0000 0000" })
	p := catalog.ProductFrom(&w)
	require.Equal(t, "AB-00000000", p.TestNumber())
	require.True(t, p.IsTest("AB00000003"))
	require.False(t, p.IsTest("00000003"), "a meter's number")
}
