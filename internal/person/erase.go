package person

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"airtill/internal/audit"
	"airtill/internal/customer"
	"airtill/internal/fault"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// Erasure is one that waits for a second person. The number itself does not wait with
// it: whoever confirms types it as well.
type Erasure struct {
	ID         string
	NumberHash string
	Reason     string
	ProposedBy string
	ProposedAt time.Time
}

var errNone = fault.New(fault.Conflict, "customer.no-erasure")

// Propose asks for the erasure of a number. Nothing is erased until another person has
// typed the same number.
func (s *Service) Propose(ctx context.Context, by audit.Actor, typed, reason string) error {
	if reason = strings.TrimSpace(reason); reason == "" {
		return fault.OnField("reason", "customer.erasure-reason")
	}
	return fault.Doing("propose an erasure", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		found, err := s.erasable(tx, typed)
		if err != nil {
			return err
		}
		now := store.Moment(s.d.Now())
		e := Erasure{
			ID: store.NewID(now), NumberHash: s.name(found), Reason: reason, ProposedBy: by.UserID, ProposedAt: now,
		}
		switch err := tx.Create(&e).Error; {
		case errors.Is(err, gorm.ErrDuplicatedKey):
			return fault.New(fault.Conflict, "staff.waiting")
		case err != nil:
			return err
		}
		return s.record(ctx, tx, audit.Entry{Actor: by, Act: audit.CustomerErasureProposed, Reason: reason}, found)
	}))
}

// Waiting returns the erasures that wait for a second person, the oldest first.
func (s *Service) Waiting(ctx context.Context) ([]Erasure, error) {
	waiting, err := store.All[Erasure](s.d.DB.Read(ctx).Order("id"))
	return waiting, fault.Doing("list erasures", err)
}

// Confirm erases what was proposed, for which the actor must be a second person
// (staff.Countersign) who types the same number.
func (s *Service) Confirm(ctx context.Context, by audit.Actor, id, typed string) error {
	return s.decide(ctx, id, func(tx *store.Tx, e Erasure) error {
		if err := staff.Countersign(tx, e.ProposedBy, by, s.d.Now()); err != nil {
			return err
		}
		found, err := s.erasable(tx, typed)
		if err != nil {
			return err
		}
		if s.name(found) != e.NumberHash {
			return fault.OnField("number", "customer.other-number")
		}
		return s.erase(ctx, tx, audit.Entry{
			Actor: by, Reason: e.Reason, Facts: audit.Facts{audit.Person("proposedby", e.ProposedBy)},
		}, found)
	})
}

// Decline drops a proposal, which anybody may who can confirm one.
func (s *Service) Decline(ctx context.Context, by audit.Actor, id string) error {
	return s.decide(ctx, id, func(tx *store.Tx, e Erasure) error {
		return s.d.Audit.Write(ctx, tx, audit.Entry{
			Actor: by, Act: audit.CustomerErasureDeclined, Subject: audit.Of(audit.Customer, ""), Reason: e.Reason,
			Facts: audit.Facts{audit.Person("proposedby", e.ProposedBy)},
		})
	})
}

func (s *Service) decide(ctx context.Context, id string, do func(*store.Tx, Erasure) error) error {
	return fault.Doing("decide an erasure", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		e, err := store.One[Erasure](tx.Raw("DELETE FROM erasures WHERE id = ? RETURNING *", id), errNone)
		if err != nil {
			return err
		}
		return do(tx, e)
	}))
}

// Erase erases a number at once. It is for a command: whoever has the machine could write
// to the database as well.
func (s *Service) Erase(ctx context.Context, by audit.Actor, typed, reason string) (found Found, err error) {
	if reason = strings.TrimSpace(reason); reason == "" {
		return found, fault.OnField("reason", "customer.erasure-reason")
	}
	return found, fault.Doing("erase a number", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if found, err = s.erasable(tx, typed); err != nil {
			return err
		}
		return s.erase(ctx, tx, audit.Entry{Actor: by, Reason: reason}, found)
	}))
}

// name stands for a number while it waits. Under what else it was typed counts only if something is stored under that:
// whoever confirms must then type it so, or it would stay.
func (s *Service) name(of Found) string {
	return strings.Join(s.hashes(slices.DeleteFunc(slices.Clone(of.Numbers), func(form string) bool {
		return !slices.Contains(of.plain, form) &&
			!slices.ContainsFunc(of.Sales, func(s Sold) bool { return s.Number == form }) &&
			!slices.ContainsFunc(of.Book, func(e Entry) bool { return e.Number == form })
	})), " ")
}

// erasable is what is stored of a number, unless a sale still needs it.
func (s *Service) erasable(tx *store.Tx, typed string) (Found, error) {
	found, err := s.find(tx.DB, typed)
	switch {
	case err != nil:
		return found, err
	case found.Empty():
		return found, fault.OnField("number", "customer.nothing-stored")
	case found.Unsettled() > 0:
		return found, fault.New(fault.Conflict, "customer.unsettled", found.Unsettled())
	}
	return found, nil
}

const erasedAtOnce = 500

// erase takes a number out of every table that Columns says it is erased from. Sales stay
// in the books, to nobody.
func (s *Service) erase(ctx context.Context, tx *store.Tx, e audit.Entry, found Found) error {
	run := func(sql string, args ...any) error { return tx.Exec(sql, args...).Error }
	for some := range slices.Chunk(found.Sales, erasedAtOnce) {
		var ids, requests []string
		for _, s := range some {
			ids, requests = append(ids, s.sale.ID), append(requests, s.sale.ParamsHash)
		}
		if err := errors.Join(
			run(`UPDATE sales SET account_number = ?, params_hash = ?, settings = '[]', bill_ref = '',
				sealed_receipt = '', pin_hint = '' WHERE id IN ?`, sales.Erased, sales.Erased, ids),
			run("UPDATE webhooks SET sealed_body = '' WHERE sale_id IN ?", ids),
			run("UPDATE limit_stops SET asked = '' WHERE sale_id IN ? OR asked IN ?", ids, requests),
		); err != nil {
			return err
		}
	}
	hashes := s.hashes(found.Numbers)
	if err := errors.Join(
		customer.Hold(tx),
		run("DELETE FROM customer_numbers WHERE account_number IN ?", found.Numbers),
		run("DELETE FROM customers WHERE NOT EXISTS "+
			"(SELECT 1 FROM customer_numbers n WHERE n.customer_id = customers.id)"),
		run("DELETE FROM number_operators WHERE number_hash IN ?", hashes),
		run("DELETE FROM number_lookups WHERE number_hash IN ?", hashes),
	); err != nil {
		return err
	}
	e.Act = audit.CustomerErased
	return s.record(ctx, tx, e, found)
}

// ForgetHashed deletes what is remembered of numbers by hashes. Under a new key it could be found no more, and so not
// be erased.
func (s *Service) ForgetHashed(ctx context.Context) error {
	return fault.Doing("forget remembered numbers", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		return errors.Join(
			tx.Exec("DELETE FROM number_operators").Error,
			tx.Exec("DELETE FROM number_lookups").Error,
		)
	}))
}
