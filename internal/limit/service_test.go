package limit_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/limit"
	"airtill/internal/money"
	"airtill/internal/store"
)

// room is limits alone, without the limits that a new database has, on a clock of its own.
type room struct {
	*limit.Service
	t     *testing.T
	db    *store.DB
	trail *audit.Log
	now   time.Time
	log   bytes.Buffer
}

func newRoom(t *testing.T, db *store.DB) *room {
	t.Helper()
	r := &room{t: t, db: db, now: time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)}
	clock, log := func() time.Time { return r.now }, slog.New(slog.NewTextHandler(&r.log, nil))
	r.trail = audit.New(audit.Deps{DB: db, Now: clock, Log: log})
	r.Service = limit.New(limit.Deps{DB: db, Audit: r.trail, Now: clock, Log: log})
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Exec("DELETE FROM sale_limits").Error }))
	return r
}

// holding is a limit of a kind that may be set.
func holding(kind limit.Kind, most int64) limit.Limit {
	l := limit.Limit{ShopID: "shop", Kind: kind, Most: most}
	if kind.Measure == limit.Sum {
		l.Currency = "EUR"
	}
	return l
}

func (r *room) all() []limit.Limit {
	r.t.Helper()
	limits, err := r.All(r.t.Context())
	require.NoError(r.t, err)
	return limits
}

func TestEveryKindIsSetChangedAndRemovedOnRecord(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		r := newRoom(t, db)
		who := audit.Command("test")
		for _, kind := range limit.Kinds() {
			first, second := holding(kind, 5_000_000), holding(kind, 7_000_000)
			require.NoError(t, r.Set(t.Context(), who, first), kind)
			require.NoError(t, r.Set(t.Context(), who, second), kind)
			require.Equal(t, []limit.Limit{second}, r.all(), "one of a kind, shop and currency")
			require.NoError(t, r.Remove(t.Context(), who, limit.Limit{ShopID: "shop", Kind: kind, Currency: first.Currency}))
			require.Empty(t, r.all())
		}
		entries, err := r.trail.List(t.Context(), audit.Filter{Act: audit.LimitSet})
		require.NoError(t, err)
		require.Len(t, entries, 3*len(limit.Kinds()), "each is on record")
		facts, err := entries[len(entries)-1].Facts()
		require.NoError(t, err)
		require.Equal(t, "5.00 EUR", facts.After("most"), "an amount as one")
	})
}

// A button pressed twice, or by two people, is on record once: the second changed nothing.
func TestALimitThatIsAsItShouldBeIsNotOnRecordAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		r := newRoom(t, db)
		l := holding(limit.Kinds()[0], 5_000_000)
		for range 2 {
			require.NoError(t, r.Set(t.Context(), audit.Command("test"), l))
		}
		for range 2 {
			require.NoError(t, r.Remove(t.Context(), audit.Command("test"), l))
		}
		entries, err := r.trail.List(t.Context(), audit.Filter{Act: audit.LimitSet})
		require.NoError(t, err)
		require.Len(t, entries, 2)
	})
}

func TestNamesOfKindsAreTheirsAlone(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, kind := range limit.Kinds() {
		require.NotEmpty(t, kind.Name())
		require.False(t, seen[kind.Name()], kind.Name())
		seen[kind.Name()] = true
		require.Equal(t, kind, limit.Named(kind.Name()))
	}
	require.Zero(t, limit.Named("planet"))
	require.Empty(t, limit.Named("").Name())
}

// TestNothingElseIsALimit tries everything that could be put together.
func TestNothingElseIsALimit(t *testing.T) {
	t.Parallel()
	r := newRoom(t, storetest.New(t))
	subjects := []limit.Subject{limit.OneSale, limit.OneNumber, limit.OneSeller, limit.OneRefund, limit.LowMark, limit.FloatKept, "planet", ""}
	there := 0
	for _, subject := range subjects {
		for _, period := range []limit.Period{limit.Each, limit.Hour, limit.Day, "week", ""} {
			for _, measure := range []limit.Measure{limit.Count, limit.Sum, "weight", ""} {
				kind := limit.Kind{Subject: subject, Period: period, Measure: measure}
				err := r.Set(t.Context(), audit.Command("test"), holding(kind, 1))
				if kind.Name() != "" {
					require.NoError(t, err, kind)
					there++
					continue
				}
				require.Equal(t, fault.Invalid, fault.KindOf(err), kind)
				require.Equal(t, err, r.Remove(t.Context(), audit.Command("test"), holding(kind, 0)), "nor can it be removed")
			}
		}
	}
	require.Equal(t, len(limit.Kinds()), there)
}

func TestALimitIsRefusedAtTheFieldThatIsWrong(t *testing.T) {
	t.Parallel()
	r := newRoom(t, storetest.New(t))
	number := limit.Kind{Subject: limit.OneNumber, Period: limit.Day, Measure: limit.Count}
	sale := limit.Kind{Subject: limit.OneSale, Period: limit.Each, Measure: limit.Sum}
	reserve := limit.Kind{Subject: limit.FloatKept, Period: limit.Each, Measure: limit.Sum}
	for name, c := range map[string]struct {
		limit limit.Limit
		field string
	}{
		"a number has no reserve":      {limit.Limit{Kind: limit.Kind{Subject: limit.OneNumber, Period: limit.Each, Measure: limit.Count}, Most: 1}, "subject"},
		"a single sale is no count":    {limit.Limit{Kind: limit.Kind{Subject: limit.OneSale, Period: limit.Each, Measure: limit.Count}, Most: 1}, "measure"},
		"to whom would all leave it":   {limit.Limit{Kind: reserve, Currency: "EUR", Most: 1}, "shop"},
		"an amount of what":            {limit.Limit{Kind: sale, Most: 1}, "currency"},
		"an amount of what, then":      {limit.Limit{Kind: sale, Currency: "EUROS", Most: 1}, "currency"},
		"a number of sales has none":   {limit.Limit{Kind: number, Currency: "EUR", Most: 1}, "currency"},
		"nothing could be sold":        {limit.Limit{Kind: number}, "most"},
		"nothing could be sold at all": {limit.Limit{Kind: sale, Currency: "EUR"}, "most"},
		"less than nothing":            {limit.Limit{Kind: number, Most: -1}, "most"},
	} {
		err := r.Set(t.Context(), audit.Command("test"), c.limit)
		require.Equal(t, c.field, fault.FieldOf(err), name)
	}
	require.Empty(t, r.all())
	entries, err := r.trail.List(t.Context(), audit.Filter{Act: audit.LimitSet})
	require.NoError(t, err)
	require.Empty(t, entries)

	refund := limit.Limit{Kind: limit.Kind{Subject: limit.OneRefund, Period: limit.Each, Measure: limit.Sum}, Currency: "EUR"}
	require.NoError(t, r.Set(t.Context(), audit.Command("test"), refund), "each refund waits for somebody in charge")
	refund.Most = -1
	require.Equal(t, "most", fault.FieldOf(r.Set(t.Context(), audit.Command("test"), refund)))
}

func refundOf(price string) limit.Act {
	return limit.Act{Name: "refund:1", SaleID: "1", ShopID: "shop", Price: money.MustParse(price, "EUR")}
}

// TestARefundIsMeasuredToTheCent, by the limit of its own currency.
func TestARefundIsMeasuredToTheCent(t *testing.T) {
	t.Parallel()
	r := newRoom(t, storetest.New(t))
	kind := limit.Kind{Subject: limit.OneRefund, Period: limit.Each, Measure: limit.Sum}
	require.NoError(t, r.Set(t.Context(), audit.Command("test"), holding(kind, money.MustParse("50.00", "EUR").Micros())))
	refuse := func(err error) error { return err }
	check := func(a limit.Act, pass func(error) error) error { return r.CheckRefund(t.Context(), r.db, a, pass) }
	require.NoError(t, check(refundOf("50.00"), refuse))
	var reached *limit.Error
	require.ErrorAs(t, check(refundOf("50.01"), refuse), &reached)
	require.Equal(t, "50.00", reached.Limit.Amount().Decimal(2))
	require.NotContains(t, reached.Error(), "50.01", "what was asked is nobody's business in a log")
	require.NoError(t, check(refundOf("50.01"), func(error) error { return nil }), "somebody allows it")

	abroad := refundOf("50.01")
	abroad.Price = money.MustParse("5000.00", "USD")
	require.NoError(t, check(abroad, refuse), "dollars have no limit here")
	abroad = refundOf("50.01")
	abroad.ShopID = "another"
	require.NoError(t, check(abroad, refuse), "nor has that shop")
}

func (r *room) read() *gorm.DB { return r.db.Read(r.t.Context()) }

func (r *room) stops() (all []limit.StopCount) {
	r.t.Helper()
	all, err := r.Stops(r.t.Context())
	require.NoError(r.t, err)
	return all
}

// TestAWeekOfStops: what was stopped is counted for seven days.
func TestAWeekOfStops(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		r := newRoom(t, db)
		kind := limit.Kind{Subject: limit.OneRefund, Period: limit.Each, Measure: limit.Sum}
		reached := &limit.Error{Limit: holding(kind, 1)}
		require.Equal(t, error(reached), r.Stopped(t.Context(), refundOf("9.00"), reached))
		require.Equal(t, []limit.StopCount{{ShopID: "shop", Kind: kind, Currency: "EUR", Stopped: 1}}, r.stops())
		r.now = r.now.Add(7*24*time.Hour - time.Second)
		require.Len(t, r.stops(), 1)
		r.now = r.now.Add(2 * time.Second)
		require.Empty(t, r.stops())
	})
}

// TestWhatIsNoLimitIsNoStop: the report is of limits.
func TestWhatIsNoLimitIsNoStop(t *testing.T) {
	t.Parallel()
	r := newRoom(t, storetest.New(t))
	require.NoError(t, r.Stopped(t.Context(), refundOf("9.00"), nil))
	other := errors.New("the drawer is shut")
	require.Equal(t, other, r.Stopped(t.Context(), refundOf("9.00"), other))
	require.NoError(t, r.db.Tx(t.Context(), func(tx *store.Tx) error {
		return r.Allowed(t.Context(), tx, refundOf("9.00"), "manager", []error{other})
	}))
	require.Empty(t, r.stops())
}

// TestTheCounterHearsWhyWhateverBecomesOfTheReport: a stop that cannot be recorded is one.
func TestTheCounterHearsWhyWhateverBecomesOfTheReport(t *testing.T) {
	t.Parallel()
	r := newRoom(t, storetest.New(t))
	reached := &limit.Error{Limit: holding(limit.Named("refund"), 1)}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, error(reached), r.Stopped(gone, refundOf("9.00"), reached))
	require.Contains(t, r.log.String(), "limit.stop_not_recorded")
	require.Empty(t, r.stops())
}

// TestOneActIsAllowedOnce: of several limits that were let by the first is told, and what
// was stopped a moment before is what was allowed.
func TestOneActIsAllowedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		r := newRoom(t, db)
		first := &limit.Error{Limit: holding(limit.Named("sale"), 1)}
		second := &limit.Error{Limit: holding(limit.Named("number-day"), 1)}
		allow := func(name, sale string) {
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
				act := refundOf("9.00")
				act.Name, act.SaleID = name, sale
				return r.Allowed(t.Context(), tx, act, "manager", []error{errors.New("a twin"), first, second})
			}))
		}
		allow("a", "1")
		require.Equal(t, []limit.StopCount{{ShopID: "shop", Kind: limit.Named("sale"), Currency: "EUR", Stopped: 1, Allowed: 1}}, r.stops())
		asked := refundOf("9.00")
		asked.Name = "b"
		_ = r.Stopped(t.Context(), asked, second)
		r.now = r.now.Add(14 * time.Minute)
		allow("b", "2")
		stops := r.stops()
		require.Len(t, stops, 2)
		require.Equal(t, []int{1, 1}, []int{stops[0].Stopped, stops[0].Allowed})
		require.Equal(t, []int{1, 1}, []int{stops[1].Stopped, stops[1].Allowed}, "what had been stopped")
		allow("a", "3")
		allow("a", "4")
		_ = r.Stopped(t.Context(), asked, first)
		r.now = r.now.Add(16 * time.Minute)
		allow("b", "5")
		stops = r.stops()
		require.Equal(t, []int{5, 4}, []int{stops[0].Stopped, stops[0].Allowed}, "each sale, and nothing of long ago")
	})
}

// TestTheMarkOfAllShops is the one in the float's currency.
func TestTheMarkOfAllShops(t *testing.T) {
	t.Parallel()
	r := newRoom(t, storetest.New(t))
	own := holding(limit.Named("float"), 5)
	require.NoError(t, r.Set(t.Context(), audit.Command("test"), own))
	for _, name := range []string{"sale", "float-day"} {
		all := holding(limit.Named(name), 5)
		all.ShopID = ""
		require.NoError(t, r.Set(t.Context(), audit.Command("test"), all))
	}
	_, set, err := limit.Mark(r.read(), "EUR")
	require.NoError(t, err)
	require.False(t, set, "neither a shop's own mark nor another limit is that of all")
	own.ShopID, own.Most = "", money.MustParse("100.00", "EUR").Micros()
	require.NoError(t, r.Set(t.Context(), audit.Command("test"), own))
	mark, set, err := limit.Mark(r.read(), "EUR")
	require.NoError(t, err)
	require.True(t, set)
	require.Equal(t, "100.00", mark.Decimal(2))
	_, set, err = limit.Mark(r.read(), "USD")
	require.NoError(t, err)
	require.False(t, set)
}

func TestWhoIsWarnedOfTheFloat(t *testing.T) {
	t.Parallel()
	below, above := map[string]bool{"shop": true}, map[string]bool{"shop": false}
	for name, c := range map[string]struct {
		alarm                 limit.FloatAlarm
		shop, another, office bool
	}{
		"nobody":                           {limit.FloatAlarm{}, false, false, false},
		"all, where no shop has its own":   {limit.FloatAlarm{Low: true}, true, true, true},
		"a shop by its own":                {limit.FloatAlarm{Shops: below}, true, false, true},
		"all but who has a lower mark":     {limit.FloatAlarm{Low: true, Shops: above}, false, true, true},
		"all and it":                       {limit.FloatAlarm{Low: true, Shops: below}, true, true, true},
		"nobody, whatever marks there are": {limit.FloatAlarm{Shops: above}, false, false, false},
	} {
		got := []bool{c.alarm.LowFor("shop"), c.alarm.LowFor("another"), c.alarm.LowFor("")}
		require.Equal(t, []bool{c.shop, c.another, c.office}, got, name)
	}
}

// TestALimitSavedTwiceAtOnceIsOne: of two managers, or two clicks, neither is told of an error, and what was set last
// holds.
func TestALimitSavedTwiceAtOnceIsOne(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		r := newRoom(t, db)
		l := holding(limit.Kinds()[0], 5)
		errs := make([]error, 8)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() {
				set := l
				set.Most += int64(i)
				errs[i] = r.Set(t.Context(), audit.Command("test"), set)
			})
		}
		all.Wait()
		require.NoError(t, errors.Join(errs...))
		require.Len(t, r.all(), 1)
		acts, err := r.trail.List(t.Context(), audit.Filter{Limit: 20})
		require.NoError(t, err)
		require.Len(t, acts, len(errs))
		was := ""
		for _, act := range slices.Backward(acts) {
			facts, err := act.Facts()
			require.NoError(t, err)
			most := facts[slices.IndexFunc(facts, func(f audit.Fact) bool { return f.Name == "most" })]
			require.Equal(t, was, most.Before, "each replaces the one before")
			was = most.After
		}
	})
}
