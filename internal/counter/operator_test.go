package counter_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/counter"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
)

func TestWhoseNumberItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	on, irish := w.Catalog.Current(), w.irish().Provider
	of := func(ask counter.Ask) *counter.Operator {
		ask.Seller = w.seller
		found, err := w.Counter.Operator(t.Context(), ask)
		require.NoError(t, err)
		require.Equal(t, found.Provider == nil, found.Why != "")
		return found
	}
	require.Equal(t, irish, of(counter.Ask{Number: number}).Provider.Code)

	shared := of(counter.Ask{Number: "+12025550123"})
	require.Equal(t, counter.Several, shared.Why)
	require.Greater(t, len(shared.Candidates), 1)

	foreign := of(counter.Ask{Number: "2348031234567"})
	require.Equal(t, counter.Foreign, foreign.Why, "nobody said that it is none of the shop's country")
	require.Equal(t, "NG", foreign.Candidates[0].Country)

	slip := of(counter.Ask{Number: "08712345678"})
	require.Equal(t, counter.Mistyped, slip.Why)
	require.Equal(t, slip.Slip.Want+1, slip.Slip.Has)

	chosen := of(counter.Ask{Number: number, Country: "NG"})
	require.Equal(t, counter.ByHand, chosen.Why)
	require.Equal(t, "NG", chosen.Country)
	require.Equal(t, on.ProvidersIn("NG"), chosen.Candidates)

	moved := of(counter.Ask{Number: number, Not: irish})
	require.Equal(t, counter.Moved, moved.Why)
	require.Equal(t, irish, moved.Not.Code)
	require.Equal(t, on.Instead(moved.Not), moved.Candidates)
	require.NotContains(t, moved.Candidates, moved.Not)
	require.Equal(t, on.SellingCountries(), moved.Countries)
}

func TestACountryIsChosenWhereNoneIsKnown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	for name, ask := range map[string]counter.Ask{
		"nobody has it":     {Number: "+99912345"},
		"no phone's":        {Number: "45701234567890123"},
		"asked for by hand": {Number: number, Country: "?"},
		"nothing sold":      {Number: number, Country: "AQ"},
	} {
		ask.Seller, w.popular = w.seller, counter.Popular{}
		found, err := w.shelves().Operator(t.Context(), ask)
		require.NoError(t, err)
		require.Equal(t, counter.Unknown, found.Why, name)
		require.Equal(t, w.Catalog.Current().SellingCountries(), found.Countries, name)
		require.False(t, found.Sold)
		require.Equal(t, []string{"IE"}, isos(found.Common), "its own, as long as it sold nothing")

		w.popular.Countries = map[string]int64{"NG": 2, "ES": 5, "IE": 1}
		found, err = w.shelves().Operator(t.Context(), ask)
		require.NoError(t, err)
		require.True(t, found.Sold)
		require.Equal(t, []string{"IE", "ES", "NG"}, isos(found.Common), name)
	}
}

func isos(countries []*catalog.Country) (isos []string) {
	for _, c := range countries {
		isos = append(isos, c.ISO)
	}
	return isos
}

func TestNoOperatorHasWhatIsNoNumber(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	for _, typed := range []string{"", "?", "12", "QQ-NOBODYS"} {
		_, err := w.Counter.Operator(t.Context(), counter.Ask{Seller: w.seller, Number: typed})
		require.Equal(t, "number", fault.FieldOf(err), typed)
	}
}
