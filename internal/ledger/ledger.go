// Package ledger keeps the double-entry books: journals are appended, never
// changed, and a balance is the sum of what was posted.
package ledger

import (
	"context"
	"encoding/json"
	"fmt"
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

// insertPostings books what one argument lists, so that its text, and with it PostgreSQL's plan, is always the same.
var insertPostings = map[store.Dialect]string{
	store.Postgres: insertInto + `SELECT journal, line, kind, sale_id, account, micros, currency, at
FROM json_to_recordset(?::json) AS leg (journal text, line integer, kind text, sale_id text, account text,
	micros bigint, currency text, at timestamp)`,
	store.SQLite: insertInto + `SELECT value ->> 'journal', value ->> 'line', value ->> 'kind', value ->> 'sale_id',
	value ->> 'account', value ->> 'micros', value ->> 'currency', value ->> 'at' FROM json_each(?)`,
}

const insertInto = "INSERT INTO postings (journal, line, kind, sale_id, account, micros, currency, at) "

// posting is a row in that list.
type posting struct {
	Journal  string         `json:"journal"`
	Line     int            `json:"line"`
	Kind     Kind           `json:"kind"`
	SaleID   *string        `json:"sale_id"`
	Account  Account        `json:"account"`
	Micros   int64          `json:"micros"`
	Currency money.Currency `json:"currency"`
	At       string         `json:"at"`
}

// Statements returns the INSERT that books entries, to be sent with others; none where there is nothing to book.
// It fails if a journal does not balance.
func Statements(on store.Dialect, entries ...Entry) ([]store.Statement, error) {
	var postings []posting
	for _, e := range entries {
		if err := e.Journal.balanced(); err != nil {
			return nil, err
		}
		for i, leg := range e.Journal.Legs {
			if leg.Amount.IsZero() {
				continue // a leg of zero is no row
			}
			p := posting{
				Journal: e.Key + "/" + string(e.Journal.Kind), Line: i, Kind: e.Journal.Kind, Account: leg.Account,
				Micros: leg.Amount.Micros(), Currency: leg.Amount.Currency(), At: store.MomentText(e.At),
			}
			if e.SaleID != "" {
				p.SaleID = &e.SaleID
			}
			postings = append(postings, p)
		}
	}
	if postings == nil {
		return nil, nil
	}
	list, err := json.Marshal(postings)
	return []store.Statement{{SQL: insertPostings[on], Args: []any{string(list)}}}, err
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
     + COALESCE((SELECT CAST(SUM(micros) AS BIGINT) FROM postings WHERE account = ? AND currency = ?
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
