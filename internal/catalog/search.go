package catalog

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Find returns at most limit products, by SKU, whose code, name or operator contains every word of a text.
func (s *Snapshot) Find(text, language string, limit int) []*Product {
	words := strings.Fields(fold(text))
	var found []*Product
	for p := range s.AllProducts() {
		name := ""
		if provider, ok := s.Provider(p.Provider); ok {
			name = provider.Name
		}
		if !containsAll(fold(p.SKU+" "+name+" "+s.Text(p, language).DisplayText), words) {
			continue
		}
		if found = append(found, p); len(found) == limit {
			break
		}
	}
	return found
}

func containsAll(text string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// fold makes texts comparable: lower case, without accents.
func fold(text string) string {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return foldUnicode(text)
		}
	}
	return strings.ToLower(text)
}

func foldUnicode(text string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(text)))
}
