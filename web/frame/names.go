package frame

import (
	"context"
	"errors"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/locale"
	"airtill/web/templates"
)

// ShopIDs returns the ids of shops.
func ShopIDs(shops []staff.Shop) []string {
	ids := make([]string, len(shops))
	for i, shop := range shops {
		ids[i] = shop.ID
	}
	return ids
}

// AgentCurrency is the float's, from the last balance; until there is one, the shops'.
func (s *Server) AgentCurrency(c *gin.Context) (money.Currency, error) {
	last, err := s.D.Reconcile.LastBalance(c.Request.Context())
	if err == nil && last != nil {
		return last.Currency, nil
	}
	shops, shopsErr := s.VisibleShops(c)
	return CurrencyOf(shops...), errors.Join(err, shopsErr)
}

// VisibleShops are those whose figures the user may see.
func (s *Server) VisibleShops(c *gin.Context) ([]staff.Shop, error) {
	if shop := Present(c).Shop; shop.ID != "" {
		return []staff.Shop{shop}, nil
	}
	return s.D.Staff.Shops(c.Request.Context())
}

// ReportNames are the names of codes and ids in a report.
type ReportNames struct {
	Names
	Sold      report.Names
	Countries map[string]string
}

// ReportNames reads the names of codes and ids of some shops; of products those given, nil for all.
func (s *Server) ReportNames(
	ctx context.Context, l locale.Locale, shops []staff.Shop, products []string,
) (n ReportNames, err error) {
	if n.Names, err = s.namesOf(ctx, shops); err != nil {
		return n, err
	}
	if len(shops) > 1 {
		for _, t := range n.tills {
			n.Tills[t.ID] = n.Shops[t.ShopID] + ", " + t.Name
		}
	}
	n.tellApart()
	n.Countries = map[string]string{}
	for _, country := range s.D.Catalog.Current().SellingCountries() {
		n.Countries[country.ISO] = l.Country(country.ISO, country.Name)
	}
	n.Sold, err = s.D.Report.Names(ctx, products)
	return n, err
}

// tellApart adds the username to the names that several people have: each has figures of their own.
func (n Names) tellApart() {
	named := map[string]int{}
	for _, u := range n.Users {
		named[u.DisplayName]++
	}
	for _, u := range n.Users {
		if named[u.DisplayName] < 2 {
			continue
		}
		n.People[u.ID] += " (" + u.Username + ")"
		if n.Sellers[u.ID] != "" {
			n.Sellers[u.ID] = n.People[u.ID]
		}
	}
}

// SaleOf loads the sale named by the path, if this user may see it.
func (s *Server) SaleOf(c *gin.Context) (sales.Sale, error) {
	shop := SalesOf(c)
	if shop == "" && !Present(c).User.Can(staff.ViewAllSales) {
		return sales.Sale{}, fault.New(fault.Forbidden, "")
	}
	return s.D.Sales.Get(c.Request.Context(), c.Param("id"), shop)
}

// SameText says what was sold before: "A 10.00 top-up to this number was sent
// at 14:02 from till 2."
func (s *Server) SameText(c *gin.Context, earlier sales.Sale) (string, error) {
	till, err := s.D.Staff.Till(c.Request.Context(), earlier.TillID)
	if err != nil {
		return "", err
	}
	l := s.LocaleOf(c.Request)
	when := l.At(earlier.AttemptAt, s.D.Now())
	if !earlier.Addressed() {
		return l.Text("confirm.samePIN", earlier.ProductText, when, till.Name), nil
	}
	return l.Text("confirm.same", earlier.ProductText, when, till.Name), nil
}

// AccountText is a sale's account number as the counter shows it; a PIN has none.
func AccountText(l locale.Locale, sale sales.Sale) string {
	switch {
	case !sale.Addressed():
		return ""
	case sale.Erased():
		return l.Text("facts.erased")
	}
	return l.GroupNumber(sale.AccountNumber)
}

// SoldOperator is the operator as it was at the sale.
func SoldOperator(l locale.Locale, on *catalog.Snapshot, sale sales.Sale) templates.Operator {
	return templates.Operator{
		Code: sale.ProviderCode, Name: sale.ProviderName, ISO: sale.CountryISO,
		Country: CountryName(l, on, sale.CountryISO),
	}
}

// CountryName is what a country is called in the reader's language; as the catalogue calls it, where that is
// not known.
func CountryName(l locale.Locale, on *catalog.Snapshot, iso string) string {
	name := iso
	if country, known := on.Country(iso); known {
		name = country.Name
	}
	return l.Country(iso, name)
}

// BusinessDay is a shop's day that contains a moment, half-open.
func BusinessDay(now time.Time, zone *time.Location) (from, to time.Time) {
	year, month, day := now.In(zone).Date()
	return staff.DayBegins(year, month, day, zone), staff.DayBegins(year, month, day+1, zone)
}

// CurrencyOf is what the first of some shops takes; the euro where there is none yet.
func CurrencyOf(shops ...staff.Shop) money.Currency {
	if len(shops) == 0 {
		return "EUR"
	}
	return shops[0].Currency
}

// Names are the shops the user may see, and what rows refer to by id.
type Names struct {
	Visible              []staff.Shop
	Users                []staff.User // everybody
	Shops, Tills, People map[string]string
	Sellers              map[string]string // the people of these shops
	Products             map[string]string // of Server.ProductNames; nil where none are shown

	tills []staff.Till
}

// Product names a product, with its code for who has to tell the service; its code alone if no more is known.
func (n Names) Product(sku string) string {
	if name := n.Products[sku]; name != "" {
		return name + " (" + sku + ")"
	}
	return sku
}

// ProductNames names products by operator and what arrives, in the reader's language; those that are no longer in
// the catalogue as they were called when last sold.
func (s *Server) ProductNames(ctx context.Context, l locale.Locale, skus []string) (map[string]string, error) {
	names, on := map[string]string{}, s.D.Catalog.Current()
	gone := []string{}
	for _, sku := range skus {
		product, listed := on.Product(sku)
		if !listed {
			gone = append(gone, sku)
			continue
		}
		names[sku] = on.Text(product, l.Language()).DisplayText
		if provider, known := on.Provider(product.Provider); known {
			names[sku] = provider.Name + " · " + names[sku]
		}
	}
	if len(gone) == 0 {
		return names, nil
	}
	sold, err := s.D.Report.Names(ctx, gone)
	for _, sku := range gone {
		names[sku] = sold.Products[sku]
	}
	return names, err
}

// Names returns the names of people, tills and shops the user may see.
func (s *Server) Names(c *gin.Context) (Names, error) {
	visible, err := s.VisibleShops(c)
	if err != nil {
		return Names{}, err
	}
	return s.namesOf(c.Request.Context(), visible)
}

func (s *Server) namesOf(ctx context.Context, shops []staff.Shop) (Names, error) {
	n := Names{
		Visible: shops, Shops: map[string]string{}, Tills: map[string]string{}, People: map[string]string{},
		Sellers: map[string]string{},
	}
	for _, shop := range shops {
		n.Shops[shop.ID] = shop.Name
	}
	var err error
	if n.tills, err = s.D.Staff.Tills(ctx, ShopIDs(shops)...); err != nil {
		return n, err
	}
	for _, t := range n.tills {
		n.Tills[t.ID] = t.Name
	}
	n.Users, err = s.D.Staff.Users(ctx)
	for _, u := range n.Users {
		n.People[u.ID] = u.DisplayName
		if n.Shops[u.ShopID] != "" {
			n.Sellers[u.ID] = u.DisplayName
		}
	}
	return n, err
}

// mostPicked is how many tills or people of several shops a list to filter by has: more make the page heavy, and
// nobody reads through them.
const mostPicked = 250

// Picked are the tills and people to filter by: those of a shop ("": of all), and in any case those already chosen. Of
// too many in all shops the rest are offered once a shop is chosen.
func (n Names) Picked(shopID, till, person string) (tills, people map[string]string) {
	tills, people = map[string]string{}, map[string]string{}
	offered := func(shop string, all int) bool {
		return shop == shopID || shopID == "" && (all <= mostPicked || len(n.Visible) == 1)
	}
	for _, t := range n.tills {
		if t.ID == till || offered(t.ShopID, len(n.Tills)) {
			tills[t.ID] = n.Tills[t.ID]
		}
	}
	for _, u := range n.Users {
		if name, sells := n.Sellers[u.ID]; sells && (u.ID == person || offered(u.ShopID, len(n.Sellers))) {
			people[u.ID] = name
		}
	}
	return tills, people
}

// SaleRow is a sale as lists show it.
func (s *Server) SaleRow(l locale.Locale, sale sales.Sale, n Names) templates.SaleRow {
	return templates.SaleRow{
		URL: "/sales/" + sale.ID, At: sale.RecordedAt, Account: AccountText(l, sale),
		Operator: SoldOperator(l, s.D.Catalog.Current(), sale), Product: sale.ProductText, Price: sale.Price(),
		State: string(sale.Fulfilment), Owed: sale.Cash == sales.CashRefundDue, Practice: sale.Practice,
		Till: n.Tills[sale.TillID], Cashier: n.People[sale.CashierID],
	}
}

// MostSlotDays bounds lists of one hour of the week, which read a stretch for each.
const MostSlotDays = 371
