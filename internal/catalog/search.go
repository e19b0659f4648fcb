package catalog

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Search returns up to limit products whose SKU, provider or name contains all
// words of text, in any order, case and accents aside; country "" is all.
func (s *Snapshot) Search(text, country string, limit int) []*Product {
	words := strings.Fields(fold(text))
	if len(words) == 0 {
		return nil
	}
	var found []*Product
	for i := range s.content.Products {
		if len(found) == limit {
			break
		}
		p := &s.content.Products[i]
		if containsAll(s.folded[i], words) && (country == "" || s.sells(p, country)) {
			found = append(found, p)
		}
	}
	return found
}

// SearchProviders returns up to limit providers of a country ("" is all) that
// have something for sale and whose name contains all words of text.
func (s *Snapshot) SearchProviders(text, country string, limit int) []*Provider {
	words := strings.Fields(fold(text))
	var found []*Provider
	for i := range s.content.Providers {
		p := &s.content.Providers[i]
		if len(found) == limit {
			break
		}
		if (country == "" || p.Country == country) && len(s.byProvider[p.Code]) > 0 && containsAll(fold(p.Name+" "+p.ShortName), words) {
			found = append(found, p)
		}
	}
	return found
}

func (s *Snapshot) sells(p *Product, country string) bool {
	provider, ok := s.Provider(p.Provider)
	return ok && (provider.Country == country || provider.Country == Everywhere)
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
