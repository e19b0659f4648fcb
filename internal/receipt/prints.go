package receipt

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"gorm.io/gorm"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// Printer is one row of the table printers: the roll printer of a till.
type Printer struct {
	TillID  string `gorm:"primaryKey"`
	Width   int    // of the roll in millimetres
	Columns int    // of its font: 32, 42 or 48
	Bridge  string // an address on the till's own machine that takes bytes to print; "": none
	Kick    bool   // a customer's receipt opens the drawer
	Auto    bool   // a complete sale's receipt prints by itself
}

func (p Printer) facts() audit.Facts {
	return audit.Facts{
		audit.Count("width", p.Width), audit.Count("columns", p.Columns), audit.Text("bridge", p.Bridge),
		audit.YesNo("kick", p.Kick), audit.YesNo("auto", p.Auto),
	}
}

// Print is one row of the table prints: one print of a sale's paper, or of the Z report of a shift, as the
// shop's copy of a receipt.
type Print struct {
	ID       string
	FormKey  string
	SaleID   string // or the shift's
	Slip     Slip
	Copy     Copy
	Number   int // from 1; later ones are duplicates
	UserID   string
	TillID   string
	At       time.Time
	OpenedAt *time.Time
	FailedAt *time.Time
}

// Deps is what the Service needs.
type Deps struct {
	DB    *store.DB
	Audit *audit.Log
	Now   func() time.Time
}

// Service stores printers and what was printed.
type Service struct {
	d        Deps
	printers store.Memory[string, Printer] // by till
}

// New returns a service.
func New(d Deps) *Service { return &Service{d: d} }

// Printer returns the printer of a till.
func (s *Service) Printer(ctx context.Context, tillID string) (Printer, error) {
	return s.printers.Get(ctx, tillID, func(ctx context.Context) (Printer, error) { return s.printer(ctx, tillID) })
}

func (s *Service) printer(ctx context.Context, tillID string) (Printer, error) {
	found, err := store.Find[Printer](ctx, s.d.DB, "FROM printers WHERE till_id = ?", tillID)
	if err != nil {
		return Printer{}, fmt.Errorf("find printer: %w", err)
	}
	if len(found) == 0 {
		return Printer{TillID: tillID, Width: Wide, Columns: 48}, nil
	}
	return found[0], nil
}

// SetPrinter says which printer a till has. Errors of kind fault.Invalid name the field "columns" or "bridge".
func (s *Service) SetPrinter(ctx context.Context, by audit.Actor, p Printer) error {
	if p.Width != Narrow && p.Width != Wide || p.Columns != 32 && p.Columns != 42 && p.Columns != 48 {
		return fault.OnField("columns", "printer.width")
	}
	if err := checkBridge(p.Bridge); err != nil {
		return err
	}
	return fault.Doing("set printer", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		return s.d.Audit.WriteIf(ctx, tx, tx.Save(&p), audit.Entry{
			Actor: by, Act: audit.PrinterChanged, Subject: audit.Of(audit.Till, p.TillID), Facts: p.facts(),
		})
	}))
}

// checkBridge lets papers, which carry PINs, go to the till's own machine only.
func checkBridge(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Port() != "" && u.User == nil && u.RawQuery ==
		"" && u.Fragment == "" {
		ip, err := netip.ParseAddr(u.Hostname())
		if u.Hostname() == "localhost" || err == nil && ip.IsLoopback() && ip.Zone() == "" { // a zone is any text
			return nil
		}
	}
	return fault.OnField("bridge", "printer.bridge")
}

// Start records that a paper is printed. The same key is the same print. Every print after the first is a
// duplicate; its number, who and when stand on it and in the audit.
func (s *Service) Start(
	ctx context.Context, by audit.Actor, key, saleID string, slip Slip, copied Copy,
) (Print, error) {
	return s.start(ctx, by, key, audit.Sale, saleID, slip, copied)
}

// StartReport is Start for the Z report of a shift.
func (s *Service) StartReport(ctx context.Context, by audit.Actor, key, shiftID string) (Print, error) {
	return s.start(ctx, by, key, audit.Shift, shiftID, Receipt, Shops)
}

func (s *Service) start(
	ctx context.Context, by audit.Actor, key string, thing audit.Thing, saleID string, slip Slip, copied Copy,
) (Print, error) {
	if key == "" {
		return Print{}, fault.New(fault.Invalid, "page.too-old-to-print")
	}
	now := store.Moment(s.d.Now())
	p := Print{
		ID: store.NewID(now), FormKey: key, SaleID: saleID, Slip: slip, Copy: copied,
		UserID: by.UserID, TillID: by.TillID, At: now,
	}
	err := s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		var err error
		if p.Number, err = next(tx.DB, saleID, slip, copied); err != nil {
			return err
		}
		if err := tx.Create(&p).Error; err != nil || p.Number == 1 {
			return err
		}
		return s.d.Audit.Write(ctx, tx, audit.Entry{
			Actor: by, Act: audit.ReceiptReprinted, Subject: audit.Of(thing, saleID), Facts: audit.Facts{
				audit.Word("slip", slip), audit.Word("copy", copied), audit.Count("number", p.Number),
			},
		})
	})
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return s.started(ctx, key, saleID)
	}
	return p, fault.Doing("start print", err)
}

// started returns what a form has already printed.
func (s *Service) started(ctx context.Context, key, saleID string) (Print, error) {
	found, err := store.One[Print](
		s.d.DB.Read(ctx).Where("form_key = ? AND sale_id = ?", key, saleID), fault.New(fault.Conflict, "print.busy"),
	)
	return found, fault.Doing("find print", err)
}

// Find returns a print of a sale.
func (s *Service) Find(ctx context.Context, id, saleID string) (Print, error) {
	found, err := store.One[Print](
		s.d.DB.Read(ctx).Where("id = ? AND sale_id = ?", id, saleID), fault.New(fault.NotFound, "print.none"),
	)
	return found, fault.Doing("find print", err)
}

// Next returns the number of a paper's next print; 1 is the first.
func (s *Service) Next(ctx context.Context, saleID string, slip Slip, copied Copy) (int, error) {
	n, err := next(s.d.DB.Read(ctx), saleID, slip, copied)
	return n, fault.Doing("count prints", err)
}

func next(db *gorm.DB, saleID string, slip Slip, copied Copy) (n int, err error) {
	const sql = "SELECT COALESCE(MAX(number), 0) + 1 FROM prints WHERE sale_id = ? AND slip = ? AND copy = ?"
	return store.Value[int](db.Raw(sql, saleID, slip, copied))
}

// Before returns the number of the last print of the same paper before a moment; 0: there was none.
func (s *Service) Before(ctx context.Context, p Print, at time.Time) (n int, err error) {
	const sql = "SELECT COALESCE(MAX(number), 0) FROM prints WHERE sale_id = ? AND slip = ? AND copy = ? AND at < ?"
	n, err = store.Value[int](s.d.DB.Read(ctx).Raw(sql, p.SaleID, p.Slip, p.Copy, store.Moment(at)))
	return n, fault.Doing("count earlier prints", err)
}

// mostPrints bounds how many of a sale's prints are listed.
const mostPrints = "100"

// Prints returns the last prints of a sale, the oldest first.
func (s *Service) Prints(ctx context.Context, saleID string) ([]Print, error) {
	var all []Print
	if err := s.d.DB.Answer(ctx, printsOf(saleID, &all)); err != nil {
		return nil, fmt.Errorf("find prints: %w", err)
	}
	slices.Reverse(all)
	return all, nil
}

// AskPrints asks ahead of Prints.
func (s *Service) AskPrints(saleID string) store.Asked { return printsOf(saleID, new([]Print)) }

type printed string

func printsOf(saleID string, into *[]Print) store.Asked {
	return store.AskingRows(printed(saleID), into,
		"FROM prints WHERE sale_id = ? ORDER BY at DESC, number DESC LIMIT "+mostPrints, saleID)
}

// LastFailed says whether the last of a sale's prints failed to reach the printer.
func LastFailed(prints []Print) bool {
	return len(prints) > 0 && prints[len(prints)-1].FailedAt != nil
}

// Open gives leave to open the print window or to send to the printer, once: ever after it returns false.
func (s *Service) Open(ctx context.Context, id, saleID string) (bool, error) {
	return s.mark(ctx, "UPDATE prints SET opened_at = ? WHERE id = ? AND sale_id = ? AND opened_at IS NULL", id, saleID)
}

// Fail records that the printer did not take a print.
func (s *Service) Fail(ctx context.Context, id, saleID string) error {
	_, err := s.mark(
		ctx, "UPDATE prints SET failed_at = ? WHERE id = ? AND sale_id = ? AND failed_at IS NULL", id, saleID,
	)
	return err
}

func (s *Service) mark(ctx context.Context, sql, id, saleID string) (bool, error) {
	var marked int64
	err := s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		done := tx.Exec(sql, store.Moment(s.d.Now()), id, saleID)
		marked = done.RowsAffected
		return done.Error
	})
	return marked == 1, fault.Doing("mark print", err)
}
