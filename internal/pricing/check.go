package pricing

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// contradicts says whether two rules of one priority could decide the same price.
func (r *Rule) contradicts(other Rule) bool {
	theirs := other.scope()
	for i, ours := range r.scope() {
		if ours != "" && theirs[i] != "" && ours != theirs[i] {
			return false
		}
	}
	apart := r.ToMicros != 0 && r.ToMicros < other.FromMicros || other.ToMicros != 0 && other.ToMicros < r.FromMicros ||
		r.LastDay != "" && r.LastDay < other.FirstDay || other.LastDay != "" && other.LastDay < r.FirstDay
	return r.Priority == other.Priority && !apart
}

// The bounds of a rule.
const (
	longestName  = 60
	mostPriority = 1000
)

var (
	leastPercent = decimal.NewFromInt(-50)
	mostPercent  = decimal.NewFromInt(200)
	mostSum      = decimal.NewFromInt(1_000_000_000) // a top-up costs millions of some currencies
)

// Check refuses a rule that makes no sense; the fault names the field.
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
	case r.FromMicros < 0 || r.ToMicros != 0 && r.ToMicros < r.FromMicros:
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

// isDay says whether a text is empty, or a date like 2026-03-31, which sorts as text.
func isDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return text == "" || err == nil && strings.HasPrefix(text, "20")
}

// CheckRule is Check, and refuses a rule whose last day is over in all its shops, or in the place of one that is in use
// no more.
func (s *Service) CheckRule(ctx context.Context, r *Rule) error {
	if err := r.Check(); err != nil {
		return err
	}
	if err := s.replaceable(ctx, r.ID); err != nil || r.LastDay == "" {
		return err
	}
	zones, err := store.All[string](s.d.DB.Read(ctx).Raw(
		"SELECT DISTINCT zone FROM shops WHERE id = ? OR ? = ''", r.ShopID, r.ShopID,
	))
	if err != nil {
		return fmt.Errorf("check price rule: %w", err)
	}
	over := len(zones) > 0
	for _, name := range zones {
		zone, err := time.LoadLocation(name)
		if err != nil {
			return fmt.Errorf("check price rule: %w", err)
		}
		over = over && r.LastDay < dayOf(s.d.Now(), zone)
	}
	if over {
		return fault.OnField("ends", "rule.over")
	}
	return nil
}

// replaceable refuses a rule that is in use no more; "": none is to be replaced.
func (s *Service) replaceable(ctx context.Context, id string) error {
	if id == "" {
		return nil
	}
	inUse, err := s.Rules(ctx)
	if err == nil && !slices.ContainsFunc(inUse, func(r Rule) bool { return r.ID == id }) {
		err = ErrRuleGone
	}
	return err
}

func dayOf(at time.Time, zone *time.Location) string { return at.In(zone).Format(time.DateOnly) }
