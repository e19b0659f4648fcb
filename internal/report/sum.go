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
	f, day, own := shops[r.ShopID], Day(r.Starts), []string{r.ShopID}
	switch {
	case r.Level == byMonth:
		return sumRows(tx, r, everyCube(), byDay, own, r.Starts, int64(day.AddMonths(1)))
	case r.Level == byWeek:
		return sumRows(tx, r, everyCube(), byDay, own, r.Starts, int64(day+7))
	case r.ShopID == allShops:
		return sumRows(tx, r, shared, byDay, slices.Collect(maps.Keys(shops)), r.Starts, int64(day+1))
	case r.Level == byQuarter:
		q := quarter(r.Starts)
		return sumSold(ctx, tx, f, r, q.begins(), (q + 1).begins())
	}
	begins, ends := day.Begins(f.zone), (day + 1).Begins(f.zone)
	if f.keepsQuarters(day) { // from its sales, the current day would read them all every few seconds
		return sumRows(tx, r, everyCube(), byQuarter, own, int64(quarterOf(begins)), int64(quarterOf(ends)))
	}
	return sumSold(ctx, tx, f, r, begins, ends)
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

// sumRows makes rows from finer ones: those of some shops that start between two times.
func sumRows(tx *store.Tx, r rollup, of []cube, finer level, shops []string, from, to int64) error {
	return tx.Exec("INSERT INTO rollups (level, cube, shop_id, starts, "+keyColumns+", "+
		strings.Join(measureNames, ", ")+") SELECT ?, cube, ?, ?, "+keyColumns+", "+sumsSQL(measureNames)+
		" FROM rollups WHERE cube IN ? AND level = ? AND shop_id IN ? AND starts >= ? AND starts < ?"+
		" GROUP BY cube, "+keyColumns,
		r.Level, r.ShopID, r.Starts, of, finer, shops, from, to).Error
}
