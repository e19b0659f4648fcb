package demodata_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/demodata"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/staff/stafftest"
	"airtill/internal/store"
	"airtill/internal/till"
)

var now = time.Date(2026, 3, 14, 16, 30, 0, 0, time.UTC)

func deps(t testing.TB, db *store.DB) demodata.Deps {
	t.Helper()
	clock, log := func() time.Time { return now }, slog.New(slog.DiscardHandler)
	office := staff.New(staff.Deps{DB: db, Now: clock, Audit: audit.New(audit.Deps{DB: db, Now: clock, Log: log}), Log: log, Hashing: stafftest.Hashing()})
	return demodata.Deps{DB: db, Staff: office, Now: clock, Log: log}
}

func count(t *testing.T, db *store.DB, query string, args ...any) (n int64) {
	t.Helper()
	require.NoError(t, db.Read(t.Context()).Raw(query, args...).Scan(&n).Error)
	return n
}

func TestInventedTradeIsWholeAndBalanced(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		g, err := demodata.New(deps(t, db), demodata.Plan{Sales: 700, Days: 21, Shops: 3, Seed: 1})
		require.NoError(t, err)
		require.NoError(t, g.Generate(t.Context()))
		require.EqualValues(t, 700, count(t, db, "SELECT COUNT(*) FROM sales"))
		require.Zero(t, count(t, db, "SELECT COUNT(*) FROM attempts JOIN installations ON substr(ref, 1, 4) = code"), "what nobody sent bears no till's code")
		require.Zero(t, count(t, db, "SELECT COUNT(*) FROM sales WHERE recorded_at > ?", now))
		require.Zero(t, count(t, db, "SELECT COUNT(*) FROM sales WHERE fulfilment NOT IN ('complete', 'failed', 'voided') OR cash NOT IN ('earned', 'refunded')"))
		require.Zero(t, count(t, db, "SELECT COUNT(*) FROM (SELECT journal FROM postings GROUP BY journal, currency HAVING SUM(micros) <> 0) AS wrong"))
		require.Zero(t, count(t, db, "SELECT COUNT(*) FROM (SELECT account FROM postings WHERE account IN ('1100', '1110', '1120', '1130', '2000', '2010') GROUP BY account, currency HAVING SUM(micros) <> 0) AS open"))
		require.Zero(t, count(t, db, `SELECT COUNT(*) FROM shifts s WHERE s.counted_micros IS NOT NULL
			AND (SELECT SUM(micros) FROM postings WHERE account = '1000:' || s.id) <> 0`))
		require.Zero(t, count(t, db, "SELECT COUNT(*) FROM shifts WHERE seat_at IS NULL OR seat_by <> cashier_id"))
		off := count(t, db, "SELECT COUNT(*) FROM drawer_counts WHERE counted_micros <> expected_micros")
		require.Positive(t, off)
		require.Equal(t, off, count(t, db, "SELECT COUNT(*) FROM postings p JOIN shifts s ON p.journal = 'shift/' || s.id || '/close/J17' WHERE p.account = '5910'"), "booked as a till books it")
		offences, shifts, err := till.New(till.Deps{DB: db}).Verify(t.Context())
		require.NoError(t, err)
		require.Empty(t, offences)
		require.Greater(t, shifts, int64(100))
		require.Zero(t, count(t, db, "SELECT COUNT(*) FROM sales s WHERE s.events <> (SELECT COUNT(*) FROM sale_events WHERE sale_id = s.id)"))
		failed := count(t, db, "SELECT COUNT(*) FROM sales WHERE fulfilment = 'failed'")
		require.Greater(t, failed, int64(7))
		require.Less(t, failed, int64(70))

		again, err := demodata.New(deps(t, db), demodata.Plan{Sales: 1, Days: 1, Shops: 1})
		require.NoError(t, err)
		require.Equal(t, fault.Conflict, fault.KindOf(again.Generate(t.Context())))
	})
}

func TestPlansThatAreNone(t *testing.T) {
	t.Parallel()
	for _, p := range []demodata.Plan{{}, {Sales: 1, Days: 1}, {Sales: -1, Days: 1, Shops: 1}, {Sales: 1, Days: 100000, Shops: 1}} {
		_, err := demodata.New(demodata.Deps{}, p)
		require.Equal(t, fault.Invalid, fault.KindOf(err))
	}
}
