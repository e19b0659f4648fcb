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
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/sandbox"
	"airtill/internal/store"
	"airtill/internal/till"
)

// What worlds are made with.
const (
	Number      = "353871234567"
	BatchNumber = "5351234567"
	VaultKey    = "k1:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	Patience    = 20 * time.Second
)

// World is a till, its books and the upstream's, on a clock that can be moved.
type World struct {
	*app.App
	T        *testing.T
	Upstream *httptest.Server
	Seller   sales.Seller
	Budget   apiclient.Budget // of the next process; nil: the client's own
	db       *store.DB
	offset   *atomic.Int64
}

// New returns a world with an open drawer and a float that was asked for.
func New(t *testing.T, db *store.DB) *World {
	t.Helper()
	w := &World{T: t, db: db, offset: &atomic.Int64{}}
	service, err := sandbox.New(sandbox.Deps{Data: ":memory:", Seed: 1, Now: w.Now})
	require.NoError(t, err)
	w.Upstream = httptest.NewServer(service.Handler())
	t.Cleanup(func() {
		w.Upstream.CloseClientConnections()
		w.Upstream.Close()
		require.NoError(t, service.Close())
	})
	w.Begin("process-1")
	_, err = w.Reconcile.ReadBalance(t.Context())
	require.NoError(t, err)
	shift, err := w.Till.Open(t.Context(), till.Opening{Actor: audit.Actor{UserID: "cashier"}, ShopID: "shop", TillID: "till", Float: till.Counted(money.Of(0, "EUR"))})
	require.NoError(t, err)
	w.Seller = sales.Seller{CashierID: "cashier", ShopID: "shop", TillID: "till", ShiftID: shift.ID, Language: "en", Currency: "EUR"}
	return w
}

// Now is the time of the world.
func (w *World) Now() time.Time { return time.Now().Add(time.Duration(w.offset.Load())) }

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
	})
	require.NoError(w.T, err)
	a, err := app.New(w.T.Context(), books)
	require.NoError(w.T, err)
	w.App = a
	w.T.Cleanup(func() {
		require.NoError(w.T, a.Sales.Drain(context.WithoutCancel(w.T.Context())))
		require.NoError(w.T, a.Close())
	})
	require.NoError(w.T, a.Processes.Beat(w.T.Context()))
}

// Offer finds a product that a test can sell and prices it at its SendValue.
func (w *World) Offer(want func(apiclient.Product) bool) sales.Offer {
	return w.OfferIn(apiclient.ProductFilter{CountryIsos: []string{"IE"}}, func(p apiclient.Product) bool {
		return p.ProcessingMode == apiclient.ModeInstant && p.Minimum.SendValue == p.Maximum.SendValue && want(p)
	})
}

// BatchOffer is a product that the upstream works later, for BatchNumber.
func (w *World) BatchOffer() sales.Offer {
	return w.OfferIn(apiclient.ProductFilter{SkuCodes: []string{"CU_IS_TopUp"}}, func(apiclient.Product) bool { return true })
}

// PINOffer is a product whose PIN comes with the answer.
func (w *World) PINOffer() sales.Offer {
	return w.Offer(func(p apiclient.Product) bool { return p.RedemptionMechanism == apiclient.RedeemReadReceipt })
}

// OfferIn is Offer among the products of a filter, in any mode.
func (w *World) OfferIn(filter apiclient.ProductFilter, want func(apiclient.Product) bool) sales.Offer {
	products, err := w.Client.GetProducts(w.T.Context(), filter)
	require.NoError(w.T, err)
	for _, p := range products.Items {
		if !want(p) {
			continue
		}
		amount := func(d apiclient.Decimal, c string) money.Amount {
			if d == "" {
				d = "0"
			}
			a, err := d.Amount(money.Currency(c))
			require.NoError(w.T, err)
			return a
		}
		price, eur := p.Minimum, p.Minimum.SendCurrencyIso
		return sales.Offer{
			CountryISO: "IE", ProviderCode: p.ProviderCode, ProviderName: p.ProviderCode, SKUCode: p.SkuCode, ProductText: p.DefaultDisplayText,
			Kind: "topup", ProcessingMode: string(p.ProcessingMode), Redemption: string(p.RedemptionMechanism), ProviderUp: true,
			Cost:    ledger.Cost{Send: amount(price.SendValue, eur), CustomerFee: amount(price.CustomerFee, eur), DistributorFee: amount(price.DistributorFee, eur)},
			Receive: amount(price.ReceiveValue, price.ReceiveCurrencyIso), ReceiveExTax: amount(price.ReceiveValueExcludingTax, price.ReceiveCurrencyIso),
			CommissionRate: string(p.CommissionRate), Price: amount(price.SendValue, eur), TestNumber: p.UatNumber,
		}
	}
	w.T.Fatal("the sandbox sells nothing like it")
	return sales.Offer{}
}

// TopUp is a product for Number that is credited at once.
func (w *World) TopUp() sales.Offer {
	found, err := w.Client.GetAccountLookup(w.T.Context(), Number)
	require.NoError(w.T, err)
	require.NotEmpty(w.T, found.Items)
	return w.Offer(func(p apiclient.Product) bool {
		return p.ProviderCode == found.Items[0].ProviderCode && p.RedemptionMechanism == apiclient.RedeemImmediate && len(p.SettingDefinitions) == 0
	})
}

// Order is a press of a form with a key of its own.
func Order(key string, offer sales.Offer) sales.Order {
	return sales.Order{Key: "0123456789abcdef-" + key, AccountNumber: Number, Shown: offer.Price}
}

// Sell records a sale and sends it.
func (w *World) Sell(o sales.Order, offer sales.Offer) sales.Sale {
	sale, created, err := w.Sales.Sell(w.T.Context(), w.Seller, o, offer)
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
			events, err := w.Sales.History(context.WithoutCancel(w.T.Context()), id)
			w.T.Log(events, err)
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
	response, err := http.DefaultClient.Do(request)
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

// Calls notes the endpoints that are asked from now on; the function returned
// tells which.
func (w *World) Calls() func() []string {
	var mu sync.Mutex
	var seen []string
	handler := w.Upstream.Config.Handler
	w.Upstream.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if name, ok := strings.CutPrefix(r.URL.Path, "/api/V1/"); ok {
			mu.Lock()
			seen = append(seen, name)
			mu.Unlock()
		}
		handler.ServeHTTP(rw, r)
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

// Incidents lists the kinds of open incidents.
func (w *World) Incidents() (kinds []sales.IncidentKind) {
	open, err := w.Sales.Incidents(w.T.Context())
	require.NoError(w.T, err)
	for _, i := range open {
		kinds = append(kinds, i.Kind)
	}
	return kinds
}

// Rest waits until every send has ended and is written.
func (w *World) Rest() { require.NoError(w.T, w.Sales.Drain(w.T.Context())) }

// Limit sets a limit.
func (w *World) Limit(l sales.Limit) {
	w.T.Helper()
	require.NoError(w.T, w.Sales.SetLimit(w.T.Context(), audit.Command("test"), l))
}

// EUR is an amount of euros.
func EUR(text string) money.Amount { return money.MustParse(text, "EUR") }

// Until polls until a thing holds.
func (w *World) Until(holds func() bool) {
	w.T.Helper()
	require.Eventually(w.T, holds, Patience, 20*time.Millisecond)
}

// TestOrder is an order for the product's test number; its last digit picks
// the outcome.
func TestOrder(offer sales.Offer, digit int) sales.Order {
	o := Order(fmt.Sprintf("practice-%d", digit), offer)
	o.AccountNumber, o.Again = offer.TestNumber[:len(offer.TestNumber)-1]+fmt.Sprint(digit), true
	return o
}

// Practise sells to a test number and waits for a state.
func (w *World) Practise(offer sales.Offer, digit int, state sales.State) sales.Sale {
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
