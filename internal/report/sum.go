package report

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"airtill/internal/pricing"
	"airtill/internal/store"
)

// sum makes the rows of one rollup.
func (s *Service) sum(ctx context.Context, tx *store.Tx, shops folds, r rollup) error {
	// Naming the cubes lets the index serve.
	if err := tx.Exec(
		"DELETE FROM rollups WHERE cube IN ? AND level = ? AND shop_id = ? AND starts = ?", everyCube(), r.Level,
		r.ShopID, r.Starts,
	).Error; err != nil {
		return err
	}
	f := shops[r.ShopID]
	switch {
	case r.Level == byMonth:
		return sumDays(tx, r, Day(r.Starts).AddMonths(1))
	case r.Level == byWeek:
		return sumDays(tx, r, Day(r.Starts)+7)
	case r.ShopID == allShops:
		return sumShops(tx, slices.Collect(maps.Keys(shops)), r)
	case r.Level == byDay && f.keepsQuarters(Day(r.Starts)):
		return sumDay(tx, f, r)
	case r.Level == byDay:
		day := Day(r.Starts)
		return sumSold(ctx, tx, f, r, day.Begins(f.zone), (day + 1).Begins(f.zone))
	default:
		q := quarter(r.Starts)
		return sumSold(ctx, tx, f, r, q.begins(), (q + 1).begins())
	}
}

// sumSold makes rows from the sales of a stretch of time.
func sumSold(ctx context.Context, tx *store.Tx, f fold, r rollup, from, to time.Time) error {
	rates, err := store.All[pricing.Rate](tx.Order("valid_from DESC"))
	if err != nil {
		return err
	}
	sums, names := map[key]*Measures{}, map[named]string{}
	err = eachSold(tx.DB, r.ShopID, from, to, func(sale soldRow) {
		names[named{"provider", sale.provider}] = sale.providerName
		names[named{"product", sale.sku}] = sale.productName
		m := sale.measures(rates)
		for _, k := range keysOf(sale, slotOf(sale.recordedAt, f.zone)) {
			if sums[k] == nil {
				sums[k] = &Measures{}
			}
			sums[k].Add(m)
		}
	})
	if err != nil {
		return err
	}
	if err := insertRows(ctx, tx, r, sums); err != nil {
		return err
	}
	return storeNames(ctx, tx, names)
}

// named identifies a thing with a name.
type named struct{ what, code string }

func storeNames(ctx context.Context, tx *store.Tx, names map[named]string) error {
	if len(names) == 0 {
		return nil
	}
	var statements []store.Statement
	for n, name := range names {
		statements = append(statements, store.Statement{
			SQL: `INSERT INTO rollup_names (what, code, name) VALUES (?,?,?)
				ON CONFLICT (what, code) DO UPDATE SET name = excluded.name WHERE rollup_names.name <> excluded.name`,
			Args: []any{n.what, n.code, name},
		})
	}
	_, err := tx.ExecAll(ctx, statements...)
	return err
}

const keyColumns = "slot, country, provider, kind, sku, till_id, cashier_id, reason, price_currency, send_currency"

// rowColumns are those of a rollup, in the order of insertRows.
func rowColumns() []string {
	return slices.Concat([]string{"level", "cube", "shop_id", "starts"}, strings.Split(keyColumns, ", "), measureNames)
}

func insertRows(ctx context.Context, tx *store.Tx, r rollup, sums map[key]*Measures) error {
	rows := make([][]any, 0, len(sums))
	for k, m := range sums {
		row := []any{
			r.Level, k.cube, r.ShopID, r.Starts,
			k.slot, k.country, k.provider, k.kind, k.sku, k.till, k.cashier, k.reason, k.priceCurrency, k.sendCurrency,
		}
		for _, field := range m.fields() {
			row = append(row, *field)
		}
		rows = append(rows, row)
	}
	return tx.InsertRows(ctx, "rollups", rowColumns(), rows)
}

// keepsQuarters says whether all quarters of a day are stored.
func (f fold) keepsQuarters(day Day) bool { return day < f.DaysTo && day > f.DaysTo-quartersKept }

// sumDay makes a day's rows from its quarters: from its sales, the current day would read them all every few
// seconds.
func sumDay(tx *store.Tx, f fold, r rollup) error {
	day := Day(r.Starts)
	return sumRows(tx, r, everyCube(), "level = ? AND shop_id = ? AND starts >= ? AND starts < ?",
		byQuarter, r.ShopID, quarterOf(day.Begins(f.zone)), quarterOf((day + 1).Begins(f.zone)))
}

// sumShops makes a day's rows of all shops from each shop's.
func sumShops(tx *store.Tx, shops []string, r rollup) error {
	return sumRows(tx, r, shared, "level = ? AND shop_id IN ? AND starts = ?", byDay, shops, r.Starts)
}

// sumDays makes a week's or month's rows from its days.
func sumDays(tx *store.Tx, r rollup, end Day) error {
	return sumRows(
		tx, r, everyCube(), "level = ? AND shop_id = ? AND starts >= ? AND starts < ?", byDay, r.ShopID, r.Starts, end,
	)
}

// sumRows makes rows from finer ones.
func sumRows(tx *store.Tx, r rollup, from []cube, where string, args ...any) error {
	return tx.Exec("INSERT INTO rollups (level, cube, shop_id, starts, "+keyColumns+", "+
		strings.Join(measureNames, ", ")+") SELECT ?, cube, ?, ?, "+keyColumns+", "+sumsSQL(measureNames)+
		" FROM rollups WHERE cube IN ? AND "+where+" GROUP BY cube, "+keyColumns,
		append([]any{r.Level, r.ShopID, r.Starts, from}, args...)...).Error
}
