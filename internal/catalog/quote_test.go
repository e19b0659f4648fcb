package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/money"
)

func ranged(receive money.Currency, low, high string) *catalog.Product {
	price := func(send int64, received string) catalog.Price {
		micros := money.MustParse(received, receive).Micros()
		return catalog.Price{
			SendMicros: send * money.Scale, SendCurrency: "EUR", ReceiveMicros: micros, ReceiveNetMicros: micros / 2,
			ReceiveCurrency: receive, CustomerFeeMicros: 500_000,
		}
	}
	return &catalog.Product{Minimum: price(2, low), Maximum: price(105, high)}
}

func TestQuoteIsOnTheLine(t *testing.T) {
	t.Parallel()
	p := ranged("NGN", "2246.29", "117930.31")
	for send, receive := range map[string]string{"2": "2246.29", "105": "117930.31", "10": "11231.46", "2.01": "2257.52"} {
		price, err := p.Quote(money.MustParse(send, "EUR"))
		require.NoError(t, err)
		require.Equal(t, money.MustParse(send, "EUR"), price.Send())
		require.Equal(t, money.MustParse(receive, "NGN"), price.Receive(), send)
		require.Equal(t, "0.50 EUR", price.CustomerFee().String())
	}
}

func TestQuoteRoundsSomeCurrenciesDownToUnits(t *testing.T) {
	t.Parallel()
	price, err := ranged("XOF", "1000", "52525").Quote(money.MustParse("2.99", "EUR"))
	require.NoError(t, err)
	require.Equal(t, "1495 XOF", price.Receive().String()) // 1495.24…
}

func TestQuoteRefusesWhatIsOutOfRange(t *testing.T) {
	t.Parallel()
	p := ranged("NGN", "2246.29", "117930.31")
	for _, send := range []money.Amount{money.MustParse("1.99", "EUR"), money.MustParse("105.01", "EUR"), money.MustParse("0", "EUR"), money.MustParse("-3", "EUR"), money.MustParse("10", "USD")} {
		_, err := p.Quote(send)
		require.Equal(t, fault.Invalid, fault.KindOf(err), send)
	}
	_, err := p.Quote(money.MustParse("1", "EUR"))
	require.Equal(t, "Enter an amount from 2.00 EUR to 105.00 EUR.", fault.Message(err))
	_, err = p.QuoteReceive(money.MustParse("1", "NGN"))
	require.Equal(t, "Enter an amount from 2246.29 NGN to 117930.31 NGN.", fault.Message(err))
}

func TestQuoteReceiveIsTheWayBack(t *testing.T) {
	t.Parallel()
	p := ranged("NGN", "2246.29", "117930.31")
	rapid.Check(t, func(t *rapid.T) {
		send := money.Of(rapid.Int64Range(200, 10500).Draw(t, "cents")*10_000, "EUR")
		there, err := p.Quote(send)
		require.NoError(t, err)
		back, err := p.QuoteReceive(there.Receive())
		require.NoError(t, err)
		require.Equal(t, send, back.Send())
		require.Equal(t, there.Receive(), back.Receive())
	})
}

// What was asked for is received as nearly as a cent can make it, and a quote says the
// same whichever side was typed.
func TestQuoteReceiveIsTheNearest(t *testing.T) {
	t.Parallel()
	p := ranged("NGN", "2246.29", "117930.31")
	rapid.Check(t, func(t *rapid.T) {
		wanted := money.Of(rapid.Int64Range(224_629, 11_793_031).Draw(t, "cents")*10_000, "NGN")
		price, err := p.QuoteReceive(wanted)
		require.NoError(t, err)
		same, err := p.Quote(price.Send())
		require.NoError(t, err)
		require.Equal(t, same, price)
		off := func(send int64) int64 {
			other, err := p.Quote(money.Of(min(max(send, p.Minimum.SendMicros), p.Maximum.SendMicros), "EUR"))
			require.NoError(t, err)
			return max(other.ReceiveMicros-wanted.Micros(), wanted.Micros()-other.ReceiveMicros)
		}
		require.LessOrEqual(t, off(price.SendMicros), off(price.SendMicros-10_000))
		require.LessOrEqual(t, off(price.SendMicros), off(price.SendMicros+10_000))
	})
}
