package sales

import (
	"context"
	"slices"

	"gorm.io/gorm"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// SendMode says how a transfer is sent.
type SendMode string

// The send modes.
const (
	Wait     SendMode = "wait"  // for the outcome, up to 100 seconds
	Deferred SendMode = "defer" // answered at once; the outcome comes by webhook or look-up
)

// Scope says what a send mode applies to.
type Scope string

// The scopes; the narrower one wins. Everything else is sent as the installation's SEND_MODE says.
const (
	ScopeProvider Scope = "provider"
	ScopeProduct  Scope = "product"
)

// ModeRule is a send mode for a provider or a product.
type ModeRule struct {
	Scope Scope
	Code  string // of the provider, or the product's SKU
	Mode  SendMode
	Shown *SendMode `gorm:"-"` // to SetMode: what there was when the form was made, "" none; nil: whatever there was
}

// TableName names the table for GORM.
func (ModeRule) TableName() string { return "send_modes" }

// ModeRules lists the send modes that are set.
func (s *Service) ModeRules(ctx context.Context) ([]ModeRule, error) {
	rules, err := store.All[ModeRule](s.d.DB.Read(ctx).Order("scope, code"))
	return rules, fault.Doing("list send modes", err)
}

// SetMode sets how transfers of a provider or a product are sent from now on; mode "" returns to the
// installation's. It fails with fault.Invalid for an unknown scope or mode, for what is not on sale, and for
// Deferred without webhooks, and with fault.Conflict if there is another than was shown.
func (s *Service) SetMode(ctx context.Context, actor audit.Actor, rule ModeRule) error {
	switch {
	case rule.Code == "" || rule.Scope != ScopeProvider && rule.Scope != ScopeProduct:
		return fault.OnField("code", "sending.code")
	case rule.Mode != Wait && rule.Mode != Deferred && rule.Mode != "":
		return fault.OnField("mode", "sending.mode")
	}
	if err := s.Rests(rule); err != nil {
		return err
	}
	if rule.Mode != "" {
		if err := s.onSale(rule.Scope, rule.Code, "code"); err != nil {
			return err
		}
	}
	return fault.Doing("set send mode", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := tx.Lock("send modes"); err != nil { // two at once would both find none to replace
			return err
		}
		const of = " FROM send_modes WHERE scope = ? AND code = ?"
		before, err := store.Value[SendMode](tx.Raw("SELECT mode"+of, rule.Scope, rule.Code))
		switch {
		case err != nil || before == rule.Mode: // a second click: nothing changes, so nothing is on record
			return err
		case rule.Shown != nil && *rule.Shown != before:
			return fault.New(fault.Conflict, "sending.moved")
		}
		if err := tx.Exec("DELETE"+of, rule.Scope, rule.Code).Error; err != nil {
			return err
		}
		if rule.Mode != "" {
			if err := tx.Create(&rule).Error; err != nil {
				return err
			}
		}
		return s.d.Audit.Write(ctx, tx, audit.Entry{
			Actor: actor, Act: audit.SendModeSet, Subject: audit.Of(audit.Thing(rule.Scope), rule.Code),
			Facts: audit.Facts{audit.Word("mode", rule.Mode)},
		})
	}))
}

// onSale refuses a code that names nothing on sale, on that field: a slip would set a rule that no sale ever
// meets. Before there is a catalogue, anything may be named.
func (s *Service) onSale(scope Scope, code, field string) error {
	if s.d.Catalog == nil || s.d.Catalog.Current().Empty() {
		return nil
	}
	if scope == ScopeProduct {
		if _, sold := s.d.Catalog.Current().Product(code); !sold {
			return fault.OnField(field, "product.none", code)
		}
		return nil
	}
	if _, sold := s.d.Catalog.Current().Provider(code); !sold {
		return fault.OnField(field, "provider.none", code)
	}
	return nil
}

// Rests says why a rule has no effect, as one that defers and was set when there were webhooks.
func (s *Service) Rests(r ModeRule) error {
	if s.rests(r) {
		return fault.OnField("mode", "sending.no-webhooks")
	}
	return nil
}

func (s *Service) rests(r ModeRule) bool { return r.Mode == Deferred && !s.d.Webhooks }

// modeFor is how a sale's next attempt is sent: as set for its product, its provider, or the installation. Without
// webhooks no rule defers.
func (s *Service) modeFor(db *gorm.DB, sale *Sale) (SendMode, error) {
	rules, err := s.modes.Get(db.Statement.Context, struct{}{}, func(context.Context) ([]ModeRule, error) {
		return store.All[ModeRule](db.Order("scope")) // "product" comes before "provider"
	})
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(rules, func(r ModeRule) bool {
		return r.Scope == ScopeProduct && r.Code == sale.SKUCode || r.Scope == ScopeProvider && r.Code ==
			sale.ProviderCode
	})
	switch {
	case at < 0 && s.d.Defer:
		return Deferred, nil
	case at < 0 || s.rests(rules[at]):
		return Wait, nil
	}
	return rules[at].Mode, nil
}
