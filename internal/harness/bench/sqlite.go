package bench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// sqliteLimit sells the shape of a sale in this process with modernc's driver: a file in
// WAL mode, synchronous FULL, every statement prepared, one writer.
type sqliteLimit struct {
	db           *sql.DB
	conn         *sql.Conn
	transactions [3][]*sql.Stmt
	run, sold    int64
}

func newSQLiteLimit(ctx context.Context, path string, shape *saleShape) (*sqliteLimit, error) {
	db, err := sql.Open(
		"sqlite",
		"file:"+path+"?_pragma=journal_mode(wal)&_pragma=synchronous(full)"+
			"&_pragma=foreign_keys(1)&_pragma=busy_timeout(10000)",
	)
	if err != nil {
		return nil, err
	}
	l := &sqliteLimit{db: db}
	if l.conn, err = db.Conn(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	for i, transaction := range shape.transactions {
		for _, text := range transaction {
			prepared, err := l.conn.PrepareContext( //nolint:sqlclosecheck // closed with its connection
				ctx,
				strings.NewReplacer(long, "?1", small, "?2").Replace(text),
			)
			if err != nil {
				return nil, errors.Join(fmt.Errorf("prepare %.200s: %w", text, err), db.Close())
			}
			l.transactions[i] = append(l.transactions[i], prepared)
		}
	}
	return l, nil
}

func (l *sqliteLimit) close() error { return errors.Join(l.conn.Close(), l.db.Close()) }

// sellFor sells for some time. Its processor time is this process's.
func (l *sqliteLimit) sellFor(ctx context.Context, d time.Duration) (r limitRound, err error) {
	before, err := processorTime(os.Getpid())
	if err != nil {
		return r, err
	}
	l.run++
	began := time.Now()
	for time.Since(began) < d {
		if err := l.sell(ctx); err != nil {
			return r, err
		}
		r.transactions++
	}
	took := time.Since(began)
	after, err := processorTime(os.Getpid())
	r.perSecond, r.database = float64(r.transactions)/took.Seconds(), after-before
	return r, err
}

func (l *sqliteLimit) sell(ctx context.Context) error {
	l.sold++
	numbers := []any{fmt.Sprintf("%0*d", longDigits, l.sold), fmt.Sprintf("%0*d", smallDigits, 10_000_000+l.sold)}
	for _, transaction := range l.transactions {
		if _, err := l.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
			return err
		}
		for _, one := range transaction {
			if _, err := one.ExecContext(ctx, numbers...); err != nil {
				return err
			}
		}
		if _, err := l.conn.ExecContext(ctx, "COMMIT"); err != nil {
			return err
		}
	}
	return nil
}
