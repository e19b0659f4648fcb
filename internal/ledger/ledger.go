// Package ledger keeps the double-entry books: journals are appended, never
// changed, and a balance is the sum of what was posted.
package ledger

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/store"
)

// Entry is a journal to be booked. Key names what booked it and is unique together with the journal's kind:
// booking the same event twice fails with gorm.ErrDuplicatedKey.
type Entry struct {
	Key     string // <sale>/<event>, or a ULID of its own
	SaleID  string // "" if no sale is behind it
	At      time.Time
	Journal Journal
}

const insertPosting = "INSERT INTO postings (journal, line, kind, sale_id, account, micros, currency, at) "

// Statements returns the INSERTs that book entries, to be sent with others; on PostgreSQL one, with always the
// same text. It fails if a journal does not balance.
func Statements(on store.Dialect, entries ...Entry) ([]store.Statement, error) {
	for _, e := range entries {
		if err := e.Journal.balanced(); err != nil {
			return nil, err
		}
	}
	if on == store.Postgres {
		return inArrays(entries), nil
	}
	return inValues(entries), nil
}

// inArrays books entries by one INSERT with an array for each column.
func inArrays(entries []Entry) []store.Statement {
	var journal, kind, sale, account, currency []string
	var line, micros []int64
	var at []time.Time
	for _, e := range entries {
		for i, leg := range e.Journal.Legs {
			if leg.Amount.IsZero() {
				continue // a leg of zero is no row
			}
			journal, line = append(journal, e.Key+"/"+string(e.Journal.Kind)), append(line, int64(i))
			kind, sale = append(kind, string(e.Journal.Kind)), append(sale, e.SaleID)
			account, micros = append(account, string(leg.Account)), append(micros, leg.Amount.Micros())
			currency, at = append(currency, string(leg.Amount.Currency())), append(at, store.Moment(e.At))
		}
	}
	if journal == nil {
		return nil
	}
	return []store.Statement{{
		SQL: insertPosting + `SELECT journal, line, kind, NULLIF(sale, ''), account, micros, currency, at
FROM unnest(?::text[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::bigint[], ?::text[], ?::timestamp[])
	AS leg (journal, line, kind, sale, account, micros, currency, at)`,
		Args: []any{journal, line, kind, sale, account, micros, currency, at},
	}}
}

// argsAtOnce bounds one INSERT: SQLite takes only so many arguments.
const argsAtOnce = 700

func inValues(entries []Entry) (all []store.Statement) {
	var one store.Statement
	for _, e := range entries {
		if e.addTo(&one); len(one.Args) > argsAtOnce {
			all, one = append(all, one), store.Statement{}
		}
	}
	if one.Args != nil {
		all = append(all, one)
	}
	return all
}

// addTo adds an entry to an INSERT. A leg of zero is no row.
func (e Entry) addTo(s *store.Statement) {
	var sale any
	if e.SaleID != "" {
		sale = e.SaleID
	}
	for i, leg := range e.Journal.Legs {
		if leg.Amount.IsZero() {
			continue
		}
		if s.Args == nil {
			s.SQL = insertPosting + "VALUES "
		} else {
			s.SQL += ","
		}
		s.SQL += "(?," + strconv.Itoa(i) + ",?,?,?,?,?,?)"
		s.Args = append(s.Args, e.Key+"/"+string(e.Journal.Kind), e.Journal.Kind, sale, leg.Account,
			leg.Amount.Micros(), leg.Amount.Currency(), store.Moment(e.At))
	}
}

// Post books entries in the caller's transaction.
func Post(ctx context.Context, tx *store.Tx, entries ...Entry) error {
	statements, err := Statements(tx.Dialect(), entries...)
	if err == nil {
		_, err = tx.ExecAll(ctx, statements...)
	}
	return fault.Doing("post", err)
}

// Ledger reads the book.
type Ledger struct{ db *store.DB }

// Deps is what a Ledger needs.
type Deps struct{ DB *store.DB }

// New returns a reader of the book.
func New(d Deps) *Ledger { return &Ledger{db: d.DB} }

// balanceSQL adds what came after the checkpoint to the checkpoint.
const balanceSQL = `
SELECT COALESCE((SELECT micros FROM ledger_checkpoints WHERE account = ? AND currency = ?), 0)
     + COALESCE((SELECT SUM(micros) FROM postings WHERE account = ? AND currency = ?
                   AND id > COALESCE((SELECT last_id FROM ledger_checkpoints WHERE account = ?
AND currency = ?), 0)), 0)`

// BalanceOf is an account's balance in one currency, in millionths, as part of a caller's statement.
func BalanceOf(account Account, currency money.Currency) store.Statement {
	return store.Statement{SQL: balanceSQL, Args: []any{account, currency, account, currency, account, currency}}
}

// Balance returns an account's balance in one currency, debit positive.
func (l *Ledger) Balance(ctx context.Context, account Account, currency money.Currency) (money.Amount, error) {
	return BalanceIn(ctx, l.db.Read(ctx), account, currency)
}

// BalanceIn is Balance within a session of the caller's, such as its open transaction.
func BalanceIn(ctx context.Context, session *gorm.DB, account Account, currency money.Currency) (money.Amount, error) {
	var micros int64
	balance := BalanceOf(account, currency)
	err := session.WithContext(ctx).Raw(balance.SQL, balance.Args...).Scan(&micros).Error
	if err != nil {
		return money.Amount{}, fmt.Errorf("balance of %s: %w", account.Number(), err)
	}
	return money.Of(micros, currency), nil
}
