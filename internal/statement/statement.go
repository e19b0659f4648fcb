// Package statement closes each day of each shop: a numbered statement of what was taken, sold, earned and
// owed, which never changes. What is booked later for an earlier day appears on a later statement as a
// correction.
package statement

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/jobs"
	"airtill/internal/money"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// Deps is what the Service needs.
type Deps struct {
	DB     *store.DB
	Staff  *staff.Service
	AtOnce int64 // sales, or postings, per question; 0: as many as are quick
	Now    func() time.Time
	Log    *slog.Logger
}

// Service closes and reads statements.
type Service struct{ d Deps }

// New returns a service.
func New(d Deps) *Service { return &Service{d} }

// Statement is one row of the table statements.
type Statement struct {
	ID          string
	ShopID      string
	Number      int    // within the shop, from 1, without gaps
	Day         string // the shop's business day, like 2026-03-31
	FromAt      time.Time
	ToAt        time.Time
	LastPosting int64 // postings up to here were read
	ClosedAt    time.Time
	Document    string // JSON of a Document
	Hash        string // SHA-256 of Document, hexadecimal
}

// Document is what a statement says.
type Document struct {
	Shop        string       `json:"shop"`
	ShopID      string       `json:"shopId"`
	Number      int          `json:"number"`
	Day         string       `json:"day"`
	Zone        string       `json:"zone"`
	From        time.Time    `json:"from"`
	To          time.Time    `json:"to"`
	ClosedAt    time.Time    `json:"closedAt"`
	Previous    string       `json:"previous"` // hash of the shop's statement before, "" for the first
	Money       []Money      `json:"money"`    // by currency
	Breaks      []Breaks     `json:"breaks"`
	Corrections []Correction `json:"corrections"` // of sales of earlier days
}

// Money is the figures of one currency, in millionths. Cost is in the agent's currency, cash and revenue in
// the till's, so a shop may have two of these.
type Money struct {
	Currency money.Currency `json:"currency"`
	Sent     int64          `json:"sent"` // sales that earned their price
	Refunds  int64          `json:"refunds"`

	// Cash is that in the drawers.
	Cash Moves `json:"cash"`
	// Prepaid is what customers have paid for transfers that are open.
	Prepaid Moves `json:"prepaid"`
	// RefundsDue is what customers are to get back.
	RefundsDue Moves `json:"refundsDue"`
	// Held is float that open sales hold, reserved or in batches.
	Held Moves `json:"held"`
	// Receivable is what the upstream owes back.
	Receivable Moves `json:"receivable"`

	Taken       int64 `json:"taken"`       // cash for sales
	GivenBack   int64 `json:"givenBack"`   // cash refunded
	FloatIn     int64 `json:"floatIn"`     // cash put into drawers
	Banked      int64 `json:"banked"`      // cash taken out into the safe
	Expenses    int64 `json:"expenses"`    // paid out of drawers
	OverShort   int64 `json:"overShort"`   // counted more or less than the books expected
	FaceValue   int64 `json:"faceValue"`   // revenue: the provider's part
	CustomerFee int64 `json:"customerFee"` // revenue: the fee
	MarkUp      int64 `json:"markUp"`      // revenue: the mark-up
	Commission  int64 `json:"commission"`
	Cost        int64 `json:"cost"` // provider's value and the fee passed on
	Fee         int64 `json:"fee"`  // distributor's fee
	Losses      int64 `json:"losses"`
	Goodwill    int64 `json:"goodwill"`
	Margin      int64 `json:"margin"` // revenue and commission less cost, fee, losses and goodwill
	Float       int64 `json:"float"`  // change of the float by the shop's sales
}

// Moves is a balance from the opening to the closing of a day.
type Moves struct {
	Opening int64 `json:"opening"`
	In      int64 `json:"in"`
	Out     int64 `json:"out"` // negative
	Closing int64 `json:"closing"`
}

// Breaks is the differences of one kind that were unresolved when the statement was closed.
type Breaks struct {
	Kind     string         `json:"kind"`
	Currency money.Currency `json:"currency"`
	Count    int64          `json:"count"`
	Micros   int64          `json:"micros"`
}

// Correction is what was booked on this day for a sale of an earlier one.
type Correction struct {
	SaleID   string         `json:"sale"`
	Code     string         `json:"code"` // on its receipt
	Sold     time.Time      `json:"sold"`
	Kinds    []string       `json:"kinds"` // the journals: J12, J15, …
	Currency money.Currency `json:"currency"`
	Margin   int64          `json:"margin"` // change of the margin
	Cash     int64          `json:"cash"`   // change of the drawers
}

// Read returns what a statement says.
func (s Statement) Read() (Document, error) {
	var d Document
	if err := json.Unmarshal([]byte(s.Document), &d); err != nil {
		return d, fmt.Errorf("statement %d of shop %s: %w", s.Number, s.ShopID, err)
	}
	return d, nil
}

// Filter selects statements for a list. Zero fields select everything.
type Filter struct {
	ShopID string
	Month  string // like 2026-03
	Below  string // the Place of another: only those after it in the list
	Limit  int    // -1: all
}

// Place is where a statement stands in a list.
func (s Statement) Place() string { return s.Day + "/" + s.ShopID }

// List returns statements without their documents, the newest day first.
func (s *Service) List(ctx context.Context, f Filter) ([]Statement, error) {
	all, err := store.All[Statement](f.apply(s.d.DB.Read(ctx)))
	return all, fault.Doing("list statements", err)
}

func (f Filter) apply(query *gorm.DB) *gorm.DB {
	query = query.Omit("document").Where(&Statement{ShopID: f.ShopID})
	below := f.Below
	if f.Month != "" {
		query = query.Where("day >= ?", f.Month)
		if end := f.Month + "-32"; below == "" || below > end {
			below = end
		}
	}
	if below != "" { // the only bound from above: of two, SQLite may read from the other
		day, shop, _ := strings.Cut(below, "/")
		query = query.Where("(day, shop_id) < (?, ?)", day, shop)
	}
	return query.Order("day DESC, shop_id DESC").Limit(f.Limit) // both one way, as an index is read
}

// Get returns one statement. shopID limits it to one shop; "" sees all.
func (s *Service) Get(ctx context.Context, id, shopID string) (Statement, error) {
	query := s.d.DB.Read(ctx).Where("id = ?", id).Where(&Statement{ShopID: shopID})
	found, err := store.One[Statement](query, fault.New(fault.NotFound, "statement.none"))
	return found, fault.Doing("read statement", err)
}

// closeWithin ends a run before River takes it for stuck.
const closeWithin = 9 * time.Minute

// Jobs close the days that are over; the first run of a large business closes many.
func (s *Service) Jobs() []jobs.Job {
	closeDue := func(ctx context.Context) error {
		_, err := s.CloseDue(ctx)
		return err
	}
	return []jobs.Job{jobs.Periodic{
		Kind: "statement.close", Every: 15 * time.Minute, Timeout: closeWithin,
		Due: s.isDue, Do: closeDue, Lasting: true,
	}}
}
