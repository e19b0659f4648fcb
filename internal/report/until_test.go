package report_test

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/staff/stafftest"
	"airtill/internal/store"
)

// TestADayIsComparedByEachShopsClock: at nine here and at three there, a week ago counts up to nine here and up to three
// there, whether or not clocks were changed since.
func TestADayIsComparedByEachShopsClock(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		now := time.Date(2026, 3, 29, 14, 0, 0, 0, time.UTC) // clocks went forward in Dublin
		clock, log := func() time.Time { return now }, slog.New(slog.DiscardHandler)
		chain := audit.New(audit.Deps{DB: db, Now: clock, Log: log})
		people := staff.New(staff.Deps{DB: db, Now: clock, Audit: chain, Log: log, Hashing: stafftest.Hashing()})
		sums := report.New(report.Deps{DB: db, Now: clock})
		var shops []string
		n := 0
		for i, zone := range []string{"Europe/Dublin", "America/New_York", "Pacific/Kiritimati"} {
			shop, tills, err := people.CreateShop(t.Context(), audit.Actor{}, staff.NewShop{Name: zone, Zone: zone, Country: "IE", Currency: "EUR", Tills: 1})
			require.NoError(t, err)
			shops = append(shops, shop.ID)
			for _, at := range []time.Duration{-time.Hour / 2, time.Hour / 2, 3 * time.Hour} {
				n++
				then := now.In(shop.Location()).AddDate(0, 0, -7-i/2).Add(at)
				sellAt(t, db, n, tills[0], then)
			}
		}
		require.NoError(t, sums.Refresh(t.Context()))
		today := day(t, "2026-03-29")
		q := report.Query{From: today - 7, To: today - 6, Until: now, Ago: 7}
		for i, want := range []int64{1, 1, 3} { // on Kiritimati it is Monday already, and Sunday is over
			q.Shops = shops[i : i+1]
			rows, err := sums.Sums(t.Context(), q)
			require.NoError(t, err)
			require.Equal(t, want, whole(rows).Sales, shops[i])
		}
		q.Shops = shops
		rows, err := sums.Sums(t.Context(), q)
		require.NoError(t, err)
		require.EqualValues(t, 5, whole(rows).Sales)

		alone := q
		alone.Shops = shops[:1]
		together, err := sums.AllSums(t.Context(), alone, q)
		require.NoError(t, err)
		require.Equal(t, []int64{1, 5}, []int64{whole(together[0]).Sales, whole(together[1]).Sales}, "each question has its answer")
		alone.To = alone.From
		_, err = sums.AllSums(t.Context(), q, alone)
		require.Equal(t, fault.Invalid, fault.KindOf(err), "none is left out in silence")
	})
}

// sellAt stores a sale as if it had been recorded then.
func sellAt(t *testing.T, db *store.DB, n int, at staff.Till, then time.Time) {
	t.Helper()
	sale := sales.Sale{
		ID: store.NewID(then), IdempotencyKey: fmt.Sprint(n), Code: fmt.Sprint("C", n), Number: n, ShopID: at.ShopID, TillID: at.ID,
		ShiftID: "shift", Fulfilment: sales.Complete, Cash: sales.CashEarned, RecordedAt: then.UTC(),
	}
	sale.Ref, sale.PriceMicros, sale.PriceCurrency, sale.SendCurrency = fmt.Sprint(n), 1_000_000, "EUR", "EUR"
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		if err := tx.Create(&sale).Error; err != nil {
			return err
		}
		return tx.Exec("INSERT INTO rollup_moves (sale_id) VALUES (?)", sale.ID).Error
	}))
}

// TestADayThatBeginsInItsLastShopHasWhatIsSoldElsewhere: it is long under way in Tokyo when it begins in Los Angeles.
func TestADayThatBeginsInItsLastShopHasWhatIsSoldElsewhere(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		now := time.Date(2026, 2, 10, 7, 59, 0, 0, time.UTC) // a minute to midnight in Los Angeles
		clock, log := func() time.Time { return now }, slog.New(slog.DiscardHandler)
		chain := audit.New(audit.Deps{DB: db, Now: clock, Log: log})
		people := staff.New(staff.Deps{DB: db, Now: clock, Audit: chain, Log: log, Hashing: stafftest.Hashing()})
		sums := report.New(report.Deps{DB: db, Now: clock})
		var shops []string
		var tokyo staff.Till
		for _, zone := range []string{"America/Los_Angeles", "Asia/Tokyo"} {
			shop, tills, err := people.CreateShop(t.Context(), audit.Actor{}, staff.NewShop{Name: zone, Zone: zone, Country: "IE", Currency: "EUR", Tills: 1})
			require.NoError(t, err)
			shops, tokyo = append(shops, shop.ID), tills[0]
		}
		require.NoError(t, sums.Refresh(t.Context()))
		sellAt(t, db, 1, tokyo, now)
		now = now.Add(2 * time.Minute)
		require.NoError(t, sums.Refresh(t.Context()))
		today := day(t, "2026-02-10")
		rows, err := sums.Sums(t.Context(), report.Query{Shops: shops, From: today, To: today + 1})
		require.NoError(t, err)
		require.EqualValues(t, 1, whole(rows).Sales)
	})
}
