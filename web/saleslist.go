package web

import (
	"cmp"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/money"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/sheet"
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
	sums, all, err := s.d.Report.Listed(ctx, s.d.Sales, report.OfRows(f.Filter, shopIDs(f.shops), f.from, f.to, c.Query("slot")))
	if err != nil {
		return err
	}
	names, err := s.names(c)
	if err != nil {
		return err
	}
	return s.show(c, http.StatusOK, func(around templates.Frame) templ.Component {
		page := templates.SalesPage{
			Frame: around, Day: s.d.Now(), Query: f.Search, Waiting: f.Waiting || f.Owing, AllShop: true, Chosen: f.chosen,
			MoreURL: olderURL(c, rows), Files: filesOf(c),
		}
		if f.chosen && f.from != 0 {
			page.Period = around.Text("reports.period", around.Date(noonOf(f.from)), around.Date(noonOf(f.to-1)))
		}
		for _, sale := range rows {
			page.Rows = append(page.Rows, s.saleRow(around.Locale, sale, names))
		}
		sum(&page, sums, all, cmp.Or(money.Currency(f.Currency), tillCurrency(c)))
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

// sum says what the list is altogether, in each of its currencies. Of what was not all
// looked at, no more is said than that there are more.
func sum(page *templates.SalesPage, sums []report.ListSum, all bool, till money.Currency) {
	count := int64(0)
	for _, in := range sums {
		count += in.Count()
		page.Sent, page.Failed = page.Sent+in.Sent, page.Failed+in.Failed
		page.Taken = append(page.Taken, money.Of(in.Taken, in.Currency))
		page.Open, page.Owed = more(page.Open, in.Held, in.Currency), more(page.Owed, in.Owed, in.Currency)
	}
	if len(sums) == 0 {
		page.Taken = []money.Amount{money.Of(0, till)}
	}
	if page.Count = count; !all {
		page.MoreThan = page.Text("sales.moreThan", page.Number(count), page.Number(sales.MostTotalled))
	}
	if count > sheet.MostPrinted || !all {
		page.FileNote = page.Text("sales.longFile", page.Number(sheet.MostPrinted))
	}
}

func more(amounts []money.Amount, micros int64, currency money.Currency) []money.Amount {
	if micros == 0 {
		return amounts
	}
	return append(amounts, money.Of(micros, currency))
}
