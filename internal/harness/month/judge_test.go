package month

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/reconcile"
)

func TestWhatWasDoneIsComparedWithWhatWasFound(t *testing.T) {
	t.Parallel()
	short := expectation{drift: "cash short", kind: reconcile.CashShort, subject: "shift", micros: -1_000_000}
	jump := expectation{drift: "top-up", kind: reconcile.BalanceUp, micros: 5_000_000}
	quiet := expectation{drift: "announced"}
	found := reconcile.Break{Kind: reconcile.CashShort, Subject: "shift", Micros: -1_000_000, Currency: "EUR"}
	for _, c := range []struct {
		name          string
		found         []reconcile.Break
		missed, extra int
	}{
		{"all", []reconcile.Break{found, {Kind: reconcile.BalanceUp, Subject: "any", Micros: 5_000_000, Currency: "EUR"}}, 0, 0},
		{"one is missing", []reconcile.Break{found}, 1, 0},
		{"another amount", []reconcile.Break{found, {Kind: reconcile.BalanceUp, Micros: 5_000_001, Currency: "EUR"}}, 1, 1},
		{"another kind", []reconcile.Break{found, {Kind: reconcile.PartialRefund, Micros: 5_000_000, Currency: "EUR"}}, 1, 1},
		{"another shift", []reconcile.Break{{Kind: reconcile.CashShort, Subject: "other", Micros: -1_000_000, Currency: "EUR"}}, 2, 1},
		{"one twice", []reconcile.Break{found, found, {Kind: reconcile.BalanceUp, Micros: 5_000_000, Currency: "EUR"}}, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var r result
			r.compare([]expectation{short, jump, quiet}, c.found)
			require.Len(t, r.missed, c.missed)
			require.Len(t, r.extra, c.extra)
			require.Equal(t, c.missed+c.extra == 0, r.passed())
			require.Len(t, r.rows, 3)
			var out bytes.Buffer
			require.NoError(t, r.write(&out))
			require.Contains(t, out.String(), "cash short")
		})
	}
}

func TestMonthsThatAreTooShortAreRefused(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--days", "27"}, {"--shops", "0"}, {"--sales", "10"}, {"--nonsense"}} {
		var problems bytes.Buffer
		require.Equal(t, 2, Run(t.Context(), args, &bytes.Buffer{}, &problems))
		require.NotEmpty(t, problems.String())
	}
}
