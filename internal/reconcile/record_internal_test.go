package reconcile

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/sales"
)

// What a transfer has done to the balance, by its record: a batch is charged when it is accepted, anything else when it
// is complete, and the commission comes with the end.
func TestWhatARecordDidToTheBalance(t *testing.T) {
	t.Parallel()
	cost := ledger.Cost{Send: euros("10"), CustomerFee: euros("0.50"), DistributorFee: euros("0.20")}
	commission := euros("0.80")
	for _, c := range []struct {
		state       sales.State
		batch, told bool
		want        string
	}{
		{sales.Complete, false, true, "-9.40"},
		{sales.Complete, true, true, "-9.40"},
		{sales.Complete, false, false, "0.00"},
		{sales.Processing, false, true, "0.00"},
		{sales.Processing, true, true, "-10.20"},
		{sales.Submitted, true, true, "-10.20"},
		{sales.Cancelling, true, true, "-10.20"},
		{sales.Failed, true, true, "0.00"},
		{sales.Cancelled, true, true, "0.00"},
		{sales.None, true, true, "0.00"},
	} {
		r := Record{State: c.state, Commission: &commission}
		if c.told {
			r.Cost = &cost
		}
		require.Equal(t, c.want, money.Of(r.effect(c.batch), "EUR").Decimal(2), "%+v", c)
	}
	free := Record{State: sales.Complete, Cost: &cost}
	require.Equal(t, "-10.20", money.Of(free.effect(false), "EUR").Decimal(2), "no commission was told")
}

// What cannot be read of a listed item is left out, and the rest is read all the same.
func TestReadingAListedItem(t *testing.T) {
	t.Parallel()
	item := func(change func(*apiclient.TransferRecord)) apiclient.TransferRecordWithErrorCodes {
		r := apiclient.TransferRecord{
			TransferId: &apiclient.TransferId{TransferRef: "77", DistributorRef: "REF"}, SkuCode: "SKU1", AccountNumber: "353871234567",
			ProcessingState: "Completed", CommissionApplied: "0.80", StartedUtc: "2026-03-14T12:00:00Z",
			Price: &apiclient.Price{SendValue: "10.00", DistributorFee: "0.20", SendCurrencyIso: "EUR", ReceiveValue: "100", ReceiveCurrencyIso: "NGN"},
		}
		change(&r)
		return apiclient.TransferRecordWithErrorCodes{TransferRecord: r}
	}
	whole := readRecord(item(func(*apiclient.TransferRecord) {}), "USD")
	require.Equal(t, sales.Complete, whole.State)
	require.Equal(t, "77 REF SKU1 353871234567", strings.Join([]string{whole.TransferRef, whole.Ref, whole.SKU, whole.Account}, " "))
	require.Equal(t, "0.80 EUR", whole.Commission.String(), "in the currency of the price")
	require.Equal(t, "100.00 NGN", whole.Received.String())
	require.True(t, whole.At.Equal(asked))
	for name, c := range map[string]struct {
		change func(*apiclient.TransferRecord)
		lacks  string
	}{
		"no transfer":           {func(r *apiclient.TransferRecord) { r.TransferId = nil }, "ref"},
		"a state unheard of":    {func(r *apiclient.TransferRecord) { r.ProcessingState = "Pondering" }, "state"},
		"a time that is none":   {func(r *apiclient.TransferRecord) { r.StartedUtc = "noon" }, "time"},
		"no price":              {func(r *apiclient.TransferRecord) { r.Price = nil }, "cost received"},
		"a price that is none":  {func(r *apiclient.TransferRecord) { r.Price.SendValue = "ten" }, "cost"},
		"an amount that is not": {func(r *apiclient.TransferRecord) { r.Price.ReceiveValue = "" }, "received"},
		"no commission":         {func(r *apiclient.TransferRecord) { r.CommissionApplied = "" }, "commission"},
		"one too fine":          {func(r *apiclient.TransferRecord) { r.CommissionApplied = "0.80000001" }, "commission"},
	} {
		r := readRecord(item(c.change), "USD")
		var lacks []string
		for _, part := range []struct {
			name string
			gone bool
		}{
			{"ref", r.Ref == "" && r.TransferRef == ""},
			{"state", r.State == sales.None},
			{"time", r.At.IsZero()},
			{"cost", r.Cost == nil},
			{"received", r.Received == nil},
			{"commission", r.Commission == nil},
		} {
			if part.gone {
				lacks = append(lacks, part.name)
			}
		}
		require.Equal(t, c.lacks, strings.Join(lacks, " "), name)
	}
	unpriced := readRecord(item(func(r *apiclient.TransferRecord) { r.Price = nil }), "USD")
	require.Equal(t, "0.80 USD", unpriced.Commission.String(), "in the agent's currency")
}

// A draft is of the facts that decide it: in which open state a record is changes nothing, its end does.
func TestADraftIsOfWhatDecidesIt(t *testing.T) {
	t.Parallel()
	draft := func(change func(*Finding)) Break {
		r := Record{TransferRef: "77", State: sales.Submitted, Account: "353871234567", At: asked}
		f := Finding{Kind: ForeignSale, Subject: "77", Amount: euros("-10"), Float: -10_000_000, Records: []Record{r}}
		change(&f)
		b, err := f.draft()
		require.NoError(t, err)
		return b
	}
	plain := draft(func(*Finding) {})
	require.Equal(t, "EUR", string(plain.Currency))
	require.EqualValues(t, -10_000_000, plain.Micros)
	require.True(t, plain.TheirsAt.Equal(asked))
	e, err := plain.Read()
	require.NoError(t, err)
	require.Equal(t, "4567", e.Theirs[0].Account, "no more of a number than its end")
	require.Equal(t, plain.Digest, draft(func(f *Finding) { f.Records[0].State = sales.Processing }).Digest)
	require.NotEqual(t, plain.Digest, draft(func(f *Finding) { f.Records[0].State = sales.Complete }).Digest)
	require.NotEqual(t, plain.Digest, draft(func(f *Finding) { f.Records[0].TransferRef = "78" }).Digest)
	require.NotEqual(t, plain.Digest, draft(func(f *Finding) { f.Amount = euros("-10.01") }).Digest)
	for account, shown := range map[string]string{"353871234567": "4567", "4567": "4567", "567": "567", "": "", sales.Erased: sales.Erased} {
		require.Equal(t, shown, tail(account), account)
	}
}

// A difference that was told of by an incident is the same when a list shows it first; other evidence is another.
func TestWhenEvidenceIsTheSame(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		known, now string
		same       bool
	}{
		{"a", "a", true},
		{"a", "b", false},
		{toldBySale + "1", "a", true},
		{toldBySale + "1", toldBySale + "1", true},
		{toldBySale + "1", toldBySale + "2", false},
		{"a", toldBySale + "1", false},
	} {
		require.Equal(t, c.same, Break{Digest: c.known}.sameAs(Break{Digest: c.now}), "%s, %s", c.known, c.now)
	}
	require.NotEqual(t, digestOf("ab", "c"), digestOf("a", "bc"))
	require.NotEqual(t, digestOf("a"), digestOf("a", ""))
}
