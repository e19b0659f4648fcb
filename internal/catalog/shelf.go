package catalog

import (
	"context"
	"slices"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// MoveFavourite moves a favourite of a shop by some places, towards the front if negative, as far as there are
// any.
func (s *Service) MoveFavourite(ctx context.Context, shopID, sku string, by int) error {
	return fault.Doing("move favourite", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := tx.Lock("favourites"); err != nil { // who moves must see where every other move led
			return err
		}
		skus, err := store.All[string](tx.Raw(favouritesInOrder, shopID))
		if err != nil {
			return err
		}
		at := slices.Index(skus, sku)
		if at < 0 {
			return nil // removed meanwhile
		}
		skus = slices.Delete(skus, at, at+1)
		skus = slices.Insert(skus, min(max(at+by, 0), len(skus)), sku)
		for place, sku := range skus {
			if err := tx.Exec(
				"UPDATE favourites SET place = ? WHERE shop_id = ? AND sku = ?", place+1, shopID, sku,
			).Error; err != nil {
				return err
			}
		}
		return nil
	}))
}

// HideIn takes a product off one shop's counter. It fails with fault.Invalid without a reason, or if nobody
// sells the product.
func (s *Service) HideIn(ctx context.Context, chain *audit.Log, by audit.Actor, shopID, sku, reason string) error {
	reason, err := s.mayHide(ctx, sku, reason)
	if err != nil {
		return err
	}
	return fault.Doing("hide product in a shop", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		const hide = `INSERT INTO shop_hidden_products (shop_id, sku, reason, hidden_by, hidden_at)
			VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING` // whoever hid it before, their reason stands
		added := tx.Exec(hide, shopID, sku, reason, by.UserID, store.Moment(s.d.Now()))
		return chain.WriteIf(ctx, tx, added, audit.Entry{
			Actor: by, Act: audit.ProductHiddenInShop, Subject: audit.Of(audit.Product, sku), Reason: reason,
			Facts: audit.Facts{audit.AtShop(shopID)},
		})
	}))
}

// ShowIn puts a product back on the counter of one shop.
func (s *Service) ShowIn(ctx context.Context, chain *audit.Log, by audit.Actor, shopID, sku string) error {
	return fault.Doing("show product in a shop", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		gone := tx.Exec("DELETE FROM shop_hidden_products WHERE shop_id = ? AND sku = ?", shopID, sku)
		return chain.WriteIf(ctx, tx, gone, audit.Entry{
			Actor: by, Act: audit.ProductShownInShop, Subject: audit.Of(audit.Product, sku),
			Facts: audit.Facts{audit.AtShop(shopID)},
		})
	}))
}

// HiddenIn returns what one shop does not sell, by SKU.
func (s *Service) HiddenIn(ctx context.Context, shopID string) ([]Hidden, error) {
	hidden, err := s.hiddenIn.Get(ctx, shopID, func(ctx context.Context) ([]Hidden, error) {
		const sql = "SELECT sku, reason, hidden_by, hidden_at FROM shop_hidden_products WHERE shop_id = ? ORDER BY sku"
		return store.All[Hidden](s.d.DB.Read(ctx).Raw(sql, shopID))
	})
	return hidden, fault.Doing("list hidden products of a shop", err)
}
