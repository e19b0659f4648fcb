package reconcile

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// storeBreaks stores what a look found and counts the news: new breaks, and resolved ones reopened by other
// evidence.
func (s *Service) storeBreaks(tx *store.Tx, drafts []Break) (fresh int, err error) {
	for _, draft := range drafts {
		news, err := s.storeBreak(tx, draft)
		if err != nil {
			return fresh, fmt.Errorf("store break: %w", err)
		}
		if news {
			fresh++
		}
	}
	return fresh, nil
}

func (s *Service) storeBreak(tx *store.Tx, draft Break) (news bool, err error) {
	now := store.Moment(s.d.Now())
	draft.ID, draft.State, draft.FoundAt, draft.SeenAt, draft.Acts = store.NewID(now), Open, now, now, 0
	if err := withLedger(tx, &draft); err != nil {
		return false, err
	}
	made := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&draft)
	if made.Error != nil {
		return false, made.Error
	}
	if made.RowsAffected == 1 {
		return true, s.act(tx, &draft, "", "found", "")
	}
	known, err := lockBreak(tx, "kind = ? AND subject = ?", draft.Kind, draft.Subject)
	if err != nil {
		return false, err
	}
	return s.seenAgain(tx, known, draft)
}

// seenAgain brings a break up to date. A resolved one opens again if its evidence has changed.
func (s *Service) seenAgain(tx *store.Tx, known, now Break) (reopened bool, err error) {
	same := known.sameAs(now)
	if known.settled() && same {
		return false, tx.Model(&known).Update("seen_at", now.SeenAt).Error
	}
	what := ""
	switch {
	case known.settled():
		reopened, what = true, "reopened"
		known.State, known.Resolution, known.Account = Open, "", ""
		known.ProposedBy, known.ProposedAt, known.ResolvedBy, known.ResolvedAt = "", nil, "", nil
		known.Reopened++
	case !same:
		what = "changed"
		// nobody agreed to this
		known.State, known.Resolution, known.Account, known.ProposedBy, known.ProposedAt = Open, "", "", "", nil
	}
	if !same || !known.Kind.ofBalance() {
		known.FloatMicros = now.FloatMicros - known.BookedMicros
	}
	known.Micros, known.Currency = now.Micros, cmp.Or(now.Currency, known.Currency) // a failed record tells none
	known.Evidence, known.Digest, known.SeenAt = now.Evidence, now.Digest, now.SeenAt
	known.OursAt, known.TheirsAt = now.OursAt, now.TheirsAt
	if err := tx.Save(&known).Error; err != nil || what == "" {
		return false, err
	}
	return reopened, s.act(tx, &known, "", what, "")
}

// sameAs says whether the evidence is the same. Whoever resolved what only an incident told of knew of no money that a
// list shows unbooked.
func (b Break) sameAs(now Break) bool {
	return b.Digest == now.Digest || (b.Unresolved() || now.FloatMicros == 0) &&
		strings.HasPrefix(b.Digest, toldBySale) && !strings.HasPrefix(now.Digest, toldBySale)
}

// act records what was done to a break, and logs it after commit.
func (s *Service) act(tx *store.Tx, b *Break, actor, act, note string) error {
	b.Acts++
	if err := tx.Create(&Act{
		BreakID: b.ID, Seq: b.Acts, At: store.Moment(s.d.Now()), Actor: actor, Act: act, Note: note,
	}).Error; err != nil {
		return err
	}
	ctx, done := tx.Statement.Context, *b
	tx.AfterCommit(func() {
		s.d.Log.InfoContext(
			ctx, "difference."+act, "difference", done.ID, "kind", done.Kind, "subject", done.Subject, "micros",
			done.Micros, "currency", done.Currency, "by", actor,
		)
	})
	return tx.Model(&Break{}).Where("id = ?", b.ID).Update("acts", b.Acts).Error
}

// lastDone says whether an act is the last that was done to a break: a form may be sent again by whoever was not told
// what became of it.
func lastDone(tx *store.Tx, b *Break, actor, act, note string) (bool, error) {
	return store.Some(tx.Model(&Act{}).Where(
		"break_id = ? AND seq = ? AND actor = ? AND act = ? AND note = ?", b.ID, b.Acts, actor, act, note,
	))
}

// lockBreak reads a break and locks it until the end of the transaction.
func lockBreak(tx *store.Tx, where string, args ...any) (Break, error) {
	return store.One[Break](tx.Raw("SELECT * FROM breaks WHERE "+where+tx.ForUpdate(), args...), errNoBreak)
}

// knownBreak is the stored break of a kind and subject, nil: none yet.
func knownBreak(session *gorm.DB, kind Kind, subject string) (*Break, error) {
	known, err := store.First[Break](session.Where("kind = ? AND subject = ?", kind, subject))
	return known, fault.Doing("find break", err)
}

// withLedger adds what the accounts hold of the sale to the evidence.
func withLedger(tx *store.Tx, b *Break) error {
	if b.SaleID == "" {
		return nil
	}
	if b.ShopID == "" {
		if err := tx.Raw("SELECT shop_id FROM sales WHERE id = ?", b.SaleID).Scan(&b.ShopID).Error; err != nil {
			return err
		}
	}
	var lines []struct {
		Account  ledger.Account
		Currency money.Currency
		Micros   int64
	}
	err := tx.Raw(
		"SELECT account, currency, SUM(micros) AS micros FROM postings WHERE sale_id = ? GROUP BY account, currency "+
			"HAVING SUM(micros) <> 0 ORDER BY account",
		b.SaleID,
	).Scan(&lines).Error
	if err != nil {
		return err
	}
	evidence, err := b.Read()
	if err != nil {
		return err
	}
	for _, l := range lines {
		evidence.Ledger = append(evidence.Ledger, LedgerLine{
			Account: ledger.Account(l.Account.Number()), Amount: money.Of(l.Micros, l.Currency).String(),
		})
	}
	return b.setEvidence(evidence)
}

func (b *Break) setEvidence(e Evidence) error {
	text, err := json.Marshal(e)
	b.Evidence = string(text)
	return err
}

// fade ends breaks that are gone. That of a sale of others is only given here once that ended.
func (s *Service) fade(ctx context.Context, tx *store.Tx, gone []Break) error {
	for _, b := range gone {
		b, err := lockBreak(tx, "id = ?", b.ID)
		if err != nil {
			return err
		}
		if b.settled() || !b.Kind.fades() && b.Kind != ForeignSale {
			continue
		}
		if err := s.end(ctx, tx, &b, "", Faded); err != nil {
			return err
		}
		if err := s.act(tx, &b, "", "faded", ""); err != nil {
			return err
		}
	}
	return nil
}

// end marks a break resolved and closes its incident.
func (s *Service) end(ctx context.Context, tx *store.Tx, b *Break, by string, how Resolution) error {
	now := store.Moment(s.d.Now())
	b.State, b.Resolution, b.ResolvedBy, b.ResolvedAt, b.FloatMicros = Resolved, how, by, &now, 0
	if err := tx.Save(b).Error; err != nil {
		return err
	}
	kind, told := incidentOf[b.Kind]
	if !told || b.SaleID == "" {
		return nil
	}
	return tx.WithContext(ctx).Exec(
		"UPDATE incidents SET closed_at = ?, closed_by = ? WHERE kind = ? AND sale_id = ? AND closed_at IS NULL", now,
		by, kind, b.SaleID,
	).Error
}

// incidentOf is the kind of incident that tells the same of a sale as a kind of break.
var incidentOf = map[Kind]sales.IncidentKind{
	LateSuccess: sales.LateSuccess, LateReversal: sales.LateReversal, ExecutedTwice: sales.ExecutedTwice,
	Mismatch: sales.Foreign, PriceDiffers: sales.OddAmount,
}

// seenSince is how far back a look goes, for what it may have missed.
func seenSince(now time.Time, back time.Duration) time.Time { return store.Moment(now.Add(-back)) }
