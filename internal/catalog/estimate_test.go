package catalog_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/money"
)

func TestEstimateAsksForEachAmountOnce(t *testing.T) {
	t.Parallel()
	b := shop(t)
	p, _ := b.Current().Product("TOPANY")
	send := money.MustParse("12.34", p.Minimum.SendCurrency)
	ask := catalog.EstimateRequest{SKU: "TOPANY", Send: send}
	estimate, err := b.Estimate(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, send, estimate.Price.Send())
	quote, err := p.Quote(send)
	require.NoError(t, err)
	require.Equal(t, quote.Receive(), estimate.Price.Receive(), "the local line is the upstream's")

	_, err = b.Estimate(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, 1, b.upstream.count("EstimatePrices"))

	ask.Send = money.MustParse("12.35", p.Minimum.SendCurrency)
	other, err := b.Estimate(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, ask.Send, other.Price.Send(), "never the answer to another amount")
	require.Equal(t, 2, b.upstream.count("EstimatePrices"))

	b.clock.advance(time.Minute)
	_, err = b.Estimate(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, 3, b.upstream.count("EstimatePrices"), "prices move")
}

// TestManyWhoAskAtOnceAskOnce: whoever has just missed the answer that came in meanwhile
// does not use up the budget for it again.
func TestManyWhoAskAtOnceAskOnce(t *testing.T) {
	t.Parallel()
	b := shop(t)
	p, _ := b.Current().Product("TOPANY")
	const amounts, cashiers = 45, 100
	for i := range int64(amounts) {
		ask := catalog.EstimateRequest{SKU: "TOPANY", Send: money.Of((200+i)*money.Scale/10, p.Minimum.SendCurrency)}
		var all errgroup.Group
		for c := range time.Duration(cashiers) {
			all.Go(func() error {
				time.Sleep(c * 100 * time.Microsecond) // before, while and after the answer comes
				_, err := b.Estimate(t.Context(), ask)
				return err
			})
		}
		require.NoError(t, all.Wait())
		require.Equal(t, int(i)+1, b.upstream.count("EstimatePrices"))
	}
}

func TestEstimateOfWhatIsReceived(t *testing.T) {
	t.Parallel()
	b := shop(t)
	estimate, err := b.Estimate(t.Context(), catalog.EstimateRequest{SKU: "TOPANY", Receive: money.MustParse("10", "EUR")})
	require.NoError(t, err)
	require.Equal(t, "10.00 EUR", estimate.Price.Receive().String())
	require.Positive(t, estimate.Price.Send().Sign())
}

func TestEstimateSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	b := shop(t)
	five := money.MustParse("5", "EUR")
	for _, ask := range []catalog.EstimateRequest{{SKU: "TOPANY"}, {SKU: "TOPANY", Send: five, Receive: five}, {SKU: "TOPANY", Send: money.MustParse("99999", "EUR")}} {
		_, err := b.Estimate(t.Context(), ask)
		var f *fault.Error
		require.ErrorAs(t, err, &f, "%v", ask)
		require.Equal(t, fault.Invalid, f.Kind)
		require.Equal(t, "amount", f.Field)
	}
	b.upstream.shut()
	_, err := b.Estimate(t.Context(), catalog.EstimateRequest{SKU: "TOPANY", Send: five})
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.Contains(t, fault.Message(err), "Nothing was charged")
}
