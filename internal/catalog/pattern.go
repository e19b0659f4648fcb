package catalog

import (
	"regexp"
	"regexp/syntax"
	gosync "sync"

	"airtill/internal/apiclient"
)

// What a pattern from outside may cost. RE2 does not backtrack, but repetitions within repetitions multiply.
const (
	maxPattern = 512  // characters
	maxSteps   = 2000 // that it is compiled to
)

// Match is what a provider's ValidationRegex says of a number.
type Match int

// The three answers. A pattern RE2 does not understand cannot be checked; the upstream will check it.
const (
	Unchecked Match = iota
	Matches
	Differs
)

// patterns compiles validation patterns on first use: most providers are never looked at.
type patterns struct {
	mu       gosync.Mutex
	compiled map[string]*regexp.Regexp // nil: does not compile
}

func (p *patterns) match(pattern, digits string) Match {
	compiled := p.compile(pattern)
	switch {
	case compiled == nil:
		return Unchecked
	case compiled.MatchString(digits):
		return Matches
	}
	return Differs
}

func (p *patterns) compile(pattern string) *regexp.Regexp {
	p.mu.Lock()
	defer p.mu.Unlock()
	compiled, known := p.compiled[pattern]
	if !known {
		compiled = compile(pattern)
		p.compiled[pattern] = compiled
	}
	return compiled
}

// compile returns nil for what cannot be checked: nothing, what RE2 does not understand, and what costs too much.
func compile(pattern string) *regexp.Regexp {
	if pattern == "" || len(pattern) > maxPattern {
		return nil
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || steps(parsed) > maxSteps {
		return nil
	}
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return nil
	}
	return compiled
}

// steps is about what a pattern is compiled to.
func steps(re *syntax.Regexp) int {
	sum := 1 + len(re.Rune)/2
	for _, sub := range re.Sub {
		sum += steps(sub)
	}
	if re.Op == syntax.OpRepeat {
		sum *= max(re.Min, re.Max, 1)
	}
	return sum
}

// Accepts says whether a provider's ValidationRegex takes a number as written.
func (s *Snapshot) Accepts(provider *Provider, number string) Match {
	return s.patterns.match(provider.ValidationRegex, number)
}

// AccountNumber is what is sent upstream for a number: the form the provider takes, or its own default for
// PINs and vouchers.
func (s *Snapshot) AccountNumber(p *Product, n Number) string {
	if !p.Addressed() {
		return apiclient.DefaultPINAccountNumber
	}
	provider, ok := s.Provider(p.Provider)
	if !ok {
		return n.Digits
	}
	account, _ := s.accountNumber(provider, n)
	return account
}

// CheckNumber refuses a number with letters if the product's provider has none like it. Digits are for the
// upstream to judge: numbering plans grow.
func (s *Snapshot) CheckNumber(p *Product, n Number) error {
	if provider, ok := s.Provider(p.Provider); ok && p.Addressed() && n.lettered() {
		if _, match := s.accountNumber(provider, n); match == Differs {
			return errLetters
		}
	}
	return nil
}

// accountNumber returns the form of a number a provider takes, and whether that could be checked.
func (s *Snapshot) accountNumber(provider *Provider, n Number) (account string, match Match) {
	for _, form := range n.Forms() {
		switch s.Accepts(provider, form) {
		case Matches:
			return form, Matches
		case Unchecked:
			return n.Digits, Unchecked
		case Differs:
		}
	}
	return n.Digits, Differs
}
