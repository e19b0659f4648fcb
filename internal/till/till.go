// Package till is shifts: a drawer from the counted float to the counted close.
//
// A shift row is the lock of its drawer. Whoever books cash into or out of it locks the row for reading until
// they commit (Hold); whoever closes it locks it alone, so no cash lands in a counted drawer.
package till

import (
	"cmp"
	"context"
	"time"

	"gorm.io/gorm"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// Shift is one row of the table shifts. Amounts are millionths of Currency.
type Shift struct {
	ID            string
	ShopID        string
	TillID        string
	Number        int // within this till, from 1; also its report's
	CashierID     string
	Currency      money.Currency
	OpeningMicros int64
	OpenedAt      time.Time
	OpenKey       *string
	Seat          string // the place at the till that may sell
	SeatBy        string // who took it
	SeatAt        *time.Time
	ClosedAt      *time.Time
	ClosedBy      *string
	CountedMicros *int64
	LeftMicros    *int64 // what stayed in the drawer for the next shift
}

// Opening is the float the drawer began with.
func (s Shift) Opening() money.Amount { return money.Of(s.OpeningMicros, s.Currency) }

// Seated is since when its place at the till may sell.
func (s Shift) Seated() time.Time {
	if s.SeatAt == nil {
		return s.OpenedAt
	}
	return *s.SeatAt
}

// Closed says whether the shift is over.
func (s Shift) Closed() bool { return s.ClosedAt != nil }

// Deps is what the Service needs.
type Deps struct {
	DB     *store.DB
	Ledger *ledger.Ledger
	Audit  *audit.Log
	Now    func() time.Time
}

// Service opens, works and closes shifts.
type Service struct {
	d    Deps
	open store.Memory[string, *Shift] // by till; nil: none is open
}

// New returns a service.
func New(d Deps) *Service {
	return &Service{d: d, open: store.Memory[string, *Shift]{Of: store.OfShifts}}
}

func (s *Service) now() time.Time { return store.Moment(s.d.Now()) }

var errClosed = fault.New(fault.Conflict, "shift.closed-undone")

// Hold locks an open shift until the transaction ends, and returns it. It fails with fault.Conflict if the
// shift is closed.
func Hold(tx *store.Tx, shiftID string) (Shift, error) {
	return store.FindOne[Shift](
		tx.Statement.Context, tx, errClosed, "FROM shifts WHERE id = ? AND closed_at IS NULL"+tx.ForShare(), shiftID,
	)
}

// Held is Hold as a part of another question: added to its FROM and WHERE, with its lock at the end. Of a
// closed shift nothing is found.
func Held(tx *store.Tx, shiftID string) (from store.Statement, lock string) {
	if lock = tx.ForShare(); lock != "" {
		lock += " OF shifts"
	}
	return store.Statement{SQL: "shifts WHERE shifts.id = ? AND shifts.closed_at IS NULL", Args: []any{shiftID}}, lock
}

// lock locks a shift, open or closed.
func lock(tx *store.Tx, shiftID, shopID string) (Shift, error) {
	return store.One[Shift](
		tx.Raw("SELECT * FROM shifts WHERE id = ? AND shop_id = ?"+tx.ForUpdate(), shiftID, shopID), errNoShift,
	)
}

var errNoShift = fault.New(fault.NotFound, "shift.none")

// Current returns the open shift of a till, nil if none.
func (s *Service) Current(ctx context.Context, tillID string) (*Shift, error) {
	open, err := s.open.Get(ctx, tillID, func(ctx context.Context) (*Shift, error) {
		found, err := store.Find[Shift](ctx, s.d.DB, "FROM shifts WHERE till_id = ? AND closed_at IS NULL", tillID)
		if err != nil || len(found) == 0 {
			return nil, fault.Doing("find shift", err)
		}
		return &found[0], nil
	})
	if err != nil || open == nil {
		return nil, err
	}
	own := *open
	return &own, nil
}

// OpenAt returns the open shifts of some tills, by till.
func (s *Service) OpenAt(ctx context.Context, tills []staff.Till) (map[string]Shift, error) {
	ids := make([]string, len(tills))
	for i, t := range tills {
		ids[i] = t.ID
	}
	open, err := store.All[Shift](openAt(s.d.DB.Read(ctx), ids))
	byTill := map[string]Shift{}
	for _, shift := range open {
		byTill[shift.TillID] = shift
	}
	return byTill, fault.Doing("read open shifts", err)
}

func openAt(query *gorm.DB, tillIDs []string) *gorm.DB {
	return query.Where("till_id IN ? AND closed_at IS NULL", tillIDs)
}

func first(query *gorm.DB) (*Shift, error) {
	found, err := store.First[Shift](query)
	return found, fault.Doing("find shift", err)
}

// Get returns a shift. shopID limits it to one shop; "" sees all.
func (s *Service) Get(ctx context.Context, id, shopID string) (Shift, error) {
	return store.One[Shift](s.d.DB.Read(ctx).Where("id = ?", id).Where(&Shift{ShopID: shopID}), errNoShift)
}

// ByIDs returns the shifts among some ids, by id.
func (s *Service) ByIDs(ctx context.Context, ids []string) (map[string]Shift, error) {
	found, err := store.All[Shift](s.d.DB.Read(ctx).Where("id IN ?", ids))
	byID := map[string]Shift{}
	for _, shift := range found {
		byID[shift.ID] = shift
	}
	return byID, fault.Doing("read shifts", err)
}

// Listed is how many shifts a page lists at most.
const Listed = 100

// Filter chooses shifts; an empty field chooses all.
type Filter struct {
	ShopID, TillID, CashierID string
	Currency                  money.Currency
	Open                      bool   // only those that are open
	Opened                    []Span // opened in one of these; nil: at any time
	Before                    string // the id of the last one listed
	BeforeOpen                bool   // it was open then, though it may be closed by now
	Limit                     int    // 0 means Listed, -1 all
}

// Sought are the shifts of a shop that a search means: the one with the id, those of the tills or of the cashiers, and
// those of the numbered tills that have the number.
type Sought struct {
	ShopID, ID                string
	Tills, Cashiers, Numbered []string
	Number                    int
}

// Find returns the shifts sought, the last opened first.
func (s *Service) Find(ctx context.Context, sought Sought, most int) ([]Shift, error) {
	query := s.d.DB.Read(ctx)
	either := query.Session(&gorm.Session{NewDB: true}).Where("id = ?", sought.ID)
	if len(sought.Tills) > 0 { // what nobody seeks is left out, so that an id alone is looked up by its key
		either = either.Or("till_id IN ?", sought.Tills)
	}
	if len(sought.Cashiers) > 0 {
		either = either.Or("cashier_id IN ?", sought.Cashiers)
	}
	if len(sought.Numbered) > 0 {
		either = either.Or("till_id IN ? AND number = ?", sought.Numbered, sought.Number)
	}
	found, err := store.All[Shift](
		query.Where(&Shift{ShopID: sought.ShopID}).Where(either).Order("opened_at DESC, id DESC").Limit(most),
	)
	return found, fault.Doing("find shifts", err)
}

// Span is a half-open stretch of time in some shops.
type Span struct {
	Shops    []string
	From, To time.Time
}

// List returns shifts, the last opened first. Without a period, open ones come before all others, and those are in the
// order they were closed in.
func (s *Service) List(ctx context.Context, f Filter) ([]Shift, error) {
	query := s.d.DB.Read(ctx)
	if f.Opened != nil {
		query = query.Where(within(query, f.Opened))
	}
	if f.Opened == nil && !f.Open {
		return s.latest(ctx, f)
	}
	listed := f.after
	if f.Open {
		listed = f.openAfter
	}
	found, err := store.All[Shift](listed(query, f.Before).Limit(f.most()))
	return found, fault.Doing("list shifts", err)
}

// latest asks twice, so that each of the two orders is that of an index.
func (s *Service) latest(ctx context.Context, f Filter) (found []Shift, err error) {
	var last Shift
	if f.Before != "" && !f.BeforeOpen {
		if last, err = s.Get(ctx, f.Before, f.ShopID); err != nil {
			return nil, err
		}
	}
	if !last.Closed() {
		found, err = store.All[Shift](f.openAfter(s.d.DB.Read(ctx), f.Before).Limit(f.most()))
		if err != nil || len(found) == f.most() {
			return found, fault.Doing("list open shifts", err)
		}
	}
	closed, err := store.All[Shift](f.closed(s.d.DB.Read(ctx), last).Limit(f.most() - len(found)))
	return append(found, closed...), fault.Doing("list closed shifts", err)
}

func (f Filter) most() int { return cmp.Or(f.Limit, Listed) }

// of leaves what the filter names.
func (f Filter) of(query *gorm.DB) *gorm.DB {
	return query.Where(&Shift{ShopID: f.ShopID, TillID: f.TillID, CashierID: f.CashierID, Currency: f.Currency})
}

// after lists by opening, from the id of the last one listed on; "" from the first.
func (f Filter) after(query *gorm.DB, id string) *gorm.DB {
	if id != "" {
		query = query.Where("id < ?", id)
	}
	return f.of(query).Order("id DESC")
}

// openAfter is after of the open shifts, found by their own index: they are few, and a database read all there ever
// were, in the order of their ids or of the shop.
func (f Filter) openAfter(query *gorm.DB, id string) *gorm.DB {
	query = query.Where("id IN (SELECT id FROM shifts WHERE closed_at IS NULL)")
	if f.ShopID != "" {
		query = query.Where("COALESCE(shop_id, '') = ?", f.ShopID)
		f.ShopID = ""
	}
	return f.after(query, id)
}

// closed lists by closing, after one; zero: from the first.
func (f Filter) closed(query *gorm.DB, last Shift) *gorm.DB {
	query = query.Where("closed_at IS NOT NULL")
	if last.Closed() {
		query = query.Where("(closed_at, id) < (?, ?)", last.ClosedAt, last.ID)
	}
	return f.of(query).Order("closed_at DESC, id DESC")
}

func within(query *gorm.DB, spans []Span) *gorm.DB {
	either := query.Session(&gorm.Session{NewDB: true})
	for _, span := range spans {
		either = either.Or(
			"shop_id IN ? AND opened_at >= ? AND opened_at < ?", span.Shops, span.From.UTC(), span.To.UTC(),
		)
	}
	return either
}

// Cash returns what the drawer of a shift must hold by the books.
func (s *Service) Cash(ctx context.Context, shift Shift) (money.Amount, error) {
	return s.d.Ledger.Balance(ctx, ledger.TillOf(shift.ID), shift.Currency)
}
