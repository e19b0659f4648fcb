package catalog_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"airtill/internal/apiclient"
	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/money"
)

func TestEstimateAsksForEachAmountOnce(t *testing.T) {
	t.Parallel()
	b := shop(t)
	p, _ := b.Current().Product("TOPANY")
	send := money.MustParse("12.34", p.Minimum.SendCurrency)
	ask := catalog.EstimateRequest{SKU: "TOPANY", Send: send}
	estimate, err := b.Estimate(t.Context(), ask, apiclient.PriorityCashier)
	require.NoError(t, err)
	require.Equal(t, send, estimate.Price.Send())
	quote, err := p.Quote(send)
	require.NoError(t, err)
	require.Equal(t, quote.Receive(), estimate.Price.Receive(), "the local line is the upstream's")

	_, err = b.Estimate(t.Context(), ask, apiclient.PriorityCashier)
	require.NoError(t, err)
	require.Equal(t, 1, b.upstream.count("EstimatePrices"))

	ask.Send = money.MustParse("12.35", p.Minimum.SendCurrency)
	other, err := b.Estimate(t.Context(), ask, apiclient.PriorityCashier)
	require.NoError(t, err)
	require.Equal(t, ask.Send, other.Price.Send(), "never the answer to another amount")
	require.Equal(t, 2, b.upstream.count("EstimatePrices"))

	b.clock.advance(time.Minute)
	_, err = b.Estimate(t.Context(), ask, apiclient.PriorityCashier)
	require.NoError(t, err)
	require.Equal(t, 3, b.upstream.count("EstimatePrices"), "prices move")
}

// many ask at once: before, while and after the answer comes.
func many(t *testing.T, ask func() error) {
	t.Helper()
	var all errgroup.Group
	for cashier := range time.Duration(100) {
		all.Go(func() error {
			time.Sleep(cashier * 100 * time.Microsecond)
			return ask()
		})
	}
	require.NoError(t, all.Wait())
}

// TestManyWhoAskAtOnceAskOnce: whoever has just missed the answer that came in meanwhile
// does not use up the budget for it again.
func TestManyWhoAskAtOnceAskOnce(t *testing.T) {
	t.Parallel()
	const rounds = 45
	t.Run("price", func(t *testing.T) {
		t.Parallel()
		b := shop(t)
		p, _ := b.Current().Product("TOPANY")
		for i := range int64(rounds) {
			ask := catalog.EstimateRequest{SKU: "TOPANY", Send: money.Of((200+i)*money.Scale/10, p.Minimum.SendCurrency)}
			many(t, func() error { _, err := b.Estimate(t.Context(), ask, apiclient.PriorityCashier); return err })
			require.Equal(t, int(i)+1, b.upstream.count("EstimatePrices"))
		}
	})
	t.Run("number", func(t *testing.T) {
		t.Parallel()
		b := undecided(t, storetest.New(t))
		answerLookup(b.upstream, `{"ResultCode":1,"ErrorCodes":[],"CountryIso":"IE","Items":[{"ProviderCode":"OTIE","RegionCode":"IE"}]}`)
		for i := range rounds {
			number := b.number(t, fmt.Sprintf("08712345%02d", i))
			many(t, func() error { _, err := b.Lookup(t.Context(), number); return err })
			require.Equal(t, i+1, b.upstream.count("GetAccountLookup"))
		}
	})
	t.Run("bills", func(t *testing.T) {
		t.Parallel()
		b, ask := billShop(t, storetest.New(t))
		asked := b.upstream.count("LookupBills")
		for i := range rounds - asked {
			require.NoError(t, b.SpendBills(t.Context(), ask))
			many(t, func() error { _, err := b.Bills(t.Context(), ask); return err })
			require.Equal(t, asked+i+1, b.upstream.count("LookupBills"))
		}
	})
}

func TestEstimateSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	b := shop(t)
	five := money.MustParse("5", "EUR")
	for _, ask := range []catalog.EstimateRequest{{SKU: "TOPANY"}, {SKU: "TOPANY", Send: money.MustParse("99999", "EUR")}} {
		_, err := b.Estimate(t.Context(), ask, apiclient.PriorityCashier)
		var f *fault.Error
		require.ErrorAs(t, err, &f, "%v", ask)
		require.Equal(t, fault.Invalid, f.Kind)
		require.Equal(t, "amount", f.Field)
	}
	b.upstream.shut()
	_, err := b.Estimate(t.Context(), catalog.EstimateRequest{SKU: "TOPANY", Send: five}, apiclient.PriorityCashier)
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.Contains(t, fault.Message(err), "Nothing was charged")
}

// Only an amount that the service refuses is one: what fails for now, or for no known reason, says nothing of it.
func TestAnEstimateThatFailedRefusesNoAmount(t *testing.T) {
	t.Parallel()
	for failure, refused := range map[string]bool{
		`"ResultCode":4,"ErrorCodes":[{"Code":"ParameterOutOfRange","Context":"SendValue"}]`:             true,
		`"ResultCode":5,"ErrorCodes":[{"Code":"ProviderError","Context":"RechargeNotAllowed"}]`:          true,
		`"ResultCode":3,"ErrorCodes":[{"Code":"TransientProviderError","Context":"ProductUnavailable"}]`: false,
		`"ResultCode":3,"ErrorCodes":[{"Code":"RateLimited"}]`:                                           false,
		`"ResultCode":5,"ErrorCodes":[{"Code":"OtherError"}]`:                                            false,
		`"ResultCode":1,"ErrorCodes":[]`:                                                                 false,
		`"ResultCode":3,"ErrorCodes":[],"Price":{"SendValue":12.34,"SendCurrencyIso":"EUR"}`:             false,
	} {
		b := shop(t)
		b.upstream.alter(func(method string, body []byte) []byte {
			if method != "EstimatePrices" {
				return body
			}
			return []byte(`{"ResultCode":1,"ErrorCodes":[],"Items":[{"BatchItemRef":"1",` + failure + `}]}`)
		})
		p, _ := b.Current().Product("TOPANY")
		send := money.MustParse("12.34", p.Minimum.SendCurrency)
		_, err := b.Estimate(t.Context(), catalog.EstimateRequest{SKU: "TOPANY", Send: send}, apiclient.PriorityCashier)
		price, about, priced := b.PriceOf(t.Context(), p, send, false)
		if refused {
			require.Equal(t, fault.Invalid, fault.KindOf(err), failure)
			require.Error(t, priced)
			continue
		}
		require.Equal(t, fault.Unavailable, fault.KindOf(err), failure)
		require.NoError(t, priced, failure)
		require.True(t, about)
		require.Equal(t, send, price.Send())
	}
}

// TestAnEstimateNobodyCanChargeIsNoAnswer: a fee beyond the price, or no price at all, is withheld as it is of a product.
func TestAnEstimateNobodyCanChargeIsNoAnswer(t *testing.T) {
	t.Parallel()
	for name, price := range map[string]string{
		"a fee beyond the price":      `"SendValue":12.34,"CustomerFee":12.35,"DistributorFee":0,"ReceiveValue":10`,
		"a negative fee":              `"SendValue":12.34,"CustomerFee":-1,"DistributorFee":0,"ReceiveValue":10`,
		"a negative fee of the agent": `"SendValue":12.34,"CustomerFee":0,"DistributorFee":-1,"ReceiveValue":10`,
		"no price":                    `"SendValue":0,"CustomerFee":0,"DistributorFee":0,"ReceiveValue":10`,
		"a negative price":            `"SendValue":-12.34,"CustomerFee":-13,"DistributorFee":0,"ReceiveValue":10`,
		"no answer":                   "",
		"another currency":            `"SendValue":12.34,"SendCurrencyIso":"USD","CustomerFee":0,"DistributorFee":0,"ReceiveValue":10`,
		"less than nothing received":  `"SendValue":12.34,"CustomerFee":0,"DistributorFee":0,"ReceiveValue":-10`,
	} {
		b := shop(t)
		b.upstream.alter(func(method string, body []byte) []byte {
			if method != "EstimatePrices" {
				return body
			}
			if price == "" {
				return []byte(`{"ResultCode":1,"ErrorCodes":[],"Items":[]}`)
			}
			return []byte(`{"ResultCode":1,"ErrorCodes":[],"Items":[{"BatchItemRef":"1","ResultCode":1,"ErrorCodes":[],
				"Price":{"SendCurrencyIso":"EUR","ReceiveCurrencyIso":"EUR",` + price + `}}]}`)
		})
		p, _ := b.Current().Product("TOPANY")
		send := money.MustParse("12.34", "EUR")
		ours, err := p.Quote(send)
		require.NoError(t, err)
		got, about, err := b.PriceOf(t.Context(), p, send, false)
		require.NoError(t, err, name)
		require.True(t, about, name)
		require.Equal(t, ours, got, "%s: our own figure", name)
	}
}
