// Package approval lets somebody with authority allow one act at another's till: at the till itself, or from a
// screen of their own. An approval is for exactly the request that was stopped, for a few minutes, and for
// once.
package approval

import (
	"context"
	"fmt"
	"time"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/signal"
	"airtill/internal/store"
)

const (
	// Lasts is how long a question waits, and how long an approval is good for.
	Lasts   = 10 * time.Minute
	keptFor = 90 * 24 * time.Hour
)

// Act names what somebody may be asked to allow.
type Act string

// The acts.
const (
	Sale          Act = "sale"           // stopped by a limit, or by an open twin
	Refund        Act = "refund"         // over the shop's limit
	RefundUnknown Act = "refund-unknown" // before the outcome is known
	Retry         Act = "retry"          // soon after a verdict by absence
	NotGivenBack  Act = "not-given-back" // cash that was booked as given back by mistake
	CashMove      Act = "cash-move"      // of much cash out of a drawer
)

// Approver allows one act whatever stops it; the zero Approver is nobody.
type Approver struct {
	ID    string // of the user
	spend func(context.Context, *store.Tx) error
}

// Spend uses an approval up, in the transaction of the act: both are on record together or not at all. It
// fails with fault.Conflict if the approval was used for another act meanwhile.
func (a Approver) Spend(ctx context.Context, tx *store.Tx) error {
	if a.spend == nil { // nobody, or a person who needs no approval
		return nil
	}
	return a.spend(ctx, tx)
}

// Request is one act that waits for an approver, one row of the table approvals.
type Request struct {
	ID        string
	ShopID    string
	TillID    string
	AskedBy   string
	Act       Act
	Subject   string // a hash of exactly this request
	Summary   string // for the approver; the account number masked
	AskedAt   time.Time
	ExpiresAt time.Time
	Approved  *bool // nil while it waits
	DecidedBy *string
	DecidedAt *time.Time
	UsedAt    *time.Time
}

// TableName is read by GORM.
func (Request) TableName() string { return "approvals" }

// State says how a request stands.
type State string

// The states of a request.
const (
	Waiting  State = "waiting"
	Approved State = "approved"
	Declined State = "declined"
	Expired  State = "expired"
)

// State says how the request stands at a moment.
func (r Request) State(now time.Time) State {
	switch {
	case r.Approved != nil && !*r.Approved:
		return Declined
	case !now.Before(r.ExpiresAt):
		return Expired
	case r.Approved != nil:
		return Approved
	}
	return Waiting
}

// Deps is what the Desk needs.
type Deps struct {
	DB    *store.DB
	Audit *audit.Log
	Bus   signal.Bus
	Now   func() time.Time
	Roles []string // of those who may approve, in their own shop
}

var errNone = fault.New(fault.NotFound, "approval.none")

// Desk takes questions and decisions.
type Desk struct{ d Deps }

// New returns a desk.
func New(d Deps) *Desk { return &Desk{d: d} }

// Topic is the signal of a shop's requests being asked or decided.
func Topic(shopID string) string { return "approvals:" + shopID }

func (k *Desk) now() time.Time { return store.Moment(k.d.Now()) }

// Ask puts a request before the shop's approvers. Asking again while it is open returns the open one.
func (k *Desk) Ask(ctx context.Context, r Request) (Request, error) {
	now := k.now()
	r.ID, r.AskedAt, r.ExpiresAt = store.NewID(now), now, now.Add(Lasts)
	err := k.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := tx.Lock("questions of " + r.AskedBy); err != nil { // two presses at once ask one
			return err
		}
		open, err := store.First[Request](tx.Where(
			"asked_by = ? AND subject = ? AND expires_at > ? AND approved IS NULL", r.AskedBy, r.Subject, now,
		))
		if err != nil {
			return err
		}
		if open != nil {
			r = *open
			return nil
		}
		return tx.Create(&r).Error
	})
	if err != nil {
		return Request{}, fmt.Errorf("ask for approval: %w", err)
	}
	k.d.Bus.Publish(ctx, Topic(r.ShopID))
	return r, nil
}

// stands is the condition that an approval counts at a moment, for people of some roles. What somebody approved who is
// disabled since does not: it may have been whoever their account was closed for. Nor does it if they could not approve
// it now, with another role or in another shop.
const stands = "approved AND expires_at > ? AND " +
	"EXISTS (SELECT 1 FROM users WHERE users.id = approvals.decided_by AND users.disabled_at IS NULL AND " +
	"users.shop_id = approvals.shop_id AND users.role IN ?)"

// Get returns a request of a shop; fault.NotFound if there is none. An approval that does not count any more is as if
// it had been declined.
func (k *Desk) Get(ctx context.Context, shopID, id string) (Request, error) {
	r, err := store.One[Request](k.d.DB.Read(ctx).Where("id = ? AND shop_id = ?", id, shopID), errNone)
	if now := k.now(); err == nil && r.State(now) == Approved {
		var counts int64
		err = k.d.DB.Read(ctx).Model(&Request{}).Where("id = ? AND "+stands, id, now, k.d.Roles).Count(&counts).Error
		r.Approved = new(counts > 0)
	}
	return r, fault.Doing("look up approval", err)
}

// Pending returns the waiting requests of a shop, the oldest first, without the user's own, which others must
// approve.
func (k *Desk) Pending(ctx context.Context, shopID, userID string) ([]Request, error) {
	found, err := store.All[Request](
		k.d.DB.Read(ctx).Where(
			"shop_id = ? AND approved IS NULL AND expires_at > ? AND asked_by <> ?", shopID, k.now(), userID,
		).Order("id"),
	)
	return found, fault.Doing("list approvals", err)
}

// Decide approves or declines a request, on record. Deciding one's own is refused; one that is decided or has
// expired is fault.Conflict.
func (k *Desk) Decide(ctx context.Context, by audit.Actor, id string, approve bool) error {
	now := k.now()
	err := k.d.DB.Tx(ctx, func(tx *store.Tx) error {
		r, err := store.One[Request](tx.Where("id = ? AND shop_id = ?", id, by.ShopID), errNone)
		if err != nil {
			return err
		}
		if r.AskedBy == by.UserID {
			return fault.New(fault.Forbidden, "approval.own")
		}
		err = tx.MustExec(fault.New(fault.Conflict, "approval.decided"),
			"UPDATE approvals SET approved = ?, decided_by = ?, decided_at = ? WHERE id = ? AND approved IS NULL AND "+
				"expires_at > ?",
			approve, by.UserID, now, id, now,
		)
		if err != nil {
			return err
		}
		return k.d.Audit.Write(ctx, tx, entry(by, r, approve))
	})
	if err != nil {
		return fmt.Errorf("decide approval: %w", err)
	}
	k.d.Bus.Publish(ctx, Topic(by.ShopID))
	return nil
}

func entry(by audit.Actor, r Request, approve bool) audit.Entry {
	act := audit.ApprovalDeclined
	if approve {
		act = audit.ApprovalGiven
	}
	return audit.Entry{
		Actor: by, Act: act, Subject: audit.Of(audit.Approval, r.ID), Facts: audit.Facts{
			audit.Word("act", r.Act), audit.Person("askedby", r.AskedBy), audit.AtTill(r.TillID),
			audit.Text("summary", r.Summary), audit.Text("request", r.Subject),
		},
	}
}

// Given is the approval of a manager at the till itself.
func (k *Desk) Given(by audit.Actor, r Request) Approver {
	return Approver{ID: by.UserID, spend: func(ctx context.Context, tx *store.Tx) error {
		now, yes := k.now(), true
		r.ID, r.AskedAt, r.ExpiresAt = store.NewID(now), now, now.Add(Lasts)
		r.Approved, r.DecidedBy, r.DecidedAt, r.UsedAt = &yes, &by.UserID, &now, &now
		if err := tx.Create(&r).Error; err != nil {
			return fmt.Errorf("record approval: %w", err)
		}
		return k.d.Audit.Write(ctx, tx, entry(by, r, true))
	}}
}

// Approver returns who approved a request from a screen of their own; nobody if it was for another request or
// person, declined, is too old, or its approver may approve no more. A used one is reported by Spend, so that a double
// click finds what it did.
func (k *Desk) Approver(ctx context.Context, shopID, id, subject, askedBy string) (Approver, error) {
	by, err := store.First[string](k.d.DB.Read(ctx).Table("approvals").Select("decided_by").
		Where("id = ? AND shop_id = ? AND subject = ? AND asked_by = ?", id, shopID, subject, askedBy).
		Where(stands, k.now(), k.d.Roles))
	if err != nil || by == nil {
		return Approver{}, fault.Doing("look up approval", err)
	}
	return Approver{ID: *by, spend: func(_ context.Context, tx *store.Tx) error { return k.use(tx, id) }}, nil
}

func (k *Desk) use(tx *store.Tx, id string) error {
	now := k.now()
	return fault.Doing("use approval", tx.MustExec(fault.New(fault.Conflict, "approval.used"),
		"UPDATE approvals SET used_at = ? WHERE id = ? AND used_at IS NULL AND "+stands, now, id, now, k.d.Roles,
	))
}

// Sweep deletes old requests; the audit retains what was decided.
func (k *Desk) Sweep(ctx context.Context) error {
	return fault.Doing(
		"sweep approvals", k.d.DB.Exec(ctx, "DELETE FROM approvals WHERE expires_at < ?", k.now().Add(-keptFor)),
	)
}
