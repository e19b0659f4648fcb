// Package limit decides how much may be sold: what a manager must allow, and how much of the float a shop may
// use. It does not know the room of sales, and reads their sums from their rows.
package limit

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/store"
)

// Limit is how much may be done before a manager must allow more. A shop's own limit takes precedence over
// that of every shop.
type Limit struct {
	ShopID string // "" for every shop without its own
	Kind
	Currency money.Currency // of an amount; "" for a count
	Most     int64          // a count, or millionths of Currency
}

// TableName names the table for GORM.
func (Limit) TableName() string { return "sale_limits" }

// Amount is the limit of an amount.
func (l Limit) Amount() money.Amount { return money.Of(l.Most, l.Currency) }

// Facts are what the audit says of a limit.
func (l Limit) Facts() audit.Facts {
	most := audit.Count("most", l.Most)
	if l.Measure == Sum {
		most = audit.Money("most", l.Amount())
	}
	return audit.Facts{audit.Word("limit", l.written()), audit.AtShop(l.ShopID), most}
}

// check refuses a limit that no sale is ever measured by.
func (l Limit) check() error {
	if err := l.Kind.check(); err != nil {
		return err
	}
	switch {
	case l.Subject == FloatKept && l.ShopID == "":
		return fault.OnField("shop", "limit.shop")
	case (l.Measure == Sum) != l.Currency.Known():
		return fault.OnField("currency", "limit.currency")
	}
	return nil
}

// Error says that a limit is reached and nothing was done.
type Error struct {
	Limit Limit
	Used  int64 // before this act, in the limit's measure
}

// Error names the limit, and nobody's number.
func (e *Error) Error() string {
	return fmt.Sprintf("limit per %s and %s reached: %d of %d", e.Limit.Subject, e.Limit.Period, e.Used, e.Limit.Most)
}

// Deps is what the Service needs.
type Deps struct {
	DB      *store.DB
	Audit   *audit.Log
	Now     func() time.Time
	Log     *slog.Logger
	Metrics prometheus.Registerer // nil: nothing is exported
}

// Service stores limits and measures sales by them.
type Service struct {
	d      Deps
	limits store.Memory[string, []Limit] // by shop
	stops  *prometheus.CounterVec
}

// New returns a service.
func New(d Deps) *Service {
	return &Service{d: d, stops: promauto.With(d.Metrics).NewCounterVec(prometheus.CounterOpts{
		Name: "airtill_sale_limit_stops_total",
		Help: "Sales and refunds stopped by a limit, by what it counts.",
	}, []string{"subject", "period"})}
}

// All lists all limits, those of every shop first.
func (s *Service) All(ctx context.Context) ([]Limit, error) {
	limits, err := store.All[Limit](s.d.DB.Read(ctx).Order("shop_id, subject, period, measure, currency"))
	return limits, fault.Doing("list limits", err)
}

// Set sets a limit. It refuses one that would stop every sale; one that makes every refund wait may be meant.
func (s *Service) Set(ctx context.Context, actor audit.Actor, l Limit) error {
	return s.replace(ctx, actor, l, true, nil)
}

// None is what somebody was shown of a limit that there was not.
const None = -1

// SetShown is Set if there is still the limit that somebody was shown in its place: fault.Conflict if it has moved.
func (s *Service) SetShown(ctx context.Context, actor audit.Actor, l Limit, shown int64) error {
	return s.replace(ctx, actor, l, true, &shown)
}

// Remove removes a limit, whatever its value.
func (s *Service) Remove(ctx context.Context, actor audit.Actor, l Limit) error {
	return s.replace(ctx, actor, l, false, nil)
}

// RemoveShown removes a limit if it still has the value that somebody was shown: fault.Conflict if it has another.
func (s *Service) RemoveShown(ctx context.Context, actor audit.Actor, l Limit) error {
	return s.replace(ctx, actor, l, false, &l.Most)
}

// replace removes the limit of the same kind, shop and currency, and stores this one in its place if holds. One that
// has another value than was shown stays; nil: any may go.
func (s *Service) replace(ctx context.Context, actor audit.Actor, l Limit, holds bool, shown *int64) error {
	if err := l.check(); err != nil {
		return err
	}
	if holds && (l.Most < 0 || l.Most == 0 && l.Subject != OneRefund) {
		return fault.OnField("most", "limit.zero")
	}
	return fault.Doing("set limit", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		const same = "shop_id = ? AND subject = ? AND period = ? AND measure = ? AND currency = ?"
		key := []any{l.ShopID, l.Subject, l.Period, l.Measure, l.Currency}
		if err := tx.Lock("sale limits"); err != nil { // two at once would both find none to replace
			return err
		}
		before, err := store.First[Limit](tx.Where(same, key...))
		if err != nil {
			return err
		}
		most := int64(None)
		if before != nil {
			most = before.Most
		}
		if before == nil && !holds || holds && most == l.Most {
			return nil // a second click, or somebody else was faster: nothing changes, so nothing is on record
		}
		if shown != nil && most != *shown {
			return fault.New(fault.Conflict, "limit.moved")
		}
		if err := tx.Exec("DELETE FROM sale_limits WHERE "+same, key...).Error; err != nil {
			return err
		}
		var was, is audit.Facts
		if before != nil {
			was = before.Facts()
		}
		if holds {
			is = l.Facts()
			if err := tx.Create(&l).Error; err != nil {
				return err
			}
		}
		return s.d.Audit.Write(ctx, tx, audit.Entry{
			Actor: actor, Act: audit.LimitSet, Subject: audit.Of(audit.Shop, l.ShopID), Facts: audit.Between(was, is),
		})
	}))
}

// in returns the limits that hold in a shop for some subjects, the shop's own first.
func (s *Service) in(ctx context.Context, db store.Asker, shopID string, subjects ...Subject) ([]Limit, error) {
	rows, err := s.limits.Get(ctx, shopID, func(ctx context.Context) ([]Limit, error) {
		return store.Find[Limit](ctx, db, "FROM sale_limits WHERE shop_id IN ('', ?) "+
			"ORDER BY shop_id DESC, subject, period, measure, currency", shopID)
	})
	if err != nil {
		return nil, err
	}
	var found []Limit
	seen := map[Limit]bool{}
	for _, l := range rows {
		same := Limit{Kind: l.Kind, Currency: l.Currency}
		if slices.Contains(subjects, l.Subject) && !seen[same] {
			seen[same] = true
			found = append(found, l)
		}
	}
	return found, nil
}
