package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
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
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/locale"
)

func TestADigitTooManyOrTooFewIsSaidAtTheField(t *testing.T) {
	t.Parallel()
	w := newMarket(t, storetest.NewAt(t, stock.Copy)).atTill(staff.Cashier)
	for typed, says := range map[string]string{
		"08712345678": "One digit too many for an Irish mobile: 10 digits, this has 11.",
		"087123456":   "One digit too few for an Irish mobile: 10 digits, this has 9.",
	} {
		got := w.get("/counter?number=" + typed)
		require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode, got.body)
		page := got.page(t)
		require.Equal(t, says, strings.TrimSpace(page.Find("#number-problem").Text()))
		require.Equal(t, typed, page.Find("#number").AttrOr("value", ""))
	}
	readings := w.get("/counter?number=08712345678").page(t).Find(".quick-sales a[data-row-key]")
	require.Contains(t, readings.First().Text(), "Boyne Energy", "a meter's number has eleven digits")
	require.Equal(t, http.StatusOK, w.get(readings.First().AttrOr("href", "")).StatusCode)
	insist := w.get(readings.Eq(1).AttrOr("href", ""))
	require.Equal(t, "Which country?", strings.TrimSpace(insist.page(t).Find("h1").Text()))
}

func TestOtherOperatorListsThoseOfTheCountry(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.atTill(staff.Cashier)
	offers := w.get("/counter?number=" + irish).page(t)
	taken := strings.TrimSpace(offers.Find("h1").Text())
	page := w.get(offers.Find(`.lead a:contains("Other operator")`).AttrOr("href", "")).page(t)
	require.Contains(t, page.Find(".lead").Text(), taken)
	require.NotContains(t, page.Find(".lead").Text(), "No operator is known")
	operators := page.Find("button[name=provider]")
	require.Greater(t, operators.Length(), 2)
	operators.Each(func(i int, card *goquery.Selection) {
		require.Equal(t, "Ireland", strings.TrimSpace(card.Find(".card-more").Text()))
		require.NotEqual(t, taken, strings.TrimSpace(card.Find(".card-name").Text()))
		require.Equal(t, fmt.Sprint(i+1), card.AttrOr("data-key", ""))
		require.True(t, b.server.D.Catalog.Current().TakesPhones(card.AttrOr("value", "")), "no utility has the number of a phone")
	})
	require.Greater(t, page.Find("button[name=country]").Length(), 20, "other countries follow")
	require.Zero(t, page.Find("button[name=country][data-key]").Length())
	chosen := w.get("/counter?number=" + irish + "&provider=" + operators.First().AttrOr("value", ""))
	require.Equal(t, strings.TrimSpace(operators.First().Find(".card-name").Text()), strings.TrimSpace(chosen.page(t).Find("h1").Text()))
}

func TestTheStepBackKeepsTheNumber(t *testing.T) {
	t.Parallel()
	w := newMarket(t, storetest.NewAt(t, stock.Copy)).atTill(staff.Cashier)
	back := w.get("/counter?number=" + irish).page(t).Find(".steps a[data-back]")
	require.Equal(t, "Number", strings.TrimSpace(back.Text()))
	field := w.get(back.AttrOr("href", "")).page(t).Find("#number")
	require.Equal(t, irish, field.AttrOr("value", ""))
	_, selected := field.Attr("data-select")
	require.True(t, selected)
}

func TestWhatIsOftenSoldHereIsWhatThisShopSold(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.atTill(staff.Cashier)
		common := func() (heading string, names []string) {
			part := w.get("/counter?number=45701234567890123").page(t).Find("[data-unfiltered]")
			return strings.TrimSpace(part.Find("h2").Text()), part.Find("button[name=country]").Map(func(_ int, card *goquery.Selection) string { return card.AttrOr("value", "") })
		}
		heading, names := common()
		require.Equal(t, "Your country", heading)
		require.Equal(t, []string{"IE"}, names)

		for _, number := range []string{"%2B2348031234567", "%2B2348031234568", "%2B447512345678"} {
			path, _ := w.sellToChosen(number)
			b.becomes(path, sales.Complete)
		}
		require.NoError(t, b.server.D.Report.Refresh(t.Context()))
		heading, _ = common()
		require.Equal(t, "Your country", heading, "what was asked a moment ago is not counted anew")
		b.pass(10 * time.Minute)
		heading, names = common()
		require.Equal(t, "Often sold here", heading)
		require.Equal(t, []string{"IE", "NG", "GB"}, names, "its own first, then by how often")
	})
}

// sellToChosen sells the first fixed product of the first operator that a number may have.
func (w *browser) sellToChosen(number string) (path, sku string) {
	w.b.t.Helper()
	address := "/counter?number=" + number
	if operator := w.get(address).page(w.b.t).Find("button[name=provider]"); operator.Length() > 0 {
		address += "&provider=" + operator.First().AttrOr("value", "")
	}
	sku = fixed(w.b.t, w.get(address))
	got := w.post("/sales", confirmed(w.b.t, w.get(address+"&sku="+sku)))
	require.Equal(w.b.t, http.StatusSeeOther, got.StatusCode, got.body)
	return got.Header.Get("Location"), sku
}

// withSetting finds a product by the name of a setting, and a number of its provider.
func (b *bench) withSetting(name string) (p *catalog.Product, number string) {
	b.t.Helper()
	snapshot := b.server.D.Catalog.Current()
	for p := range snapshot.AllProducts() {
		provider, _ := snapshot.Provider(p.Provider)
		if p.LookupBillsRequired || p.OnReceipt() && !p.Addressed() || !slices.ContainsFunc(p.Settings, func(s catalog.Setting) bool { return s.Name == name }) {
			continue
		}
		for length := 6; length < 16; length++ {
			if number := "4234567890123456"[:length]; snapshot.Accepts(provider, number) == catalog.Matches {
				return p, number
			}
		}
	}
	b.t.Fatal("no product asks for " + name)
	return nil, ""
}

func TestASettingIsCheckedByWhatItsNameSays(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.atTill(staff.Cashier)
	p, number := b.withSetting("Months (1-12)")
	address := func(months string) string {
		return billForm(p, number, "setting.Months (1-12)", months, "step", "confirm")
	}
	for _, wrong := range []string{"abc", "0", "13", "1.5", "-1", "1e1"} {
		got := w.get(address(wrong))
		require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode, wrong)
		require.Equal(t, "Enter a whole number from 1 to 12.", strings.TrimSpace(got.page(t).Find("#setting-0-problem").Text()))
	}
	right := w.get(address("٣"))
	require.Contains(t, right.page(t).Find("dl.facts").Text(), "3", "in the digits that are sent")
	require.Zero(t, right.page(t).Find("dl.facts .large").Length())
	form := confirmed(t, right)
	form.Set("setting.Months (1-12)", "abc")
	require.Equal(t, http.StatusUnprocessableEntity, w.post("/sales", form).StatusCode, "whoever calls")
	count, err := b.server.D.Sales.Count(t.Context(), sales.Filter{ShopID: b.shop.ID})
	require.NoError(t, err)
	require.Zero(t, count)
}

func TestANumberThatIsAskedForAgainIsFilledIn(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.atTill(staff.Cashier)
	p, number := b.withSetting("MeterId")
	page := w.get(billForm(p, number)).page(t)
	require.Equal(t, number, page.Find("#setting-0").AttrOr("value", ""))
	confirm := w.get(billForm(p, number, "setting.MeterId", number, "pay", p.Maximum.Send().Decimal(2), "step", "confirm")).page(t)
	require.Contains(t, confirm.Find("dl.facts .large dd").Text(), number, "nothing says what a meter's number is: it is read with care")
	require.NotContains(t, confirm.Find("h1").Text(), "+", "a meter is no phone")
}

func TestWhatTheProviderRefusedIsNotSoldByItsForm(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.atTill(staff.Cashier)
		sku := fixed(t, w.get("/counter?number="+irish))
		product, _ := b.server.D.Catalog.Current().Product(sku)
		address := "/counter?number=" + irish + "&sku=" + sku
		form := confirmed(t, w.get(address))
		require.NoError(t, b.server.D.Sales.SetValidating(t.Context(), setup, product.Provider, true))
		refuse := func() {
			b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"AccountNumberInvalid","context":"ProviderRefusedRequest"}}]`)
		}
		sold := func() int {
			count, err := b.server.D.Sales.Count(t.Context(), sales.Filter{ShopID: b.shop.ID})
			require.NoError(t, err)
			return count
		}
		refuse()
		require.NotContains(t, w.get(address).body, "Cash received, send")
		got := w.post("/sales", form)
		require.Equal(t, http.StatusConflict, got.StatusCode, got.body)
		require.Contains(t, got.body, "does not accept this number")
		require.Zero(t, sold())

		b.pass(5 * time.Minute)
		refuse()
		require.Equal(t, http.StatusConflict, w.post("/sales", form).StatusCode, "it is asked where no page asked just before")
		require.Zero(t, sold())

		b.pass(5 * time.Minute)
		require.Equal(t, http.StatusSeeOther, w.post("/sales", form).StatusCode)
		require.Equal(t, 1, sold())
	})
}

// Where selling is stopped because nothing was heard of the transfer service, or since the
// till was restored, no provider is blamed for it, on the confirm page or by its form.
func TestNoProviderIsBlamedForWhatStopsAll(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Cashier)
	sku := fixed(t, w.get("/counter?number="+irish))
	form := confirmed(t, w.get("/counter?number="+irish+"&sku="+sku))
	b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"GetProviderStatus"},"action":{"kind":"drop","when":"before"},"times":-1}]`)
	b.pass(11 * time.Minute)
	says := func(words string) {
		t.Helper()
		for _, got := range []answer{w.get("/counter?number=" + irish + "&sku=" + sku), w.post("/sales", form)} {
			notice := got.page(t).Find("form.confirm .notice").Text()
			require.Contains(t, notice, words)
			require.NotContains(t, notice, "not taking transfers")
		}
		require.Contains(t, w.get("/counter?number="+irish).page(t).Find(".offers .notice").Text(), words, "a step earlier")
	}
	says("No word from the transfer service since")
	b.server.D.Sales.Halt()
	says("This till was restored from a backup")
}

// A product's test number that is sold in earnest is said to be one, before cash is taken
// and after; to practise is no such thing.
func TestATestNumberIsSaidToBeOne(t *testing.T) {
	t.Parallel()
	db := storetest.NewAt(t, stock.Copy)
	b := newMarket(t, db)
	w := b.signIn(staff.Cashier)
	const before, after = "A test number: nothing is sent and no money moves. Do not take cash.",
		"A test number: nothing was sent and no money moved. Give back any cash you took."
	sell := func(number string) (confirm, outcome, path string) {
		t.Helper()
		page := w.get(number)
		path = w.post("/sales", confirmed(t, page)).Header.Get("Location")
		b.becomes(path, sales.Complete)
		return page.body, w.get(path).body, path
	}
	sku := fixed(t, w.get("/counter?number="+irish))
	p, _ := b.server.D.Catalog.Current().Product(sku)
	confirm, outcome, path := sell(billForm(p, "+"+p.TestNumber()))
	require.Contains(t, confirm, before)
	require.Contains(t, outcome, after)
	var posted int
	ofSale := db.Read(t.Context()).Raw("SELECT COUNT(*) FROM postings WHERE sale_id = ?", strings.TrimPrefix(path, "/sales/"))
	require.NoError(t, ofSale.Scan(&posted).Error)
	require.Zero(t, posted, "the books took none either")

	confirm, outcome, _ = sell(billForm(p, irish))
	require.NotContains(t, confirm, before)
	require.NotContains(t, outcome, after)

	b.server.D.Practice = true
	practise := url.Values{"csrf": {w.csrf("/account")}, "on": {"1"}}
	require.Equal(t, http.StatusSeeOther, w.post("/practice", practise).StatusCode)
	confirm, outcome, _ = sell(billForm(p, "0871234568"))
	require.NotContains(t, confirm, before)
	require.NotContains(t, outcome, after)
}

// What is shown while one types is what the confirm page asks and what the sale stores, to
// the cent, paid and received: for every range product of the simulator and any amount,
// whichever side is typed.
func TestWhatIsShownWhileTypingIsConfirmedAndSold(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	b.simulate(http.MethodPut, "config", `{"limits":false}`)
	w := b.atTill(staff.Cashier)
	irishEnglish := locale.New(language.MustParse("en-IE"), nil)
	sold := map[string]bool{}
	check := func(t require.TestingT, p *catalog.Product, field string, amount money.Amount) {
		number, query := amountQuery(p, field, amount.Decimal(amount.Currency().Decimals()))
		b.pass(15 * time.Second) // the budget is 50 questions in ten minutes
		require.NoError(t, b.server.D.Catalog.SyncStatuses(b.t.Context()))
		quote := w.get(billForm(p, number, query...)).page(b.t).Find("#quote")
		shown := quote.Find(".amount").Map(func(_ int, s *goquery.Selection) string { return strings.TrimSpace(s.Text()) })
		require.Len(t, shown, 2, "%s %v: %s", p.SKU, query, quote.Text())
		if sold[p.SKU+shown[0]] {
			return // the same again is another question
		}
		sold[p.SKU+shown[0]] = true

		confirm := w.get(billForm(p, number, append(query, "step", "confirm")...))
		total := strings.TrimSpace(confirm.page(b.t).Find("dl.bill .total .amount").Text())
		receives := strings.TrimSpace(confirm.page(b.t).Find("dl.facts dt:contains(Receives) + dd").Text())
		form := confirmed(b.t, confirm)
		b.pass(30 * time.Second) // the cash is counted
		got := w.post("/sales", form)
		require.Equal(t, http.StatusSeeOther, got.StatusCode, "%s %v: %s", p.SKU, query, got.body)
		sale := b.saleAt(got.Header.Get("Location"))
		received := money.Of(sale.ReceiveMicros, sale.ReceiveCurrency)
		price := irishEnglish.Amount(sale.Price())
		require.Equal(t, []string{price, irishEnglish.Amount(received)}, shown, "%s %v", p.SKU, query)
		require.Equal(t, []string{price, irishEnglish.ShortAmount(received)}, []string{total, receives}, "%s %v", p.SKU, query)
	}
	ranges, tariff := b.ranges(), b.tariffOf(b.shop)
	// draw is an amount of one of the two sides.
	draw := func(p *catalog.Product, field string, part func(low, high int64) int64) money.Amount {
		low, high, err := tariff.PayRange(p, "")
		require.NoError(t, err)
		step := int64(money.Scale / 100)
		if field == "receive" {
			low, high = p.Minimum.Receive(), p.Maximum.Receive()
			if low.Currency().Decimals() == 0 {
				step = money.Scale
			}
		}
		return money.Of(part(low.Micros()/step, high.Micros()/step)*step, low.Currency())
	}
	sides := []string{"pay", "receive"}
	for i, p := range ranges {
		check(t, p, sides[i%2], draw(p, sides[i%2], func(low, high int64) int64 { return low + (high-low)*3/7 }))
	}
	rapid.Check(t, func(rt *rapid.T) {
		p, field := rapid.SampledFrom(ranges).Draw(rt, "product"), rapid.SampledFrom(sides).Draw(rt, "side")
		amount := draw(p, field, func(low, high int64) int64 { return rapid.Int64Range(low, high).Draw(rt, "amount") })
		check(rt, p, field, amount)
	})
	require.NotContains(t, b.log.String(), "catalog.estimate_skipped", "the upstream was asked each time")
}

// Typing leaves a fifth of the questions to what is confirmed. An amount that the provider
// could not be asked about is said to be about right.
func TestAnAmountThatWasNotAskedIsSaidToBeAbout(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.atTill(staff.Cashier)
	p := b.ranges()[0]
	number := "+" + strings.TrimPrefix(p.UATNumber, "+")
	cents, asked := (p.Minimum.SendMicros+money.Scale)/10_000, 0
	about := func(where string, more ...string) bool {
		t.Helper()
		cents++
		query := append([]string{"pay", money.Of(cents*10_000, p.Minimum.SendCurrency).Decimal(2)}, more...)
		shown := w.get(billForm(p, number, query...)).page(t).Find(where)
		require.Equal(t, 1, shown.Length())
		return strings.Contains(shown.Text(), "This is an estimate. The receipt shows the exact amount.")
	}
	confirm := func() bool { return about("form.confirm", "step", "confirm") }
	for !about("#quote") {
		asked++
	}
	require.Equal(t, 40, asked, "50 in ten minutes, and typing has four fifths of them")
	for !confirm() {
		asked++
	}
	require.Equal(t, 50, asked)
	require.True(t, about("#quote"))
	for range 3 {
		b.pass(5 * time.Minute) // not so long that the till locks
		w.get("/counter")
	}
	require.False(t, about("#quote"))
}

// ranges are the products of any amount within a range whose provider works.
func (b *bench) ranges() []*catalog.Product {
	b.t.Helper()
	var ranges []*catalog.Product
	require.NoError(b.t, b.server.D.Catalog.SyncStatuses(b.t.Context()))
	snapshot := b.server.D.Catalog.Current()
	for p := range snapshot.AllProducts() {
		if snapshot.ProviderStatus(p.Provider).Processing && !p.Fixed() && !p.LookupBillsRequired && p.Unsellable == "" {
			ranges = append(ranges, p)
		}
	}
	require.NotEmpty(b.t, ranges)
	return ranges
}
