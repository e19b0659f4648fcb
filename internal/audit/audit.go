// Package audit records acts of authority: who did what to what, at which till, why, and how things stood
// before and after. The record is append-only, chained by hashes and signed with a key outside the database,
// so that tampering shows (Verify).
//
// Ordinary sales are not acts of authority: they have their own events, and recording them here would make
// every sale wait for the end of one chain.
package audit

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// Actor is who acts: a person at a till, or a command.
type Actor struct {
	UserID string // "" for a command
	Name   string // username, or the command that acts
	Role   string
	ShopID string // the actor's; "" for those who see all shops
	TillID string // "" away from a till
	// SignedInAt is when the person typed their password or, if SecondFactor, gave their second factor, for
	// rooms that require that; neither is recorded.
	SignedInAt   time.Time
	SecondFactor bool
}

// Command is the actor of an act without a signed-in person, such as "web user add".
func Command(name string) Actor { return Actor{Name: name, Role: "command"} }

// Entry is one act.
type Entry struct {
	Actor
	Act     Act
	Subject Subject
	Reason  string // in the actor's words; "": none is asked for
	Facts   Facts
}

// Deps is what the log needs.
type Deps struct {
	DB   *store.DB
	Now  func() time.Time
	Log  *slog.Logger
	Keys []Key // the first signs, the others only check; none: nothing is signed
}

// Log is the chain of entries.
type Log struct{ d Deps }

// New returns the log.
func New(d Deps) *Log { return &Log{d: d} }

// Write appends an entry that exists exactly if the transaction commits. It locks the end of the chain until
// then: make it the last step of a short transaction.
func (l *Log) Write(ctx context.Context, tx *store.Tx, e Entry) error {
	return fault.Doing("write audit entry", l.write(ctx, tx, e))
}

func (l *Log) write(ctx context.Context, tx *store.Tx, e Entry) error {
	record, err := l.record(e)
	if err != nil {
		return err
	}
	var head struct {
		Seq  int64
		Hash string
	}
	if err := tx.Raw("SELECT seq, hash FROM audit_head" + tx.ForUpdate()).Scan(&head).Error; err != nil {
		return err
	}
	record.Seq, record.Previous = head.Seq+1, head.Hash
	record.Hash = record.digest()
	if err := l.sign(tx, &record); err != nil {
		return err
	}
	if _, err := tx.ExecAll(ctx, store.Inserted("audit_entries", &record), store.Statement{
		SQL: "UPDATE audit_head SET seq = ?, hash = ?", Args: []any{record.Seq, record.Hash},
	}); err != nil {
		return err
	}
	// The log is stored outside the database, so this line is evidence even against somebody who can rewrite
	// the whole chain.
	tx.AfterCommit(func() {
		l.d.Log.InfoContext(
			ctx, "audit.written", "seq", record.Seq, "action", record.Act, "subject", record.Subject, "hash",
			record.Hash,
		)
	})
	return nil
}

// WriteIf is Write if a statement succeeded and changed a row. Where it changed none, things are so already, and
// nothing was done.
func (l *Log) WriteIf(ctx context.Context, tx *store.Tx, change *gorm.DB, e Entry) error {
	if change.Error != nil || change.RowsAffected == 0 {
		return change.Error
	}
	return l.Write(ctx, tx, e)
}

func (l *Log) record(e Entry) (Record, error) {
	if !slices.Contains(acts, e.Act) {
		return Record{}, fmt.Errorf("unlisted act %q", e.Act)
	}
	facts, err := e.Facts.stored()
	if err != nil {
		return Record{}, err
	}
	return Record{
		At: store.Moment(l.d.Now()), UserID: clean(e.UserID), Actor: clean(e.Name), Role: clean(e.Role),
		ShopID: clean(e.ShopID), TillID: clean(e.TillID), Act: e.Act, Subject: Subject(clean(string(e.Subject))),
		Reason: clean(e.Reason), After: facts,
	}, nil
}

// clean leaves what PostgreSQL can store: otherwise a stray byte in a reason would be refused, or read back
// different from what was hashed.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}
