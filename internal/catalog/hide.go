package catalog

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm/clause"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// Hidden is a product nobody may sell, though the upstream has it.
type Hidden struct {
	SKU      string `gorm:"column:sku"`
	Reason   string
	HiddenBy string // user id
	HiddenAt time.Time
}

// TableName names the table for GORM.
func (Hidden) TableName() string { return "hidden_products" }

// Hide takes a product off every counter from the next look-up on.
func (s *Service) Hide(ctx context.Context, chain *audit.Log, by audit.Actor, sku, reason string) error {
	reason, err := s.mayHide(ctx, sku, reason)
	if err != nil {
		return err
	}
	h := Hidden{SKU: sku, Reason: reason, HiddenBy: by.UserID, HiddenAt: store.Moment(s.d.Now())}
	return s.rearrange(ctx, "hide product", func(tx *store.Tx) error {
		added := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&h) // whoever hid it before, their reason stands
		return chain.WriteIf(ctx, tx, added, audit.Entry{
			Actor: by, Act: audit.ProductHidden, Subject: audit.Of(audit.Product, sku), Reason: reason,
		})
	})
}

// mayHide returns the trimmed reason for hiding a product that is for sale, or that somebody else has just hidden.
func (s *Service) mayHide(ctx context.Context, sku, reason string) (string, error) {
	if reason = strings.TrimSpace(reason); reason == "" {
		return "", fault.OnField("reason", "reason.missing")
	}
	_, err := s.isHidden(ctx, sku)
	return reason, err
}

// mustSell refuses what is not sold, and to do anything with no product.
func (s *Service) mustSell(ctx context.Context, sku string) error {
	hidden, err := s.isHidden(ctx, sku)
	if err == nil && hidden {
		return fault.OnField("sku", "product.hidden", sku)
	}
	return err
}

// isHidden says whether a product is hidden everywhere, and refuses what the upstream does not have. The snapshot lacks
// what is hidden, and whoever opened the page before it was must not read that there is no such product.
func (s *Service) isHidden(ctx context.Context, sku string) (bool, error) {
	if sku == "" {
		return false, fault.OnField("sku", "product.unnamed")
	}
	if _, sold := s.Current().Product(sku); sold {
		return false, nil
	}
	hidden, err := store.First[Hidden](s.d.DB.Read(ctx).Where("sku = ?", sku))
	if err == nil && hidden == nil {
		return false, fault.OnField("sku", "product.none", sku)
	}
	return true, fault.Doing("look for a hidden product", err)
}

// Show puts a hidden product back on the counters.
func (s *Service) Show(ctx context.Context, chain *audit.Log, by audit.Actor, sku string) error {
	return s.rearrange(ctx, "show product", func(tx *store.Tx) error {
		gone := tx.Exec("DELETE FROM hidden_products WHERE sku = ?", sku)
		return chain.WriteIf(ctx, tx, gone, audit.Entry{
			Actor: by, Act: audit.ProductShown, Subject: audit.Of(audit.Product, sku),
		})
	})
}

// rearrange changes what is shown, as a new version for every process.
func (s *Service) rearrange(ctx context.Context, what string, change func(*store.Tx) error) error {
	err := s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := s.bump(tx, []Resource{Products}); err != nil {
			return err
		}
		return change(tx)
	})
	if err == nil {
		err = s.announce(ctx)
	}
	return fault.Doing(what, err)
}

// HiddenProducts returns what is hidden, by SKU.
func (s *Service) HiddenProducts(ctx context.Context) ([]Hidden, error) {
	hidden, err := store.All[Hidden](s.d.DB.Read(ctx).Order("sku"))
	return hidden, fault.Doing("list hidden products", err)
}

// withoutHidden leaves out what is hidden.
func (s *Service) withoutHidden(ctx context.Context, products []Product) ([]Product, error) {
	hidden, err := s.HiddenProducts(ctx)
	if err != nil || len(hidden) == 0 {
		return products, err
	}
	skus := map[string]bool{}
	for _, h := range hidden {
		skus[h.SKU] = true
	}
	return slices.DeleteFunc(products, func(p Product) bool { return skus[p.SKU] }), nil
}

// Troubled returns the providers that take no transfers or have a message from the upstream, by code.
func (s *Snapshot) Troubled() []Status {
	troubled := slices.DeleteFunc(slices.Collect(maps.Values(s.statuses)), func(status Status) bool {
		return status.Processing && status.Message == ""
	})
	slices.SortFunc(troubled, func(a, b Status) int { return strings.Compare(a.Provider, b.Provider) })
	return troubled
}

// Untold counts, for each language, the products without a text in it, which are shown in English.
func (s *Snapshot) Untold(languages []string) map[string]int {
	untold := map[string]int{}
	for _, language := range languages {
		untold[language] = len(s.WithoutText(language))
	}
	return untold
}

// WithoutText returns the products that have no text in a language, by SKU.
func (s *Snapshot) WithoutText(language string) []*Product {
	var untold []*Product
	for p := range s.AllProducts() {
		if _, ok := s.texts[language][p.LocalizationKey]; !ok {
			untold = append(untold, p)
		}
	}
	return untold
}

// RunningPromotions returns all providers' promotions that run at a time, by their end.
func (s *Snapshot) RunningPromotions(at time.Time) []*Promotion {
	var running []*Promotion
	for provider := range s.promotions {
		running = append(running, s.Promotions(provider, at)...)
	}
	slices.SortFunc(running, func(a, b *Promotion) int { // many end on one day; the order must not vary
		return cmp.Or(
			a.EndsAt.Compare(b.EndsAt), strings.Compare(a.Provider, b.Provider),
			strings.Compare(a.LocalizationKey, b.LocalizationKey),
		)
	})
	return running
}
