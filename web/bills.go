package web

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"airtill/internal/apiclient"
	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/web/locale"
	"airtill/web/templates"
)

// settleBill goes to the confirm page with the bill that was chosen. Before
// that it asks for the settings, and then for the bill.
func (s *Server) settleBill(c *gin.Context, t target, a answers) error {
	if t.want.step != stepConfirm && len(t.product.Settings) > 0 {
		a.settings = nil // nothing was asked yet, so nothing is missing
		return s.showDetails(c, http.StatusOK, t, a)
	}
	if !a.right() {
		return s.showDetails(c, http.StatusUnprocessableEntity, t, a)
	}
	if t.want.bill == "" {
		return s.offerBills(c, t, a, false)
	}
	a, err := s.withBill(c, t, a)
	if err != nil {
		return err
	}
	if a.bill == nil || s.expired(a.bill) {
		return s.offerBills(c, t, a, true)
	}
	return s.confirm(c, t, a)
}

// withBill finds the bill that a form names, and with it the price: a bill is
// paid in full. It leaves a.bill nil if there is none of that name for this
// number and these settings.
func (s *Server) withBill(c *gin.Context, t target, a answers) (answers, error) {
	bill, err := s.d.Catalog.Bill(c.Request.Context(), billAsk(t), t.want.bill)
	if err == nil && bill != nil {
		a.bill, a.price = bill, bill.Price
	}
	return a, err
}

// billAsk is whose bills are meant. What a bill belongs to follows from it, so
// nothing of it comes from the bill itself.
func billAsk(t target) catalog.BillAsk {
	ask := catalog.BillAsk{SKU: t.product.SKU, Account: accountNumber(t)}
	for _, setting := range t.settings() {
		ask.Settings = append(ask.Settings, apiclient.Setting{Name: setting.Name, Value: setting.Value})
	}
	return ask
}

// billLines tells of the bill that is paid, nothing if there is none.
func (a answers) billLines() []templates.Line {
	if a.bill == nil {
		return nil
	}
	return billLines(*a.bill)
}

// spendBills has the bills looked up anew next time, since one is being paid. It
// may fail: whoever chooses the paid one again is refused by the upstream.
func (s *Server) spendBills(c *gin.Context, t target) {
	if !t.product.LookupBillsRequired {
		return
	}
	if err := s.d.Catalog.SpendBills(c.Request.Context(), billAsk(t)); err != nil {
		s.d.Log.WarnContext(c.Request.Context(), "counter.bills_not_spent", "error", err)
	}
}

func (s *Server) expired(bill *catalog.Bill) bool { return !s.d.Now().Before(bill.ValidUntil) }

// offerBills looks the bills up and has one chosen. Void says that the one that
// was chosen cannot be paid: it was another number's, other settings', or is
// too old.
func (s *Server) offerBills(c *gin.Context, t target, a answers, void bool) error {
	l := s.localeOf(c.Request)
	bills, err := s.d.Catalog.Bills(c.Request.Context(), billAsk(t))
	status := http.StatusOK
	if void {
		status = http.StatusConflict
	}
	switch fault.KindOf(err) {
	case "":
	case fault.Invalid, fault.Unavailable:
		a.billProblem, status = billProblem(l, err), statusOf(err)
	default:
		return err
	}
	a.bills, a.billVoid, a.billsAsked = bills, void, err == nil
	return s.showDetails(c, status, t, a)
}

// billProblem says why bills could not be looked up.
func billProblem(l locale.Locale, err error) string {
	switch f := fault.FieldOf(err); {
	case f == "number":
		return l.Text("bills.wrongNumber")
	case fault.KindOf(err) == fault.Invalid:
		return l.Text("bills.wrongDetails")
	}
	return l.Fault(err)
}

// showBills fills in the part of the details page that bills need.
func (s *Server) showBills(c *gin.Context, l locale.Locale, page *templates.DetailsPage, t target, a answers) {
	page.NeedsBill, page.Changed, page.Problem = true, a.billVoid, a.billProblem
	page.NothingOwed = a.billsAsked && len(a.bills) == 0
	least, most, err := t.paying()
	if err != nil {
		page.Problem = page.Fault(err)
		return
	}
	for _, bill := range a.bills {
		shown := templates.Bill{ID: bill.ID, Lines: billLines(bill)}
		price, err := t.retail(t.product, bill.Price)
		if err != nil {
			page.Problem = page.Fault(err)
			continue
		}
		shown.Price = price
		if !bill.Payable {
			shown.Unpayable = l.Text("bills.outOfRange", l.Amount(least), l.Amount(most))
		}
		page.Bills = append(page.Bills, shown)
	}
}

func billLines(bill catalog.Bill) []templates.Line {
	var lines []templates.Line
	for _, info := range bill.Info {
		lines = append(lines, templates.Line{Name: info.Name, Value: info.Value})
	}
	return lines
}
