package counter

import (
	"errors"
	"net/http"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/counter"
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
