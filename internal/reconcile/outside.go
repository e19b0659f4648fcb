package reconcile

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"gorm.io/gorm"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/store"
)

// Paid is money paid to the upstream. Two people enter it; it is booked (J13) when the balance shows it, so
// that nobody sells against float still on its way.
type Paid struct {
	ID         string
	Micros     int64
	Currency   money.Currency
	Reference  string
	Account    ledger.Account // Safe if paid, FloatPayable if owed
	EnteredBy  string
	EnteredAt  time.Time
	ApprovedBy string
	ApprovedAt *time.Time
	RefusedAt  *time.Time
	SeenAt     *time.Time
}

var errPaymentDone = fault.New(fault.Conflict, "payment.done")

// TableName is read by GORM.
func (Paid) TableName() string { return "top_ups" }

// Amount is what was paid.
func (p Paid) Amount() money.Amount { return money.Of(p.Micros, p.Currency) }

// EnterTopUp records money paid to the upstream, for a second person to approve. id is that of the form that asks for
// it, "" for a new one: see store.Made.
func (s *Service) EnterTopUp(
	ctx context.Context, by audit.Actor, id string, amount money.Amount, account ledger.Account, reference string,
) (Paid, error) {
	reference = strings.TrimSpace(reference)
	switch {
	case amount.Sign() <= 0:
		return Paid{}, fault.OnField("amount", "amount.zero")
	case reference == "":
		return Paid{}, fault.OnField("reference", "payment.reference")
	case account != ledger.Safe && account != ledger.FloatPayable:
		return Paid{}, fault.OnField("account", "payment.paid-or-owed")
	}
	now := store.Moment(s.d.Now())
	p := Paid{
		ID: cmp.Or(id, store.NewID(now)), Micros: amount.Micros(), Currency: amount.Currency(), Reference: reference,
		Account: account, EnteredBy: by.UserID, EnteredAt: now,
	}
	err := s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		made, err := store.Made(tx, p.ID, func(made Paid) bool {
			return made.Amount() == amount && made.Account == account && made.Reference == reference &&
				made.RefusedAt == nil
		})
		if made != nil {
			p = *made
		}
		if err != nil || made != nil {
			return err
		}
		if err := p.create(tx); err != nil {
			return err
		}
		return s.auditedTopUp(ctx, tx, by, audit.TopUpEntered, p)
	})
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return Paid{}, fault.OnField("reference", "payment.taken")
	}
	return p, fault.Doing("enter top-up", err)
}

// create stores a payment in place of refused ones: a reference is the bank's, and a mistake does not use it up.
func (p *Paid) create(tx *store.Tx) error {
	err := tx.Exec(
		"DELETE FROM top_ups WHERE reference = ? AND currency = ? AND refused_at IS NOT NULL", p.Reference, p.Currency,
	).Error
	if err != nil {
		return err
	}
	return tx.Create(p).Error
}

// ApproveTopUp is the second person's agreement.
func (s *Service) ApproveTopUp(ctx context.Context, id string, by audit.Actor, signedIn time.Time) error {
	return s.onTopUp(ctx, id, func(tx *store.Tx, p *Paid) error {
		if p.ApprovedAt != nil && p.ApprovedBy == by.UserID { // asked again, because its answer was lost
			return nil
		} else if p.ApprovedAt != nil {
			return errPaymentDone
		}
		if err := s.second(tx, p.EnteredBy, by, signedIn); err != nil {
			return err
		}
		now := store.Moment(s.d.Now())
		p.ApprovedBy, p.ApprovedAt = by.UserID, &now
		return s.auditedTopUp(ctx, tx, by, audit.TopUpApproved, *p)
	})
}

// RefuseTopUp ends an entry that has not arrived. One that was approved is only expected: nothing is booked for it, and
// without it a payment that does arrive is a difference, which takes two people.
func (s *Service) RefuseTopUp(ctx context.Context, id string, by audit.Actor) error {
	return s.onTopUp(ctx, id, func(tx *store.Tx, p *Paid) error {
		now := store.Moment(s.d.Now())
		p.RefusedAt = &now
		return s.auditedTopUp(ctx, tx, by, audit.TopUpRefused, *p)
	})
}

func (s *Service) onTopUp(ctx context.Context, id string, change func(*store.Tx, *Paid) error) error {
	return fault.Doing("top-up", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		found, err := store.First[Paid](tx.Raw("SELECT * FROM top_ups WHERE id = ?"+tx.ForUpdate(), id))
		if err != nil {
			return err
		}
		if found == nil || found.SeenAt != nil || found.RefusedAt != nil {
			return errPaymentDone
		}
		if err := change(tx, found); err != nil {
			return err
		}
		return tx.Save(found).Error
	}))
}

func (s *Service) auditedTopUp(ctx context.Context, tx *store.Tx, by audit.Actor, act audit.Act, p Paid) error {
	facts := audit.Facts{
		audit.Money("amount", p.Amount()), audit.Text("reference", p.Reference), audit.Word("account", p.Account),
		audit.Person("enteredby", p.EnteredBy),
	}
	of := audit.Of(audit.TopUp, p.ID)
	return s.d.Audit.Write(ctx, tx, audit.Entry{Actor: by, Act: act, Subject: of, Facts: facts})
}

// bookTopUp (J13): the balance shows a payment entered by two people. One refused since it was read is not booked.
func (s *Service) bookTopUp(ctx context.Context, tx *store.Tx, p Paid) error {
	now := store.Moment(s.d.Now())
	seen := tx.Exec(
		"UPDATE top_ups SET seen_at = ? WHERE id = ? AND seen_at IS NULL AND refused_at IS NULL", now, p.ID,
	)
	if seen.Error != nil || seen.RowsAffected == 0 {
		return seen.Error
	}
	return ledger.Post(ctx, tx, ledger.Entry{
		Key: "topup/" + p.ID, At: now, Journal: ledger.FloatToppedUp(p.Account, p.Amount()),
	})
}

// noteTopUp lists a jump of the balance that two people called a payment. The break's journal books it.
func (s *Service) noteTopUp(tx *store.Tx, b *Break, now time.Time) error {
	paid := Paid{
		ID: store.NewID(now), Micros: b.FloatMicros, Currency: b.Currency, Reference: b.Reference, Account: b.Account,
		EnteredBy: b.ProposedBy, EnteredAt: *b.ProposedAt, ApprovedAt: &now, SeenAt: &now,
	}
	err := paid.create(tx)
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return fault.OnField("reference", "payment.taken")
	}
	return err
}

// TopUps returns the payments to the upstream, newest first.
func (s *Service) TopUps(ctx context.Context, limit int) ([]Paid, error) {
	all, err := store.All[Paid](s.d.DB.Read(ctx).Where("refused_at IS NULL").Order("id DESC").Limit(limit))
	return all, fault.Doing("list top-ups", err)
}
