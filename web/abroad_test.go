package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"
	"pgregory.net/rapid"

	"airtill/internal/catalog"
	"airtill/internal/harness/storetest"
	"airtill/internal/money"
	"airtill/internal/pricing"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/frame"
	"airtill/web/locale"
)

// abroad are rates of the agent's euro, one for each kind of coin.
var abroad = map[money.Currency]string{"NGN": "1701.35", "GBP": "0.8412", "JPY": "163.27", "KWD": "0.3351"}

// abroad opens a shop of a currency, and sits a cashier at its till.
func (b *bench) abroad(currency money.Currency) (*browser, staff.Shop) {
	b.t.Helper()
	shop, tills, err := b.staff.CreateShop(b.t.Context(), setup, staff.NewShop{Name: string(currency), Zone: "UTC", Country: "IE", Currency: string(currency), Tills: 1})
	require.NoError(b.t, err)
	name := strings.ToLower(string(currency))
	_, err = b.staff.CreateUser(b.t.Context(), setup, staff.NewUser{Username: name, Role: staff.Cashier, Password: password, ShopID: shop.ID})
	require.NoError(b.t, err)
	if rate := abroad[currency]; rate != "" {
		require.NoError(b.t, b.server.D.Pricing.AddRate(b.t.Context(), setup, pricing.Rate{FromCurrency: "EUR", ToCurrency: currency, Rate: rate, Again: rate}))
	}
	w := b.browser()
	require.Equal(b.t, http.StatusSeeOther, w.post("/login", url.Values{"username": {name}, "password": {password}}).StatusCode)
	require.Equal(b.t, http.StatusSeeOther, w.post("/till", url.Values{"till": {tills[0].ID}, "take": {"1"}}).StatusCode)
	b.openTill(w)
	return w, shop
}

func (b *bench) tariffOf(shop staff.Shop) *pricing.Tariff {
	b.t.Helper()
	tariff, err := b.server.D.Pricing.Tariff(b.t.Context(), shop.ID, shop.Currency, time.UTC, b.clock())
	require.NoError(b.t, err)
	return tariff
}

func amountQuery(p *catalog.Product, field, typed string) (number string, query []string) {
	query = []string{field, typed}
	for _, s := range p.Settings {
		query = append(query, "setting."+s.Name, "5")
	}
	return "+" + strings.TrimPrefix(p.UATNumber, "+"), query
}

// What the customer pays is asked, bounded, shown and taken in the till's currency, under
// its rules: just what was typed, or the nearest below it that can be paid, which is shown
// before it is taken. What is sent has two decimals and costs what was shown.
func TestTheCustomerPaysWhatWasTypedInTheTillsCurrency(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	b.simulate(http.MethodPut, "config", `{"limits":false}`)
	_, err := b.server.D.Pricing.SaveRule(t.Context(), setup, pricing.Rule{Name: "All", Priority: 1, Way: pricing.Percent, Value: "2.5"})
	require.NoError(t, err)
	type till struct {
		w    *browser
		shop staff.Shop
	}
	tills := map[money.Currency]till{}
	currencies := []money.Currency{"EUR", "GBP", "JPY", "KWD", "NGN"}
	for _, c := range currencies {
		w, shop := b.abroad(c)
		tills[c] = till{w, shop}
	}
	ranges := b.ranges()
	rapid.Check(t, func(rt *rapid.T) {
		p := rapid.SampledFrom(ranges).Draw(rt, "product")
		at := tills[rapid.SampledFrom(currencies).Draw(rt, "currency")]
		provider, _ := b.server.D.Catalog.Current().Provider(p.Provider)
		tariff := b.tariffOf(at.shop)
		least, most, err := tariff.PayRange(p, provider.Country)
		require.NoError(rt, err)
		coin := int64(money.Scale)
		for range at.shop.Currency.Decimals() {
			coin /= 10
		}
		typed := money.Of(rapid.Int64Range(least.Micros()/coin, most.Micros()/coin).Draw(rt, "coins")*coin, at.shop.Currency)
		number, query := amountQuery(p, "pay", typed.Decimal(typed.Currency().Decimals()))
		b.pass(15 * time.Second) // the budget is 50 questions in ten minutes
		details := at.w.get(billForm(p, number, query...)).page(t)
		l := locale.New(locale.At(language.English, "IE"), time.UTC)
		require.Equal(rt, string(typed.Currency()), strings.TrimSpace(details.Find("#pay ~ .unit").Text()))
		require.Contains(rt, details.Find("#pay-help").Text(), l.Amount(least))
		shown := strings.TrimSpace(details.Find("#quote .amount").First().Text())

		page := at.w.get(billForm(p, number, append(query, "step", "confirm")...))
		form := confirmed(t, page)
		require.Equal(rt, shown, strings.TrimSpace(page.page(t).Find("dl.bill .total .amount").Text()))
		send := money.MustParse(form.Get("send"), "EUR")
		require.Zero(rt, send.Micros()%10_000, "SendValue has two decimals")
		costs := func(send money.Amount) money.Amount {
			price, err := p.Quote(send)
			require.NoError(rt, err)
			paid, err := tariff.Retail(p, provider.Country, price)
			require.NoError(rt, err)
			return paid
		}
		paid := costs(send)
		require.Equal(rt, shown, l.Amount(paid))
		require.LessOrEqual(rt, paid.Micros(), typed.Micros(), "nobody is asked for more than they have")
		if send.Micros() < p.Maximum.SendMicros {
			require.Greater(rt, costs(money.Of(send.Micros()+10_000, "EUR")).Micros(), typed.Micros(), "a cent more is too much")
		}
		said := strings.Contains(page.page(t).Find("dl.facts").Text(), "The nearest price to "+l.Amount(typed)+" that can be paid.")
		require.Equal(rt, paid != typed, said, "said where it is not what was typed, and only there")
		require.Equal(rt, said, strings.Contains(details.Find("#quote").Text(), "that can be paid"))
	})
}

// What the confirm page shows is what is sold: a rate that moves between asks again for
// the same SendValue, and the same again is that SendValue at the price of its day.
func TestARateThatMovesIsAChangedPriceAndNotAnotherAmount(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w, _ := b.abroad("NGN")
	offers := w.get("/counter?number=" + irish).page(t)
	card := offers.Find("button[name=sku]").FilterFunction(func(_ int, card *goquery.Selection) bool {
		return strings.Contains(card.Find(".card-price").Text(), "–")
	})
	ask := "/counter?number=" + irish + "&step=confirm&sku=" + card.First().AttrOr("value", "")
	form := confirmed(t, w.get(ask+"&pay=5000"))
	require.Equal(t, "4984.96 NGN", form.Get("shown"), "1,701.35 for a euro")
	require.Equal(t, "2.93", form.Get("send"))

	require.NotContains(t, w.get(ask+"&pay=5000").page(t).Text(), "exchange rate")
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("UPDATE exchange_rates SET valid_from = ?", b.clock().AddDate(-2, 0, 0)).Error
	}))
	require.Contains(t, w.get(ask+"&pay=5000").page(t).Find(".notice").Text(), "The exchange rate in this price is from", "two years old, and it says so")

	for _, send := range []string{"0.01", "99999", "x", "-2", "NaN"} {
		tampered := with(form, "send", send)
		require.Equal(t, http.StatusUnprocessableEntity, w.post("/sales", tampered).StatusCode, send)
	}

	newer := pricing.Rate{FromCurrency: "EUR", ToCurrency: "NGN", Rate: "1800"}
	b.pass(time.Minute)
	require.NoError(t, b.server.D.Pricing.AddRate(t.Context(), setup, newer))
	changed := w.post("/sales", form)
	require.Equal(t, http.StatusConflict, changed.StatusCode, changed.body)
	require.Contains(t, changed.page(t).Text(), "Changed.")
	again := confirmed(t, changed)
	require.Equal(t, []string{"5274.00 NGN", "2.93"}, []string{again.Get("shown"), again.Get("send")})
	sold := w.post("/sales", again)
	require.Equal(t, http.StatusSeeOther, sold.StatusCode, sold.body)
	sale := b.saleAt(sold.Header.Get("Location"))
	require.Equal(t, "5274.00 NGN", sale.Price().String())
	require.Equal(t, "2.93 EUR", sale.Quoted().Send.String())
	b.becomes(sold.Header.Get("Location"), sales.Complete)

	same := w.get(b.server.URLOf(frame.Repeat(sale)))
	require.Contains(t, same.page(t).Find("[role=alert]").Text(), "Press 2 to send another.", "it is the same sale")
}
