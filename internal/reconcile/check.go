package reconcile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/jobs"
	"airtill/internal/store"
)

// mostReadings bounds how often one check asks for the balance: once, again after a look at the records, and
// again if that explained a part.
const mostReadings = 3

// CheckBalance asks for the balance and compares it with the books. If they differ, it looks at the records,
// which explain most differences, and asks again: a difference must be seen twice. by is the user who asked,
// "" for the schedule.
func (s *Service) CheckBalance(ctx context.Context, by string) error {
	for range mostReadings {
		if _, err := s.ReadBalance(ctx); err != nil {
			return fmt.Errorf("check balance: %w", told(err))
		}
		verdict, err := s.JudgeBalances(ctx)
		if err != nil || verdict != Differs {
			return err
		}
		if _, err := s.LookAtRecords(ctx, by, false); err != nil {
			return err
		}
	}
	return nil
}

const (
	balanceEvery = 5 * time.Minute
	looksEvery   = time.Hour // at records, and at drawers
	// recordsAfter is after how many sends a look is due early: the list reaches 600 transfers back.
	recordsAfter = 250
	quietEvery   = 24 * time.Hour
	quietTry     = 2 * time.Second
	quietFor     = 2 * time.Minute
)

// LookIfDue looks at records and at drawers, each once an hour, whoever else looked at the others.
func (s *Service) LookIfDue(ctx context.Context) error {
	return errors.Join(s.recordsIfDue(ctx), s.drawersIfDue(ctx))
}

// recordsIfDue also looks sooner when so much was sold that the list would not reach back to the last look. If the
// upstream's limit is used up, that goes on record, and it waits for the next time.
func (s *Service) recordsIfDue(ctx context.Context) error {
	last, err := s.LastRun(ctx, "records")
	if err != nil {
		return err
	}
	if last != nil && s.d.Now().Sub(last.BeganAt) < looksEvery {
		sent, err := store.Value[int64](s.d.DB.Read(ctx).Raw(
			"SELECT COUNT(*) FROM sales WHERE id >= ? AND permit_at IS NOT NULL", store.FirstID(last.BeganAt),
		))
		if err != nil || sent < recordsAfter {
			return err
		}
	}
	// The rest of the limit is for cashiers who wait.
	_, err = s.LookAtRecords(apiclient.WithPriority(ctx, apiclient.PriorityBackground), "", false)
	if errors.Is(err, apiclient.ErrBudget) {
		s.d.Log.InfoContext(ctx, "reconcile.look_put_off", "error", err)
		err = nil
	}
	return err
}

func (s *Service) drawersIfDue(ctx context.Context) error {
	last, err := s.LastRun(ctx, "drawers")
	if err == nil && (last == nil || s.d.Now().Sub(last.BeganAt) >= looksEvery) {
		_, err = s.LookAtDrawers(ctx, "")
	}
	return err
}

// looksLate is how late a look may come and still count as on time.
const looksLate = 15 * time.Minute

// LastWhole is since when records, drawers and balance have all been compared with the books, zero if one
// never was; late says that one of them is overdue.
func (s *Service) LastWhole(ctx context.Context) (at time.Time, late bool, err error) {
	at = s.d.Now()
	oldest := func(looked time.Time, every time.Duration) {
		late = late || s.d.Now().Sub(looked) > every+looksLate
		if looked.Before(at) {
			at = looked
		}
	}
	for _, what := range []string{"records", "drawers"} {
		run, err := s.LastRun(ctx, what)
		if err != nil || run == nil {
			return time.Time{}, true, err
		}
		oldest(run.BeganAt, looksEvery)
	}
	balance, err := s.LastBalance(ctx)
	if err != nil || balance == nil {
		return time.Time{}, true, err
	}
	oldest(balance.ToldAt, balanceEvery)
	return at, late, nil
}

// LastRun is the last successful look of a kind, nil if there is none.
func (s *Service) LastRun(ctx context.Context, what string) (*Run, error) {
	return lastRun(s.d.DB.Read(ctx), what)
}

func lastRun(session *gorm.DB, what string) (*Run, error) {
	last, err := store.First[Run](session.Where("what = ? AND error = ''", what).Order("id DESC"))
	return last, fault.Doing("last look", err)
}

// QuietCheck compares the balance once a day while nothing is under way, when it has to agree to the last
// digit. It waits a while for such a moment, then takes the balance as it is; a process that stops leaves it to
// the next.
func (s *Service) QuietCheck(ctx context.Context) error {
	last, err := s.LastQuiet(ctx)
	if err != nil || last != nil && s.d.Now().Sub(last.ToldAt) < quietEvery {
		return err
	}
	if stopping, err := s.waitForQuiet(ctx); err != nil || stopping {
		return err
	}
	run := Run{ID: store.NewID(s.d.Now()), What: "balance", BeganAt: store.Moment(s.d.Now())}
	if err := s.CheckBalance(ctx, ""); err != nil {
		return err
	}
	return s.storeRun(ctx, &run)
}

// LastQuiet is the last balance compared while nothing was under way, nil if there is none.
func (s *Service) LastQuiet(ctx context.Context) (*UpstreamBalance, error) {
	found, err := store.First[UpstreamBalance](
		s.d.DB.Read(ctx).Where( // back through the ids: without a bound SQLite sorts all balances
			"id > '' AND judged_at IS NOT NULL AND open_set = '' AND verdict <> ?", Superseded,
		).Order("id DESC"),
	)
	return found, fault.Doing("last quiet balance", err)
}

func (s *Service) waitForQuiet(ctx context.Context) (stopping bool, err error) {
	tick := time.NewTicker(quietTry)
	defer tick.Stop()
	for waited := time.Duration(0); waited < quietFor; waited += quietTry {
		open, err := openSales(s.d.DB.Read(ctx))
		if err != nil || open == 0 {
			return false, err
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-jobs.Stopping(ctx):
			return true, nil
		case <-tick.C:
		}
	}
	return false, nil
}
