// Package app builds the till: every room on one database, for cmd/web, the harnesses and tests alike. What is
// shown over HTTP stands on top, in web.
package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/alexedwards/argon2id"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
	"airtill/internal/customer"
	"airtill/internal/forecast"
	"airtill/internal/jobs"
	"airtill/internal/ledger"
	"airtill/internal/mail"
	"airtill/internal/person"
	"airtill/internal/pricing"
	"airtill/internal/report"
	"airtill/internal/staff"
	"airtill/internal/statement"
	"airtill/internal/store"
	"airtill/internal/till"
)

// Deps is what the till stands on. A given database or budget replaces the one named by Config.
type Deps struct {
	Config   Config
	Log      *slog.Logger
	Now      func() time.Time
	DB       *store.DB
	Process  string // "": a unique name
	VaultKey string // "": the content of Config's file
	Budget   apiclient.Budget
	Hashing  *argon2id.Params // of passwords; nil: full strength
}

// Books are the rooms that need only the database.
type Books struct {
	d          Deps
	Config     Config
	Log        *slog.Logger
	Now        func() time.Time
	DB         *store.DB
	Audit      *audit.Log
	Staff      *staff.Service
	Ledger     *ledger.Ledger
	Statements *statement.Service
	Till       *till.Service
	Report     *report.Service
	Forecast   *forecast.Service
	Pricing    *pricing.Service
	Customers  *customer.Book
	Mail       *mail.Mailer
	Board      *jobs.Board // of long work
}

// OpenBooks opens the database, migrated or not. The caller closes it.
func OpenBooks(ctx context.Context, d Deps) (*Books, error) {
	b := &Books{d: d, Config: d.Config, Log: d.Log, Now: d.Now, DB: d.DB}
	if d.DB == nil {
		var err error
		if b.DB, err = store.Open(ctx, d.Config.DatabaseURL); err != nil {
			return nil, err
		}
	}
	err := b.keepsVaultKey(ctx)
	if err == nil {
		err = b.build()
	}
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

func (b *Books) build() error {
	db, now, log := b.DB, b.Now, b.Log
	keys, err := b.auditKeys()
	if err != nil {
		return err
	}
	b.Ledger = ledger.New(ledger.Deps{DB: db})
	b.Audit = audit.New(audit.Deps{DB: db, Now: now, Log: log, Keys: keys})
	b.Board = jobs.NewBoard(jobs.BoardDeps{DB: db, Now: now, Log: log})
	b.Pricing = pricing.New(pricing.Deps{DB: db, Audit: b.Audit, Now: now})
	b.Till = till.New(till.Deps{DB: db, Ledger: b.Ledger, Audit: b.Audit, Now: now})
	b.Customers = customer.New(customer.Deps{DB: db, Now: now, Log: log, Retention: b.Config.CustomerRetention()})
	if b.Mail, err = b.Config.NewMailer(now); err != nil {
		return err
	}
	b.Report = report.New(report.Deps{
		DB: db, Pricing: b.Pricing, Audit: b.Audit, Mail: b.Mail, Board: b.Board, Now: now,
	})
	b.Forecast = forecast.New(forecast.Deps{Report: b.Report, Now: now})
	seal, open, err := b.secrets()
	if err != nil {
		return err
	}
	outside, err := b.Config.Outside(now)
	if err != nil {
		return err
	}
	b.Staff = staff.New(staff.Deps{
		DB: db, Now: now, Audit: b.Audit, Log: log, Hashing: b.d.Hashing, Seal: seal, Open: open,
		PublicURL: b.Config.PublicURL, Outside: outside, SecondOptional: b.Config.SecondFactor == SecondOptional,
	})
	b.Statements = statement.New(statement.Deps{DB: db, Staff: b.Staff, Now: now, Log: log})
	return nil
}

// CustomersData finds, hands out and erases what is stored of a customer.
func (b *Books) CustomersData() (*person.Service, error) {
	key, err := b.numbersKey(rememberedNumbers)
	return person.New(person.Deps{DB: b.DB, Audit: b.Audit, Now: b.Now, NumberKey: key}), err
}

// Close closes the database, unless it was given.
func (b *Books) Close() error {
	if b.d.DB != nil {
		return nil
	}
	return b.DB.Close()
}

// UpToDate fails if the schema is older than this program. One that is newer is logged: beside newer processes the
// program does its work, but what those made since, such as a new kind of cash move, it does not know.
func (b *Books) UpToDate(ctx context.Context) error {
	pending, err := b.DB.Pending(ctx)
	if err != nil {
		return err
	}
	if pending {
		return errors.New("the database is older than this program; run web migrate first")
	}
	newer, err := b.DB.Newer(ctx)
	if newer {
		b.Log.WarnContext(ctx, "web.database_newer")
	}
	return err
}
