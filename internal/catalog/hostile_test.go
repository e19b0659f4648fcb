package catalog

import (
	"regexp/syntax"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/harness/hostile"
)

// TestHostilePatternsCostLittleAndStopNoSale counts what patterns from outside allocate and are compiled to, by which
// the time of a match is bounded: each step is made at most once for each character. Not parallel: it counts what the
// process allocates.
func TestHostilePatternsCostLittleAndStopNoSale(t *testing.T) {
	const (
		digits = "353871234567"
		most   = 12 << 20 // bytes for compiling one and asking it twice
	)
	s := EmptySnapshot()
	s.providers = map[string]*Provider{}
	checked := 0
	for _, pattern := range hostile.Patterns() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		match := s.Accepts(&Provider{ValidationRegex: pattern}, digits)
		s.Accepts(&Provider{ValidationRegex: pattern}, strings.Repeat("0", 64))
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(most), "%.80q", pattern)
		if match == Unchecked {
			require.Nil(t, compile(pattern))
		} else {
			checked++
			parsed, err := syntax.Parse(pattern, syntax.Perl)
			require.NoError(t, err)
			program, err := syntax.Compile(parsed.Simplify())
			require.NoError(t, err)
			require.LessOrEqual(t, len(program.Inst), 3*maxSteps, "%.80q", pattern)
		}

		provider := &Provider{Code: "X", ValidationRegex: pattern}
		s.providers["X"] = provider
		number := Number{Digits: digits}
		require.NoError(t, s.CheckNumber(&Product{Provider: "X"}, number), "digits are for the service to judge")
		if match == Unchecked {
			account := s.AccountNumber(&Product{Provider: "X"}, number)
			require.Contains(t, []string{digits, apiclient.DefaultPINAccountNumber}, account)
		}

		setting := Setting{Name: "Account", Description: "like ^" + strings.Trim(pattern, "^$") + "$"}
		runtime.ReadMemStats(&before)
		err := setting.Check("0")
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(3*most), "%.80q", pattern)
		if err != nil { // a rule that refuses says what it wants
			require.Equal(t, setting.Wants(), err, "%.80q", pattern)
		}
	}
	require.Positive(t, checked, "what RE2 takes in its stride is checked")
}
