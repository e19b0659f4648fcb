package report

import (
	"context"
	"fmt"
	"maps"
	"time"

	"gorm.io/gorm"

	"airtill/internal/jobs"
	"airtill/internal/staff"
	"airtill/internal/store"
)

const (
	// movesAtOnce and staleAtOnce bound one transaction, since on SQLite a sale waits for it.
	movesAtOnce = 2000
	staleAtOnce = 100
	// quartersKept is for how many days quarters are stored: today is compared with the same weekday last week
	// up to the same time, in any zone.
	quartersKept = 10
)

// level is the length of time a rollup sums.
type level string

const (
	byQuarter level = "quarter"
	byDay     level = "day"
	byWeek    level = "week" // from Monday
	byMonth   level = "month"
)

// fold is how far a shop has rollups by day, week and month: for each day that has begun, each week and month
// that is over.
type fold struct {
	ShopID string
	DaysTo Day
	zone   *time.Location
}

// weeksTo is the end of the last past week.
func (f fold) weeksTo() Day { return (f.DaysTo - 1).Week() }

// monthsTo is the end of the last past month.
func (f fold) monthsTo() Day { return (f.DaysTo - 1).Month() }

// allShops stands for all shops together in rollups. It sorts after the ids of shops, which begin with a
// digit: its rows are made from theirs.
const allShops = "all"

// folds are those of the shops.
type folds map[string]fold

// foldsIn reads how far each shop is folded; DaysTo is 0 for one that has none yet.
func foldsIn(db *gorm.DB) (folds, error) {
	shops, err := store.All[struct {
		ID, Zone string
		DaysTo   Day
	}](db.Raw("SELECT s.id, s.zone, COALESCE(r.days_to, 0) AS days_to FROM shops s " +
		"LEFT JOIN rollup_shops r ON r.shop_id = s.id"))
	if err != nil {
		return nil, err
	}
	all := make(folds, len(shops))
	for _, shop := range shops {
		zone, err := staff.ZoneOf(shop.Zone)
		if err != nil {
			return nil, err
		}
		all[shop.ID] = fold{ShopID: shop.ID, DaysTo: shop.DaysTo, zone: zone}
	}
	return all, nil
}

// rolledUp are the shops that have rollups.
func (all folds) rolledUp() folds {
	some := maps.Clone(all)
	maps.DeleteFunc(some, func(_ string, f fold) bool { return f.DaysTo == 0 })
	return some
}

// together is how far every shop is folded.
func (all folds) together() fold {
	f := fold{ShopID: allShops, DaysTo: lastDay + 1, zone: time.UTC}
	for _, shop := range all {
		f.DaysTo = min(f.DaysTo, shop.DaysTo)
	}
	return f
}

// Refresh brings the rollups up to what is committed when it is called, each step in a transaction of its own:
// moved sales mark rollups stale, days that have begun and months that are over get rollups, stale ones are
// summed again, and newly closed drawers are added to their months. One process refreshes at a time; others
// return at once.
func (s *Service) Refresh(ctx context.Context) error {
	work := sums{Service: s}
	defer work.end(ctx)
	type step = func(context.Context, *store.Tx) (more bool, err error)
	for _, step := range []step{s.markMoved, s.foldNext, s.sumStale, s.sumDrawers} {
		for more := true; more; {
			if err := work.tell(ctx); err != nil {
				return fmt.Errorf("refresh reports: %w", err)
			}
			err := s.d.DB.Tx(ctx, func(tx *store.Tx) (err error) {
				if more, err = tx.TryLock(refreshLock); err != nil || !more {
					return err
				}
				more, err = step(ctx, tx)
				return err
			})
			if err != nil {
				return fmt.Errorf("refresh reports: %w", err)
			}
		}
	}
	return nil
}

// foldEvery is how often Refresh runs though nothing has moved: days begin.
const foldEvery = time.Minute

// Due says whether Refresh has something to do.
func (s *Service) Due(ctx context.Context) (due bool, err error) {
	if now := s.d.Now().UnixNano(); now-s.folded.Load() >= int64(foldEvery) {
		s.folded.Store(now)
		return true, nil
	}
	return due, s.d.DB.Rows(ctx, store.Query{
		SQL: `SELECT EXISTS (SELECT 1 FROM rollup_moves) OR EXISTS (SELECT 1 FROM rollup_stale)
			OR EXISTS (SELECT 1 FROM drawer_closings)`,
		Row: func(scan store.Scanner) error { return scan(&due) },
	})
}

// sums shows the progress of a refresh with much to sum.
type sums struct {
	*Service

	task  *jobs.Task
	total int64
}

// much is from how many stale rollups on progress is looked up.
const much = 5 * staleAtOnce

func (w *sums) tell(ctx context.Context) error {
	if w.d.Board == nil {
		return nil
	}
	var left int64
	if err := w.d.DB.Read(ctx).Raw("SELECT COUNT(*) FROM rollup_stale").Scan(&left).Error; err != nil {
		return err
	}
	if left > w.total && left > much {
		w.end(ctx) // the first look, or more became stale meanwhile
		w.total, w.task = left, w.d.Board.Begin(jobs.Rollups, "", left)
	}
	w.task.At(ctx, "", w.total-left)
	return nil
}

func (w *sums) end(ctx context.Context) { w.task.End(ctx) }

// refreshLock is held by the refreshing transaction.
const refreshLock = "rollups"

// markMoved marks the rollups of moved sales stale.
func (s *Service) markMoved(ctx context.Context, tx *store.Tx) (more bool, err error) {
	ids, err := store.All[string](tx.Raw(
		"DELETE FROM rollup_moves WHERE id IN (SELECT id FROM rollup_moves ORDER BY id LIMIT ?) RETURNING sale_id",
		movesAtOnce,
	))
	if err != nil || len(ids) == 0 {
		return false, err
	}
	moved, err := store.Pairs[string, string](tx.Raw("SELECT id, shop_id FROM sales WHERE id IN ?", ids))
	if err != nil {
		return false, err
	}
	shops, err := s.folds(tx)
	if err != nil {
		return false, err
	}
	stale, together := staleSet{}, shops.together()
	for saleID, shopID := range moved {
		at, err := store.MadeAt(saleID)
		if err != nil {
			return false, err
		}
		f, known := shops[shopID]
		if !known {
			return false, fmt.Errorf("a sale of shop %s, which is not there", shopID)
		}
		stale.add(f, together, at)
	}
	return len(ids) == movesAtOnce, stale.write(ctx, tx)
}

// folds returns every shop's fold, and begins that of a new shop: as far as known it has sold nothing, so its
// days up to today have nothing to sum.
func (s *Service) folds(tx *store.Tx) (folds, error) {
	all, err := foldsIn(tx.DB)
	if err != nil {
		return nil, err
	}
	for id, f := range all {
		if f.DaysTo != 0 {
			continue
		}
		f.DaysTo = DayOf(s.d.Now(), f.zone) + 1
		all[id] = f
		if err := tx.Exec("INSERT INTO rollup_shops (shop_id, days_to) VALUES (?,?)", id, f.DaysTo).Error; err != nil {
			return nil, err
		}
	}
	return all, nil
}

// foldNext begins the next day of each shop, sums the month before when a new one begins, and deletes quarters
// that nothing compares with any more.
func (s *Service) foldNext(ctx context.Context, tx *store.Tx) (more bool, err error) {
	shops, err := s.folds(tx)
	if err != nil {
		return false, err
	}
	before := shops.together()
	for id, f := range shops {
		if f.DaysTo > DayOf(s.d.Now(), f.zone) {
			continue
		}
		if err := s.foldDay(ctx, tx, shops, id, f.DaysTo); err != nil {
			return false, err
		}
		f.DaysTo++
		if err := f.moved(tx); err != nil {
			return false, err
		}
		shops[id], more = f, true
	}
	for day := before.DaysTo; day < shops.together().DaysTo; day++ {
		if err := s.foldDay(ctx, tx, shops, allShops, day); err != nil {
			return false, err
		}
	}
	return more, nil
}

// foldDay sums a day that has begun, and the week and the month that end then. What is made from days is stale if some
// of those still are: weeks, months, and a day of all shops, which began in other zones hours ago.
func (s *Service) foldDay(ctx context.Context, tx *store.Tx, shops folds, shopID string, day Day) error {
	begun := rollup{byDay, shopID, int64(day)}
	made := staleSet{begun: true}
	if day == day.Week() {
		made[rollup{byWeek, shopID, int64(day - 7)}] = true
	}
	if day == day.Month() {
		made[rollup{byMonth, shopID, int64((day - 1).Month())}] = true
	}
	for r := range made {
		if err := s.sum(ctx, tx, shops, r); err != nil {
			return err
		}
	}
	if shopID != allShops {
		delete(made, begun)
	}
	return made.write(ctx, tx)
}

// moved stores how far a shop is folded now, and deletes quarters that nothing compares with any more.
func (f fold) moved(tx *store.Tx) error {
	err := tx.Exec("UPDATE rollup_shops SET days_to = ? WHERE shop_id = ?", f.DaysTo, f.ShopID).Error
	if err != nil {
		return err
	}
	oldest := quarterOf((f.DaysTo - quartersKept).Begins(f.zone))
	return tx.Exec(
		"DELETE FROM rollups WHERE cube IN ? AND level = ? AND shop_id = ? AND starts < ?", everyCube(), byQuarter,
		f.ShopID, oldest,
	).Error
}
