package health

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/alert"
	"airtill/internal/audit"
	"airtill/internal/harness/storetest"
	"airtill/internal/jobs"
	"airtill/internal/ledger"
	"airtill/internal/limit"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
	"airtill/internal/signal"
	"airtill/internal/staff"
	"airtill/internal/staff/stafftest"
	"airtill/internal/store"
)

func TestManyForgedWebhooksAreToldOfOnceAndFallQuiet(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	s := New(Deps{Now: time.Now})
	s.d.Sales = sales.New(sales.Deps{DB: db, Bus: signal.NewMemory(), Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	alerts := alert.New(alert.Deps{
		DB: db, Now: time.Now, Log: slog.New(slog.DiscardHandler), WebhookURL: "http://127.0.0.1:1", Words: func(rule string, _ alert.Tier, _ []string) string { return rule },
		Rules: []alert.Rule{{Name: alert.WebhookStorm, Look: s.webhookStorm}},
	})
	refuse := func(ago time.Duration, counts map[string]int) {
		var all []sales.Refused
		for reason, n := range counts {
			all = append(all, sales.Refused{Reason: reason, Count: n, LastAt: time.Now().Add(-ago)})
		}
		require.NoError(t, s.d.Sales.NoteRefused(t.Context(), all))
	}
	age := func(by time.Duration) {
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			if err := tx.Exec("DELETE FROM webhook_refusals").Error; err != nil {
				return err
			}
			return tx.Exec("INSERT INTO webhook_refusals (minute, reason, count) VALUES (?, 'malformed', 500)", time.Now().Add(-by).Truncate(time.Minute)).Error
		}))
	}
	told := func() (n int64) {
		require.NoError(t, alerts.Look(t.Context()))
		require.NoError(t, db.Read(t.Context()).Table("alert_messages").Count(&n).Error)
		return n
	}
	refuse(20*time.Minute, map[string]int{"late": stormAtLeast - 1})
	refuse(0, map[string]int{"late": 1})
	require.Zero(t, told(), "that many, but not in a short time")
	refuse(0, map[string]int{"no_keys": 500, "busy": 500, "unavailable": 500})
	require.Zero(t, told(), "what this side could not take was not forged")
	for range 3 {
		refuse(0, map[string]int{"bad_signature": 500, "malformed": 2})
		require.EqualValues(t, 1, told(), "once, not for each")
	}
	open, err := alerts.Open(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"1536", "bad_signature 1500, late 30, malformed 6"}, open[0].Facts)

	age(stormWithin + stormOver - 2*time.Minute)
	require.EqualValues(t, 1, told(), "it may come again")
	age(stormWithin + stormOver + time.Minute)
	require.EqualValues(t, 2, told(), "it is over")
	open, err = alerts.Open(t.Context())
	require.NoError(t, err)
	require.Empty(t, open)
}

// TestAWrongClockIsToldOf from the minute on by which sign-in codes are refused.
func TestAWrongClockIsToldOf(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	s := New(Deps{Now: time.Now, Processes: jobs.NewProcesses(db, "here", time.Now)})
	for ahead, minutes := range map[time.Duration][]string{
		clockWrong - time.Millisecond: nil, clockWrong: {"1"}, -61*time.Minute - 30*time.Second: {"61"},
	} {
		s.d.Processes.Ahead = func() time.Duration { return ahead }
		require.NoError(t, s.d.Processes.Beat(t.Context()))
		tier, facts, err := s.wrongClock(t.Context())
		require.NoError(t, err)
		require.Equal(t, minutes, facts)
		require.Equal(t, minutes != nil, tier == alert.Warning)
	}
}

// TestADamagedFileIsToldOf once somebody has come upon the damage, in what can still be written.
func TestADamagedFileIsToldOf(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.Damaged(t, "drawer_months"))
	s := New(Deps{DB: db, Now: time.Now})
	tier, _, err := s.damagedFile(t.Context())
	require.NoError(t, err)
	require.Equal(t, alert.Fine, tier)
	_, err = store.Value[int](db.Read(t.Context()).Raw("SELECT COUNT(*) FROM drawer_months NOT INDEXED"))
	require.Error(t, err)

	alerts := alert.New(alert.Deps{
		DB: db, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Rules: []alert.Rule{{Name: alert.DamagedFile, Look: s.damagedFile}},
		Words: func(rule string, _ alert.Tier, _ []string) string { return rule },
	})
	require.NoError(t, alerts.Look(t.Context()))
	open, err := alerts.Open(t.Context())
	require.NoError(t, err)
	require.Len(t, open, 1)
	require.Equal(t, alert.DamagedFile, open[0].Rule)
	require.Equal(t, alert.Critical, open[0].Tier)
}

func TestAStormIsManyWithinAShortTime(t *testing.T) {
	t.Parallel()
	minute := func(m, count int) sales.RefusedNotices {
		return sales.RefusedNotices{Minute: time.Date(2026, 3, 1, 12, m, 0, 0, time.UTC), Count: count}
	}
	require.False(t, storm(nil))
	require.False(t, storm([]sales.RefusedNotices{minute(0, 29)}))
	require.True(t, storm([]sales.RefusedNotices{minute(0, 30)}))
	require.True(t, storm([]sales.RefusedNotices{minute(0, 1), minute(5, 15), minute(14, 15)}))
	require.False(t, storm([]sales.RefusedNotices{minute(0, 1), minute(5, 15), minute(15, 15)}))
}

// TestWhatIsWorseIsToldMoreUrgently: the float by whether selling has stopped and by how
// long it lasts, differences by the age of the oldest.
func TestWhatIsWorseIsToldMoreUrgently(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	clock, log := time.Now, slog.New(slog.DiscardHandler)
	book := ledger.New(ledger.Deps{DB: db})
	s := New(Deps{Now: time.Now})
	s.d.Sales = sales.New(sales.Deps{DB: db, Bus: signal.NewMemory(), Now: clock, Log: log})
	s.d.Limits = limit.New(limit.Deps{DB: db, Now: clock, Log: log})
	s.d.Reconcile = reconcile.New(reconcile.Deps{DB: db, Sales: s.d.Sales, Ledger: book, Now: clock, Log: log})
	exec := func(sql string, args ...any) {
		t.Helper()
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Exec(sql, args...).Error }))
	}
	is := func(look func(context.Context) (alert.Tier, []string, error), want alert.Tier, facts ...string) {
		t.Helper()
		tier, got, err := look(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, tier)
		require.Equal(t, facts, got)
	}

	is(s.floatLow, alert.Fine)
	exec("INSERT INTO upstream_balances (id, asked_at, told_at, micros, currency, open_sales) VALUES ('1', ?, ?, 80500000, 'EUR', 0)", time.Now(), time.Now())
	is(s.floatLow, alert.Fine)
	for kind, tier := range map[sales.IncidentKind]alert.Tier{sales.LowFloat: alert.Warning, sales.NoFloat: alert.Critical} {
		exec("INSERT INTO incidents (id, kind, sale_id, note, micros, currency, at, closed_by) VALUES (?, ?, '', '', 80500000, 'EUR', ?, '')", kind, kind, time.Now())
		is(s.floatLow, tier, "80.50 EUR")
		exec("DELETE FROM incidents")
	}

	var err error
	s.d.Staff = staff.New(staff.Deps{DB: db, Now: clock, Audit: audit.New(audit.Deps{DB: db, Now: clock, Log: log}), Log: log, Hashing: stafftest.Hashing()})
	main, _, err := s.d.Staff.CreateShop(t.Context(), audit.Command("test"), staff.NewShop{Name: "Main Street", Zone: "UTC", Country: "IE", Currency: "EUR", Tills: 1})
	require.NoError(t, err)
	exec("INSERT INTO sale_limits (shop_id, subject, period, measure, currency, most) VALUES (?, 'float', 'each', 'amount', 'EUR', 80500000)", main.ID)
	is(s.floatReserve, alert.Fine)
	exec("UPDATE sale_limits SET most = 80500001 WHERE shop_id = ?", main.ID)
	is(s.floatReserve, alert.Warning, "80.50 EUR", "Main Street")

	require.Equal(t, alert.Critical, runwayTier(runwayShort-time.Minute))
	require.Equal(t, alert.Warning, runwayTier(runwayShort))
	require.Equal(t, alert.Warning, runwayTier(runwaySoon-time.Minute))
	require.Equal(t, alert.Fine, runwayTier(runwaySoon))

	is(s.breaksOpen, alert.Fine)
	for i, days := range []int{0, breaksOld - 1, breaksOld} {
		found := time.Now().Add(-time.Duration(days)*24*time.Hour - time.Minute)
		b := reconcile.Break{ID: fmt.Sprint(i), Kind: reconcile.BalanceDown, Subject: fmt.Sprint(i), Currency: "EUR", Evidence: "{}", State: reconcile.Open, FoundAt: found, SeenAt: found}
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Create(&b).Error }))
		tier := alert.Warning
		if days == breaksOld {
			tier = alert.Critical
		}
		is(s.breaksOpen, tier, fmt.Sprint(i+1), fmt.Sprint(days))
	}
}
