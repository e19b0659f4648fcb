package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// counts is what a till has asked of PostgreSQL and of the upstream.
type counts struct {
	transactions, statements, trips, calls int64
}

func (c counts) minus(o counts) counts {
	return counts{c.transactions - o.transactions, c.statements - o.statements, c.trips - o.trips, c.calls - o.calls}
}

// What a till does by the clock: its scheduled jobs run first some seconds after its start, what it remembers of a sale
// is written a moment after it, and what it asks anyway returns every few seconds.
const (
	firstJobs  = 7 * time.Second
	afterwards = time.Second
	atRest     = 10 * time.Second
)

// countSales makes some sales, and returns what each asked. What the till asks anyway is
// taken away: a time without sales follows, and counts it.
func (t *till) countSales(ctx context.Context, sales int, w *wire) (s perSale, err error) {
	before, err := t.counts(ctx, w)
	if err != nil {
		return s, err
	}
	began := time.Now()
	if _, err := t.sell(ctx, 1, sales); err != nil { // one by one, so that no stream waits for the others
		return s, err
	}
	sleep(ctx, afterwards)
	busy := time.Since(began)
	after, err := t.counts(ctx, w)
	if err != nil {
		return s, err
	}
	began = time.Now()
	sleep(ctx, atRest)
	idle := time.Since(began)
	later, err := t.counts(ctx, w)
	if err != nil {
		return s, err
	}
	asked, anyway := after.minus(before), later.minus(after)
	each := func(n, idly int64) float64 {
		return (float64(n) - float64(idly)*busy.Seconds()/idle.Seconds()) / float64(sales)
	}
	return perSale{
		transactions: each(asked.transactions, anyway.transactions),
		statements:   each(asked.statements, anyway.statements),
		trips:        each(asked.trips, anyway.trips),
		calls:        each(asked.calls, anyway.calls),
	}, nil
}

// perSale is what one sale asks.
type perSale struct{ transactions, statements, trips, calls float64 }

func (t *till) counts(ctx context.Context, w *wire) (c counts, err error) {
	db, err := t.open()
	if err != nil {
		return c, err
	}
	defer func() { _ = db.Close() }() // only read
	const statements = `SELECT COALESCE(SUM(calls), 0) FROM pg_stat_statements JOIN pg_database d ON d.oid = dbid
		WHERE datname = current_database() AND query !~* '^(begin|commit|rollback|start)' AND query NOT LIKE '%pg_stat_%'`
	if err := db.QueryRowContext(ctx, statements).Scan(&c.statements); err != nil {
		return c, err
	}
	c.trips, c.transactions = w.trips.Load(), w.transactions.Load()
	calls, err := t.console.Calls(ctx)
	if err != nil {
		return c, fmt.Errorf("count the upstream's calls: %w", err)
	}
	for _, n := range calls.Counts {
		c.calls += int64(n)
	}
	return c, nil
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// throughWire counts sales while the till reaches its database through a wire.
func (t *till) throughWire(ctx context.Context, sales int) (s perSale, err error) {
	dir := filepath.Join(t.dir, "wire")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return s, err
	}
	w, err := newWire(dir, t.postgres.Socket())
	if err != nil {
		return s, err
	}
	defer w.close()
	if err := t.stop(); err != nil {
		return s, err
	}
	if err := t.start(ctx, "DATABASE_URL=postgres://airtill@/"+t.name+"?host="+dir); err != nil {
		return s, err
	}
	if _, err := t.sell(ctx, 4, t.people); err != nil { // everybody has sold, and every session has its statements
		return s, err
	}
	sleep(ctx, firstJobs) // every scheduled job has run once, in sessions that it may have opened
	return t.countSales(ctx, sales, w)
}
