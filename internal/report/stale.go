package report

import (
	"context"
	"fmt"
	"time"

	"airtill/internal/store"
)

// rollup names the rollups of one shop and time.
type rollup struct {
	Level  level
	ShopID string
	Starts int64
}

// staleSet is rollups to be summed again.
type staleSet map[rollup]bool

// add marks all rollups that the sales of a moment are part of, of their shop and of all shops together.
func (set staleSet) add(f, together fold, at time.Time) {
	day := DayOf(at, f.zone)
	if day >= f.DaysTo-quartersKept {
		set[rollup{byQuarter, f.ShopID, int64(quarterOf(at))}] = true
	}
	for _, folded := range []fold{f, together} {
		if day < folded.DaysTo {
			set[rollup{byDay, folded.ShopID, int64(day)}] = true
		}
		if day < folded.weeksTo() {
			set[rollup{byWeek, folded.ShopID, int64(day.Week())}] = true
		}
		if day < folded.monthsTo() {
			set[rollup{byMonth, folded.ShopID, int64(day.Month())}] = true
		}
	}
}

func (set staleSet) write(ctx context.Context, tx *store.Tx) error {
	if len(set) == 0 {
		return nil
	}
	var statements []store.Statement
	for r := range set {
		statements = append(statements, store.Statement{
			SQL:  "INSERT INTO rollup_stale (level, shop_id, starts) VALUES (?,?,?) ON CONFLICT DO NOTHING",
			Args: []any{r.Level, r.ShopID, r.Starts},
		})
	}
	_, err := tx.ExecAll(ctx, statements...)
	return err
}

// sumStale sums some stale rollups again: quarters before their days, shops before all shops together, days
// before months and weeks.
func (s *Service) sumStale(ctx context.Context, tx *store.Tx) (more bool, err error) {
	stale, err := store.All[rollup](tx.Raw(
		"SELECT level, shop_id, starts FROM rollup_stale ORDER BY CASE level WHEN ? THEN 1 ELSE 2 END, level, "+
			"shop_id, starts LIMIT ?",
		byQuarter, staleAtOnce,
	))
	if err != nil {
		return false, err
	}
	shops, err := s.folds(tx)
	if err != nil {
		return false, err
	}
	for _, r := range stale {
		if err := s.sum(ctx, tx, shops, r); err != nil {
			return false, err
		}
		if err := tx.Exec(
			"DELETE FROM rollup_stale WHERE level = ? AND shop_id = ? AND starts = ?", r.Level, r.ShopID, r.Starts,
		).Error; err != nil {
			return false, err
		}
	}
	return len(stale) == staleAtOnce, nil
}

// Rebuild sums everything again, from sales and shifts alone. Reports can be read meanwhile; they change
// rollup by rollup.
func (s *Service) Rebuild(ctx context.Context) error {
	err := s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := tx.Lock(refreshLock); err != nil {
			return err
		}
		if err := forgetDrawers(tx); err != nil {
			return err
		}
		// A clock that was ahead has begun days that are still to come.
		if err := tx.Exec("DELETE FROM rollup_shops").Error; err != nil {
			return err
		}
		shops, err := s.folds(tx)
		if err != nil {
			return err
		}
		for _, f := range shops {
			if err := s.markAll(ctx, tx, f, shops.together()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("rebuild reports: %w", err)
	}
	return s.Refresh(ctx)
}

// markAll marks every rollup that a shop's sales are part of.
func (s *Service) markAll(ctx context.Context, tx *store.Tx, f, together fold) error {
	var first string
	if err := tx.Raw(
		"SELECT COALESCE(MIN(id), '') FROM sales WHERE shop_id = ?", f.ShopID,
	).Scan(&first).Error; err != nil {
		return err
	}
	if first == "" {
		return nil
	}
	began, err := store.MadeAt(first)
	if err != nil {
		return err
	}
	stale, now := staleSet{}, s.d.Now()
	for day := DayOf(began, f.zone); day <= DayOf(now, f.zone); day++ {
		stale.add(f, together, day.Begins(f.zone))
	}
	oldest := max(quarterOf(began), quarterOf((f.DaysTo - quartersKept).Begins(f.zone)))
	for q := oldest; q <= quarterOf(now); q++ {
		stale.add(f, together, q.begins())
	}
	return stale.write(ctx, tx)
}
