package counter_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/counter"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/money"
	"airtill/internal/pricing"
	"airtill/internal/sales"
	"airtill/internal/store"
)

func TestAPriceThatChangesAfterItWasShownIsAskedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	for name, p := range map[string]*catalog.Product{"one price": w.irish(), "any amount": w.ranged()} {
		shown := w.quote(w.ask(p))
		_, err := w.Pricing.SaveRule(t.Context(), setup, pricing.Rule{Name: name, Priority: 1, SKU: p.SKU, Way: pricing.Percent, Value: "50"})
		require.NoError(t, err)
		now := w.quote(w.ask(p))
		require.Equal(t, shown.Terms.Cost, now.Terms.Cost, name)
		offer, err := now.Offer(counter.Confirmation{Key: store.NewID(w.now()), Shown: shown.Terms.Price})
		require.NoError(t, err)
		_, _, err = w.Sales.Sell(t.Context(), offer)
		var changed *sales.ChangedError
		require.ErrorAs(t, err, &changed, name)
		require.Equal(t, now.Terms.Price, changed.Price)
		w.unsold()
	}
}

func TestAnotherCurrencyNeedsARateAndSaysHowOldItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	ask := w.ask(w.irish())
	ask.Seller.Currency = "NGN"
	_, err := w.Counter.Quote(t.Context(), ask)
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	rate := pricing.Rate{FromCurrency: "EUR", ToCurrency: "NGN", Rate: "1700", Again: "1700"}
	require.NoError(t, w.Pricing.AddRate(t.Context(), setup, rate))
	w.pass(time.Second)
	q := w.quote(ask)
	require.Equal(t, money.Currency("NGN"), q.Terms.Price.Currency())
	require.Equal(t, money.Currency("EUR"), q.Terms.Cost.Send.Currency())
	require.True(t, q.OldRate.IsZero())
	w.pass(15 * 24 * time.Hour)
	require.False(t, w.quote(ask).OldRate.IsZero())
}

func TestAnAmountOutsideOfTheRangeIsNotQuoted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	p := w.ranged()
	for name, c := range map[string]struct {
		spoil        func(*counter.Ask)
		pay, receive bool // what is wrong
	}{
		"nothing typed":       {spoil: func(*counter.Ask) {}, pay: true},
		"no amount":           {spoil: func(a *counter.Ask) { a.Pay = "x" }, pay: true},
		"too little to pay":   {spoil: func(a *counter.Ask) { a.Pay = "0.01" }, pay: true},
		"too much to pay":     {spoil: func(a *counter.Ask) { a.Pay = "99999" }, pay: true},
		"too little received": {spoil: func(a *counter.Ask) { a.Receive = "0.01" }, receive: true},
		"too much sent":       {spoil: func(a *counter.Ask) { a.Send = "99999" }, pay: true},
	} {
		ask := w.ask(p)
		ask.Send = ""
		c.spoil(&ask)
		q, err := w.Counter.Preview(t.Context(), ask, "")
		require.NoError(t, err, name)
		require.Equal(t, []bool{c.pay, c.receive}, []bool{q.PayProblem != nil, q.ReceiveProblem != nil}, name)
		require.False(t, q.Ready(), name)
		require.NotEmpty(t, q.Round, name)
		_, err = q.Offer(counter.Confirmation{})
		require.Equal(t, fault.Invalid, fault.KindOf(err), name)
	}
	ask := w.ask(p)
	ask.Send, ask.Pay = "", "99999"
	var out *counter.RangeError
	require.ErrorAs(t, w.quote(ask).PayProblem, &out)
	q := w.quote(ask)
	require.Equal(t, &counter.RangeError{Least: q.Least, Most: q.Most}, out)
	require.Contains(t, out.Error(), q.Most.String())
	ask.Send = "1,0,0"
	_, err := w.Counter.Quote(t.Context(), ask)
	require.Equal(t, fault.Invalid, fault.KindOf(err), "no page of ours says so")
}

func TestTheNearestAmountIsSaidWhereItIsNotWhatWasTyped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	var asked money.Amount // in the middle of a range, and of none of the steps that can be sent
	p := w.find(func(p *catalog.Product) bool {
		if p.Fixed() || p.LookupBillsRequired || len(p.Settings) > 0 {
			return false
		}
		middle := (p.Minimum.ReceiveMicros + p.Maximum.ReceiveMicros) / 2 / money.Scale * money.Scale
		for cents := range int64(50) {
			asked = money.Of(middle+cents*money.Scale/100, p.Minimum.ReceiveCurrency)
			price, err := p.QuoteReceive(asked)
			if err == nil && price.Receive() != asked {
				return true
			}
		}
		return false
	})
	ask := w.ask(p)
	ask.Send, ask.Receive = "", asked.Decimal(2)
	q := w.quote(ask)
	require.NoError(t, q.ReceiveProblem)
	require.Equal(t, asked, q.Nearest())
	require.True(t, w.quote(w.ask(w.irish())).Nearest().IsZero())
}

func TestWithoutTheUpstreamsPriceOurOwnFigureHasToDo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	w.fault(`{"match":{"endpoint":"EstimatePrices"},"action":{"kind":"error","code":"TransientProviderError"},"times":9}`)
	ask := w.ask(w.ranged())
	q := w.quote(ask)
	require.NoError(t, q.PayProblem)
	require.True(t, q.About, "and says so")
	require.True(t, q.Ready())
}
