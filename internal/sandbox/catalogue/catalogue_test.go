package catalogue_test

import (
	"math/big"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/sandbox/catalogue"
)

func options() catalogue.Options {
	return catalogue.Options{Seed: 1, Currency: "EUR", Home: "IE", Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
}

func made(t *testing.T, change func(*catalogue.Options)) *catalogue.Catalogue {
	t.Helper()
	o := options()
	if change != nil {
		change(&o)
	}
	c, err := catalogue.New(o)
	require.NoError(t, err)
	return c
}

func TestMarketIsAsLargeAndVariedAsAShopMeets(t *testing.T) {
	t.Parallel()
	c := made(t, nil)
	require.GreaterOrEqual(t, len(c.Countries), 40)
	require.GreaterOrEqual(t, len(c.Providers), 150)
	require.GreaterOrEqual(t, len(c.Products), 1500)
	require.Greater(t, len(c.Promotions), 10)

	seen := map[string]int{}
	for _, p := range c.Products {
		for _, benefit := range p.Benefits {
			seen[benefit]++
		}
		seen[p.ProcessingMode]++
		seen[p.RedemptionMechanism]++
		if p.LookupBillsRequired {
			seen["bills"]++
		}
		if !p.Fixed() {
			seen["range"]++
		}
		if p.LocalizationKey != p.SkuCode {
			seen["own key"]++
		}
		if p.Minimum.CustomerFee > 0 {
			seen["customer fee"]++
		}
		if p.Minimum.DistributorFee > 0 {
			seen["distributor fee"]++
		}
		if p.Minimum.TaxCalculation != nil {
			seen[*p.Minimum.TaxCalculation]++
		}
		for _, s := range p.SettingDefinitions {
			if s.IsMandatory {
				seen["mandatory "+s.Name]++
			}
		}
	}
	for _, want := range []string{
		"Mobile", "Minutes", "Data", "LongDistance", "Electricity", "TV", "Internet", "Utility", "Digital Product",
		"Instant", "Batch", "Immediate", "ReadReceipt", "ReadAdditionalInformation", "bills", "range", "own key",
		"customer fee", "distributor fee", "Inclusive", "Exclusive", "mandatory MeterId",
	} {
		require.Positive(t, seen[want], want)
	}
	down := slices.IndexFunc(c.Statuses, func(s catalogue.ProviderStatus) bool { return !s.IsProcessingTransfers })
	require.NotEqual(t, -1, down)
	require.NotEmpty(t, c.Statuses[down].Message)
}

func TestEveryProductIsValid(t *testing.T) {
	t.Parallel()
	lists := map[string]func(*catalogue.Options){
		"own":  nil,
		"20":   func(o *catalogue.Options) { o.Products = 20 },
		"5000": func(o *catalogue.Options) { o.Products = 5000 },
		"usd":  func(o *catalogue.Options) { o.Currency = "USD" },
	}
	for name, change := range lists {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := made(t, change)
			requireValid(t, c)
			switch name {
			case "20":
				require.Len(t, c.Products, 20)
			case "5000":
				require.Len(t, c.Products, 5000)
			}
		})
	}
}

// requireValid checks what every record of a catalogue must hold.
func requireValid(t *testing.T, c *catalogue.Catalogue) {
	t.Helper()
	skus, english := map[string]bool{}, map[string]bool{}
	for _, text := range c.ProductTexts {
		require.NotEmpty(t, text.DisplayText)
		if text.LanguageCode == "en" {
			require.False(t, english[text.LocalizationKey], text.LocalizationKey)
			english[text.LocalizationKey] = true
		}
	}
	for _, p := range c.Products {
		require.False(t, skus[p.SkuCode], p.SkuCode)
		skus[p.SkuCode] = true
		require.NotNil(t, c.Provider(p.ProviderCode), p.SkuCode)
		require.True(t, english[p.LocalizationKey], p.SkuCode)
		require.NotEmpty(t, p.DefaultDisplayText, p.SkuCode)
		require.NotEmpty(t, p.Benefits)
		require.True(t, p.UAT(p.UatNumber), p.SkuCode)
		require.LessOrEqual(t, p.Minimum.SendValue, p.Maximum.SendValue, p.SkuCode)
		for _, price := range []catalogue.Price{p.Minimum, p.Maximum} {
			require.Positive(t, price.SendValue-price.CustomerFee, p.SkuCode)
			require.Positive(t, price.ReceiveValue, p.SkuCode)
			require.Zero(t, price.SendValue%catalogue.Cent, p.SkuCode)
			require.Positive(t, price.ReceiveValueExcludingTax, p.SkuCode)
			require.LessOrEqual(t, price.ReceiveValueExcludingTax, price.ReceiveValue, p.SkuCode)
		}
		require.Equal(t, p.Maximum, c.PriceOf(p, p.Maximum.SendValue), p.SkuCode)
	}
}

func TestListOfARealServiceBecomesACatalogue(t *testing.T) {
	t.Parallel()
	file, err := os.Open("../../../../shared/data/sku-list.csv")
	if err != nil {
		t.Skip("the product list is not there")
	}
	defer file.Close()
	c := made(t, func(o *catalogue.Options) { o.List = file })
	require.Len(t, c.Products, 17_573)
	requireValid(t, c)
	p := c.Product("AF_AW_TopUp")
	require.Equal(t, "109.00", p.Minimum.ReceiveValue.String())
	require.Equal(t, "4996.00", p.Maximum.ReceiveValue.String())
	require.Equal(t, "AFN", p.Minimum.ReceiveCurrencyIso)
	require.NotEmpty(t, c.Lookup("2348031234567").Items)
}

func TestSameSeedSameCatalogue(t *testing.T) {
	t.Parallel()
	first, second := made(t, nil), made(t, nil)
	require.Equal(t, first.Products, second.Products)
	other := made(t, func(o *catalogue.Options) { o.Seed = 2 })
	require.NotEqual(t, made(t, nil).Products, other.Products)
}

func TestNumbersFindTheirOneProvider(t *testing.T) {
	t.Parallel()
	c := made(t, nil)
	for number, country := range map[string]string{
		"0871234567": "IE", "353871234567": "IE", "+353851234567": "IE", "00353831234567": "IE",
		"2348031234567": "NG", "639171234567": "PH", "919812345678": "IN", "525512345678": "MX", "5351234567": "CU",
		"201001234567": "EG", "40721234567": "RO", "48501234567": "PL", "447400123456": "GB", "18762101234": "JM",
	} {
		a := c.Lookup(number)
		require.Equal(t, country, a.CountryIso, number)
		require.Len(t, a.Items, 1, number)
	}
	require.Equal(t, "353871234567", c.Lookup("0871234567").Normalized)
	require.Len(t, c.Lookup("12025550123").Items, 2, "several providers share the numbers of some countries")
	nearest := c.Lookup("353811234567")
	require.Equal(t, "IE", nearest.CountryIso)
	require.Empty(t, nearest.Items)
	require.Empty(t, c.Lookup("99999").CountryIso)
	require.Empty(t, c.Lookup("abc").CountryIso)
}

func TestSomeExpressionsAreNotRE2(t *testing.T) {
	t.Parallel()
	broken := 0
	for _, p := range made(t, nil).Providers {
		if _, err := regexp.Compile(p.ValidationRegex); err != nil {
			broken++
		}
	}
	require.Positive(t, broken)
	require.Less(t, broken, 30)
}

func TestRangePriceIsLinearAndWholeWhereTheCurrencyIs(t *testing.T) {
	t.Parallel()
	c := made(t, nil)
	whole := []string{"COP", "XOF", "XAF", "IDR", "JPY", "UGX", "TZS", "VND", "CLP", "CDF", "RWF", "ARS"}
	seen := 0
	for _, p := range c.Products {
		span := p.Maximum.SendValue - p.Minimum.SendValue
		for _, send := range []catalogue.Decimal{p.Minimum.SendValue + catalogue.Cent, p.Minimum.SendValue + 7*catalogue.Unit, p.Maximum.SendValue - 3*catalogue.Cent} {
			if p.Fixed() {
				continue
			}
			price := c.PriceOf(p, send)
			// exact: minimum + (send − minimum) × received span ÷ sent span, in steps
			exact := big.NewRat(int64(send-p.Minimum.SendValue)*int64((p.Maximum.ReceiveValue-p.Minimum.ReceiveValue)/catalogue.Cent), int64(span))
			exact.Add(exact, big.NewRat(int64(p.Minimum.ReceiveValue), int64(catalogue.Cent)))
			if slices.Contains(whole, price.ReceiveCurrencyIso) {
				seen++
				exact.Quo(exact, big.NewRat(100, 1))
				floor := new(big.Int).Div(exact.Num(), exact.Denom())
				require.Equal(t, floor.Int64(), int64(price.ReceiveValue/catalogue.Unit), p.SkuCode)
				require.Zero(t, price.ReceiveValue%catalogue.Unit, p.SkuCode)
				continue
			}
			exact.Add(exact, big.NewRat(1, 2))
			half := new(big.Int).Div(exact.Num(), exact.Denom())
			require.Equal(t, half.Int64(), int64(price.ReceiveValue/catalogue.Cent), p.SkuCode)
			back, found := c.PriceToReceive(p, price.ReceiveValue)
			require.True(t, found, p.SkuCode)
			require.Equal(t, price.ReceiveValue, back.ReceiveValue)
		}
	}
	require.Greater(t, seen, 20)
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		_, err := catalogue.New(options())
		require.NoError(b, err)
	}
}

func BenchmarkStartFromList(b *testing.B) {
	for b.Loop() {
		file, err := os.Open("../../../../shared/data/sku-list.csv")
		if err != nil {
			b.Skip("the product list is not there")
		}
		o := options()
		o.List = file
		_, err = catalogue.New(o)
		require.NoError(b, err)
		require.NoError(b, file.Close())
	}
}

func TestPromotionsHaveBonusesOfEveryTypeAndTextsInEnglish(t *testing.T) {
	t.Parallel()
	c := made(t, nil)
	types, english, endless := map[string]bool{}, map[string]bool{}, 0
	for _, text := range c.PromotionTexts {
		english[text.LocalizationKey] = english[text.LocalizationKey] || text.LanguageCode == "en"
		for _, amount := range text.SendAmounts {
			require.Less(t, amount.Minimum, amount.Maximum)
			for _, bonus := range amount.Bonuses {
				require.Positive(t, bonus.Validity, "days")
				types[bonus.BonusType] = true
			}
		}
	}
	for _, kind := range []string{"+", "%", "x", "MB", "GB", "SMS"} {
		require.True(t, types[kind], kind)
	}
	for _, p := range c.Promotions {
		require.True(t, english[p.LocalizationKey], p.LocalizationKey)
		require.True(t, p.StartUtc.Before(p.EndUtc))
		if p.EndUtc.Year() == 9999 {
			endless++
		}
	}
	require.Positive(t, endless)
}

func TestTextsComeInEightLanguagesButNotAllOfThem(t *testing.T) {
	t.Parallel()
	c := made(t, nil)
	count := map[string]int{}
	for _, text := range c.ProductTexts {
		count[text.LanguageCode]++
	}
	require.Equal(t, len(c.Products), count["en"])
	for _, language := range catalogue.Languages()[1:] {
		require.Less(t, count[language], count["en"], language)
		require.Greater(t, count[language], count["en"]/2, language)
	}
}

func TestListRows(t *testing.T) {
	t.Parallel()
	const head = "SkuCode,Operator,Receive,Product type,Country,Validity\n"
	for row, want := range map[string]struct{ least, most, currency, validity string }{
		"A,Op,USD 10 (INT),Voucher,Ireland,N/A":                                  {"10.00", "10.00", "USD", ""},
		"A,Op,Coins $10,Voucher,USA,30 Days":                                     {"10.00", "10.00", "USD", "P30D"},
		"A,Op,Card 15€,Voucher,Ireland,N/A":                                      {"15.00", "15.00", "EUR", ""},
		"A,Op,100 dzd Internet,Data,Algeria,7 Days":                              {"100.00", "100.00", "DZD", "P7D"},
		"A,Op,AFN 109.00 (Min)AFN 4996.00 (Max),Top-up,Afghanistan,N/A":          {"109.00", "4996.00", "AFN", ""},
		"A,Op,XOF 5000.00,Top-up,Ivory Coast,N/A":                                {"5000.00", "5000.00", "XOF", ""},
		"A,Op,Gift card 5EUR,Voucher,\"Congo, The Democratic Republic Of The\",": {"5.00", "5.00", "EUR", ""},
	} {
		c := made(t, func(o *catalogue.Options) { o.List = strings.NewReader(head + row + "\n") })
		p := c.Product("A")
		require.NotNil(t, p, row)
		require.Equal(t, want.least, p.Minimum.ReceiveValue.String(), row)
		require.Equal(t, want.most, p.Maximum.ReceiveValue.String(), row)
		require.Equal(t, want.currency, p.Minimum.ReceiveCurrencyIso, row)
		require.Equal(t, want.validity, p.ValidityPeriodIso, row)
	}
	for _, list := range []string{"", "SkuCode,Operator\n", head + "A,Op,USD 10,Voucher,Atlantis,N/A\n", head + "A,B\n"} {
		o := options()
		o.List = strings.NewReader(list)
		_, err := catalogue.New(o)
		require.Error(t, err, list)
	}
}

// FuzzList: a list is refused, or everything in it becomes a valid product.
func FuzzList(f *testing.F) {
	const head = "SkuCode,Operator,Receive,Product type,Country,Validity\n"
	for _, row := range []string{"A,Op,USD 10,Voucher,Ireland,N/A", "A,,,,Ireland,", "A,Op,EUR 5 (Min)EUR 1 (Max),Top-up,Ireland,0 Days", ",8,XAF0.1,,MAli,0", "A,Op,XOF 0.5,DTH,Mali,-3 Days"} {
		f.Add(head + row)
	}
	f.Fuzz(func(t *testing.T, list string) {
		o := options()
		o.List = strings.NewReader(list)
		if c, err := catalogue.New(o); err == nil {
			requireValid(t, c)
		}
	})
}

// What is sold by the amount costs about the same whatever the agent's
// currency is.
func TestAmountsAreInTheAgentsCurrency(t *testing.T) {
	t.Parallel()
	euros, yen := made(t, nil), made(t, func(o *catalogue.Options) { o.Currency = "JPY" })
	for i, p := range euros.Products {
		other := yen.Products[i]
		for _, pair := range [][2]catalogue.Decimal{
			{p.Minimum.SendValue, other.Minimum.SendValue},
			{p.Maximum.SendValue, other.Maximum.SendValue},
			{p.Minimum.CustomerFee, other.Minimum.CustomerFee},
			{p.Minimum.DistributorFee, other.Minimum.DistributorFee},
		} {
			want, leeway := 181*pair[0], 181*(pair[0]/100+2*catalogue.Cent)
			require.GreaterOrEqual(t, pair[1], want-leeway, p.SkuCode)
			require.LessOrEqual(t, pair[1], want+leeway, p.SkuCode)
		}
	}
	for i, p := range euros.Promotions {
		require.Equal(t, 181*p.MinimumSendAmount, yen.Promotions[i].MinimumSendAmount)
	}
}
