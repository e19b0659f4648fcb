package report_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/report"
	"airtill/internal/store"
)

// BenchmarkQuestions is how long the questions behind every report page take, on
// the database that BENCH_DATABASE_URL names: one that web seed has filled. It
// tells the 95th percentile over all of them, and the slowest.
func BenchmarkQuestions(b *testing.B) {
	url := os.Getenv("BENCH_DATABASE_URL")
	if url == "" {
		b.Skip("BENCH_DATABASE_URL names no database; fill one with web seed --bare")
	}
	db, err := store.Open(b.Context(), url)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, db.Close()) })
	s := report.New(report.Deps{DB: db, Now: time.Now})
	questions := questions(b, db)
	ask := func(q report.Query) time.Duration {
		began := time.Now()
		_, err := s.Sums(b.Context(), q)
		require.NoError(b, err)
		return time.Since(began)
	}
	for _, q := range questions { // once, so that the database has them in memory
		ask(q.Query)
	}
	var took []time.Duration
	slowest, which := time.Duration(0), ""
	for b.Loop() {
		for _, q := range questions {
			t := ask(q.Query)
			if took = append(took, t); t > slowest {
				slowest, which = t, q.name
			}
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
	b.ReportMetric(float64(slowest.Microseconds())/1000, "slowest-ms")
	b.Log("slowest:", which)
}

type question struct {
	report.Query
	name string
}

// questions are every grouping over a day, a month and a year, for all shops and
// for one.
func questions(b *testing.B, db *store.DB) []question {
	b.Helper()
	var shops []string
	require.NoError(b, db.Read(b.Context()).Raw("SELECT id FROM shops ORDER BY id").Scan(&shops).Error)
	today := report.DayOf(time.Now(), time.UTC)
	var all []question
	for _, by := range []report.Dimension{
		report.ByShop, report.ByDay, report.ByMonth, report.BySlot, report.ByCountry, report.ByProvider, report.ByKind, report.ByProduct, report.ByTill, report.ByCashier, report.ByReason,
	} {
		for _, days := range []report.Day{1, 28, 365} {
			if by == report.ByDay && days > report.MostDaysByDay {
				continue
			}
			for _, some := range [][]string{shops, shops[:1]} {
				q := report.Query{Shops: some, From: today - days + 1, To: today + 1, By: []report.Dimension{by}}
				all = append(all, question{q, fmt.Sprintf("%s over %d days in %d shops", by, days, len(some))})
			}
		}
	}
	return all
}
