package catalog

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"airtill/internal/store"
)

// Search is a text by which somebody looks for what is sold, with what they call that
// which the catalogue knows by codes.
type Search struct {
	Text     string
	Language string                // of the products' names
	Home     string                // ISO code of the country that comes first, "" for none
	Country  func(*Country) string // its name
	Kind     func(Kind) string     // its name
	Limit    int                   // how many are returned at most
}

// FindProducts returns the products of which name, operator, country and kind together
// contain every word, or which have a word for their code: those at home first, by
// operator and price. all is how many there are.
func (s *Snapshot) FindProducts(q Search) (found []*Product, all int) {
	m := newMatch(q)
	for provider := range s.nearest(q.Home) {
		words := m.unsaid(s.title(q, provider), provider.Code)
		first := len(found)
		for _, p := range s.byProvider[provider.Code] {
			if m.product(words, p, s.nameOf(p, m.languages)) {
				all++
				found = append(found, p)
			}
		}
		slices.SortStableFunc(found[first:], func(a, b *Product) int {
			return cmp.Compare(a.Minimum.SendMicros, b.Minimum.SendMicros)
		})
		found = found[:min(len(found), q.Limit)]
	}
	return found, all
}

// FindProviders returns those that have something for sale and of which name, country
// and a kind of what they sell together contain every word, or which have a word for
// their code: those at home first, by name. all is how many there are.
func (s *Snapshot) FindProviders(q Search) (found []*Provider, all int) {
	m := newMatch(q)
	for provider := range s.nearest(q.Home) {
		words := m.unsaid(s.title(q, provider), provider.Code)
		if !slices.ContainsFunc(s.byProvider[provider.Code], func(p *Product) bool { return m.kind(words, p.Kind) }) {
			continue
		}
		if all++; len(found) < q.Limit {
			found = append(found, provider)
		}
	}
	return found, all
}

// nearest yields the providers, those of a country first, each by name.
func (s *Snapshot) nearest(home string) iter.Seq[*Provider] {
	return func(yield func(*Provider) bool) {
		for _, athome := range []bool{true, false} {
			for i := range s.content.Providers {
				if p := &s.content.Providers[i]; (p.Country == home) == athome && !yield(p) {
					return
				}
			}
		}
	}
}

// title is what is said of a provider wherever it stands.
func (s *Snapshot) title(q Search, p *Provider) string {
	if country, known := s.Country(p.Country); known {
		return p.Name + " " + q.Country(country)
	}
	return p.Name
}

// match finds the words of a search in what products are called.
type match struct {
	words     []string
	kinds     map[Kind]string
	languages []string
}

func newMatch(q Search) match {
	m := match{words: strings.Fields(store.Fold(q.Text)), kinds: map[Kind]string{}, languages: languages(q.Language)}
	for _, kind := range Kinds() {
		m.kinds[kind] = store.Fold(q.Kind(kind))
	}
	return m
}

// unsaid are the words that a provider's title does not contain and that are not its
// code: they have to be found in what it sells.
func (m match) unsaid(title, code string) []string {
	title = store.Fold(title)
	return slices.DeleteFunc(slices.Clone(m.words), func(word string) bool {
		return strings.Contains(title, word) || strings.EqualFold(word, code)
	})
}

// product says whether a product has the rest of the words.
func (m match) product(words []string, p *Product, name string) bool {
	if len(words) == 0 {
		return true
	}
	name = store.Fold(name)
	return !slices.ContainsFunc(words, func(word string) bool {
		return !strings.Contains(name, word) && !strings.Contains(m.kinds[p.Kind], word) &&
			!strings.EqualFold(word, p.SKU)
	})
}

func (m match) kind(words []string, k Kind) bool { return containsAll(m.kinds[k], words) }

func containsAll(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}
