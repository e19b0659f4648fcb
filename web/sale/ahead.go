package sale

import "airtill/web/frame"

// Ahead is what a sale's page will ask of the database.
func (s *Screens) Ahead(id string, seen frame.Seen) []frame.Asked {
	shop := seen.Shop
	if seen.Everywhere {
		shop = ""
	}
	return append(s.D.Sales.AskGet(id, shop), s.D.Receipts.AskPrints(id))
}
