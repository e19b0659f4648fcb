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

// Named returns the products that were ever sold under a name, or by an operator, with this text in it. It fails
// with a fault of kind Invalid if they are too many to look for.
func (s *Service) Named(ctx context.Context, text string) ([]string, error) {
	part := store.Containing(strings.ToLower(text))
	skus := []string{}
	err := s.d.DB.Read(ctx).Table("sold_names").Distinct("sku_code").
		Where(`LOWER(product_text) LIKE ? ESCAPE '\' OR LOWER(provider_name) LIKE ? ESCAPE '\'`, part, part).
		Order("sku_code").Limit(mostNamed+1).Pluck("sku_code", &skus).Error
	if err != nil {
		return nil, fmt.Errorf("find products by name: %w", err)
	}
	if len(skus) > mostNamed {
		return nil, fault.OnField("named", "sales.named-many", mostNamed)
	}
	return skus, nil
}
