// Package counter is selling: from the number to the confirm page and the sale, and the customer book.
package counter

import (
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/apiclient"
	"airtill/internal/catalog"
	"airtill/internal/counter"
	"airtill/internal/customer"
	"airtill/internal/fault"
	"airtill/internal/sales"
	"airtill/web/frame"
	"airtill/web/templates"
)

// Screens are the pages of this room.
type Screens struct {
	*frame.Server
	askForShift func(*gin.Context, int, string) error
}

// New returns them. askForShift shows the form that opens a shift.
func New(s *frame.Server, askForShift func(c *gin.Context, status int, problem string) error) *Screens {
	return &Screens{Server: s, askForShift: askForShift}
}

const recentShown = 6

// Counter is GET /counter: each step of a sale is the same address with one more thing decided.
func (s *Screens) Counter(c *gin.Context) error {
	shift, err := s.OpenShift(c)
	if err != nil {
		return err
	}
	if shift == nil {
		return s.askForShift(c, http.StatusOK, "")
	}
	if s.D.Catalog.Current().Empty() {
		return s.Show(c, http.StatusOK, func(f templates.Frame) templ.Component { return templates.NothingToSell(f) })
	}
	w := s.ReadWant(c)
	if w.Step == frame.StepNumber || w.Number == "" && !c.Request.Form.Has("number") {
		return s.askForNumber(c, http.StatusOK, templates.CounterPage{Typed: w.Number, Back: w.Number != ""})
	}
	if w.Step == frame.StepRecall {
		return s.recall(c, w.Number)
	}
	if found, err := s.findCustomer(c, w.Number); err != nil || found {
		return err
	}
	if w.Number == frame.AnyVoucher {
		return s.showVouchers(c, w)
	}
	err = s.settle(c, w)
	if fault.FieldOf(err) == "number" {
		return s.refuseNumber(c, w, s.LocaleOf(c.Request).Fault(err))
	}
	return err
}

// LookUp is POST /counter: the same with what somebody typed, which must not be in an address. A browser with scripts
// gets the page at once, under an address that has the number sealed; one without is redirected there, so that Back and
// reload work.
func (s *Screens) LookUp(c *gin.Context) error {
	header := c.Request.Header
	if header.Get("HX-Request") == "" {
		return frame.Redirect(c, s.Asked(c))
	}
	if header.Get("HX-Boosted") != "" {
		c.Header("HX-Push-Url", s.Asked(c))
	}
	return s.Counter(c)
}

// Asked is the address of the page that was asked for.
func (s *Screens) Asked(c *gin.Context) string {
	w := s.ReadWant(c)
	if w.Number == "" {
		return "/counter?number="
	}
	return s.URLOf(w)
}

// settle asks for the first thing that is not decided yet.
func (s *Screens) settle(c *gin.Context, w frame.Want) error {
	if w.Provider == "" {
		found, err := s.D.Counter.Operator(c.Request.Context(), s.ask(c, w))
		if err != nil {
			return err
		}
		if found.Provider == nil {
			return s.chooseOperator(c, w, found)
		}
		w.Provider = found.Provider.Code
	}
	if w.Sku != "" {
		return s.preview(c, w)
	}
	return s.showOffers(c, w)
}

// target is what a sale is about, as far as it is decided.
type target struct {
	snapshot *catalog.Snapshot
	number   catalog.Number
	provider *catalog.Provider
	product  *catalog.Product
	want     frame.Want
}

// quoted is what a quote is about.
func quoted(w frame.Want, q *counter.Quote) target {
	return target{snapshot: q.Snapshot, number: q.Number, provider: q.Provider, product: q.Product, want: w}
}

// anyCountry asks for a country to be chosen, whatever the number says.
const anyCountry = "?"

// askForNumber shows the field for a number, and the rest of the page.
func (s *Screens) askForNumber(c *gin.Context, status int, page templates.CounterPage) error {
	recent, err := s.D.Sales.Recent(
		c.Request.Context(), frame.Present(c).Shop.ID, frame.Present(c).Till.ID, s.Practising(c), recentShown,
	)
	if err != nil {
		return err
	}
	vouchers, more, err := s.D.Counter.QuickVouchers(c.Request.Context(), s.ask(c, frame.Want{}))
	if err != nil {
		return err
	}
	names, err := s.customersOf(c, recent)
	if err != nil {
		return err
	}
	l := s.LocaleOf(c.Request)
	page.Vouchers = s.voucherRows(l, vouchers)
	for _, sale := range recent {
		page.Recent = append(page.Recent, templates.RecentSale{
			RepeatURL: s.URLOf(frame.Repeat(sale)), Account: frame.AccountText(l, sale),
			Customer: names[sale.AccountNumber],
			Operator: frame.SoldOperator(l, s.D.Catalog.Current(), sale),
			Product:  sale.ProductText, Price: sale.Price(), At: sale.RecordedAt, State: string(sale.Fulfilment),
		})
	}
	if more {
		page.VouchersURL = s.URLOf(frame.Want{Number: frame.AnyVoucher})
	}
	return s.Show(c, status, func(f templates.Frame) templ.Component {
		page.Frame = f
		return templates.Counter(page)
	})
}

// customersOf are the names that the shop's book has for the numbers of sales, by number.
func (s *Screens) customersOf(c *gin.Context, all []sales.Sale) (map[string]string, error) {
	numbers := make([]string, len(all))
	for i, sale := range all {
		numbers[i] = sale.AccountNumber
	}
	if len(numbers) == 0 {
		return nil, nil
	}
	return s.D.Customers.Names(c.Request.Context(), frame.Present(c).Shop.ID, numbers)
}

// trail is the steps of a sale taken so far.
func (s *Screens) trail(f templates.Frame, t target) templates.Trail {
	steps := templates.Trail{Account: f.GroupNumber(t.number.Digits), AccountURL: s.BackOf(t.want)}
	switch {
	case t.number.Digits == apiclient.DefaultPINAccountNumber:
		steps.Account = ""
	case !t.number.Phone || t.provider != nil && !t.snapshot.TakesPhones(t.provider.Code):
		steps.Account = f.GroupDigits(t.number.Digits)
	}
	if t.provider != nil {
		steps.Operator = operator(f.Locale, t.snapshot, t.provider)
		steps.ProductURL = s.URLOf(t.want.ToProducts())
	}
	if t.product != nil {
		steps.Product = t.snapshot.Text(t.product, f.Language()).DisplayText
		if sent := t.snapshot.AccountNumber(t.product, t.number); t.product.Addressed() && sent != t.number.Digits {
			steps.Account = f.GroupDigits(sent) // not a phone number to this provider
		}
	}
	return steps
}

// Ahead is what the counter will ask the database about a number and its product.
func (s *Screens) Ahead(form url.Values, seen frame.Seen) []frame.Asked {
	typed := s.Numbers.Open(form.Get("number"))
	number, err := catalog.ParseNumber(typed, seen.Country)
	if err != nil || form.Get("step") == frame.StepNumber || customer.Asks(typed) {
		return nil
	}
	var asked []frame.Asked
	if form.Get("provider") == "" {
		asked = append(asked, s.D.Catalog.AskLookup(number))
	}
	if form.Get("sku") == "" {
		return append(asked, s.D.Customers.AskOf(seen.Shop, number.Digits),
			s.D.Sales.AskBought(seen.Shop, number.Digits, beforeShown))
	}
	product, found := s.D.Catalog.Current().Product(form.Get("sku"))
	if found && product.Addressed() && !seen.Practice {
		asked = append(asked, s.D.Sales.AskCheck(number.Digits, product.SKU, product.Minimum.SendCurrency)...)
	}
	return asked
}
