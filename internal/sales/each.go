package sales

import (
	"context"
	"fmt"
	"iter"
)

// eachAtOnce is how many sales are in memory at a time.
const eachAtOnce = 1000

// eachColumns are what Each reads of a sale.
const eachColumns = `id, recorded_at, shop_id, till_id, cashier_id, code, ref, transfer_ref, country_iso, provider_code, provider_name, sku_code, product_text, kind,
account_number, fulfilment, cash, reason_code, reason_context, price_micros, price_currency, actual_send_micros, actual_dist_micros, commission_micros, send_currency, final_at`

// Each visits every sale that a filter selects, the oldest first, without the
// receipts and quotes. It reads them in pages, each a query of its own, so that
// however many there are they take little memory and hold nothing up; whoever
// breaks off stops the reading.
func (s *Service) Each(ctx context.Context, f Filter) iter.Seq2[Sale, error] {
	return func(yield func(Sale, error) bool) {
		last := ""
		for {
			var page []Sale
			query := f.apply(s.DB.Read(ctx)).Where("practice = ? AND id > ?", f.Practice, last).Select(eachColumns)
			if err := query.Order("id").Limit(eachAtOnce).Find(&page).Error; err != nil {
				yield(Sale{}, fmt.Errorf("read sales: %w", err))
				return
			}
			for _, sale := range page {
				if !yield(sale, nil) {
					return
				}
				last = sale.ID
			}
			if len(page) < eachAtOnce {
				return
			}
		}
	}
}
