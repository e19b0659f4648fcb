package sales_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

func TestSendMode_TheNarrowestRuleCounts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		set := func(scope sales.Scope, code string, mode sales.SendMode) {
			require.NoError(t, w.Sales.SetMode(t.Context(), audit.Command("test"), sales.ModeRule{Scope: scope, Code: code, Mode: mode}))
		}
		sold := func(key string) sales.Sale {
			o := apptest.Order(key, offer)
			o.AccountNumber = "35387123450" + key
			sale, _, err := w.Try(o, offer)
			require.NoError(t, err)
			return sale
		}
		require.Equal(t, sales.Wait, sold("1").SendMode, "as the installation says")
		set(sales.ScopeProvider, offer.ProviderCode, sales.Deferred)
		require.Equal(t, sales.Deferred, sold("2").SendMode)
		set(sales.ScopeProduct, offer.SKUCode, sales.Wait)
		require.Equal(t, sales.Wait, sold("3").SendMode)
		set(sales.ScopeProvider, offer.ProviderCode, "")
		set(sales.ScopeProduct, offer.SKUCode, sales.Deferred)
		sale := sold("4")
		w.Sales.Dispatch(sale)
		sale = w.Becomes(sale.ID, sales.Submitted, false)
		require.False(t, sale.NextCheckAt.Before(sale.PermitAt.Add(time.Minute)), "looked up from a minute on")
		rules, err := w.Sales.ModeRules(t.Context())
		require.NoError(t, err)
		require.Equal(t, []sales.ModeRule{{Scope: sales.ScopeProduct, Code: offer.SKUCode, Mode: sales.Deferred}}, rules)

		set(sales.ScopeProduct, offer.SKUCode, "")
		w.Call("PUT", "/_sandbox/config", `{"deferDelay":"0s"}`, nil)
		w.Until(func() bool {
			w.PassUpstream(2 * time.Minute)
			require.NoError(t, w.FollowUp.Sweep(t.Context()))
			return w.Get(sale.ID).Fulfilment == sales.Complete
		})
	})
}

func TestSendingRulesNameWhatIsOnSale(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	require.NoError(t, w.Catalog.SyncDue(t.Context()))
	require.NoError(t, w.Catalog.Refresh(t.Context()))
	by, offer := audit.Command("test"), w.TopUp()
	for rule, field := range map[sales.ModeRule]string{
		{Scope: sales.ScopeProduct, Code: offer.SKUCode, Mode: sales.Wait}:       "",
		{Scope: sales.ScopeProvider, Code: offer.ProviderCode, Mode: sales.Wait}: "",
		{Scope: sales.ScopeProduct, Code: offer.ProviderCode, Mode: sales.Wait}:  "code",
		{Scope: sales.ScopeProvider, Code: offer.SKUCode, Mode: sales.Wait}:      "code",
		{Scope: sales.ScopeProvider, Code: "GONE"}:                               "", // taken away
	} {
		require.Equal(t, field, fault.FieldOf(w.Sales.SetMode(t.Context(), by, rule)), "%+v", rule)
	}
	require.Equal(t, "provider", fault.FieldOf(w.Sales.SetValidating(t.Context(), by, offer.SKUCode, true)))
	require.NoError(t, w.Sales.SetValidating(t.Context(), by, offer.ProviderCode, true))
	require.NoError(t, w.Sales.SetValidating(t.Context(), by, "GONE", false))
}

// Where no webhook can be checked, who defers waits a minute and more for what a reply would have told.
func TestSendMode_NothingIsDeferredWithoutWebhooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	deaf, by := sales.New(sales.Deps{DB: w.DB, Audit: w.Audit, Now: w.Now}), audit.Command("test")
	rule := sales.ModeRule{Scope: sales.ScopeProduct, Code: "X", Mode: sales.Deferred}
	err := deaf.SetMode(t.Context(), by, rule)
	require.Equal(t, "sending.no-webhooks", codeOf(err))
	require.Equal(t, "mode", fault.FieldOf(err))
	require.NoError(t, w.Sales.SetMode(t.Context(), by, rule), "before there is a catalogue, of anything")
	for _, rule.Mode = range []sales.SendMode{"", sales.Wait} {
		require.NoError(t, deaf.SetMode(t.Context(), by, rule))
	}
}

// A rule from when there were webhooks waits for them to come back: till then each of its outcomes would be a look-up.
func TestSendMode_ARuleFromBeforeWebhooksWentDefersNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		require.NoError(t, w.Sales.SetMode(t.Context(), audit.Command("test"), sales.ModeRule{
			Scope: sales.ScopeProduct, Code: offer.SKUCode, Mode: sales.Deferred,
		}))
		quoted, err := w.Quoted(w.Seller, apptest.Order("1", offer), offer)
		require.NoError(t, err)
		deaf := sales.New(sales.Deps{
			DB: w.DB, Limits: w.Limits, Audit: w.Audit, Bus: w.Bus, Process: w.Process, Now: w.Now, Log: w.Log,
		})
		sale, _, err := deaf.Sell(t.Context(), quoted)
		require.NoError(t, err)
		require.Equal(t, sales.Wait, sale.SendMode)
	})
}

func TestSendMode_ThatDoesNotExistIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	for _, rule := range []sales.ModeRule{{Scope: "shop", Code: "X", Mode: sales.Wait}, {Scope: sales.ScopeProduct, Mode: sales.Wait}, {Scope: sales.ScopeProduct, Code: "X", Mode: "never"}} {
		require.Equal(t, fault.Invalid, fault.KindOf(w.Sales.SetMode(t.Context(), audit.Command("test"), rule)))
	}
}

// TestASendModeSetTwiceAtOnceIsOne: neither of two managers, or of two clicks, is told of an error.
func TestASendModeSetTwiceAtOnceIsOne(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		rule := sales.ModeRule{Scope: sales.ScopeProvider, Code: w.TopUp().ProviderCode, Mode: sales.Deferred}
		errs := make([]error, 8)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() { errs[i] = w.Sales.SetMode(t.Context(), audit.Command("test"), rule) })
		}
		all.Wait()
		require.NoError(t, errors.Join(errs...))
		rules, err := w.Sales.ModeRules(t.Context())
		require.NoError(t, err)
		require.Equal(t, []sales.ModeRule{rule}, rules)
	})
}
