package pricing

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/shopspring/decimal"
	"gorm.io/gorm"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/store"
)

// Rate is how much of one currency is paid for one unit of another, from a time on.
type Rate struct {
	ID           string         // to AddRate: of the form that asks for it, "" for a new one: see store.Made
	FromCurrency money.Currency // the agent's
	ToCurrency   money.Currency // the till's
	Rate         string         // decimal
	ValidFrom    time.Time
	EnteredBy    string
	EnteredAt    time.Time
	Again        string `gorm:"-" json:"-"` // typed a second time, if it is far from the last rate
}

// TableName names the table for GORM.
func (Rate) TableName() string { return "exchange_rates" }

// Rates returns every rate, the newest first.
func (s *Service) Rates(ctx context.Context) ([]Rate, error) {
	rates, err := s.rates.Get(ctx, struct{}{}, func(ctx context.Context) ([]Rate, error) {
		return store.All[Rate](s.d.DB.Read(ctx).Order("valid_from DESC"))
	})
	return rates, fault.Doing("read exchange rates", err)
}

// RateAt finds the rate that held at a time; rates are the newest first.
func RateAt(rates []Rate, from, to money.Currency, at time.Time) (decimal.Decimal, bool) {
	r, _ := rowAt(rates, from, to, at) // without one it is "", which is no rate
	rate, err := money.Rate(r.Rate)
	return rate, err == nil
}

func rowAt(rates []Rate, from, to money.Currency, at time.Time) (Rate, bool) {
	i := slices.IndexFunc(rates, func(r Rate) bool {
		return r.FromCurrency == from && r.ToCurrency == to && !r.ValidFrom.After(at)
	})
	if i < 0 {
		return Rate{}, false
	}
	return rates[i], true
}

// OldRate returns since when a currency's rate has held, and whether it is old enough to tell the cashier.
func (t *Tariff) OldRate(from money.Currency) (since time.Time, old bool) {
	r, ok := rowAt(t.rates, from, t.Currency, t.At)
	return r.ValidFrom, ok && t.At.Sub(r.ValidFrom) > staleAfter
}

// mostRate bounds a rate: a larger one is mistyped. A euro is over a million rials.
var (
	mostRate  = decimal.NewFromInt(10_000_000)
	leastRate = decimal.New(1, -6)
)

// AddRate enters a rate, which holds from now or later: what is sold stays as it is.
func (s *Service) AddRate(ctx context.Context, by audit.Actor, r Rate) error {
	now := store.Moment(s.d.Now())
	typed := r.ValidFrom
	if typed.IsZero() {
		r.ValidFrom = now
	}
	rate, err := money.Rate(r.Rate)
	switch {
	case !r.FromCurrency.Known():
		return fault.OnField("from_currency", "rate.from")
	case !r.ToCurrency.Known() || r.ToCurrency == r.FromCurrency:
		return fault.OnField("to_currency", "rate.to")
	case err != nil || rate.LessThan(leastRate) || rate.GreaterThan(mostRate):
		return fault.OnField("rate", "rate.value")
	}
	r.ID, r.EnteredBy, r.EnteredAt = cmp.Or(r.ID, store.NewID(now)), by.UserID, now
	r.ValidFrom = store.Moment(r.ValidFrom)
	return fault.Doing("enter exchange rate", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		made, err := store.Made(tx, r.ID, func(made Rate) bool {
			return made.FromCurrency == r.FromCurrency && made.ToCurrency == r.ToCurrency && made.Rate == r.Rate &&
				(typed.IsZero() || made.ValidFrom.Equal(r.ValidFrom))
		})
		if err != nil || made != nil {
			return err
		}
		if r.ValidFrom.Before(now.Add(-time.Minute)) {
			return fault.OnField("valid_from", "rate.past")
		}
		if err := askAgain(tx, r, rate); err != nil {
			return err
		}
		err = tx.Create(&r).Error
		if errors.Is(err, gorm.ErrDuplicatedKey) {
			return fault.Wrap(err, fault.Conflict, "rate.taken")
		}
		if err != nil {
			return err
		}
		return s.d.Audit.Write(ctx, tx, audit.Entry{
			Actor: by, Act: audit.ExchangeRateEntered, Subject: audit.Of(audit.ExchangeRate, r.ID), Facts: r.facts(),
		})
	}))
}

func (r Rate) facts() audit.Facts {
	return audit.Facts{
		audit.Text("fromcurrency", r.FromCurrency), audit.Text("tocurrency", r.ToCurrency),
		audit.Text("rate", r.Rate), audit.Time("validfrom", r.ValidFrom),
	}
}

// Begun says whether the rate holds, or held: what was sold under it keeps it.
func (r Rate) Begun(now time.Time) bool { return !r.ValidFrom.After(now) }

// WithdrawRate removes a rate that does not hold yet, such as a mistyped one; one that is gone is no error. It fails
// with fault.Conflict if it holds already.
func (s *Service) WithdrawRate(ctx context.Context, by audit.Actor, id string) error {
	return fault.Doing("withdraw exchange rate", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		gone, err := store.First[Rate](tx.Raw("DELETE FROM exchange_rates WHERE id = ? AND valid_from > ? RETURNING *",
			id, store.Moment(s.d.Now())))
		if err != nil {
			return err
		}
		if gone == nil {
			holds, err := store.Some(tx.Model(&Rate{}).Where("id = ?", id))
			if holds {
				err = fault.New(fault.Conflict, "rate.begun")
			}
			return err
		}
		return s.d.Audit.Write(ctx, tx, audit.Entry{
			Actor: by, Act: audit.ExchangeRateWithdrawn, Subject: audit.Of(audit.ExchangeRate, id), Facts: gone.facts(),
		})
	}))
}

// usualMove is the factor by which a rate may differ from the last one, up or down, before it is asked for again.
var usualMove = decimal.New(12, -1)

// askAgain asks for a rate a second time if it is the first of its pair or far from the last: with a misplaced
// decimal point, the shop would sell at a hundredth of the price.
func askAgain(tx *store.Tx, r Rate, rate decimal.Decimal) error {
	if again, err := money.Rate(r.Again); err == nil && again.Equal(rate) {
		return nil
	}
	before, err := store.First[Rate](
		tx.Where(
			"from_currency = ? AND to_currency = ? AND valid_from <= ?", r.FromCurrency, r.ToCurrency, r.ValidFrom,
		).Order("valid_from DESC"),
	)
	if err != nil {
		return err
	}
	if before == nil {
		return fault.OnField("again", "rate.first", r.FromCurrency, rate, r.ToCurrency)
	}
	last, err := money.Rate(before.Rate)
	if err != nil {
		return err
	}
	if rate.GreaterThan(last.Mul(usualMove)) || last.GreaterThan(rate.Mul(usualMove)) {
		return fault.OnField("again", "rate.far", last)
	}
	return nil
}

// staleAfter is how old a rate may be before people are told.
const staleAfter = 14 * 24 * time.Hour

// Stale returns the rates in use that nobody has renewed for long.
func (s *Service) Stale(ctx context.Context) ([]Rate, error) {
	now := store.Moment(s.d.Now())
	rates, err := store.All[Rate](s.d.DB.Read(ctx).Raw(`
		SELECT * FROM exchange_rates r WHERE valid_from < ? AND to_currency IN (SELECT currency FROM shops)
		AND NOT EXISTS (SELECT 1 FROM exchange_rates later WHERE later.from_currency = r.from_currency
		AND later.to_currency = r.to_currency
		AND later.valid_from > r.valid_from AND later.valid_from <= ?)
		ORDER BY from_currency, to_currency`, now.Add(-staleAfter), now))
	return rates, fault.Doing("find old exchange rates", err)
}
