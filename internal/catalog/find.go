package catalog

import (
	"context"
	"fmt"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// Find returns a product and its text even if it is no longer for sale, for sales that name it. A SKU that
// never existed is fault.NotFound.
func (s *Service) Find(ctx context.Context, sku, language string) (*Product, Text, error) {
	snapshot := s.Current()
	if p, ok := snapshot.Product(sku); ok {
		return p, snapshot.Text(p, language), nil
	}
	known := s.d.DB.Read(ctx).Table(productTable.name).Where("sku = ?", sku)
	p, err := store.One[Product](known, fault.New(fault.NotFound, "product.none", sku))
	if err != nil {
		return nil, Text{}, fmt.Errorf("find product %s: %w", sku, err)
	}
	text, err := s.findText(ctx, &p, language)
	return &p, text, err
}

func (s *Service) findText(ctx context.Context, p *Product, language string) (Text, error) {
	rows, err := store.All[Text](s.d.DB.Read(ctx).Table(textTable.name).Where(
		"localization_key = ? AND language IN ?", p.LocalizationKey, languages(language),
	))
	if err != nil {
		return Text{}, fmt.Errorf("find text of %s: %w", p.SKU, err)
	}
	byLanguage := index(rows, func(t *Text) string { return t.Language })
	return joinText(p, language, func(code string) *Text { return byLanguage[code] }), nil
}
