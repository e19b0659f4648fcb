package reconcile

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/store"
)

// Booked says whether two people booked the resolution, so that two must take it back.
func (b Break) Booked() bool {
	return slices.Contains([]Resolution{Journal, WriteOff, TopUp, Foreign}, b.Resolution) && b.ResolvedAt != nil &&
		b.ResolvedBy != ""
}

// Undoing says whether somebody has proposed to take the booking back.
func (b Break) Undoing() bool { return b.State == Proposed && b.Booked() }

// settled says whether a break is dealt with, though somebody may have proposed to take that back.
func (b Break) settled() bool { return !b.Unresolved() || b.Undoing() }

// Reopen takes back how a break was resolved, as when another was meant. One that was explained is open again, one that
// was matched together with its counterpart. What two people booked stays: see ProposeUndo.
func (s *Service) Reopen(ctx context.Context, id string, by audit.Actor, note string) error {
	found, err := store.One[Break](s.d.DB.Read(ctx).Where("id = ?", id), errNoBreak)
	if err != nil {
		return err
	}
	if found.Resolution == Matched {
		return s.unmatch(ctx, id, found.Reference, by, note)
	}
	return s.onBreak(ctx, "open break again", id, func(tx *store.Tx, b *Break) error {
		switch {
		case b.Unresolved() || b.Resolution != Agreed:
			return errSettled
		case strings.TrimSpace(note) == "":
			return errNoReason
		}
		return s.openAgain(ctx, tx, b, by, note)
	})
}

// ProposeUndo says that what two people booked for a break was wrong. A second person must agree (Confirm); the booking
// is then reversed, and the break is open again.
func (s *Service) ProposeUndo(ctx context.Context, id string, by audit.Actor, note string) error {
	return s.onBreak(ctx, "propose to undo a booking", id, func(tx *store.Tx, b *Break) error {
		switch {
		case b.Unresolved() || !b.Booked():
			return errSettled
		case strings.TrimSpace(note) == "":
			return errNoReason
		}
		now := store.Moment(s.d.Now())
		b.State, b.ProposedBy, b.ProposedAt = Proposed, by.UserID, &now
		if err := s.act(tx, b, by.UserID, "undoing", note); err != nil {
			return err
		}
		return s.audited(ctx, tx, by, audit.BreakUndoing, b, note)
	})
}

// undo reverses what was booked for a break, and opens it again.
func (s *Service) undo(ctx context.Context, tx *store.Tx, b *Break, by audit.Actor) error {
	amount, err := bookedFor(tx.DB, *b)
	if err != nil {
		return err
	}
	b.FloatMicros = amount.Micros()
	entry := ledger.Entry{Key: b.key() + "/undone", At: store.Moment(s.d.Now()), Journal: b.journal()}
	for i, leg := range entry.Journal.Legs {
		entry.Journal.Legs[i].Amount = leg.Amount.Neg()
	}
	if b.Kind.ofRecords() {
		entry.SaleID = b.SaleID
	}
	if err := ledger.Post(ctx, tx, entry); err != nil {
		return err
	}
	if b.SaleID == "" {
		b.BookedMicros -= amount.Micros()
	}
	if err := unlist(tx, b, amount, entry.At); err != nil {
		return err
	}
	return s.openAgain(ctx, tx, b, by, "")
}

// BookedFor is what the resolution of a break added to the float.
func (s *Service) BookedFor(ctx context.Context, b Break) (money.Amount, error) {
	return bookedFor(s.d.DB.Read(ctx), b)
}

func bookedFor(session *gorm.DB, b Break) (money.Amount, error) {
	micros, err := store.Pairs[ledger.Account, int64](session.Raw( // SQLite would read all of the float
		"SELECT account, micros FROM postings WHERE journal = ?", b.key()+"/"+string(b.journal().Kind),
	))
	return money.Of(micros[ledger.Float], b.Currency), fault.Doing("booking of a break", err)
}

// unlist takes a payment or a sale of other software off the list that its booking had put it on. A sale that has
// become a declared seller's stays.
func unlist(tx *store.Tx, b *Break, amount money.Amount, now time.Time) error {
	switch {
	case b.Resolution == TopUp:
		return tx.MustExec(errSettled,
			"UPDATE top_ups SET refused_at = ? WHERE reference = ? AND currency = ? AND refused_at IS NULL",
			now, b.Reference, b.Currency,
		)
	case b.Resolution == Foreign && b.Kind == ForeignSale:
		return tx.Exec(
			"UPDATE foreign_sales SET micros = micros - ? WHERE transfer_ref = ? AND seller = ''",
			amount.Micros(), b.Subject,
		).Error
	}
	return nil
}

// openAgain leaves nothing of how a break was resolved.
func (s *Service) openAgain(ctx context.Context, tx *store.Tx, b *Break, by audit.Actor, note string) error {
	b.State, b.Resolution, b.Account, b.Reference = Open, "", "", ""
	b.ProposedBy, b.ProposedAt, b.ResolvedBy, b.ResolvedAt = "", nil, "", nil
	b.Reopened++
	if err := s.act(tx, b, by.UserID, "undone", note); err != nil {
		return err
	}
	return s.audited(ctx, tx, by, audit.BreakReopened, b, note)
}

// key names what the current resolution books.
func (b Break) key() string { return fmt.Sprintf("break/%s/%d", b.ID, b.Reopened) }
