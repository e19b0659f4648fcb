package reconcile

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/staff"
	"airtill/internal/store"
)

var (
	errNoBreak  = fault.New(fault.NotFound, "break.none")
	errSettled  = fault.New(fault.Conflict, "break.done")
	errMoves    = fault.New(fault.Conflict, "break.balance-differs")
	errNothing  = fault.New(fault.Conflict, "break.nothing-to-book")
	errNoReason = fault.OnField("note", "reason.missing")
)

// Proposal is how one person would resolve a break.
type Proposal struct {
	Resolution Resolution // Journal, WriteOff, TopUp or Foreign
	Account    ledger.Account
	Reference  string // of the bank transfer, the other software's ticket, …
	Note       string
}

// JournalAccounts are the accounts a break may be booked against.
func JournalAccounts() []ledger.Account {
	return []ledger.Account{
		ledger.Safe, ledger.FloatPayable, ledger.UsedByOthers, ledger.Losses, ledger.Goodwill, ledger.Unexplained,
	}
}

// check completes a proposal, or refuses it.
func (p *Proposal) check(b Break) error {
	if b.Booking().IsZero() {
		return errNothing
	}
	if strings.TrimSpace(p.Note) == "" {
		return errNoReason
	}
	switch p.Resolution {
	case WriteOff:
		p.Account = ledger.Losses
	case Foreign:
		p.Account = ledger.UsedByOthers
	case TopUp:
		if b.Booking().Sign() < 0 || p.Account != ledger.Safe && p.Account != ledger.FloatPayable {
			return fault.OnField("account", "break.top-up-account")
		}
		if strings.TrimSpace(p.Reference) == "" {
			return fault.OnField("reference", "payment.reference")
		}
	case Journal:
		if !slices.Contains(JournalAccounts(), p.Account) {
			return fault.OnField("account", "break.account")
		}
	default:
		return fault.OnField("resolution", "break.resolution")
	}
	return nil
}

// Booking is what a resolution books, or would. A refund is first booked whole, as if it had come; the missing
// part remains.
func (b Break) Booking() money.Amount {
	if !b.Kind.ofRecords() {
		return b.Amount()
	}
	return b.Float()
}

// Proposes is what a second person reads and agrees to, for Confirm.
func (b Break) Proposes() string {
	if b.Undoing() {
		return fmt.Sprintf("undo %s %s %s", b.Resolution, b.Account, b.Reference)
	}
	return fmt.Sprintf("%s %s %s %s", b.Resolution, b.Account, b.Booking(), b.Reference)
}

// proposed says whether this is what was proposed last.
func (b Break) proposed(p Proposal) bool {
	return b.Resolution == p.Resolution && b.Account == p.Account && b.Reference == p.Reference
}

func (b Break) journal() ledger.Journal {
	switch b.Resolution {
	case TopUp:
		return ledger.FloatToppedUp(b.Account, b.Booking())
	case Foreign:
		return ledger.SoldByOthers(b.Booking().Neg())
	default:
		return ledger.FloatExplained(b.Account, b.Booking())
	}
}

// ProposeResolution says how a break should be resolved; a second person must agree
// before anything is booked. The same once more changes nothing.
func (s *Service) ProposeResolution(ctx context.Context, id string, by audit.Actor, p Proposal) error {
	return s.onBreak(ctx, "propose resolution", id, func(tx *store.Tx, b *Break) error {
		if b.settled() {
			return errSettled
		}
		if err := p.check(*b); err != nil {
			return err
		}
		again, err := lastDone(tx, b, by.UserID, "proposed", p.Note)
		if err != nil || again && b.proposed(p) {
			return err
		}
		now := store.Moment(s.d.Now())
		b.State, b.Resolution, b.Account, b.Reference = Proposed, p.Resolution, p.Account, p.Reference
		b.ProposedBy, b.ProposedAt = by.UserID, &now
		if err := s.act(tx, b, by.UserID, "proposed", p.Note); err != nil {
			return err
		}
		return s.audited(ctx, tx, by, audit.BreakProposed, b, p.Note)
	})
}

// Confirm is the second person's agreement to a proposal, and books the journal, or reverses one (ProposeUndo). read is
// the proposal as they saw it (Proposes): another may have taken its place since, and then it fails with
// fault.Conflict. signedIn is when this person signed in. It fails with fault.Forbidden if that was too long ago, or
// for the same person.
func (s *Service) Confirm(ctx context.Context, id, read string, by audit.Actor, signedIn time.Time) error {
	return s.onBreak(ctx, "confirm resolution", id, func(tx *store.Tx, b *Break) error {
		if b.State != Proposed {
			return errSettled
		}
		if err := s.second(tx, b.ProposedBy, by, signedIn); err != nil {
			return err
		}
		if b.Proposes() != read {
			return errSettled
		}
		if b.Undoing() {
			return s.undo(ctx, tx, b, by)
		}
		if err := s.bookBreak(ctx, tx, b); err != nil {
			return err
		}
		return s.resolve(ctx, tx, b, by, b.Resolution, string(b.Resolution), audit.Entry{Act: audit.BreakResolved})
	})
}

// second fails unless a person who signed in then may agree to what the first proposed.
func (s *Service) second(tx *store.Tx, first string, by audit.Actor, signedIn time.Time) error {
	by.SignedInAt = signedIn
	return staff.Countersign(tx, first, by, s.d.Now())
}

func (s *Service) bookBreak(ctx context.Context, tx *store.Tx, b *Break) error {
	now := store.Moment(s.d.Now())
	entry := ledger.Entry{
		Key: b.key(), SaleID: b.SaleID, At: now, Journal: b.journal(),
	}
	if !b.Kind.ofRecords() {
		if err := s.d.Sales.Repaid(ctx, tx, b.SaleID); err != nil {
			return err
		}
		entry.SaleID = "" // a partial refund is no fact of the transfer's record that its sale is matched with
	}
	if err := ledger.Post(ctx, tx, entry); err != nil {
		return err
	}
	if b.SaleID == "" {
		b.BookedMicros += b.Booking().Micros()
	}
	if b.Resolution == TopUp {
		return s.noteTopUp(tx, b, now)
	}
	if b.Resolution == Foreign && b.Kind == ForeignSale {
		return noteForeign(tx, b, now)
	}
	return nil
}

// Decline withdraws a proposal: by its maker, or by somebody who would have to agree. read is what it Proposes, "" if
// that is not known: another that stands in its place by now stays.
func (s *Service) Decline(ctx context.Context, id, read string, by audit.Actor, note string) error {
	return s.onBreak(ctx, "decline resolution", id, func(tx *store.Tx, b *Break) error {
		if b.State != Proposed || read != "" && b.Proposes() != read {
			return errSettled
		}
		if b.Undoing() {
			b.State, b.ProposedBy, b.ProposedAt = Resolved, "", nil
		} else {
			b.State, b.Resolution, b.Account, b.Reference, b.ProposedBy, b.ProposedAt = Open, "", "", "", "", nil
		}
		if err := s.act(tx, b, by.UserID, "declined", note); err != nil {
			return err
		}
		return s.audited(ctx, tx, by, audit.BreakDeclined, b, note)
	})
}

// Agree says that a break is explained and needs no posting: our books follow already.
func (s *Service) Agree(ctx context.Context, id string, by audit.Actor, note string) error {
	return s.onBreak(ctx, "explain break", id, func(tx *store.Tx, b *Break) error {
		switch {
		case b.settled():
			return errSettled
		case !b.Booking().IsZero():
			return errMoves
		case strings.TrimSpace(note) == "":
			return errNoReason
		}
		return s.resolve(ctx, tx, b, by, Agreed, note, audit.Entry{Act: audit.BreakExplained, Reason: note})
	})
}

// Take makes a user responsible for a break.
func (s *Service) Take(ctx context.Context, id string, by audit.Actor, owner string) error {
	return s.onBreak(ctx, "take break", id, func(tx *store.Tx, b *Break) error {
		if b.Owner == owner {
			return nil
		}
		b.Owner = owner
		return s.act(tx, b, by.UserID, "taken", owner)
	})
}

// Comment adds a note to a break, which nobody can take back; sent again, it is there already.
func (s *Service) Comment(ctx context.Context, id string, by audit.Actor, note string) error {
	return s.onBreak(ctx, "comment on break", id, func(tx *store.Tx, b *Break) error {
		if strings.TrimSpace(note) == "" {
			return errNoReason
		}
		again, err := lastDone(tx, b, by.UserID, "commented", note)
		if err != nil || again {
			return err
		}
		return s.act(tx, b, by.UserID, "commented", note)
	})
}

// onBreak locks a break, changes it and saves it, in one transaction.
func (s *Service) onBreak(ctx context.Context, what, id string, change func(*store.Tx, *Break) error) error {
	return fault.Doing(what, s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		b, err := lockBreak(tx, "id = ?", id)
		if err != nil {
			return err
		}
		if err := change(tx, &b); err != nil {
			return err
		}
		return tx.Save(&b).Error
	}))
}

// resolve ends a break and records by whom.
func (s *Service) resolve(
	ctx context.Context, tx *store.Tx, b *Break, by audit.Actor, how Resolution, note string, entry audit.Entry,
) error {
	if err := s.end(ctx, tx, b, by.UserID, how); err != nil {
		return err
	}
	if err := s.act(tx, b, by.UserID, "resolved", note); err != nil {
		return err
	}
	return s.audited(ctx, tx, by, entry.Act, b, entry.Reason)
}

// audited writes an act of authority to the chain.
func (s *Service) audited(
	ctx context.Context, tx *store.Tx, by audit.Actor, act audit.Act, b *Break, reason string,
) error {
	facts := audit.Facts{
		audit.Word("kind", b.Kind), audit.Money("amount", b.Amount()), audit.Word("resolution", b.Resolution),
		audit.Word("account", b.Account), audit.Text("reference", b.Reference),
		audit.Person("proposedby", b.ProposedBy),
	}
	of := audit.Of(audit.Break, b.ID)
	return s.d.Audit.Write(ctx, tx, audit.Entry{Actor: by, Act: act, Subject: of, Reason: reason, Facts: facts})
}
