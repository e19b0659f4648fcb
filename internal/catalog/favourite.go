package catalog

import (
	"context"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// mostFavourites bounds a shop's favourites to keys 1 to 9 of one provider and a glance at the counter.
const mostFavourites = 30

// Pin adds a product to the favourites of some shops, last; where it is pinned already, nothing changes. It is
// pinned in all of them or, if one has too many, in none: a fault of kind Conflict names that shop.
func (s *Service) Pin(ctx context.Context, sku string, shopIDs ...string) error {
	if err := s.mustSell(ctx, sku); err != nil {
		return err
	}
	return fault.Doing("pin favourite", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := tx.Lock("favourites"); err != nil { // who counts must see every other pin
			return err
		}
		for _, shopID := range shopIDs {
			if err := s.pin(tx, shopID, sku); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (s *Service) pin(tx *store.Tx, shopID, sku string) error {
	var shop struct {
		Name   string
		Pinned int64
		Has    bool
	}
	err := tx.Raw(`SELECT name, (SELECT COUNT(*) FROM favourites WHERE shop_id = shops.id) AS pinned,
		EXISTS (SELECT 1 FROM favourites WHERE shop_id = shops.id AND sku = ?) AS has FROM shops
		WHERE id = ?`, sku, shopID).Scan(&shop).Error
	switch {
	case err != nil || shop.Has:
		return err
	case shop.Pinned >= mostFavourites:
		return fault.New(fault.Conflict, "favourite.full", shop.Name, mostFavourites)
	}
	return tx.Exec("INSERT INTO favourites (shop_id, sku, pinned_at, place) SELECT ?, ?, ?, COALESCE(MAX(place), 0) "+
		"+ 1 FROM favourites WHERE shop_id = ?",
		shopID, sku, store.Moment(s.d.Now()), shopID).Error
}

// Unpin takes a product from the favourites of some shops.
func (s *Service) Unpin(ctx context.Context, sku string, shopIDs ...string) error {
	return fault.Doing(
		"unpin favourite", s.d.DB.Exec(ctx, "DELETE FROM favourites WHERE shop_id IN ? AND sku = ?", shopIDs, sku),
	)
}

const favouritesInOrder = "SELECT sku FROM favourites WHERE shop_id = ? ORDER BY place, pinned_at, sku"

// Favourites returns the SKUs of a shop's favourites in the shop's order, sold or
// not.
func (s *Service) Favourites(ctx context.Context, shopID string) ([]string, error) {
	skus, err := s.favourites.Get(ctx, shopID, func(ctx context.Context) ([]string, error) {
		return store.All[string](s.d.DB.Read(ctx).Raw(favouritesInOrder, shopID))
	})
	return skus, fault.Doing("list favourites", err)
}
