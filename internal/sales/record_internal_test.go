package sales

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/vault"
)

// read is what a record of a sale that is being sent tells.
func factsOf(t *testing.T, sale *Sale, record *apiclient.TransferRecord) *Facts {
	t.Helper()
	keys, err := vault.New(vault.NewKey())
	require.NoError(t, err)
	return reader{vault: keys, sale: sale, ref: sale.Ref, now: noon}.facts(record)
}

// Amounts that cannot be taken as they are never hide the outcome: the quote stands in, and a person is told why.
func TestAmountsOfARecord(t *testing.T) {
	t.Parallel()
	const asQuoted = "10.20 EUR"
	for name, c := range map[string]struct {
		change     func(*apiclient.TransferRecord)
		odd        string
		cost       string // "": the quote stands in
		commission string
		receive    bool
	}{
		"as quoted": {func(*apiclient.TransferRecord) {}, "", asQuoted, "0.80 EUR", true},
		"cheaper": {
			func(r *apiclient.TransferRecord) { r.Price.SendValue = "9.90" }, "not the quoted one", "10.10 EUR", "0.80 EUR", true,
		},
		"another fee alone": {
			func(r *apiclient.TransferRecord) { r.Price.CustomerFee = "0.60" }, "not the quoted one", asQuoted, "0.80 EUR", true,
		},
		"fees left out": {
			func(r *apiclient.TransferRecord) { r.Price.CustomerFee, r.Price.DistributorFee = "", "" }, "not the quoted one",
			"10.00 EUR", "0.80 EUR", true,
		},
		"in another currency": {
			func(r *apiclient.TransferRecord) { r.Price.SendCurrencyIso = "USD" }, "another currency", "", "0.80 EUR", true,
		},
		"finer than a millionth": {
			func(r *apiclient.TransferRecord) { r.Price.SendValue = "10.00000001" }, "no exact amount", "", "0.80 EUR", true,
		},
		"no price": {func(r *apiclient.TransferRecord) { r.Price = nil }, "", "", "0.80 EUR", false},
		"failed: its price is of nothing": {
			func(r *apiclient.TransferRecord) { r.ProcessingState, r.Price.SendValue = apiclient.StateFailed, "0" }, "", "",
			"0.80 EUR", false,
		},
		"no commission": {
			func(r *apiclient.TransferRecord) { r.CommissionApplied = "" }, "", asQuoted, "0.00 EUR", true,
		},
		"a commission that is none": {
			func(r *apiclient.TransferRecord) { r.CommissionApplied = "1e-9" }, "commission", asQuoted, "0.00 EUR", true,
		},
		"received in another currency": {
			func(r *apiclient.TransferRecord) { r.Price.ReceiveCurrencyIso = "MXN" }, "", asQuoted, "0.80 EUR", false,
		},
		"received in no number": {
			func(r *apiclient.TransferRecord) { r.Price.ReceiveValue = "ten" }, "", asQuoted, "0.80 EUR", false,
		},
	} {
		r := newRun(t, "Instant").sent()
		f := factsOf(t, &r.sale, answered("Complete", c.change).response.TransferRecord)
		if c.odd == "" {
			require.Empty(t, f.Odd, name)
		} else {
			require.Contains(t, f.Odd, c.odd, name)
		}
		if c.cost == "" {
			require.Nil(t, f.Cost, name)
		} else {
			total, err := f.Cost.Total()
			require.NoError(t, err, name)
			require.Equal(t, c.cost, total.String(), name)
		}
		require.Equal(t, c.commission, f.Commission.String(), name)
		require.Equal(t, c.receive, f.Receive != nil && f.ReceiveExTax != nil, name)
	}
}

// Where a price could not be taken, what the sale was quoted stands as its cost, to the cent.
func TestTheQuoteStandsInForAPriceThatCannotBeTaken(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").sent().read(answered("Complete", func(r *apiclient.TransferRecord) {
		r.Price.SendCurrencyIso = "USD"
	}))
	require.Equal(t, Complete, r.sale.Fulfilment)
	require.Equal(t, r.sale.Quoted(), r.sale.Actual())
	require.Equal(t, []IncidentKind{OddAmount}, r.kinds)
}

const secretPIN = "1234-5678-9012"

func withPIN(r *apiclient.TransferRecord) {
	r.ReceiptText = "Your PIN is " + secretPIN
	r.ReceiptParams = apiclient.Params{"pin": secretPIN, "serial": "SN-77", "providerRef": "P99"}
}

func TestARecordsReceiptIsSealed(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").sent()
	f := factsOf(t, &r.sale, answered("Complete", withPIN).response.TransferRecord)
	require.NotEmpty(t, f.SealedReceipt)
	require.NotContains(t, f.SealedReceipt, secretPIN)
	require.Equal(t, "9012", f.PINHint)
	require.Equal(t, "P99", f.ProviderRef)
	require.Len(t, f.SerialHash, 64)
	require.Empty(t, f.Odd)
	none := factsOf(t, &r.sale, answered("Complete").response.TransferRecord)
	require.Empty(t, none.SealedReceipt+none.PINHint+none.SerialHash, "nothing is sealed of nothing")
}

// What a customer had erased does not come back with the list: the record is still theirs, its receipt is left out.
func TestAnErasedSaleTakesNoReceipt(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").sent()
	r.sale.AccountNumber = Erased
	r.read(answered("Complete", withPIN))
	require.Equal(t, Complete, r.sale.Fulfilment, "its number is no longer compared")
	require.Empty(t, r.kinds)
	require.Equal(t, "77", r.sale.TransferRef)
	require.Empty(t, r.sale.SealedReceipt+r.sale.PINHint+r.sale.ProviderRef)
}

// The number may be written otherwise, and what a record does not say is no contradiction.
func TestARecordIsOursUnlessItSaysOtherwise(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").sent()
	for name, c := range map[string]struct {
		change  func(*apiclient.TransferRecord)
		foreign bool
	}{
		"as sent":                {func(*apiclient.TransferRecord) {}, false},
		"its own ref":            {func(x *apiclient.TransferRecord) { x.TransferId.DistributorRef = r.sale.Ref }, false},
		"another ref":            {func(x *apiclient.TransferRecord) { x.TransferId.DistributorRef = "X" }, true},
		"the number with a plus": {func(x *apiclient.TransferRecord) { x.AccountNumber = "+353 87 123 4567" }, false},
		"a digit more":           {func(x *apiclient.TransferRecord) { x.AccountNumber += "1" }, true},
		"no number":              {func(x *apiclient.TransferRecord) { x.AccountNumber = "" }, false},
		"no product":             {func(x *apiclient.TransferRecord) { x.SkuCode = "" }, false},
		"another product":        {func(x *apiclient.TransferRecord) { x.SkuCode = "sku1" }, true},
		"nothing but a state":    {func(x *apiclient.TransferRecord) { *x = apiclient.TransferRecord{ProcessingState: "Complete"} }, false},
	} {
		record := answered("Complete", c.change).response.TransferRecord
		require.Equal(t, c.foreign, reader{sale: &r.sale, ref: r.sale.Ref}.foreign(record), name)
	}
	require.True(t, reader{sale: &r.sale, ref: r.sale.Ref}.foreign(nil), "there is no record")
}

// Only a returned state Cancelled is a cancellation; whatever else comes is noted and decides nothing.
func TestAnAnswerToACancellationIsRead(t *testing.T) {
	t.Parallel()
	codes := []apiclient.ErrorCode{{Code: "ParameterInvalid", Context: "TransferNotFound"}, {Code: "OtherError"}}
	for name, c := range map[string]struct {
		item    apiclient.TransferWithState
		state   State
		context string
	}{
		"cancelled":               {apiclient.TransferWithState{ResultCode: 1, ProcessingState: "Cancelled"}, Cancelled, "Cancelled"},
		"cancelled, with warning": {apiclient.TransferWithState{ResultCode: 2, ProcessingState: "Cancelled"}, Cancelled, "Cancelled"},
		"asked of the provider":   {apiclient.TransferWithState{ResultCode: 1, ProcessingState: "Cancelling"}, None, "Cancelling"},
		"too late":                {apiclient.TransferWithState{ResultCode: 1, ProcessingState: "Complete"}, None, "Complete"},
		"refused":                 {apiclient.TransferWithState{ResultCode: 4, ProcessingState: "Cancelled", ErrorCodes: codes}, None, "TransferNotFound"},
		"refused without a word":  {apiclient.TransferWithState{ResultCode: 5}, None, ""},
	} {
		o := ReadCancelled(Sale{Send: Send{Ref: "REF"}}, c.item, noon)
		require.Equal(t, Observation{
			Cause: CancelAnswered, Ref: "REF", At: noon, Source: "cancel", State: c.state, ReasonContext: c.context,
		}, o, name)
	}
}

// A receipt is kept while the product can be redeemed, and never shorter than the upstream's list has it.
func TestHowLongAReceiptIsKept(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for validity, want := range map[string][2]time.Duration{ // by default, and with 200 days set
		"": {61 * day, 200 * day}, "soon": {61 * day, 200 * day}, "P30D": {61 * day, 200 * day},
		"PT36H": {61 * day, 200 * day}, "P90D": {90 * day, 200 * day}, "P3M": {93 * day, 200 * day},
		"P1Y": {366 * day, 366 * day}, "P1Y1M1DT1H": {398*day + time.Hour, 398*day + time.Hour},
		"P100Y1200M36600D": {36_600 * day, 36_600 * day},
		"P999Y":            {36_600 * day, 36_600 * day},
	} {
		require.Equal(t, want[0], New(Deps{}).keep(validity), validity)
		require.Equal(t, want[1], New(Deps{KeepReceipts: 200 * day}).keep(validity), validity)
	}
	require.Equal(t, KeepReceiptsLeast, New(Deps{KeepReceipts: day}).keep(""), "never shorter")
}

// A way to redeem that nobody knows counts as reading the receipt: it may be as good as cash.
func TestWhoReadsTheReceiptMayRedeemIt(t *testing.T) {
	t.Parallel()
	for redemption, on := range map[string]bool{
		"": false, "Immediate": false, "ReadAdditionalInformation": false, "ReadReceipt": true, "ByPigeon": true,
	} {
		require.Equal(t, on, (&Sale{Terms: Terms{Redemption: redemption}}).onReceipt(), redemption)
	}
}
