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
	all, err := store.All[Break](s.d.DB.Read(ctx).Where(&Break{ShopID: shopID}).
		Where("state = ? AND currency = ? AND float_micros = ?", Open, b.Currency, -b.FloatMicros).
		Where("kind NOT IN ?", []Kind{PartialRefund, RefundOverdue}).Order("found_at, id"))
	return all, fault.Doing("find what makes up for a break", err)
}

// Match says that two breaks are two sides of one thing, such as an unlisted sale and a record of it under a
// foreign ref. Both end, and nothing is booked. It fails with fault.Conflict unless they offset each other to
// the last digit.
func (s *Service) Match(ctx context.Context, id, other string, by audit.Actor, note string) error {
	return fault.Doing("match breaks", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		var pair []*Break
		// in a fixed order, to avoid deadlocks
		for _, one := range slices.Sorted(slices.Values([]string{id, other})) {
			b, err := lockBreak(tx, "id = ?", one)
			if err != nil {
				return err
			}
			pair = append(pair, &b)
		}
		a, b := pair[0], pair[1]
		switch {
		case a.State != Open || b.State != Open:
			return errSettled
		case a.ID == b.ID || a.Currency != b.Currency || a.FloatMicros == 0 || a.FloatMicros != -b.FloatMicros ||
			!a.Kind.ofRecords() || !b.Kind.ofRecords():
			return errNoPair
		case strings.TrimSpace(note) == "":
			return errNoReason
		}
		a.Reference, b.Reference = b.ID, a.ID
		for _, one := range pair {
			if err := s.endMatched(ctx, tx, one, by, note); err != nil {
				return err
			}
		}
		return nil
	}))
}

// endMatched ends one of a pair. If its evidence changes, it opens again with the change alone. No list
// changes what the balance says of a sale.
func (s *Service) endMatched(ctx context.Context, tx *store.Tx, b *Break, by audit.Actor, note string) error {
	if !b.Kind.ofBalance() {
		b.BookedMicros += b.FloatMicros
	}
	return s.resolve(ctx, tx, b, by, Matched, note, audit.Entry{Act: audit.BreakMatched, Reason: note})
}
