package bench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"airtill/internal/harness/stage"
)

// catalogue is the tables that a full synchronisation writes.
var catalogue = []string{
	"countries", "currencies", "regions", "providers", "provider_statuses", "products", "product_texts", "promotions",
	"promotion_texts", "error_texts",
}

// rowsAtOnce is how many rows one INSERT of the limit writes; PostgreSQL takes 65,535 values.
const rowsAtOnce = 1000

// sync sets a first synchronisation beside the same rows by multi-row INSERT, and what
// pages take while everything is synchronised again beside what they take without.
func (r *run) sync(ctx context.Context) error {
	r.on = onPostgres
	t, err := r.services.newTillOf(ctx, "sync", onPostgres, storedPeople, r.listed, nil)
	defer t.close()
	if err != nil {
		return err
	}
	boss := stage.NewBrowser(t.url)
	_, err = t.run(ctx, "user", "add", "--username", "boss", "--role", "admin")
	if err := errors.Join(err, t.start(ctx), t.arrive(ctx), boss.SignIn(ctx, "boss", password)); err != nil {
		return err
	}
	db, err := t.open()
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // what was to be written is committed
	first, err := synced(ctx, db, time.Time{})
	if err != nil {
		return err
	}
	limit, rows, err := insertAgain(ctx, db)
	if err != nil {
		return err
	}
	r.value(fmt.Sprintf("first synchronisation of %d products, %d rows", r.listed, rows), first.Seconds(), "s").
		of(limit.Seconds()).
		atMost(2)
	if _, err := t.sell(ctx, 1, r.alone/2); err != nil { // warm
		return err
	}
	alone, err := t.sell(ctx, 2, r.alone)
	if err != nil {
		return err
	}
	beside, err := t.sellWhileSyncing(ctx, db, boss)
	if err != nil {
		return err
	}
	r.say("  %d sales were made while everything was synchronised", beside.sales)
	r.value("p99 of a page while everything is synchronised", quantile(beside.each4(), 0.99), "ms").
		of(quantile(alone.each4(), 0.99)).
		atMost(1.5)
	return nil
}

// each4 is how long each page of each sale took, in milliseconds.
func (r round) each4() (all []float64) {
	for i := range pages {
		all = append(all, r.page(i)...)
	}
	return all
}

// sellWhileSyncing has two cashiers sell while every row of the catalogue is written anew:
// its hash says that it was something else.
func (t *till) sellWhileSyncing(ctx context.Context, db *sql.DB, boss *stage.Browser) (round, error) {
	for _, table := range catalogue {
		_, err := db.ExecContext(ctx, "UPDATE "+table+" SET hash = 'another'") //nolint:gosec // a name from above
		if err != nil {
			return round{}, err
		}
	}
	page, err := boss.Get(ctx, "/admin/catalogue")
	if err != nil {
		return round{}, err
	}
	since := time.Now().UTC()
	answer, err := boss.Post(ctx, "/admin/catalogue/sync", url.Values{"csrf": {page.Token()}})
	if err == nil && answer.Status != http.StatusSeeOther {
		err = fmt.Errorf("ask for a synchronisation: status %d: %.300s", answer.Status, answer.Text())
	}
	if err != nil {
		return round{}, err
	}
	var over atomic.Bool
	ended := make(chan error, 1)
	go func() {
		_, err := synced(ctx, db, since)
		over.Store(true)
		ended <- err
	}()
	beside, err := t.work(ctx, 2, func(time.Time) bool { return !over.Load() }, (*cashier).sell)
	return beside, errors.Join(err, <-ended)
}

// synced waits until every resource was synchronised since a time, and returns how long all
// of that took.
func synced(ctx context.Context, db *sql.DB, since time.Time) (took time.Duration, err error) {
	const runs = `SELECT COUNT(DISTINCT resource), COALESCE(EXTRACT(EPOCH FROM MAX(ended_at) - MIN(started_at)), 0)
		FROM catalog_runs WHERE outcome = 'done' AND started_at > $1`
	for patience := time.Now().Add(5 * time.Minute); time.Now().Before(patience); sleep(ctx, 50*time.Millisecond) {
		var done int
		var seconds float64
		if err := db.QueryRowContext(ctx, runs, since).Scan(&done, &seconds); err != nil {
			return 0, err
		}
		if done == len(catalogue) {
			return time.Duration(seconds * float64(time.Second)), nil
		}
	}
	return 0, errors.New("the catalogue is not synchronised within five minutes")
}

// insertAgain writes the rows of the catalogue into empty tables like its own, in one
// transaction of multi-row INSERTs.
func insertAgain(ctx context.Context, db *sql.DB) (took time.Duration, rows int, err error) {
	tables := map[string][][]any{}
	columns := map[string][]string{}
	for _, table := range catalogue {
		if columns[table], tables[table], err = rowsOf(ctx, db, table); err != nil {
			return 0, 0, err
		}
		rows += len(tables[table])
		if _, err := db.ExecContext(ctx, "CREATE TABLE again_"+table+" (LIKE "+table+" INCLUDING ALL)"); err != nil {
			return 0, 0, err
		}
	}
	began := time.Now()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = tx.Rollback() }() // unless it is committed
	for _, table := range catalogue {
		all := tables[table]
		for len(all) > 0 {
			some := all[:min(rowsAtOnce, len(all))]
			all = all[len(some):]
			if err := insertRows(ctx, tx, "again_"+table, columns[table], some); err != nil {
				return 0, 0, fmt.Errorf("insert into again_%s: %w", table, err)
			}
		}
	}
	if err := tx.Commit(); err != nil {
		return 0, 0, err
	}
	return time.Since(began), rows, nil
}

func insertRows(ctx context.Context, tx *sql.Tx, table string, columns []string, rows [][]any) error {
	var text strings.Builder
	text.WriteString("INSERT INTO " + table + " (" + strings.Join(columns, ",") + ") VALUES ")
	args := make([]any, 0, len(rows)*len(columns))
	for i, row := range rows {
		if i > 0 {
			text.WriteByte(',')
		}
		for j, value := range row {
			text.WriteString(map[bool]string{true: "(", false: ","}[j == 0])
			args = append(args, value)
			fmt.Fprintf(&text, "$%d", len(args))
		}
		text.WriteByte(')')
	}
	_, err := tx.ExecContext(ctx, text.String(), args...)
	return err
}

func rowsOf(ctx context.Context, db *sql.DB, table string) (columns []string, all [][]any, err error) {
	rows, err := db.QueryContext(ctx, "SELECT * FROM "+table) //nolint:gosec // a name from above
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = rows.Close() }() // Err has told
	if columns, err = rows.Columns(); err != nil {
		return nil, nil, err
	}
	for rows.Next() {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, nil, err
		}
		all = append(all, row)
	}
	return columns, all, rows.Err()
}
