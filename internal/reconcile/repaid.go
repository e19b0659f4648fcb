package reconcile

import (
	"context"
	"maps"
	"slices"

	"airtill/internal/ledger"
	"airtill/internal/sales"
)

// quiet is the state of the books around a question for the balance: the
// answer is comparable only if nothing moved meanwhile, and nothing is under
// way whose effect upstream is not known.
type quiet struct {
	posting int64 // the last one
	unsure  int64 // sales that may or may not have moved the float upstream
}

func (s *Service) quiet(ctx context.Context) (q quiet, err error) {
	db := s.DB.Read(ctx)
	if err = db.Raw("SELECT COALESCE(MAX(id), 0) FROM postings").Scan(&q.posting).Error; err != nil {
		return q, wrapped("read the books", err)
	}
	// What is open has a time to look at it; an accepted batch transfer has been
	// deducted and stands outside the float already.
	err = db.Raw(`SELECT COUNT(*) FROM sales WHERE next_check_at IS NOT NULL AND practice = ?
		AND fulfilment IN ? AND NOT (processing_mode = 'Batch' AND fulfilment IN ?)`,
		false, sales.OpenStates(), []sales.State{sales.Submitted, sales.Processing}).Scan(&q.unsure).Error
	return q, wrapped("read open sales", err)
}

// findRepaid finds what the upstream has paid back of what it owes. A refund
// comes without a notice: it shows in the balance alone. Only an exact match
// with what is owed for certain sales is taken, beside the differences that are
// known; what is left over is a difference that a person looks at.
func (s *Service) findRepaid(ctx context.Context, before quiet, told UpstreamBalance) error {
	var unresolved []Break
	if err := s.DB.Read(ctx).Where("state <> ?", Resolved).Find(&unresolved).Error; err != nil {
		return wrapped("find known differences", err)
	}
	owed, err := receivables(s.DB.Read(ctx), told.Currency, unresolved)
	if err != nil || len(owed) == 0 {
		return wrapped("find what is owed", err)
	}
	after, err := s.quiet(ctx)
	if err != nil || before != after || before.unsure > 0 {
		return err
	}
	float, err := s.Ledger.Balance(ctx, ledger.Float, told.Currency)
	if err != nil {
		return err
	}
	rest := told.Micros - float.Micros() - floatOf(unresolved, told.Currency)
	paid := summingTo(values(owed), rest)
	if paid == nil {
		_, err := s.allRepaid(ctx, scales{told: told, unresolved: unresolved}, rest)
		return err
	}
	return wrapped("book what was paid back", s.explained(ctx, scales{told: told}, owed, paid))
}

// allRepaid: a part of a refund, or refunds among other things under way, are a
// difference that a person is asked about. When the balance shows all that is
// owed after all, there is nothing left to ask. rest is by how much the balance
// differs beside what is known.
func (s *Service) allRepaid(ctx context.Context, w scales, rest int64) (bool, error) {
	for _, b := range w.unresolved {
		if b.Currency == w.told.Currency && (b.Kind == BalanceUp || b.Kind == BalanceDown || b.Kind == PartialRefund || b.Kind == RefundOverdue) {
			w.undone = append(w.undone, b)
		}
	}
	owed, err := receivables(s.DB.Read(ctx), w.told.Currency, nil)
	if err != nil || len(w.undone) == 0 || len(owed) == 0 {
		return false, wrapped("find what is owed", err)
	}
	rest += floatOf(w.undone, w.told.Currency)
	var all []int
	for i, c := range owed {
		rest -= c.value
		all = append(all, i)
	}
	if rest != 0 {
		return false, nil
	}
	return true, wrapped("book what was paid back", s.explained(ctx, w, owed, all))
}

// mostSums bounds the search for sales that make up a sum.
const mostSums = 10_000

// summingTo picks amounts that make exactly a sum, the first ones first, by their
// indexes; none if there are none.
func summingTo(owed []int64, sum int64) []int {
	type step struct{ last, rest int64 } // index of the last one in it, and the sum without it
	reached := map[int64]step{0: {last: -1}}
	for i := range owed {
		for _, have := range slices.Collect(maps.Keys(reached)) { // the new ones count from the next on
			next := have + owed[i]
			if _, known := reached[next]; !known && next <= sum && len(reached) < mostSums {
				reached[next] = step{last: int64(i), rest: have}
			}
		}
	}
	var picked []int
	if _, found := reached[sum]; !found || sum <= 0 {
		return nil
	}
	for sum > 0 {
		at := reached[sum]
		picked = append(picked, int(at.last))
		sum = at.rest
	}
	return picked
}
