package reconcile

import (
	"context"
	"errors"
	"strings"
	"time"

	"gorm.io/gorm"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// Seller is other software that sells on the same account, with refs that begin with Prefix.
type Seller struct {
	Prefix     string
	Name       string
	EnteredBy  string
	EnteredAt  time.Time
	ApprovedBy string
	ApprovedAt *time.Time
	EndedAt    *time.Time
}

// TableName is read by GORM.
func (Seller) TableName() string { return "foreign_sellers" }

var errDeclared = fault.New(fault.Conflict, "foreign.done")

// shortestPrefix prevents a declaration from matching other refs by chance.
const shortestPrefix = 3

// DeclareSeller names other software whose sales are not ours, for a second
// person to approve.
func (s *Service) DeclareSeller(ctx context.Context, by audit.Actor, prefix, name string) error {
	prefix, name = strings.TrimSpace(prefix), strings.TrimSpace(name)
	if len(prefix) < shortestPrefix || name == "" {
		return fault.OnField("prefix", "foreign.prefix")
	}
	codes, err := s.installations(ctx)
	if err != nil {
		return err
	}
	for _, code := range codes {
		if strings.HasPrefix(prefix, code) || strings.HasPrefix(code, prefix) {
			return fault.OnField("prefix", "foreign.own-prefix", code)
		}
	}
	err = s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		made := Seller{Prefix: prefix, Name: name, EnteredBy: by.UserID, EnteredAt: store.Moment(s.d.Now())}
		return s.d.Audit.WriteIf(ctx, tx, tx.Create(&made), audit.Entry{
			Actor: by, Act: audit.SellerDeclared, Subject: audit.Of(audit.Seller, prefix),
		})
	})
	if errors.Is(err, gorm.ErrDuplicatedKey) { // or a form that is sent again, because its answer was lost
		var again bool
		again, err = store.Some(s.d.DB.Read(ctx).Model(&Seller{}).
			Where("prefix = ? AND name = ? AND entered_by = ?", prefix, name, by.UserID))
		if err == nil && !again {
			return fault.OnField("prefix", "foreign.taken")
		}
	}
	return fault.Doing("declare seller", err)
}

// RefuseSeller ends a declaration that nobody has approved.
func (s *Service) RefuseSeller(ctx context.Context, prefix string, by audit.Actor) error {
	return fault.Doing("refuse seller", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		gone := tx.Exec("DELETE FROM foreign_sellers WHERE prefix = ? AND approved_at IS NULL", prefix)
		if gone.Error == nil && gone.RowsAffected == 0 {
			return errDeclared
		}
		return s.d.Audit.WriteIf(ctx, tx, gone, audit.Entry{
			Actor: by, Act: audit.SellerRefused, Subject: audit.Of(audit.Seller, prefix),
		})
	}))
}

// ApproveSeller is the second person's agreement. From the next look on, the software's sales are listed and
// booked as used by others (J22).
func (s *Service) ApproveSeller(ctx context.Context, prefix string, by audit.Actor, signedIn time.Time) error {
	return fault.Doing("approve seller", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		found, err := store.First[Seller](tx.Raw(
			"SELECT * FROM foreign_sellers WHERE prefix = ?"+tx.ForUpdate(), prefix,
		))
		if err != nil {
			return err
		}
		if found == nil || found.ApprovedAt != nil && found.ApprovedBy != by.UserID {
			return errDeclared
		} else if found.ApprovedAt != nil { // asked again, because its answer was lost
			return nil
		}
		if err := s.second(tx, found.EnteredBy, by, signedIn); err != nil {
			return err
		}
		approved := tx.Exec("UPDATE foreign_sellers SET approved_by = ?, approved_at = ? WHERE prefix = ?", by.UserID,
			store.Moment(s.d.Now()), prefix)
		return s.d.Audit.WriteIf(ctx, tx, approved, audit.Entry{
			Actor: by, Act: audit.SellerApproved, Subject: audit.Of(audit.Seller, prefix),
		})
	}))
}

// declared are the prefixes that two people have declared.
func (s *Service) declared(ctx context.Context) (prefixes []string, err error) {
	err = s.d.DB.Read(ctx).Raw(
		"SELECT prefix FROM foreign_sellers WHERE approved_at IS NOT NULL AND ended_at IS NULL",
	).Scan(&prefixes).Error
	return prefixes, fault.Doing("declared sellers", err)
}

// Sellers returns the declared software.
func (s *Service) Sellers(ctx context.Context) ([]Seller, error) {
	all, err := store.All[Seller](s.d.DB.Read(ctx).Order("prefix"))
	return all, fault.Doing("list sellers", err)
}
