package till

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"gorm.io/gorm"

	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/store"
)

// MoveKind says where cash comes from or goes to.
type MoveKind string

// How cash enters or leaves a drawer other than by sales and refunds.
const (
	PaidIn      MoveKind = "in"      // out of the safe into the drawer
	ToSafe      MoveKind = "safe"    // out of the drawer into the safe
	Expense     MoveKind = "expense" // out of the drawer, for something the shop bought
	ExpenseBack MoveKind = "back"    // into the drawer, of an expense: its change, or all of it
)

// Out says whether cash leaves the drawer.
func (k MoveKind) Out() bool { return k == ToSafe || k == Expense }

// Move is one row of the table cash_moves.
type Move struct {
	ID       string         `json:"id"`
	ShiftID  string         `json:"-"`
	FormKey  string         `json:"-"`
	Kind     MoveKind       `json:"kind"`
	Micros   int64          `json:"micros"` // always positive
	Currency money.Currency `json:"-"`
	Reason   string         `json:"reason"`
	UserID   string         `json:"user"`
	Approver string         `json:"approver,omitempty"` // "" below the limit
	At       time.Time      `json:"at"`
}

// TableName is read by GORM.
func (Move) TableName() string { return "cash_moves" }

// Amount is the cash that moved.
func (m Move) Amount() money.Amount { return money.Of(m.Micros, m.Currency) }

// Moving is a request to move cash.
type Moving struct {
	Key      string // of the form; the same key moves cash once
	Actor    audit.Actor
	ShiftID  string
	Kind     MoveKind
	Amount   money.Amount
	Reason   string
	Approver approval.Approver // the manager who allows it
}

// mostReason is the longest reason, in characters.
const mostReason = 200

// ErrNeedsManager says that this much cash leaves a drawer only with a manager.
var ErrNeedsManager = errors.New("needs a manager")

// MoveCash books cash into or out of an open drawer. A move that is refused is first looked up: a form sent again may
// have booked it, with an approval that is spent by now or before the shift was closed. It fails with fault.Invalid
// on the fields "amount", "kind" and "reason", with fault.Conflict if the shift is closed, and over the currency's
// limit with ErrNeedsManager in a fault.Forbidden.
func (s *Service) MoveCash(ctx context.Context, m Moving) (Move, error) {
	err := m.check()
	if err != nil {
		return s.moved(ctx, m, err)
	}
	move := Move{
		ID: store.NewID(s.now()), ShiftID: m.ShiftID, FormKey: m.Key, Kind: m.Kind, Micros: m.Amount.Micros(),
		Currency: m.Amount.Currency(),
		Reason:   strings.TrimSpace(m.Reason), UserID: m.Actor.UserID, Approver: m.Approver.ID, At: s.now(),
	}
	err = s.d.DB.Tx(ctx, func(tx *store.Tx) error { return s.move(ctx, tx, m, move) })
	if err != nil {
		return s.moved(ctx, m, err)
	}
	return move, nil
}

func (m Moving) check() error {
	reason := strings.TrimSpace(m.Reason)
	switch {
	case m.Key == "":
		return fault.New(fault.Invalid, "page.too-old-to-book")
	case !m.Kind.Out() && m.Kind != PaidIn && m.Kind != ExpenseBack:
		return fault.OnField("kind", "cash.direction")
	case m.Amount.Sign() <= 0:
		return fault.OnField("amount", "amount.zero")
	case reason == "":
		return fault.OnField("reason", "cash.reason")
	case utf8.RuneCountInString(reason) > mostReason:
		return fault.OnField("reason", "cash.reason-length", mostReason)
	}
	cash, err := CashOf(m.Amount.Currency())
	if err != nil {
		return err
	}
	over, err := m.Amount.Cmp(cash.ApproveAbove)
	if err != nil {
		return err
	}
	if m.Kind.Out() && over > 0 && m.Approver.ID == "" {
		return fault.Wrap(ErrNeedsManager, fault.Forbidden, "cash.needs-manager")
	}
	return nil
}

func (s *Service) move(ctx context.Context, tx *store.Tx, m Moving, move Move) error {
	shift, err := Hold(tx, m.ShiftID)
	if err != nil {
		return err
	}
	if shift.Currency != move.Currency {
		return fault.OnField("amount", "drawer.currency", shift.Currency)
	}
	if err := tx.Create(&move).Error; err != nil {
		return err
	}
	if err := ledger.Post(ctx, tx, ledger.Entry{
		Key: "cash/" + move.ID, At: move.At, Journal: move.journal(),
	}); err != nil {
		return err
	}
	if err := m.Approver.Spend(ctx, tx); err != nil {
		return err
	}
	return s.d.Audit.Write(ctx, tx, audit.Entry{
		Actor: m.Actor, Act: audit.CashMoved, Subject: audit.Of(audit.Shift, move.ShiftID), Reason: move.Reason,
		Facts: audit.Facts{
			audit.Word("kind", move.Kind), audit.Money("amount", move.Amount()),
			audit.Person("approver", move.Approver),
		},
	})
}

func (m Move) journal() ledger.Journal {
	switch m.Kind {
	case PaidIn:
		return ledger.CashFromSafe(m.ShiftID, m.Amount())
	case Expense:
		return ledger.ExpensePaid(m.ShiftID, m.Amount())
	case ExpenseBack:
		return ledger.ExpensePaid(m.ShiftID, m.Amount().Neg())
	default:
		return ledger.CashToSafe(m.ShiftID, m.Amount())
	}
}

// moved returns what a form has already booked, otherwise why the move was refused.
func (s *Service) moved(ctx context.Context, m Moving, refused error) (Move, error) {
	found, err := store.First[Move](s.d.DB.Read(ctx).Where("form_key = ?", m.Key))
	switch {
	case err != nil:
		return Move{}, fmt.Errorf("find cash move: %w", err)
	case found != nil && found.ShiftID == m.ShiftID && found.Micros == m.Amount.Micros() && found.Kind == m.Kind:
		return *found, nil
	case errors.Is(refused, gorm.ErrDuplicatedKey):
		return Move{}, fault.New(fault.Conflict, "page.used")
	}
	return Move{}, fault.Doing("move cash", refused)
}

// Booked returns the shift of a till in which a form has moved cash, nil if it has moved none.
func (s *Service) Booked(ctx context.Context, formKey, tillID string) (*Shift, error) {
	return first(s.d.DB.Read(ctx).Where(
		"id IN (SELECT shift_id FROM cash_moves WHERE form_key = ?) AND till_id = ?", formKey, tillID,
	))
}

// Moves returns the cash moves of a shift in order.
func (s *Service) Moves(ctx context.Context, shiftID string) ([]Move, error) {
	return moves(s.d.DB.Read(ctx), shiftID)
}

func moves(session *gorm.DB, shiftID string) ([]Move, error) {
	found, err := store.All[Move](session.Where("shift_id = ?", shiftID).Order("id"))
	return found, fault.Doing("list cash moves", err)
}
