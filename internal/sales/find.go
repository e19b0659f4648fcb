package sales

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// findBack is how far back a search goes for what has no index: the end of a number, and the references of
// upstream and provider.
const findBack = 7 * 24 * time.Hour

// Find returns up to limit sales, newest first, that a search from anywhere may mean: by receipt code, by a
// reference of ours however old, by one of the given account numbers; and within the last week by the end of a
// number, or by the upstream's or provider's reference. shopID "" searches all shops.
func (s *Service) Find(ctx context.Context, shopID, search string, accounts []string, limit int) ([]Sale, error) {
	search = strings.ToUpper(strings.TrimSpace(search))
	recent := store.FirstID(s.d.Now().Add(-findBack))
	var found []Sale
	// One question per index: with OR, a database may read every row instead.
	for _, by := range []struct {
		sql  string
		args []any
	}{
		{"code = ?", []any{strings.ReplaceAll(search, "-", "")}},
		{"id IN (SELECT sale_id FROM attempts WHERE ref = ?)", []any{search}},
		{"account_number IN ?", []any{append([]string{"-"}, accounts...)}},
		{
			"id >= ? AND (transfer_ref = ? OR provider_ref = ? OR account_number LIKE ?)",
			[]any{recent, search, search, "%" + numberIn(search)},
		},
	} {
		query := s.d.DB.Read(ctx).Where(by.sql, by.args...)
		if shopID != "" {
			query = query.Where("shop_id = ?", shopID)
		}
		var some []Sale
		if err := query.Order("id DESC").Limit(limit).Find(&some).Error; err != nil {
			return nil, fmt.Errorf("find sales: %w", err)
		}
		found = append(found, some...)
	}
	return newest(found, limit), nil
}

// newest drops duplicates.
func newest(found []Sale, limit int) []Sale {
	slices.SortFunc(found, func(a, b Sale) int { return cmp.Compare(b.ID, a.ID) })
	found = slices.CompactFunc(found, func(a, b Sale) bool { return a.ID == b.ID })
	return found[:min(len(found), limit)]
}

// Get returns a sale. shopID limits it to one shop; "" sees all.
func (s *Service) Get(ctx context.Context, id, shopID string) (Sale, error) {
	var found []Sale
	if err := s.d.DB.Answer(ctx, one(id, shopID, &found)); err != nil {
		return Sale{}, fmt.Errorf("read sale: %w", err)
	}
	if len(found) == 0 {
		return Sale{}, errNoSale
	}
	return found[0], nil
}

// ByIDs returns the sales among some ids, by id.
func (s *Service) ByIDs(ctx context.Context, ids []string) (map[string]Sale, error) {
	found, err := store.All[Sale](s.d.DB.Read(ctx).Where("id IN ?", ids))
	byID := map[string]Sale{}
	for _, sale := range found {
		byID[sale.ID] = sale
	}
	return byID, fault.Doing("read sales", err)
}

// AskGet asks ahead of Get, and of the sale's Timeline.
func (s *Service) AskGet(id, shopID string) []store.Asked {
	return []store.Asked{one(id, shopID, new([]Sale)), history(id, new([]Event)), s.allowances(id, new([]audit.Record))}
}

type saleOfShop struct{ ID, Shop string }

func one(id, shopID string, into *[]Sale) store.Asked {
	where, args := "id = ?", []any{id}
	if shopID != "" {
		where, args = "id = ? AND shop_id = ?", []any{id, shopID}
	}
	return salesWhere(saleOfShop{id, shopID}, into, where, args...)
}
