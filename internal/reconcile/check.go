package reconcile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// mostReadings bounds how often one check asks for the balance: once, once more
// after a look at the records, and again if that look found a part of it.
const mostReadings = 3

// CheckBalance asks for the balance and compares it with the books. If they
// differ, it looks at the records, which tell of most causes, and asks again: a
// difference must be seen twice. by is the user who asked, "" for the schedule.
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
	recordsEvery = time.Hour
	// recordsAfter is how many sends make a look due sooner: the list reaches
	// 600 transfers back.
	recordsAfter = 250
	quietEvery   = 24 * time.Hour
	quietTry     = 2 * time.Second
	quietFor     = 2 * time.Minute
)

// LookIfDue looks at records and drawers once an hour, and sooner when so much
// was sold that the list would otherwise not reach back to the last look. If the
// upstream's limit is used up for now, that is on record, and the next time will
// do.
func (s *Service) LookIfDue(ctx context.Context) error {
	last, err := s.LastRun(ctx, "records")
	if err != nil {
		return err
	}
	if last != nil && s.d.Now().Sub(last.BeganAt) < recordsEvery {
		var sent int64
		err := s.d.DB.Read(ctx).Raw(
			"SELECT COUNT(*) FROM sales WHERE id >= ? AND permit_at IS NOT NULL", store.FirstID(last.BeganAt),
		).Scan(&sent).Error
		if err != nil || sent < recordsAfter {
			return err
		}
	}
	// A cashier may wait for what the limit still gives.
	_, err = s.LookAtRecords(apiclient.WithPriority(ctx, apiclient.PriorityBackground), "", false)
	if errors.Is(err, apiclient.ErrBudget) {
		s.d.Log.InfoContext(ctx, "reconcile.look_put_off", "error", err)
		err = nil
	}
	_, drawers := s.LookAtDrawers(ctx, "")
	return errors.Join(err, drawers)
}

// looksLate is how much later than it should a look may come and still be on time.
const looksLate = 15 * time.Minute

// LastWhole is since when records, drawers and balance have all been compared with
// the books, the zero time if one of them never was; late says that one of them is
// due by now, so that nobody knows whether they still agree.
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
		oldest(run.BeganAt, recordsEvery)
	}
	balance, err := s.LastBalance(ctx)
	if err != nil || balance == nil {
		return time.Time{}, true, err
	}
	oldest(balance.ToldAt, balanceEvery)
	return at, late, nil
}

// LastRun is the last look of a kind that came to something, nil if there was
// none.
func (s *Service) LastRun(ctx context.Context, what string) (*Run, error) {
	return lastRun(s.d.DB.Read(ctx), what)
}

func lastRun(session *gorm.DB, what string) (*Run, error) {
	last, err := store.First[Run](session.Where("what = ? AND error = ''", what).Order("id DESC"))
	return last, fault.Doing("last look", err)
}

// QuietCheck compares the balance while nothing is under way, once a day: only
// then does it have to agree to the last digit. It waits a while for such a
// moment, and takes the balance as it is if none comes.
func (s *Service) QuietCheck(ctx context.Context) error {
	last, err := s.LastQuiet(ctx)
	if err != nil || last != nil && s.d.Now().Sub(last.ToldAt) < quietEvery {
		return err
	}
	if err := s.waitForQuiet(ctx); err != nil {
		return err
	}
	run := Run{ID: store.NewID(s.d.Now()), What: "balance", BeganAt: store.Moment(s.d.Now())}
	if err := s.CheckBalance(ctx, ""); err != nil {
		return err
	}
	return s.storeRun(ctx, &run)
}

// LastQuiet is the last balance that was compared while nothing was under way,
// nil if there was none.
func (s *Service) LastQuiet(ctx context.Context) (*UpstreamBalance, error) {
	found, err := store.First[UpstreamBalance](
		s.d.DB.Read(ctx).Where("judged_at IS NOT NULL AND open_set = '' AND verdict <> ?", Superseded).Order("id DESC"),
	)
	return found, fault.Doing("last quiet balance", err)
}

func (s *Service) waitForQuiet(ctx context.Context) error {
	tick := time.NewTicker(quietTry)
	defer tick.Stop()
	for waited := time.Duration(0); waited < quietFor; waited += quietTry {
		var open int64
		err := s.d.DB.Read(ctx).Raw(
			"SELECT COUNT(*) FROM sales WHERE next_check_at IS NOT NULL AND fulfilment IN ? AND practice = ?",
			sales.OpenStates(), false,
		).Scan(&open).Error
		if err != nil || open == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}
