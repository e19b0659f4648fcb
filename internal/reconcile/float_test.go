package reconcile_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/sales"
	"airtill/internal/store"
	"airtill/internal/storetest"
)

func TestFloat_ASaleItCannotCarryIsRefusedBeforeCashIsTaken(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.topUp()
		offer.Cost.Send = eur("999999.00")
		o := order("1", offer)
		require.Equal(t, fault.Unavailable, fault.KindOf(w.sales.Check(t.Context(), w.seller, o, offer)))
		_, _, err := w.sales.Sell(t.Context(), w.seller, o, offer)
		require.Contains(t, fault.Message(err), "Do not take cash.")
		w.atRest()
	})
}

// TestFloat_BelowItsReserveAShopIsWarnedAndSells: its own mark warns it and stops
// nothing; a shop without one is warned by the mark of all.
func TestFloat_BelowItsReserveAShopIsWarnedAndSells(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.topUp()
		told, err := w.books.LastBalance(t.Context())
		require.NoError(t, err)
		warned := func() (all []string) {
			alarm, err := w.sales.FloatAlarm(t.Context())
			require.NoError(t, err)
			for _, shop := range []string{"", "shop", "another"} {
				if alarm.LowFor(shop) {
					all = append(all, "of "+shop)
				}
			}
			return all
		}
		mark := sales.Limit{ShopID: "shop", Subject: sales.LowMark, Period: sales.Each, Measure: sales.Sum, Currency: "EUR", Most: told.Micros}
		w.limit(mark)
		require.Empty(t, warned(), "the float is what it shall be")
		mark.Most++
		w.limit(mark)
		require.Equal(t, []string{"of ", "of shop"}, warned(), "the office by any shop's")
		require.NoError(t, w.sales.Check(t.Context(), w.seller, order("1", offer), offer))
		w.becomes(w.sell(order("1", offer), offer).ID, sales.Complete, false)

		all := mark
		all.ShopID, all.Most = "", 2*told.Micros
		w.limit(all)
		_, err = w.books.ReadBalance(t.Context())
		require.NoError(t, err)
		mark.Most = 1
		w.limit(mark)
		require.Equal(t, []string{"of ", "of another"}, warned(), "its own mark counts before that of all shops")
	})
}

func TestFloat_AShopLeavesToTheOthersWhatIsTheirs(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.topUp()
		told, err := w.books.LastBalance(t.Context())
		require.NoError(t, err)
		total, err := offer.Cost.Total()
		require.NoError(t, err)
		reserve := sales.Limit{ShopID: "shop", Subject: sales.FloatKept, Period: sales.Each, Measure: sales.Sum, Currency: "EUR", Most: told.Micros - total.Micros() + 1}
		w.limit(reserve)
		_, _, err = w.sales.Sell(t.Context(), w.seller, order("1", offer), offer)
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
		require.Contains(t, fault.Message(err), "kept for other shops")
		require.Equal(t, fault.Unavailable, fault.KindOf(w.sales.Check(t.Context(), w.seller, order("1", offer), offer)), "before any cash is taken")
		other := w.seller
		other.ShopID = "another"
		require.NoError(t, w.sales.Check(t.Context(), other, order("1", offer), offer), "it is for them")
		reserve.Most--
		w.limit(reserve)
		w.becomes(w.sell(order("2", offer), offer).ID, sales.Complete, false)
		w.atRest()
	})
}

func TestFloat_GoneRaisesAnAlarmAndTheBalanceEndsIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.topUp()
		w.fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"InsufficientBalance"}}`)
		w.fault(`{"match":{"endpoint":"GetBalance"},"action":{"kind":"error","code":"OtherError"},"times":2}`)
		w.becomes(w.sell(order("1", offer), offer).ID, sales.Failed, false)
		alarm, err := w.sales.FloatAlarm(t.Context())
		require.NoError(t, err)
		require.True(t, alarm.Gone)
		_, _, err = w.sales.Sell(t.Context(), w.seller, order("2", offer), offer)
		require.Equal(t, fault.Unavailable, fault.KindOf(err))

		for range 2 {
			w.pass(21 * time.Second)
			require.Error(t, w.books.Sweep(t.Context()), "the balance is asked for by the sweep, and is not told")
			alarm, err = w.sales.FloatAlarm(t.Context())
			require.NoError(t, err)
			require.True(t, alarm.Gone)
		}
		w.pass(21 * time.Second)
		require.NoError(t, w.books.Sweep(t.Context()))
		alarm, err = w.sales.FloatAlarm(t.Context())
		require.NoError(t, err)
		require.False(t, alarm.Gone)
		w.becomes(w.sell(order("3", offer), offer).ID, sales.Complete, false)
		w.atRest()
	})
}

func TestFloat_LowIsWarnedOfOnceAndUntilItIsNot(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		w.limit(sales.Limit{Subject: sales.LowMark, Period: sales.Each, Measure: sales.Sum, Currency: "EUR", Most: eur("20000.00").Micros()})
		for range 2 {
			w.pass(time.Minute)
			_, err := w.books.ReadBalance(t.Context())
			require.NoError(t, err)
		}
		require.Equal(t, []sales.IncidentKind{sales.LowFloat}, w.incidents())
		offer := w.topUp()
		w.becomes(w.sell(order("1", offer), offer).ID, sales.Complete, false) // it warns, it stops nothing
		w.call("POST", "/_sandbox/topup", `{"amount":"15000.00"}`, nil)
		_, err := w.books.ReadBalance(t.Context())
		require.NoError(t, err)
		require.Empty(t, w.incidents())
	})
}

func TestFloat_PracticeRaisesNoAlarm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.topUp()
	o := order("1", offer)
	o.AccountNumber = offer.TestNumber[:len(offer.TestNumber)-1] + "7" // picks InsufficientBalance
	w.becomes(w.sell(o, offer).ID, sales.Failed, false)
	require.Empty(t, w.incidents())
	w.becomes(w.sell(order("2", offer), offer).ID, sales.Complete, false)
}

func TestFloat_AShopUsesNoMoreOfItThanItMayInADay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.topUp()
		total, err := offer.Cost.Total()
		require.NoError(t, err)
		most := sales.Limit{ShopID: "shop", Subject: sales.LowMark, Period: sales.Day, Measure: sales.Sum, Currency: "EUR", Most: 2 * total.Micros()}
		w.limit(most)
		everyone := most
		everyone.ShopID, everyone.Most = "", 1
		w.limit(everyone)
		again := func(key string) sales.Order {
			o := order(key, offer)
			o.Again = true
			return o
		}
		refused := func(key string) {
			_, _, err := w.sales.Sell(t.Context(), w.seller, again(key), offer)
			require.Equal(t, fault.Unavailable, fault.KindOf(err))
			require.Contains(t, fault.Message(err), "may use of the float today")
			require.Equal(t, err.Error(), w.sales.Check(t.Context(), w.seller, again(key), offer).Error(), "before any cash is taken")
		}
		w.fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"RateLimited"}}`)
		failed := w.becomes(w.sell(again("0"), offer).ID, sales.Failed, false)
		w.pass(time.Hour)
		w.becomes(w.sell(again("1"), offer).ID, sales.Complete, false) // what failed has used nothing
		w.pass(time.Hour)
		w.becomes(w.sell(again("2"), offer).ID, sales.Complete, false)
		w.pass(time.Hour)
		refused("3")
		_, err = w.sales.TryAgain(t.Context(), failed.ID, w.act())
		require.Contains(t, fault.Message(err), "may use of the float today", "nor by trying again")
		other := w.seller
		other.ShopID = "another"
		require.Contains(t, fault.Message(w.sales.Check(t.Context(), other, again("4"), offer)), "float today", "one for every shop without its own")
		most.Most++ // a millionth is none of it
		w.limit(most)
		refused("5")
		w.seller.Day = w.now() // the next business day
		w.becomes(w.sell(again("6"), offer).ID, sales.Complete, false)
	})
}

func TestFloat_TwoAtOnceDoNotGoOverTheCap(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.topUp()
		total, err := offer.Cost.Total()
		require.NoError(t, err)
		w.limit(sales.Limit{ShopID: "shop", Subject: sales.LowMark, Period: sales.Day, Measure: sales.Sum, Currency: "EUR", Most: total.Micros()})
		var group sync.WaitGroup
		errs := make([]error, 6)
		for i := range errs {
			group.Go(func() {
				o := order(string(rune('a'+i)), offer)
				o.AccountNumber = o.AccountNumber[:len(o.AccountNumber)-1] + string(rune('0'+i))
				_, _, errs[i] = w.sales.Sell(t.Context(), w.seller, o, offer)
			})
		}
		group.Wait()
		sold := 0
		for _, err := range errs {
			if err == nil {
				sold++
				continue
			}
			require.Contains(t, fault.Message(err), "may use of the float today")
		}
		require.Equal(t, 1, sold)
	})
}
