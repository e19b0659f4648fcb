package web

import (
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

// salesList is GET /sales: what was sold today in the user's shop, or in all.
func (s *Server) salesList(c *gin.Context) error {
	f := s.listFilter(c)
	rows, err := s.d.Sales.List(c.Request.Context(), f)
	if err != nil {
		return err
	}
	totals, err := s.d.Sales.Totals(c.Request.Context(), f)
	if err != nil {
		return err
	}
	names, err := s.names(c)
	if err != nil {
		return err
	}
	return s.show(c, http.StatusOK, func(frame templates.Frame) templ.Component {
		page := templates.SalesPage{Frame: frame, Day: s.d.Now(), Query: f.Search, Waiting: f.Waiting, AllShop: true}
		for _, sale := range rows {
			page.Rows = append(page.Rows, s.saleRow(frame.Locale, sale, names))
		}
		sum(&page, totals, tillCurrency(c))
		return templates.Sales(page)
	})
}

// listFilter reads what to list. A search goes beyond today.
func (s *Server) listFilter(c *gin.Context) sales.Filter {
	f := sales.Filter{ShopID: present(c).Shop.ID, Search: c.Query("q"), Waiting: c.Query("state") == "waiting"}
	if f.Search == "" && !f.Waiting {
		f.From, f.To = businessDay(s.d.Now(), s.localeOf(c.Request).Zone())
	}
	return f
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
	for _, shop := range shops {
		tills, err := s.d.Staff.Tills(ctx, shop.ID)
		if err != nil {
			return n, err
		}
		for _, t := range tills {
			n.tills[t.ID] = t.Name
		}
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
		Till: n.tills[sale.TillID], Cashier: n.people[sale.CashierID],
	}
}

// sum adds up the totals of one currency; sales in others are in their rows.
func sum(page *templates.SalesPage, totals []sales.Total, currency money.Currency) {
	var sent, open, owed int64
	for _, t := range totals {
		switch {
		case t.PriceCurrency != string(currency):
		case t.Fulfilment == sales.Complete:
			page.Sent += int(t.Count)
			sent += t.PriceMicros
		case t.Cash == sales.CashRefundDue:
			owed += t.PriceMicros
		case t.Fulfilment.Open():
			open += t.PriceMicros
		}
	}
	page.Total = money.Of(sent, currency)
	page.OpenSum, page.Owed = unlessZero(money.Of(open, currency)), unlessZero(money.Of(owed, currency))
}
