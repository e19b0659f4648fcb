package report

import (
	"fmt"
	"slices"
	"time"

	"airtill/internal/store"

	"gorm.io/gorm"
)

// Drawers are sums of shifts, in millionths of the till's currency; of closed ones, except Shifts.
type Drawers struct {
	Shifts int64
	Closed int64
	Off    int64 // counted differently from expected

	OpeningMicros  int64 // counted at the opening
	PaidInMicros   int64 // put in from the safe
	DroppedMicros  int64 // taken to the safe during the shift
	ExpenseMicros  int64 // paid out of the drawer, less what came back of it
	ExpectedMicros int64 // in the drawer at the close, by the books
	CountedMicros  int64
}

// Add adds another's sums to these.
func (d *Drawers) Add(other Drawers) {
	d.Shifts += other.Shifts
	theirs := other.fields()
	for i, field := range d.fields() {
		*field += *theirs[i]
	}
}

// TakenMicros is the customers' cash that came into the drawers, less what went back to them.
func (d Drawers) TakenMicros() int64 {
	return d.ExpectedMicros - d.OpeningMicros - d.PaidInMicros + d.DroppedMicros + d.ExpenseMicros
}

// DifferenceMicros is how much more was counted than expected.
func (d Drawers) DifferenceMicros() int64 { return d.CountedMicros - d.ExpectedMicros }

// drawers sums shifts: for whole months from the sums of closed ones, the others one by one.
func (q Query) drawers(db *gorm.DB, shops folds) ([]Row, error) {
	sums := rowSums{query: q}
	err := q.eachDrawer(db, shops, func(shift Row) {
		if row := sums.of(shift); row != nil {
			row.Drawer.Add(shift.Drawer)
		}
	})
	return sums.rows(), err
}

// notSummed selects the shifts no month contains: open ones, and those closed since the last refresh.
const notSummed = " AND id IN (SELECT id FROM shifts WHERE closed_at IS NULL UNION ALL SELECT shift_id FROM " +
	"drawer_closings)"

// eachDrawer visits the period's sums of whole months and its other shifts.
func (q Query) eachDrawer(db *gorm.DB, shops folds, visit func(Row)) error {
	first, end := (q.From - 1).Month().AddMonths(1), q.To.Month()
	if slices.Contains(q.By, ByDay) || first >= end {
		return q.eachShift(db, shops, q.From, q.To, "", visit)
	}
	for _, days := range []struct {
		from, to Day
		and      string
	}{{q.From, first, ""}, {first, end, notSummed}, {end, q.To, ""}} {
		if err := q.eachShift(db, shops, days.from, days.to, days.and, visit); err != nil {
			return err
		}
	}
	return q.eachMonth(db, first, end, visit)
}

// eachShift visits the shifts of some days of the period.
func (q Query) eachShift(db *gorm.DB, shops folds, from, to Day, and string, visit func(Row)) error {
	q.From, q.To = from, to
	begins, ends := q.moments(shops)
	return eachShift(db, shops, func(shift Row) {
		if from <= shift.Day && shift.Day < to { // the shops' midnights differ
			visit(shift)
		}
	}, "shop_id IN ? AND opened_at >= ? AND opened_at < ?"+and, q.Shops, begins, ends)
}

// shiftsSQL reads the shifts of a condition with their last count, which stands, and their moves of cash.
const shiftsSQL = `WITH chosen AS (SELECT id, shop_id, till_id, cashier_id, currency, opened_at, closed_at,
	opening_micros FROM shifts WHERE %s)
SELECT s.shop_id, s.till_id, s.cashier_id, s.currency, s.opened_at, s.closed_at IS NOT NULL, s.opening_micros,
	COALESCE(c.counted_micros, 0), COALESCE(c.expected_micros, 0), COALESCE(m.paid_in, 0), COALESCE(m.dropped, 0),
	COALESCE(m.spent, 0)
FROM chosen s
LEFT JOIN drawer_counts c ON c.shift_id = s.id AND NOT EXISTS (SELECT 1 FROM drawer_counts later
WHERE later.shift_id = c.shift_id AND later.seq > c.seq)
LEFT JOIN (SELECT shift_id, CAST(SUM(CASE kind WHEN 'in' THEN micros
ELSE 0 END) AS BIGINT) AS paid_in, CAST(SUM(CASE kind WHEN 'safe' THEN micros ELSE 0 END) AS BIGINT) AS dropped,
	CAST(SUM(CASE kind WHEN 'expense' THEN micros WHEN 'back' THEN -micros ELSE 0 END) AS BIGINT) AS spent
	FROM cash_moves WHERE shift_id IN (SELECT id FROM chosen) GROUP BY shift_id) m ON m.shift_id = s.id`

// eachShift visits the shifts of a condition. They are scanned by hand, since a month may have thousands.
func eachShift(db *gorm.DB, shops folds, visit func(Row), where string, args ...any) error {
	return store.Scan(db.Raw(fmt.Sprintf(shiftsSQL, where), args...), func(scan func(into ...any) error) error {
		var shift Row
		var opened time.Time
		var closed bool
		d := &shift.Drawer
		err := scan(&shift.ShopID, &shift.TillID, &shift.CashierID, &shift.PriceCurrency, &opened, &closed,
			&d.OpeningMicros, &d.CountedMicros, &d.ExpectedMicros, &d.PaidInMicros, &d.DroppedMicros, &d.ExpenseMicros)
		if err != nil {
			return err
		}
		if d.Shifts, d.Closed = 1, 1; !closed {
			*d = Drawers{Shifts: 1}
		} else if d.DifferenceMicros() != 0 {
			d.Off = 1
		}
		shift.Day, shift.SendCurrency = DayOf(opened, shops[shift.ShopID].zone), shift.PriceCurrency
		visit(shift)
		return nil
	})
}

// moments bound a period in all of the zones.
func (q Query) moments(shops folds) (from, to time.Time) {
	for _, id := range q.Shops {
		shop, known := shops[id]
		if !known {
			continue
		}
		if at := q.From.Begins(shop.zone).UTC(); from.IsZero() || at.Before(from) {
			from = at
		}
		if at := q.To.Begins(shop.zone).UTC(); at.After(to) {
			to = at
		}
	}
	return from, to
}

// rowSums are the rows of a query summed from facts read one by one.
type rowSums struct {
	query Query
	found map[Row]*Row
}

// of returns the row a fact adds to, nil if the query leaves it out.
func (r *rowSums) of(fact Row) *Row {
	if fact.Day < r.query.From || fact.Day >= r.query.To {
		return nil
	}
	for dimension, value := range r.query.Only {
		if fact.value(dimension) != value {
			return nil
		}
	}
	return r.at(fact)
}

// at returns the row a fact adds to.
func (r *rowSums) at(fact Row) *Row {
	key := Row{PriceCurrency: fact.PriceCurrency, SendCurrency: fact.SendCurrency}
	for _, dimension := range r.query.By {
		key.take(dimension, fact)
	}
	if r.found == nil {
		r.found = map[Row]*Row{}
	}
	if r.found[key] == nil {
		row := key
		r.found[key] = &row
	}
	return r.found[key]
}

func (r *rowSums) rows() []Row {
	var rows []Row
	for _, row := range r.found {
		rows = append(rows, *row)
	}
	return rows
}

// value is a fact's value of a dimension.
func (r Row) value(d Dimension) string {
	switch d {
	case ByTill:
		return r.TillID
	case ByCashier:
		return r.CashierID
	case ByRule:
		return r.Rule
	default:
	}
	return ""
}

// take copies a fact's value of a dimension.
func (r *Row) take(d Dimension, from Row) {
	switch d {
	case ByShop:
		r.ShopID = from.ShopID
	case ByDay:
		r.Day = from.Day
	case ByWeek:
		r.Day = from.Day.Week()
	case ByMonth:
		r.Day = from.Day.Month()
	case ByTill:
		r.TillID = from.TillID
	case ByCashier:
		r.CashierID = from.CashierID
	case ByRule:
		r.Rule = from.Rule
	default:
	}
}
