package web

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/money"
	"airtill/web/locale"
	"airtill/web/templates"
)

// answers is what was typed for a product that needs more to be known: its
// amount, its settings, with what is wrong with them.
type answers struct {
	send, receive money.Amount // the amount typed; one of them, or neither for a fixed product
	price         catalog.Price
	about         bool // what is received is our own figure, not the provider's
	payProblem    string
	wayProblem    string            // of the amount to be received
	settings      map[string]string // what is wrong with them, by name

	bill        *catalog.Bill  // the one that is paid
	bills       []catalog.Bill // to choose from
	billsAsked  bool           // and there is an answer
	billVoid    bool           // the one that was chosen cannot be paid
	billProblem string
}

// nearest says that not quite what was asked for can be received.
func (a answers) nearest() bool { return !a.receive.IsZero() && a.price.Receive() != a.receive }

func (a answers) right() bool {
	return a.payProblem == "" && a.wayProblem == "" && len(a.settings) == 0
}

// asksMore says whether a product needs more than an account number.
func asksMore(p *catalog.Product) bool { return !p.Fixed() || len(p.Settings) > 0 }

// confirmOrAsk goes to the confirm page if everything is settled, and asks for
// what is missing if not.
func (s *Server) confirmOrAsk(c *gin.Context, t target) error {
	l := s.localeOf(c.Request)
	a := readAnswers(l, t)
	if t.product.LookupBillsRequired {
		return s.settleBill(c, t, a)
	}
	if t.want.step == stepConfirm && a.right() || !asksMore(t.product) {
		return s.confirm(c, t, a)
	}
	status := http.StatusOK
	if t.want.step == stepConfirm {
		status = http.StatusUnprocessableEntity
	} else {
		a.settings = nil // nothing was asked yet, so nothing is missing
	}
	if !t.product.Fixed() && a.payProblem == "" && a.wayProblem == "" {
		if err := s.priced(c, t, &a, true); err != nil {
			a.payProblem = l.Fault(err)
		}
	}
	return s.showDetails(c, status, t, a)
}

// readAnswers reads the typed amount and settings. The price within a range is our own,
// until it is priced.
func readAnswers(l locale.Locale, t target) answers {
	a := answers{price: t.product.Minimum, settings: map[string]string{}}
	for _, definition := range t.product.Settings {
		if err := definition.Check(definition.Clean(t.want.setting(definition.Name))); err != nil {
			a.settings[definition.Name] = l.Fault(err)
		}
	}
	if t.product.Fixed() || t.product.LookupBillsRequired { // a bill has its own price
		return a
	}
	low, high := t.product.Minimum, t.product.Maximum
	if t.want.receive != "" {
		a.receive, a.wayProblem = readAmount(l, t.want.receive, low.Receive(), high.Receive())
		if a.wayProblem == "" {
			a.price, a.wayProblem = quoted(l, t.product.QuoteReceive, a.receive)
		}
		return a
	}
	a.send, a.payProblem = readAmount(l, t.want.pay, low.Send(), high.Send())
	if a.payProblem == "" {
		a.price, a.payProblem = quoted(l, t.product.Quote, a.send)
	}
	return a
}

// readAmount reads a typed amount and says what is wrong with it, "" if nothing.
func readAmount(l locale.Locale, text string, low, high money.Amount) (money.Amount, string) {
	amount, err := l.ParseAmount(text, low.Currency())
	if err != nil {
		return amount, l.Fault(err)
	}
	below, _ := amount.Cmp(low) // all three are of one currency
	above, _ := amount.Cmp(high)
	if below < 0 || above > 0 {
		return amount, l.Text("details.outOfRange", l.Amount(low), l.Amount(high))
	}
	return amount, ""
}

func quoted(l locale.Locale, quote func(money.Amount) (catalog.Price, error), amount money.Amount) (catalog.Price, string) {
	price, err := quote(amount)
	if err != nil {
		return price, l.Text("details.noQuote")
	}
	return price, ""
}

func (s *Server) showDetails(c *gin.Context, status int, t target, a answers) error {
	return s.show(c, status, func(f templates.Frame) templ.Component {
		page := templates.DetailsPage{Frame: f, Trail: trail(f, t), Hidden: t.want.toProducts().fields(), Product: t.snapshot.Text(t.product, f.Language()).DisplayText}
		page.Hidden = append(page.Hidden, templates.HiddenField{Name: "sku", Value: t.product.SKU})
		page.Settings = settingFields(f.Locale, t, a)
		switch {
		case t.product.LookupBillsRequired:
			s.showBills(c, f.Locale, &page, t, a)
		case !t.product.Fixed():
			page.Range = amountForm(t, a)
		}
		return templates.Details(page)
	})
}

func amountForm(t target, a answers) *templates.AmountForm {
	form := &templates.AmountForm{
		Pay: t.want.pay, Receive: t.want.receive,
		PayMin: t.product.Minimum.Send(), PayMax: t.product.Maximum.Send(),
		ReceiveMin: t.product.Minimum.Receive(), ReceiveMax: t.product.Maximum.Receive(),
		Common: common(t.product),
	}
	if t.want.pay == "" && t.want.receive == "" {
		return form
	}
	form.PayProblem, form.ReceiveProblem = a.payProblem, a.wayProblem
	if a.payProblem == "" && a.wayProblem == "" {
		pay, err := t.retail(t.product, a.price)
		if err != nil {
			return form
		}
		form.Quote = &templates.Quote{
			Pay: pay, Receive: a.price.Receive(), ReceiveNet: netIfLess(a.price), NearestOnly: a.nearest(), About: a.about,
		}
	}
	return form
}

// netIfLess is what is left after tax, nil if that is all of it.
func netIfLess(p catalog.Price) *money.Amount {
	net := p.ReceiveExcludingTax()
	if net.IsZero() || net == p.Receive() {
		return nil
	}
	return &net
}

// common are the sums offered as buttons: round ones within the range.
func common(p *catalog.Product) []money.Amount {
	var sums []money.Amount
	for _, units := range []int64{5, 10, 15, 20, 25, 30, 50, 100} {
		micros := units * money.Scale
		if micros >= p.Minimum.SendMicros && micros <= p.Maximum.SendMicros && len(sums) < 5 {
			sums = append(sums, money.Of(micros, p.Minimum.SendCurrency))
		}
	}
	return sums
}
