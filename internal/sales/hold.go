package sales

import (
	"context"
	"time"

	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/limit"
	"airtill/internal/store"
	"airtill/internal/till"
)

// known is what a new sale needs to know of earlier ones.
type known struct {
	Used    bool // its key has already made a sale
	Number  int  // of its receipt
	Install install
	found   bool
}

const knownColumns = `SELECT EXISTS (SELECT 1 FROM sales WHERE idempotency_key = ?),
(SELECT COALESCE(MAX(number), 0) + 1 FROM sales WHERE shift_id = ?), ` + installedColumns

// asked is the question for it, and for the float if given, with a lock that keeps the drawer open; of a
// closed drawer nothing is found.
func (k *known) asked(tx *store.Tx, sale *Sale, float *limit.Float) store.Query {
	drawer, lock := till.Held(tx, sale.ShiftID)
	args := []any{sale.IdempotencyKey, sale.ShiftID}
	into := []any{&k.Used, &k.Number, &k.Install.Code, &k.Install.Since, &k.Install.Restored}
	more := ""
	if float != nil {
		columns := limit.FloatColumns(sale.SendCurrency)
		more, args, into = ", "+columns.SQL, append(args, columns.Args...), append(into, &float.Gone, &float.Available)
	}
	return store.Query{
		SQL: knownColumns + more + " FROM installations, " + drawer.SQL + " AND shifts.till_id = ? " +
			newestFirst + lock,
		Args: append(append(args, drawer.Args...), sale.TillID),
		Row:  func(scan store.Scanner) error { k.found = true; return scan(into...) },
	}
}

// hold locks what must not change until a new sale is recorded, starting with what it sells to, and looks
// around: on PostgreSQL in one round trip. The drawer stays open until the sale's cash is booked. It fails as
// the insert would if the key has just made a sale: a form pressed twice must not find its own sale as an open
// twin.
func (s *Service) hold(ctx context.Context, tx *store.Tx, sale *Sale, now time.Time) (k known, a around, err error) {
	queries := []store.Query{k.asked(tx, sale, nil)}
	if !sale.Practice {
		queries, err = s.d.Limits.AskFloat(ctx, tx, sale.ShopID, sale.SendCurrency, k.asked(tx, sale, &a.float))
		if err != nil {
			return k, a, err
		}
		queries = append(queries, twins(sale, now, &a.twins).Query())
	}
	if err = tx.Rows(ctx, tx.Locked(sale.subject(), queries...)...); err == nil && !k.found {
		err = s.unheld(ctx, tx, sale, now)
		if err == nil { // the first sale made the installation
			return s.hold(ctx, tx, sale, now)
		}
	}
	if err == nil && k.Used {
		err = gorm.ErrDuplicatedKey
	}
	return k, a, err
}

// unheld says why nothing was found: the key has made a sale, the drawer is closed, or there is no
// installation yet, which it makes.
func (s *Service) unheld(ctx context.Context, tx *store.Tx, sale *Sale, now time.Time) error {
	var used, open bool
	drawer, _ := till.Held(tx, sale.ShiftID)
	err := tx.Rows(ctx, store.Query{
		SQL: "SELECT EXISTS (SELECT 1 FROM sales WHERE idempotency_key = ?), EXISTS (SELECT 1 FROM " + drawer.SQL +
			" AND till_id = ?)",
		Args: append(append([]any{sale.IdempotencyKey}, drawer.Args...), sale.TillID),
		Row:  func(scan store.Scanner) error { return scan(&used, &open) },
	})
	switch {
	case err != nil:
		return err
	case used:
		return gorm.ErrDuplicatedKey
	case !open:
		return fault.New(fault.Conflict, "shift.closed-unsold")
	}
	_, err = installation(tx, now)
	return err
}
