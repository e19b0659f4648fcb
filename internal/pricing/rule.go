package pricing

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// Way is how a rule makes a price.
type Way string

// The ways.
const (
	Percent Way = "percent" // so many per cent on top of SendValue; less than nothing is a discount
	Fixed   Way = "fixed"   // a sum on top of it
	Target  Way = "target"  // this price, whatever it costs
)

// Ways lists them.
func Ways() []Way { return []Way{Percent, Fixed, Target} }

// EndsIn99 rounds to the next sum that ends in .99.
const EndsIn99 = ".99"

// Roundings are how a price may be rounded, always up: to the smallest coin, to a
// multiple, or to what ends in .99.
func Roundings() []string { return []string{"", "0.05", "0.10", "0.50", "1.00", EndsIn99} }

// Rule is one price rule. An empty scope fits everything.
type Rule struct {
	ID         string
	Name       string
	Priority   int // of the rules that fit, the highest decides alone
	ShopID     string
	Country    string
	Provider   string
	Kind       string
	SKU        string
	FromMicros int64 // of SendValue, in the agent's currency
	ToMicros   int64 // up to and including; 0 for no end
	// BandCurrency is that of FromMicros and ToMicros, for people to read; "" of an
	// old rule.
	BandCurrency money.Currency
	FirstDay     string // like 2026-03-31, of each shop's own calendar; "" for no first
	LastDay      string // the last on which it holds
	Way          Way
	Value        string // decimal: per cent, or a sum of the till's currency
	Rounding     string
	BelowCost    bool // a second person allowed it
	MadeBy       string
	MadeAt       time.Time
	RetiredAt    *time.Time
}

// TableName is read by GORM.
func (Rule) TableName() string { return "price_rules" }

// Banded says whether a rule is for some amounts alone.
func (r *Rule) Banded() bool { return r.FromMicros != 0 || r.ToMicros != 0 }

// facts are what the audit keeps of a rule: what it is for, and what it makes of it.
func (r *Rule) facts() map[string]string {
	facts := map[string]string{
		"id": r.ID, "name": r.Name, "priority": strconv.Itoa(r.Priority), "shop": r.ShopID, "country": r.Country, "provider": r.Provider, "kind": r.Kind, "sku": r.SKU,
		"way": string(r.Way), "value": r.Value, "rounding": r.Rounding,
		"starts": r.FirstDay, "ends": r.LastDay,
	}
	if r.Banded() {
		facts["from"] = money.Of(r.FromMicros, r.BandCurrency).String()
	}
	if r.ToMicros != 0 {
		facts["to"] = money.Of(r.ToMicros, r.BandCurrency).String()
	}
	if r.BelowCost {
		facts["below cost"] = "allowed"
	}
	maps.DeleteFunc(facts, func(_, fact string) bool { return fact == "" })
	return facts
}

func (r *Rule) fits(shopID string, s Subject, day string) bool {
	micros := s.Send.Micros()
	return r.covers(shopID, s, day) && micros >= r.FromMicros && (r.ToMicros == 0 || micros <= r.ToMicros)
}

// covers is fits whatever the amount.
func (r *Rule) covers(shopID string, s Subject, day string) bool {
	for _, scope := range [][2]string{{r.ShopID, shopID}, {r.Country, s.Country}, {r.Provider, s.Provider}, {r.Kind, s.Kind}, {r.SKU, s.SKU}} {
		if scope[0] != "" && scope[0] != scope[1] {
			return false
		}
	}
	return day >= r.FirstDay && (r.LastDay == "" || day <= r.LastDay)
}

// apply makes the price of a SendValue in the till's currency.
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
		rules, err := store.All[Rule](s.DB.Read(ctx).Where("retired_at IS NULL"))
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

// SaveRule puts a new rule into use. A rule is never changed: saving one with the
// id of another retires that. It is refused if it contradicts one in use: the
// same priority where both could fit.
func (s *Service) SaveRule(ctx context.Context, by audit.Actor, r Rule) (Rule, error) {
	if err := s.CheckRule(ctx, &r); err != nil {
		return r, err
	}
	now, replaced := store.Moment(s.Now()), r.ID
	r.ID, r.MadeBy, r.MadeAt, r.RetiredAt, r.BelowCost = store.NewID(now), by.UserID, now, nil, false
	err := s.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := tx.Lock("price rules"); err != nil {
			return err
		}
		before, err := retire(tx, replaced, now)
		if err != nil {
			return err
		}
		rules, err := store.All[Rule](tx.Where("retired_at IS NULL"))
		if err != nil {
			return err
		}
		for _, other := range rules {
			if r.contradicts(other) {
				return fault.OnField("priority", "rule.tie", other.Name)
			}
		}
		if err := tx.Create(&r).Error; err != nil {
			return err
		}
		return s.Audit.Write(ctx, tx, audit.Entry{Actor: by, Action: "price-rule.saved", Subject: "price-rule:" + r.ID, Before: before, After: r.facts()})
	})
	return r, fault.Doing("save price rule", err)
}

// retire takes a rule out of use, "" for none, and returns what it was.
func retire(tx *store.Tx, id string, now time.Time) (was map[string]string, err error) {
	if id == "" {
		return nil, nil
	}
	var retired []Rule
	err = tx.Raw("UPDATE price_rules SET retired_at = ? WHERE id = ? AND retired_at IS NULL RETURNING *", now, id).Scan(&retired).Error
	if err != nil {
		return nil, err
	}
	if len(retired) == 0 {
		return nil, errNoRule
	}
	return retired[0].facts(), nil
}

var errNoRule = fault.New(fault.NotFound, "rule.none")

// RetireRule takes a rule out of use.
func (s *Service) RetireRule(ctx context.Context, by audit.Actor, id string) error {
	return fault.Doing("retire price rule", s.DB.Tx(ctx, func(tx *store.Tx) error {
		if id == "" {
			return errNoRule
		}
		before, err := retire(tx, id, store.Moment(s.Now()))
		if err != nil {
			return err
		}
		return s.Audit.Write(ctx, tx, audit.Entry{Actor: by, Action: "price-rule.retired", Subject: "price-rule:" + id, Before: before})
	}))
}

// AllowableBy says whether somebody may allow the rule to sell below cost, and nobody has.
func (r *Rule) AllowableBy(userID string) bool { return !r.BelowCost && r.MadeBy != userID }

// AllowBelowCost lets a rule sell below cost. Whoever made the rule cannot allow
// it, and whoever may signs as a second person does (staff.Countersign).
func (s *Service) AllowBelowCost(ctx context.Context, by audit.Actor, id string) error {
	return fault.Doing("allow below cost", s.DB.Tx(ctx, func(tx *store.Tx) error {
		found, err := store.First[Rule](tx.Where("id = ? AND retired_at IS NULL", id))
		if err != nil {
			return err
		}
		switch {
		case found == nil:
			return errNoRule
		case found.MadeBy == by.UserID:
			return fault.New(fault.Conflict, "rule.below-cost")
		}
		if err := staff.Countersign(tx, found.MadeBy, by, s.Now()); err != nil {
			return err
		}
		if err := tx.Exec("UPDATE price_rules SET below_cost = ? WHERE id = ?", true, id).Error; err != nil {
			return err
		}
		return s.Audit.Write(ctx, tx, audit.Entry{Actor: by, Action: "price-rule.below-cost-allowed", Subject: "price-rule:" + id})
	}))
}

// contradicts says whether both rules could decide one price with the same right.
func (r *Rule) contradicts(other Rule) bool {
	for _, scope := range [][2]string{{r.ShopID, other.ShopID}, {r.Country, other.Country}, {r.Provider, other.Provider}, {r.Kind, other.Kind}, {r.SKU, other.SKU}} {
		if scope[0] != "" && scope[1] != "" && scope[0] != scope[1] {
			return false
		}
	}
	apart := r.ToMicros != 0 && r.ToMicros < other.FromMicros || other.ToMicros != 0 && other.ToMicros < r.FromMicros ||
		r.LastDay != "" && r.LastDay < other.FirstDay || other.LastDay != "" && other.LastDay < r.FirstDay
	return r.Priority == other.Priority && !apart
}

// The bounds of what a rule may say.
const (
	longestName  = 60
	mostPriority = 1000
)

var (
	leastPercent = decimal.NewFromInt(-50)
	mostPercent  = decimal.NewFromInt(200)
	mostSum      = decimal.NewFromInt(1_000_000)
)

// Check refuses a rule that says nothing, or nothing sensible; the fault names
// the field.
func (r *Rule) Check() error {
	r.Name = strings.TrimSpace(r.Name)
	value, err := decimal.NewFromString(r.Value)
	switch {
	case r.Name == "" || utf8.RuneCountInString(r.Name) > longestName:
		return fault.OnField("name", "rule.name", longestName)
	case r.Priority < 1 || r.Priority > mostPriority:
		return fault.OnField("priority", "rule.priority", mostPriority)
	case !slices.Contains(Ways(), r.Way):
		return fault.OnField("way", "rule.way")
	case err != nil || value.Exponent() < -microDecimals:
		return fault.OnField("value", "rule.value")
	case r.Way == Percent && (value.LessThan(leastPercent) || value.GreaterThan(mostPercent)):
		return fault.OnField("value", "rule.percent", leastPercent, mostPercent)
	case r.Way != Percent && value.Abs().GreaterThan(mostSum), r.Way == Target && !value.IsPositive():
		return fault.OnField("value", "rule.sum")
	case !slices.Contains(Roundings(), r.Rounding):
		return fault.OnField("rounding", "rule.rounding")
	}
	return r.checkScope()
}

func (r *Rule) checkScope() error {
	switch {
	case r.Kind != "" && !slices.Contains(catalog.Kinds(), catalog.Kind(r.Kind)):
		return fault.OnField("kind", "rule.kind")
	case r.FromMicros < 0 || r.ToMicros < 0 || r.ToMicros != 0 && r.ToMicros < r.FromMicros:
		return fault.OnField("to_amount", "rule.band")
	case !isDay(r.FirstDay):
		return fault.OnField("starts", "day.form")
	case !isDay(r.LastDay):
		return fault.OnField("ends", "day.form")
	case r.LastDay != "" && r.LastDay < r.FirstDay:
		return fault.OnField("ends", "rule.ends-first")
	}
	return nil
}

// isDay takes what sorts as the calendar does, and none.
func isDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return text == "" || err == nil && strings.HasPrefix(text, "20")
}

// CheckRule refuses as Check does, and a rule that has had its last day in every shop
// it is for.
func (s *Service) CheckRule(ctx context.Context, r *Rule) error {
	if err := r.Check(); err != nil || r.LastDay == "" {
		return err
	}
	zones, err := store.All[string](s.DB.Read(ctx).Raw("SELECT DISTINCT zone FROM shops WHERE id = ? OR ? = ''", r.ShopID, r.ShopID))
	if err != nil {
		return fmt.Errorf("check price rule: %w", err)
	}
	over := len(zones) > 0
	for _, name := range zones {
		zone, err := time.LoadLocation(name)
		if err != nil {
			return fmt.Errorf("check price rule: %w", err)
		}
		over = over && r.LastDay < dayOf(s.Now(), zone)
	}
	if over {
		return fault.OnField("ends", "rule.over")
	}
	return nil
}

func dayOf(at time.Time, zone *time.Location) string { return at.In(zone).Format(time.DateOnly) }
