package sales

import (
	"context"
	"fmt"
	"strings"

	"airtill/internal/fault"
	"airtill/internal/store"
)

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
