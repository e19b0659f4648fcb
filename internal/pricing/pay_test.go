package pricing_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"airtill/internal/catalog"
	"airtill/internal/harness/storetest"
	"airtill/internal/money"
	"airtill/internal/pricing"
)

// abroad are rates of the agent's euro, one for each kind of coin: none, fewer and more
// than a cent makes.
var abroad = map[money.Currency]string{"EUR": "", "NGN": "1701.35", "GBP": "0.8412", "JPY": "163.27", "KWD": "0.3351"}

func tariffIn(t *testing.T, s *pricing.Service, till money.Currency) *pricing.Tariff {
	t.Helper()
	if rate := abroad[till]; rate != "" {
		r := pricing.Rate{FromCurrency: "EUR", ToCurrency: till, Rate: rate, Again: rate}
		require.NoError(t, s.AddRate(t.Context(), anna, r))
	}
	tariff, err := s.Tariff(t.Context(), "shop", till, time.UTC, noon)
	require.NoError(t, err)
	return tariff
}

func rangeProduct(low, high int64) *catalog.Product {
	price := func(cents int64) catalog.Price {
		return catalog.Price{
			SendMicros: cents * 10_000, SendCurrency: "EUR", ReceiveMicros: cents * 11_231_000, ReceiveCurrency: "NGN",
			DistributorFeeMicros: cents / 50 * 10_000,
		}
	}
	return &catalog.Product{Provider: "KONG", Kind: "top-up", SKU: "K", CommissionRate: "0.08", Minimum: price(low), Maximum: price(high)}
}

// TestForPayIsTheMostThatCanBePaid: never more than was typed, nothing that can be paid
// lies between, and of what costs the same the most is sent; in every currency, under any
// two rules, held against the price of every cent of the range.
func TestForPayIsTheMostThatCanBePaid(t *testing.T) {
	t.Parallel()
	for till := range abroad {
		t.Run(string(till), func(t *testing.T) {
			t.Parallel()
			plain := tariffIn(t, service(storetest.New(t)), till)
			rapid.Check(t, func(rt *rapid.T) {
				low := rapid.Int64Range(1, 2000).Draw(rt, "low")
				p := rangeProduct(low, low+rapid.Int64Range(1, 300).Draw(rt, "cents"))
				tariff := plain
				for i := range rapid.IntRange(0, 2).Draw(rt, "rules") {
					tariff = tariff.With(drawnRule(rt, i, low))
				}
				least, most, err := tariff.PayRange(p, "NG")
				require.NoError(rt, err)
				coin := int64(money.Scale)
				for range till.Decimals() {
					coin /= 10
				}
				micros := rapid.Int64Range(least.Micros()/coin, most.Micros()/coin).Draw(rt, "pay") * coin
				pay := money.Of(max(micros, least.Micros()), till)
				got, err := tariff.ForPay(p, "NG", pay)
				require.NoError(rt, err)
				paid, err := tariff.Retail(p, "NG", got)
				require.NoError(rt, err)
				require.LessOrEqual(rt, paid.Micros(), pay.Micros())
				require.Zero(rt, got.SendMicros%10_000, "SendValue has two decimals")
				for send := p.Minimum.SendMicros; send <= p.Maximum.SendMicros; send += 10_000 {
					other, err := p.Quote(money.Of(send, "EUR"))
					require.NoError(rt, err)
					price, err := tariff.Retail(p, "NG", other)
					require.NoError(rt, err)
					require.GreaterOrEqual(rt, price.Micros(), least.Micros(), "the bounds hold all prices")
					require.LessOrEqual(rt, price.Micros(), most.Micros(), "the bounds hold all prices")
					between := price.Micros() > paid.Micros() && price.Micros() <= pay.Micros()
					require.False(rt, between, "%s could be paid for %s", price, pay)
					require.False(rt, price == paid && send > got.SendMicros, "%s costs no more", other.Send())
				}
			})
		})
	}
}

func drawnRule(rt *rapid.T, i int, low int64) pricing.Rule {
	way := rapid.SampledFrom([]pricing.Way{pricing.Percent, pricing.Fixed, pricing.Target}).Draw(rt, "way")
	value := rapid.Int64Range(0, 30).Draw(rt, "value")
	r := rule(way, fmt.Sprint(value), rapid.SampledFrom(pricing.Roundings()).Draw(rt, "rounding"))
	r.ID, r.Priority = fmt.Sprint(i), i+1
	r.FromMicros = max(low+rapid.Int64Range(-10, 300).Draw(rt, "from"), 0) * 10_000
	r.ToMicros = r.FromMicros + rapid.Int64Range(0, 100).Draw(rt, "wide")*10_000
	return r
}

// TestForPayOfWhatIsTyped: the amounts that were asked in the wrong currency.
func TestForPayOfWhatIsTyped(t *testing.T) {
	t.Parallel()
	for till, want := range map[money.Currency][5]string{ // the bounds, typed, paid, sent
		"NGN": {"3402.70", "178641.75", "5000", "4984.96", "2.93"},
		"GBP": {"1.69", "88.33", "20", "20.00", "23.77"},
		"JPY": {"327", "17144", "1000", "1000", "6.12"},
		"KWD": {"0.671", "35.186", "5", "5.000", "14.92"},
		"EUR": {"2.00", "105.00", "20", "20.00", "20.00"},
	} {
		tariff, p := tariffIn(t, service(storetest.New(t)), till), rangeProduct(200, 10500)
		least, most, err := tariff.PayRange(p, "NG")
		require.NoError(t, err)
		price, err := tariff.ForPay(p, "NG", money.MustParse(want[2], till))
		require.NoError(t, err)
		paid, err := tariff.Retail(p, "NG", price)
		require.NoError(t, err)
		d := till.Decimals()
		require.Equal(t, want, [5]string{least.Decimal(d), most.Decimal(d), want[2], paid.Decimal(d), price.Send().Decimal(2)})
	}
}

// TestRoundSumsAreOfTheTillsCurrency: five naira buy nothing.
func TestRoundSumsAreOfTheTillsCurrency(t *testing.T) {
	t.Parallel()
	for till, want := range map[money.Currency]string{
		"NGN": "[5000.00 NGN 10000.00 NGN 15000.00 NGN 20000.00 NGN 25000.00 NGN]",
		"JPY": "[500 JPY 1000 JPY 1500 JPY 2000 JPY 2500 JPY]",
		"KWD": "[5.000 KWD 10.000 KWD 15.000 KWD 20.000 KWD 25.000 KWD]",
		"GBP": "[5.00 GBP 10.00 GBP 15.00 GBP 20.00 GBP 25.00 GBP]",
		"EUR": "[5.00 EUR 10.00 EUR 15.00 EUR 20.00 EUR 25.00 EUR]",
	} {
		sums, err := tariffIn(t, service(storetest.New(t)), till).RoundSums(rangeProduct(200, 10500), "NG")
		require.NoError(t, err)
		require.Equal(t, want, fmt.Sprint(sums))
	}
}
