package sales

import (
	"context"
	"fmt"
	"iter"
	"time"

	"airtill/internal/fault"
	"airtill/internal/store"

	"gorm.io/gorm"
)

// eachAtOnce is how many sales are read at a time.
const eachAtOnce = 1000

// eachColumns are what Each reads of a sale, and what a filter may ask of it.
const eachColumns = `id, recorded_at, shop_id, till_id, shift_id, cashier_id, code, ref, transfer_ref,
country_iso, provider_code, provider_name, sku_code, product_text, kind, account_number, fulfilment, cash, reason_code,
reason_context, price_micros, price_currency, actual_send_micros, actual_dist_micros, commission_micros, send_currency,
final_at, practice`

// Each visits every sale selected by a filter without a search, the oldest first, without receipts and quotes.
// It reads pages with a query each, so that any number takes little memory and holds nothing up; breaking off
// stops the reading.
//
// A page is cut by ids alone, and filtered then. Asked for the first thousand that match, PostgreSQL would
// read and sort all that are left, page after page.
func (s *Service) Each(ctx context.Context, f Filter) iter.Seq2[Sale, error] {
	after, end := "", store.LastID
	if !f.From.IsZero() {
		after = store.FirstID(f.From)
		after = after[:max(len(after)-1, 0)] // before the first
	}
	if !f.To.IsZero() {
		end = store.FirstID(f.To.Add(time.Millisecond))
	}
	return func(yield func(Sale, error) bool) {
		for last := after; last < end; {
			page, next, err := s.page(ctx, f, last, end)
			if err != nil {
				yield(Sale{}, fmt.Errorf("read sales: %w", err))
				return
			}
			for _, sale := range page {
				if !yield(sale, nil) {
					return
				}
			}
			last = next
		}
	}
}

// page returns which of the next sales a filter selects, and the id of the last one looked at.
func (s *Service) page(ctx context.Context, f Filter, after, end string) (page []Sale, last string, err error) {
	if f.Waiting || f.Owing || f.Owed { // few, with an index of their own
		waiting := f.apply(s.d.DB.Read(ctx)).Where("practice = ?", f.Practice)
		page, err = store.All[Sale](waiting.Select(eachColumns).Order("id"))
		return page, end, err
	}
	next := s.d.DB.Read(ctx).Table("sales").Where("id > ?", after).Order("id")
	if f.ShopID != "" {
		next = next.Where("shop_id = ?", f.ShopID)
	}
	next = next.Session(&gorm.Session{}) // the start of two queries
	var lasts []string
	if err = next.Offset(eachAtOnce-1).Limit(1).Pluck("id", &lasts).Error; err != nil {
		return nil, "", err
	}
	last = min(append(lasts, end)[0], end)
	// its limit makes it a query of its own
	rows := next.Select(eachColumns).Where("id <= ?", last).Limit(2 * eachAtOnce)
	picked := f.apply(s.d.DB.Read(ctx).Table("(?) AS page", rows)).Where("practice = ?", f.Practice)
	page, err = store.All[Sale](picked.Order("id"))
	return page, last, err
}

// MostTotalled is how many sales NewestTotals looks at.
const MostTotalled = 20_000

// NewestTotals is Totals, without a search, of the period's newest sales only, however many of them a filter
// selects; all says that there are no others.
func (s *Service) NewestTotals(ctx context.Context, f Filter) (totals []Total, all bool, err error) {
	newest := Filter{ShopID: f.ShopID, From: f.From, To: f.To}.apply(s.d.DB.Read(ctx).Table("sales")).
		Order("id DESC").Session(&gorm.Session{})
	var next []string
	if err := newest.Offset(MostTotalled).Limit(1).Pluck("id", &next).Error; err != nil {
		return nil, false, fmt.Errorf("sum newest sales: %w", err)
	}
	rows := s.d.DB.Read(ctx).Table("(?) AS newest", newest.Select(eachColumns).Limit(MostTotalled))
	totals, err = f.totals(f.apply(rows))
	return totals, len(next) == 0, fault.Doing("sum newest sales", err)
}
