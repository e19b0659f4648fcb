package catalog

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"airtill/internal/store"
)

// OfferQuery asks what can be sold of a provider.
type OfferQuery struct {
	Provider string
	Region   string // of the number; "": unknown, and nothing is left out
	Language string
	Search   string // words the offer must contain
	At       time.Time
	Sold     func(sku string) int // how often it is sold here; nil: unknown
}

// Group is the offers of one kind, most sold first.
type Group struct {
	Kind   Kind
	Offers []Offer
}

// Offer is a product as it is shown.
type Offer struct {
	Product    *Product
	Text       Text
	Promotions []*Promotion // running, and reached by some amount of this product
	Sold       int
}

// Offers returns what can be sold of a provider, in groups, without products for regions other than the
// number's.
func (s *Snapshot) Offers(q OfferQuery) []Group {
	promotions := s.Promotions(q.Provider, q.At)
	words := strings.Fields(store.Fold(q.Search))
	byKind := map[Kind][]Offer{}
	for _, p := range s.byProvider[q.Provider] {
		if !s.covers(p, q.Region) {
			continue
		}
		offer := Offer{
			Product: p, Text: s.Text(p, q.Language), Promotions: earned(p, promotions),
		}
		if len(words) > 0 && !containsAll(store.Fold(p.SKU+" "+p.DisplayText+" "+offer.Text.DisplayText), words) {
			continue
		}
		if q.Sold != nil {
			offer.Sold = q.Sold(p.SKU)
		}
		byKind[p.Kind] = append(byKind[p.Kind], offer)
	}
	return grouped(byKind)
}

func grouped(byKind map[Kind][]Offer) []Group {
	var groups []Group
	for _, kind := range Kinds() {
		if offers := byKind[kind]; len(offers) > 0 {
			slices.SortStableFunc(offers, byUse)
			groups = append(groups, Group{Kind: kind, Offers: offers})
		}
	}
	return groups
}

// byUse puts fixed values first, since one key sells them: the most sold, then the cheapest. Ranges, whose
// amounts must be typed, follow.
func byUse(a, b Offer) int {
	return cmp.Or(
		compareFixed(a.Product, b.Product),
		cmp.Compare(b.Sold, a.Sold),
		cmp.Compare(a.Product.Minimum.SendMicros, b.Product.Minimum.SendMicros),
	)
}

func compareFixed(a, b *Product) int {
	switch {
	case a.Fixed() == b.Fixed():
		return 0
	case a.Fixed():
		return -1
	}
	return 1
}

// covers says whether a product can be sold to a number of a region. A product without a region, or with its
// country as the region, covers all of it.
func (s *Snapshot) covers(p *Product, region string) bool {
	if region == "" || p.Region == "" || p.Region == region {
		return true
	}
	provider, ok := s.Provider(p.Provider)
	return ok && (p.Region == provider.Country || region == provider.Country)
}

// regional says whether a provider sells something in a part of its country only.
func (s *Snapshot) regional(provider string) bool {
	of, known := s.Provider(provider)
	return known && slices.ContainsFunc(s.byProvider[provider], func(p *Product) bool {
		return p.Region != "" && p.Region != of.Country
	})
}

// earned returns the promotions that some amount of the product reaches.
func earned(p *Product, promotions []*Promotion) []*Promotion {
	return slices.DeleteFunc(slices.Clone(promotions), func(promotion *Promotion) bool {
		return promotion.Currency == p.Maximum.SendCurrency && promotion.MinimumSendMicros > p.Maximum.SendMicros
	})
}
