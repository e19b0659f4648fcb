package reconcile

import (
	"context"
	"slices"

	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// quiet is the state of the books around a question for the balance: the answer is comparable only if nothing
// moved meanwhile, and nothing is under way with an unknown effect upstream.
type quiet struct {
	Posting int64 // the last one
	Unsure  int64 // sales that may or may not have moved the float upstream
	Batches int64 // accepted batch transfers: one that has failed since is refunded
}

func (s *Service) quiet(ctx context.Context) (q quiet, err error) {
	// What is open has a time for its next look; an accepted batch transfer has been deducted and is outside
	// the float already.
	err = s.d.DB.Read(ctx).Raw(`SELECT (SELECT COALESCE(MAX(id), 0) FROM postings) AS posting,
			COUNT(CASE WHEN NOT (processing_mode = 'Batch' AND fulfilment IN @accepted) THEN 1 END) AS unsure,
			COUNT(CASE WHEN processing_mode = 'Batch' AND fulfilment IN @accepted THEN 1 END) AS batches
		FROM sales WHERE next_check_at IS NOT NULL AND practice = @no AND fulfilment IN @open`,
		map[string]any{
			"no": false, "open": sales.OpenStates(), "accepted": []sales.State{sales.Submitted, sales.Processing},
		}).Scan(&q).Error
	return q, fault.Doing("read the books", err)
}

// findRepaid finds what the upstream has paid back of its debt. A refund comes without notice and shows only
// in the balance. Only an exact match with what certain sales are owed counts, apart from known differences;
// any rest is left to a person. While batch transfers are under way only fresh debts count: a sum that matches
// an old one may be the refund of one that has failed unseen.
func (s *Service) findRepaid(ctx context.Context, before quiet, told UpstreamBalance) error {
	unresolved, err := store.All[Break](s.d.DB.Read(ctx).Where(unresolvedSQL))
	if err != nil {
		return fault.Doing("find known differences", err)
	}
	owed, err := receivables(s.d.DB.Read(ctx), told.Currency, unresolved)
	if err != nil || len(owed) == 0 {
		return fault.Doing("find what is owed", err)
	}
	after, err := s.quiet(ctx)
	if err != nil || before != after || before.Unsure > 0 {
		return err
	}
	float, err := s.d.Ledger.Balance(ctx, ledger.Float, told.Currency)
	if err != nil {
		return err
	}
	rest := told.Micros - float.Micros() - floatOf(unresolved, told.Currency)
	e := explain(rest, owed)
	switch {
	case !e.complete():
		_, err = s.allRepaid(ctx, scales{told: told, unresolved: unresolved}, rest)
	case len(e.whole) == 0:
	case before.Batches == 0 || !slices.ContainsFunc(e.whole, func(i int) bool { return !owed[i].fresh }):
		_, err = s.conclude(ctx, scales{told: told}, owed, e)
	}
	return fault.Doing("book what was paid back", err)
}

// allRepaid closes the question when the balance shows everything owed after all: a partial refund, or refunds
// amid other things under way, are a difference a person is asked about. rest is how much the balance differs
// beyond what is known.
func (s *Service) allRepaid(ctx context.Context, w scales, rest int64) (bool, error) {
	for _, b := range w.unresolved {
		if b.Currency == w.told.Currency &&
			(b.Kind == BalanceUp || b.Kind == BalanceDown || b.Kind == PartialRefund || b.Kind == RefundOverdue) {
			w.undone = append(w.undone, b)
		}
	}
	owed, err := receivables(s.d.DB.Read(ctx), w.told.Currency, nil)
	if err != nil || len(w.undone) == 0 || len(owed) == 0 {
		return false, fault.Doing("find what is owed", err)
	}
	rest += floatOf(w.undone, w.told.Currency)
	everything := explanation{part: -1}
	for i, c := range owed {
		rest -= c.value
		everything.whole = append(everything.whole, i)
	}
	if rest != 0 {
		return false, nil
	}
	_, err = s.conclude(ctx, w, owed, everything)
	return true, fault.Doing("book what was paid back", err)
}
