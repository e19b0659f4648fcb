package chaos

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	_ "modernc.org/sqlite"             // the driver sqlite
)

// books reads the till's database, as an auditor does.
type books struct{ db *sql.DB }

func (w *world) openBooks() (*books, error) {
	if w.options.DB == sqliteDB {
		return w.openFile("mode=ro&_pragma=busy_timeout(5000)")
	}
	return openWith("pgx", w.postgres.URL("airtill"))
}

// openFile opens the SQLite file in a way.
func (w *world) openFile(how string) (*books, error) {
	return openWith("sqlite", "file:"+(&url.URL{Path: w.sqlitePath()}).EscapedPath()+"?"+how)
}

func openWith(driver, name string) (*books, error) {
	db, err := sql.Open(driver, name)
	if err != nil {
		return nil, fmt.Errorf("open the books: %w", err)
	}
	return &books{db}, nil
}

func (b *books) close() { _ = b.db.Close() } // only read

// texts reads a query of one column.
func (b *books) texts(ctx context.Context, query string, args ...any) ([]string, error) {
	return rows(ctx, b, func(scan func(...any) error) (text string, err error) { return text, scan(&text) }, query, args...)
}

func (b *books) number(ctx context.Context, query string, args ...any) (n int64, err error) {
	return n, b.db.QueryRowContext(ctx, query, args...).Scan(&n)
}

// rows reads every row of a query.
func rows[T any](ctx context.Context, b *books, read func(scan func(...any) error) (T, error), query string, args ...any) ([]T, error) {
	found, err := b.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read the books: %w", err)
	}
	defer func() { _ = found.Close() }() // Err has told
	var all []T
	for found.Next() {
		one, err := read(found.Scan)
		if err != nil {
			return nil, fmt.Errorf("read the books: %w", err)
		}
		all = append(all, one)
	}
	return all, found.Err()
}

// newest is the id of the newest sale.
func (b *books) newest(ctx context.Context) (id string, err error) {
	return id, b.db.QueryRowContext(ctx, "SELECT COALESCE(MAX(id), '') FROM sales").Scan(&id)
}

const openStates = "('recorded','sending','unknown','submitted','processing','cancelling')"

// notEnded are the sales up to an id that have not ended, or that owe the customer
// something.
func (b *books) notEnded(ctx context.Context, until string) ([]string, error) {
	return b.texts(ctx, "SELECT id FROM sales WHERE id <= $1 AND "+notEnded, until)
}

// unsettled are all those, and those that the upstream owes something for.
func (b *books) unsettled(ctx context.Context) ([]string, error) {
	return b.texts(ctx, "SELECT id FROM sales WHERE "+notEnded+" OR receivable_micros <> 0")
}

const notEnded = "(fulfilment IN " + openStates + " OR cash IN ('taken','refund_due') OR reversal_seen_at IS NOT NULL)"

// unsettledIn counts the sales in some states.
func (b *books) unsettledIn(ctx context.Context, states ...string) (int, error) {
	n, err := b.number(ctx, "SELECT COUNT(*) FROM sales WHERE fulfilment IN ('"+strings.Join(states, "','")+"')")
	return int(n), err
}

// judged says whether the newest balance was told since a time, and compared with
// the books for good: what a sale in doubt explains is looked up, and judged again.
func (b *books) judged(ctx context.Context, since time.Time) (bool, error) {
	n, err := b.number(ctx, `SELECT COUNT(*) FROM upstream_balances WHERE asked_at > $1 AND verdict IN ('agrees', 'confirmed')
		AND id = (SELECT MAX(id) FROM upstream_balances WHERE judged_at IS NOT NULL)`, since.UTC().Truncate(time.Microsecond))
	return n > 0, err
}

// latest tells of the last balances what became of them, what is owed, and which
// differences are open.
func (b *books) latest(ctx context.Context) error {
	told, err := b.texts(ctx, `SELECT * FROM (SELECT 'balance ' || COALESCE(verdict, '') || ' ' || CAST(difference_micros AS TEXT) || ' ' || open_set
			FROM upstream_balances ORDER BY id DESC LIMIT 5) AS balances
		UNION ALL SELECT 'owed ' || id || ' ' || CAST(receivable_micros AS TEXT) FROM sales WHERE receivable_micros <> 0
		UNION ALL SELECT 'difference ' || kind || ' ' || subject || ' ' || CAST(float_micros AS TEXT) FROM breaks WHERE state <> 'resolved'`)
	return errors.Join(err, errors.New(strings.Join(told, "; ")))
}

// due counts the sales that the till should look at by now.
func (b *books) due(ctx context.Context, now time.Time) (int, error) {
	n, err := b.number(ctx, "SELECT COUNT(*) FROM sales WHERE next_check_at <= $1", now.UTC().Truncate(time.Microsecond))
	return int(n), err
}

// byNumber is the newest sale of each account number.
func (b *books) byNumber(ctx context.Context) (map[string]string, error) {
	type pair struct{ number, sale string }
	all, err := rows(ctx, b, func(scan func(...any) error) (p pair, err error) { return p, scan(&p.number, &p.sale) },
		"SELECT account_number, MAX(id) FROM sales GROUP BY account_number")
	sales := map[string]string{}
	for _, p := range all {
		sales[p.number] = p.sale
	}
	return sales, err
}

// soldRow is a sale as the till has it.
type soldRow struct {
	ID, Key, Fulfilment, Cash, Mode, Shift, Till string
	Price                                        int64
	Practice                                     bool
	Permits, Attempts                            int
}

func (b *books) sales(ctx context.Context) ([]soldRow, error) {
	return rows(ctx, b, func(scan func(...any) error) (s soldRow, err error) {
		return s, scan(&s.ID, &s.Key, &s.Fulfilment, &s.Cash, &s.Mode, &s.Shift, &s.Till, &s.Price, &s.Practice, &s.Permits, &s.Attempts)
	}, "SELECT id, idempotency_key, fulfilment, cash, processing_mode, shift_id, till_id, price_micros, practice, permits, attempt FROM sales ORDER BY id")
}

// attempts are the refs of every sale.
func (b *books) attempts(ctx context.Context) (map[string][]string, error) {
	type pair struct{ sale, ref string }
	all, err := rows(ctx, b, func(scan func(...any) error) (p pair, err error) { return p, scan(&p.sale, &p.ref) },
		"SELECT sale_id, ref FROM attempts ORDER BY sale_id, number")
	refs := map[string][]string{}
	for _, p := range all {
		refs[p.sale] = append(refs[p.sale], p.ref)
	}
	return refs, err
}

// moved is a line of a sale's history.
type moved struct {
	Sale, Cause, Was, Became string
	At                       time.Time
}

func (m moved) final() bool {
	for _, state := range []string{"complete/", "failed/", "cancelled/", "voided/"} {
		if strings.HasPrefix(m.Became, state) {
			return true
		}
	}
	return false
}

func (b *books) history(ctx context.Context) (map[string][]moved, error) {
	all, err := rows(ctx, b, func(scan func(...any) error) (m moved, err error) {
		return m, scan(&m.Sale, &m.Cause, &m.Was, &m.Became, &m.At)
	}, "SELECT sale_id, cause, was, became, at FROM sale_events ORDER BY sale_id, seq")
	history := map[string][]moved{}
	for _, m := range all {
		history[m.Sale] = append(history[m.Sale], m)
	}
	return history, err
}

// incidents are the kinds of incident of each sale.
func (b *books) incidents(ctx context.Context) (map[string][]string, error) {
	type pair struct{ sale, kind string }
	all, err := rows(ctx, b, func(scan func(...any) error) (p pair, err error) { return p, scan(&p.sale, &p.kind) }, "SELECT sale_id, kind FROM incidents")
	kinds := map[string][]string{}
	for _, p := range all {
		kinds[p.sale] = append(kinds[p.sale], p.kind)
	}
	return kinds, err
}

// balances are the sums of all postings, by account.
func (b *books) balances(ctx context.Context) (map[string]int64, error) {
	return b.sumsOf(ctx, "SELECT account, CAST(SUM(micros) AS BIGINT) FROM postings GROUP BY account")
}

// tills are the tills of the shop by number.
func (c *crew) tills(ctx context.Context) ([]string, error) {
	b, err := c.openBooks()
	if err != nil {
		return nil, err
	}
	defer b.close()
	return b.texts(ctx, "SELECT id FROM tills ORDER BY number")
}

// drawers are what the books say each till's drawer holds, by till.
func (b *books) drawers(ctx context.Context) (map[string]int64, error) {
	return b.sumsOf(ctx, "SELECT s.till_id, CAST(SUM(p.micros) AS BIGINT) FROM postings p JOIN shifts s ON p.account = '1000:' || s.id GROUP BY s.till_id")
}

func (b *books) sumsOf(ctx context.Context, query string) (map[string]int64, error) {
	type pair struct {
		name   string
		micros int64
	}
	all, err := rows(ctx, b, func(scan func(...any) error) (p pair, err error) { return p, scan(&p.name, &p.micros) }, query)
	sums := map[string]int64{}
	for _, p := range all {
		sums[p.name] = p.micros
	}
	return sums, err
}

// How often the till sweeps, or would not be late to, and asks for the balance
// and the records.
const (
	sweepEvery = 5 * time.Second
	jobsEvery  = 5 * time.Minute
)

// nudge has the jobs run that the till runs every so often: time passes faster,
// but its timers do not.
func (c *crew) nudge(ctx context.Context) {
	c.sweep(ctx)
	if now := c.clock.now(); now.Sub(c.nudged) >= jobsEvery {
		c.nudged = now
		c.insertJobs(ctx, "reconcile.balance", "reconcile.records")
	}
}

// sweep is nudge for what is due alone.
func (c *crew) sweep(ctx context.Context) {
	if now := c.clock.now(); now.Sub(c.swept) >= sweepEvery {
		c.swept = now
		c.insertJobs(ctx, "followup.sweep")
	}
}

// keepLooking has the records looked at while everything goes wrong: a shop sells
// in hours what the robots sell in a minute, and the list reaches back six
// hundred transfers.
func (c *crew) keepLooking(ctx context.Context) {
	for sleep(ctx, lookEvery) {
		if !c.selling.Load() {
			continue // in the backlog, nothing but what is due may use up the limit
		}
		c.insertJobs(ctx, "reconcile.records")
	}
}

const lookEvery = 20 * time.Second

// insertJobs asks for jobs, of each kind one if none waits: a slow machine would
// have sweeps queue up before the balance. The database may just be away.
func (w *world) insertJobs(ctx context.Context, kinds ...string) {
	if err := w.tryJobs(ctx, kinds); err != nil {
		w.note("nudge", err)
	}
}

func (w *world) tryJobs(ctx context.Context, kinds []string) error {
	open := w.openBooks
	if w.options.DB == sqliteDB {
		open = func() (*books, error) { return w.openFile("_txlock=immediate&_pragma=busy_timeout(10000)") }
	}
	b, err := open()
	if err != nil {
		return err
	}
	defer b.close()
	for _, kind := range kinds {
		if _, err := b.db.ExecContext(ctx, `INSERT INTO river_job (kind, args, max_attempts) SELECT CAST($1 AS TEXT), '{}', 1
			WHERE NOT EXISTS (SELECT 1 FROM river_job WHERE kind = $1 AND state = 'available')`, kind); err != nil {
			return err
		}
	}
	return nil
}
