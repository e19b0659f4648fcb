package counter

import (
	"errors"
	"net/http"
	"slices"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/counter"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// nearestText says that only an amount near the one asked for can be received or paid; "": exactly that amount can.
func nearestText(l locale.Locale, q *counter.Quote) string {
	switch asked := q.Nearest(); {
	case asked.IsZero():
		return ""
	case q.Ask.Receive != "":
		return l.Text("details.nearest")
	default:
		return l.Text("details.nearestPay", l.Amount(asked))
	}
}

// showDetails asks for what a sale still needs, and says what is wrong.
func (s *Screens) showDetails(c *gin.Context, w frame.Want, q *counter.Quote) error {
	status := http.StatusOK
	switch {
	case q.BillProblem != nil:
		status = frame.StatusOf(q.BillProblem)
	case q.BillVoid:
		status = http.StatusConflict
	case q.Ask.Confirmed && !q.Right():
		status = http.StatusUnprocessableEntity
	}
	return s.Show(c, status, func(f templates.Frame) templ.Component {
		page := templates.DetailsPage{
			Frame: f, Trail: s.trail(f, quoted(w, q)), Hidden: s.FieldsOf(w.ToProducts()),
			Product:  q.Snapshot.Text(q.Product, f.Language()).DisplayText,
			Settings: settingFields(f.Locale, q),
		}
		page.Hidden = append(page.Hidden, templates.HiddenField{Name: "sku", Value: q.Product.SKU})
		switch {
		case q.Product.LookupBillsRequired:
			showBills(f.Locale, &page, q)
		case q.Range():
			page.Range = amountForm(f.Locale, w, q)
		}
		return templates.Details(page)
	})
}

func amountForm(l locale.Locale, w frame.Want, q *counter.Quote) *templates.AmountForm {
	form := &templates.AmountForm{
		Pay: w.Pay, Receive: w.Receive, PayMin: q.Least, PayMax: q.Most, Common: q.Round,
		ReceiveMin: q.Product.Minimum.Receive(), ReceiveMax: q.Product.Maximum.Receive(),
	}
	if w.Pay == "" && w.Receive == "" {
		return form
	}
	form.PayProblem, form.ReceiveProblem = amountProblem(l, q.PayProblem), amountProblem(l, q.ReceiveProblem)
	if q.PayProblem == nil && q.ReceiveProblem == nil {
		form.Quote = &templates.Quote{
			Pay: q.Terms.Price, Receive: q.Price.Receive(), ReceiveNet: netIfLess(q.Price), Nearest: nearestText(l, q),
			About: q.About,
		}
	}
	return form
}

// amountProblem says what is wrong with a typed amount; "": nothing.
func amountProblem(l locale.Locale, err error) string {
	var out *counter.RangeError
	switch {
	case errors.As(err, &out):
		return l.Text("details.outOfRange", l.Amount(out.Least), l.Amount(out.Most))
	case errors.Is(err, counter.ErrNoQuote):
		return l.Text("details.noQuote")
	case err != nil:
		return l.Fault(err)
	}
	return ""
}

// netIfLess is what is left after tax; nil: all of it.
func netIfLess(p catalog.Price) *money.Amount {
	net := p.ReceiveExcludingTax()
	if net.IsZero() || net == p.Receive() {
		return nil
	}
	return &net
}

// billProblem says why bills could not be looked up; "": they were.
func billProblem(l locale.Locale, err error) string {
	switch f := fault.FieldOf(err); {
	case err == nil:
		return ""
	case f == "number":
		return l.Text("bills.wrongNumber")
	case fault.KindOf(err) == fault.Invalid:
		return l.Text("bills.wrongDetails")
	}
	return l.Fault(err)
}

// showBills fills in the part of the details page that bills need.
func showBills(l locale.Locale, page *templates.DetailsPage, q *counter.Quote) {
	page.NeedsBill, page.Changed, page.Problem = true, q.BillVoid, billProblem(l, q.BillProblem)
	page.NothingOwed = q.BillsAsked && len(q.Bills) == 0
	bills, more := frame.Page(q.Bills, catalog.BillsShown)
	page.MoreBills = more
	for _, bill := range bills {
		shown := templates.Bill{ID: bill.ID, Lines: billLines(bill.Bill), Price: bill.Pay}
		if !bill.Payable {
			shown.Unpayable = l.Text("bills.outOfRange", l.Amount(q.Least), l.Amount(q.Most))
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

func settingFields(l locale.Locale, q *counter.Quote) []templates.SettingField {
	var fields []templates.SettingField
	for _, d := range q.Product.Settings {
		kind, problem := d.Rule().Kind, ""
		if err := q.SettingProblems[d.Name]; err != nil {
			problem = l.Fault(err)
		}
		fields = append(fields, templates.SettingField{
			Name: d.Name, Label: settingLabel(d), Value: q.Ask.Setting(d.Name), Required: d.Mandatory,
			Secret: d.Secret(), Problem: problem,
			Help: l.Fault(d.Wants()), Digits: kind == catalog.NumberRule || kind == catalog.DigitsRule,
		})
	}
	return fields
}

func settingLabel(d catalog.Setting) string {
	if d.Description == "" {
		return d.Name
	}
	return d.Description
}

// settingLines are the answers as a confirm page shows them: those that were checked, and those that only the cashier
// can check.
func settingLines(q *counter.Quote) (checked, toRead []templates.Line) {
	for _, setting := range q.Terms.Settings {
		i := slices.IndexFunc(q.Product.Settings, func(d catalog.Setting) bool { return d.Name == setting.Name })
		d := q.Product.Settings[i]
		line := templates.Line{Name: settingLabel(d), Value: setting.Value}
		switch {
		case d.Secret():
			line.Value = "••••"
			checked = append(checked, line)
		case d.Rule().Kind == catalog.NoRule:
			toRead = append(toRead, line)
		default:
			checked = append(checked, line)
		}
	}
	return checked, toRead
}
