package counter_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/app"
	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/counter"
	"airtill/internal/counter/countertest"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/money"
	"airtill/internal/pricing"
	"airtill/internal/sales"
	"airtill/internal/sandbox"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/internal/till"
	"airtill/internal/vault"
)

const number = "353871234567"

var setup = audit.Command("test")

// world is the whole till before the simulator, on a clock that can be moved.
type world struct {
	*app.App
	t        *testing.T
	upstream *httptest.Server
	seller   counter.Seller
	offset   atomic.Int64
}

func newWorld(t *testing.T, db *store.DB) *world {
	t.Helper()
	w := &world{t: t}
	simulator, err := sandbox.New(sandbox.Deps{Data: ":memory:", Seed: 1, Products: countertest.Products, Now: w.now})
	require.NoError(t, err)
	w.upstream = httptest.NewServer(simulator.Handler())
	t.Cleanup(func() {
		w.upstream.CloseClientConnections()
		w.upstream.Close()
		require.NoError(t, simulator.Close())
	})
	books, err := app.OpenBooks(t.Context(), app.Deps{
		Config: app.Config{UpstreamBaseURL: w.upstream.URL, UpstreamAPIKey: "sandbox-key"},
		DB:     db, Process: "p", VaultKey: vault.NewKey(), Now: w.now, Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	w.App, err = app.New(t.Context(), books)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, w.Sales.Drain(context.WithoutCancel(t.Context())))
		require.NoError(t, w.Close())
	})
	require.NoError(t, w.Catalog.SyncDue(t.Context()))
	require.NoError(t, w.Catalog.Refresh(t.Context()))
	_, err = w.Reconcile.ReadBalance(t.Context())
	require.NoError(t, err)
	shop, tills, err := w.Staff.CreateShop(t.Context(), setup, staff.NewShop{Name: "Main Street", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
	require.NoError(t, err)
	shift, err := w.Till.Open(t.Context(), till.Opening{
		Actor: audit.Actor{UserID: "c"}, ShopID: shop.ID, TillID: tills[0].ID, Float: till.Counted(money.Of(0, "EUR")),
	})
	require.NoError(t, err)
	w.seller = counter.Seller{CashierID: "c", ShopID: shop.ID, Country: "IE", Zone: shop.Location(), TillID: tills[0].ID, ShiftID: shift.ID, Language: "en", Currency: "EUR"}
	return w
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.offset.Load())) }

func (w *world) pass(d time.Duration) { w.offset.Add(int64(d)) }

func (w *world) fault(text string) {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.upstream.URL+"/_sandbox/faults", strings.NewReader("["+text+"]"))
	require.NoError(w.t, err)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(w.t, err)
	require.NoError(w.t, answer.Body.Close())
	require.Less(w.t, answer.StatusCode, 300)
}

// ask is for the least that a product is sold at, with everything answered.
func (w *world) ask(p *catalog.Product) counter.Ask { return countertest.Ask(w.seller, p, number) }

func (w *world) quote(ask counter.Ask) *counter.Quote {
	w.t.Helper()
	q, err := w.Counter.Quote(w.t.Context(), ask)
	require.NoError(w.t, err)
	return q
}

// offer is what a cashier confirms of a quote.
func (w *world) offer(q *counter.Quote) counter.Offer {
	w.t.Helper()
	require.True(w.t, q.Ready())
	offer, err := q.Offer(counter.Confirmation{Key: store.NewID(w.now()), Shown: q.Terms.Price, Again: true})
	require.NoError(w.t, err)
	return offer
}

func (w *world) sell(q *counter.Quote) (sales.Sale, error) {
	w.t.Helper()
	sale, _, err := w.Sales.Sell(w.t.Context(), w.offer(q))
	return sale, err
}

// unsold says that nothing was sold: no row, no posting of a sale.
func (w *world) unsold() {
	w.t.Helper()
	all, err := w.Sales.List(w.t.Context(), sales.Filter{})
	require.NoError(w.t, err)
	require.Empty(w.t, all)
}

// find is the first product on the shelves that is wanted, of a provider that is up.
func (w *world) find(want func(*catalog.Product) bool) *catalog.Product {
	w.t.Helper()
	on := w.Catalog.Current()
	for p := range on.AllProducts() {
		if on.ProviderUp(p.Provider) && want(p) {
			return p
		}
	}
	w.t.Fatal("the simulator sells nothing like it")
	return nil
}

// product is the world's own copy of one of the shared catalogue.
func (w *world) product(like *catalog.Product) *catalog.Product {
	w.t.Helper()
	p, sold := w.Catalog.Current().Product(like.SKU)
	require.True(w.t, sold)
	return p
}

func (w *world) irish() *catalog.Product { return w.product(countertest.Irish(w.t)) }

func (w *world) ranged() *catalog.Product { return w.product(countertest.Range(w.t)) }

func notFound(t *testing.T, err error) {
	t.Helper()
	require.Equal(t, fault.NotFound, fault.KindOf(err), "%v", err)
}

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
	on := w.Catalog.Current()
	var down *catalog.Product
	for p := range on.AllProducts() {
		if !on.ProviderUp(p.Provider) && p.Fixed() && len(p.Settings) == 0 && !p.LookupBillsRequired {
			down = p
		}
	}
	require.NotNil(t, down, "one of the simulator's is suspended")
	q, err := w.Counter.Preview(t.Context(), w.ask(down), "")
	require.NoError(t, err)
	require.False(t, q.Up)
	require.Nil(t, q.Stopped, "the others sell")
	_, err = w.sell(q)
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	w.unsold()
}

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

// biller is a product whose bills are looked up, and an account its provider has.
func (w *world) biller() (*catalog.Product, string) {
	w.t.Helper()
	on, account := w.Catalog.Current(), ""
	p := w.find(func(p *catalog.Product) bool {
		provider, _ := on.Provider(p.Provider)
		for length := 6; length < 16 && p.LookupBillsRequired && len(p.Settings) > 0 && p.Settings[0].Mandatory; length++ {
			if account = "1234567890123456"[:length]; on.Accepts(provider, account) == catalog.Matches {
				return true
			}
		}
		return false
	})
	return p, account
}

func TestWhatIsNotAnsweredIsNotSold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	p, account := w.biller()
	name := p.Settings[0].Name
	ask := countertest.Ask(w.seller, p, account)
	ask.Confirmed = false
	q, err := w.Counter.Preview(t.Context(), ask, "")
	require.NoError(t, err)
	require.False(t, q.Ready())
	require.Empty(t, q.SettingProblems, "nothing was asked yet, so nothing is missing")
	require.False(t, q.BillsAsked, "the settings come first")
	ask.Confirmed = true
	for what, value := range map[string]string{"nothing": "", "too long": strings.Repeat("x", 201), "control": "a\x00b"} {
		ask.Settings = []counter.Setting{{Name: name, Value: value}, {Name: "Discount", Value: "100%"}}
		q := w.quote(ask)
		require.Error(t, q.SettingProblems[name], what)
		require.False(t, q.Right())
		_, err := q.Offer(counter.Confirmation{})
		require.Equal(t, fault.Invalid, fault.KindOf(err), what)
	}
	w.unsold()
}

func TestABillIsPaidAsItWasFound(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		p, account := w.biller()
		name := p.Settings[0].Name
		ask := countertest.Ask(w.seller, p, account)
		var q *counter.Quote
		for _, holder := range []string{"M. Popescu", "A. Byrne", "J. Okafor", "L. Silva"} {
			ask.Settings = []counter.Setting{{Name: name, Value: holder}, {Name: "Discount", Value: "100%"}}
			var err error
			q, err = w.Counter.Preview(t.Context(), ask, "")
			require.NoError(t, err)
			require.True(t, q.BillsAsked)
			if len(q.Bills) > 0 {
				break
			}
		}
		require.NotEmpty(t, q.Bills, "nobody owes anything")
		_, err := q.Offer(counter.Confirmation{})
		require.ErrorIs(t, err, counter.ErrNoBill, "none was chosen")

		bill := q.Bills[0]
		ask.Bill = bill.ID
		q = w.quote(ask)
		require.True(t, q.Ready())
		require.Equal(t, bill.Pay, q.Terms.Price, "in full")
		require.Equal(t, bill.Ref, q.Terms.BillRef)
		require.Len(t, q.Terms.Settings, 1, "nothing else that a form may hold")

		for what, spoil := range map[string]func(*counter.Ask){
			"another holder": func(a *counter.Ask) { a.Settings = []counter.Setting{{Name: name, Value: "E. Mallory"}} },
			"a made-up bill": func(a *counter.Ask) { a.Bill = "BL0011223344556677" },
		} {
			other := ask
			spoil(&other)
			void := w.quote(other)
			require.True(t, void.BillVoid, what)
			require.Empty(t, void.Bills, "they are looked up for a page")
			_, err := void.Offer(counter.Confirmation{})
			require.ErrorIs(t, err, counter.ErrNoBill, what)
		}
		sale, err := w.sell(q)
		require.NoError(t, err)
		require.Equal(t, bill.Ref, sale.BillRef)
		w.Counter.Spend(t.Context(), q)
		require.True(t, w.quote(ask).BillVoid, "it is being paid")
	})
}

func TestBillsThatCannotBeLookedUpAreAProblemOfThePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	p, account := w.biller()
	ask := countertest.Ask(w.seller, p, account)
	ask.Settings = []counter.Setting{{Name: p.Settings[0].Name, Value: "M. Popescu"}}
	w.fault(`{"match":{"endpoint":"LookupBills"},"action":{"kind":"error","code":"AccountNumberInvalid"}}`)
	q, err := w.Counter.Preview(t.Context(), ask, "")
	require.NoError(t, err)
	require.Equal(t, "number", fault.FieldOf(q.BillProblem))
	require.False(t, q.BillsAsked)
	require.False(t, q.Ready())
}

// What the customer answered last time is there again, and the number where it is asked for
// once more.
func TestSettingsOfTheLastSaleAreRecalled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	on, account := w.Catalog.Current(), ""
	p := w.find(func(p *catalog.Product) bool {
		provider, _ := on.Provider(p.Provider)
		asks := p.Instant() && !p.LookupBillsRequired && len(p.Settings) > 0 && p.Addressed() && !p.Settings[0].Secret() && p.Settings[0].Rule().Kind == catalog.NoRule
		for length := 6; length < 16 && asks; length++ {
			if account = "1234567890123456"[:length]; on.Accepts(provider, account) == catalog.Matches {
				return true
			}
		}
		return false
	})
	ask := countertest.Ask(w.seller, p, account)
	for _, d := range p.Settings {
		ask.Settings = append(ask.Settings, counter.Setting{Name: d.Name, Value: "12345678"})
	}
	q := w.quote(ask)
	require.True(t, q.Ready(), "%v", q.SettingProblems)
	sale, err := w.sell(q)
	require.NoError(t, err)
	w.Sales.Dispatch(sale)
	require.Eventually(t, func() bool {
		now, err := w.Sales.Get(t.Context(), sale.ID, "")
		return err == nil && now.Fulfilment == sales.Complete
	}, 20*time.Second, 20*time.Millisecond)
	ask.Settings = nil
	again, err := w.Counter.Preview(t.Context(), ask, "")
	require.NoError(t, err)
	require.Equal(t, "12345678", again.Ask.Setting(p.Settings[0].Name))
	require.Empty(t, w.quote(ask).Ask.Settings, "a form says all itself")
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

// A number is checked before cash is taken where the provider can: it is asked once.
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
