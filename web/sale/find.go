package sale

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/internal/till"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

const (
	foundOfEach    = 20
	leastLetters   = 3
	shiftsSearched = 5000 // the latest: those of years, in a shop
)

// Find is GET /find (q): one search across sales, numbers, references, receipts,
// customers, shifts and colleagues, of what the user may see anyway.
func (s *Screens) Find(c *gin.Context) error {
	page := templates.FindPage{Query: strings.TrimSpace(c.Query("q"))}
	l, status := s.LocaleOf(c.Request), http.StatusOK
	if page.Query != "" && utf8.RuneCountInString(page.Query) < leastLetters {
		refused := fault.New(fault.Invalid, "find.too-short", leastLetters)
		page.Problem, status = l.Fault(refused), http.StatusUnprocessableEntity
	} else if page.Query != "" {
		for _, look := range []func(
			*gin.Context, locale.Locale, string,
		) (templates.Table, error){s.findSales, s.findCustomers, s.findShifts, s.findPeople} {
			part, err := look(c, l, page.Query)
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

func (s *Screens) findSales(c *gin.Context, l locale.Locale, text string) (templates.Table, error) {
	var accounts []string
	if number, err := catalog.ParseNumber(text, frame.Present(c).Shop.Country); err == nil {
		accounts = number.Forms()
	}
	if shop := frame.Present(c).Shop.ID; shop != "" {
		named, err := s.D.Customers.Find(c.Request.Context(), shop, text, mostNamed)
		if err != nil {
			return templates.Table{}, err
		}
		for _, entry := range named {
			accounts = append(accounts, entry.AccountNumber)
		}
	}
	found, err := s.D.Sales.Find(c.Request.Context(), frame.Present(c).Shop.ID, text, accounts, foundOfEach)
	if err != nil {
		return templates.Table{}, err
	}
	t := templates.Table{
		Title: l.Text("find.sales"),
		Columns: []string{
			l.Text("sales.at"), l.Text("sales.number"), l.Text("sales.product"), l.Text("sales.price"),
			l.Text("sales.state"),
		},
	}
	for _, sale := range found {
		t.Add(templates.Row{
			{Text: l.DateTime(sale.RecordedAt), URL: "/sales/" + sale.ID},
			{Text: frame.AccountText(l, sale)},
			{Text: sale.ProductText, Hint: sale.ProviderName},
			{Text: l.Amount(sale.Price())},
			{Text: templates.StateWord(l, string(sale.Fulfilment))},
		})
	}
	return t, nil
}

// findCustomers looks in the book of the user's shop; the business has none.
func (s *Screens) findCustomers(c *gin.Context, l locale.Locale, text string) (templates.Table, error) {
	p := frame.Present(c)
	if p.Shop.ID == "" || !p.User.Can(staff.Sell) {
		return templates.Table{}, nil
	}
	found, err := s.D.Customers.List(c.Request.Context(), p.Shop.ID, text, foundOfEach)
	t := templates.Table{
		Title: l.Text("customers.title"), Columns: []string{l.Text("customers.name"), l.Text("customers.number")},
	}
	for _, entry := range found {
		t.Add(templates.Row{
			{Text: entry.Name, URL: "/counter?number=" + url.QueryEscape(entry.AccountNumber)}, {
				Text: l.GroupNumber(entry.AccountNumber),
			},
		})
	}
	return t, err
}

// findShifts looks through the latest shifts: by number, till or cashier.
func (s *Screens) findShifts(c *gin.Context, l locale.Locale, text string) (templates.Table, error) {
	p := frame.Present(c)
	if !p.User.Can(staff.ManageShifts) && !p.User.Can(staff.ViewReports) {
		return templates.Table{}, nil
	}
	all, err := s.D.Till.List(c.Request.Context(), till.Filter{ShopID: p.Shop.ID, Limit: shiftsSearched})
	if err != nil {
		return templates.Table{}, err
	}
	names, err := s.Names(c)
	t := templates.Table{
		Title:   l.Text("shifts.title"),
		Columns: []string{l.Text("find.shift"), l.Text("shifts.till"), l.Text("find.cashier"), l.Text("report.opened")},
	}
	for _, shift := range all {
		number, till, cashier := strconv.Itoa(shift.Number), names.Tills[shift.TillID], names.People[shift.CashierID]
		found := shift.ID == text || contains(till, text) || contains(cashier, text) || contains(till+" "+number, text)
		if found && len(t.Rows) < foundOfEach {
			t.Add(templates.Row{
				{Text: l.Number(int64(shift.Number)), URL: "/shift/" + shift.ID}, {Text: till}, {Text: cashier}, {
					Text: l.DateTime(shift.OpenedAt),
				},
			})
		}
	}
	return t, err
}

func (s *Screens) findPeople(c *gin.Context, l locale.Locale, text string) (templates.Table, error) {
	if !frame.Present(c).User.Can(staff.ManageUsers) {
		return templates.Table{}, nil
	}
	users, err := s.D.Staff.Users(c.Request.Context())
	t := templates.Table{
		Title: l.Text("office.people"), Columns: []string{l.Text("people.name"), l.Text("people.role")},
	}
	for _, u := range users {
		if len(t.Rows) < foundOfEach && (contains(u.DisplayName, text) || contains(u.Username, text)) {
			t.Add(templates.Row{
				{Text: u.DisplayName, Hint: u.Username, URL: "/admin/people/" + u.ID},
				{Text: frame.RoleName(l, u.Role)},
			})
		}
	}
	return t, err
}

// contains says whether a text has another in it, whatever their case.
func contains(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}
