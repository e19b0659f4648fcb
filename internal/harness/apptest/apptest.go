// Package apptest is the whole till for tests: app.New on a real database, and the
// upstream's simulator over HTTP, on a clock that can be moved.
package apptest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/app"
	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/counter"
	"airtill/internal/counter/countertest"
	"airtill/internal/harness/storetest"
	"airtill/internal/ledger"
	"airtill/internal/limit"
	"airtill/internal/money"
	"airtill/internal/pricing"
	"airtill/internal/sales"
	"airtill/internal/sandbox"
	"airtill/internal/staff/stafftest"
	"airtill/internal/store"
	"airtill/internal/till"
)

// What worlds are made with.
const (
	Number      = "353871234567"
	BatchNumber = "5351234567"
	VaultKey    = "k1:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	Patience    = time.Minute
)

// World is a till, its books and the upstream's, on a clock that can be moved.
type World struct {
	*app.App
	T        *testing.T
	Upstream *httptest.Server
	answers  atomic.Pointer[http.Handler] // its handler
	Seller   counter.Seller
	Budget   apiclient.Budget // of the next process; nil: the client's own
	db       *store.DB
	offset   *atomic.Int64
	stopped  atomic.Pointer[time.Time]
}

// New returns a world with an open drawer and a float that was asked for.
func New(t *testing.T, db *store.DB) *World {
	t.Helper()
	return NewWith(t, db, "")
}

// NewWith is New with another float upstream than usual.
func NewWith(t *testing.T, db *store.DB, float string) *World {
	t.Helper()
	w := &World{T: t, db: db, offset: &atomic.Int64{}}
	service, err := sandbox.New(sandbox.Deps{Data: ":memory:", Seed: 1, Products: countertest.Products, Now: w.Now})
	require.NoError(t, err)
	storetest.AtEnd(t, service, func(service *sandbox.Service) { require.NoError(t, service.Close()) })
	handler := service.Handler()
	w.answers.Store(&handler)
	w.Upstream = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		(*w.answers.Load()).ServeHTTP(rw, r)
	}))
	storetest.AtEnd(t, w.Upstream, func(upstream *httptest.Server) {
		upstream.CloseClientConnections()
		upstream.Close()
	})
	if float != "" {
		w.Call(http.MethodPut, "/_sandbox/config", `{"openingBalance":"`+float+`"}`, nil)
		w.Call(http.MethodPost, "/_sandbox/reset", "{}", nil)
	}
	w.Begin("process-1")
	_, err = w.Reconcile.ReadBalance(t.Context())
	require.NoError(t, err)
	shift, err := w.Till.Open(t.Context(), till.Opening{Actor: audit.Actor{UserID: "cashier"}, ShopID: "shop", TillID: "till", Float: till.Counted(money.Of(0, "EUR"))})
	require.NoError(t, err)
	w.Seller = counter.Seller{CashierID: "cashier", ShopID: "shop", Country: "IE", TillID: "till", ShiftID: shift.ID, Language: "en", Currency: "EUR"}
	return w
}

// Now is the time of the world.
func (w *World) Now() time.Time {
	at := time.Now()
	if stopped := w.stopped.Load(); stopped != nil {
		at = *stopped
	}
	return at.Add(time.Duration(w.offset.Load()))
}

// Stop stops the clock: from now on it moves by Pass alone, however busy the machine is.
func (w *World) Stop() {
	now := time.Now()
	w.stopped.Store(&now)
}

// Pass lets time pass.
func (w *World) Pass(d time.Duration) { w.offset.Add(int64(d)) }

// PassUpstream lets time pass for what the upstream does by itself, too.
func (w *World) PassUpstream(d time.Duration) {
	w.Pass(d)
	w.Call(http.MethodPut, "/_sandbox/config", "{}", nil) // it looks at the clock again
}

// Begin begins a process of the till; the one before is forgotten as if killed.
func (w *World) Begin(process string) {
	books, err := app.OpenBooks(w.T.Context(), app.Deps{
		Config: app.Config{
			UpstreamBaseURL: w.Upstream.URL, UpstreamAuthURL: w.Upstream.URL,
			UpstreamClientID: "sandbox-client", UpstreamClientSecret: "sandbox-secret",
		},
		DB: w.db, Process: process, VaultKey: VaultKey, Budget: w.Budget, Now: w.Now, Log: slog.New(slog.DiscardHandler),
		Hashing: stafftest.Hashing(),
	})
	require.NoError(w.T, err)
	a, err := app.New(w.T.Context(), books)
	require.NoError(w.T, err)
	a.Counter = countertest.New(w.T, a.Pricing, a.Sales) // of a catalogue that is read once
	w.App = a
	t := w.T
	storetest.AtEnd(t, a, func(a *app.App) {
		require.NoError(t, a.Sales.Drain(context.WithoutCancel(t.Context())))
		require.NoError(t, a.Close())
	})
	require.NoError(w.T, a.Processes.Beat(w.T.Context()))
}

// Offer is what a test can sell in Ireland at once, at its price of now.
func (w *World) Offer(want func(*catalog.Product) bool) counter.Terms {
	w.T.Helper()
	on := countertest.Shelves(w.T).Current()
	for p := range on.AllProducts() {
		of, ok := on.Provider(p.Provider)
		if ok && of.Country == "IE" && p.Instant() && p.Fixed() && len(p.Settings) == 0 && on.ProviderUp(p.Provider) && want(p) {
			return w.terms(p)
		}
	}
	w.T.Fatal("the simulator sells nothing like it")
	return counter.Terms{}
}

func (w *World) terms(p *catalog.Product) counter.Terms {
	w.T.Helper()
	quote, err := w.Counter.Quote(w.T.Context(), countertest.Ask(w.Seller, p, Number))
	require.NoError(w.T, err)
	return quote.Terms
}

// BatchOffer is a product that the upstream works later, for BatchNumber.
func (w *World) BatchOffer() counter.Terms { return w.terms(countertest.Product(w.T, "CU_IS_TopUp")) }

// PINOffer is a product whose PIN comes with the answer.
func (w *World) PINOffer() counter.Terms {
	return w.Offer(func(p *catalog.Product) bool { return p.OnReceipt() && !p.Addressed() })
}

// TopUp is a product for Number that is credited at once.
func (w *World) TopUp() counter.Terms { return w.terms(countertest.Irish(w.T)) }

// Priced has the counter take one price for everything.
func (w *World) Priced(value string) {
	w.T.Helper()
	rule := pricing.Rule{Name: value, Priority: 1, Way: pricing.Target, Value: value}
	_, err := w.Pricing.SaveRule(w.T.Context(), audit.Command("test"), rule)
	require.NoError(w.T, err)
}

// Press is a form as it is sent.
type Press struct {
	counter.Confirmation

	AccountNumber string
}

// Order is a press of a form with a key of its own.
func Order(key string, offer counter.Terms) Press {
	return Press{Confirmation: counter.Confirmation{Key: "0123456789abcdef-" + key, Shown: offer.Price}, AccountNumber: Number}
}

// Quoted is what a form sells, as things stand.
func (w *World) Quoted(seller counter.Seller, o Press, offer counter.Terms) (counter.Offer, error) {
	ask := countertest.Ask(seller, countertest.Product(w.T, offer.SKUCode), o.AccountNumber)
	ask.Practice = o.Practice
	quote, err := w.Counter.Quote(w.T.Context(), ask)
	if err != nil {
		return counter.Offer{}, err
	}
	return quote.Offer(o.Confirmation)
}

// Try records a sale.
func (w *World) Try(o Press, offer counter.Terms) (sales.Sale, bool, error) {
	quoted, err := w.Quoted(w.Seller, o, offer)
	if err != nil {
		return sales.Sale{}, false, err
	}
	return w.Sales.Sell(w.T.Context(), quoted)
}

// Check says what would stop a sale.
func (w *World) Check(seller counter.Seller, o Press, offer counter.Terms) error {
	quoted, err := w.Quoted(seller, o, offer)
	require.NoError(w.T, err)
	_, stop := w.Sales.Check(w.T.Context(), quoted)
	return stop
}

// Validate has the provider check the number of a sale.
func (w *World) Validate(o Press, offer counter.Terms) (sales.Validation, error) {
	quoted, err := w.Quoted(w.Seller, o, offer)
	require.NoError(w.T, err)
	return w.Sales.Validate(w.T.Context(), quoted)
}

// Sell records a sale and sends it.
func (w *World) Sell(o Press, offer counter.Terms) sales.Sale {
	sale, created, err := w.Try(o, offer)
	require.NoError(w.T, err)
	require.True(w.T, created)
	w.Sales.Dispatch(sale)
	return sale
}

// Becomes waits until a sale is in a state, sweeping meanwhile if asked to.
func (w *World) Becomes(id string, state sales.State, sweep bool) sales.Sale {
	w.T.Helper()
	var sale sales.Sale
	defer func() {
		if w.T.Failed() {
			w.T.Log(w.Events(context.WithoutCancel(w.T.Context()), id))
		}
	}()
	require.Eventually(w.T, func() bool {
		if sweep {
			require.NoError(w.T, w.FollowUp.Sweep(w.T.Context()))
		}
		var err error
		sale, err = w.Sales.Get(w.T.Context(), id, "")
		require.NoError(w.T, err)
		return sale.Fulfilment == state
	}, Patience, 20*time.Millisecond, "never %s", state)
	return sale
}

// Fault asks the sandbox to go wrong.
func (w *World) Fault(fault string) {
	w.Call(http.MethodPost, "/_sandbox/faults", "["+fault+"]", nil)
}

// Call makes a request of the simulator.
func (w *World) Call(method, path, body string, out any) {
	w.T.Helper()
	request, err := http.NewRequestWithContext(w.T.Context(), method, w.Upstream.URL+path, bytes.NewBufferString(body))
	require.NoError(w.T, err)
	response, err := w.Upstream.Client().Do(request)
	require.NoError(w.T, err)
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	require.NoError(w.T, err)
	require.Less(w.T, response.StatusCode, 300, "%s", raw)
	if out != nil {
		require.NoError(w.T, json.Unmarshal(raw, out))
	}
}

// Executed says how often the upstream executed the current ref of a sale.
func (w *World) Executed(sale sales.Sale) int {
	var book sandbox.Ledger
	w.Call(http.MethodGet, "/_sandbox/ledger?ref="+sale.Ref, "", &book)
	for _, entry := range book.Entries {
		if entry.DistributorRef == sale.Ref {
			return entry.TimesExecuted
		}
	}
	return 0
}

// AtRest checks that the books are whole and the float is the upstream's.
func (w *World) AtRest() {
	w.T.Helper()
	offences, err := w.Ledger.Verify(w.T.Context())
	require.NoError(w.T, err)
	require.Empty(w.T, offences)
	told, err := w.Reconcile.ReadBalance(w.T.Context())
	require.NoError(w.T, err)
	float, err := w.Ledger.Balance(w.T.Context(), ledger.Float, told.Currency)
	require.NoError(w.T, err)
	require.Equal(w.T, told.Amount().String(), float.String())
	for _, account := range []ledger.Account{ledger.Reserved, ledger.BatchClearing, ledger.CustomerPrepayments} {
		balance, err := w.Ledger.Balance(w.T.Context(), account, told.Currency)
		require.NoError(w.T, err)
		require.True(w.T, balance.IsZero(), "account %s holds %s", account, balance)
	}
}

// InFront sees what the upstream is asked from now on, and passes it on.
func (w *World) InFront(see func(rw http.ResponseWriter, r *http.Request, upstream http.Handler)) {
	upstream := *w.answers.Load()
	handler := http.Handler(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { see(rw, r, upstream) }))
	w.answers.Store(&handler)
}

// Calls notes the endpoints that are asked from now on; the function returned
// tells which.
func (w *World) Calls() func() []string {
	var mu sync.Mutex
	var seen []string
	w.InFront(func(rw http.ResponseWriter, r *http.Request, upstream http.Handler) {
		if name, ok := strings.CutPrefix(r.URL.Path, "/api/V1/"); ok {
			mu.Lock()
			seen = append(seen, name)
			mu.Unlock()
		}
		upstream.ServeHTTP(rw, r)
	})
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(seen)
	}
}

// Act is what a cashier asks at the world's till.
func (w *World) Act() sales.Act {
	return sales.Act{Actor: audit.Actor{UserID: "cashier", Name: "aoife", Role: "cashier", ShopID: "shop", TillID: "till"}, ShiftID: w.Seller.ShiftID}
}

// Approved is an act that the manager allows.
func (w *World) Approved(reason string) sales.Act {
	act := w.Act()
	act.Approver, act.Reason = approval.Approver{ID: "manager"}, reason
	return act
}

// Holds returns the balance of an account.
func (w *World) Holds(account ledger.Account) string {
	balance, err := w.Ledger.Balance(w.T.Context(), account, "EUR")
	require.NoError(w.T, err)
	return balance.Decimal(2)
}

// Get reads a sale.
func (w *World) Get(id string) sales.Sale {
	sale, err := w.Sales.Get(w.T.Context(), id, "")
	require.NoError(w.T, err)
	return sale
}

// Events returns what happened to a sale, in order.
func (w *World) Events(ctx context.Context, id string) []sales.Event {
	events, err := store.All[sales.Event](w.DB.Read(ctx).Where("sale_id = ?", id).Order("seq"))
	require.NoError(w.T, err)
	return events
}

// Incidents lists the kinds of open incidents.
func (w *World) Incidents() (kinds []sales.IncidentKind) {
	open, err := w.Sales.Incidents(w.T.Context(), "")
	require.NoError(w.T, err)
	for _, i := range open {
		kinds = append(kinds, i.Kind)
	}
	return kinds
}

// Rest waits until every send has ended and is written.
func (w *World) Rest() { require.NoError(w.T, w.Sales.Drain(w.T.Context())) }

// Limit sets a limit.
func (w *World) Limit(l limit.Limit) {
	w.T.Helper()
	require.NoError(w.T, w.Limits.Set(w.T.Context(), audit.Command("test"), l))
}

// EUR is an amount of euros.
func EUR(text string) money.Amount { return money.MustParse(text, "EUR") }

// Until polls until a thing holds.
func (w *World) Until(holds func() bool) {
	w.T.Helper()
	require.Eventually(w.T, holds, Patience, 20*time.Millisecond)
}

// TestOrder is an order to practise with; its last digit picks the outcome.
func TestOrder(offer counter.Terms, digit int) Press {
	o := Order(fmt.Sprintf("practice-%d", digit), offer)
	o.AccountNumber, o.Practice, o.Again = fmt.Sprintf("3538712345%d", 10+digit), true, true
	return o
}

// Practise sells to a test number and waits for a state.
func (w *World) Practise(offer counter.Terms, digit int, state sales.State) sales.Sale {
	w.T.Helper()
	sale := w.Sell(TestOrder(offer, digit), offer)
	require.True(w.T, sale.Practice)
	w.Until(func() bool {
		sale = w.Get(sale.ID)
		if sale.Fulfilment == sales.Unknown && state == sales.Failed {
			w.Pass(6 * time.Second) // a failure that one look must confirm
			require.NoError(w.T, w.FollowUp.Sweep(w.T.Context()))
		}
		return sale.Fulfilment == state
	})
	return sale
}

// Absent is a sale that was given up by the absence rule, though the upstream
// carried it out and will list it after half an hour.
func (w *World) Absent() sales.Sale {
	w.T.Helper()
	offer := w.TopUp()
	control := Order("control", offer)
	control.AccountNumber = "353871111111"
	w.Becomes(w.Sell(control, offer).ID, sales.Complete, false)
	w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"late_success","reply":"none","for":"30m"}}`)
	sale := w.Becomes(w.Sell(Order("1", offer), offer).ID, sales.Unknown, false)
	for sale.Fulfilment == sales.Unknown {
		w.Pass(30 * time.Second)
		require.NoError(w.T, w.FollowUp.Sweep(w.T.Context()))
		sale = w.Get(sale.ID)
	}
	require.True(w.T, sale.ByAbsence)
	return sale
}

// Again begins a new attempt; the manager allows it so soon.
func (w *World) Again(sale sales.Sale) sales.Sale {
	w.T.Helper()
	sale, err := w.Sales.TryAgain(w.T.Context(), sale.ID, w.Approved("the customer waits"))
	require.NoError(w.T, err)
	return sale
}
