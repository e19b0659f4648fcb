package reconcile

import (
	"context"
	"slices"
	"strings"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

var errNoPair = fault.New(fault.Conflict, "break.no-pair")

// Counterparts are the open breaks that offset one: the balance is lower by them as it is higher by this one,
// or the reverse; all of them, as the one sought may be any. shopID limits them to one shop; "" sees all.
func (s *Service) Counterparts(ctx context.Context, b Break, shopID string) ([]Break, error) {
	if b.State != Open || b.FloatMicros == 0 || !b.Kind.ofRecords() {
		return nil, nil
	}
	all, err := store.All[Break](QueueFilter{ShopID: shopID}.apply(s.d.DB.Read(ctx)).
		Where("state = ? AND currency = ? AND float_micros = ?", Open, b.Currency, -b.FloatMicros).
		Where("kind NOT IN ?", []Kind{PartialRefund, RefundOverdue}))
	return all, fault.Doing("find what makes up for a break", err)
}

// Match says that two breaks are two sides of one thing, such as an unlisted sale and a record of it under a
// foreign ref. Both end, and nothing is booked. It fails with fault.Conflict unless they offset each other to
// the last digit.
func (s *Service) Match(ctx context.Context, id, other string, by audit.Actor, note string) error {
	return s.onPair(ctx, "match breaks", id, other, func(tx *store.Tx, a, b *Break) error {
		switch {
		case a.State != Open || b.State != Open:
			return errSettled
		case a.Currency != b.Currency || a.FloatMicros == 0 || a.FloatMicros != -b.FloatMicros ||
			!a.Kind.ofRecords() || !b.Kind.ofRecords():
			return errNoPair
		case strings.TrimSpace(note) == "":
			return errNoReason
		}
		a.Reference, b.Reference = b.ID, a.ID
		for _, one := range []*Break{a, b} {
			if err := s.endMatched(ctx, tx, one, by, note); err != nil {
				return err
			}
		}
		return nil
	})
}

// onPair locks two breaks and changes them in one transaction.
func (s *Service) onPair(
	ctx context.Context, what, id, other string, change func(tx *store.Tx, a, b *Break) error,
) error {
	return fault.Doing(what, s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		var pair []*Break
		// in a fixed order, to avoid deadlocks
		for _, one := range slices.Sorted(slices.Values([]string{id, other})) {
			b, err := lockBreak(tx, "id = ?", one)
			if err != nil {
				return err
			}
			pair = append(pair, &b)
		}
		return change(tx, pair[0], pair[1])
	}))
}

// unmatch opens both of a pair again.
func (s *Service) unmatch(ctx context.Context, id, other string, by audit.Actor, note string) error {
	return s.onPair(ctx, "take a match back", id, other, func(tx *store.Tx, a, b *Break) error {
		switch {
		case !a.matchedWith(b) || !b.matchedWith(a) || a.OffsetMicros == 0: // 0: matched before that was stored
			return errSettled
		case strings.TrimSpace(note) == "":
			return errNoReason
		}
		for _, one := range []*Break{a, b} {
			if err := s.openMatched(ctx, tx, one, by, note); err != nil {
				return err
			}
		}
		return nil
	})
}

func (b *Break) matchedWith(other *Break) bool {
	return b.State == Resolved && b.Resolution == Matched && b.Reference == other.ID
}

func (s *Service) openMatched(ctx context.Context, tx *store.Tx, b *Break, by audit.Actor, note string) error {
	b.FloatMicros, b.OffsetMicros = b.OffsetMicros, 0
	if !b.Kind.ofBalance() {
		b.BookedMicros -= b.FloatMicros
	}
	if err := s.openAgain(ctx, tx, b, by, note); err != nil {
		return err
	}
	return tx.Save(b).Error
}

// endMatched ends one of a pair. If its evidence changes, it opens again with the change alone. No list
// changes what the balance says of a sale.
func (s *Service) endMatched(ctx context.Context, tx *store.Tx, b *Break, by audit.Actor, note string) error {
	b.OffsetMicros = b.FloatMicros
	if !b.Kind.ofBalance() {
		b.BookedMicros += b.FloatMicros
	}
	return s.resolve(ctx, tx, b, by, Matched, note, audit.Entry{Act: audit.BreakMatched, Reason: note})
}
