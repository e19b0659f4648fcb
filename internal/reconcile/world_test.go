package reconcile_test

import (
	"bytes"
	"context"
	"encoding/json"
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
	"airtill/internal/audit"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
	"airtill/internal/sandbox"
	"airtill/internal/store"
	"airtill/internal/till"
)

const (
	number      = "353871234567"
	batchNumber = "5351234567"
	vaultKey    = "k1:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	pinNumber   = apiclient.DefaultPINAccountNumber
	waitFor     = 20 * time.Second
)

// world is a till, its books and the upstream's, on a clock that can be moved.
type world struct {
	t        *testing.T
	db       *store.DB
	upstream *httptest.Server
	client   *apiclient.Client
	sales    *sales.Service
	books    *reconcile.Service
	ledger   *ledger.Ledger
	audit    *audit.Log
	till     *till.Service
	seller   sales.Seller
	offset   *atomic.Int64
	budget   apiclient.Budget // nil: the client's own
}

func newWorld(t *testing.T, db *store.DB) *world {
	t.Helper()
	w := &world{t: t, db: db, offset: &atomic.Int64{}}
	service, err := sandbox.New(sandbox.Deps{Data: ":memory:", Seed: 1, Now: w.now})
	require.NoError(t, err)
	w.upstream = httptest.NewServer(service.Handler())
	t.Cleanup(func() {
		w.upstream.CloseClientConnections()
		w.upstream.Close()
		require.NoError(t, service.Close())
	})
	w.start("process-1")
	_, err = w.books.ReadBalance(t.Context())
	require.NoError(t, err)
	shift, err := w.till.Open(t.Context(), till.Opening{Actor: audit.Actor{UserID: "cashier"}, ShopID: "shop", TillID: "till", Float: till.Counted(money.Of(0, "EUR"))})
	require.NoError(t, err)
	w.seller = sales.Seller{CashierID: "cashier", ShopID: "shop", TillID: "till", ShiftID: shift.ID, Language: "en", Currency: "EUR"}
	return w
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.offset.Load())) }

func (w *world) pass(d time.Duration) { w.offset.Add(int64(d)) }

// passUpstream lets time pass for what the upstream does by itself, too.
func (w *world) passUpstream(d time.Duration) {
	w.pass(d)
	w.call(http.MethodPut, "/_sandbox/config", "{}", nil) // it looks at the clock again
}

// start begins a process of the till; the one before is forgotten as if killed.
func (w *world) start(process string) {
	books, err := app.OpenBooks(w.t.Context(), app.Deps{
		Config: app.Config{
			UpstreamBaseURL: w.upstream.URL, UpstreamAuthURL: w.upstream.URL,
			UpstreamClientID: "sandbox-client", UpstreamClientSecret: "sandbox-secret",
		},
		DB: w.db, Process: process, VaultKey: vaultKey, Budget: w.budget, Now: w.now, Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(w.t, err)
	a, err := app.New(w.t.Context(), books)
	require.NoError(w.t, err)
	w.client, w.sales, w.books, w.ledger, w.audit, w.till = a.Client, a.Sales, a.Reconcile, a.Ledger, a.Audit, a.Till
	w.t.Cleanup(func() {
		require.NoError(w.t, a.Sales.Drain(context.WithoutCancel(w.t.Context())))
		require.NoError(w.t, a.Close())
	})
	require.NoError(w.t, a.Processes.Beat(w.t.Context()))
}

// offer finds a product that a test can sell and prices it at its SendValue.
func (w *world) offer(want func(apiclient.Product) bool) sales.Offer {
	return w.offerIn(apiclient.ProductFilter{CountryIsos: []string{"IE"}}, func(p apiclient.Product) bool {
		return p.ProcessingMode == apiclient.ModeInstant && p.Minimum.SendValue == p.Maximum.SendValue && want(p)
	})
}

// batchOffer is a product that the upstream works later, for batchNumber.
func (w *world) batchOffer() sales.Offer {
	return w.offerIn(apiclient.ProductFilter{SkuCodes: []string{"CU_IS_TopUp"}}, func(apiclient.Product) bool { return true })
}

// pinOffer is a product whose PIN comes with the answer.
func (w *world) pinOffer() sales.Offer {
	return w.offer(func(p apiclient.Product) bool { return p.RedemptionMechanism == apiclient.RedeemReadReceipt })
}

func (w *world) offerIn(filter apiclient.ProductFilter, want func(apiclient.Product) bool) sales.Offer {
	products, err := w.client.GetProducts(w.t.Context(), filter)
	require.NoError(w.t, err)
	for _, p := range products.Items {
		if !want(p) {
			continue
		}
		amount := func(d apiclient.Decimal, c string) money.Amount {
			if d == "" {
				d = "0"
			}
			a, err := d.Amount(money.Currency(c))
			require.NoError(w.t, err)
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
	w.t.Fatal("the sandbox sells nothing like it")
	return sales.Offer{}
}

func (w *world) topUp() sales.Offer {
	found, err := w.client.GetAccountLookup(w.t.Context(), number)
	require.NoError(w.t, err)
	require.NotEmpty(w.t, found.Items)
	return w.offer(func(p apiclient.Product) bool {
		return p.ProviderCode == found.Items[0].ProviderCode && p.RedemptionMechanism == apiclient.RedeemImmediate && len(p.SettingDefinitions) == 0
	})
}

func order(key string, offer sales.Offer) sales.Order {
	return sales.Order{Key: "0123456789abcdef-" + key, AccountNumber: number, Shown: offer.Price}
}

// sell records a sale and sends it.
func (w *world) sell(o sales.Order, offer sales.Offer) sales.Sale {
	sale, created, err := w.sales.Sell(w.t.Context(), w.seller, o, offer)
	require.NoError(w.t, err)
	require.True(w.t, created)
	w.sales.Dispatch(sale)
	return sale
}

// becomes waits until a sale is in a state, sweeping meanwhile if asked to.
func (w *world) becomes(id string, state sales.State, sweep bool) sales.Sale {
	w.t.Helper()
	var sale sales.Sale
	defer func() {
		if w.t.Failed() {
			events, err := w.sales.History(context.WithoutCancel(w.t.Context()), id)
			w.t.Log(events, err)
		}
	}()
	require.Eventually(w.t, func() bool {
		if sweep {
			require.NoError(w.t, w.books.Sweep(w.t.Context()))
		}
		var err error
		sale, err = w.sales.Get(w.t.Context(), id, "")
		require.NoError(w.t, err)
		return sale.Fulfilment == state
	}, waitFor, 20*time.Millisecond, "never %s", state)
	return sale
}

// fault asks the sandbox to go wrong.
func (w *world) fault(fault string) {
	w.call(http.MethodPost, "/_sandbox/faults", "["+fault+"]", nil)
}

func (w *world) call(method, path, body string, out any) {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), method, w.upstream.URL+path, bytes.NewBufferString(body))
	require.NoError(w.t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(w.t, err)
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	require.NoError(w.t, err)
	require.Less(w.t, response.StatusCode, 300, "%s", raw)
	if out != nil {
		require.NoError(w.t, json.Unmarshal(raw, out))
	}
}

// executed says how often the upstream executed the current ref of a sale.
func (w *world) executed(sale sales.Sale) int {
	var book sandbox.Ledger
	w.call(http.MethodGet, "/_sandbox/ledger?ref="+sale.Ref, "", &book)
	for _, entry := range book.Entries {
		if entry.DistributorRef == sale.Ref {
			return entry.TimesExecuted
		}
	}
	return 0
}

// atRest checks that the books are whole and the float is the upstream's.
func (w *world) atRest() {
	w.t.Helper()
	offences, err := w.ledger.Verify(w.t.Context())
	require.NoError(w.t, err)
	require.Empty(w.t, offences)
	told, err := w.books.ReadBalance(w.t.Context())
	require.NoError(w.t, err)
	float, err := w.ledger.Balance(w.t.Context(), ledger.Float, told.Currency)
	require.NoError(w.t, err)
	require.Equal(w.t, told.Amount().String(), float.String())
	for _, account := range []ledger.Account{ledger.Reserved, ledger.BatchClearing, ledger.CustomerPrepayments} {
		balance, err := w.ledger.Balance(w.t.Context(), account, told.Currency)
		require.NoError(w.t, err)
		require.True(w.t, balance.IsZero(), "account %s holds %s", account, balance)
	}
}

// calls notes the endpoints that are asked from now on; the function returned
// tells which.
func (w *world) calls() func() []string {
	var mu sync.Mutex
	var seen []string
	handler := w.upstream.Config.Handler
	w.upstream.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
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

// act is what a cashier asks at the world's till.
func (w *world) act() sales.Act {
	return sales.Act{Actor: audit.Actor{UserID: "cashier", Name: "aoife", Role: "cashier", ShopID: "shop", TillID: "till"}, ShiftID: w.seller.ShiftID}
}

// approved is an act that the manager allows.
func (w *world) approved(reason string) sales.Act {
	act := w.act()
	act.Approver, act.Reason = "manager", reason
	return act
}

// holds returns the balance of an account.
func (w *world) holds(account ledger.Account) string {
	balance, err := w.ledger.Balance(w.t.Context(), account, "EUR")
	require.NoError(w.t, err)
	return balance.Decimal(2)
}

// get reads a sale.
func (w *world) get(id string) sales.Sale {
	sale, err := w.sales.Get(w.t.Context(), id, "")
	require.NoError(w.t, err)
	return sale
}

// incidents lists the kinds of open incidents.
func (w *world) incidents() (kinds []sales.IncidentKind) {
	open, err := w.books.Incidents(w.t.Context())
	require.NoError(w.t, err)
	for _, i := range open {
		kinds = append(kinds, i.Kind)
	}
	return kinds
}

// rest waits until every send has ended and is written.
func (w *world) rest() { require.NoError(w.t, w.sales.Drain(w.t.Context())) }
