package counter_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/counter"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

func TestAPracticeSaleGoesToTheTestNumber(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	p := w.irish()
	test := p.TestNumber()
	ask := w.ask(p)
	ask.Practice = true
	for typed, digit := range map[string]string{number: "0", "353871234515": "5", "353871234510": "0"} {
		ask.Number = typed
		q := w.quote(ask)
		require.Equal(t, test[:len(test)-1]+digit, q.Terms.AccountNumber, typed)
		require.True(t, q.Terms.Practice)
		require.False(t, q.Test, "who practises knows")
	}
	sale, err := w.sell(w.quote(ask))
	require.NoError(t, err)
	require.True(t, sale.Practice)
	_, err = w.quote(ask).Offer(counter.Confirmation{})
	require.Equal(t, "practice.begun", fault.CodeOf(err), "the page took cash")
	_, err = w.quote(w.ask(p)).Offer(counter.Confirmation{Practice: true})
	require.Equal(t, "practice.over", fault.CodeOf(err), "the page took none")

	typed := w.ask(p)
	typed.Number = test
	q := w.quote(typed)
	require.True(t, q.Terms.Practice)
	require.True(t, q.Test, "somebody typed it, and must know that nothing is sent")
}

func TestAPINGoesToNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	pin := w.find(func(p *catalog.Product) bool { return !p.Addressed() && p.Fixed() && len(p.Settings) == 0 })
	q := w.quote(w.ask(pin))
	require.Equal(t, "0000000000", q.Terms.AccountNumber, "whatever number was typed")
}

func TestANumberWithLettersIsOnlyWhereProvidersHaveSome(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	ask := w.ask(w.irish())
	ask.Number = "GB12345678"
	_, err := w.quote(ask).Offer(counter.Confirmation{})
	require.Equal(t, "number", fault.FieldOf(err))
	_, err = w.Counter.Preview(t.Context(), ask, "")
	require.Equal(t, "number", fault.FieldOf(err))
}

func TestANumberIsCheckedBeforeCashIsTakenWhereTheProviderCan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	p := w.irish()
	preview := func() *counter.Quote {
		q, err := w.Counter.Preview(t.Context(), w.ask(p), store.NewID(w.now()))
		require.NoError(t, err)
		return q
	}
	refuse := `{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"AccountNumberInvalid","context":"ProviderRefusedRequest"}}`
	w.fault(refuse)
	require.NoError(t, preview().Stop, "a provider that cannot check is not asked")
	require.NoError(t, w.Sales.SetValidating(t.Context(), setup, p.Provider, true))
	var refused *sales.RefusedError
	require.ErrorAs(t, preview().Stop, &refused)
	require.NoError(t, preview().Stop, "it was asked again, and knows the number")
	w.fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"before"}}`)
	unanswered := preview()
	require.NoError(t, unanswered.Stop)
	require.True(t, unanswered.Unchecked)
}
