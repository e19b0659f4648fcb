package counter

import (
	"context"

	"airtill/internal/catalog"
)

// Why says why somebody has to choose the operator.
type Why string

// What may have to be chosen from: the operators that share a number, or numbers of its
// country, or those of a country chosen by hand, or where a number may have moved to;
// a number to be mended, or who takes it as it is; at last, countries.
const (
	Several   Why = "several"
	Foreign   Why = "foreign" // of another country only, and nobody said so
	OfCountry Why = "country"
	ByHand    Why = "hand"
	Moved     Why = "moved"
	Mistyped  Why = "mistyped"
	Unknown   Why = "unknown"
)

// commonCountries are as many as there are keys.
const commonCountries = 9

// Operator is whose number was typed, or what somebody has to choose it from.
type Operator struct {
	Snapshot   *catalog.Snapshot
	Number     catalog.Number
	Provider   *catalog.Provider // nil: it has to be chosen
	Why        Why
	Candidates []*catalog.Provider
	Country    string             // of the candidates, where it was found out or chosen
	Not        *catalog.Provider  // whom it was taken for, where it Moved
	Slip       *catalog.Length    // what is wrong with what was Mistyped
	Countries  []*catalog.Country // all, where it Moved or is Unknown
	Common     []*catalog.Country // where it is Unknown: the shop's own, and those it sells to most
	Sold       bool               // the shop sold anything lately
}

// Operator finds whose number an Ask is for. It fails with a fault of the field number if
// nobody has such numbers.
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

// of has the operator chosen among those of a country, or the country where it has none.
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
