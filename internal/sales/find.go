package sales

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/phone"
	"airtill/internal/store"
)

// findBack is how far back a search goes for what has no index: the end of a number, and the references of
// upstream and provider.
const findBack = 7 * 24 * time.Hour

// One question per index: with OR, a database may read every row instead. PostgreSQL is given the ids it finds as a
// list; otherwise it may read back from now until it has met enough of them.
const foundIDs = "SELECT id FROM sales WHERE code = ? UNION ALL SELECT sale_id FROM attempts WHERE ref = ? UNION ALL " +
	"SELECT id FROM sales WHERE account_number IN ? UNION ALL " +
	"SELECT id FROM sales WHERE serial_hash <> '' AND serial_hash <> '-' AND serial_hash IN ? UNION ALL " +
	"SELECT id FROM sales WHERE id >= ? AND (transfer_ref = ? OR provider_ref = ? OR " +
	"REPLACE(account_number, '-', '') LIKE ?)"

var foundSQL = map[store.Dialect]string{
	store.Postgres: "id = ANY (ARRAY(" + foundIDs + "))",
	store.SQLite:   "id IN (" + foundIDs + ")",
}

func (f Filter) searches() bool { return f.Search != "" || len(f.Accounts) > 0 }

// numberIn is the account number, or its end, that a search may mean; none if it has letters, and no number
// ends in "-".
func numberIn(search string) string {
	digits := phone.Digits(search)
	if strings.ContainsFunc(search, unicode.IsLetter) || digits == "" {
		return "-"
	}
	return digits
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

// mostNamed is how many products a list of sales is narrowed to at once: each is looked up by itself.
const mostNamed = 500

// Named returns the products that were ever sold under a name, or by an operator, with this text in it, in capitals
// or not, with accents or without. It fails with a fault of kind Invalid if they are too many to look for.
//
// It reads every name, which are no more than the catalogue ever had: no database folds them as we do.
func (s *Service) Named(ctx context.Context, text string) ([]string, error) {
	text = store.Fold(text)
	skus := []string{}
	names := s.d.DB.Read(ctx).Table("sold_names").Select("sku_code, product_text, provider_name").Order("sku_code")
	err := store.Scan(names, func(scan func(...any) error) error {
		var sku, product, operator string
		if err := scan(&sku, &product, &operator); err != nil {
			return err
		}
		if n := len(skus); n > 0 && skus[n-1] == sku { // by another of its names
			return nil
		}
		if strings.Contains(store.Fold(product), text) || strings.Contains(store.Fold(operator), text) {
			skus = append(skus, sku)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find products by name: %w", err)
	}
	if len(skus) > mostNamed {
		return nil, fault.OnField("named", "sales.named-many", mostNamed)
	}
	return skus, nil
}
