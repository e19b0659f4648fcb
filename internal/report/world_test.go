package report_test

import (
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/harness/demodata"
	"airtill/internal/report"
	"airtill/internal/staff"
	"airtill/internal/staff/stafftest"
	"airtill/internal/store"
)

// evening is a Saturday's, after the last sale of the day in Dublin.
var evening = time.Date(2026, 3, 14, 22, 30, 0, 0, time.UTC)

// world is a database with invented trade.
type world struct {
	t      *testing.T
	db     *store.DB
	staff  *staff.Service
	report *report.Service
	shops  []string

	mu  sync.Mutex
	now time.Time
}

func newWorld(t *testing.T, db *store.DB, plan demodata.Plan) *world {
	t.Helper()
	w := &world{t: t, db: db, now: evening}
	log := slog.New(slog.DiscardHandler)
	var err error
	w.staff = staff.New(staff.Deps{DB: db, Now: w.clock, Audit: audit.New(audit.Deps{DB: db, Now: w.clock, Log: log}), Log: log, Hashing: stafftest.Hashing()})
	w.report = report.New(report.Deps{DB: db, Now: w.clock})
	generator, err := demodata.New(demodata.Deps{DB: db, Staff: w.staff, Now: w.clock, Log: log}, plan)
	require.NoError(t, err)
	require.NoError(t, generator.Generate(t.Context()))
	shops, err := w.staff.Shops(t.Context())
	require.NoError(t, err)
	for _, shop := range shops {
		w.shops = append(w.shops, shop.ID)
	}
	return w
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// lines reads every row of a query as text, in order.
func (w *world) lines(query string, args ...any) []string {
	w.t.Helper()
	var rows []map[string]any
	require.NoError(w.t, w.db.Read(w.t.Context()).Raw(query, args...).Scan(&rows).Error)
	return sorted(w.t, rows)
}

func (w *world) sums(q report.Query) []report.Row {
	w.t.Helper()
	if q.Shops == nil {
		q.Shops = w.shops
	}
	rows, err := w.report.Sums(w.t.Context(), q)
	require.NoError(w.t, err)
	return rows
}

// whole adds up rows in one currency.
func whole(rows []report.Row) report.Measures {
	var m report.Measures
	for _, row := range rows {
		m.Add(row.Measures)
	}
	return m
}

func day(t *testing.T, text string) report.Day {
	t.Helper()
	d, err := report.ParseDay(text)
	require.NoError(t, err)
	return d
}

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return at
}
