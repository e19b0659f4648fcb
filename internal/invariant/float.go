package invariant

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/reconcile"
	"airtill/internal/store"
)

// snapshotsSeen is how many balances back one told at rest is looked for.
const snapshotsSeen = 500

// float is I5: the float account is the upstream's balance to the last digit. If nothing is open it asks for
// the balance, and judges it unless something was booked meanwhile. Otherwise it judges the latest balance
// told while nothing was open, by the books of that moment.
func (s *Service) float(ctx context.Context, f *Finding) error {
	told, booked, err := s.toldNow(ctx, f)
	if told == nil && err == nil {
		told, booked, err = s.toldThen(ctx, f)
	}
	if err != nil {
		return err
	}
	if told == nil {
		f.Notes = append(f.Notes, Note{Kind: FloatBusy})
		return nil
	}
	f.Checked = 1
	known, err := s.known(ctx, told)
	if err != nil {
		return err
	}
	switch {
	case booked == told.Micros && known != 0:
		f.Notes = append(f.Notes, Note{Kind: StillDiffers, Micros: known, Currency: told.Currency})
	case booked+known != told.Micros:
		amount := func(micros int64) money.Amount { return money.Of(micros, told.Currency) }
		f.Blame("account.float", string(ledger.Float), amount(booked), amount(told.Micros), amount(known))
	case known != 0:
		f.Notes = append(f.Notes, Note{Kind: KnownDifferences, Micros: known, Currency: told.Currency})
	}
	return nil
}

// known is how much of a balance the differences in the queue explain.
func (s *Service) known(ctx context.Context, told *reconcile.UpstreamBalance) (micros int64, err error) {
	micros, err = store.Value[int64](s.d.DB.Read(ctx).Raw(
		"SELECT COALESCE(SUM(float_micros), 0) FROM breaks "+
			"WHERE state <> 'resolved' AND currency = ? AND COALESCE(theirs_at, found_at) <= ?",
		told.Currency, told.ToldAt))
	return micros, fault.Doing("known differences", err)
}

// toldNow asks for the balance between two equal looks at the books; nil if they differ or nobody answers.
func (s *Service) toldNow(ctx context.Context, f *Finding) (*reconcile.UpstreamBalance, int64, error) {
	before, err := s.atRest(ctx)
	if err != nil || !before.Rest || s.d.Balance == nil {
		return nil, 0, err
	}
	told, err := s.d.Balance(ctx)
	if err != nil {
		f.Notes = []Note{{Kind: BalanceNotTold}}
		s.d.Log.WarnContext(ctx, "verify.balance_not_told", "error", err)
		return nil, 0, nil
	}
	after, err := s.atRest(ctx)
	if err != nil || after != before {
		return nil, 0, err
	}
	booked, err := store.Value[int64](s.d.DB.Read(ctx).Raw(`
		SELECT COALESCE(SUM(micros), 0) FROM postings WHERE account = ? AND currency = ? AND (id <= ? OR kind = 'J18')`,
		ledger.Float, told.Currency, after.Posting))
	return &told, booked, err
}

// toldThen goes by the times of postings, toldNow by their order.
func (s *Service) toldThen(ctx context.Context, f *Finding) (*reconcile.UpstreamBalance, int64, error) {
	told, err := s.toldAtRest(ctx)
	if err != nil || told == nil {
		return nil, 0, err
	}
	f.Notes = append(f.Notes, Note{Kind: AsOf, At: told.ToldAt.UTC()})
	session := s.d.DB.Read(ctx)
	low, high, err := around(session, told.ToldAt, told.ToldAt)
	if err != nil {
		return nil, 0, err
	}
	// Only of those booked around that time are rows read, for their times.
	booked, err := store.Value[int64](session.Raw(`SELECT COALESCE((SELECT SUM(micros) FROM postings
		WHERE account = @account AND currency = @currency AND id <= @low), 0)
		+ COALESCE((SELECT SUM(micros) FROM postings WHERE account = @account AND currency = @currency AND id > @low
		AND id <= @high AND at <= @told), 0)`,
		map[string]any{
			"account": ledger.Float, "currency": told.Currency, "low": low, "high": high, "told": told.ToldAt,
		}))
	return told, booked, err
}

// around is the ids of postings that may have been booked between two moments: above low, up to high.
func around(session *gorm.DB, from, to time.Time) (low, high int64, err error) {
	if low, err = ledger.LastBefore(session, from.Add(-ledger.Slack)); err != nil {
		return 0, 0, err
	}
	high, err = ledger.LastBefore(session, to.Add(ledger.Slack))
	return low, high, err
}

// look is the books at one moment.
type look struct {
	Rest    bool
	Posting int64 // the highest; a balance may come with the opening of the books
}

func (s *Service) atRest(ctx context.Context) (l look, err error) {
	l, err = store.Value[look](s.d.DB.Read(ctx).Raw(
		"SELECT " + nothingOpen +
			" AS rest, (SELECT COALESCE(MAX(id), 0) FROM postings WHERE kind <> 'J18') AS posting",
	))
	return l, fault.Doing("is anything open", err)
}

// margin is how close to a told balance a posting may have come before or after it.
const margin = 5 * time.Second

// toldAtRest returns the latest balance told while no sale was open and nothing was booked on the float. It
// must be younger than the last resolved difference, and than any other booking it may have shown already,
// because the books of its moment lack those. While a reversal waits to be seen again, none will do.
func (s *Service) toldAtRest(ctx context.Context) (*reconcile.UpstreamBalance, error) {
	var unrest bool
	if err := s.d.DB.Read(ctx).Raw(
		"SELECT EXISTS (SELECT 1 FROM sales WHERE receivable_micros > 0) OR " + reversing,
	).Scan(&unrest).Error; err != nil || unrest {
		return nil, err
	}
	told, err := store.All[reconcile.UpstreamBalance](
		s.d.DB.Read(ctx).Where("open_sales = 0").Order("id DESC").Limit(snapshotsSeen),
	)
	if err != nil {
		return nil, fmt.Errorf("balances told: %w", err)
	}
	for _, balance := range told {
		busy, err := s.busy(ctx, balance)
		if err != nil {
			return nil, fmt.Errorf("was a balance told at rest: %w", err)
		}
		if busy {
			continue
		}
		if late, err := reconcile.BookedLate(s.d.DB.Read(ctx), balance.AskedAt); err != nil || late {
			return nil, err
		}
		return &balance, nil
	}
	return nil, nil
}

// busy says whether something was booked on the float around a balance. It reads the postings of those hours
// only.
func (s *Service) busy(ctx context.Context, told reconcile.UpstreamBalance) (busy bool, err error) {
	session, from, to := s.d.DB.Read(ctx), told.AskedAt.Add(-margin), told.ToldAt.Add(margin)
	low, high, err := around(session, from, to)
	if err != nil {
		return false, err
	}
	return store.Value[bool](session.Raw(`SELECT EXISTS (SELECT 1 FROM postings
		WHERE id > ? AND id <= ? AND account || '' IN ? AND kind <> 'J18' AND at > ? AND at <= ?)`,
		low, high, []ledger.Account{ledger.Float, ledger.Reserved, ledger.BatchClearing}, from, to))
}
