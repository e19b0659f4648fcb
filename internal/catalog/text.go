package catalog

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// fallback is the language every text exists in (INTERFACE.md, Promotion and descriptions).
const fallback = "en"

// Text returns a product's text in a language such as "es" or "es-MX", or else in English; a product without
// any text has its DefaultDisplayText.
func (s *Snapshot) Text(p *Product, language string) Text {
	return joinText(p, language, func(code string) *Text { return s.texts[code][p.LocalizationKey] })
}

// joinText takes each part of a text from the first language that has it; in returns the text in one, nil if there
// is none.
func joinText(p *Product, language string, in func(code string) *Text) Text {
	text := Text{LocalizationKey: p.LocalizationKey, Language: fallback}
	for _, code := range languages(language) {
		t := in(code)
		if t == nil {
			continue
		}
		if text.DisplayText == "" {
			text.Language = code
		}
		text.DisplayText = cmp.Or(text.DisplayText, t.DisplayText)
		text.Description = cmp.Or(text.Description, t.Description)
		text.ReadMore = cmp.Or(text.ReadMore, t.ReadMore)
	}
	text.DisplayText = cmp.Or(text.DisplayText, p.DisplayText, p.SKU)
	return text
}

// nameOf is the DisplayText of Text, for who asks it of everything that is sold.
func (s *Snapshot) nameOf(p *Product, languages []string) string {
	for _, code := range languages {
		if t, ok := s.texts[code][p.LocalizationKey]; ok && t.DisplayText != "" {
			return t.DisplayText
		}
	}
	return cmp.Or(p.DisplayText, p.SKU)
}

// PromotionText returns a promotion's text in a language, or else in English, and false if it has none.
func (s *Snapshot) PromotionText(p *Promotion, language string) (*PromotionText, bool) {
	for _, code := range languages(language) {
		if t, ok := s.promoTexts[code][p.LocalizationKey]; ok {
			return t, true
		}
	}
	return nil, false
}

// languages returns where to look for a text, first choice first.
func languages(language string) []string {
	language = strings.ToLower(language)
	base, _, _ := strings.Cut(language, "-")
	return []string{language, base, fallback}
}

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

// Want has the texts of products and promotions fetched in a customer's language,
// from now on. A language that is fetched anyway, or that is none of Deps.Further,
// costs nothing.
func (s *Service) Want(ctx context.Context, language string) error {
	_, known := s.wanted.Load(language)
	if known || slices.Contains(s.d.Languages, language) || !slices.Contains(s.d.Further, language) {
		return nil
	}
	err := s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		const want = "INSERT INTO wanted_languages (language, since) VALUES (?, ?) ON CONFLICT DO NOTHING"
		made := tx.Exec(want, language, store.Moment(s.d.Now()))
		if made.Error != nil || made.RowsAffected == 0 {
			return made.Error
		}
		return tx.Enqueue(ctx, SyncTextsArgs{}, nil)
	})
	if err != nil {
		return fault.Doing("want texts in "+language, err)
	}
	s.wanted.Store(language, true)
	return nil
}

// wantedMeanwhile asks for the texts once more if a language was wanted while a run of them was under way. The run may
// have begun without it, and the job that Want made finds the texts held.
func (r *run) wantedMeanwhile(ctx context.Context, tx *store.Tx) error {
	if r.Resource != Texts && r.Resource != PromotionTexts {
		return nil
	}
	var wanted bool
	const sql = "SELECT EXISTS (SELECT 1 FROM wanted_languages WHERE since > ? AND since <= ?)"
	if err := tx.Raw(sql, r.StartedAt, *r.EndedAt).Scan(&wanted).Error; err != nil || !wanted {
		return err
	}
	return tx.Enqueue(ctx, SyncTextsArgs{}, nil)
}

// textLanguages are those that texts are fetched in: the till's own, and what
// customers wanted.
func (s *Service) textLanguages(ctx context.Context) ([]string, error) {
	const wanted = "SELECT language FROM wanted_languages WHERE language NOT IN ? ORDER BY language"
	further, err := store.All[string](s.d.DB.Read(ctx).Raw(wanted, s.d.Languages))
	return slices.Concat(s.d.Languages, further), err
}
