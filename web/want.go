package web

import (
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/apiclient"
	"airtill/internal/counter"
	"airtill/web/templates"
)

// want is what has been settled of a sale so far, as the address or the form
// names it. It holds names and typed texts only: prices, states and shops come
// from the server.
type want struct {
	number   string // as typed
	country  string // chosen by hand
	not      string // the provider that the number was taken for, and is not with
	provider string
	sku      string
	pay      string // the amount to pay, as typed
	receive  string // or the amount to be received, as typed
	send     string // the SendValue that a page showed the price of
	bill     string
	step     string
	settings []counter.Setting // in the order of the form
}

const settingPrefix = "setting."

// readWant takes a want out of the address and the form.
func readWant(c *gin.Context) want {
	if err := c.Request.ParseForm(); err != nil {
		return want{} // a form that cannot be read settles nothing
	}
	form := c.Request.Form
	w := want{
		number: form.Get("number"), country: strings.ToUpper(form.Get("country")), not: form.Get("not"), provider: form.Get("provider"), sku: form.Get("sku"),
		pay: form.Get("pay"), receive: form.Get("receive"), send: form.Get("send"), bill: form.Get("bill"),
		step: form.Get("step"),
	}
	if quick := form.Get("quick"); quick != "" {
		w.pay, w.receive, w.send, w.step = quick, "", "", stepConfirm
	}
	for name, values := range form {
		if setting, ok := strings.CutPrefix(name, settingPrefix); ok {
			w.settings = append(w.settings, counter.Setting{Name: setting, Value: strings.TrimSpace(values[0])})
		}
	}
	slices.SortFunc(w.settings, func(a, b counter.Setting) int { return strings.Compare(a.Name, b.Name) })
	return w
}

const (
	stepNumber  = "number" // back to the field, with what was typed
	stepRecall  = "recall" // who the digits typed so far may mean
	stepConfirm = "confirm"
)

// fields lists what is settled, for a form that goes on from here.
func (w want) fields() []templates.HiddenField {
	var fields []templates.HiddenField
	add := func(name, value string) {
		if value != "" {
			fields = append(fields, templates.HiddenField{Name: name, Value: value})
		}
	}
	add("number", w.number)
	add("country", w.country)
	add("not", w.not)
	add("provider", w.provider)
	add("sku", w.sku)
	add("pay", w.pay)
	add("receive", w.receive)
	add("send", w.send)
	add("bill", w.bill)
	for _, s := range w.settings {
		add(settingPrefix+s.Name, s.Value)
	}
	return fields
}

// url leads to the counter with what is settled.
func (w want) url() string {
	query := url.Values{}
	for _, f := range w.fields() {
		query.Set(f.Name, f.Value)
	}
	if w.step != "" {
		query.Set("step", w.step)
	}
	return "/counter?" + query.Encode()
}

// confirmed leads to the confirm page of what is settled.
func (w want) confirmed() want {
	w.step = stepConfirm
	return w
}

// back leads to the field, with the number in it.
func (w want) back() string {
	if w.number == "" || w.number == apiclient.DefaultPINAccountNumber || w.number == anyVoucher {
		return "/counter"
	}
	return want{number: w.number, step: stepNumber}.url()
}

// The steps back: each forgets what was settled after it.

func (w want) toNumber() want { return want{number: w.number} }

func (w want) toOperator() want { return want{number: w.number, country: w.country} }

func (w want) toProducts() want {
	return want{number: w.number, country: w.country, provider: w.provider}
}
