package reconcile_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"airtill/internal/harness/apptest"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
)

var morning = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func costOf(send, fee, distributor string) ledger.Cost {
	return ledger.Cost{Send: apptest.EUR(send), CustomerFee: apptest.EUR(fee), DistributorFee: apptest.EUR(distributor)}
}

// sold is the check of the design: S 10.00, c 0.50, d 0.20, k 0.80.
func sold(change func(*reconcile.Sold)) *reconcile.Sold {
	s := &reconcile.Sold{
		ID: "01SALE", ShopID: "shop", Fulfilment: sales.Complete, SKU: "IE_A_10", Account: "353871234567",
		Quoted: costOf("10.00", "0.50", "0.20"), Actual: costOf("10.00", "0.50", "0.20"), Receive: apptest.EUR("9.50"), Rate: "0.08", Commission: apptest.EUR("0.80"),
		Ref: ownRef, PermitAt: morning, Float: -9_400_000,
	}
	if change != nil {
		change(s)
	}
	return s
}

const ownRef = "INST01SALE000000000000000000A101"

// listed is the upstream's record of the same transfer.
func listed(change func(*reconcile.Record)) reconcile.Record {
	cost, commission, received := costOf("10.00", "0.50", "0.20"), apptest.EUR("0.80"), apptest.EUR("9.50")
	r := reconcile.Record{
		TransferRef: "7001", Ref: ownRef, State: sales.Complete, SKU: "IE_A_10", Account: "353871234567", Cost: &cost, Commission: &commission, Received: &received, At: morning,
	}
	if change != nil {
		change(&r)
	}
	return r
}

func window() reconcile.Window {
	return reconcile.Window{From: morning.Add(-time.Hour), To: morning.Add(time.Hour), Installations: []string{"INST"}, Declared: []string{"POS2-"}}
}

func some(a money.Amount) *money.Amount { return &a }

// TestMatch holds every kind of difference, with its amount and what it does to
// the float, against the records and the sale that make it.
func TestMatch(t *testing.T) {
	t.Parallel()
	type want struct {
		kind   reconcile.Kind
		amount string
		float  int64
	}
	other := func(ref string, change func(*reconcile.Record)) reconcile.Record {
		return listed(func(r *reconcile.Record) {
			r.TransferRef, r.Ref = "7002", ref
			if change != nil {
				change(r)
			}
		})
	}
	dear := costOf("10.00", "0.50", "0.70")
	for name, c := range map[string]struct {
		sale    *reconcile.Sold
		records []reconcile.Record
		want    []want
		open    int
	}{
		"agrees":                        {sale: sold(nil), records: []reconcile.Record{listed(nil)}},
		"a row repeated by paging":      {sale: sold(nil), records: []reconcile.Record{listed(nil), listed(nil)}},
		"no price and no commission":    {sale: sold(nil), records: []reconcile.Record{listed(func(r *reconcile.Record) { r.Cost, r.Commission, r.Received = nil, nil, nil })}},
		"not listed":                    {sale: sold(nil), want: []want{{reconcile.MissingUpstream, "9.40", 0}}},
		"not listed, before the window": {sale: sold(func(s *reconcile.Sold) { s.PermitAt = morning.Add(-2 * time.Hour) })},
		"not listed, failed here":       {sale: sold(func(s *reconcile.Sold) { s.Fulfilment, s.Float = sales.Failed, 0 })},
		"batch accepted, not listed": {
			sale: sold(func(s *reconcile.Sold) { s.Fulfilment, s.Batch, s.Float = sales.Submitted, true, 0 }), want: []want{{reconcile.MissingUpstream, "10.20", 0}},
		},
		"batch under way, not listed": {
			sale: sold(func(s *reconcile.Sold) { s.Fulfilment, s.Batch, s.Float = sales.Processing, true, 0 }), want: []want{{reconcile.MissingUpstream, "10.20", 0}},
		},
		"batch that failed, not listed": {sale: sold(func(s *reconcile.Sold) { s.Fulfilment, s.Batch, s.Float = sales.Failed, true, 0 })},
		"failed here, under way there": {
			sale:    sold(func(s *reconcile.Sold) { s.Fulfilment, s.Float = sales.Failed, 0 }),
			records: []reconcile.Record{listed(func(r *reconcile.Record) { r.State = sales.Processing })},
		},
		"never sent, and listed": {
			sale:    sold(func(s *reconcile.Sold) { s.Fulfilment, s.PermitAt, s.Float = sales.Voided, time.Time{}, 0 }),
			records: []reconcile.Record{listed(nil)}, want: []want{{reconcile.LateSuccess, "-9.40", -9_400_000}},
		},
		"no rate was quoted": {sale: sold(func(s *reconcile.Sold) { s.Rate = "" }), records: []reconcile.Record{listed(nil)}},
		"failed both": {
			sale:    sold(func(s *reconcile.Sold) { s.Fulfilment, s.Float = sales.Failed, 0 }),
			records: []reconcile.Record{listed(func(r *reconcile.Record) { r.State, r.Cost = sales.Failed, nil })},
		},
		"late success": {
			sale: sold(func(s *reconcile.Sold) { s.Fulfilment, s.Float = sales.Failed, 0 }), records: []reconcile.Record{listed(nil)},
			want: []want{{reconcile.LateSuccess, "-9.40", -9_400_000}},
		},
		"late reversal": {
			sale: sold(nil), records: []reconcile.Record{listed(func(r *reconcile.Record) { r.State = sales.Failed })},
			want: []want{{reconcile.LateReversal, "9.40", 9_400_000}},
		},
		"complete here, under way there": {
			sale: sold(nil), records: []reconcile.Record{listed(func(r *reconcile.Record) { r.State = sales.Processing })},
			want: []want{{reconcile.StateBehind, "9.40", 0}},
		},
		"two complete of one ref": {
			sale: sold(nil), records: []reconcile.Record{listed(nil), other(ownRef, nil)},
			want: []want{{reconcile.ExecutedTwice, "-9.40", -9_400_000}},
		},
		"one failed and one complete of one ref": {
			sale: sold(nil), records: []reconcile.Record{listed(nil), other(ownRef, func(r *reconcile.Record) { r.State, r.Cost = sales.Failed, nil })},
		},
		"another product": {
			sale: sold(nil), records: []reconcile.Record{listed(func(r *reconcile.Record) { r.SKU = "IE_B_10" })}, want: []want{{reconcile.Mismatch, "-9.40", 0}},
		},
		"another number": {
			sale: sold(nil), records: []reconcile.Record{listed(func(r *reconcile.Record) { r.Account = "353879999999" })}, want: []want{{reconcile.Mismatch, "-9.40", 0}},
		},
		"in another currency": {
			sale: sold(nil), records: []reconcile.Record{listed(func(r *reconcile.Record) {
				cost := ledger.Cost{Send: money.MustParse("10", "USD"), CustomerFee: money.MustParse("0.50", "USD"), DistributorFee: money.MustParse("0.20", "USD")}
				r.Cost, r.Commission = &cost, some(money.MustParse("0.80", "USD"))
			})}, want: []want{{reconcile.Mismatch, "-9.40", 0}},
		},
		"delivered in another currency": {
			sale: sold(nil), records: []reconcile.Record{listed(func(r *reconcile.Record) { r.Received = some(money.MustParse("9.50", "NGN")) })},
			want: []want{{reconcile.Mismatch, "-9.40", 0}},
		},
		"the number written otherwise": {sale: sold(nil), records: []reconcile.Record{listed(func(r *reconcile.Record) { r.Account = "+353 87 123 4567" })}},
		"another SendValue": {
			sale: sold(nil), records: []reconcile.Record{listed(func(r *reconcile.Record) {
				cost := costOf("11.00", "0.50", "0.20")
				r.Cost, r.Commission = &cost, some(apptest.EUR("0.88"))
			})},
			want: []want{{reconcile.PriceDiffers, "-1.00", -920_000}},
		},
		"another fee for the customer": {
			sale: sold(nil), records: []reconcile.Record{listed(func(r *reconcile.Record) { cost := costOf("10.00", "0.70", "0.20"); r.Cost = &cost })},
			want: []want{{reconcile.PriceDiffers, "0.00", 0}},
		},
		"dearer than quoted, booked so": {
			sale:    sold(func(s *reconcile.Sold) { s.Actual, s.Float = dear, -9_900_000 }),
			records: []reconcile.Record{listed(func(r *reconcile.Record) { r.Cost = &dear })}, want: []want{{reconcile.PriceDiffers, "-0.50", 0}},
		},
		"dearer than quoted, not booked": {
			sale: sold(nil), records: []reconcile.Record{listed(func(r *reconcile.Record) { r.Cost = &dear })}, want: []want{{reconcile.PriceDiffers, "-0.50", -500_000}},
		},
		"less commission": {
			sale:    sold(func(s *reconcile.Sold) { s.Commission, s.Float = apptest.EUR("0.30"), -9_900_000 }),
			records: []reconcile.Record{listed(func(r *reconcile.Record) { r.Commission = some(apptest.EUR("0.30")) })}, want: []want{{reconcile.CommissionOff, "-0.50", 0}},
		},
		"commission rounded otherwise": {
			sale:    sold(func(s *reconcile.Sold) { s.Commission, s.Float = apptest.EUR("0.796"), -9_404_000 }),
			records: []reconcile.Record{listed(func(r *reconcile.Record) { r.Commission = some(apptest.EUR("0.796")) })},
		},
		"less delivered": {
			sale: sold(nil), records: []reconcile.Record{listed(func(r *reconcile.Record) { r.Received = some(apptest.EUR("9.00")) })},
			want: []want{{reconcile.DeliveryDiffers, "-0.50", 0}},
		},
		"our ledger holds something else": {
			sale: sold(func(s *reconcile.Sold) { s.Float = -9_000_000 }), records: []reconcile.Record{listed(nil)}, want: []want{{reconcile.LedgerDiffers, "-0.40", -400_000}},
		},
		"still open here": {sale: sold(func(s *reconcile.Sold) { s.Fulfilment = sales.Unknown }), records: []reconcile.Record{listed(nil)}, open: 1},
		"practice": {
			sale:    sold(func(s *reconcile.Sold) { s.Practice, s.Float = true, 0 }),
			records: []reconcile.Record{listed(func(r *reconcile.Record) { r.Commission = some(apptest.EUR("0")) })},
		},
		"our code, no sale of ours": {
			sale: sold(nil), records: []reconcile.Record{listed(nil), other("INST01GONE000000000000000000A101", nil)},
			want: []want{{reconcile.UnknownHere, "-9.40", -9_400_000}},
		},
		"other software": {
			sale: sold(nil), records: []reconcile.Record{listed(nil), other("lacbo_p1_t5", nil)}, want: []want{{reconcile.ForeignSale, "-9.40", -9_400_000}},
		},
		"other software, failed": {
			sale: sold(nil), records: []reconcile.Record{listed(nil), other("lacbo_p1_t5", func(r *reconcile.Record) { r.State, r.Cost = sales.Failed, nil })},
		},
		"changed since the list was asked for": {
			sale: sold(func(s *reconcile.Sold) { s.ChangedAt = morning }), records: []reconcile.Record{listed(func(r *reconcile.Record) { r.State = sales.Failed })}, open: 1,
		},
		"before the window, in part": {
			sale:    sold(func(s *reconcile.Sold) { s.PermitAt = morning.Add(-2 * time.Hour) }),
			records: []reconcile.Record{listed(func(r *reconcile.Record) { r.State = sales.Failed })},
		},
		"not listed, at the end of the window": {sale: sold(func(s *reconcile.Sold) { s.PermitAt = morning.Add(time.Hour) })},
		"not listed, practice":                 {sale: sold(func(s *reconcile.Sold) { s.Practice = true })},
		"accepted, no batch, not listed":       {sale: sold(func(s *reconcile.Sold) { s.Fulfilment, s.Float = sales.Submitted, 0 })},
		"number and product not told":          {sale: sold(nil), records: []reconcile.Record{listed(func(r *reconcile.Record) { r.Account, r.SKU = "", "" })}},
		"the number was erased":                {sale: sold(func(s *reconcile.Sold) { s.Account = sales.Erased }), records: []reconcile.Record{listed(nil)}},
		"nothing received was quoted":          {sale: sold(func(s *reconcile.Sold) { s.Receive = money.Amount{} }), records: []reconcile.Record{listed(nil)}},
		"two rows that name no transfer": {
			sale: sold(nil), records: []reconcile.Record{
				listed(func(r *reconcile.Record) { r.TransferRef = "" }), listed(func(r *reconcile.Record) { r.TransferRef = "" }),
			}, want: []want{{reconcile.ExecutedTwice, "-9.40", -9_400_000}},
		},
		"practice, of another product": {
			sale:    sold(func(s *reconcile.Sold) { s.Practice, s.Float = true, 0 }),
			records: []reconcile.Record{listed(func(r *reconcile.Record) { r.SKU = "IE_B_10" })},
		},
		"other software, whose ref begins like ours": {
			sale: sold(nil), records: []reconcile.Record{listed(nil), other("INST-551", nil)}, want: []want{{reconcile.ForeignSale, "-9.40", -9_400_000}},
		},
		"other software, under way, price not told": {
			sale: sold(nil), records: []reconcile.Record{listed(nil), other("lacbo_p1_t5", func(r *reconcile.Record) { r.State, r.Cost = sales.Processing, nil })},
			want: []want{{reconcile.ForeignSale, "0.00", 0}},
		},
		"other software, declared": {sale: sold(nil), records: []reconcile.Record{listed(nil), other("POS2-551", nil)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := reconcile.Match(c.records, []reconcile.Attempt{{Ref: ownRef, Sale: c.sale}}, window())
			var found []want
			for _, f := range got.Findings {
				found = append(found, want{f.Kind, f.Amount.Decimal(2), f.Float})
			}
			require.Equal(t, c.want, found)
			require.Equal(t, c.open, got.Open)
		})
	}
}

// TestMatchOfSeveralAttempts: two refs of one sale, the first given up. Both may have a
// record, one of them, or neither.
func TestMatchOfSeveralAttempts(t *testing.T) {
	t.Parallel()
	sale := sold(nil)
	second := "INST01SALE000000000000000000A102"
	ours := []reconcile.Attempt{{Ref: ownRef, Sale: sale}, {Ref: second, Sale: sale}}
	gone := listed(func(r *reconcile.Record) { r.State, r.Cost, r.Commission = sales.Failed, nil, nil })
	took := listed(func(r *reconcile.Record) { r.TransferRef, r.Ref = "7002", second })
	got := reconcile.Match([]reconcile.Record{took, gone}, ours, window())
	require.Empty(t, got.Findings)
	require.Equal(t, 1, got.Pairs)
	require.Contains(t, got.Agreed, sale.ID)

	for _, only := range []reconcile.Record{took, listed(nil)} {
		got = reconcile.Match([]reconcile.Record{only}, ours, window())
		require.Empty(t, got.Findings)
		require.Equal(t, 1, got.Pairs)
	}
	got = reconcile.Match(nil, ours, window())
	require.Len(t, got.Findings, 1, "one sale is missing, not two")
	require.Equal(t, reconcile.MissingUpstream, got.Findings[0].Kind)

	sale.Ref = second
	got = reconcile.Match([]reconcile.Record{gone}, ours, window())
	require.Len(t, got.Findings, 1, "nothing says that it was taken back")
	require.Equal(t, reconcile.MissingUpstream, got.Findings[0].Kind)
	require.Equal(t, "9.40", got.Findings[0].Amount.Decimal(2))
	require.Zero(t, got.Findings[0].Float, "the balance tells")

	got = reconcile.Match([]reconcile.Record{took, listed(nil)}, ours, window())
	require.Len(t, got.Findings, 1)
	require.Equal(t, reconcile.ExecutedTwice, got.Findings[0].Kind)
	require.EqualValues(t, -9_400_000, got.Findings[0].Float)
	sale.Float = -18_800_000 // the second one is booked as a loss
	got = reconcile.Match([]reconcile.Record{took, listed(nil)}, ours, window())
	require.Len(t, got.Findings, 1, "a person must still know")
	require.Zero(t, got.Findings[0].Float)
	sale.Fulfilment, sale.Float = sales.Failed, 0
	require.Empty(t, reconcile.Match([]reconcile.Record{gone}, ours, window()).Findings, "what failed is not missing")
}

// TestMatchDoesNotDependOnOrder: whatever the order of records and sales, and
// however often rows repeat, the findings are the same.
func TestMatchDoesNotDependOnOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var records []reconcile.Record
		var ours []reconcile.Attempt
		for i := range rapid.IntRange(1, 12).Draw(t, "sales") {
			ref := fmt.Sprintf("INST%026d01", i)
			state := rapid.SampledFrom([]sales.State{sales.Complete, sales.Failed, sales.Unknown}).Draw(t, "ours")
			ours = append(ours, reconcile.Attempt{Ref: ref, Sale: sold(func(s *reconcile.Sold) { s.ID, s.Fulfilment = fmt.Sprint("S", i), state })})
			for j := range rapid.IntRange(0, 2).Draw(t, "records") {
				theirs := rapid.SampledFrom([]sales.State{sales.Complete, sales.Failed, sales.Processing}).Draw(t, "theirs")
				records = append(records, listed(func(r *reconcile.Record) { r.Ref, r.State, r.TransferRef = ref, theirs, fmt.Sprint(i*10+j) }))
			}
		}
		first := reconcile.Match(records, ours, window())
		shuffled := append(rapid.Permutation(records).Draw(t, "order"), records...)
		second := reconcile.Match(shuffled, rapid.Permutation(ours).Draw(t, "sales' order"), window())
		brief := func(m reconcile.Matching) (all []string) {
			for _, f := range m.Findings {
				all = append(all, fmt.Sprint(f.Kind, f.Subject, f.Amount, f.Float))
			}
			return all
		}
		require.Equal(t, brief(first), brief(second))
		require.Equal(t, first.Agreed, second.Agreed)
		require.Equal(t, len(records), second.Records)
	})
}

// BenchmarkMatch is 600 records, as far as a list reaches, against a million
// sales.
func BenchmarkMatch(b *testing.B) {
	var records []reconcile.Record
	ours := make([]reconcile.Attempt, 1_000_000)
	for i := range ours {
		ours[i] = reconcile.Attempt{Ref: fmt.Sprintf("INST%026d01", i), Sale: sold(func(s *reconcile.Sold) { s.ID, s.PermitAt = fmt.Sprint(i), morning.Add(-24*time.Hour) })}
	}
	for i := range 600 {
		records = append(records, listed(func(r *reconcile.Record) { r.TransferRef, r.Ref = fmt.Sprint(i), ours[i*1000].Ref }))
	}
	for b.Loop() {
		got := reconcile.Match(records, ours, window())
		require.Equal(b, 600, got.Pairs)
	}
}

// TestInventedTradeIsMissingNowhere: what was invented to try reports out bears no installation's code, was never sent,
// and lacks on no list; whatever this till sent does.
func TestInventedTradeIsMissingNowhere(t *testing.T) {
	t.Parallel()
	invented := reconcile.Attempt{Ref: "SEED" + ownRef[4:], Sale: sold(nil)}
	require.Empty(t, reconcile.Match(nil, []reconcile.Attempt{invented}, window()).Findings)
	sent := reconcile.Attempt{Ref: ownRef, Sale: sold(nil)}
	require.Len(t, reconcile.Match(nil, []reconcile.Attempt{sent}, window()).Findings, 1)
}
