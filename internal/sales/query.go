package sales

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"gorm.io/gorm"

	"airtill/internal/catalog"
	"airtill/internal/counter"
	"airtill/internal/fault"
	"airtill/internal/store"
	"airtill/internal/vault"
)

var errNoSale = fault.New(fault.NotFound, "sale.none")

func isDuplicate(err error) bool { return errors.Is(err, gorm.ErrDuplicatedKey) }

// ByCode returns a sale by the public code on its receipt.
func (s *Service) ByCode(ctx context.Context, code string) (Sale, error) {
	return store.One[Sale](s.d.DB.Read(ctx).Where("code = ?", code), errNoSale)
}

// Filter selects sales for a list. Zero fields select everything.
type Filter struct {
	ShopID   string
	TillID   string
	ShiftID  string
	From, To time.Time // recorded at, half-open
	Search   string    // an account number or its end, a receipt code, a reference, a PIN's serial; see findBack
	Accounts []string  // or any of these account numbers, besides Search
	Waiting  bool      // only open sales
	Owing    bool      // only sales that are open, or whose cash is due back
	Owed     bool      // only sales whose cash is due back
	Practice bool      // only practice sales; totals otherwise leave them out
	Sold     bool      // no practice sales
	Oldest   bool      // the oldest first, of those that wait or are owed
	Limit    int

	// Spans narrow From and To, which must enclose them, to stretches of some shops' own clocks.
	Spans []Span

	CashierID    string
	CountryISO   string
	ProviderCode string
	Kind         string
	SKUCode      string
	States       []State
	Reason       string   // the code of a failure, with "/" and its context if it has one, or NoReason
	Currency     string   // of the price
	SKUs         []string // any of these products, as Named finds them; nil: all
	PriceMicros  int64    // exactly this price, in any currency; 0: all
	Before       string   // only lower ids: the next page

	serials []string // the hashes of Search as a serial
	found   string   // what Search means, in SQL
	recent  string   // the first id in which Search is looked for without an index
}

// NoReason selects sales without a known reason of failure.
const NoReason = "-"

// Span is a half-open stretch of time in some shops.
type Span struct {
	Shops    []string
	From, To time.Time
}

// List returns sales, newest first.
func (s *Service) List(ctx context.Context, f Filter) ([]Sale, error) {
	found, err := store.All[Sale](s.newest(ctx, f))
	return found, fault.Doing("list sales", err)
}

const listLimit = 201 // a page of 200, and whether there is another

func (f Filter) limit() int {
	if f.Limit <= 0 || f.Limit > listLimit {
		return listLimit
	}
	return f.Limit
}

// selected narrows a query to what a filter selects.
func (s *Service) selected(query *gorm.DB, f Filter) *gorm.DB {
	if f.searches() {
		f.serials = s.d.Vault.SerialHashes(f.Search)
		f.found = foundSQL[s.d.DB.Dialect()]
		f.recent = store.FirstID(s.d.Now().Add(-findBack))
	}
	return f.apply(query)
}

// What is open or owed is little, in all shops together, and has indexes of its own: asked for within a shop or a till,
// a database took the index of all that it ever sold. The literals are those of the indexes.
const (
	openSQL = "SELECT id FROM sales WHERE final_at IS NULL AND fulfilment IN ?"
	owedSQL = "SELECT id FROM sales WHERE cash IN ('taken', 'refund_due') AND cash = 'refund_due'"
)

// equals compares a column, or a term that no index has.
func equals(column string, unindexed bool) string {
	if unindexed {
		column = "COALESCE(" + column + ", '')"
	}
	return column + " = ?"
}

func (f Filter) apply(query *gorm.DB) *gorm.DB {
	few := f.Owing || f.Owed || f.Waiting
	if f.ShopID != "" {
		query = query.Where(equals("shop_id", few), f.ShopID)
	}
	if f.TillID != "" { // SQLite, without statistics, read all of a till for a day of it
		dated := !f.From.IsZero() && query.Name() == string(store.SQLite)
		query = query.Where(equals("till_id", few || dated), f.TillID)
	}
	query = f.inTime(query)
	for column, value := range map[string]string{
		"shift_id": f.ShiftID, "cashier_id": f.CashierID, "country_iso": f.CountryISO, "provider_code": f.ProviderCode,
		"kind": f.Kind, "sku_code": f.SKUCode, "price_currency": f.Currency,
	} {
		if value != "" {
			query = query.Where(column+" = ?", value)
		}
	}
	if len(f.States) > 0 {
		query = query.Where("fulfilment IN ?", f.States)
	}
	if f.SKUs != nil {
		query = query.Where("sku_code IN ?", f.SKUs)
	}
	if f.PriceMicros != 0 {
		query = query.Where("price_micros = ?", f.PriceMicros)
	}
	if f.Reason != "" {
		code, detail, _ := strings.Cut(strings.TrimPrefix(f.Reason, NoReason), "/")
		query = query.Where("reason_code = ? AND reason_context = ?", code, detail)
	}
	if f.Waiting {
		query = query.Where("final_at IS NULL AND fulfilment IN ?", OpenStates()) // final_at for its index
	}
	if f.Owing {
		query = query.Where("id IN ("+openSQL+" UNION ALL "+owedSQL+")", OpenStates())
	}
	if f.Owed {
		query = query.Where("id IN (" + owedSQL + ")")
	}
	if f.Practice {
		query = query.Where("practice = ?", true)
	}
	if f.Sold {
		query = query.Where("practice = ?", false)
	}
	if f.searches() {
		search := strings.ToUpper(strings.TrimSpace(f.Search))
		query = query.Where(f.found, catalog.Signs(search), search,
			append([]string{numberIn(search)}, f.Accounts...), append(f.serials, "none"),
			f.recent, search, strings.TrimSpace(f.Search), "%"+numberIn(search))
	}
	return query
}

// inTime also bounds the ids, which are indexed and carry the time.
func (f Filter) inTime(query *gorm.DB) *gorm.DB {
	if !f.From.IsZero() {
		query = query.Where("recorded_at >= ? AND id >= ?", store.Moment(f.From), store.FirstID(f.From))
	}
	if !f.To.IsZero() {
		query = query.Where("recorded_at < ? AND id < ?", store.Moment(f.To), store.FirstID(f.To.Add(time.Millisecond)))
	}
	if f.Before != "" {
		query = query.Where("id < ?", f.Before)
	}
	if len(f.Spans) == 0 {
		return query
	}
	var stretches []string
	var args []any
	for _, span := range f.Spans { // not by the index of shops: SQLite sorted all they ever sold
		stretches = append(stretches, "recorded_at >= ? AND recorded_at < ? AND COALESCE(shop_id, '') IN ?")
		args = append(args, store.Moment(span.From), store.Moment(span.To), span.Shops)
	}
	return query.Where("("+strings.Join(stretches, " OR ")+")", args...)
}

// OpenStates lists the states of open sales.
func OpenStates() []State {
	return []State{Recorded, Sending, Unknown, Submitted, Processing, Cancelling}
}

// Total is the sum of sales of one state in one currency.
type Total struct {
	Fulfilment    State
	Cash          Cash
	PriceCurrency string
	Count         int64
	PriceMicros   int64
}

// Totals sums the sales a filter selects, by state and currency.
func (s *Service) Totals(ctx context.Context, f Filter) ([]Total, error) {
	totals, err := f.totals(s.selected(s.d.DB.Read(ctx).Table("sales"), f))
	return totals, fault.Doing("sum sales", err)
}

// totals sums what a query selects.
func (f Filter) totals(query *gorm.DB) ([]Total, error) {
	return store.All[Total](query.Where("practice = ?", f.Practice).
		Select("fulfilment, cash, price_currency, COUNT(*) AS count, SUM(price_micros) AS price_micros").
		Group("fulfilment, cash, price_currency"))
}

// Receipt opens what the upstream wrote for the customer. If it is Secret, the caller checks who asks and
// records that it was shown.
func (s *Service) Receipt(sale Sale) (vault.Receipt, error) {
	receipt, err := s.d.Vault.Open(sale.ID, sale.SealedReceipt)
	receipt.Secret = sale.onReceipt() || receipt.PIN() != ""
	return receipt, err
}

// Count returns how many sales a filter selects.
func (s *Service) Count(ctx context.Context, f Filter) (int, error) {
	var n int64
	err := s.selected(s.d.DB.Read(ctx).Model(&Sale{}), f).Count(&n).Error
	return int(n), fault.Doing("count sales", err)
}

// LastSettings returns the settings of the last successful sale of a product to a number in a shop.
func (s *Service) LastSettings(ctx context.Context, shopID, account, sku string) (last []counter.Setting, err error) {
	settings, err := store.First[string](s.d.DB.Read(ctx).Table("sales").Select("settings").
		Where("account_number = ? AND shop_id || '' = ? AND sku_code || '' = ?", account, shopID, sku).
		Where("fulfilment = ?", Complete).Order("id DESC"))
	if settings != nil {
		err = json.Unmarshal([]byte(*settings), &last)
	}
	return last, fault.Doing("last settings", err)
}

// Failures is how many sales failed with one of the upstream's codes, or ours.
type Failures struct {
	Code  string
	Count int64
}

// FailuresSince counts the sales that failed since a time, the most frequent
// code first.
func (s *Service) FailuresSince(ctx context.Context, since time.Time) ([]Failures, error) {
	found, err := store.All[Failures](s.d.DB.Read(ctx).Table("sales").Select("reason_code AS code, COUNT(*) AS count").
		Where("id > ? AND fulfilment = ? AND reason_code <> ''", store.FirstID(since), Failed).
		Group("reason_code").Order("count DESC, code").Limit(20))
	return found, fault.Doing("failures by code", err)
}

// recentFor is how far back Recent goes.
const recentFor = 30 * 24 * time.Hour

// Recent returns a till's latest settled sales, the newest first; the others are in its tray.
func (s *Service) Recent(ctx context.Context, shopID, tillID string, practice bool, limit int) ([]Sale, error) {
	waiting, err := s.Tray(ctx, tillID, practice)
	if err != nil {
		return nil, err
	}
	listed := make([]string, 0, len(waiting))
	for _, sale := range waiting {
		listed = append(listed, sale.ID)
	}
	found, err := store.All[Sale](s.d.DB.Read(ctx).Where(
		"shop_id = ? AND till_id = ? AND practice = ? AND id NOT IN ? AND id >= ? AND account_number <> ?",
		shopID, tillID, practice, append(listed, ""), store.FirstID(s.d.Now().Add(-recentFor)), Erased,
	).Order("id DESC").Limit(limit))
	return found, fault.Doing("recent sales of a till", err)
}
