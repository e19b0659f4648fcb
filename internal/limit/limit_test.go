package limit_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/counter"
	"airtill/internal/fault"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/limit"
	"airtill/internal/sales"
	"airtill/internal/store"
)

func TestLimits_StopTheSaleThatGoesBeyond(t *testing.T) {
	t.Parallel()
	count := func(subject limit.Subject, period limit.Period, most int64) limit.Limit {
		return limit.Limit{ShopID: "shop", Kind: limit.Kind{Subject: subject, Period: period, Measure: limit.Count}, Most: most}
	}
	sum := func(subject limit.Subject, period limit.Period, most string) limit.Limit {
		return limit.Limit{ShopID: "shop", Kind: limit.Kind{Subject: subject, Period: period, Measure: limit.Sum}, Currency: "EUR", Most: apptest.EUR(most).Micros()}
	}
	for name, c := range map[string]struct {
		limit   limit.Limit
		passes  int           // sales before the stop
		other   bool          // each to another number
		wait    time.Duration // after which the next passes again; 0 if none does
		nextDay bool
	}{
		"sales to a number in a day":        {limit: count(limit.OneNumber, limit.Day, 2), passes: 2, nextDay: true},
		"sales to a number in an hour":      {limit: count(limit.OneNumber, limit.Hour, 1), passes: 1, wait: time.Hour + time.Second},
		"the amount to a number in a day":   {limit: sum(limit.OneNumber, limit.Day, "11.00"), passes: 2, nextDay: true},
		"the amount to a number in an hour": {limit: sum(limit.OneNumber, limit.Hour, "5.00"), passes: 1, wait: time.Hour + time.Second},
		"sales of a cashier in an hour":     {limit: count(limit.OneSeller, limit.Hour, 3), passes: 3, other: true, wait: time.Hour + time.Second},
		"sales of a cashier in a day":       {limit: count(limit.OneSeller, limit.Day, 3), passes: 3, other: true, nextDay: true},
		"a cashier's amount in an hour":     {limit: sum(limit.OneSeller, limit.Hour, "10.00"), passes: 2, other: true, wait: time.Hour + time.Second},
		"a cashier's amount in a day":       {limit: sum(limit.OneSeller, limit.Day, "10.00"), passes: 2, other: true, nextDay: true},
		"a single sale's amount":            {limit: sum(limit.OneSale, limit.Each, "4.99"), passes: 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.New(t))
			w.Priced("5.00")
			offer := w.TopUp()
			w.Limit(c.limit)
			w.Seller.Day = w.Now().Add(-time.Minute)
			sell := func(i int, approver string) error {
				o := apptest.Order(fmt.Sprint(i), offer)
				o.Again, o.Approver = true, approval.Approver{ID: approver}
				if c.other {
					o.AccountNumber = fmt.Sprintf("3538712345%02d", i)
				}
				sale, _, err := w.Try(o, offer)
				if err == nil {
					w.Sales.Dispatch(sale)
					w.Becomes(sale.ID, sales.Complete, false)
				}
				return err
			}
			for i := range c.passes {
				require.NoError(t, sell(i, ""))
			}
			err := sell(90, "")
			var stop *limit.Error
			require.ErrorAs(t, err, &stop)
			require.Equal(t, c.limit, stop.Limit)
			require.NoError(t, sell(91, "manager"), "a manager can allow one more")
			require.Error(t, sell(92, ""), "and no more than one")
			w.Pass(c.wait)
			if c.nextDay {
				w.Pass(24 * time.Hour)
				w.Seller.Day = w.Now().Add(-time.Minute)
			}
			if c.wait > 0 || c.nextDay {
				require.NoError(t, sell(93, ""))
			}
			stops, err := w.Limits.Stops(t.Context())
			require.NoError(t, err)
			require.Len(t, stops, 1)
			sold := map[bool]int{false: 2, true: 3}[c.other] // what was stopped first is what was allowed, if it was the same
			require.Equal(t, []int{sold, 1}, []int{stops[0].Stopped, stops[0].Allowed})
		})
	}
}

// TestLimits_CountSalesAndNotHowOftenSomebodyTried: whoever reads the message and turns
// back was stopped, and whoever tries three times was stopped once.
func TestLimits_CountSalesAndNotHowOftenSomebodyTried(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		w.Priced("6.28")
		offer := w.TopUp()
		w.Limit(limit.Limit{Kind: limit.Kind{Subject: limit.OneSale, Period: limit.Each, Measure: limit.Sum}, Currency: "EUR", Most: apptest.EUR("5.00").Micros()})
		w.Limit(limit.Limit{Kind: limit.Kind{Subject: limit.OneNumber, Period: limit.Day, Measure: limit.Sum}, Currency: "EUR", Most: 1})
		form := func(key, number string) apptest.Press {
			o := apptest.Order(key, offer)
			o.AccountNumber = number
			return o
		}
		count := func() (counted [2]int) {
			stops, err := w.Limits.Stops(t.Context())
			require.NoError(t, err)
			for _, stop := range stops {
				counted[0], counted[1] = counted[0]+stop.Stopped, counted[1]+stop.Allowed
			}
			return counted
		}
		for _, key := range []string{"1", "1", "2"} { // the page is loaded, its back button used, loaded again
			require.Error(t, w.Check(w.Seller, form(key, "353871234501"), offer))
		}
		require.Equal(t, [2]int{1, 0}, count(), "turned back at the message")
		var group sync.WaitGroup
		for range 4 { // and pressed, in a hurry
			group.Go(func() { _, _, _ = w.Try(form("2", "353871234501"), offer) })
		}
		group.Wait()
		require.Equal(t, [2]int{1, 0}, count(), "tried again")
		require.Error(t, w.Check(w.Seller, form("3", "353871234502"), offer))
		require.Equal(t, [2]int{2, 0}, count(), "another customer")
		allowed := form("3", "353871234502")
		allowed.Approver = approval.Approver{ID: "manager"}
		sale, _, err := w.Try(allowed, offer)
		require.NoError(t, err)
		require.Equal(t, [2]int{2, 1}, count(), "both its limits let by is one sale, and the one that was stopped")
		w.Sales.Dispatch(sale)
		w.Becomes(sale.ID, sales.Complete, false)
		again := form("4", "353871234502")
		again.Again = true
		require.Error(t, w.Check(w.Seller, again, offer))
		require.Equal(t, [2]int{3, 1}, count(), "once more the same is another")
		_, _, err = w.Try(form("5", "353871234503"), offer)
		require.Error(t, err)
		w.Pass(askedLongAgo)
		require.Error(t, w.Check(w.Seller, form("6", "353871234503"), offer))
		require.Equal(t, [2]int{5, 1}, count(), "who comes back much later is stopped again")
	})
}

const askedLongAgo = 20 * time.Minute

func TestLimits_WhatFailedCountsForNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.TopUp()
	w.Limit(limit.Limit{Kind: limit.Kind{Subject: limit.OneNumber, Period: limit.Day, Measure: limit.Count}, Most: 1})
	w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"AccountNumberInvalid"}}`)
	w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Failed, false)
	w.Becomes(w.Sell(apptest.Order("2", offer), offer).ID, sales.Complete, false)
}

func TestLimits_TwoCashiersCannotBothTakeTheLastOne(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		other := w.Offer(func(p *catalog.Product) bool { return p.Provider == offer.ProviderCode && p.SKU != offer.SKUCode })
		w.Limit(limit.Limit{Kind: limit.Kind{Subject: limit.OneNumber, Period: limit.Day, Measure: limit.Count}, Most: 1})
		errs := make([]error, 2)
		var group sync.WaitGroup
		for i, o := range []counter.Terms{offer, other} {
			group.Go(func() { _, _, errs[i] = w.Try(apptest.Order(fmt.Sprint(i), o), o) })
		}
		group.Wait()
		require.Equal(t, sales.StopLimit, sales.Approvable(errors.Join(errs...)))
		require.True(t, errs[0] == nil || errs[1] == nil)
	})
}

// TestLimits_HoldForASaleTriedAgain, which counted for nothing once it had failed: others may have been made since.
func TestLimits_HoldForASaleTriedAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		w.Limit(limit.Limit{Kind: limit.Kind{Subject: limit.OneNumber, Period: limit.Day, Measure: limit.Count}, Most: 1})
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"AccountNumberInvalid"}}`)
		failed := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Failed, false)
		w.Becomes(w.Sell(apptest.Order("2", offer), offer).ID, sales.Complete, false)
		_, err := w.Sales.TryAgain(t.Context(), failed.ID, w.Act())
		require.Equal(t, sales.StopLimit, sales.Approvable(err))
		require.Equal(t, sales.Failed, w.Get(failed.ID).Fulfilment)

		stops, err := w.Limits.Stops(t.Context())
		require.NoError(t, err)
		require.Len(t, stops, 1, "and it is on record")
		again, err := w.Sales.TryAgain(t.Context(), failed.ID, w.Approved("the customer asks for both"))
		require.NoError(t, err)
		require.Equal(t, 2, again.Attempt)
		stops, err = w.Limits.Stops(t.Context())
		require.NoError(t, err)
		require.Equal(t, []int{1, 1}, []int{stops[0].Stopped, stops[0].Allowed})
	})
}

func TestLimits_OfTheShopCountBeforeThoseOfAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.TopUp()
	sold := limit.Limit{Kind: limit.Kind{Subject: limit.OneNumber, Period: limit.Day, Measure: limit.Sum}, Currency: "EUR", Most: 1}
	w.Limit(sold)
	require.Equal(t, sales.StopLimit, sales.Approvable(w.Check(w.Seller, apptest.Order("1", offer), offer)))
	sold.ShopID, sold.Most = "shop", apptest.EUR("900.00").Micros()
	w.Limit(sold)
	require.NoError(t, w.Check(w.Seller, apptest.Order("1", offer), offer))
	require.NoError(t, w.Limits.Remove(t.Context(), audit.Command("test"), sold))
	require.Error(t, w.Check(w.Seller, apptest.Order("1", offer), offer))
}

// A number's limit counts what all cashiers sold to it and nothing sold to another; a cashier's, what that one sold to
// whomever, and nothing of another's.
func TestLimits_CountForWhomTheyAre(t *testing.T) {
	t.Parallel()
	for subject, stopped := range map[limit.Subject][]bool{
		limit.OneNumber: {false, false, true, true}, limit.OneSeller: {false, true, false, true},
	} {
		t.Run(string(subject), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.New(t))
			offer := w.TopUp()
			w.Limit(limit.Limit{Kind: limit.Kind{Subject: subject, Period: limit.Day, Measure: limit.Count}, Most: 1})
			w.Seller.Day = w.Now().Add(-time.Minute)
			first := w.Seller.CashierID
			for i, c := range []struct{ cashier, number string }{
				{first, "353871234501"},
				{first, "353871234502"},
				{"another", "353871234501"},
				{"another", "353871234502"},
			} {
				w.Seller.CashierID = c.cashier
				o := apptest.Order(fmt.Sprint(i), offer)
				o.AccountNumber, o.Again = c.number, true
				sale, _, err := w.Try(o, offer)
				require.Equal(t, stopped[i], errors.As(err, new(*limit.Error)), "%d: %v", i, err)
				if err == nil {
					w.Sales.Dispatch(sale)
					w.Becomes(sale.ID, sales.Complete, false)
				}
			}
		})
	}
}

func TestLimits_ThatMeasureNothingAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	for _, l := range []limit.Limit{
		{Kind: limit.Kind{Subject: "planet", Period: limit.Day, Measure: limit.Count}},
		{Kind: limit.Kind{Subject: limit.OneNumber, Period: limit.Each, Measure: limit.Count}},
		{Kind: limit.Kind{Subject: limit.OneSale, Period: limit.Day, Measure: limit.Sum}, Currency: "EUR"},
		{Kind: limit.Kind{Subject: limit.OneSale, Period: limit.Each, Measure: limit.Count}},
		{Kind: limit.Kind{Subject: limit.OneRefund, Period: limit.Each, Measure: limit.Sum}},
		{Kind: limit.Kind{Subject: limit.OneNumber, Period: limit.Day, Measure: limit.Count}, Currency: "EUR"},
		{Kind: limit.Kind{Subject: limit.LowMark, Period: limit.Hour, Measure: limit.Sum}, Currency: "EUR"},
		{Kind: limit.Kind{Subject: limit.FloatKept, Period: limit.Each, Measure: limit.Sum}, Currency: "EUR"}, // to whom would all leave it?
		{ShopID: "shop", Kind: limit.Kind{Subject: limit.FloatKept, Period: limit.Day, Measure: limit.Sum}, Currency: "EUR"},
		{Kind: limit.Kind{Subject: limit.OneNumber, Period: "week", Measure: limit.Count}},
	} {
		require.Equal(t, fault.Invalid, fault.KindOf(w.Limits.Set(t.Context(), audit.Command("test"), l)), l)
	}
}

// TestLimits_ASaleTriedAgainCountsWhenItIsSent: what failed yesterday is sent today, out of today's limits and float.
func TestLimits_ASaleTriedAgainCountsWhenItIsSent(t *testing.T) {
	t.Parallel()
	count := func(subject limit.Subject, period limit.Period) limit.Limit {
		return limit.Limit{Kind: limit.Kind{Subject: subject, Period: period, Measure: limit.Count}, Most: 1}
	}
	sum := func(subject limit.Subject, period limit.Period) limit.Limit {
		return limit.Limit{Kind: limit.Kind{Subject: subject, Period: period, Measure: limit.Sum}, Currency: "EUR", Most: apptest.EUR("12.00").Micros()}
	}
	for name, l := range map[string]limit.Limit{
		"sales to a number in a day":    count(limit.OneNumber, limit.Day),
		"the amount to a number":        sum(limit.OneNumber, limit.Hour),
		"sales of a cashier in an hour": count(limit.OneSeller, limit.Hour),
		"the amount of a cashier":       sum(limit.OneSeller, limit.Day),
		"what a shop uses of the float": sum(limit.LowMark, limit.Day),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				w := newWorld(t, db)
				w.Priced("10.00")
				offer := w.TopUp()
				w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"AccountNumberInvalid"}}`)
				sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Failed, false)
				w.Pass(24 * time.Hour)
				w.Seller.Day = w.Now().Add(-time.Minute)
				act := w.Act()
				act.Day = w.Seller.Day
				if l.Subject == limit.LowMark { // it counts what a sale costs
					total, err := offer.Cost.Total()
					require.NoError(t, err)
					l.Most = total.Micros()
				}
				w.Limit(l)
				next := apptest.Order("2", offer)
				next.Again = true
				require.NoError(t, w.Check(w.Seller, next, offer), "nothing was sent today")

				again, err := w.Sales.TryAgain(t.Context(), sale.ID, act)
				require.NoError(t, err)
				w.Sales.Dispatch(again)
				w.Becomes(sale.ID, sales.Complete, false)
				require.Error(t, w.Check(w.Seller, next, offer))
			})
		})
	}
}
