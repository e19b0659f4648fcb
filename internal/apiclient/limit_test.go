package apiclient_test

import (
	"context"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

// answerLimits are the megabytes of an answer, by endpoint. None has more than it needs:
// whoever answers instead of the service must not fill the till's memory.
var answerLimits = map[string]int{
	"GetAccountLookup": 1, "GetBalance": 1, "GetCurrencies": 1, "SendTransfer": 1,
	"GetCountries": 8, "GetErrorCodeDescriptions": 8, "GetProviders": 8, "GetProviderStatus": 8, "GetRegions": 8,
	"CancelTransfers": 8, "EstimatePrices": 8, "ListTransferRecords": 8, "LookupBills": 8,
	"GetProductDescriptions": 64, "GetProducts": 64, "GetPromotionDescriptions": 64, "GetPromotions": 64,
}

func TestEveryEndpointBoundsItsAnswer(t *testing.T) {
	t.Parallel()
	send := endpointCall{line: "POST /api/V1/SendTransfer", answer: completeAnswer, call: func(ctx context.Context, c *apiclient.Client) (any, error) {
		return c.SendTransfer(ctx, realSend(), permitted(newClock()))
	}}
	calls := map[string]endpointCall{}
	for _, call := range append(slices.Concat(readingCalls(), filteringCalls(), askingCalls()), send) {
		line, _, _ := strings.Cut(call.line, "?")
		calls[path.Base(line)] = call
	}
	require.Len(t, calls, len(answerLimits))
	for name, limit := range answerLimits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ask := func(size int) error {
				answer := calls[name].answer
				s := newService(t, says(200, strings.Repeat(" ", size-len(answer))+answer))
				_, err := calls[name].call(t.Context(), newClient(t, s.URL+"/"))
				return err
			}
			require.NoError(t, ask(min(limit<<20, 9<<20)))
			require.ErrorIs(t, ask(limit<<20+1), apiclient.ErrTooLarge)
		})
	}
}
