package reconcile

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// ownColumns is what matching needs of a sale.
const ownColumns = `id, shop_id, practice, fulfilment, processing_mode, sku_code, account_number, send_micros,
	customer_fee_micros, distributor_fee_micros, send_currency, receive_micros, receive_currency, commission_rate,
	actual_send_micros, actual_fee_micros, actual_dist_micros, commission_micros, permit_at, updated_at, ref`

// mostOurs bounds what one look loads besides the records' own sales. A list of 600 records that lacks this
// many of our sales is no list.
const mostOurs = 5000

// ourSide loads the sales named by records, with all their attempts, and the sales of the window that may be
// missing.
func (s *Service) ourSide(ctx context.Context, records []Record, w Window) ([]Attempt, error) {
	session := s.d.DB.Read(ctx)
	var refs []string
	for _, r := range records {
		if r.ours(w.Installations) {
			refs = append(refs, r.Ref)
		}
	}
	ids, err := store.All[string](session.Raw("SELECT DISTINCT sale_id FROM attempts WHERE ref IN ?", refs))
	if err != nil {
		return nil, fmt.Errorf("find sales of records: %w", err)
	}
	missing, err := store.All[string](session.Raw(`SELECT id FROM sales WHERE id >= ? AND id < ? AND practice = ?
		AND permit_at IS NOT NULL
		AND (fulfilment = ? OR processing_mode = 'Batch' AND fulfilment IN ?) ORDER BY id DESC LIMIT ?`,
		store.FirstID(w.From.Add(-sales.VoidAfter)), store.FirstID(w.To), false, sales.Complete, []sales.State{
			sales.Submitted, sales.Processing,
		}, mostOurs))
	if err != nil {
		return nil, fmt.Errorf("find sales of the window: %w", err)
	}
	return loadAttempts(session, append(ids, missing...))
}

// attempt is a row of the table attempts; PermitAt is known once another has replaced it.
type attempt struct {
	Ref, SaleID string
	PermitAt    *time.Time
}

// loadAttempts loads sales by id, with all the refs they ever had.
func loadAttempts(session *gorm.DB, ids []string) ([]Attempt, error) {
	byID := map[string]*Sold{}
	var ours []Attempt
	for part := range chunks(ids) {
		rows, err := store.All[sales.Sale](session.Model(&sales.Sale{}).Select(ownColumns).Where("id IN ?", part))
		if err != nil {
			return nil, fmt.Errorf("load sales: %w", err)
		}
		for i := range rows {
			byID[rows[i].ID] = soldOf(&rows[i])
		}
		if err := loadFloat(session, part, byID); err != nil {
			return nil, err
		}
		attempts, err := store.All[attempt](session.Raw(
			"SELECT ref, sale_id, permit_at FROM attempts WHERE sale_id IN ?", part,
		))
		if err != nil {
			return nil, fmt.Errorf("load attempts: %w", err)
		}
		for _, a := range attempts {
			sold := byID[a.SaleID]
			if a.Ref == sold.Ref && a.PermitAt != nil { // it was replaced once, and is the sale after all
				sold.PermitAt = *a.PermitAt
			}
			ours = append(ours, Attempt{Ref: a.Ref, Sale: sold})
		}
	}
	return ours, nil
}

// floatOfSales hides the account from the planner: without statistics, SQLite takes four accounts for fewer
// rows than some hundred sales, and reads everything the float ever did.
const floatOfSales = "SELECT sale_id, SUM(micros) AS micros FROM postings WHERE sale_id IN ? AND account || '' IN ? " +
	"GROUP BY sale_id"

// loadFloat sums what the ledger holds of each sale in the float's accounts.
func loadFloat(session *gorm.DB, ids []string, byID map[string]*Sold) error {
	sums, err := store.Pairs[string, int64](session.Raw(floatOfSales,
		ids, []ledger.Account{ledger.Float, ledger.Reserved, ledger.BatchClearing, ledger.RefundReceivable}))
	for id, micros := range sums {
		byID[id].Float = micros
	}
	return fault.Doing("load ledger of sales", err)
}

func soldOf(s *sales.Sale) *Sold {
	sold := &Sold{
		ID: s.ID, ShopID: s.ShopID, Practice: s.Practice, Fulfilment: s.Fulfilment, Batch: s.Batch(), SKU: s.SKUCode,
		Account: s.AccountNumber,
		Quoted:  s.Quoted(), Actual: s.Actual(), Receive: money.Of(s.ReceiveMicros, s.ReceiveCurrency),
		Rate: s.CommissionRate, Commission: s.Commission(), ChangedAt: s.UpdatedAt, Ref: s.Ref,
	}
	if s.PermitAt != nil {
		sold.PermitAt = *s.PermitAt
	}
	return sold
}

// sqlMost is how many values a query may list.
const sqlMost = 900

// chunks splits ids, without repetition, into lists a query can take.
func chunks(ids []string) iter.Seq[[]string] {
	return slices.Chunk(slices.Compact(slices.Sorted(slices.Values(ids))), sqlMost)
}
