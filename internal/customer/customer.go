// Package customer is each shop's customer book: the numbers that bought there, the names people gave them,
// and what each bought last. It is personal data: no shop sees another's, and numbers long unused are deleted.
package customer

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// Deps is what the book needs.
type Deps struct {
	DB        *store.DB
	Now       func() time.Time
	Log       *slog.Logger
	Retention time.Duration // how long after its last sale a number is deleted; 0 means DefaultRetention
}

// DefaultRetention is a little over a year, so that somebody who comes once a year is still known.
const DefaultRetention = 400 * 24 * time.Hour

// Book holds the customer books of all shops.
type Book struct{ d Deps }

// New returns the books.
func New(d Deps) *Book {
	if d.Retention == 0 {
		d.Retention = DefaultRetention
	}
	return &Book{d: d}
}

// Retention is how long after its last sale a number is deleted.
func (b *Book) Retention() time.Duration { return b.d.Retention }

// Entry is a number in a shop's book.
type Entry struct {
	AccountNumber string // as sent to the upstream: bare digits, or letters and hyphens too
	CustomerID    string // "" for a number without a name
	Name          string
	SaleID        string // the last sale that went through; "" if none
	SeenAt        time.Time
}

// Lengths in characters and digits.
const (
	endingDigits = 4
	longestName  = 60
	fewestDigits = 5
	mostDigits   = 24
)

const accountSigns = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-"

// Remembered notes that a sale to a number went through. The name of a number past its time stays forgotten, swept or
// not.
func (b *Book) Remembered(shopID, account, saleID string) store.Statement {
	const remember = `INSERT INTO customer_numbers (shop_id, account_number, ending, sale_id, seen_at)
		VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (shop_id, account_number) DO UPDATE SET sale_id = excluded.sale_id, seen_at = excluded.seen_at,
		customer_id = CASE WHEN customer_numbers.seen_at >= ? THEN customer_numbers.customer_id END`
	now := b.d.Now()
	return store.Statement{
		SQL: remember, Args: []any{
			shopID, account, ending(account), saleID, store.Moment(now), store.Moment(now.Add(-b.d.Retention)),
		},
	}
}

func ending(account string) string { return account[max(0, len(account)-endingDigits):] }

// Write puts a number under a name into a shop's book: a known name gets one more number, a known number gets
// the new name. Errors of kind fault.Invalid name the field.
func (b *Book) Write(ctx context.Context, shopID, name, account string) error {
	name, folded, err := checkName(name)
	if err == nil {
		err = checkAccount(account)
	}
	if err != nil {
		return err
	}
	now := store.Moment(b.d.Now())
	return fault.Doing("write customer", b.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := Hold(tx); err != nil {
			return err
		}
		if err := tx.Exec( // past its time, and not swept yet: the name would be seen by nobody, and swept with it
			"DELETE FROM customer_numbers WHERE shop_id = ? AND account_number = ? AND seen_at < ?", shopID, account,
			store.Moment(now.Add(-b.d.Retention)),
		).Error; err != nil {
			return err
		}
		id := store.NewID(now)
		if err := tx.Raw(`INSERT INTO customers (id, shop_id, name, folded, created_at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (shop_id, folded) DO UPDATE SET name = excluded.name
RETURNING id`, id, shopID, name, folded, now).Scan(&id).Error; err != nil {
			return err
		}
		if err := tx.Exec(`INSERT INTO customer_numbers (shop_id, account_number, ending, customer_id, sale_id, seen_at)
			VALUES (?, ?, ?, ?, '', ?)
ON CONFLICT (shop_id, account_number) DO UPDATE
SET customer_id = excluded.customer_id`, shopID, account, ending(account), id, now).Error; err != nil {
			return err
		}
		return dropNameless(tx, shopID)
	}))
}

// Hold keeps others from taking a name away, or giving it one more number, until the transaction ends: a deletion that
// waited for a name's row would not see the number it got meanwhile.
func Hold(tx *store.Tx) error { return tx.Lock("customers") }

// dropNameless deletes the names that no number bears any more.
func dropNameless(tx *store.Tx, shopID string) error {
	return tx.Exec(
		"DELETE FROM customers WHERE shop_id = ? AND NOT EXISTS (SELECT 1 FROM customer_numbers n WHERE "+
			"n.customer_id = customers.id)",
		shopID,
	).Error
}

// Rename gives a customer of a shop another name; fault.Conflict if it is taken.
func (b *Book) Rename(ctx context.Context, shopID, customerID, name string) error {
	name, folded, err := checkName(name)
	if err != nil {
		return err
	}
	return fault.Doing("rename customer", b.d.DB.Tx(ctx, func(tx *store.Tx) error {
		err := tx.MustExec(fault.New(fault.NotFound, "customer.none"),
			"UPDATE customers SET name = ?, folded = ? WHERE id = ? AND shop_id = ?", name, folded, customerID, shopID)
		if errors.Is(err, gorm.ErrDuplicatedKey) {
			return fault.Wrap(err, fault.Conflict, "customer.name-taken")
		}
		return err
	}))
}

// Forget deletes a number from a shop's book, and its name if it was the last number with it. Forgetting an
// unknown number is no error.
func (b *Book) Forget(ctx context.Context, shopID, account string) error {
	return fault.Doing("forget customer", b.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := Hold(tx); err != nil {
			return err
		}
		if err := tx.Exec(
			"DELETE FROM customer_numbers WHERE shop_id = ? AND account_number = ?", shopID, account,
		).Error; err != nil {
			return err
		}
		return dropNameless(tx, shopID)
	}))
}

const sweptAtOnce = 500

// Sweep deletes the numbers that have not bought for too long, and the names that none bears any more, a batch at a
// time: on SQLite a sale waits for whoever writes.
func (b *Book) Sweep(ctx context.Context) (err error) {
	before := store.Moment(b.d.Now().Add(-b.d.Retention))
	forgotten, swept := 0, sweptAtOnce
	for err == nil && swept == sweptAtOnce {
		err = b.d.DB.Tx(ctx, func(tx *store.Tx) error {
			if err := Hold(tx); err != nil {
				return err
			}
			names, err := store.All[string](tx.Raw(`DELETE FROM customer_numbers WHERE seen_at < @before AND
				(shop_id, account_number) IN (SELECT shop_id, account_number FROM customer_numbers
					WHERE seen_at < @before ORDER BY seen_at LIMIT @most)
				RETURNING COALESCE(customer_id, '')`, map[string]any{"before": before, "most": sweptAtOnce}))
			if swept = len(names); err != nil || swept == 0 {
				return err
			}
			return tx.Exec("DELETE FROM customers WHERE id IN ? AND NOT EXISTS "+
				"(SELECT 1 FROM customer_numbers n WHERE n.customer_id = customers.id)", names).Error
		})
		if err == nil {
			forgotten += swept
		}
	}
	if forgotten > 0 {
		b.d.Log.InfoContext(ctx, "customer.forgotten", "numbers", forgotten)
	}
	return fault.Doing("sweep customers", err)
}

func checkName(typed string) (name, folded string, err error) {
	name = strings.Join(strings.Fields(typed), " ")
	folded = store.Fold(name)
	switch {
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "", "", fault.OnField("name", "customer.name-signs")
	case !strings.ContainsFunc(name, unicode.IsLetter):
		return "", "", fault.OnField("name", "customer.name-missing")
	case utf8.RuneCountInString(name) > longestName:
		return "", "", fault.OnField("name", "customer.name-too-long", longestName)
	}
	return name, folded, nil
}

func checkAccount(account string) error {
	if len(account) < fewestDigits || len(account) > mostDigits || !strings.ContainsAny(account, "0123456789") ||
		strings.Trim(account, accountSigns) != "" {
		return fault.OnField("number", "customer.number")
	}
	return nil
}
