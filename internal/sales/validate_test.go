package sales_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

func TestValidate_AsksOnlyProvidersThatSupportIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		calls := w.Calls()
		got, err := w.Validate(apptest.Order("1", offer), offer)
		require.NoError(t, err)
		require.False(t, got.Checked)
		require.Empty(t, calls(), "others are never asked")

		require.NoError(t, w.Sales.SetValidating(t.Context(), audit.Command("test"), offer.ProviderCode, true))
		got, err = w.Validate(apptest.Order("1", offer), offer)
		require.NoError(t, err)
		require.Equal(t, sales.Validation{Supported: true, Checked: true}, got)
		require.Equal(t, []string{"SendTransfer"}, calls())
		w.AtRest() // nothing was sold

		require.NoError(t, w.Sales.SetValidating(t.Context(), audit.Command("test"), offer.ProviderCode, false))
		codes, err := w.Sales.Validating(t.Context())
		require.NoError(t, err)
		require.Empty(t, codes)
	})
}

func TestValidate_ARefusalIsToldAndTroubleIsNot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault   string
		refused string
		checked bool
	}{
		"the provider does not know the number": {`"kind":"error","code":"AccountNumberInvalid","context":"ProviderRefusedRequest"`, "AccountNumberInvalid", true},
		"not for this number":                   {`"kind":"error","code":"ProviderError","context":"RechargeNotAllowed"`, "ProviderError", true},
		"no float":                              {`"kind":"error","code":"InsufficientBalance"`, "InsufficientBalance", true},
		"too many calls":                        {`"kind":"error","code":"RateLimited"`, "", false},
		"provider trouble":                      {`"kind":"error","code":"TransientProviderError","context":"ProviderTimedOut"`, "", false},
		"too slow":                              {`"kind":"delay","for":"5s"`, "", false},
		"no answer":                             {`"kind":"drop","when":"before"`, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.New(t))
			offer := w.TopUp()
			require.NoError(t, w.Sales.SetValidating(t.Context(), audit.Command("test"), offer.ProviderCode, true))
			w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{` + c.fault + `}}`)
			began := time.Now()
			got, err := w.Validate(apptest.Order("1", offer), offer)
			require.NoError(t, err)
			require.Less(t, time.Since(began), 5*time.Second, "it never blocks")
			require.Equal(t, c.checked, got.Checked)
			if c.refused == "" {
				require.Nil(t, got.Refused)
				return
			}
			require.Equal(t, c.refused, got.Refused.ReasonCode)
			require.Empty(t, w.Incidents(), "nothing was sold")
		})
	}
}

func TestValidate_WithoutBudgetNothingIsChecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.TopUp()
	require.NoError(t, w.Sales.SetValidating(t.Context(), audit.Command("test"), offer.ProviderCode, true))
	checked := 0
	for range 110 {
		got, err := w.Validate(apptest.Order("1", offer), offer)
		require.NoError(t, err)
		if got.Checked {
			checked++
		}
	}
	require.Equal(t, 100, checked, "as many as ten minutes have")
}

// Selling asks the provider no second time while a page is looked at, and asks anew when that is long ago: what it said
// then may not hold any more.
func TestValidate_IsAskedOnceForAPage(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		w.Stop()
		offer := w.TopUp()
		require.NoError(t, w.Sales.SetValidating(t.Context(), audit.Command("test"), offer.ProviderCode, true))
		calls := w.Calls()
		asked := func() int { return len(calls()) }
		page := apptest.Order("1", offer)
		require.NoError(t, w.Check(w.Seller, page, offer))
		require.Equal(t, 1, asked())
		w.Pass(2*time.Minute - time.Second)
		first, _, err := w.Try(page, offer)
		require.NoError(t, err)
		require.Equal(t, 1, asked())
		_, err = w.Sales.CallOff(t.Context(), first.ID, w.Act())
		require.NoError(t, err)
		w.Pass(time.Second)
		_, _, err = w.Try(apptest.Order("2", offer), offer)
		require.NoError(t, err)
		require.Equal(t, 2, asked())
	})
}

// A refusal stands for as long as it is remembered: nothing is sold to that number, and others are not held up by it.
func TestValidate_ARefusalStopsTheSale(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		require.NoError(t, w.Sales.SetValidating(t.Context(), audit.Command("test"), offer.ProviderCode, true))
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"AccountNumberInvalid","context":"ProviderRefusedRequest"}}`)
		var refused *sales.RefusedError
		_, _, err := w.Try(apptest.Order("1", offer), offer)
		require.ErrorAs(t, err, &refused)
		require.Equal(t, "AccountNumberInvalid", refused.Refused.ReasonCode)
		require.Equal(t, sales.Failed, refused.Refused.Fulfilment, "as it would read on the sale")
		_, _, err = w.Try(apptest.Order("1", offer), offer)
		require.ErrorAs(t, err, &refused, "without asking again")
		n, err := w.Sales.Count(t.Context(), sales.Filter{})
		require.NoError(t, err)
		require.Zero(t, n)
		other := apptest.Order("2", offer)
		other.AccountNumber = "353879999999"
		_, created, err := w.Try(other, offer)
		require.NoError(t, err)
		require.True(t, created)
	})
}

// The page that asks whether the same is sold again says, too, that the provider would refuse it.
func TestValidate_ARepetitionIsCheckedToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.TopUp()
	w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Complete, false)
	require.ErrorAs(t, w.Check(w.Seller, apptest.Order("2", offer), offer), new(*sales.DuplicateError))
	require.NoError(t, w.Sales.SetValidating(t.Context(), audit.Command("test"), offer.ProviderCode, true))
	w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"AccountNumberInvalid",
		"context":"ProviderRefusedRequest"}}`)
	require.ErrorAs(t, w.Check(w.Seller, apptest.Order("2", offer), offer), new(*sales.RefusedError))
}
