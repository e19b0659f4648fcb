package conformance_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/sandbox"
)

func (b *bench) calls() (calls sandbox.Calls) {
	b.t.Helper()
	b.console(http.MethodGet, "calls", "", &calls)
	return calls
}

// The client's budgets end before the simulator's limits do, for every method:
// however hard it is asked, it is never told that it asked too often.
func TestBudgetsEndBeforeLimitsDo(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	ctx := apiclient.WithPriority(t.Context(), apiclient.PriorityFirstLook)
	for name, c := range map[string]struct {
		ask  func(context.Context) error
		most int
	}{
		"GetErrorCodeDescriptions": {failing(b.GetErrorCodeDescriptions), 20},
		"GetCurrencies":            {failing(b.GetCurrencies), 20},
		"GetRegions":               {failing(with(b.GetRegions, apiclient.RegionFilter{CountryIsos: []string{"IE"}})), 20},
		"GetCountries":             {failing(b.GetCountries), 20},
		"GetProviders":             {failing(with(b.GetProviders, apiclient.ProviderFilter{CountryIsos: []string{"IE"}})), 50},
		"GetProviderStatus":        {failing(with(b.GetProviderStatus, apiclient.ProviderStatusFilter{ProviderCodes: []string{"LUIE"}})), 50},
		"GetProducts":              {failing(with(b.GetProducts, apiclient.ProductFilter{SkuCodes: []string{topup}})), 50},
		"GetProductDescriptions":   {failing(with(b.GetProductDescriptions, apiclient.ProductDescriptionFilter{SkuCodes: []string{topup}})), 50},
		"GetBalance":               {failing(b.GetBalance), 50},
		"GetPromotions":            {failing(with(b.GetPromotions, apiclient.PromotionFilter{CountryIsos: []string{"IE"}})), 50},
		"GetPromotionDescriptions": {failing(with(b.GetPromotionDescriptions, apiclient.PromotionDescriptionFilter{LanguageCodes: []string{"en"}})), 50},
		"GetAccountLookup":         {failing(with(b.GetAccountLookup, number)), 50},
		"EstimatePrices":           {failing(with(b.EstimatePrices, []apiclient.EstimationRequest{{SkuCode: topup, SendValue: "5", BatchItemRef: "1"}})), 50},
		"CancelTransfers":          {failing(with(b.CancelTransfers, []apiclient.CancellationRequest{{BatchItemRef: "1"}})), 50},
		"ListTransferRecords":      {failing(with(b.ListTransferRecords, apiclient.ListTransferRecordsRequest{Take: 1})), 50},
		"SendTransfer": {func(context.Context) error {
			_, err := b.send(order("R1", func(r *apiclient.SendTransferRequest) { r.ValidateOnly = true }))
			return err
		}, 100},
	} {
		var err error
		for n := 0; err == nil && n <= c.most; n++ {
			err = c.ask(ctx)
		}
		require.ErrorIs(t, err, apiclient.ErrBudget, name)
		require.LessOrEqual(t, b.calls().Counts[name], c.most, name)
	}
	require.Empty(t, b.calls().Limited)
	require.Len(t, b.calls().Counts, 16)

	b.sent(order("R1", nil)) // restores every limit on both sides
	b.clock.advance(time.Second)
	b.sent(order("R2", nil))
	b.balance()
}

func failing[T any](ask func(context.Context) (T, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := ask(ctx)
		return err
	}
}

func with[In, Out any](ask func(context.Context, In) (Out, error), in In) func(context.Context) (Out, error) {
	return func(ctx context.Context) (Out, error) { return ask(ctx, in) }
}

// Another process with the same credentials has used the limit up: the refusal
// says how long to wait, with either status.
func TestOverTheLimit(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"429": http.StatusTooManyRequests, "503": http.StatusServiceUnavailable} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, withKey)
			b.config(`{"limitStatus":` + name + `}`)
			other, ctx := b.client(withKey), apiclient.WithPriority(t.Context(), apiclient.PriorityCashier)
			for range 20 {
				_, err := other.GetCountries(ctx)
				require.NoError(t, err)
			}
			b.pass(time.Minute)
			_, err := b.GetCountries(ctx)
			require.Equal(t, &apiclient.Error{
				Op: "GetCountries", Status: status, ResultCode: apiclient.ResultTransient, RetryAfter: 9 * time.Minute,
				Codes: []apiclient.ErrorCode{{Code: apiclient.CodeRateLimited}},
			}, failed(t, err))
			require.NotErrorIs(t, err, apiclient.ErrBudget)
			b.pass(9 * time.Minute)
			_, err = b.GetCountries(ctx)
			require.NoError(t, err, "after the time it named")
		})
	}
}
