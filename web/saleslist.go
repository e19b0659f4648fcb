package web

import (
	"cmp"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/locale"
	"airtill/web/templates"
)

// salesList is GET /sales: what was sold today in the user's shop, or in all, or
// what a figure of a report is made of.
func (s *Server) salesList(c *gin.Context) error {
	ctx := c.Request.Context()
	f, err := s.listFilter(c)
	if err == nil {
		err = s.addNamed(c, &f.Filter)
	}
	if err != nil {
		return err
	}
	f.Limit = pageSize
	rows, err := s.d.Sales.List(ctx, f.Filter)
	if err != nil {
		return err
	}
	if f.Search != "" && len(rows) == 1 {
		return redirect(c, "/sales/"+rows[0].ID) // found
	}
	var totals []sales.Total
	if f.summed() {
		if totals, err = s.d.Sales.Totals(ctx, f.Filter); err != nil {
			return err
		}
	}
	names, err := s.names(c)
	if err != nil {
		return err
	}
	return s.show(c, http.StatusOK, func(frame templates.Frame) templ.Component {
		page := templates.SalesPage{Frame: frame, Day: s.d.Now(), Query: f.Search, Waiting: f.Waiting || f.Owing, AllShop: true, Chosen: f.chosen, Unsummed: !f.summed(), MoreURL: olderURL(c, rows), Files: filesOf(c)}
		if f.chosen && f.from != 0 {
			page.Period = frame.Text("reports.period", frame.Date(noonOf(f.from)), frame.Date(noonOf(f.to-1)))
		}
		for _, sale := range rows {
			page.Rows = append(page.Rows, s.saleRow(frame.Locale, sale, names))
		}
		sum(&page, totals, cmp.Or(money.Currency(f.Currency), tillCurrency(c)))
		return templates.Sales(page)
	})
}

// mostNamed bounds how many numbers of a customer's name are searched for.
const mostNamed = 50

// addNamed adds the numbers of customers whose name the search may be.
func (s *Server) addNamed(c *gin.Context, f *sales.Filter) error {
	if f.ShopID == "" || f.Search == "" {
		return nil
	}
	found, err := s.d.Customers.Find(c.Request.Context(), f.ShopID, f.Search, mostNamed)
	for _, entry := range found {
		f.Accounts = append(f.Accounts, entry.AccountNumber)
	}
	return err
}

// businessDay is the day of a shop that a moment falls into, half-open.
func businessDay(now time.Time, zone *time.Location) (from, to time.Time) {
	year, month, day := now.In(zone).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, zone), time.Date(year, month, day+1, 0, 0, 0, 0, zone)
}

// tillCurrency is the currency of the user's shop, or the business's own.
func tillCurrency(c *gin.Context) money.Currency {
	if currency := present(c).Shop.Currency; currency != "" {
		return currency
	}
	return "EUR"
}

// names are the tills and people that rows refer to.
type names struct{ tills, people map[string]string }

func (s *Server) names(c *gin.Context) (names, error) {
	n := names{tills: map[string]string{}, people: map[string]string{}}
	shops := []staff.Shop{present(c).Shop}
	ctx := c.Request.Context()
	if shops[0].ID == "" {
		var err error
		if shops, err = s.d.Staff.Shops(ctx); err != nil {
			return n, err
		}
	}
	tills, err := s.d.Staff.Tills(ctx, shopIDs(shops)...)
	if err != nil {
		return n, err
	}
	for _, t := range tills {
		n.tills[t.ID] = t.Name
	}
	people, err := s.d.Staff.Users(ctx)
	for _, u := range people {
		n.people[u.ID] = u.DisplayName
	}
	return n, err
}

func (s *Server) saleRow(l locale.Locale, sale sales.Sale, n names) templates.SaleRow {
	return templates.SaleRow{
		URL: "/sales/" + sale.ID, At: sale.RecordedAt, Account: accountText(l, sale), Operator: soldOperator(s.d.Catalog.Current(), sale),
		Product: sale.ProductText, Price: sale.Price(), State: string(sale.Fulfilment), Owed: sale.Cash == sales.CashRefundDue,
		Practice: sale.Practice, Till: n.tills[sale.TillID], Cashier: n.people[sale.CashierID],
	}
}

// sum adds up the totals of one currency; sales in others are in their rows.
func sum(page *templates.SalesPage, totals []sales.Total, currency money.Currency) {
	var sent, open, owed int64
	for _, t := range totals {
		if t.PriceCurrency == string(currency) && t.Fulfilment.Final() && t.Fulfilment != sales.Complete {
			page.Failed += int(t.Count)
		}
		switch {
		case t.PriceCurrency != string(currency):
		case t.Fulfilment == sales.Complete:
			page.Sent += int(t.Count)
			if t.Cash != sales.CashRefunded { // it went through after its cash had gone back
				sent += t.PriceMicros
			}
		case t.Cash == sales.CashRefundDue:
			owed += t.PriceMicros
		case t.Fulfilment.Open():
			open += t.PriceMicros
		}
	}
	page.Total = money.Of(sent, currency)
	page.OpenSum, page.Owed = unlessZero(money.Of(open, currency)), unlessZero(money.Of(owed, currency))
}
