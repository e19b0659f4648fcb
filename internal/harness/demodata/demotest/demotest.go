// Package demotest gives a benchmark a database with invented trade.
package demotest

import (
	"log/slog"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/harness/demodata"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/staff/stafftest"
	"airtill/internal/store"
)

// Now is until when the trade of Open goes.
var Now = time.Date(2026, 3, 14, 23, 0, 0, 0, time.UTC)

// few is how many sales a benchmark has unless it is told otherwise.
const few = 2000

// Open returns a database with as many invented sales as BENCH_SALES says, a few
// without it, in 50 shops over so many days up to Now. BENCH_DATABASE_URL names one
// that has its sales already ("web seed" makes them): for a million of them, which
// take longer to write than to measure.
func Open(b *testing.B, days int) *store.DB {
	b.Helper()
	if url := os.Getenv("BENCH_DATABASE_URL"); url != "" {
		return storetest.Open(b, url)
	}
	amount := few
	if text := os.Getenv("BENCH_SALES"); text != "" {
		var err error
		amount, err = strconv.Atoi(text)
		require.NoError(b, err)
	}
	db := storetest.New(b)
	g, err := demodata.New(demodata.Deps{DB: db, Staff: Staff(b, db), Now: Clock, Log: slog.New(slog.DiscardHandler)}, demodata.Plan{Sales: amount, Days: days, Shops: 50, Seed: 1})
	require.NoError(b, err)
	require.NoError(b, g.Generate(b.Context()))
	return db
}

// Clock says Now.
func Clock() time.Time { return Now }

// Staff returns the people of a database, with passwords that cost little.
func Staff(t testing.TB, db *store.DB) *staff.Service {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	return staff.New(staff.Deps{DB: db, Now: Clock, Audit: audit.New(audit.Deps{DB: db, Now: Clock, Log: log}), Log: log, Hashing: stafftest.Hashing()})
}
