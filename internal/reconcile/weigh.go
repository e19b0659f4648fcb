package reconcile

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// judgedAtOnce is how many balances are judged together.
const judgedAtOnce = 100

// waitForSales is how long a balance waits for its open sales to end; a batch may take days. After that, it is
// judged by what they may have done.
const waitForSales = 24 * time.Hour

// JudgeBalances compares balances with our books as soon as the outcomes of sales then under way are known. It
// returns the last verdict, "" if nothing was judged.
func (s *Service) JudgeBalances(ctx context.Context) (last Judgement, err error) {
	waiting, err := store.All[UpstreamBalance](s.d.DB.Read(ctx).
		Where("judged_at IS NULL AND books_micros IS NOT NULL").Order("id").Limit(judgedAtOnce))
	if err != nil {
		return "", fmt.Errorf("balances to judge: %w", err)
	}
	for _, told := range waiting {
		verdict, err := s.judgeBalance(ctx, told)
		if err != nil {
			return last, fmt.Errorf("judge balance: %w", err)
		}
		if verdict != "" {
			last = verdict
			s.d.Log.InfoContext(
				ctx, "balance.judged", "balance", told.ID, "verdict", verdict, "micros", told.Micros, "currency",
				told.Currency,
			)
		}
	}
	return last, nil
}

// scales is one weighing of a balance.
type scales struct {
	told       UpstreamBalance
	sales      []under
	unresolved []Break
	difference int64   // told, less books and known breaks
	undone     []Break // end with whatever explains the balance
}

func (s *Service) judgeBalance(ctx context.Context, told UpstreamBalance) (Judgement, error) {
	mended, err := s.mendedSince(ctx, told.AskedAt)
	if err != nil {
		return "", err
	}
	if mended {
		return s.pronounce(ctx, told, Superseded, 0)
	}
	w := scales{told: told}
	if w.sales, err = underWay(s.d.DB.Read(ctx), told.open()); err != nil {
		return "", err
	}
	if !w.ready(s.d.Now()) {
		return "", nil
	}
	if err := s.d.DB.Read(ctx).Where(unresolvedSQL).Order("found_at, id").Find(&w.unresolved).Error; err != nil {
		return "", err
	}
	w.difference = told.Micros - *told.BooksMicros - floatOf(w.unresolved, told.Currency)
	agrees, sure := reaches(w.difference, w.options())
	switch {
	case !sure:
		return s.pronounce(ctx, told, Superseded, 0)
	case agrees:
		return s.agree(ctx, w)
	}
	return s.differs(ctx, w)
}

// ready says whether everything under way has ended, or was waited for long enough.
func (w scales) ready(now time.Time) bool {
	for _, u := range w.sales {
		if u.Fulfilment.Open() && !u.wentOn(w.told) && now.Sub(w.told.AskedAt) < waitForSales {
			return false
		}
	}
	return true
}

func (w scales) options() (all [][]int64) {
	for _, u := range w.sales {
		all = append(all, u.options(w.told))
	}
	return all
}

// rest is the difference if everything under way ended, unless known to have gone on.
func (w scales) rest() int64 {
	rest := w.difference
	for _, u := range w.sales {
		rest -= u.most(w.told)
	}
	return rest
}

// floatOf is how much known breaks make the upstream's balance differ.
func floatOf(unresolved []Break, currency money.Currency) (sum int64) {
	for _, b := range unresolved {
		if b.Currency == currency {
			sum += b.FloatMicros
		}
	}
	return sum
}

// mendedSince says whether something booked or found since a balance changes what it should have been.
func (s *Service) mendedSince(ctx context.Context, at time.Time) (bool, error) {
	var found bool
	session := s.d.DB.Read(ctx)
	err := session.Raw(`SELECT EXISTS (SELECT 1 FROM break_acts JOIN breaks ON id = break_id
		WHERE at > ? AND act = 'found' AND float_micros <> 0)`, store.Moment(at),
	).Scan(&found).Error
	if err != nil || found {
		return found, err
	}
	return BookedLate(session, at)
}

// BookedLate says whether something booked since a balance may have been in it already: then the books of its
// moment are no measure.
func BookedLate(session *gorm.DB, told time.Time) (late bool, err error) {
	err = session.Raw(`SELECT EXISTS (SELECT 1 FROM break_acts JOIN breaks ON id = break_id
		WHERE at > @told AND act IN ('changed', 'reopened', 'resolved', 'faded', 'undone') AND kind NOT IN @cash)
		OR EXISTS (SELECT 1 FROM top_ups WHERE seen_at > @told) OR EXISTS (SELECT 1 FROM foreign_sales
		WHERE booked_at > @told)
		OR EXISTS (SELECT 1 FROM incidents WHERE at > @told AND kind IN @late)
		OR EXISTS (SELECT 1 FROM upstream_balances WHERE verdict = 'explained' AND judged_at > @told)`, map[string]any{
		"told": store.Moment(told), "cash": []Kind{CashShort, CashOver},
		"late": []sales.IncidentKind{sales.LateSuccess, sales.LateReversal, sales.ExecutedTwice},
	}).Scan(&late).Error
	return late, fault.Doing("what was booked late", err)
}

func (s *Service) pronounce(
	ctx context.Context, told UpstreamBalance, verdict Judgement, difference int64,
) (Judgement, error) {
	return verdict, s.d.DB.Tx(ctx, func(tx *store.Tx) error { return note(tx, told, verdict, difference, s.d.Now()) })
}

func note(tx *store.Tx, told UpstreamBalance, verdict Judgement, difference int64, now time.Time) error {
	return tx.Exec("UPDATE upstream_balances SET judged_at = ?, verdict = ?, difference_micros = ? WHERE id = ? AND "+
		"judged_at IS NULL",
		store.Moment(now), verdict, difference, told.ID).Error
}

// agree ends breaks of refunds that came, and looks for overdue ones.
func (s *Service) agree(ctx context.Context, w scales) (Judgement, error) {
	if repaid, err := s.allRepaid(ctx, w, 0); err != nil || repaid {
		return Explained, err
	}
	err := s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := s.overdue(tx, w.told.Currency); err != nil {
			return err
		}
		return note(tx, w.told, Agrees, 0, s.d.Now())
	})
	return Agrees, err
}

// differs deals with a difference that sales under way do not explain. It is believed when two balances in a
// row show it, with a look at the records, which explain most, in between.
func (s *Service) differs(ctx context.Context, w scales) (Judgement, error) {
	rest := w.rest()
	reversing, err := s.reversing(ctx)
	if err != nil {
		return "", err
	}
	before, err := s.judgedBefore(ctx, w.told)
	if err != nil {
		return "", err
	}
	if reversing || before == nil || before.Verdict != Differs || before.DifferenceMicros != rest || w.shares(*before) {
		return s.pronounce(ctx, w.told, Differs, rest)
	}
	if looked, err := s.lookedSince(ctx, before.ToldAt); err != nil {
		return "", err
	} else if !looked {
		return s.pronounce(ctx, w.told, Differs, rest)
	}
	if repaid, err := s.allRepaid(ctx, w, rest); err != nil || repaid {
		return Explained, err
	}
	all, err := s.causes(ctx, w.told.Currency, w.unresolved)
	if err != nil {
		return "", err
	}
	return s.conclude(ctx, w, all, explain(rest, all))
}

// shares says whether a sale that has ended was under way at both balances. Nobody knows how much of it they
// showed, so both may be off alike, and one proves nothing for the other. A sale still seen under way after
// the first balance was shown exactly by it.
func (w scales) shares(before UpstreamBalance) bool {
	open := before.open()
	return slices.ContainsFunc(w.sales, func(u under) bool {
		return !u.Fulfilment.Open() && !u.wentOn(before) && slices.Contains(open, u.ID)
	})
}

// lookedSince says whether the upstream's records were looked at since.
func (s *Service) lookedSince(ctx context.Context, at time.Time) (bool, error) {
	last, err := s.LastRun(ctx, "records")
	return last != nil && !last.BeganAt.Before(at), err
}

// reversing says whether a reversal was seen once and must be seen again: the balance shows it before the
// books do.
func (s *Service) reversing(ctx context.Context) (bool, error) {
	return store.Some(s.d.DB.Read(ctx).Model(&sales.Sale{}).Where(
		"next_check_at IS NOT NULL AND reversal_seen_at IS NOT NULL",
	))
}

// judgedBefore is the last earlier balance with a verdict.
func (s *Service) judgedBefore(ctx context.Context, told UpstreamBalance) (*UpstreamBalance, error) {
	return store.First[UpstreamBalance](
		s.d.DB.Read(ctx).Where(
			"id < ? AND judged_at IS NOT NULL AND verdict <> ? AND currency = ?", told.ID, Superseded, told.Currency,
		).Order("id DESC"),
	)
}
