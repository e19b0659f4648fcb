package sale

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/till"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

const (
	foundOfEach  = 20
	leastLetters = 3
)

// Find is GET /find (q): one search across sales, numbers, references, receipts, customers, shifts and
// colleagues, limited to what the user may see.
func (s *Screens) Find(c *gin.Context) error {
	page := templates.FindPage{Query: strings.TrimSpace(s.Numbers.Open(c.Query("q")))}
	l, status := s.LocaleOf(c.Request), http.StatusOK
	if page.Query != "" && utf8.RuneCountInString(page.Query) < leastLetters {
		refused := fault.New(fault.Invalid, "find.too-short", leastLetters)
		page.Problem, status = l.Fault(refused), http.StatusUnprocessableEntity
	} else if page.Query != "" {
		type look func(*gin.Context, locale.Locale, string) (templates.Table, error)
		for _, find := range []look{s.findSales, s.findCustomers, s.findShifts, s.findPeople} {
			part, err := find(c, l, page.Query)
			if err != nil {
				return err
			}
			if len(part.Rows) > 0 {
				page.Parts = append(page.Parts, part)
			}
		}
	}
	return s.Show(c, status, func(f templates.Frame) templ.Component {
		page.Frame = f
		return templates.Find(page)
	})
}

// searched are the lists that a search is typed into.
var searched = []string{"/find", "/sales", "/customers"}

// Search is POST /find (fields q; in: which list, state): what was typed goes on to the
// list under a seal.
func (s *Screens) Search(c *gin.Context) error {
	in := c.PostForm("in")
	if !slices.Contains(searched, in) {
		return frame.NotFound(c)
	}
	values := url.Values{}
	for name, value := range map[string]string{"q": s.Numbers.Seal(c.PostForm("q")), "state": c.PostForm("state")} {
		if value != "" {
			values.Set(name, value)
		}
	}
	return frame.Redirect(c, (&url.URL{Path: in, RawQuery: values.Encode()}).String())
}

func (s *Screens) findSales(c *gin.Context, l locale.Locale, text string) (templates.Table, error) {
	shop := frame.Present(c).Shop
	shops, err := s.VisibleShops(c)
	if err != nil {
		return templates.Table{}, err
	}
	accounts, err := s.meant(c, shop.ID, shops, text)
	if err != nil {
		return templates.Table{}, err
	}
	found, err := s.D.Sales.List(c.Request.Context(), sales.Filter{
		ShopID: shop.ID, Search: text, Accounts: accounts, Limit: foundOfEach,
	})
	t := table(l, "find.sales", "sales.at", "sales.number", "sales.product", "sales.price", "sales.state")
	for _, sale := range found {
		t.Add(templates.Row{
			{Text: l.DateTime(sale.RecordedAt), URL: "/sales/" + sale.ID},
			{Text: frame.AccountText(l, sale)},
			{Text: sale.ProductText, Hint: sale.ProviderName},
			{Text: l.Amount(sale.Price())},
			{Text: templates.StateWord(l, string(sale.Fulfilment))},
		})
	}
	return t, err
}

// table is an empty table with a title and columns, by their keys.
func table(l locale.Locale, title string, columns ...string) templates.Table {
	t := templates.Table{Title: l.Text(title)}
	for _, column := range columns {
		t.Columns = append(t.Columns, l.Text(column))
	}
	return t
}

// findCustomers searches the customer book of the user's shop; the business has none.
func (s *Screens) findCustomers(c *gin.Context, l locale.Locale, text string) (templates.Table, error) {
	p := frame.Present(c)
	if p.Shop.ID == "" || !p.User.Can(staff.Sell) {
		return templates.Table{}, nil
	}
	dialled, err := s.meant(c, "", []staff.Shop{p.Shop}, text)
	if err != nil {
		return templates.Table{}, err
	}
	found, err := s.D.Customers.List(c.Request.Context(), p.Shop.ID, text, foundOfEach, dialled...)
	t := table(l, "customers.title", "customers.name", "customers.number")
	for _, entry := range found {
		t.Add(templates.Row{
			{Text: entry.Name, URL: s.URLOf(frame.Want{Number: entry.AccountNumber})},
			{Text: l.GroupNumber(entry.AccountNumber)},
		})
	}
	return t, err
}

// findShifts searches shifts by their id, their till, who worked them, or their till and number.
func (s *Screens) findShifts(c *gin.Context, l locale.Locale, text string) (templates.Table, error) {
	p := frame.Present(c)
	if !p.User.Can(staff.ManageShifts) && !p.User.Can(staff.ViewReports) {
		return templates.Table{}, nil
	}
	names, err := s.Names(c)
	if err != nil {
		return templates.Table{}, err
	}
	sought := till.Sought{ShopID: p.Shop.ID, ID: strings.ToUpper(text)}
	end := strings.LastIndexByte(text, ' ')
	sought.Number, _ = strconv.Atoi(text[end+1:]) // 0 for what is no number: there is no such shift
	says := frame.Saying(l.Language(), text)
	for id, name := range names.Tills {
		if says(name) {
			sought.Tills = append(sought.Tills, id)
		} else if sought.Number > 0 && end > 0 && endsIn(name, text[:end]) {
			sought.Numbered = append(sought.Numbered, id)
		}
	}
	for id, name := range names.People {
		if says(name) {
			sought.Cashiers = append(sought.Cashiers, id)
		}
	}
	found, err := s.D.Till.Find(c.Request.Context(), sought, foundOfEach)
	t := table(l, "shifts.title", "find.shift", "shifts.till", "find.cashier", "report.opened")
	for _, shift := range found {
		t.Add(templates.Row{
			{Text: l.Number(int64(shift.Number)), URL: "/shift/" + shift.ID},
			{Text: names.Tills[shift.TillID]},
			{Text: names.People[shift.CashierID]},
			{Text: l.DateTime(shift.OpenedAt)},
		})
	}
	return t, err
}

func (s *Screens) findPeople(c *gin.Context, l locale.Locale, text string) (templates.Table, error) {
	if !frame.Present(c).User.Can(staff.ManageUsers) {
		return templates.Table{}, nil
	}
	users, err := s.D.Staff.Users(c.Request.Context())
	t := table(l, "office.people", "people.name", "people.role")
	says := frame.Saying(l.Language(), text)
	for _, u := range users {
		if len(t.Rows) < foundOfEach && says(u.DisplayName+" "+u.Username) {
			t.Add(templates.Row{
				{Text: u.DisplayName, Hint: u.Username, URL: "/admin/people/" + u.ID},
				{Text: frame.RoleName(l, u.Role)},
			})
		}
	}
	return t, err
}

// endsIn says whether a text ends in another, whatever their case.
func endsIn(text, part string) bool {
	return strings.HasSuffix(strings.ToLower(text), strings.ToLower(part))
}
