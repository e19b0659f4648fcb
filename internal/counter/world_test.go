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
	"airtill/internal/money"
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
	popular  counter.Popular // of shelves
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
	answer, err := w.upstream.Client().Do(request)
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
	offer, err := q.Offer(counter.Confirmation{Key: store.NewID(w.now()), Shown: q.Terms.Price, Practice: q.Ask.Practice, Again: true})
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
	return w.first(func(p *catalog.Product) bool { return w.Catalog.Current().ProviderUp(p.Provider) && want(p) })
}

// first is the first product on the shelves that is wanted.
func (w *world) first(want func(*catalog.Product) bool) *catalog.Product {
	w.t.Helper()
	for p := range w.Catalog.Current().AllProducts() {
		if want(p) {
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

// biller is a product whose bills are looked up, and an account its provider has.

// What the customer answered last time is there again, and the number where it is asked for

// once more.

// A number is checked before cash is taken where the provider can: it is asked once.
