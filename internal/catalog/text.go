package catalog

import (
	"cmp"
	"strings"
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
