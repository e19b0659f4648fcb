package sales

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"airtill/internal/fault"
	"airtill/internal/money"
)

// amount reads one like "10.00 EUR".
func amount(text string) money.Amount {
	value, currency, _ := strings.Cut(text, " ")
	return money.MustParse(value, money.Currency(currency))
}

func TestCashThatIsHandedOver(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ given, price, want string }{
		{"0.00 EUR", "10.00 EUR", ""}, // nobody said
		{"10.00 EUR", "10.00 EUR", ""},
		{"50.00 EUR", "10.00 EUR", ""},
		{"510.00 EUR", "10.00 EUR", ""},
		{"510.01 EUR", "10.00 EUR", "cash.too-much"},
		{"9.99 EUR", "10.00 EUR", "cash.less"},
		{"0.01 EUR", "10.00 EUR", "cash.less"},
		{"353871234567.00 EUR", "10.00 EUR", "cash.too-much"}, // a scanned number
		{"100000.00 XTS", "10.00 XTS", ""},                    // nobody knows its notes
		{"9.00 XTS", "10.00 XTS", "cash.less"},
	} {
		given, price := amount(c.given), amount(c.price)
		err := checkGiven(given, price)
		if c.want == "" {
			require.NoError(t, err, c)
		} else {
			var refusal *fault.Error
			require.ErrorAs(t, err, &refusal, c)
			require.Equal(t, c.want, refusal.Code, c)
			require.Equal(t, "cash", refusal.Field, c)
		}
	}
	require.Error(t, checkGiven(amount("10.00 USD"), amount("10.00 EUR")), "another currency")
}

// The largest note beside the price is the most that anybody hands over.
func TestCashThatIsHandedOver_EndsAtTheLargestNote(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		price := money.Of(rapid.Int64Range(1, 500_00).Draw(rt, "price")*10_000, "EUR")
		more := rapid.Int64Range(-100_00, 1000_00).Draw(rt, "more") * 10_000
		largest := money.MustParse("500.00", "EUR")
		given := money.Of(price.Micros()+more, "EUR")
		if given.Micros() <= 0 {
			return
		}
		err := checkGiven(given, price)
		require.Equal(rt, more >= 0 && more <= largest.Micros(), err == nil, "%s for %s: %v", given, price, err)
	})
}

func TestWhatWasHandedOverAndComesBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		given        int64
		hand, change string
	}{{0, "10.00 EUR", "0.00 EUR"}, {10_000_000, "10.00 EUR", "0.00 EUR"}, {50_000_000, "50.00 EUR", "40.00 EUR"}} {
		sale := Sale{GivenMicros: c.given, Terms: Terms{PriceMicros: 10_000_000, PriceCurrency: "EUR"}}
		require.Equal(t, amount(c.hand), sale.Given())
		require.Equal(t, amount(c.change), sale.Change())
	}
}

func TestWhatTheCustomerReceives(t *testing.T) {
	t.Parallel()
	sale := Sale{
		Terms:   Terms{ReceiveMicros: 10_000_000, ReceiveExTaxMicros: 9_000_000, ReceiveCurrency: "MXN"},
		Outcome: Outcome{ActualReceiveMicros: 11_000_000, ActualExTaxMicros: 9_500_000},
	}
	for _, state := range []State{Recorded, Sending, Unknown, Submitted, Failed, Voided} {
		sale.Fulfilment = state
		whole, without := sale.Received()
		require.Equal(t, "10.00 MXN", whole.String(), state)
		require.Equal(t, "9.00 MXN", without.String(), state)
	}
	sale.Fulfilment = Complete
	whole, without := sale.Received()
	require.Equal(t, "11.00 MXN", whole.String(), "what the upstream told")
	require.Equal(t, "9.50 MXN", without.String())
}

func TestWhatCanBeCancelledAndWhoHasANumber(t *testing.T) {
	t.Parallel()
	for _, state := range []State{Recorded, Sending, Unknown, Submitted, Processing, Cancelling, Complete, Failed, Cancelled, Voided} {
		for _, mode := range []string{"Batch", "Instant"} {
			sale := Sale{Fulfilment: state, Terms: Terms{ProcessingMode: mode}}
			require.Equal(t, mode == "Batch" && (state == Submitted || state == Processing), sale.Cancellable(), "%s %s", mode, state)
		}
	}
	for number, addressed := range map[string]bool{"353871234567": true, "0000000000": false, "0": false, "": false, "0001": true} {
		require.Equal(t, addressed, (&Sale{Terms: Terms{AccountNumber: number}}).Addressed(), number)
	}
}
