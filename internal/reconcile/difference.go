package reconcile

import (
	"context"
	"strconv"
	"time"

	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// conclude acts on what a difference turned out to be: it books a refund or a payment, notes in its break that
// a sale was not charged, looks up a doubtful sale together with all it could be confused with, and makes a
// break of a partial refund or an unexplained rest.
func (s *Service) conclude(ctx context.Context, w scales, all []cause, e explanation) (verdict Judgement, err error) {
	var doubtful []string
	err = s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		for _, i := range e.whole {
			if all[i].what == byDoubtful {
				doubtful = append(doubtful, alike(all, all[i])...)
				continue
			}
			if err := s.bookCause(ctx, tx, all[i]); err != nil {
				return err
			}
		}
		if err := s.fade(ctx, tx, w.undone); err != nil {
			return err
		}
		verdict = Explained
		if !e.complete() {
			verdict = Confirmed
			if err := s.storeDifference(ctx, tx, w, all, e); err != nil {
				return err
			}
		}
		return note(tx, w.told, verdict, e.unknown+e.paid, s.d.Now())
	})
	for _, ref := range doubtful {
		if err == nil {
			err = s.d.Sales.LookSoon(ctx, ref)
		}
	}
	return verdict, err
}

// alike are the refs of doubtful transfers of the same amount.
func alike(all []cause, one cause) (refs []string) {
	for _, c := range all {
		if c.what == byDoubtful && c.value == one.value {
			refs = append(refs, c.ref)
		}
	}
	return refs
}

// bookCause books one cause.
func (s *Service) bookCause(ctx context.Context, tx *store.Tx, c cause) error {
	switch c.what {
	case byTopUp:
		return s.bookTopUp(ctx, tx, c.paid)
	case byMissing:
		return tx.Model(&Break{}).Where(
			"id = ? AND "+unresolvedSQL, c.broken.ID,
		).Update("float_micros", c.value).Error
	case byUndone:
		return s.fade(ctx, tx, []Break{c.broken})
	default: // byReceivable
		if err := s.d.Sales.Repaid(ctx, tx, c.sale); err != nil || c.broken.ID == "" {
			return err
		}
		return s.fade(ctx, tx, []Break{c.broken})
	}
}

// storeDifference makes a break of what an explanation leaves to a person.
func (s *Service) storeDifference(ctx context.Context, tx *store.Tx, w scales, all []cause, e explanation) error {
	b, err := w.draft(all, e)
	if err != nil {
		return err
	}
	if e.part >= 0 && all[e.part].broken.Kind == RefundOverdue { // a part of it has come
		if err := s.fade(ctx, tx, []Break{all[e.part].broken}); err != nil {
			return err
		}
	}
	_, err = s.storeBreaks(tx, []Break{b})
	return err
}

// draft is that break. A partial refund may be of another sale as well, if more than one is owed alike: then
// its candidates name them.
func (w scales) draft(all []cause, e explanation) (Break, error) {
	b := Break{
		Kind: BalanceDown, Subject: w.told.ID, Micros: e.unknown, FloatMicros: e.unknown, Currency: w.told.Currency,
		TheirsAt: &w.told.ToldAt,
	}
	switch {
	case e.part >= 0:
		owed := all[e.part]
		b.Kind, b.Subject, b.SaleID = PartialRefund, owed.sale, owed.sale
		b.Micros, b.FloatMicros = e.paid-owed.value, owed.broken.FloatMicros+e.paid
		var alike []cause
		for _, i := range e.alike {
			alike = append(alike, all[i])
		}
		all = alike
	case e.unknown > 0:
		b.Kind = BalanceUp
	}
	b.Digest = digestOf(strconv.FormatInt(b.Micros, 10), strconv.FormatInt(b.FloatMicros, 10))
	err := b.setEvidence(w.evidence(all))
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
		if c.what == byUndone { // another break, shown in the queue
			continue
		}
		e.Candidates = append(e.Candidates, Candidate{
			What: c.what, SaleID: c.sale, BreakID: c.broken.ID, Amount: amount(c.value),
		})
	}
	return e
}

const (
	mostCandidates = 10
	// refundWithin is how long the upstream may take to pay back a failed batch.
	refundWithin = 72 * time.Hour
)

// overdue makes breaks of refunds owed for days, and ends those of refunds that came some other way.
func (s *Service) overdue(tx *store.Tx, currency money.Currency) error {
	late, err := store.All[sales.Sale](tx.Where(
		"receivable_micros > 0 AND send_currency = ? AND practice = ? AND final_at < ?", currency, false,
		seenSince(s.d.Now(), refundWithin),
	).Where("id NOT IN (SELECT subject FROM breaks WHERE COALESCE(kind, '') = ? AND "+unresolvedSQL+")", PartialRefund))
	if err != nil {
		return err
	}
	for i := range late {
		sold := soldOf(&late[i])
		b := Break{
			Kind: RefundOverdue, Subject: sold.ID, SaleID: sold.ID, ShopID: sold.ShopID,
			Micros: -late[i].ReceivableMicros, Currency: currency,
			Digest: digestOf(strconv.FormatInt(late[i].ReceivableMicros, 10)), OursAt: late[i].FinalAt,
		}
		if err := b.setEvidence(Evidence{Ours: sold.side(nil)}); err != nil {
			return err
		}
		if _, err = s.storeBreaks(tx, []Break{b}); err != nil {
			return err
		}
	}
	return nil
}
