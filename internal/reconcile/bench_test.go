package reconcile

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/demodata/demotest"
	"airtill/internal/money"
	"airtill/internal/sales"
)

// BenchmarkMatchStored holds the newest 600 records, as many as the upstream's list
// reaches back, against all sales: within a second among a million of them.
func BenchmarkMatchStored(b *testing.B) {
	const listed = 600
	db := demotest.Open(b, 60)
	var newest []sales.Sale
	require.NoError(b, db.Read(b.Context()).Where("fulfilment = ?", sales.Complete).Order("id DESC").Limit(listed).Find(&newest).Error)
	var records []Record
	for _, sale := range newest {
		cost, commission, received := sale.Actual(), sale.Commission(), money.Of(sale.ReceiveMicros, sale.ReceiveCurrency)
		records = append(records, Record{
			TransferRef: sale.TransferRef, Ref: sale.Ref, State: sales.Complete, SKU: sale.SKUCode, Account: sale.AccountNumber,
			Cost: &cost, Commission: &commission, Received: &received, At: *sale.PermitAt,
		})
	}
	s := New(Deps{DB: db, Now: time.Now})
	window := Window{From: newest[len(newest)-1].RecordedAt, To: newest[0].RecordedAt.Add(time.Minute), Installations: []string{newest[0].Ref[:4]}}
	for b.Loop() {
		ours, err := s.ourSide(b.Context(), records, window)
		require.NoError(b, err)
		require.Equal(b, len(records), Match(records, ours, window).Pairs)
	}
}
