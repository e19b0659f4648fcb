package catalog

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/money"
)

// TestTaxIsTakenOffToTheCent: included in what is received, or deducted from it; in whole units where a currency has
// no smaller ones, and not at all where its rate or way is not known.
func TestTaxIsTakenOffToTheCent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		way, rate     string
		currency      money.Currency
		receive, want string
	}{
		"included":                   {"Inclusive", "0.18", "MXN", "118", "100"},
		"included, to the cent":      {"Inclusive", "0.16", "MXN", "100", "86.21"},
		"included, half a cent":      {"Inclusive", "1", "MXN", "0.01", "0.01"},
		"deducted":                   {"Exclusive", "0.18", "MXN", "100", "82"},
		"deducted, half a cent up":   {"Exclusive", "0.5", "MXN", "0.03", "0.02"},
		"deducted, in whole units":   {"Exclusive", "0.25", "XOF", "1001", "751"},
		"included, in whole units":   {"Inclusive", "0.25", "XOF", "1001", "801"},
		"no tax":                     {"Exclusive", "0", "MXN", "99.99", "99.99"},
		"all of it":                  {"Exclusive", "1", "MXN", "99.99", "0"},
		"the provider sees to it":    {"", "0.18", "MXN", "100", "100"},
		"a rate that is none":        {"Inclusive", "18 %", "MXN", "100", "100"},
		"a rate that is not known":   {"Inclusive", "", "MXN", "100", "100"},
		"nothing received, included": {"Inclusive", "0.18", "MXN", "0", "0"},
	} {
		p := Price{ReceiveCurrency: c.currency, TaxCalculation: c.way, TaxRate: c.rate}
		got := money.Of(p.net(money.MustParse(c.receive, c.currency).Micros()), c.currency)
		require.Equal(t, money.MustParse(c.want, c.currency), got, name)
	}
}

// line is a product of a range, from its send and receive values.
func line(sendLow, sendHigh, receiveLow, receiveHigh string, receive money.Currency) *Product {
	price := func(send, received string) Price {
		micros := money.MustParse(received, receive).Micros()
		return Price{
			SendMicros: money.MustParse(send, "EUR").Micros(), SendCurrency: "EUR", ReceiveMicros: micros, ReceiveNetMicros: micros, ReceiveCurrency: receive,
		}
	}
	return &Product{Minimum: price(sendLow, receiveLow), Maximum: price(sendHigh, receiveHigh)}
}

// TestTheEndsOfARangeAreExact: they are the upstream's own, in between is a line to the cent; fees go along it.
func TestTheEndsOfARangeAreExact(t *testing.T) {
	t.Parallel()
	p := line("1", "2", "10.01", "20.02", "USD")
	p.Minimum.CustomerFeeMicros, p.Maximum.CustomerFeeMicros = 100_000, 250_000
	p.Minimum.DistributorFeeMicros, p.Maximum.DistributorFeeMicros = 0, 10_000
	for send, want := range map[string][]string{
		"1": {"10.01", "0.10", "0"}, "2": {"20.02", "0.25", "0.01"}, "1.5": {"15.02", "0.18", "0.01"}, "1.01": {"10.11", "0.10", "0"}, "1.99": {"19.92", "0.25", "0.01"},
	} {
		price, err := p.Quote(money.MustParse(send, "EUR"))
		require.NoError(t, err)
		require.Equal(t, money.MustParse(want[0], "USD"), price.Receive(), send)
		require.Equal(t, money.MustParse(want[1], "EUR"), price.CustomerFee(), send)
		require.Equal(t, money.MustParse(want[2], "EUR"), price.DistributorFee(), send)
	}
}

// TestTheNetValueFollowsTheTaxOfBothEnds, and the line where they do not agree on it.
func TestTheNetValueFollowsTheTaxOfBothEnds(t *testing.T) {
	t.Parallel()
	p := line("1", "3", "100", "300", "MXN")
	for _, end := range []*Price{&p.Minimum, &p.Maximum} {
		end.TaxRate, end.TaxCalculation = "0.16", "Inclusive"
		end.ReceiveNetMicros = end.net(end.ReceiveMicros)
	}
	price, err := p.Quote(money.MustParse("1.08", "EUR"))
	require.NoError(t, err)
	require.Equal(t, "108.00 MXN", price.Receive().String())
	require.Equal(t, "93.10 MXN", price.ReceiveExcludingTax().String(), "on the line it were 93.11")
	p.Maximum.ReceiveNetMicros = money.MustParse("290", "MXN").Micros()
	price, err = p.Quote(money.MustParse("2", "EUR"))
	require.NoError(t, err)
	require.Equal(t, "188.11 MXN", price.ReceiveExcludingTax().String(), "half way from 86.21 to 290")
}

// TestARangeThatReceivesOneValueCostsItsLeast, and a value received is asked for in its own currency and range.
func TestARangeThatReceivesOneValueCostsItsLeast(t *testing.T) {
	t.Parallel()
	same := line("1", "5", "10", "10", "USD")
	price, err := same.QuoteReceive(money.MustParse("10", "USD"))
	require.NoError(t, err)
	require.Equal(t, same.Minimum, price)
	one := line("5", "5", "10", "10", "USD")
	price, err = one.Quote(money.MustParse("5", "EUR"))
	require.NoError(t, err)
	require.Equal(t, one.Minimum, price)

	p := line("1.001", "2.004", "10", "20", "USD") // which are no cents
	for receive, end := range map[string]Price{"10": p.Minimum, "20": p.Maximum} {
		price, err := p.QuoteReceive(money.MustParse(receive, "USD"))
		require.NoError(t, err)
		require.Equal(t, end, price)
	}
	for _, c := range []struct {
		receive money.Amount
		code    string
		args    []any
	}{
		{money.MustParse("9.99", "USD"), "amount.range", []any{p.Minimum.Receive(), p.Maximum.Receive()}},
		{money.MustParse("20.01", "USD"), "amount.range", []any{p.Minimum.Receive(), p.Maximum.Receive()}},
		{money.MustParse("1.50", "EUR"), "amount.currency", []any{money.Currency("USD")}},
	} {
		_, err := p.QuoteReceive(c.receive)
		var f *fault.Error
		require.ErrorAs(t, err, &f)
		require.Equal(t, []string{"amount", c.code}, []string{f.Field, f.Code})
		require.Equal(t, c.args, f.Args)
	}
}

// TestAPromotionRunsFromItsStartUntilItsEnd, which is no part of it; one that ends in the year 9999 has none.
func TestAPromotionRunsFromItsStartUntilItsEnd(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	p := Promotion{StartsAt: start, EndsAt: start.Add(time.Hour)}
	require.False(t, p.ActiveAt(start.Add(-time.Nanosecond)))
	require.True(t, p.ActiveAt(start))
	require.True(t, p.ActiveAt(p.EndsAt.Add(-time.Nanosecond)))
	require.False(t, p.ActiveAt(p.EndsAt))
	require.False(t, p.Endless())
	p.EndsAt = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	require.True(t, p.Endless())
}

// TestAPromotionIsShownWhereSomeAmountEarnsIt, and where that cannot be told.
func TestAPromotionIsShownWhereSomeAmountEarnsIt(t *testing.T) {
	t.Parallel()
	reached := &Promotion{ID: "reached", MinimumSendMicros: 2 * money.Scale, Currency: "EUR"}
	missed := &Promotion{ID: "missed", MinimumSendMicros: 2*money.Scale + 1, Currency: "EUR"}
	other := &Promotion{ID: "other", MinimumSendMicros: 99 * money.Scale, Currency: "USD"}
	require.Equal(t, []*Promotion{reached, other}, earned(line("1", "2", "10", "20", "USD"), []*Promotion{reached, missed, other}))
	require.Empty(t, earned(line("1", "2", "10", "20", "USD"), nil))
}

// TestWhereAProductIsSold: what is for the whole country in all of it, and what is for a part where that is not known.
func TestWhereAProductIsSold(t *testing.T) {
	t.Parallel()
	s := newSnapshot(content{Providers: []Provider{{Code: "P", Country: "IE"}}})
	for _, c := range []struct {
		of, region string
		sold       bool
	}{
		{"", "", true}, {"", "IE-CORK", true}, {"IE", "IE-CORK", true}, {"IE-CORK", "IE-CORK", true}, {"IE-CORK", "", true}, {"IE-CORK", "IE", true}, {"IE-CORK", "IE-MAYO", false},
	} {
		require.Equal(t, c.sold, s.covers(&Product{Provider: "P", Region: c.of}, c.region), c)
	}
	require.False(t, s.covers(&Product{Provider: "GONE", Region: "IE-CORK"}, "IE-MAYO"))
}

// TestWhoseANumberMayBe: what is read from a receipt is nobody's, unless it is for a meter, a decoder or a bill.
func TestWhoseANumberMayBe(t *testing.T) {
	t.Parallel()
	bearer := map[Kind]bool{KindPIN: true, KindVoucher: true, KindLongDistance: true, KindTopUp: true, KindData: true, KindBundle: true, KindMinutes: true, KindOther: true}
	for _, kind := range Kinds() {
		require.True(t, (&Product{Kind: kind, Redemption: "Immediate"}).Addressed(), kind)
		require.Equal(t, !bearer[kind], (&Product{Kind: kind, Redemption: "ReadReceipt"}).Addressed(), kind)
	}
}

// TestATestNumberIsSentAsItsSigns, and known by all of them but the last.
func TestATestNumberIsSentAsItsSigns(t *testing.T) {
	t.Parallel()
	for written, sent := range map[string]string{"+353 87 000 0000": "353870000000", "GB-000 1": "GB-0001", "": "", "+ ": "", "n°1é": "n1"} {
		require.Equal(t, sent, (&Product{UATNumber: written}).TestNumber(), written)
	}
	p := &Product{UATNumber: "GB-000-0"}
	for number, is := range map[string]bool{"gb0009": true, "GB0000": true, "GB00": false, "GB00000": false, "GB0010": false, "": false} {
		require.Equal(t, is, p.IsTest(number), number)
	}
	require.False(t, (&Product{UATNumber: "5"}).IsTest("7"), "one sign tells no numbers apart")
	require.Equal(t, "GB12Ä", Signs(" gb-1.2ä\n"))
}

// TestWhatAPatternMayCost is bounded by its length and by what it repeats.
func TestWhatAPatternMayCost(t *testing.T) {
	t.Parallel()
	for pattern, checked := range map[string]bool{
		"": false, "[0-9": false, `(?=5)\d+`: false, `^\d{5}$`: true, strings.Repeat("a", 512): true, strings.Repeat("a", 513): false,
		"^a{990}$": true, "^a{1000}$": false, "^(a{40}){40}$": false, "^((a{3}){3}){3}$": true, "^a*$": true, "^(a{1000}|b{1000})$": false,
	} {
		require.Equal(t, checked, compile(pattern) != nil, pattern)
	}
	repeated, err := syntax.Parse("a{7}", syntax.Perl)
	require.NoError(t, err)
	require.Equal(t, 14, steps(repeated))
	p := patterns{compiled: map[string]*regexp.Regexp{}}
	require.Equal(t, []Match{Matches, Differs, Unchecked}, []Match{p.match(`^5\d$`, "55"), p.match(`^5\d$`, "65"), p.match("[", "55")})
	require.Len(t, p.compiled, 2, "each is compiled once, those that cannot be too")
}

// TestMoreWasCountedThanIsListed of a run that is over, not of one that failed half way.
func TestMoreWasCountedThanIsListed(t *testing.T) {
	t.Parallel()
	r := Run{Outcome: Done, Added: 3, Removed: 2, Changed: 9}
	require.True(t, r.Counted(nil))
	require.True(t, r.Counted(map[Field]int{Added: 2, Removed: 2}))
	require.False(t, r.Counted(map[Field]int{Added: 3, Removed: 2}))
	for _, outcome := range []Outcome{Held, Failed, Interrupted, ""} {
		r.Outcome = outcome
		require.False(t, r.Counted(nil), outcome)
	}
}

// TestAnAnswerThatLacksMoreThanHalfIsAbsurd, where there is enough to judge by.
func TestAnAnswerThatLacksMoreThanHalfIsAbsurd(t *testing.T) {
	t.Parallel()
	for d, absurd := range map[[2]int]bool{{10, 6}: true, {10, 5}: false, {9, 9}: false, {21, 11}: true, {21, 10}: false} {
		require.Equal(t, absurd, (&diff[Product]{due: d[0], missing: d[1]}).absurd(), d)
	}
}

// TestAProductIsFoundByTheNameThatItIsShownWith, in whatever language there is one.
func TestAProductIsFoundByTheNameThatItIsShownWith(t *testing.T) {
	t.Parallel()
	s := newSnapshot(content{Texts: []Text{
		{Language: "es-MX", LocalizationKey: "K", DisplayText: "Recarga"},
		{Language: "es", LocalizationKey: "K"},
		{Language: "en", LocalizationKey: "K", DisplayText: "Top-up"},
		{Language: "en", LocalizationKey: "EMPTY"},
	}})
	for asked, name := range map[string]string{"es-MX": "Recarga", "es": "Top-up", "en-IE": "Top-up", "fr": "Top-up"} {
		p := &Product{SKU: "SKU", LocalizationKey: "K", DisplayText: "Airtime"}
		require.Equal(t, name, s.Text(p, asked).DisplayText, asked)
		require.Equal(t, name, s.nameOf(p, languages(asked)), asked)
		for _, p := range []*Product{{SKU: "Airtime"}, {DisplayText: "Airtime", LocalizationKey: "EMPTY"}} {
			require.Equal(t, "Airtime", s.Text(p, asked).DisplayText)
			require.Equal(t, "Airtime", s.nameOf(p, languages(asked)))
		}
	}
}
