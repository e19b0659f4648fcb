package catalog

import (
	"context"
	"fmt"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// mostFavourites keeps a shop's favourites within the keys 1 to 9 of one
// provider and a glance at the counter.
const mostFavourites = 30

// Pin makes a product one that a shop shows first. Pinning it again changes
// nothing.
func (s *Service) Pin(ctx context.Context, shopID, sku string) error {
	if _, sold := s.Current().Product(sku); !sold {
		return fault.New(fault.NotFound, "This product is no longer sold. Choose another.")
	}
	err := s.db.Tx(ctx, func(tx *store.Tx) error {
		var pinned int64
		if err := tx.Raw("SELECT COUNT(*) FROM favourites WHERE shop_id = ?", shopID).Scan(&pinned).Error; err != nil {
			return err
		}
		if pinned >= mostFavourites {
			return fault.New(fault.Conflict, "The shop has %d favourites already. Take one away first.", mostFavourites)
		}
		return tx.Exec(`INSERT INTO favourites (shop_id, sku, pinned_at, place) SELECT ?, ?, ?, COALESCE(MAX(place), 0) + 1 FROM favourites WHERE shop_id = ?
			ON CONFLICT (shop_id, sku) DO NOTHING`, shopID, sku, store.Moment(s.now()), shopID).Error
	})
	if err != nil {
		return fmt.Errorf("pin favourite: %w", err)
	}
	return nil
}

// Unpin takes a product from a shop's favourites.
func (s *Service) Unpin(ctx context.Context, shopID, sku string) error {
	err := s.db.Tx(ctx, func(tx *store.Tx) error {
		return tx.Exec("DELETE FROM favourites WHERE shop_id = ? AND sku = ?", shopID, sku).Error
	})
	if err != nil {
		return fmt.Errorf("unpin favourite: %w", err)
	}
	return nil
}

const favouritesInOrder = "SELECT sku FROM favourites WHERE shop_id = ? ORDER BY place, pinned_at, sku"

// Favourites returns the SKUs of a shop's favourites in the shop's order, sold or
// not.
func (s *Service) Favourites(ctx context.Context, shopID string) ([]string, error) {
	var skus []string
	err := s.db.Read(ctx).Raw(favouritesInOrder, shopID).Scan(&skus).Error
	if err != nil {
		return nil, fmt.Errorf("list favourites: %w", err)
	}
	return skus, nil
}
