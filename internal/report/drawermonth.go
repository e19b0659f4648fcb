package report

import (
	"context"
	"strings"

	"gorm.io/gorm"

	"airtill/internal/store"
)

// drawerMonthKey is what a row of the table drawer_months sums.
var drawerMonthKey = []Dimension{ByShop, ByMonth, ByTill, ByCashier}

var drawerColumns = []string{
	"closed", "differing", "opening_micros", "paid_in_micros", "dropped_micros", "expense_micros", "expected_micros",
	"counted_micros",
}

// fields are the sums of closed shifts, in the order of drawerColumns.
func (d *Drawers) fields() []*int64 {
	return []*int64{
		&d.Closed, &d.Off, &d.OpeningMicros, &d.PaidInMicros, &d.DroppedMicros, &d.ExpenseMicros, &d.ExpectedMicros,
		&d.CountedMicros,
	}
}

// sumDrawers adds some newly closed shifts to the sums of their months.
func (s *Service) sumDrawers(ctx context.Context, tx *store.Tx) (more bool, err error) {
	ids, err := store.All[string](tx.Raw("DELETE FROM drawer_closings WHERE shift_id IN "+
		"(SELECT shift_id FROM drawer_closings ORDER BY shift_id LIMIT ?) RETURNING shift_id", movesAtOnce))
	if err != nil || len(ids) == 0 {
		return false, err
	}
	shops, err := foldsIn(tx.DB)
	if err != nil {
		return false, err
	}
	sums := rowSums{query: Query{By: drawerMonthKey}}
	err = eachShift(tx.DB, shops, func(shift Row) { sums.at(shift).Drawer.Add(shift.Drawer) }, "id IN ?", ids)
	if err != nil {
		return false, err
	}
	statements := make([]store.Statement, 0, len(sums.found))
	for _, row := range sums.rows() {
		statements = append(statements, addToMonth(row))
	}
	_, err = tx.ExecAll(ctx, statements...)
	return len(ids) == movesAtOnce, err
}

func addToMonth(r Row) store.Statement {
	args, sums := []any{r.ShopID, r.Day, r.TillID, r.CashierID, r.PriceCurrency}, make([]string, len(drawerColumns))
	for i, field := range r.Drawer.fields() {
		args, sums[i] = append(args, *field),
			drawerColumns[i]+" = drawer_months."+drawerColumns[i]+" + excluded."+drawerColumns[i]
	}
	return store.Statement{
		SQL: "INSERT INTO drawer_months (shop_id, month, till_id, cashier_id, currency, " +
			strings.Join(drawerColumns, ", ") +
			") VALUES (?,?,?,?,?" + strings.Repeat(",?", len(drawerColumns)) +
			") ON CONFLICT (shop_id, month, till_id, cashier_id, currency) DO UPDATE SET " + strings.Join(sums, ", "),
		Args: args,
	}
}

// forgetDrawers marks every closed shift as still to be summed.
func forgetDrawers(tx *store.Tx) error {
	if err := tx.Exec("DELETE FROM drawer_months").Error; err != nil {
		return err
	}
	return tx.Exec(
		"INSERT INTO drawer_closings (shift_id) SELECT id FROM shifts WHERE closed_at IS NOT NULL ON CONFLICT " +
			"DO NOTHING",
	).Error
}

// eachMonth visits the sums of the closed shifts of whole months.
func (q Query) eachMonth(db *gorm.DB, from, to Day, visit func(Row)) error {
	months := db.Raw("SELECT shop_id, month, till_id, cashier_id, currency, "+strings.Join(drawerColumns, ", ")+
		" FROM drawer_months WHERE shop_id IN ? AND month >= ? AND month < ?", q.Shops, from, to)
	return store.Scan(months, func(scan func(into ...any) error) error {
		var month Row
		into := []any{&month.ShopID, &month.Day, &month.TillID, &month.CashierID, &month.PriceCurrency}
		for _, field := range month.Drawer.fields() {
			into = append(into, field)
		}
		err := scan(into...)
		if err == nil {
			month.Drawer.Shifts, month.SendCurrency = month.Drawer.Closed, month.PriceCurrency
			visit(month)
		}
		return err
	})
}
