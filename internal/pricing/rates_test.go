package pricing_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/money"
	"airtill/internal/pricing"
	"airtill/internal/store"
)

// A rate a fifth up or down is as usual, more is asked about; it holds from now or later.
func TestARateFarFromTheLastIsAskedAbout(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := service(db)
		add := func(rate, again string, from time.Duration) string {
			r := pricing.Rate{FromCurrency: "EUR", ToCurrency: "GBP", Rate: rate, Again: again, ValidFrom: noon.Add(from)}
			return fault.FieldOf(s.AddRate(t.Context(), anna, r))
		}
		for _, of := range [][2]money.Currency{{"EUR", "KES"}, {"USD", "GBP"}} {
			require.NoError(t, s.AddRate(t.Context(), anna, pricing.Rate{FromCurrency: of[0], ToCurrency: of[1], Rate: "1.2", Again: "1.2"}))
		}
		for field, of := range map[string][2]money.Currency{"from_currency": {"EURO", "GBP"}, "to_currency": {"EUR", "EURO"}, "to_currency ": {"EUR", "EUR"}} {
			err := s.AddRate(t.Context(), anna, pricing.Rate{FromCurrency: of[0], ToCurrency: of[1], Rate: "1.2", Again: "1.2"})
			require.Equal(t, strings.TrimSpace(field), fault.FieldOf(err), of)
		}
		require.Equal(t, "again", add("1.2", "", 0), "the first")
		require.Empty(t, add("1.2", "1.20", 0), "typed twice, however it is written")
		require.Empty(t, add("1.44", "", time.Hour), "a fifth more")
		require.Equal(t, "again", add("1.7281", "", 2*time.Hour))
		require.Empty(t, add("1.2", "", 3*time.Hour), "and as much less")
		require.Equal(t, "again", add("0.9999", "", 4*time.Hour))
		require.Equal(t, "again", add("0.9999", "9.999", 4*time.Hour), "another than was typed first")
		require.Empty(t, add("1.7", "", 90*time.Minute), "far from the last, not from the one before it")
		require.Empty(t, add("1.3", "1.3", -time.Minute), "a form takes a minute to fill in")
		require.Equal(t, "valid_from", add("1.3", "", -time.Minute-time.Microsecond))
		require.Equal(t, "rate", add("0.0000009", "0.0000009", time.Hour))
		require.Equal(t, "rate", add("10000000.1", "10000000.1", time.Hour))
		rials := pricing.Rate{FromCurrency: "EUR", ToCurrency: "IRR", Rate: "1150000", Again: "1150000", ValidFrom: noon.Add(30 * time.Minute)}
		require.NoError(t, s.AddRate(t.Context(), anna, rials))
		entered, err := s.Uses().Audit.List(t.Context(), audit.Filter{Act: audit.ExchangeRateEntered})
		require.NoError(t, err)
		require.Len(t, entered, 8)
		rates, err := s.Rates(t.Context())
		require.NoError(t, err)
		require.Len(t, rates, 8)
		require.Equal(t, "anna", rates[0].EnteredBy)
		for i := range rates[1:] {
			require.False(t, rates[i].ValidFrom.Before(rates[i+1].ValidFrom), "the newest first")
		}
	})
}

// A rate that nobody renewed for two weeks is told of, if a shop's till needs it and no later one holds yet.
func TestRatesThatNobodyRenewed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := service(db)
		stale := func() (found []string) {
			rates, err := s.Stale(t.Context())
			require.NoError(t, err)
			for _, r := range rates {
				found = append(found, string(r.ToCurrency)+" "+r.Rate)
			}
			return found
		}
		row := func(id, to, rate string, ago time.Duration) {
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
				return tx.Exec("INSERT INTO exchange_rates (id, from_currency, to_currency, rate, valid_from, entered_by, entered_at) VALUES (?, 'EUR', ?, ?, ?, '', ?)",
					id, to, rate, noon.Add(-ago), noon).Error
			}))
		}
		const fortnight = 14 * 24 * time.Hour
		row("1", "GBP", "0.8", fortnight+time.Second)
		row("2", "KES", "150", 2*fortnight)
		require.Empty(t, stale(), "no till needs them")
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Exec(`INSERT INTO shops (id, name, address, tax_id, country, zone, currency, created_at)
				VALUES ('1', 'One', '', '', 'GB', 'UTC', 'GBP', ?), ('2', 'Two', '', '', 'KE', 'UTC', 'KES', ?)`, noon, noon).Error
		}))
		require.Equal(t, []string{"GBP 0.8", "KES 150"}, stale())
		row("3", "KES", "151", fortnight)
		require.Equal(t, []string{"GBP 0.8"}, stale(), "two weeks old to the moment")
		require.NoError(t, db.Exec(t.Context(), "UPDATE exchange_rates SET from_currency = 'USD' WHERE id = '3'"))
		require.Equal(t, []string{"GBP 0.8", "KES 150"}, stale(), "what was renewed is another")
		row("4", "GBP", "0.81", -time.Hour)
		require.Equal(t, []string{"GBP 0.8", "KES 150"}, stale(), "the next holds in an hour")
	})
}

// Of two rules that contradict each other, saved at once, one is in use; the other is told of it.
func TestTwoRulesAtOnceDoNotContradict(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := service(db)
		errs := make([]error, 4)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() { _, errs[i] = s.SaveRule(t.Context(), anna, rule(pricing.Percent, strconv.Itoa(i+1), "")) })
		}
		all.Wait()
		saved := 0
		for _, err := range errs {
			if err == nil {
				saved++
				continue
			}
			require.Equal(t, "priority", fault.FieldOf(err))
			require.Contains(t, fault.Message(err), "A rule", "which of them")
		}
		require.Equal(t, 1, saved)
		rules, err := s.Rules(t.Context())
		require.NoError(t, err)
		require.Len(t, rules, 1)
	})
}

// A form that is sent again, because its answer was lost, has done what it asks for: the rule it made is no other one to
// choose another priority for.
func TestARuleThatIsThereAlreadyIsNotRefused(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := service(db)
		save := func(by audit.Actor, r pricing.Rule) (pricing.Rule, error) { return s.SaveRule(t.Context(), by, r) }
		made, err := save(anna, rule(pricing.Percent, "3", ""))
		require.NoError(t, err)
		again, err := save(anna, rule(pricing.Percent, "3", ""))
		require.NoError(t, err)
		require.Equal(t, made.ID, again.ID)
		_, err = save(boris, rule(pricing.Percent, "3", ""))
		require.Equal(t, "rule.tie", fault.CodeOf(err), "somebody else's is another")

		changed := rule(pricing.Percent, "4", "")
		changed.ID = made.ID
		second, err := save(anna, changed)
		require.NoError(t, err)
		again, err = save(anna, changed)
		require.NoError(t, err, "the rule it changed is gone, since it was changed")
		require.Equal(t, second.ID, again.ID)

		high := rule(pricing.Percent, "4", "")
		high.Priority = 11
		high, err = save(anna, high)
		require.NoError(t, err)
		high.Priority = 10
		_, err = save(anna, high)
		require.Equal(t, "rule.tie", fault.CodeOf(err), "two rules do not become one")
		rules, err := s.Rules(t.Context())
		require.NoError(t, err)
		require.Len(t, rules, 2)
	})
}

// A rule never changes: another takes its place, and what it was stays to be read; one that is gone is gone.
func TestARuleIsReplacedNotChanged(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := service(db)
		first, err := s.SaveRule(t.Context(), anna, rule(pricing.Percent, "3", ""))
		require.NoError(t, err)
		next := first
		next.Value = "4"
		second, err := s.SaveRule(t.Context(), boris, next)
		require.NoError(t, err)
		require.NotEqual(t, first.ID, second.ID)
		require.Equal(t, "boris", second.MadeBy)
		var was pricing.Rule
		require.NoError(t, db.Read(t.Context()).Where("id = ?", first.ID).First(&was).Error)
		require.Equal(t, "3", was.Value)
		require.NotNil(t, was.RetiredAt)
		records, err := s.Uses().Audit.List(t.Context(), audit.Filter{Act: audit.PriceRuleSaved})
		require.NoError(t, err)
		facts, err := records[0].Facts()
		require.NoError(t, err)
		require.Equal(t, "4", facts.After("value"))

		require.NoError(t, s.RetireRule(t.Context(), anna, second.ID))
		for _, id := range []string{second.ID, first.ID, "nothing", ""} {
			require.Equal(t, fault.NotFound, fault.KindOf(s.RetireRule(t.Context(), anna, id)), id)
			require.Equal(t, fault.NotFound, fault.KindOf(s.AllowBelowCost(t.Context(), boris, id)), id)
		}
		rules, err := s.Rules(t.Context())
		require.NoError(t, err)
		require.Empty(t, rules)
	})
}

// TestEveryRoundingIsStored, the ones for currencies without small coins too, and prices a sale once it is.
func TestEveryRoundingIsStored(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s, saved := service(db), pricing.Rule{}
		require.NoError(t, s.AddRate(t.Context(), anna, pricing.Rate{FromCurrency: "EUR", ToCurrency: "IDR", Rate: "17812.35", Again: "17812.35"}))
		for _, rounding := range append(pricing.Roundings(), "100", "1000") {
			r := rule(pricing.Percent, "3", rounding)
			r.ID = saved.ID
			var err error
			saved, err = s.SaveRule(t.Context(), anna, r)
			require.NoError(t, err, rounding)
		}
		require.Equal(t, "184000.00", price(t, s, "shop", "IDR", subject("10")).Price.Decimal(2))
	})
}

// A form whose answer was lost makes one rate, however often it is sent.
func TestARateOfOneFormIsOne(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s, now := service(db), noon
		s.Uses().Now = func() time.Time { return now }
		first := pricing.Rate{ID: store.NewID(noon), FromCurrency: "EUR", ToCurrency: "GBP", Rate: "1.2", Again: "1.2"}
		require.NoError(t, s.AddRate(t.Context(), anna, first))
		now = noon.Add(time.Hour)
		require.NoError(t, s.AddRate(t.Context(), anna, first))
		for _, change := range []func(*pricing.Rate){
			func(r *pricing.Rate) { r.FromCurrency = "USD" },
			func(r *pricing.Rate) { r.ToCurrency = "KES" },
			func(r *pricing.Rate) { r.Rate, r.Again = "1.3", "1.3" },
			func(r *pricing.Rate) { r.ValidFrom = now },
		} {
			other := first
			change(&other)
			require.Equal(t, "page.used", fault.CodeOf(s.AddRate(t.Context(), anna, other)), other)
		}
		later := first
		later.ID, later.ValidFrom = store.NewID(now), noon.Add(2*time.Hour)
		for range 2 {
			require.NoError(t, s.AddRate(t.Context(), anna, later))
		}
		rates, err := s.Rates(t.Context())
		require.NoError(t, err)
		require.Len(t, rates, 2)
		require.True(t, rates[1].ValidFrom.Equal(noon))
	})
}

// A rate is withdrawn until the moment from which it holds, and the audit says which it was.
func TestARateIsWithdrawnBeforeItHolds(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s, now := service(db), noon
		s.Uses().Now = func() time.Time { return now }
		for _, from := range []time.Duration{0, time.Hour, 2 * time.Hour, 3 * time.Hour} {
			require.NoError(t, s.AddRate(t.Context(), anna, pricing.Rate{FromCurrency: "EUR", ToCurrency: "GBP", Rate: "1.2", Again: "1.2", ValidFrom: noon.Add(from)}))
		}
		rates, err := s.Rates(t.Context())
		require.NoError(t, err)
		require.Len(t, rates, 4)
		now = noon.Add(time.Hour)
		require.NoError(t, s.WithdrawRate(t.Context(), boris, rates[1].ID))
		require.NoError(t, s.WithdrawRate(t.Context(), boris, rates[1].ID), "it is gone")
		for _, r := range rates[2:] {
			require.Equal(t, "rate.begun", fault.CodeOf(s.WithdrawRate(t.Context(), boris, r.ID)), r)
		}
		left, err := s.Rates(t.Context())
		require.NoError(t, err)
		require.Equal(t, []pricing.Rate{rates[0], rates[2], rates[3]}, left)
		withdrawn, err := s.Uses().Audit.List(t.Context(), audit.Filter{Act: audit.ExchangeRateWithdrawn})
		require.NoError(t, err)
		require.Len(t, withdrawn, 1)
		facts, err := withdrawn[0].Facts()
		require.NoError(t, err)
		require.Contains(t, facts, audit.Text("rate", "1.2"))
	})
}
