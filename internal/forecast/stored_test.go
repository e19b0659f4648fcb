package forecast_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/forecast"
	"airtill/internal/harness/demodata"
	"airtill/internal/harness/demodata/demotest"
	"airtill/internal/harness/storetest"
	"airtill/internal/money"
	"airtill/internal/report"
	"airtill/internal/store"
)

// TestForecastIsOfTheStoredSales: what it tells, and by how much it was off on days that
// are over, is what the sales themselves give, hour by hour.
func TestForecastIsOfTheStoredSales(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		zone, err := time.LoadLocation("Europe/Dublin")
		require.NoError(t, err)
		now := time.Date(2026, 3, 13, 14, 20, 0, 0, zone)
		clock := func() time.Time { return now }
		log, people := slog.New(slog.DiscardHandler), demotest.Staff(t, db)
		g, err := demodata.New(demodata.Deps{DB: db, Staff: people, Now: clock, Log: log}, demodata.Plan{Sales: 4000, Days: 40, Shops: 2, Seed: 4})
		require.NoError(t, err)
		require.NoError(t, g.Generate(t.Context()))
		sums := report.New(report.Deps{DB: db, Now: clock})
		require.NoError(t, sums.Refresh(t.Context()))
		shops, err := people.Shops(t.Context())
		require.NoError(t, err)

		var sold []struct {
			RecordedAt time.Time
			Micros     int64
		}
		require.NoError(t, db.Read(t.Context()).Raw(`SELECT recorded_at, actual_send_micros + actual_dist_micros - commission_micros AS micros FROM sales WHERE fulfilment = 'complete'`).Scan(&sold).Error)
		days := forecast.Days{}
		days.Today = len(days.Spent) - 1
		today := report.DayOf(now, zone)
		for _, s := range sold {
			if day := days.Today - int(today-report.DayOf(s.RecordedAt, zone)); day >= 0 {
				days.Spent[day][s.RecordedAt.In(zone).Hour()] += s.Micros
			}
		}
		f := forecast.New(forecast.Deps{Report: sums, Now: clock})
		for _, float := range []string{"300", "2500", "1000000"} {
			balance := money.MustParse(float, "EUR")
			told, err := f.Runway(t.Context(), shops, zone, balance)
			require.NoError(t, err)
			require.Equal(t, forecast.Predict(now, balance.Micros(), days), told)
			require.True(t, told.Known)
			require.Positive(t, told.Trials)
			require.Positive(t, told.Error)
		}

		// What changes of days that are over goes unseen for an hour, of today never.
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Exec(`UPDATE rollups SET send_micros = 2 * send_micros, dist_micros = 2 * dist_micros,
				commission_micros = 2 * commission_micros WHERE cube = 'hours' AND level = 'day'`).Error
		}))
		balance := money.MustParse("2500", "EUR")
		predict := func(factor func(day int) int64) forecast.Runway {
			doubled := days
			for day := range doubled.Spent {
				for hour := range doubled.Spent[day] {
					doubled.Spent[day][hour] *= factor(day)
				}
			}
			return forecast.Predict(now, balance.Micros(), doubled)
		}
		for _, later := range []time.Duration{0, time.Hour} {
			now = now.Add(later)
			_, err := f.Runway(t.Context(), shops, time.UTC, balance) // whoever asks elsewhere has no part in it
			require.NoError(t, err)
			told, err := f.Runway(t.Context(), shops, zone, balance)
			require.NoError(t, err)
			require.Equal(t, predict(func(day int) int64 {
				if day == days.Today || later > 0 {
					return 2
				}
				return 1
			}), told)
		}
	})
}
