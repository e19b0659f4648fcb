package web

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/web/locale"
	"airtill/web/templates"
)

// answers is what was typed for a product that needs more to be known: its
// amount, its settings, with what is wrong with them.
type answers struct {
	pay, receive money.Amount // the amount typed; one of them, or neither for a fixed product
	price        catalog.Price
	about        bool // what is received is our own figure, not the provider's
	payProblem   string
	wayProblem   string            // of the amount to be received
	settings     map[string]string // what is wrong with them, by name

	bill        *catalog.Bill  // the one that is paid
	bills       []catalog.Bill // to choose from
	billsAsked  bool           // and there is an answer
	billVoid    bool           // the one that was chosen cannot be paid
	billProblem string
}

// nearest says that not quite what was asked for can be received, or be paid, "" if it can.
func (a answers) nearest(l locale.Locale, paid money.Amount) string {
	switch {
	case !a.receive.IsZero() && a.price.Receive() != a.receive:
		return l.Text("details.nearest")
	case !a.pay.IsZero() && paid != a.pay:
		return l.Text("details.nearestPay", l.Amount(a.pay))
	}
	return ""
}

func (a answers) right() bool {
	return a.payProblem == "" && a.wayProblem == "" && len(a.settings) == 0
}

// asksMore says whether a product needs more than an account number.
func asksMore(p *catalog.Product) bool { return !p.Fixed() || len(p.Settings) > 0 }

// confirmOrAsk goes to the confirm page if everything is settled, and asks for
// what is missing if not.
func (s *Server) confirmOrAsk(c *gin.Context, t target) error {
	l := s.localeOf(c.Request)
	a, err := readAnswers(l, t)
	if err != nil {
		return err
	}
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
// until it is priced. What a page has shown the price of stands, whatever the rates and
// rules became since.
func readAnswers(l locale.Locale, t target) (answers, error) {
	a := answers{price: t.product.Minimum, settings: map[string]string{}}
	for _, definition := range t.product.Settings {
		if err := definition.Check(definition.Clean(t.want.setting(definition.Name))); err != nil {
			a.settings[definition.Name] = l.Fault(err)
		}
	}
	if t.product.Fixed() || t.product.LookupBillsRequired { // a bill has its own price
		return a, nil
	}
	low, high := t.product.Minimum, t.product.Maximum
	if t.want.receive != "" {
		a.receive, a.wayProblem = readAmount(l, t.want.receive, low.Receive(), high.Receive())
		if a.wayProblem == "" {
			a.price, a.wayProblem = quoted(l, t.product.QuoteReceive, a.receive)
		}
	} else if t.want.pay != "" || t.want.send == "" {
		least, most, err := t.paying()
		if err != nil {
			return a, err
		}
		a.pay, a.payProblem = readAmount(l, t.want.pay, least, most)
		if a.payProblem == "" {
			if a.price, err = t.tariff.ForPay(t.product, t.provider.Country, a.pay); err != nil {
				return a, err
			}
		}
	}
	if t.want.send != "" {
		send, err := money.Parse(t.want.send, low.SendCurrency)
		if err != nil {
			return a, fault.Wrap(err, fault.Invalid, "page.too-old-to-sell")
		}
		a.price, a.payProblem = quoted(l, t.product.Quote, send)
		a.wayProblem = ""
	}
	return a, nil
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
	form, err := amountForm(s.localeOf(c.Request), t, a)
	if err != nil {
		return err
	}
	return s.show(c, status, func(f templates.Frame) templ.Component {
		page := templates.DetailsPage{Frame: f, Trail: trail(f, t), Hidden: t.want.toProducts().fields(), Product: t.snapshot.Text(t.product, f.Language()).DisplayText}
		page.Hidden = append(page.Hidden, templates.HiddenField{Name: "sku", Value: t.product.SKU})
		page.Settings = settingFields(f.Locale, t, a)
		switch {
		case t.product.LookupBillsRequired:
			s.showBills(c, f.Locale, &page, t, a)
		case !t.product.Fixed():
			page.Range = form
		}
		return templates.Details(page)
	})
}

func amountForm(l locale.Locale, t target, a answers) (*templates.AmountForm, error) {
	if t.product.Fixed() || t.product.LookupBillsRequired {
		return nil, nil
	}
	form := &templates.AmountForm{
		Pay: t.want.pay, Receive: t.want.receive,
		ReceiveMin: t.product.Minimum.Receive(), ReceiveMax: t.product.Maximum.Receive(),
	}
	var err error
	if form.PayMin, form.PayMax, err = t.paying(); err != nil {
		return nil, err
	}
	if form.Common, err = t.tariff.RoundSums(t.product, t.provider.Country); err != nil {
		return nil, err
	}
	if t.want.pay == "" && t.want.receive == "" {
		return form, nil
	}
	form.PayProblem, form.ReceiveProblem = a.payProblem, a.wayProblem
	if a.payProblem == "" && a.wayProblem == "" {
		pay, err := t.retail(t.product, a.price)
		if err != nil {
			return nil, err
		}
		form.Quote = &templates.Quote{
			Pay: pay, Receive: a.price.Receive(), ReceiveNet: netIfLess(a.price), Nearest: a.nearest(l, pay), About: a.about,
		}
	}
	return form, nil
}

// netIfLess is what is left after tax, nil if that is all of it.
func netIfLess(p catalog.Price) *money.Amount {
	net := p.ReceiveExcludingTax()
	if net.IsZero() || net == p.Receive() {
		return nil
	}
	return &net
}
