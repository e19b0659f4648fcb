// Package approval lets somebody with authority allow one act at another's
// till: at the till itself, or from a screen of their own. An approval is for
// the very request that was stopped, for a few minutes, and for once.
package approval

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/signal"
	"airtill/internal/store"
)

const (
	// Lasts is how long a question waits, and an approval is good for.
	Lasts = 10 * time.Minute
	// repeatFor is how long the same request may come again after it was
	// approved and used: a double click is one act.
	repeatFor = 30 * time.Second
	keptFor   = 90 * 24 * time.Hour
)

// Request is one act that waits for an approver, one row of approvals.
type Request struct {
	ID        string
	ShopID    string
	TillID    string
	AskedBy   string
	Act       string // what stopped it
	Subject   string // a hash of the very request
	Summary   string // what the approver reads; the account number masked
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
}

// Desk takes questions and decisions.
type Desk struct{ d Deps }

// New returns a desk.
func New(d Deps) *Desk { return &Desk{d: d} }

// Topic is the signal of a shop's requests: one was asked or decided.
func Topic(shopID string) string { return "approvals:" + shopID }

func (k *Desk) now() time.Time { return store.Moment(k.d.Now()) }

// Ask puts a request before the shop's approvers. The same request asked again
// while it is open is the same.
func (k *Desk) Ask(ctx context.Context, r Request) (Request, error) {
	now := k.now()
	r.ID, r.AskedAt, r.ExpiresAt = store.NewID(now), now, now.Add(Lasts)
	err := k.d.DB.Tx(ctx, func(tx *store.Tx) error {
		var open []Request
		err := tx.Where("asked_by = ? AND subject = ? AND expires_at > ? AND approved IS NULL", r.AskedBy, r.Subject, now).Limit(1).Find(&open).Error
		if err != nil || len(open) > 0 {
			if len(open) > 0 {
				r = open[0]
			}
			return err
		}
		return tx.Create(&r).Error
	})
	if err != nil {
		return Request{}, fmt.Errorf("ask for approval: %w", err)
	}
	k.d.Bus.Publish(ctx, Topic(r.ShopID))
	return r, nil
}

// Get returns a request of a shop; fault.NotFound if there is none.
func (k *Desk) Get(ctx context.Context, shopID, id string) (Request, error) {
	var r Request
	err := k.d.DB.Read(ctx).Take(&r, "id = ? AND shop_id = ?", id, shopID).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return r, fault.New(fault.NotFound, "approval.none")
	}
	return r, err
}

// Pending returns the requests of a shop that wait, the oldest first, without
// those that the user asked: nobody approves their own.
func (k *Desk) Pending(ctx context.Context, shopID, userID string) ([]Request, error) {
	var found []Request
	err := k.d.DB.Read(ctx).Where("shop_id = ? AND approved IS NULL AND expires_at > ? AND asked_by <> ?", shopID, k.now(), userID).Order("id").Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("list approvals: %w", err)
	}
	return found, nil
}

// Decide approves or declines a request, on record. Nobody decides their own;
// one that is decided or has expired is fault.Conflict.
func (k *Desk) Decide(ctx context.Context, by audit.Actor, id string, approve bool) error {
	now := k.now()
	err := k.d.DB.Tx(ctx, func(tx *store.Tx) error {
		var r Request
		if err := tx.Take(&r, "id = ? AND shop_id = ?", id, by.ShopID).Error; err != nil {
			if errors.Is(err, gorm.ErrRecordNotFound) {
				return fault.New(fault.NotFound, "approval.none")
			}
			return err
		}
		if r.AskedBy == by.UserID {
			return fault.New(fault.Forbidden, "approval.own")
		}
		decided := tx.Exec("UPDATE approvals SET approved = ?, decided_by = ?, decided_at = ? WHERE id = ? AND approved IS NULL AND expires_at > ?", approve, by.UserID, now, id, now)
		if decided.Error != nil {
			return decided.Error
		}
		if decided.RowsAffected == 0 {
			return fault.New(fault.Conflict, "approval.decided")
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
	action := "approval.declined"
	if approve {
		action = "approval.given"
	}
	return audit.Entry{
		Actor: by, Action: action, Subject: "approval:" + r.ID,
		After: map[string]string{"act": r.Act, "asked-by": r.AskedBy, "till": r.TillID, "request": r.Subject, "summary": r.Summary},
	}
}

// Given records an approval that a manager gave at the till itself.
func (k *Desk) Given(ctx context.Context, by audit.Actor, r Request) error {
	now, yes := k.now(), true
	r.ID, r.AskedAt, r.ExpiresAt = store.NewID(now), now, now.Add(Lasts)
	r.Approved, r.DecidedBy, r.DecidedAt, r.UsedAt = &yes, &by.UserID, &now, &now
	err := k.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := tx.Create(&r).Error; err != nil {
			return err
		}
		return k.d.Audit.Write(ctx, tx, entry(by, r, true))
	})
	if err != nil {
		return fmt.Errorf("record approval: %w", err)
	}
	return nil
}

// Use spends an approval on the request it was given for, and returns who gave
// it; "" if it does not stand: for another request or person, declined, too
// old, or spent.
func (k *Desk) Use(ctx context.Context, shopID, id, subject, askedBy string) (approver string, err error) {
	now := k.now()
	err = k.d.DB.Tx(ctx, func(tx *store.Tx) error {
		used := tx.Exec(`UPDATE approvals SET used_at = COALESCE(used_at, ?)
WHERE id = ? AND shop_id = ? AND subject = ? AND asked_by = ? AND approved AND expires_at > ? AND (used_at IS NULL OR used_at > ?)`,
			now, id, shopID, subject, askedBy, now, now.Add(-repeatFor))
		if used.Error != nil || used.RowsAffected == 0 {
			return used.Error
		}
		return tx.Raw("SELECT decided_by FROM approvals WHERE id = ?", id).Scan(&approver).Error
	})
	if err != nil {
		return "", fmt.Errorf("use approval: %w", err)
	}
	return approver, nil
}

// Sweep deletes requests of long ago; the audit keeps what was decided.
func (k *Desk) Sweep(ctx context.Context) error {
	err := k.d.DB.Tx(ctx, func(tx *store.Tx) error {
		return tx.Exec("DELETE FROM approvals WHERE expires_at < ?", k.now().Add(-keptFor)).Error
	})
	if err != nil {
		return fmt.Errorf("sweep approvals: %w", err)
	}
	return nil
}
