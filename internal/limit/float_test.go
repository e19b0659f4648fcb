package limit_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/limit"
	"airtill/internal/money"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
	"airtill/internal/store"
)

func TestFloat_ASaleItCannotCarryIsRefusedBeforeCashIsTaken(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := &world{apptest.NewWith(t, db, "0.50")}
		offer := w.TopUp()
		o := apptest.Order("1", offer)
		require.Equal(t, fault.Unavailable, fault.KindOf(w.Check(w.Seller, o, offer)))
		_, _, err := w.Try(o, offer)
		require.Contains(t, fault.Message(err), "Do not take cash.")
		w.AtRest()
	})
}

// TestFloat_BelowItsReserveAShopIsWarnedAndSells: its own mark warns it and stops
// nothing; a shop without one is warned by the mark of all.
func TestFloat_BelowItsReserveAShopIsWarnedAndSells(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		told, err := w.Reconcile.LastBalance(t.Context())
		require.NoError(t, err)
		warned := func() (all []string) {
			alarm, err := w.Limits.FloatAlarm(t.Context())
			require.NoError(t, err)
			for _, shop := range []string{"", "shop", "another"} {
				if alarm.LowFor(shop) {
					all = append(all, "of "+shop)
				}
			}
			return all
		}
		mark := limit.Limit{ShopID: "shop", Kind: limit.Kind{Subject: limit.LowMark, Period: limit.Each, Measure: limit.Sum}, Currency: "EUR", Most: told.Micros}
		w.Limit(mark)
		require.Empty(t, warned(), "the float is what it shall be")
		for _, name := range []string{"float-day", "float-kept", "sale"} {
			l := limit.Limit{ShopID: "shop", Kind: limit.Named(name), Currency: "EUR", Most: told.Micros + 1}
			w.Limit(l)
			require.Empty(t, warned(), "%s is no mark", name)
			require.NoError(t, w.Limits.Remove(t.Context(), audit.Command("test"), l))
		}
		insert := func(row any) {
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Create(row).Error }))
		}
		for currency, at := range map[money.Currency]time.Time{"EUR": told.ToldAt.Add(-time.Hour), "USD": w.Now()} {
			insert(&reconcile.UpstreamBalance{ID: store.NewID(at), AskedAt: at, ToldAt: at, Currency: currency})
		}
		require.Empty(t, warned(), "by the newest balance in the mark's currency")
		mark.Most++
		w.Limit(mark)
		require.Equal(t, []string{"of ", "of shop"}, warned(), "the office by any shop's")
		require.NoError(t, w.Check(w.Seller, apptest.Order("1", offer), offer))
		w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Complete, false)

		all := mark
		all.ShopID, all.Most = "", 2*told.Micros
		w.Limit(all)
		_, err = w.Reconcile.ReadBalance(t.Context())
		require.NoError(t, err)
		mark.Most = 1
		w.Limit(mark)
		insert(&sales.Incident{ID: store.NewID(w.Now()), Kind: sales.LateReversal, At: w.Now()})
		require.Equal(t, []string{"of ", "of another"}, warned(), "its own mark counts before that of all shops")
	})
}

func TestFloat_AShopLeavesToTheOthersWhatIsTheirs(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		told, err := w.Reconcile.LastBalance(t.Context())
		require.NoError(t, err)
		total, err := offer.Cost.Total()
		require.NoError(t, err)
		reserve := limit.Limit{ShopID: "shop", Kind: limit.Kind{Subject: limit.FloatKept, Period: limit.Each, Measure: limit.Sum}, Currency: "EUR", Most: told.Micros - total.Micros() + 1}
		w.Limit(reserve)
		_, _, err = w.Try(apptest.Order("1", offer), offer)
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
		require.Contains(t, fault.Message(err), "reserved for other shops")
		require.Equal(t, fault.Unavailable, fault.KindOf(w.Check(w.Seller, apptest.Order("1", offer), offer)), "before any cash is taken")
		other := w.Seller
		other.ShopID = "another"
		require.NoError(t, w.Check(other, apptest.Order("1", offer), offer), "it is for them")
		reserve.Most--
		w.Limit(reserve)
		w.Becomes(w.Sell(apptest.Order("2", offer), offer).ID, sales.Complete, false)
		w.AtRest()
	})
}

func TestFloat_GoneRaisesAnAlarmAndTheBalanceEndsIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"InsufficientBalance"}}`)
		w.Fault(`{"match":{"endpoint":"GetBalance"},"action":{"kind":"error","code":"OtherError"},"times":2}`)
		w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Failed, false)
		alarm, err := w.Limits.FloatAlarm(t.Context())
		require.NoError(t, err)
		require.True(t, alarm.Gone)
		_, _, err = w.Try(apptest.Order("2", offer), offer)
		require.Equal(t, fault.Unavailable, fault.KindOf(err))

		for range 2 {
			w.Pass(21 * time.Second)
			require.Error(t, w.FollowUp.Sweep(t.Context()), "the balance is asked for by the sweep, and is not told")
			alarm, err = w.Limits.FloatAlarm(t.Context())
			require.NoError(t, err)
			require.True(t, alarm.Gone)
		}
		w.Pass(21 * time.Second)
		require.NoError(t, w.FollowUp.Sweep(t.Context()))
		alarm, err = w.Limits.FloatAlarm(t.Context())
		require.NoError(t, err)
		require.False(t, alarm.Gone)
		w.Becomes(w.Sell(apptest.Order("3", offer), offer).ID, sales.Complete, false)
		w.AtRest()
	})
}

func TestFloat_LowIsWarnedOfOnceAndUntilItIsNot(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		w.Limit(limit.Limit{Kind: limit.Kind{Subject: limit.LowMark, Period: limit.Each, Measure: limit.Sum}, Currency: "EUR", Most: apptest.EUR("20000.00").Micros()})
		for range 2 {
			w.Pass(time.Minute)
			_, err := w.Reconcile.ReadBalance(t.Context())
			require.NoError(t, err)
		}
		require.Equal(t, []sales.IncidentKind{sales.LowFloat}, w.Incidents())
		offer := w.TopUp()
		w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Complete, false) // it warns, it stops nothing
		w.Call("POST", "/_sandbox/topup", `{"amount":"15000.00"}`, nil)
		_, err := w.Reconcile.ReadBalance(t.Context())
		require.NoError(t, err)
		require.Empty(t, w.Incidents())
	})
}

func TestFloat_PracticeRaisesNoAlarm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.TopUp()
	w.Becomes(w.Sell(apptest.TestOrder(offer, 7), offer).ID, sales.Failed, false) // InsufficientBalance
	require.Empty(t, w.Incidents())
	w.Becomes(w.Sell(apptest.Order("2", offer), offer).ID, sales.Complete, false)
}

func TestFloat_AShopUsesNoMoreOfItThanItMayInADay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		total, err := offer.Cost.Total()
		require.NoError(t, err)
		most := limit.Limit{ShopID: "shop", Kind: limit.Kind{Subject: limit.LowMark, Period: limit.Day, Measure: limit.Sum}, Currency: "EUR", Most: 2 * total.Micros()}
		w.Limit(most)
		everyone := most
		everyone.ShopID, everyone.Most = "", 1
		w.Limit(everyone)
		again := func(key string) apptest.Press {
			o := apptest.Order(key, offer)
			o.Again = true
			return o
		}
		refused := func(key string) {
			_, _, err := w.Try(again(key), offer)
			require.Equal(t, fault.Unavailable, fault.KindOf(err))
			require.Contains(t, fault.Message(err), "has used the float it may use today")
			require.Equal(t, err.Error(), w.Check(w.Seller, again(key), offer).Error(), "before any cash is taken")
		}
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"RateLimited"}}`)
		failed := w.Becomes(w.Sell(again("0"), offer).ID, sales.Failed, false)
		w.Pass(time.Hour)
		w.Becomes(w.Sell(again("1"), offer).ID, sales.Complete, false) // what failed has used nothing
		w.Pass(time.Hour)
		w.Becomes(w.Sell(again("2"), offer).ID, sales.Complete, false)
		w.Pass(time.Hour)
		refused("3")
		_, err = w.Sales.TryAgain(t.Context(), failed.ID, w.Act())
		require.Contains(t, fault.Message(err), "has used the float it may use today", "nor by trying again")
		other := w.Seller
		other.ShopID = "another"
		require.Contains(t, fault.Message(w.Check(other, again("4"), offer)), "may use today", "one for every shop without its own")
		most.Most++ // a millionth is none of it
		w.Limit(most)
		refused("5")
		w.Seller.Day = w.Now() // the next business day
		w.Becomes(w.Sell(again("6"), offer).ID, sales.Complete, false)
	})
}

func TestFloat_TwoAtOnceDoNotGoOverTheCap(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		total, err := offer.Cost.Total()
		require.NoError(t, err)
		w.Limit(limit.Limit{ShopID: "shop", Kind: limit.Kind{Subject: limit.LowMark, Period: limit.Day, Measure: limit.Sum}, Currency: "EUR", Most: total.Micros()})
		var group sync.WaitGroup
		errs := make([]error, 6)
		for i := range errs {
			group.Go(func() {
				o := apptest.Order(string(rune('a'+i)), offer)
				o.AccountNumber = o.AccountNumber[:len(o.AccountNumber)-1] + string(rune('0'+i))
				_, _, errs[i] = w.Try(o, offer)
			})
		}
		group.Wait()
		sold := 0
		for _, err := range errs {
			if err == nil {
				sold++
				continue
			}
			require.Contains(t, fault.Message(err), "has used the float it may use today")
		}
		require.Equal(t, 1, sold)
	})
}
