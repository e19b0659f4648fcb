package sales

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

func TestARecordIsWeighedByItsEnd(t *testing.T) {
	t.Parallel()
	order := []State{None, Unknown, Failed, Complete}
	for i := range order[1:] {
		require.Less(t, weight(Observation{State: order[i]}), weight(Observation{State: order[i+1]}), "%s before %s", order[i], order[i+1])
	}
	for _, end := range []State{Failed, Cancelled} {
		for _, open := range []State{Submitted, Processing, Unknown} {
			require.Greater(t, weight(Observation{State: end}), weight(Observation{State: open}), "%s over %s", end, open)
		}
		require.Greater(t, weight(Observation{State: Complete}), weight(Observation{State: end}))
	}
}

func TestAPriceOfTheUpstreamIsRead(t *testing.T) {
	t.Parallel()
	cost, err := CostOf(&apiclient.Price{SendValue: "10.00", DistributorFee: "0.50", SendCurrencyIso: "EUR"})
	require.NoError(t, err)
	total, err := cost.Total()
	require.NoError(t, err)
	require.Equal(t, "10.50 EUR", total.String(), "a fee that is absent is none")
	for name, p := range map[string]apiclient.Price{
		"no amount": {SendCurrencyIso: "EUR"}, "no number": {SendValue: "ten", SendCurrencyIso: "EUR"},
		"finer than a millionth":   {SendValue: "1.0000001", SendCurrencyIso: "EUR"},
		"a fee that is none":       {SendValue: "1", CustomerFee: "x", SendCurrencyIso: "EUR"},
		"another fee that is none": {SendValue: "1", DistributorFee: "x", SendCurrencyIso: "EUR"},
	} {
		_, err := CostOf(&p)
		require.Error(t, err, name)
	}
}

func TestStatesOfTheUpstreamAreOurs(t *testing.T) {
	t.Parallel()
	for theirs, ours := range map[apiclient.ProcessingState]State{
		"Submitted": Submitted, "Processing": Processing, "Cancelling": Cancelling, "Complete": Complete,
		"Completed": Complete, "Failed": Failed, "Cancelled": Cancelled,
	} {
		state, known := StateOf(theirs)
		require.True(t, known, theirs)
		require.Equal(t, ours, state, theirs)
	}
	_, known := StateOf("Pondering")
	require.False(t, known)
}
