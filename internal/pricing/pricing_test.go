package pricing_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/money"
	"airtill/internal/pricing"
	"airtill/internal/store"
)

var (
	noon  = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	anna  = audit.Actor{UserID: "anna", Name: "anna", Role: "finance"}
	boris = audit.Actor{UserID: "boris", Name: "boris", Role: "admin"}
)

func service(db *store.DB) *pricing.Service {
	clock := func() time.Time { return noon }
	return pricing.New(pricing.Deps{DB: db, Now: clock, Audit: audit.New(audit.Deps{DB: db, Now: clock, Log: slog.New(slog.DiscardHandler)})})
}

func euro(text string) money.Amount { return money.MustParse(text, "EUR") }

func subject(send string) pricing.Subject {
	return pricing.Subject{Country: "NG", Provider: "KONG", Kind: "top-up", SKU: "K-10", Send: euro(send), DistributorFee: euro("0.20"), CommissionRate: "0.08"}
}

func rule(way pricing.Way, value, rounding string) pricing.Rule {
	return pricing.Rule{Name: "A rule", Priority: 10, Way: way, Value: value, Rounding: rounding}
}

func price(t *testing.T, s *pricing.Service, shop string, currency money.Currency, of pricing.Subject) pricing.Priced {
	t.Helper()
	tariff, err := s.Tariff(t.Context(), shop, currency, time.UTC, noon)
	require.NoError(t, err)
	priced, err := tariff.Price(of)
	require.NoError(t, err)
	return priced
}

func TestWithoutARuleThePriceIsTheSendValue(t *testing.T) {
	t.Parallel()
	s := service(storetest.New(t))
	for send, want := range map[string]string{"10": "10.00", "10.301": "10.31", "0.50": "0.66", "0.000001": "0.21"} { // the last two would be below cost
		require.Equal(t, want, price(t, s, "shop", "EUR", subject(send)).Price.Decimal(2), send)
	}
	tariff, err := s.Tariff(t.Context(), "shop", "EUR", time.UTC, noon)
	require.NoError(t, err)
	got, err := tariff.Retail(&catalog.Product{CommissionRate: ""}, "NG", catalog.Price{SendMicros: 10_301_000, SendCurrency: "EUR", CustomerFeeMicros: 500_000})
	require.NoError(t, err)
	require.Equal(t, "10.31", got.Decimal(2), "the customer fee is inside, not on top")
}

func TestWaysAndRoundings(t *testing.T) {
	t.Parallel()
	tariff, err := service(storetest.New(t)).Tariff(t.Context(), "shop", "EUR", time.UTC, noon)
	require.NoError(t, err)
	for _, x := range []struct {
		way                   pricing.Way
		value, rounding, want string
	}{
		{pricing.Percent, "3", "", "10.30"},
		{pricing.Percent, "3.33", "", "10.34"}, // 10.333 up
		{pricing.Percent, "3.33", "0.05", "10.35"},
		{pricing.Percent, "3.33", "0.10", "10.40"},
		{pricing.Percent, "3.33", "0.50", "10.50"},
		{pricing.Percent, "3.33", "1.00", "11.00"},
		{pricing.Percent, "3.33", ".99", "10.99"},
		{pricing.Percent, "9.9", ".99", "10.99"},
		{pricing.Percent, "10", ".99", "11.99"},
		{pricing.Percent, "-2", "", "9.80"},
		{pricing.Fixed, "0.30", "", "10.30"},
		{pricing.Fixed, "0", "", "10.00"},
		{pricing.Target, "12.49", "", "12.49"},
		{pricing.Percent, "-30", "", "9.40"}, // cost: 10.00 + 0.20 − 0.80
	} {
		priced, err := tariff.With(rule(x.way, x.value, x.rounding)).Price(subject("10"))
		require.NoError(t, err)
		require.Equal(t, x.want, priced.Price.Decimal(2), "%+v", x)
		require.Equal(t, x.want == "9.40", priced.Raised)
		require.Equal(t, "9.40", priced.Cost.Decimal(2))
	}
}

func TestTheHighestPriorityThatFitsDecidesAlone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := service(db)
		save := func(change func(*pricing.Rule)) {
			r := rule(pricing.Fixed, "0.10", "")
			change(&r)
			_, err := s.SaveRule(t.Context(), anna, r)
			require.NoError(t, err)
		}
		save(func(r *pricing.Rule) { r.Priority = 1 })
		save(func(r *pricing.Rule) { r.Priority, r.Provider, r.Value = 20, "KONG", "0.20" })
		save(func(r *pricing.Rule) { r.Priority, r.SKU, r.Value = 30, "other", "0.30" })
		save(func(r *pricing.Rule) { r.Priority, r.ShopID, r.Value = 40, "elsewhere", "0.40" })
		save(func(r *pricing.Rule) { r.Priority, r.FromMicros, r.Value = 50, 20_000_000, "0.50" })
		save(func(r *pricing.Rule) { r.Priority, r.ToMicros, r.Value = 60, 5_000_000, "0.60" })
		save(func(r *pricing.Rule) { r.Priority, r.FirstDay, r.Value = 70, "2026-03-15", "0.70" })
		save(func(r *pricing.Rule) {
			r.Priority, r.FirstDay, r.LastDay, r.Kind, r.Value = 90, "2026-03-14", "2026-03-14", "data", "0.90"
		})
		for send, want := range map[string]string{"10": "10.20", "20": "20.50", "5": "5.60"} {
			require.Equal(t, want, price(t, s, "shop", "EUR", subject(send)).Price.Decimal(2))
		}
		require.Equal(t, "10.40", price(t, s, "elsewhere", "EUR", subject("10")).Price.Decimal(2))
		other := subject("10")
		other.Provider = "PWNG"
		require.Equal(t, "10.10", price(t, s, "shop", "EUR", other).Price.Decimal(2))
	})
}

// TestARuleHoldsFromEachShopsOwnMidnight to the end of its last day there, whoever made
// it: a shop was charged the new price the evening before.
func TestARuleHoldsFromEachShopsOwnMidnight(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := service(db)
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Exec(`INSERT INTO shops (id, name, address, tax_id, country, zone, currency, created_at)
				VALUES ('west', 'West', '', '', 'US', 'America/Los_Angeles', 'EUR', ?), ('east', 'East', '', '', 'NZ', 'Pacific/Auckland', 'EUR', ?)`, noon, noon).Error
		}))
		dear := rule(pricing.Fixed, "1.00", "")
		dear.FirstDay, dear.LastDay = "2026-03-16", "2026-03-17"
		saved, err := s.SaveRule(t.Context(), anna, dear)
		require.NoError(t, err)
		for zone, offset := range map[string]string{"America/Los_Angeles": "-07:00", "Pacific/Auckland": "+13:00", "UTC": "+00:00"} {
			for moment, want := range map[string]string{
				"2026-03-15T23:59:59": "10.00", "2026-03-16T00:00:00": "11.00", "2026-03-17T23:59:59": "11.00", "2026-03-18T00:00:00": "10.00",
			} {
				at, err := time.Parse(time.RFC3339, moment+offset)
				require.NoError(t, err)
				there, err := time.LoadLocation(zone)
				require.NoError(t, err)
				tariff, err := s.Tariff(t.Context(), "shop", "EUR", there, at.UTC())
				require.NoError(t, err)
				priced, err := tariff.Price(subject("10"))
				require.NoError(t, err)
				require.Equal(t, want, priced.Price.Decimal(2), "%s in %s", moment, zone)
			}
		}
		saved.FirstDay, saved.LastDay = "", "2026-03-14" // at noon UTC, of that day
		saved.ShopID = "east"
		_, err = s.SaveRule(t.Context(), anna, saved)
		require.Equal(t, "ends", fault.FieldOf(err), "it is the 15th there")
		saved.ShopID = ""
		_, err = s.SaveRule(t.Context(), anna, saved)
		require.NoError(t, err, "it is not over everywhere")
	})
}

func TestRulesThatCannotBe(t *testing.T) {
	t.Parallel()
	s := service(storetest.New(t))
	first := rule(pricing.Percent, "3", "")
	first.Name, first.Provider = "First", "KONG"
	saved, err := s.SaveRule(t.Context(), anna, first)
	require.NoError(t, err)
	for name, x := range map[string]struct {
		change func(*pricing.Rule)
		field  string
	}{
		"no name":              {func(r *pricing.Rule) { r.Name = " " }, "name"},
		"no priority":          {func(r *pricing.Rule) { r.Priority = 0 }, "priority"},
		"no way":               {func(r *pricing.Rule) { r.Way = "magic" }, "way"},
		"no number":            {func(r *pricing.Rule) { r.Value = "three" }, "value"},
		"too fine":             {func(r *pricing.Rule) { r.Value = "0.00000001" }, "value"},
		"a thousand per cent":  {func(r *pricing.Rule) { r.Value = "1000" }, "value"},
		"a price of nothing":   {func(r *pricing.Rule) { r.Way, r.Value = pricing.Target, "0" }, "value"},
		"unknown rounding":     {func(r *pricing.Rule) { r.Rounding = "0.07" }, "rounding"},
		"unknown kind":         {func(r *pricing.Rule) { r.Kind = "soup" }, "kind"},
		"band the wrong way":   {func(r *pricing.Rule) { r.FromMicros, r.ToMicros = 2, 1 }, "to_amount"},
		"dates the wrong way":  {func(r *pricing.Rule) { r.FirstDay, r.LastDay = "2026-03-20", "2026-03-19" }, "ends"},
		"no first day":         {func(r *pricing.Rule) { r.FirstDay = "20/03/2026" }, "starts"},
		"no last day":          {func(r *pricing.Rule) { r.LastDay = "2026-02-30" }, "ends"},
		"contradiction":        {func(r *pricing.Rule) { r.Country = "NG" }, "priority"},
		"contradiction itself": {func(r *pricing.Rule) { r.Provider = "KONG" }, "priority"},
	} {
		r := rule(pricing.Percent, "5", "")
		x.change(&r)
		_, err := s.SaveRule(t.Context(), anna, r)
		require.Equal(t, fault.Invalid, fault.KindOf(err), name)
		require.Equal(t, x.field, fault.FieldOf(err), name)
	}
	apart := rule(pricing.Percent, "5", "")
	apart.Provider = "PWNG"
	_, err = s.SaveRule(t.Context(), anna, apart)
	require.NoError(t, err, "another provider")
	saved.Value = "4"
	_, err = s.SaveRule(t.Context(), anna, saved)
	require.NoError(t, err, "in its own place")
	saved.Value = "6"
	_, err = s.SaveRule(t.Context(), anna, saved)
	require.ErrorIs(t, err, pricing.ErrRuleGone, "it has been replaced")
}

func TestBelowCostNeedsASecondPerson(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	s := service(db)
	cheap, err := s.SaveRule(t.Context(), anna, rule(pricing.Target, "5.00", ""))
	require.NoError(t, err)
	require.True(t, price(t, s, "shop", "EUR", subject("10")).Raised)
	require.Equal(t, fault.Conflict, fault.KindOf(s.AllowBelowCost(t.Context(), anna, cheap.ID)))
	stale, second := boris, boris
	stale.SignedInAt, second.SignedInAt = noon.Add(-10*time.Minute), noon
	require.ErrorContains(t, s.AllowBelowCost(t.Context(), stale, cheap.ID), "Sign in again first")
	require.NoError(t, s.AllowBelowCost(t.Context(), second, cheap.ID))
	require.NoError(t, s.AllowBelowCost(t.Context(), second, cheap.ID), "pressed twice")
	allowed, err := store.All[string](db.Read(t.Context()).Raw("SELECT subject FROM audit_entries WHERE action = ?", audit.PriceRuleBelowCostAllowed))
	require.NoError(t, err)
	require.Len(t, allowed, 1, "it was allowed once")
	priced := price(t, s, "shop", "EUR", subject("10"))
	require.Equal(t, "5.00", priced.Price.Decimal(2))
	require.False(t, priced.Raised)
	cheap.Value, cheap.BelowCost = "4.00", true
	_, err = s.SaveRule(t.Context(), anna, cheap)
	require.NoError(t, err)
	require.True(t, price(t, s, "shop", "EUR", subject("10")).Raised, "another price needs another approval")
	require.NoError(t, s.RetireRule(t.Context(), boris, mustFirst(t, s)))
	require.Nil(t, price(t, s, "shop", "EUR", subject("10")).Rule)
}

// What becomes of a rule is nothing to another: it is not retired, replaced or allowed below cost with it.
func TestRulesStandApart(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := service(db)
		save := func(by audit.Actor, name string, priority int, replaced string) pricing.Rule {
			r := rule(pricing.Target, "5.00", "")
			r.ID, r.Name, r.Priority = replaced, name, priority
			saved, err := s.SaveRule(t.Context(), by, r)
			require.NoError(t, err)
			return saved
		}
		inUse := func() (names []string) {
			rules, err := s.Rules(t.Context())
			require.NoError(t, err)
			for _, r := range rules {
				if r.BelowCost {
					r.Name += " below cost"
				}
				names = append(names, r.Name)
			}
			return names
		}
		save(boris, "first", 30, "")
		second, third := save(anna, "second", 20, ""), save(anna, "third", 10, "")
		signed := boris
		signed.SignedInAt = noon
		require.NoError(t, s.AllowBelowCost(t.Context(), signed, second.ID))
		require.Equal(t, []string{"first", "second below cost", "third"}, inUse())
		require.NoError(t, s.RetireRule(t.Context(), boris, second.ID))
		require.Equal(t, []string{"first", "third"}, inUse())
		save(anna, "third again", 10, third.ID)
		require.Equal(t, []string{"first", "third again"}, inUse())
	})
}

func mustFirst(t *testing.T, s *pricing.Service) string {
	t.Helper()
	rules, err := s.Rules(t.Context())
	require.NoError(t, err)
	require.Len(t, rules, 1)
	return rules[0].ID
}

func TestAnotherCurrencyNeedsARate(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := service(db)
		tariff, err := s.Tariff(t.Context(), "shop", "GBP", time.UTC, noon)
		require.NoError(t, err)
		_, err = tariff.Price(subject("10"))
		require.Equal(t, fault.Conflict, fault.KindOf(err))
		for _, r := range []pricing.Rate{
			{FromCurrency: "EUR", ToCurrency: "GBP", Rate: "0.8512", Again: "0.8512"},
			{FromCurrency: "EUR", ToCurrency: "GBP", Rate: "0.9", ValidFrom: noon.Add(time.Hour)},
		} {
			require.NoError(t, s.AddRate(t.Context(), anna, r))
		}
		for again, wrong := range map[string]string{"": "85.12", "0.8512": "85.12", "8512": "0.008512"} {
			err := s.AddRate(t.Context(), anna, pricing.Rate{FromCurrency: "EUR", ToCurrency: "GBP", Rate: wrong, Again: again})
			require.Equal(t, "again", fault.FieldOf(err), "a hundred times off is asked about")
		}
		require.Equal(t, "again", fault.FieldOf(s.AddRate(t.Context(), anna, pricing.Rate{FromCurrency: "EUR", ToCurrency: "NGN", Rate: "1800"})), "the first is asked about too")
		require.Equal(t, "8.52", price(t, s, "shop", "GBP", subject("10")).Price.Decimal(2)) // 8.512 up
		tariff, err = s.Tariff(t.Context(), "shop", "GBP", time.UTC, noon.Add(2*time.Hour))
		require.NoError(t, err)
		priced, err := tariff.Price(subject("10"))
		require.NoError(t, err)
		require.Equal(t, "9.00", priced.Price.Decimal(2))
		_, old := tariff.OldRate("EUR")
		require.False(t, old)
		tariff, err = s.Tariff(t.Context(), "shop", "GBP", time.UTC, noon.Add(15*24*time.Hour))
		require.NoError(t, err)
		since, old := tariff.OldRate("EUR")
		require.True(t, old, "nobody has renewed it for two weeks")
		require.Equal(t, noon.Add(time.Hour), since.UTC())
		_, old = tariff.OldRate("GBP")
		require.False(t, old, "no rate, no age")
		require.Equal(t, "8.46", priced.Cost.Decimal(2))
		for name, r := range map[string]pricing.Rate{
			"zero":        {FromCurrency: "EUR", ToCurrency: "GBP", Rate: "0"},
			"negative":    {FromCurrency: "EUR", ToCurrency: "GBP", Rate: "-1"},
			"no number":   {FromCurrency: "EUR", ToCurrency: "GBP", Rate: "one"},
			"absurd":      {FromCurrency: "EUR", ToCurrency: "GBP", Rate: "1e9"},
			"the past":    {FromCurrency: "EUR", ToCurrency: "GBP", Rate: "1", ValidFrom: noon.Add(-time.Hour)},
			"to itself":   {FromCurrency: "EUR", ToCurrency: "EUR", Rate: "1"},
			"no currency": {FromCurrency: "euro", ToCurrency: "GBP", Rate: "1"},
		} {
			require.Equal(t, fault.Invalid, fault.KindOf(s.AddRate(t.Context(), anna, r)), name)
		}
		require.Equal(t, fault.Conflict, fault.KindOf(s.AddRate(t.Context(), anna, pricing.Rate{FromCurrency: "EUR", ToCurrency: "GBP", Rate: "1", ValidFrom: noon.Add(time.Hour)})))
	})
}

// TestAPriceRaisedToCostIsRoundedAsItsRuleSays: there are no smaller coins for it than for any other.
func TestAPriceRaisedToCostIsRoundedAsItsRuleSays(t *testing.T) {
	t.Parallel()
	tariff, err := service(storetest.New(t)).Tariff(t.Context(), "shop", "EUR", time.UTC, noon)
	require.NoError(t, err)
	for rounding, want := range map[string]string{ // the cost is 10.03 + 0.20 − 0.8024
		"": "9.43", "0.05": "9.45", "0.10": "9.50", "0.50": "9.50", "1.00": "10.00", pricing.EndsIn99: "9.99",
	} {
		priced, err := tariff.With(rule(pricing.Percent, "-50", rounding)).Price(subject("10.03"))
		require.NoError(t, err)
		require.True(t, priced.Raised, rounding)
		require.Equal(t, want, priced.Price.Decimal(2), rounding)
	}
}

// TestNeverBelowCost: whatever a rule that nobody approved says.
func TestNeverBelowCost(t *testing.T) {
	t.Parallel()
	tariff, err := service(storetest.New(t)).Tariff(t.Context(), "shop", "EUR", time.UTC, noon)
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		r := rule(rapid.SampledFrom(pricing.Ways()).Draw(t, "way"), money.Of(rapid.Int64Range(-50_000_000, 200_000_000).Draw(t, "value"), "").Decimal(2), rapid.SampledFrom(pricing.Roundings()).Draw(t, "rounding"))
		s := subject("0")
		s.Send = money.Of(rapid.Int64Range(1, 1_000_000_000).Draw(t, "send"), "EUR")
		s.CommissionRate = money.Of(rapid.Int64Range(0, 1_000_000).Draw(t, "rate"), "").Decimal(2)
		priced, err := tariff.With(r).Price(s)
		require.NoError(t, err)
		below, err := priced.Price.Cmp(priced.Cost)
		require.NoError(t, err)
		require.GreaterOrEqual(t, below, 0)
		require.Zero(t, priced.Price.Micros()%10_000, "whole cents")
	})
}

// A tariff is read again when its day ends by the shop's clock, where clocks change at midnight too, or when another
// rate begins: never before, and never the evening before.
func TestATariffHoldsUntilItsDayEnds(t *testing.T) {
	t.Parallel()
	s := service(storetest.New(t))
	for _, c := range []struct{ zone, at, until string }{
		{"UTC", "2026-03-14T12:00:00Z", "2026-03-15T00:00:00Z"},
		{"America/Havana", "2026-03-07T23:30:00-05:00", "2026-03-08T01:00:00-04:00"},
		{"America/Havana", "2026-03-08T01:00:00-04:00", "2026-03-09T00:00:00-04:00"},
		{"America/Santiago", "2026-09-05T12:00:00-04:00", "2026-09-06T01:00:00-03:00"},
		{"Europe/Dublin", "2026-10-25T00:30:00+01:00", "2026-10-26T00:00:00Z"},
	} {
		zone, err := time.LoadLocation(c.zone)
		require.NoError(t, err)
		at, err := time.Parse(time.RFC3339, c.at)
		require.NoError(t, err)
		tariff, err := s.Tariff(t.Context(), "shop", "EUR", zone, at)
		require.NoError(t, err)
		require.Equal(t, c.until, tariff.Until().In(zone).Format(time.RFC3339), "%s in %s", c.at, c.zone)
	}
	for ahead, rate := range map[time.Duration]string{time.Hour: "0.85", 3 * time.Hour: "0.86", 24 * time.Hour: "0.87"} {
		require.NoError(t, s.AddRate(t.Context(), anna, pricing.Rate{FromCurrency: "EUR", ToCurrency: "GBP", Rate: rate, Again: rate, ValidFrom: noon.Add(ahead)}))
	}
	for after, until := range map[time.Duration]time.Duration{0: time.Hour, time.Hour: 3 * time.Hour, 3 * time.Hour: 12 * time.Hour} {
		tariff, err := s.Tariff(t.Context(), "shop", "GBP", time.UTC, noon.Add(after))
		require.NoError(t, err)
		require.Equal(t, noon.Add(until), tariff.Until().UTC(), "%s after noon", after)
	}
}
