package catalog

import (
	"context"
	"maps"
	"slices"
)

// Result is what is known about a number.
type Result struct {
	Number     Number
	Outcome    Found
	Country    string      // ISO code, "" if unknown
	Candidates []Candidate // one if Outcome is Operator, several if Choice, else none
	Also       []Candidate // others that take this number: operators, utilities; whatever the Outcome
	Source     Source      // what decided
	Slip       *Length     // what is wrong with it if Outcome is Mistyped
	Foreign    bool        // as a phone's number it belongs to another country only, and is not dialled so at home

	accounts []Candidate // at home, with numbers that are not phones' and match what was typed
}

// Found says how much a look-up found.
type Found string

// What a look-up can find. The screen offers, in turn: the operator's products; the candidates; the number to
// correct, or the candidates; the country's providers; countries and providers.
const (
	FoundOperator Found = "operator"
	FoundChoice   Found = "choice"
	FoundMistyped Found = "mistyped"
	FoundCountry  Found = "country"
	FoundNothing  Found = "nothing"
)

// Source says where an answer came from.
type Source string

// The sources of answers.
const (
	SourceSale    Source = "sale"    // an earlier sale to the number
	SourceLookup  Source = "lookup"  // GetAccountLookup said so, now or earlier
	SourcePattern Source = "pattern" // dialing prefix and ValidationRegex
	SourceNone    Source = "none"
)

// Candidate is a provider a number may belong to.
type Candidate struct {
	Provider      *Provider
	AccountNumber string // in the form this provider takes
	Checked       bool   // its ValidationRegex was applied and matches
}

// Lookup finds out whose a number is: from memory, then by prefix and patterns, and if these do not decide it
// from the upstream, which is never waited for long. Earlier sales are believed; otherwise a number that may
// be two things is not taken for either. It fails without a catalogue, and with fault.Invalid if a number has
// letters and no provider's does.
func (s *Service) Lookup(ctx context.Context, n Number) (Result, error) {
	snapshot := s.Current()
	if snapshot.Empty() {
		return Result{Number: n, Outcome: FoundNothing, Source: SourceNone}, errNoCatalogue
	}
	result := s.lookup(ctx, snapshot, n)
	if n.lettered() && len(result.Candidates) == 0 {
		return result, errLetters
	}
	s.metrics.lookups.WithLabelValues(string(result.Source)).Inc()
	return result, nil
}

func (s *Service) lookup(ctx context.Context, snapshot *Snapshot, n Number) Result {
	guess := snapshot.Guess(n)
	memory := s.recall(ctx, n)
	known := snapshot.candidates(n, memory.providers)
	if len(known) > 0 && (memory.source == SourceSale || guess.Slip == nil) {
		return guess.decide(known, memory.source)
	}
	if guess.Outcome == FoundOperator || guess.Slip != nil || !n.Phone {
		return guess
	}
	answer, ok := s.ask(ctx, n)
	if !ok {
		return guess
	}
	if guess.Country == "" {
		guess.Country = answer.Country
	}
	if known := snapshot.candidates(n, answer.Items); len(known) > 0 {
		guess.Country = known[0].Provider.Country
		return guess.decide(known, SourceLookup)
	}
	return guess.orCountry(SourceLookup)
}

// Guess says what the catalogue alone tells about a number.
func (s *Snapshot) Guess(n Number) Result {
	result := Result{Number: n, Outcome: FoundNothing, Source: SourceNone, Slip: n.slip(), Foreign: n.foreign()}
	countries := s.countriesOf(n)
	if len(countries) == 1 {
		result.Country = countries[0]
	}
	if !n.Prefix {
		result.accounts = s.accounts(n, n.Home)
	}
	operators, others := s.takers(n, countries)
	if !n.Phone {
		operators, others = nil, nil
	}
	if n.lettered() && len(result.accounts) == 0 {
		operators, result.Foreign = s.accounts(n, ""), true
	}
	result.Also = others
	if len(operators)+len(result.accounts) == 0 {
		result.Also = checked(others)
		return result.mistyped().orCountry(SourcePattern)
	}
	return result.decide(operators, SourcePattern).mistyped()
}

// accounts returns the providers that take what was typed as it stands, as a number other than a phone's, in a
// country, or anywhere for "".
func (s *Snapshot) accounts(n Number, country string) []Candidate {
	countries := []string{country}
	if country == "" {
		countries = slices.Sorted(maps.Keys(s.byCountry))
	}
	operators, others := s.takers(n.asAccount(), countries)
	athome := n.Phone && !n.foreign() // whose operators are asked about as such
	return slices.DeleteFunc(checked(slices.Concat(operators, others)), func(c Candidate) bool {
		return athome && s.trades[c.Provider.Code] == mobileOperator
	})
}

// takers returns the providers of some countries that may take a number: mobile operators if it is a phone's,
// and all others.
func (s *Snapshot) takers(n Number, countries []string) (operators, others []Candidate) {
	for _, country := range countries {
		for _, provider := range s.byCountry[country] {
			if !s.addressed[provider.Code] {
				continue // PINs and vouchers go with any number, which is no hint
			}
			candidate, ok := s.candidate(provider, n)
			switch {
			case !ok:
			case n.Phone && s.trades[provider.Code] == mobileOperator:
				operators = append(operators, candidate)
			default:
				others = append(others, candidate)
			}
		}
	}
	return operators, others
}

// checked drops unchecked candidates: for a meter's number, and for providers that are not operators,
// "perhaps" would be half of the list.
func checked(candidates []Candidate) []Candidate {
	return slices.DeleteFunc(slices.Clone(candidates), func(c Candidate) bool { return !c.Checked })
}

// candidate says whether a provider may take the number.
func (s *Snapshot) candidate(provider *Provider, n Number) (Candidate, bool) {
	digits, match := s.accountNumber(provider, n)
	return Candidate{Provider: provider, AccountNumber: digits, Checked: match == Matches}, match != Differs
}

// countriesOf returns the countries a number may belong to: for a phone, by its numbering plan or by the
// longest of the upstream's prefixes; otherwise the shop's.
func (s *Snapshot) countriesOf(n Number) []string {
	if !n.Phone {
		return []string{n.Home}
	}
	if _, known := s.Country(n.Country); known {
		return []string{n.Country}
	}
	for length := len(n.Digits); length > 0; length-- {
		var found []string
		for _, country := range s.dialing[n.Digits[:length]] {
			if country.dials(n.Digits[:length], len(n.Digits)) {
				found = append(found, country.ISO)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// dials says whether a number with this prefix and so many digits can be the country's.
func (c *Country) dials(prefix string, digits int) bool {
	return slices.ContainsFunc(c.Dialing, func(d Dialing) bool {
		return d.Prefix == prefix && digits >= d.MinimumLength && (d.MaximumLength == 0 || digits <= d.MaximumLength)
	})
}

// candidates turns provider codes into candidates, without those that sell nothing.
func (s *Snapshot) candidates(n Number, answers []Answer) []Candidate {
	var known []Candidate
	for _, answer := range answers {
		provider, ok := s.Provider(answer.Provider)
		if !ok || len(s.byProvider[provider.Code]) == 0 {
			continue
		}
		candidate, _ := s.candidate(provider, n)
		known = append(known, candidate)
	}
	return known
}

// decide makes candidates the answer, together with providers that take the digits as something else, and
// remembers the others as possible too. Digits are first read as a number at home.
func (r Result) decide(candidates []Candidate, source Source) Result {
	others := slices.Concat(r.Candidates, r.Also)
	sold := source == SourceSale
	switch {
	case sold:
		others = append(others, r.accounts...)
	case r.Foreign:
		candidates = slices.Concat(r.accounts, candidates)
	default:
		candidates = slices.Concat(candidates, r.accounts)
	}
	candidates = distinct(candidates)
	r.Also = slices.DeleteFunc(others, func(c Candidate) bool { return has(candidates, c) })
	r.Candidates, r.Source, r.Outcome = candidates, source, FoundChoice
	if len(candidates) == 1 && (sold || !r.Foreign && !r.besidesPhone(candidates[0]) &&
		(source == SourceLookup || candidates[0].Checked)) {
		r.Outcome = FoundOperator
	}
	if sold {
		r.Foreign, r.Slip = false, nil
	}
	if r.Country == "" {
		r.Country = candidates[0].Provider.Country
	}
	return r
}

// besidesPhone says that the only candidate takes as an account what is also a phone's number.
func (r Result) besidesPhone(c Candidate) bool { return r.Number.Phone && has(r.accounts, c) }

func has(candidates []Candidate, wanted Candidate) bool {
	return slices.ContainsFunc(candidates, func(c Candidate) bool { return c.Provider == wanted.Provider })
}

func distinct(candidates []Candidate) []Candidate {
	var once []Candidate
	for _, c := range candidates {
		if !has(once, c) {
			once = append(once, c)
		}
	}
	return once
}

// mistyped asks to check a number with one digit too many or too few.
func (r Result) mistyped() Result {
	if r.Slip != nil {
		r.Outcome, r.Candidates = FoundMistyped, checked(r.Candidates)
	}
	return r
}

// orCountry is the answer when no provider was found.
func (r Result) orCountry(source Source) Result {
	if len(r.Candidates) > 0 || r.Slip != nil {
		return r
	}
	r.Outcome, r.Source = FoundNothing, SourceNone
	if r.Country != "" && r.Number.Phone {
		r.Outcome, r.Source = FoundCountry, source
	}
	return r
}
