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

func TestWhatIsTypedIsWhatIsConfirmedAndSold(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		_, err := w.Pricing.SaveRule(t.Context(), setup, pricing.Rule{Name: "All", Priority: 1, Way: pricing.Percent, Value: "10"})
		require.NoError(t, err)
		for name, p := range map[string]*catalog.Product{"one price": w.irish(), "any amount": w.ranged()} {
			ask := w.ask(p)
			if !p.Fixed() {
				ask.Send, ask.Pay = "", "12.34"
			}
			ask.Confirmed = false
			typed, err := w.Counter.Preview(t.Context(), ask, "")
			require.NoError(t, err)
			require.Equal(t, p.Fixed(), typed.Ready(), name)
			ask.Confirmed = true
			confirmed, err := w.Counter.Preview(t.Context(), ask, store.NewID(w.now()))
			require.NoError(t, err)
			require.NoError(t, confirmed.Stop)
			require.Equal(t, typed.Terms.Price, confirmed.Terms.Price, name)
			require.Equal(t, typed.Price, confirmed.Price, name)
			if !p.Fixed() {
				require.Equal(t, "12.34", confirmed.Terms.Price.Decimal(2), "as it was typed")
				ask.Send = confirmed.Terms.Cost.Send.Decimal(0)
			}
			sale, err := w.sell(w.quote(ask))
			require.NoError(t, err)
			require.Equal(t, confirmed.Terms.Price, sale.Price(), name)
			require.Equal(t, confirmed.Terms.Cost, sale.Quoted(), name)
			received, net := sale.Received()
			require.Equal(t, []money.Amount{confirmed.Terms.Receive, confirmed.Terms.ReceiveExTax}, []money.Amount{received, net}, name)
			require.Equal(t, number, sale.AccountNumber)
			require.False(t, sale.Practice)
		}
	})
}

func TestNobodySellsWhatIsHidden(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		p := w.irish()
		before := w.offer(w.quote(w.ask(p)))

		require.NoError(t, w.Catalog.HideIn(t.Context(), w.Audit, setup, w.seller.ShopID, p.SKU, "not here"))
		_, err := w.Counter.Quote(t.Context(), w.ask(p))
		notFound(t, err)
		_, _, err = w.Sales.Sell(t.Context(), before)
		notFound(t, err)
		elsewhere := w.ask(p)
		elsewhere.Seller.ShopID = "another"
		require.True(t, w.quote(elsewhere).Ready(), "the others sell it")
		require.NoError(t, w.Catalog.ShowIn(t.Context(), w.Audit, setup, w.seller.ShopID, p.SKU))

		require.NoError(t, w.Catalog.Hide(t.Context(), w.Audit, setup, p.SKU, "nowhere"))
		require.NoError(t, w.Catalog.Refresh(t.Context()))
		_, err = w.Counter.Quote(t.Context(), w.ask(p))
		notFound(t, err)
		_, _, err = w.Sales.Sell(t.Context(), before)
		notFound(t, err)
		w.unsold()

		require.NoError(t, w.Catalog.Show(t.Context(), w.Audit, setup, p.SKU))
		require.NoError(t, w.Catalog.Refresh(t.Context()))
		_, _, err = w.Sales.Sell(t.Context(), before)
		require.NoError(t, err, "shown again, what was quoted stands")
	})
}

// A sale that is tried again is sent anew: it asks for what a new sale does.
func TestNobodyTriesAgainWhatIsNotSold(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		p := w.irish()
		act := sales.Act{Actor: setup, ShiftID: w.seller.ShiftID}
		sale, err := w.sell(w.quote(w.ask(p)))
		require.NoError(t, err)
		_, err = w.Sales.CallOff(t.Context(), sale.ID, act)
		require.NoError(t, err)
		refused := func(kind fault.Kind, why string) {
			t.Helper()
			_, err := w.Sales.TryAgain(t.Context(), sale.ID, act)
			require.Equal(t, kind, fault.KindOf(err), why)
			require.Contains(t, fault.Message(err), "ive the cash back", why)
		}

		require.NoError(t, w.Catalog.HideIn(t.Context(), w.Audit, setup, w.seller.ShopID, p.SKU, "not here"))
		refused(fault.Conflict, "hidden in this shop")
		require.NoError(t, w.Catalog.ShowIn(t.Context(), w.Audit, setup, w.seller.ShopID, p.SKU))
		require.NoError(t, w.Catalog.Hide(t.Context(), w.Audit, setup, p.SKU, "nowhere"))
		require.NoError(t, w.Catalog.Refresh(t.Context()))
		refused(fault.Conflict, "hidden")
		require.NoError(t, w.Catalog.Show(t.Context(), w.Audit, setup, p.SKU))
		require.NoError(t, w.Catalog.Refresh(t.Context()))
		w.pass(counter.StoppedAfter + time.Minute)
		refused(fault.Unavailable, "nobody knows whether the provider takes transfers")
		w.pass(-counter.StoppedAfter - time.Minute)

		after, err := w.Sales.TryAgain(t.Context(), sale.ID, act)
		require.NoError(t, err)
		require.Equal(t, 2, after.Attempt)
	})
}

func TestWhatIsNotInTheCatalogueIsNotQuoted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	p := w.irish()
	other := w.find(func(o *catalog.Product) bool { return o.Provider != p.Provider })
	for name, spoil := range map[string]func(*counter.Ask){
		"no such product":        func(a *counter.Ask) { a.SKU = "NONE" },
		"no such operator":       func(a *counter.Ask) { a.Provider = "NONE" },
		"of another operator":    func(a *counter.Ask) { a.Provider = other.Provider },
		"before it is confirmed": func(a *counter.Ask) { a.SKU, a.Confirmed = "NONE", false },
	} {
		ask := w.ask(p)
		spoil(&ask)
		_, err := w.Counter.Preview(t.Context(), ask, "")
		notFound(t, err)
		require.NotEmpty(t, fault.Message(err), name)
	}
	ask := w.ask(p)
	ask.Number = "?"
	_, err := w.Counter.Quote(t.Context(), ask)
	require.Equal(t, "number", fault.FieldOf(err))
}

func TestAnOfferThatNobodyQuotedIsNotSold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	_, _, err := w.Sales.Sell(t.Context(), counter.Offer{})
	require.Error(t, err)
	require.Error(t, counter.Offer{}.Stands(t.Context()))
	w.unsold()
}

func TestWithoutWordOfTheProvidersNothingIsSold(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		require.Nil(t, w.Counter.Stopped())
		q := w.quote(w.ask(w.irish()))
		require.True(t, q.Up)
		w.fault(`{"match":{"endpoint":"GetProviderStatus"},"action":{"kind":"error","code":"TransientProviderError"},"times":99}`)
		since := w.Catalog.Current().StatusAsOf()
		w.pass(counter.StoppedAfter - time.Minute)
		require.NoError(t, w.offer(q).Stands(t.Context()), "the last word has to do for a while")
		w.pass(2 * time.Minute)
		require.Equal(t, &counter.Stop{Since: since}, w.Counter.Stopped())
		_, err := w.sell(q)
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
		late, err := w.Counter.Preview(t.Context(), w.ask(w.irish()), "")
		require.NoError(t, err)
		require.False(t, late.Up)
		require.NotNil(t, late.Stopped)
		w.unsold()
	})
}

func TestAHaltedTillQuotesNothingToSell(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	before := w.quote(w.ask(w.irish()))
	w.Sales.Halt()
	require.Equal(t, &counter.Stop{Restored: true}, w.Counter.Stopped())
	q := w.quote(w.ask(w.irish()))
	require.False(t, q.Up)
	require.Equal(t, fault.Unavailable, fault.KindOf(w.offer(before).Stands(t.Context())))
	_, err := w.sell(before)
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	w.unsold()
}

func TestAProviderThatIsDownIsNotSold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	down := w.first(func(p *catalog.Product) bool {
		return !w.Catalog.Current().ProviderUp(p.Provider) && p.Fixed() && len(p.Settings) == 0 && !p.LookupBillsRequired
	})
	q, err := w.Counter.Preview(t.Context(), w.ask(down), "")
	require.NoError(t, err)
	require.False(t, q.Up)
	require.Nil(t, q.Stopped, "the others sell")
	_, err = w.sell(q)
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	w.unsold()
}

func TestAPreviewSaysWhatWouldStopTheSale(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		ask := w.ask(w.irish())
		first, err := w.sell(w.quote(ask)) // open: it is not sent
		require.NoError(t, err)
		q, err := w.Counter.Preview(t.Context(), ask, store.NewID(w.now()))
		require.NoError(t, err)
		var open *sales.UnknownError
		require.ErrorAs(t, q.Stop, &open)
		require.Equal(t, first.ID, open.Earlier.ID)
		require.NoError(t, w.quote(ask).Stop, "a sale is guarded in its transaction")
	})
}
