package reconcile

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// explained takes note of what a difference turned out to be: a refund or a
// payment is booked; a sale that was not taken is said so in its break; a sale
// in doubt is looked up at once.
func (s *Service) explained(ctx context.Context, w scales, all []cause, found []int) error {
	var doubtful []string
	err := s.DB.Tx(ctx, func(tx *store.Tx) error {
		for _, i := range found {
			if all[i].what == byDoubtful {
				doubtful = append(doubtful, all[i].sale)
				continue
			}
			if err := s.bookCause(ctx, tx, all[i]); err != nil {
				return err
			}
		}
		if err := s.fade(ctx, tx, w.undone, ""); err != nil {
			return err
		}
		return note(tx, w.told, Explained, 0, s.Now())
	})
	for _, ref := range doubtful {
		if err == nil {
			err = s.Sales.LookSoon(ctx, ref)
		}
	}
	return err
}

// bookCause books one cause.
func (s *Service) bookCause(ctx context.Context, tx *store.Tx, c cause) error {
	switch c.what {
	case byTopUp:
		return s.bookTopUp(ctx, tx, c.paid)
	case byMissing:
		return tx.Model(&Break{}).Where("id = ? AND state <> ?", c.broken.ID, Resolved).Update("float_micros", c.value).Error
	default: // byReceivable
		if err := s.Sales.Repaid(ctx, tx, c.sale); err != nil || c.broken.ID == "" {
			return err
		}
		return s.fade(ctx, tx, []Break{c.broken}, "")
	}
}

// confirmed makes a break of a difference that was seen twice, or ends those
// whose difference is gone.
func (s *Service) confirmed(ctx context.Context, w scales, rest int64, all []cause) error {
	return s.DB.Tx(ctx, func(tx *store.Tx) error {
		if gone := w.gone(rest); gone != nil {
			if err := s.fade(ctx, tx, gone, ""); err != nil {
				return err
			}
			return note(tx, w.told, Explained, 0, s.Now())
		}
		draft, err := w.draft(rest, all)
		if err != nil {
			return err
		}
		if _, err := s.keepBreaks(tx, []Break{draft}); err != nil {
			return err
		}
		return note(tx, w.told, Confirmed, rest, s.Now())
	})
}

// gone returns the breaks of the balance that a difference undoes.
func (w scales) gone(rest int64) []Break {
	var open []Break
	var floats []int64
	for _, b := range w.unresolved {
		if (b.Kind == BalanceUp || b.Kind == BalanceDown) && b.Currency == w.told.Currency {
			open, floats = append(open, b), append(floats, -b.FloatMicros)
		}
	}
	var gone []Break
	for _, i := range explains(rest, floats) {
		gone = append(gone, open[i])
	}
	return gone
}

// draft makes a break of a difference. Less than what the upstream owes for a
// sale is taken for a part of it.
func (w scales) draft(rest int64, all []cause) (Break, error) {
	b := Break{Kind: BalanceDown, Subject: w.told.ID, Micros: rest, FloatMicros: rest, Currency: w.told.Currency, TheirsAt: &w.told.ToldAt}
	if rest > 0 {
		b.Kind = BalanceUp
		for _, c := range all {
			if c.what == byReceivable && c.value > rest {
				paid := c.broken.FloatMicros + rest
				b.Kind, b.Subject, b.SaleID, b.FloatMicros = PartialRefund, c.sale, c.sale, paid
				b.Micros = rest - c.value
				break
			}
		}
	}
	text, err := json.Marshal(w.evidence(all))
	b.Evidence, b.Digest = string(text), digestOf(strconv.FormatInt(b.Micros, 10), strconv.FormatInt(b.FloatMicros, 10))
	return b, err
}

func (w scales) evidence(all []cause) Evidence {
	amount := func(micros int64) string { return money.Of(micros, w.told.Currency).String() }
	e := Evidence{Balance: &BalanceSide{
		Told: amount(w.told.Micros), Expected: amount(w.told.Micros - w.rest()), Open: len(w.sales), At: w.told.ToldAt,
	}}
	for i, c := range all {
		if i == mostCandidates {
			break
		}
		candidate := Candidate{What: c.what, SaleID: c.sale, Amount: amount(c.value)}
		if c.what == byDoubtful {
			candidate.SaleID = c.broken.SaleID
		}
		e.Candidates = append(e.Candidates, candidate)
	}
	return e
}

const (
	mostCandidates = 10
	// refundWithin is how long the upstream may take to pay back a failed batch.
	refundWithin = 72 * time.Hour
)

// overdue makes breaks of refunds that have been owed for days, and ends those
// of refunds that have come another way.
func (s *Service) overdue(tx *store.Tx, currency money.Currency) error {
	var late []sales.Sale
	err := tx.Where("receivable_micros > 0 AND send_currency = ? AND practice = ? AND final_at < ?", currency, false, seenSince(s.Now(), refundWithin)).Find(&late).Error
	if err != nil {
		return err
	}
	for i := range late {
		sold := soldOf(&late[i])
		var partly int64
		if err := tx.Model(&Break{}).Where("kind = ? AND subject = ? AND state <> ?", PartialRefund, sold.ID, Resolved).Count(&partly).Error; err != nil {
			return err
		}
		if partly > 0 {
			continue
		}
		text, err := json.Marshal(Evidence{Ours: sold.side(nil)})
		if err != nil {
			return err
		}
		_, err = s.keepBreaks(tx, []Break{{
			Kind: RefundOverdue, Subject: sold.ID, SaleID: sold.ID, ShopID: sold.ShopID, Micros: -late[i].ReceivableMicros, Currency: currency,
			Evidence: string(text), Digest: digestOf(strconv.FormatInt(late[i].ReceivableMicros, 10)), OursAt: late[i].FinalAt,
		}})
		if err != nil {
			return err
		}
	}
	return nil
}
