package counter

import (
	"context"
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/apiclient"
	"airtill/internal/catalog"
	"airtill/internal/customer"
	"airtill/internal/fault"
	"airtill/internal/sales"
	"airtill/web/frame"
	"airtill/web/templates"
)

const (
	customersFound  = 9 // as many as there are keys
	customersListed = 100
)

// findCustomer continues with the earlier customer whom the typed text means. It returns false if it means none.
func (s *Screens) findCustomer(c *gin.Context, typed string) (bool, error) {
	found, err := s.earlier(c, typed)
	switch {
	case err != nil || len(found) == 0:
		return false, err
	case len(found) == 1:
		return true, frame.Redirect(c, found[0].URL)
	}
	return true, s.Show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		return templates.ChooseCustomer(templates.ChooseCustomerPage{Frame: f, Typed: typed, Customers: found})
	})
}

// recall shows, below the field, the customers whom the digits typed so far may mean.
func (s *Screens) recall(c *gin.Context, typed string) error {
	found, err := s.earlier(c, typed)
	if err != nil {
		return err
	}
	return s.askForNumber(c, http.StatusOK, templates.CounterPage{Typed: typed, Recalled: found})
}

// earlier returns the shop's customers whom the typed text may mean.
func (s *Screens) earlier(c *gin.Context, typed string) ([]templates.Found, error) {
	if !customer.Asks(typed) {
		return nil, nil
	}
	ctx, shop := c.Request.Context(), frame.Present(c).Shop.ID
	entries, err := s.D.Customers.Find(ctx, shop, typed, customersFound)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	ids := make([]string, len(entries))
	for i, entry := range entries {
		ids[i] = entry.SaleID
	}
	lasts, err := s.D.Sales.ByIDs(ctx, ids)
	if err != nil {
		return nil, err
	}
	var found []templates.Found
	l := s.LocaleOf(c.Request)
	for _, entry := range entries {
		last, sold := lasts[entry.SaleID] // it went through; otherwise there is none, or it is no longer stored
		want, err := s.numberOf(ctx, shop, entry, last, sold)
		if err != nil {
			return nil, err
		}
		f := templates.Found{URL: s.URLOf(want), Name: entry.Name, Account: l.GroupNumber(entry.AccountNumber)}
		if sold {
			f.Last, f.ISO = last.ProductText, last.CountryISO
		}
		found = append(found, f)
	}
	return found, nil
}

// numberOf wants a sale to a number of the book: the last one again or, if that is no longer sold, another product of
// its operator, whom look-ups may no longer know.
func (s *Screens) numberOf(
	ctx context.Context, shop string, entry customer.Entry, last sales.Sale, sold bool,
) (frame.Want, error) {
	if !sold {
		return frame.Want{Number: entry.AccountNumber}, nil
	}
	repeatable, err := s.D.Counter.Repeatable(ctx, shop, last.ProviderCode, last.SKUCode)
	if repeatable {
		return frame.Repeat(last), err
	}
	return frame.Want{Number: frame.AsSent(entry.AccountNumber), Provider: last.ProviderCode}, err
}

// Customers is GET /customers (q searches; number is to be added).
func (s *Screens) Customers(c *gin.Context) error {
	return s.showCustomers(c, http.StatusOK, templates.CustomersPage{
		Query: s.Numbers.Open(c.Query("q")), Number: s.Numbers.Open(c.Query("number")),
	})
}

func (s *Screens) showCustomers(c *gin.Context, status int, page templates.CustomersPage) error {
	ctx, shop := c.Request.Context(), frame.Present(c).Shop
	var dialled []string // the book has numbers with their country's code
	if number, err := catalog.ParseNumber(page.Query, shop.Country); err == nil {
		dialled = number.Forms()
	}
	found, err := s.D.Customers.List(ctx, shop.ID, page.Query, customersListed+1, dialled...)
	if err != nil {
		return err
	}
	found, page.More = frame.Page(found, customersListed)
	return s.Show(c, status, func(f templates.Frame) templ.Component {
		page.Frame, page.RetainedFor = f, f.Count("validity.days", int(s.D.Customers.Retention().Hours()/24))
		for _, entry := range found {
			shown := templates.Customer{
				ID: entry.CustomerID, Name: entry.Name, Account: f.GroupNumber(entry.AccountNumber),
				Digits: entry.AccountNumber,
				URL:    s.URLOf(frame.Want{Number: entry.AccountNumber}),
			}
			if entry.AccountNumber == page.Renaming.Digits {
				shown.Problem, page.Problem = page.Problem, ""
			}
			if entry.SaleID != "" {
				shown.Last = f.Date(entry.SeenAt)
			}
			page.Customers = append(page.Customers, shown)
		}
		return templates.Customers(page)
	})
}

// WriteCustomer is POST /customers (fields name, number).
func (s *Screens) WriteCustomer(c *gin.Context) error {
	shop := frame.Present(c).Shop
	page := templates.CustomersPage{Name: c.PostForm("name"), Number: c.PostForm("number")}
	number, err := catalog.ParseNumber(page.Number, shop.Country)
	if err == nil {
		err = s.D.Customers.Write(c.Request.Context(), shop.ID, page.Name, number.Digits)
	}
	return s.customerWritten(c, err, page)
}

// RenameCustomer is POST /customers/{id} (fields name, number and q: of the entry, and how it was found).
func (s *Screens) RenameCustomer(c *gin.Context) error {
	name := c.PostForm("name")
	err := s.D.Customers.Rename(c.Request.Context(), frame.Present(c).Shop.ID, c.Param("id"), name)
	if kind := fault.KindOf(err); kind != fault.Invalid && kind != fault.Conflict {
		return s.customerWritten(c, err, templates.CustomersPage{})
	}
	return s.showCustomers(c, frame.StatusOf(err), templates.CustomersPage{
		Query: c.PostForm("q"), Problem: s.LocaleOf(c.Request).Fault(err),
		Renaming: templates.Customer{Digits: c.PostForm("number"), Name: name},
	})
}

// customerWritten redirects to the book, or shows it with what is wrong.
func (s *Screens) customerWritten(c *gin.Context, err error, page templates.CustomersPage) error {
	switch problem := s.LocaleOf(c.Request).Fault(err); {
	case err == nil:
		return frame.Redirect(c, "/customers")
	case fault.KindOf(err) != fault.Invalid:
		return err
	case fault.FieldOf(err) == "number":
		page.NumberProblem = problem
	default:
		page.NameProblem = problem
	}
	return s.showCustomers(c, frame.StatusOf(err), page)
}

// ForgetCustomer is POST /customers/forget (field number).
func (s *Screens) ForgetCustomer(c *gin.Context) error {
	err := s.D.Customers.Forget(c.Request.Context(), frame.Present(c).Shop.ID, c.PostForm("number"))
	return frame.Then(c, err, "/customers")
}

// Favourite is POST /favourites (fields sku, next; pin: without it, the favourite is removed).
func (s *Screens) Favourite(c *gin.Context) error {
	change := s.D.Catalog.Unpin
	if c.PostForm("pin") != "" {
		change = s.D.Catalog.Pin
	}
	err := change(c.Request.Context(), c.PostForm("sku"), frame.Present(c).Shop.ID)
	return frame.Then(c, err, frame.LocalPath(c.PostForm("next")))
}

// bookURL is the address of the book that adds a number to it; "": the product goes to no number.
func (s *Screens) bookURL(account, name string) string {
	switch {
	case account == apiclient.DefaultPINAccountNumber:
		return ""
	case name != "":
		return "/customers?q=" + url.QueryEscape(s.Numbers.Seal(name))
	}
	return "/customers?number=" + url.QueryEscape(s.Numbers.Seal(account))
}
