package counter_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/counter"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/money"
	"airtill/internal/pricing"
	"airtill/internal/store"
)

// TestAnOfferIsWhatWasQuotedAndSaid: nothing of it changes once it was made.
func TestAnOfferIsWhatWasQuotedAndSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	w.seller.Username, w.seller.Role = "aoife", "cashier"
	q := w.quote(w.ask(w.irish()))
	said := counter.Confirmation{
		Key: store.NewID(w.now()), Shown: q.Terms.Price, Given: money.MustParse("50.00", "EUR"), Again: true,
		Approver: approval.Approver{ID: "manager"},
	}
	offer, err := q.Offer(said)
	require.NoError(t, err)
	terms := q.Terms
	q.Terms.Price, q.Ask.Seller.ShopID = money.MustParse("0.01", "EUR"), "another"
	require.Equal(t, terms, offer.Terms())
	require.Equal(t, said, offer.Confirmed())
	require.Equal(t, w.seller, offer.Seller())
	require.Equal(t, audit.Actor{
		UserID: "c", Name: "aoife", Role: "cashier", ShopID: w.seller.ShopID, TillID: w.seller.TillID,
	}, offer.Seller().Actor())
}

// TestAFormCannotNameThePrice: of what has one price, only who asks and what for counts.
func TestAFormCannotNameThePrice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	honest := w.quote(w.ask(w.irish()))
	require.False(t, honest.Range())
	for name, spoil := range map[string]func(*counter.Ask){
		"less to pay":      func(a *counter.Ask) { a.Pay = "0.01" },
		"less to be sent":  func(a *counter.Ask) { a.Send = "0.01" },
		"more to receive":  func(a *counter.Ask) { a.Receive = "999.00" },
		"no amount at all": func(a *counter.Ask) { a.Send = "" },
		"a bill":           func(a *counter.Ask) { a.Bill = "BL0011223344556677" },
		"answers to what is not asked": func(a *counter.Ask) {
			a.Settings = []counter.Setting{{Name: "Discount", Value: "100%"}}
		},
	} {
		ask := w.ask(w.irish())
		spoil(&ask)
		q := w.quote(ask)
		require.True(t, q.Ready(), name)
		require.Equal(t, honest.Terms, q.Terms, name)
		require.Nil(t, q.Bill, name)
	}
}

// ofAnyAmount are products that are sold in a range, without anything else to answer.
func (w *world) ofAnyAmount(most int) (found []*catalog.Product) {
	on := w.Catalog.Current()
	for p := range on.AllProducts() {
		if !p.Fixed() && !p.LookupBillsRequired && len(p.Settings) == 0 && on.ProviderUp(p.Provider) && len(found) < most {
			found = append(found, p)
		}
	}
	require.NotEmpty(w.t, found)
	return found
}

// TestARangeEndsWhereItSays: the least and the most can be paid, a cent beyond cannot.
func TestARangeEndsWhereItSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	cent := money.MustParse("0.01", "EUR")
	for _, p := range w.ofAnyAmount(5) {
		ask := w.ask(p)
		ask.Send, ask.Pay = "", "x"
		ends := w.quote(ask)
		under, err := ends.Least.Sub(cent)
		require.NoError(t, err)
		over, err := ends.Most.Add(cent)
		require.NoError(t, err)
		for amount, within := range map[money.Amount]bool{ends.Least: true, ends.Most: true, under: false, over: false} {
			ask.Pay = amount.Decimal(2)
			q := w.quote(ask)
			require.Equal(t, within, q.Ready(), "%s: %s", p.SKU, amount)
			var beyond *counter.RangeError
			require.Equal(t, !within, errors.As(q.PayProblem, &beyond), "%s: %v", p.SKU, q.PayProblem)
		}
	}
}

// TestNobodyPaysMoreThanWasTyped, nor is anything sold below what it costs, however the
// price is made.
func TestNobodyPaysMoreThanWasTyped(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]pricing.Rule{
		"as it costs": {Way: pricing.Percent, Value: "0"},
		"ten percent": {Way: pricing.Percent, Value: "10"},
		"odd percent": {Way: pricing.Percent, Value: "3.7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.New(t))
			rule.Name, rule.Priority = name, 1
			_, err := w.Pricing.SaveRule(t.Context(), setup, rule)
			require.NoError(t, err)
			for _, p := range w.ofAnyAmount(3) {
				ask := w.ask(p)
				ask.Send, ask.Pay = "", "x"
				ends := w.quote(ask)
				for part := int64(1); part < 4; part++ {
					between := ends.Least.Micros() + (ends.Most.Micros()-ends.Least.Micros())/4*part
					typed := money.Of(between/10_000*10_000, "EUR")
					ask.Pay = typed.Decimal(2)
					q := w.quote(ask)
					require.True(t, q.Ready(), "%s: %v", p.SKU, q.PayProblem)
					price := q.Terms.Price
					require.LessOrEqual(t, price.Micros(), typed.Micros(), p.SKU)
					require.Zero(t, price.Micros()%10_000, "%s: %s is paid in coins", p.SKU, price)
					require.GreaterOrEqual(t, price.Micros(), q.Terms.Cost.Send.Micros(), "%s: below the face value", p.SKU)
					require.Equal(t, price != typed, !q.Nearest().IsZero(), "%s: what is not as typed is said", p.SKU)
					ask.Pay, ask.Send = "", q.Terms.Cost.Send.Decimal(0)
					again := w.quote(ask)
					require.Equal(t, q.Terms.Price, again.Terms.Price, "%s: the page's amount comes to the same", p.SKU)
					require.Equal(t, q.Terms.Cost, again.Terms.Cost, p.SKU)
					ask.Send = ""
				}
			}
		})
	}
}

// TestAmountsAreReadAsTheShopWritesThem: how is the asker's matter, not the counter's.
func TestAmountsAreReadAsTheShopWritesThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	ask := w.ask(w.ranged())
	ask.Send, ask.Pay = "", "12.34"
	want := w.quote(ask)
	require.True(t, want.Ready())
	noAmount := fault.OnField("pay", "limit.count")
	ask.Amount = func(text string, currency money.Currency) (money.Amount, error) {
		if strings.Contains(text, ".") {
			return money.Amount{}, noAmount
		}
		return money.Parse(strings.Replace(text, ",", ".", 1), currency)
	}
	require.Equal(t, noAmount, w.quote(ask).PayProblem)
	ask.Pay = "12,34"
	require.Equal(t, want.Terms, w.quote(ask).Terms)
}

// TestAPriceRuleBeginsInTheShopsOwnMorning: it is tomorrow on one island while it is today
// on another.
func TestAPriceRuleBeginsInTheShopsOwnMorning(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	east, west := time.FixedZone("east", 14*3600), time.FixedZone("west", -10*3600)
	_, err := w.Pricing.SaveRule(t.Context(), setup, pricing.Rule{
		Name: "dearer", Priority: 1, Way: pricing.Percent, Value: "50", FirstDay: w.now().In(east).Format(time.DateOnly),
	})
	require.NoError(t, err)
	priced := func(zone *time.Location) money.Amount {
		ask := w.ask(w.irish())
		ask.Seller.Zone = zone
		return w.quote(ask).Terms.Price
	}
	require.Equal(t, 1, must(priced(east).Cmp(priced(west))), "a day apart, at any hour")
	require.Equal(t, priced(time.UTC), priced(nil), "a shop without a zone keeps to UTC")
}

func must(order int, err error) int {
	if err != nil {
		panic(err)
	}
	return order
}

// TestEveryOutcomeCanBePractised: the last digit of a number that ends in 11 to 19 picks
// it, and no other number picks a failure by chance.
func TestEveryOutcomeCanBePractised(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	p := w.irish()
	test := p.TestNumber()
	ask := w.ask(p)
	ask.Practice = true
	for ending := range 100 {
		want := byte('0')
		if ending > 10 && ending < 20 {
			want = byte('0' + ending%10)
		}
		ask.Number = fmt.Sprintf("3538712345%02d", ending)
		q := w.quote(ask)
		require.Equal(t, test[:len(test)-1]+string(want), q.Terms.AccountNumber, ask.Number)
		require.True(t, q.Terms.Practice)
		require.False(t, q.Test)
	}
}

// TestAPriceIsRoundedUpForTheDrawer: by less than a step, and the upstream's part stays as
// it is.
func TestAPriceIsRoundedUpForTheDrawer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	rule := pricing.Rule{Name: "odd", Priority: 1, Way: pricing.Percent, Value: "3.7"}
	before := w.priced(&rule)
	for rounding, cents := range map[string]int64{"0.05": 5, "0.10": 10, "0.50": 50, "1.00": 100, pricing.EndsIn99: 100} {
		rule.Rounding = rounding
		now := w.priced(&rule)
		require.Equal(t, before.Cost, now.Cost, rounding)
		more := now.Price.Micros() - before.Price.Micros()
		require.GreaterOrEqual(t, more, int64(0), "%s: never down", rounding)
		require.Less(t, more, cents*10_000, rounding)
		rest := now.Price.Micros() / 10_000 % cents
		require.Equal(t, map[bool]int64{true: 99}[rounding == pricing.EndsIn99], rest, rounding)
	}
}

// priced saves a rule and quotes the Irish product by it.
func (w *world) priced(rule *pricing.Rule) counter.Terms {
	w.t.Helper()
	saved, err := w.Pricing.SaveRule(w.t.Context(), setup, *rule)
	require.NoError(w.t, err)
	rule.ID = saved.ID
	return w.quote(w.ask(w.irish())).Terms
}
