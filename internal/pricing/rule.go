package pricing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// Way is how a rule makes a price.
type Way string

// The ways.
const (
	Percent Way = "percent" // per cent on top of SendValue; negative is a discount
	Fixed   Way = "fixed"   // a sum on top of it
	Target  Way = "target"  // this price, whatever the cost
)

// Ways lists them.
func Ways() []Way { return []Way{Percent, Fixed, Target} }

// EndsIn99 rounds to the next sum that ends in .99.
const EndsIn99 = ".99"

// Roundings are how a price may be rounded, always up: to the smallest coin, to a multiple, or to an end in
// .99. Many currencies have no coin, or even note, of 1.
func Roundings() []string {
	return []string{"", "0.05", "0.10", "0.50", "1.00", "5", "10", "50", "100", "500", "1000", "5000", EndsIn99}
}

// Rule is one price rule. An empty scope matches everything.
type Rule struct {
	ID         string
	Name       string
	Priority   int // of the matching rules the highest alone decides
	ShopID     string
	Country    string
	Provider   string
	Kind       string
	SKU        string
	FromMicros int64 // of SendValue, in the agent's currency
	ToMicros   int64 // up to and including; 0: no end
	// BandCurrency is the currency of FromMicros and ToMicros, to be shown; "" in old rules.
	BandCurrency money.Currency
	FirstDay     string // like 2026-03-31, of each shop's own calendar; "": no first
	LastDay      string // inclusive
	Way          Way
	Value        string // decimal: per cent, or a sum in the till's currency
	Rounding     string
	BelowCost    bool // a second person allowed it
	MadeBy       string
	MadeAt       time.Time
	RetiredAt    *time.Time
}

// TableName names the table for GORM.
func (Rule) TableName() string { return "price_rules" }

// Banded says whether a rule is for some amounts only.
func (r *Rule) Banded() bool { return r.FromMicros != 0 || r.ToMicros != 0 }

// facts are what the audit says of a rule.
func (r *Rule) facts() audit.Facts {
	facts := audit.Facts{
		audit.Text("name", r.Name), audit.Count("priority", r.Priority), audit.AtShop(r.ShopID),
		audit.Word("country", r.Country), audit.Word("provider", r.Provider), audit.Word("kind", r.Kind),
		audit.Word("sku", r.SKU), audit.Word("way", r.Way), audit.Text("value", r.Value),
		audit.Word("rounding", r.Rounding), audit.Day("starts", r.FirstDay), audit.Day("ends", r.LastDay),
	}
	if r.Banded() {
		facts = append(facts, audit.Money("from", money.Of(r.FromMicros, r.BandCurrency)))
	}
	if r.ToMicros != 0 {
		facts = append(facts, audit.Money("to", money.Of(r.ToMicros, r.BandCurrency)))
	}
	if r.BelowCost {
		facts = append(facts, audit.YesNo("belowcost", true))
	}
	return facts
}

// scope is what the rule is for; "" matches everything.
func (r *Rule) scope() [5]string { return [...]string{r.ShopID, r.Country, r.Provider, r.Kind, r.SKU} }

func (r *Rule) fits(shopID string, s Subject, day string) bool {
	micros := s.Send.Micros()
	return r.covers(shopID, s, day) && micros >= r.FromMicros && (r.ToMicros == 0 || micros <= r.ToMicros)
}

// covers is fits, whatever the amount.
func (r *Rule) covers(shopID string, s Subject, day string) bool {
	there := [...]string{shopID, s.Country, s.Provider, s.Kind, s.SKU}
	for i, of := range r.scope() {
		if of != "" && of != there[i] {
			return false
		}
	}
	return day >= r.FirstDay && (r.LastDay == "" || day <= r.LastDay)
}

// apply makes the price of a SendValue given in the till's currency.
func (r *Rule) apply(send money.Amount) (money.Amount, error) {
	value, err := decimal.NewFromString(r.Value)
	if err != nil {
		return money.Amount{}, fmt.Errorf("price rule %s: %w", r.ID, err)
	}
	price := send
	switch r.Way {
	case Percent:
		price, err = send.Times(value.Shift(-2).Add(decimal.NewFromInt(1)), microDecimals)
	case Fixed:
		price, err = sumOf(send, value)
	case Target:
		price, err = sumOf(money.Of(0, send.Currency()), value)
	}
	if err != nil {
		return money.Amount{}, fmt.Errorf("price rule %s: %w", r.ID, err)
	}
	return roundUp(money.Of(max(price.Micros(), 0), price.Currency()), r.Rounding)
}

func sumOf(a money.Amount, value decimal.Decimal) (money.Amount, error) {
	more, err := money.Of(money.Scale, a.Currency()).Times(value, microDecimals)
	if err != nil {
		return money.Amount{}, err
	}
	return a.Add(more)
}

// Rules returns the rules in use, highest priority first.
func (s *Service) Rules(ctx context.Context) ([]Rule, error) {
	rules, err := s.rules.Get(ctx, struct{}{}, func(ctx context.Context) ([]Rule, error) {
		rules, err := store.All[Rule](s.d.DB.Read(ctx).Where("retired_at IS NULL"))
		return sorted(rules), err
	})
	return rules, fault.Doing("read price rules", err)
}

func sorted(rules []Rule) []Rule {
	slices.SortFunc(rules, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), strings.Compare(a.ID, b.ID))
	})
	return rules
}

// SaveRule puts a new rule into use. Rules never change: saving one with the id of another retires that one. A
// rule that contradicts one in use is refused: same priority, and both could match. A form that is sent again, because
// its answer was lost, is the rule that it made.
func (s *Service) SaveRule(ctx context.Context, by audit.Actor, r Rule) (Rule, error) {
	if err := s.CheckRule(ctx, &r); err != nil && !errors.Is(err, ErrRuleGone) {
		return r, err
	}
	now, replaced := store.Moment(s.d.Now()), r.ID
	r.ID, r.MadeBy, r.MadeAt, r.RetiredAt, r.BelowCost = store.NewID(now), by.UserID, now, nil, false
	err := s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := tx.Lock("price rules"); err != nil {
			return err
		}
		before, gone := retire(tx, replaced, now, ErrRuleGone)
		changes := replaced != "" && gone == nil
		if gone != nil && !errors.Is(gone, ErrRuleGone) {
			return gone
		}
		rules, err := store.All[Rule](tx.Where("retired_at IS NULL"))
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(rules, r.saidAgain); i >= 0 && !changes {
			r = rules[i]
			return nil
		}
		if gone != nil {
			return gone
		}
		for _, other := range rules {
			if r.contradicts(other) {
				return fault.OnField("priority", "rule.tie", other.Name)
			}
		}
		return s.d.Audit.WriteIf(ctx, tx, tx.Create(&r), audit.Entry{
			Actor: by, Act: audit.PriceRuleSaved, Subject: audit.Of(audit.PriceRule, r.ID),
			Facts: audit.Between(before, r.facts()),
		})
	})
	return r, fault.Doing("save price rule", err)
}

// saidAgain says whether a person who made a rule now asks for nothing else.
func (r Rule) saidAgain(made Rule) bool {
	r.ID, r.MadeAt, r.BelowCost = made.ID, made.MadeAt, made.BelowCost
	return r == made
}

// retire takes a rule out of use, "": none, and returns what it was; if it is in use no more, it fails with gone.
func retire(tx *store.Tx, id string, now time.Time, gone error) (was audit.Facts, err error) {
	if id == "" {
		return nil, nil
	}
	const retire = "UPDATE price_rules SET retired_at = ? WHERE id = ? AND retired_at IS NULL RETURNING *"
	retired, err := store.One[Rule](tx.Raw(retire, now, id), gone)
	return retired.facts(), err
}

var errNoRule = fault.New(fault.NotFound, "rule.none")

// ErrRuleGone refuses to put a rule in the place of one that is in use no more.
var ErrRuleGone = fault.New(fault.Conflict, "rule.gone")

// RetireRule takes a rule out of use.
func (s *Service) RetireRule(ctx context.Context, by audit.Actor, id string) error {
	return fault.Doing("retire price rule", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if id == "" {
			return errNoRule
		}
		before, err := retire(tx, id, store.Moment(s.d.Now()), errNoRule)
		if err != nil {
			return err
		}
		return s.d.Audit.Write(ctx, tx, audit.Entry{
			Actor: by, Act: audit.PriceRuleRetired, Subject: audit.Of(audit.PriceRule, id),
			Facts: audit.Between(before, nil),
		})
	}))
}

// AllowableBy says whether that person may allow the rule to sell below cost, and nobody has yet.
func (r *Rule) AllowableBy(userID string) bool { return !r.BelowCost && r.MadeBy != userID }

// AllowBelowCost lets a rule sell below cost. A second person allows it, never its maker, and signs
// (staff.Countersign).
func (s *Service) AllowBelowCost(ctx context.Context, by audit.Actor, id string) error {
	return fault.Doing("allow below cost", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		found, err := store.One[Rule](tx.Where("id = ? AND retired_at IS NULL", id), errNoRule)
		if err != nil {
			return err
		}
		if found.MadeBy == by.UserID {
			return fault.New(fault.Conflict, "rule.below-cost")
		}
		if err := staff.Countersign(tx, found.MadeBy, by, s.d.Now()); err != nil {
			return err
		}
		allowed := tx.Exec("UPDATE price_rules SET below_cost = TRUE WHERE id = ? AND NOT below_cost", id)
		return s.d.Audit.WriteIf(ctx, tx, allowed, audit.Entry{
			Actor: by, Act: audit.PriceRuleBelowCostAllowed, Subject: audit.Of(audit.PriceRule, id),
		})
	}))
}
