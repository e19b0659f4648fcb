package sales

import (
	"context"
	"time"

	"gorm.io/gorm"

	"airtill/internal/store"
)

// newestOf asks, for each product that was ever sold of a list, what a query finds of named.value.
var newestOf = map[store.Dialect]string{
	store.Postgres: "SELECT newest.id FROM (?) AS named, LATERAL (?) AS newest",
	store.SQLite: "SELECT newest.value AS id FROM (?) AS named, " +
		"json_each((SELECT json_group_array(id) FROM (?))) AS newest",
}

// newest asks for the newest sales that a filter selects, or for the oldest.
//
// Those of some products are looked up product by product: they may have sold a lot, long ago, and a database that
// reads back from now until it has found enough reads all that was sold since.
func (s *Service) newest(ctx context.Context, f Filter) *gorm.DB {
	limited := func(query *gorm.DB) *gorm.DB { return query.Order("id DESC").Limit(f.limit()) }
	query := s.d.DB.Read(ctx)
	if f.SKUs == nil || f.Waiting || f.Owing || f.Owed { // what waits or is owed is little, with an index of its own
		return s.selected(query, f).Order(f.order()).Limit(f.limit())
	}
	named := s.d.DB.Read(ctx).Table("sold_names").Distinct("sku_code AS value").Where("sku_code IN ?", f.SKUs)
	// Compared and ordered by product and id together, which only an index by product is: were the product given by
	// "=", the index by id would be in order, too.
	ofOne := s.d.DB.Read(ctx).Table("sales").Select("id").
		Where("(sku_code, id) >= (named.value, ?) AND (sku_code, id) < (named.value, ?)", f.firstID(), f.endID()).
		Order("sku_code DESC, id DESC").Limit(f.limit())
	for column, value := range map[string]string{"till_id": f.TillID, "cashier_id": f.CashierID} {
		if value != "" { // not by its own index, which would be read for each product anew
			ofOne = ofOne.Where("COALESCE("+column+", '') = ?", value)
		}
	}
	f.SKUs, f.TillID, f.CashierID = nil, "", ""
	ofOne = s.selected(ofOne, f)
	ids := s.d.DB.Read(ctx).Raw(newestOf[s.d.DB.Dialect()], named, ofOne)
	return limited(query.Where("id IN (?)", limited(s.d.DB.Read(ctx).Table("(?) AS newest", ids).Select("id"))))
}

// order is by id, the newest first or the oldest. Where what is owed is listed it is not by an index of all sales:
// PostgreSQL would read that, and look for each sale in turn among those that are owed.
func (f Filter) order() string {
	order := "id"
	if f.Owing || f.Owed {
		order = "COALESCE(id, '')"
	}
	if !f.Oldest {
		order += " DESC"
	}
	return order
}

// firstID and endID bound the ids that a filter may select, half-open.
func (f Filter) firstID() string {
	if f.From.IsZero() {
		return ""
	}
	return store.FirstID(f.From)
}

func (f Filter) endID() string {
	end := "Z" // after every id
	if !f.To.IsZero() {
		end = store.FirstID(f.To.Add(time.Millisecond))
	}
	if f.Before != "" {
		end = min(end, f.Before)
	}
	return end
}
