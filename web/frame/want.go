package frame

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gin-gonic/gin"

	"airtill/internal/apiclient"
	"airtill/internal/counter"
	"airtill/internal/sales"
	"airtill/web/templates"
)

// Repeat wants the same sale again.
func Repeat(sale sales.Sale) Want {
	return Want{
		Number: AsSent(sale.AccountNumber), Provider: sale.ProviderCode, Sku: sale.SKUCode,
		Send: sale.Quoted().Send.Decimal(0), Step: StepConfirm,
	}
}

// AsSent is what to type so that an account number is taken as it was sent, in whatever country: a "+" says that its
// prefix is there. One with letters is never a phone's, and takes no "+".
func AsSent(account string) string {
	if strings.ContainsFunc(account, unicode.IsLetter) {
		return account
	}
	return "+" + account
}

// Operators wants the choice among the other operators.
func (w Want) Operators() Want { return Want{Number: w.Number, Not: w.Provider} }

// AnyVoucher stands for a number where none is needed.
const AnyVoucher = "-"

// Want is what is settled of a sale so far, from the address or the form. It holds names and typed texts only:
// prices, states and shops come from the server.
type Want struct {
	Number   string // as typed
	Country  string // chosen by hand
	Not      string // a provider the number is not with after all
	Provider string
	Sku      string
	Pay      string // the amount to pay, as typed
	Receive  string // or to receive, as typed
	Send     string // the SendValue a page showed the price of
	Bill     string
	Step     string
	Settings []counter.Setting // in the order of the form
}

const settingPrefix = "setting."

// ReadWant reads a want from the address and the form.
func (s *Server) ReadWant(c *gin.Context) Want {
	if err := c.Request.ParseForm(); err != nil {
		return Want{} // unreadable: nothing is settled
	}
	form := c.Request.Form
	w := Want{
		Number: s.Numbers.Open(form.Get("number")), Country: strings.ToUpper(form.Get("country")), Not: form.Get("not"),
		Provider: form.Get("provider"), Sku: form.Get("sku"),
		Pay: form.Get("pay"), Receive: form.Get("receive"), Send: form.Get("send"),
		Bill: s.Numbers.Open(form.Get("bill")), Step: form.Get("step"),
	}
	if quick := form.Get("quick"); quick != "" {
		w.Pay, w.Receive, w.Send, w.Step = quick, "", "", StepConfirm
	}
	for name, values := range form {
		if setting, ok := strings.CutPrefix(name, settingPrefix); ok {
			value := s.Numbers.Open(strings.TrimSpace(values[0]))
			w.Settings = append(w.Settings, counter.Setting{Name: setting, Value: value})
		}
	}
	slices.SortFunc(w.Settings, func(a, b counter.Setting) int { return strings.Compare(a.Name, b.Name) })
	return w
}

const (
	StepNumber  = "number" // back to the field, with what was typed
	StepRecall  = "recall" // whose the digits typed so far may be
	StepConfirm = "confirm"
)

// FieldsOf lists what is settled, for a form that goes on from here. What is a customer's
// is sealed, as the form may send it by an address.
func (s *Server) FieldsOf(w Want) []templates.HiddenField {
	var fields []templates.HiddenField
	add := func(name, value string) {
		if value != "" {
			fields = append(fields, templates.HiddenField{Name: name, Value: value})
		}
	}
	add("number", s.Numbers.Seal(w.Number))
	add("country", w.Country)
	add("not", w.Not)
	add("provider", w.Provider)
	add("sku", w.Sku)
	add("pay", w.Pay)
	add("receive", w.Receive)
	add("send", w.Send)
	add("bill", s.Numbers.Seal(w.Bill))
	for _, setting := range w.Settings {
		add(settingPrefix+setting.Name, s.Numbers.Seal(setting.Value))
	}
	return fields
}

// URLOf leads to the counter with what is settled.
func (s *Server) URLOf(w Want) string {
	query := url.Values{}
	for _, f := range s.FieldsOf(w) {
		query.Set(f.Name, f.Value)
	}
	if w.Step != "" {
		query.Set("step", w.Step)
	}
	return "/counter?" + query.Encode()
}

// Confirmed leads to the confirm page.
func (w Want) Confirmed() Want {
	w.Step = StepConfirm
	return w
}

// BackOf leads to the field, with the number in it.
func (s *Server) BackOf(w Want) string {
	if w.Number == "" || w.Number == apiclient.DefaultPINAccountNumber || w.Number == AnyVoucher {
		return "/counter"
	}
	return s.URLOf(Want{Number: w.Number, Step: StepNumber})
}

// The steps back each forget what was settled after them.

// ToNumber forgets all but the number.
func (w Want) ToNumber() Want { return Want{Number: w.Number} }

// ToOperator forgets all but number and country.
func (w Want) ToOperator() Want { return Want{Number: w.Number, Country: w.Country} }

// ToProducts forgets the product and what follows.
func (w Want) ToProducts() Want {
	return Want{Number: w.Number, Country: w.Country, Provider: w.Provider}
}

// Numbers seals what people type of a customer before it stands in an address: histories,
// proxies and whoever looks at the screen see addresses. What is sealed opens for as long
// as a session lasts, in every process of the till.
type Numbers struct {
	aead cipher.AEAD
	now  func() time.Time
}

const (
	sealedMark  = "~" // begins what is sealed, and no number
	sealedFor   = 8 * time.Hour
	sealedBound = "an address"
	stampLength = 4
)

// NewNumbers returns Numbers that seal with a key of 32 bytes.
func NewNumbers(key []byte, now func() time.Time) (*Numbers, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return &Numbers{aead: aead, now: now}, err
}

// Seal makes a text fit for an address. What vouchers are sold to is nobody's and stays.
func (n *Numbers) Seal(text string) string {
	if text == "" || text == AnyVoucher || text == apiclient.DefaultPINAccountNumber ||
		strings.HasPrefix(text, sealedMark) {
		return text
	}
	minutes := uint32(n.now().Unix() / 60) // until the year 10136
	stamped := append(binary.BigEndian.AppendUint32(nil, minutes), text...)
	sealed := n.aead.Seal(nil, nil, stamped, []byte(sealedBound)) //nolint:gosec // the nonce is random and within
	return sealedMark + base64.RawURLEncoding.EncodeToString(sealed)
}

// Open returns what was sealed; "" if that was too long ago or not here. A text that is
// not sealed is itself: the counter may be asked for a number by its address.
func (n *Numbers) Open(text string) string {
	coded, is := strings.CutPrefix(text, sealedMark)
	if !is {
		return text
	}
	sealed, err := base64.RawURLEncoding.DecodeString(coded)
	if err != nil {
		return ""
	}
	plain, err := n.aead.Open(nil, nil, sealed, []byte(sealedBound))
	if err != nil || len(plain) < stampLength {
		return ""
	}
	at := time.Unix(int64(binary.BigEndian.Uint32(plain))*60, 0)
	if n.now().Sub(at) > sealedFor {
		return ""
	}
	return string(plain[stampLength:])
}
