package counter

import (
	"context"

	"airtill/internal/catalog"
)

// Why is why somebody has to choose the operator.
type Why string

// What there is to choose from: the operators that share a number, or its country's, or those of a country
// chosen by hand, or where a number may have moved; a number to correct, or the providers that take it as it
// is; at last, countries.
const (
	Several   Why = "several"
	Foreign   Why = "foreign" // of another country only, not as it is dialled
	OfCountry Why = "country"
	ByHand    Why = "hand"
	Moved     Why = "moved"
	Mistyped  Why = "mistyped"
	Unknown   Why = "unknown"
)

// commonCountries is the number of keys.
const commonCountries = 9

// Operator is whose number was typed, or the candidates to choose from.
type Operator struct {
	Snapshot   *catalog.Snapshot
	Number     catalog.Number
	Provider   *catalog.Provider // nil: to be chosen
	Why        Why
	Candidates []*catalog.Provider
	Country    string             // of the candidates, if found out or chosen
	Not        *catalog.Provider  // the provider it was taken for, if it Moved
	Slip       *catalog.Length    // what is wrong with what was Mistyped
	Countries  []*catalog.Country // all, if it Moved or is Unknown
	Common     []*catalog.Country // if it is Unknown: the shop's own, and those it sells to most
	Sold       bool               // the shop has sold anything lately
}

// Operator finds whose number an Ask is for. It fails with a fault on the field number if nobody has such
// numbers.
func (s *Service) Operator(ctx context.Context, ask Ask) (*Operator, error) {
	on := s.d.Catalog.Current()
	number, err := catalog.ParseNumber(ask.Number, ask.Seller.Country)
	if err != nil {
		return nil, err
	}
	o := &Operator{Snapshot: on, Number: number}
	if not, known := on.Provider(ask.Not); known {
		o.Why, o.Not, o.Candidates, o.Countries = Moved, not, on.Instead(not), on.SellingCountries()
		return o, nil
	}
	if ask.Country != "" {
		return o, s.of(ctx, o, ask, ByHand, ask.Country)
	}
	found, err := s.d.Catalog.Lookup(ctx, number)
	if err != nil {
		return nil, err
	}
	for _, c := range found.Candidates {
		o.Candidates = append(o.Candidates, c.Provider)
	}
	switch found.Outcome {
	case catalog.FoundOperator:
		o.Provider = o.Candidates[0]
	case catalog.FoundMistyped:
		o.Why, o.Slip = Mistyped, found.Slip
	case catalog.FoundChoice:
		o.Why = Several
		if found.Foreign {
			o.Why = Foreign
		}
	case catalog.FoundCountry:
		return o, s.of(ctx, o, ask, OfCountry, found.Country)
	case catalog.FoundNothing:
		return o, s.of(ctx, o, ask, Unknown, "")
	}
	return o, nil
}

// of lists the operators of a country to choose from, or the countries if it has none.
func (s *Service) of(ctx context.Context, o *Operator, ask Ask, why Why, country string) error {
	if o.Candidates = o.Snapshot.ProvidersIn(country); len(o.Candidates) > 0 {
		o.Why, o.Country = why, country
		return nil
	}
	popular, err := s.d.Popular(ctx, ask.Seller.ShopID)
	o.Why, o.Sold, o.Countries = Unknown, len(popular.Countries) > 0, o.Snapshot.SellingCountries()
	o.Common = o.Snapshot.CommonCountries(ask.Seller.Country, popular.Countries, commonCountries)
	return err
}
