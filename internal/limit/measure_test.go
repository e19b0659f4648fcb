package limit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/limit"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// sold is the row of a sale of aoife's for 5.00 that cost 9.00 and a fee of 0.50, made so long ago.
func (r *room) sold(ago time.Duration, currency money.Currency) sales.Sale {
	r.t.Helper()
	at := store.Moment(r.now.Add(-ago))
	s := sales.Sale{
		ID: store.NewID(at), ShopID: "shop", TillID: "till", ShiftID: "shift", CashierID: "aoife",
		Fulfilment: sales.Complete, Cash: sales.CashEarned, RecordedAt: at, UpdatedAt: at,
	}
	s.IdempotencyKey, s.Code, s.Ref, s.AttemptAt = s.ID, s.ID, s.ID, at
	s.Number = int(ago / time.Second)
	s.PriceMicros, s.PriceCurrency = 5_000_000, currency
	s.SendMicros, s.DistributorFeeMicros, s.SendCurrency = 9_000_000, 500_000, currency
	require.NoError(r.t, r.db.Tx(r.t.Context(), func(tx *store.Tx) error { return tx.Create(&s).Error }))
	return s
}

// sells says whether aoife may sell for a price now.
func (r *room) sells(price string) bool {
	r.t.Helper()
	amount, err := money.Read(price)
	require.NoError(r.t, err)
	act := limit.Act{Name: "a sale", ShopID: "shop", CashierID: "aoife", Price: amount}
	err = r.CheckSale(r.t.Context(), r.db, act, time.Time{}, func(err error) error { return err })
	if err != nil {
		require.ErrorAs(r.t, err, new(*limit.Error))
	}
	return err == nil
}

// floats is why the float does not carry a sale of a cost, "" if it does.
func (r *room) floats(available int64, cost string) string {
	r.t.Helper()
	total, err := money.Read(cost)
	require.NoError(r.t, err)
	return fault.Note(r.CheckFloat(r.t.Context(), r.db, limit.Float{Available: available}, "shop", total, time.Time{}))
}

func (r *room) set(name string, most int64) {
	r.t.Helper()
	require.NoError(r.t, r.Set(r.t.Context(), audit.Command("test"), holding(limit.Named(name), most)))
}

func TestADayThatNobodyNamedIsTheLast24Hours(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		r := newRoom(t, db)
		r.set("cashier-day", 1)
		r.sold(24*time.Hour+time.Minute, "EUR")
		require.True(t, r.sells("1.00 EUR"))
		r.sold(24*time.Hour-time.Minute, "EUR")
		require.False(t, r.sells("1.00 EUR"))
	})
}

func TestAnAmountIsMeasuredInItsCurrencyAlone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		r := newRoom(t, db)
		r.set("cashier-day-sum", 12_000_000)
		r.sold(time.Hour, "EUR")
		r.sold(2*time.Hour, "USD")
		require.True(t, r.sells("7.00 EUR"))
		require.False(t, r.sells("7.01 EUR"))
		require.True(t, r.sells("700.00 USD"))
	})
}

// A sale is no use of a limit that is not about it.
func TestWhatUsesNoLimit(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		r := newRoom(t, db)
		r.sold(time.Hour, "EUR")
		r.set("sale", 6_000_000)
		require.True(t, r.sells("6.00 EUR"), "each sale by itself")
		require.False(t, r.sells("6.01 EUR"))
		r.set("number-day", 1)
		require.True(t, r.sells("6.00 EUR"), "nobody's number is not one number")
		require.NoError(t, db.Exec(t.Context(), "UPDATE sales SET practice = ?", true))
		r.set("cashier-day", 1)
		r.set("float-day", 10_000_000)
		require.True(t, r.sells("6.00 EUR"), "practice")
		require.Empty(t, r.floats(100_000_000, "10.00 EUR"))
	})
}

// A sale that was made and tried again on one day is one sale.
func TestASaleTriedAgainOnItsDayCountsOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		r := newRoom(t, db)
		r.set("cashier-day", 2)
		s := r.sold(2*time.Hour, "EUR")
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			again := sales.Event{SaleID: s.ID, Seq: 1, At: r.now.Add(-time.Hour), Cause: sales.TriedAgain}
			return tx.Create(&again).Error
		}))
		require.True(t, r.sells("1.00 EUR"))
		r.sold(time.Hour, "EUR")
		require.False(t, r.sells("1.00 EUR"))
	})
}

// What a shop may use of the float in a day counts the fee as well, to the cent, and holds for its currency.
func TestTheFloatIsUsedToTheLastCent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		r := newRoom(t, db)
		require.Empty(t, r.floats(10_000_000, "10.00 EUR"))
		require.Equal(t, "float.low", r.floats(9_990_000, "10.00 EUR"))
		r.set("float-day", 20_000_000)
		r.sold(time.Hour, "EUR")
		r.sold(2*time.Hour, "USD")
		require.Empty(t, r.floats(100_000_000, "10.50 EUR"))
		require.Equal(t, "float.day", r.floats(100_000_000, "10.51 EUR"))
		require.Empty(t, r.floats(100_000_000, "50.00 USD"))
		r.set("float-kept", 60_000_000)
		require.Empty(t, r.floats(70_000_000, "10.00 EUR"))
		require.Equal(t, "float.kept", r.floats(69_990_000, "10.00 EUR"))
		require.Empty(t, r.floats(50_000_000, "50.00 USD"))
	})
}

// Who removes a limit removes the one that they were shown.
func TestALimitThatMovedIsNotRemoved(t *testing.T) {
	t.Parallel()
	r := newRoom(t, storetest.New(t))
	r.set("cashier-day", 5)
	shown := holding(limit.Named("cashier-day"), 4)
	err := r.RemoveShown(t.Context(), audit.Command("test"), shown)
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	require.Len(t, r.all(), 1)
	shown.Most = 5
	require.NoError(t, r.RemoveShown(t.Context(), audit.Command("test"), shown))
	require.Empty(t, r.all())
}
