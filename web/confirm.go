package web

import (
	"crypto/rand"
	"errors"
	"net/http"
	"strings"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/apiclient"
	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/pricing"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/locale"
	"airtill/web/templates"
)

// offerNow prices a target as it stands now. Nothing of it comes from the form
// but the typed amount.
func (s *Server) offerNow(c *gin.Context, t target, a answers) (sales.Offer, bool, error) {
	price, nearest, err := s.bindingPrice(c, t, a)
	if err != nil {
		return sales.Offer{}, false, err
	}
	retail, err := pricing.Retail(price, present(c).Shop.Currency)
	if err != nil {
		return sales.Offer{}, false, err
	}
	p := t.product
	offer := sales.Offer{
		CountryISO: t.provider.Country, ProviderCode: t.provider.Code, ProviderName: t.provider.Name, CustomerCare: t.provider.CustomerCareNumber,
		SKUCode: p.SKU, ProductText: t.snapshot.Text(p, s.localeOf(c.Request).Language()).DisplayText, Kind: string(p.Kind),
		ProcessingMode: p.ProcessingMode, Redemption: p.Redemption, Validity: p.Validity,
		Cost:    ledger.Cost{Send: price.Send(), CustomerFee: price.CustomerFee(), DistributorFee: price.DistributorFee()},
		Receive: price.Receive(), ReceiveExTax: price.ReceiveExcludingTax(),
		TaxRate: price.TaxRate, TaxName: price.TaxName, TaxCalculation: price.TaxCalculation, CommissionRate: p.CommissionRate,
		Price: retail, NeedsBill: p.LookupBillsRequired, TestNumber: p.UATNumber,
		ProviderUp: s.d.Catalog.CheckProvider(c.Request.Context(), t.provider.Code).Processing && s.stopped(s.localeOf(c.Request)) == "",
	}
	for _, d := range p.Settings {
		if d.Mandatory {
			offer.Mandatory = append(offer.Mandatory, d.Name)
		}
	}
	return offer, nearest, nil
}

// bindingPrice is the catalogue's price of a fixed product, and the upstream's
// own estimate within a range. If the upstream does not answer in time, the
// line of the catalogue has to do: the screen never waits, and the books are
// trued up by the record.
func (s *Server) bindingPrice(c *gin.Context, t target, a answers) (catalog.Price, bool, error) {
	if t.product.Fixed() {
		return t.product.Minimum, false, nil
	}
	estimate, err := s.d.Catalog.Estimate(c.Request.Context(), catalog.EstimateRequest{SKU: t.product.SKU, Send: a.send, Receive: a.receive})
	switch fault.KindOf(err) {
	case "":
		return estimate.Price, estimate.Nearest, nil
	case fault.Invalid:
		return catalog.Price{}, false, err
	default:
		s.d.Log.WarnContext(c.Request.Context(), "counter.estimate_skipped", "sku", t.product.SKU, "error", err)
		return a.price, false, nil
	}
}

// confirm is GET /counter with everything settled.
func (s *Server) confirm(c *gin.Context, t target, a answers) error {
	offer, _, err := s.offerNow(c, t, a)
	if fault.KindOf(err) == fault.Invalid {
		a.payProblem = fault.Message(err)
		return s.showDetails(c, http.StatusUnprocessableEntity, t, a)
	}
	if err != nil {
		return err
	}
	blocked := ""
	if !offer.ProviderUp {
		blocked = s.localeOf(c.Request).Text("confirm.providerDown", t.provider.Name)
	}
	return s.showConfirm(c, http.StatusOK, t, offer, confirmation{key: newKey(), blocked: blocked})
}

// newKey mints the idempotency key of a form: the browser has a name for the
// sale before the button exists.
func newKey() string { return rand.Text() }

// confirmation is what a confirm page says beside the sale itself.
type confirmation struct {
	key     string
	changed *money.Amount // the price the page showed before
	same    string
	blocked string
	problem string
}

func (s *Server) showConfirm(c *gin.Context, status int, t target, offer sales.Offer, say confirmation) error {
	return s.show(c, status, func(f templates.Frame) templ.Component {
		text := t.snapshot.Text(t.product, f.Language())
		page := templates.ConfirmPage{
			Frame: f, Key: say.key, Trail: trail(f, t), Product: text.DisplayText, Tax: taxText(f.Locale, offer.TaxName, offer.TaxRate),
			Validity: validity(f.Locale, offer.Validity), Redeem: redeemText(f.Locale, t.product),
			Price: offer.Price, Total: offer.Price, Changed: say.changed, Same: say.same, Blocked: say.blocked, Problem: say.problem,
		}
		page.Hidden = append(t.want.fields(), templates.HiddenField{Name: "shown", Value: offer.Price.String()})
		if !offer.Receive.IsZero() && t.product.Addressed() {
			page.Receive = &offer.Receive
			if offer.ReceiveExTax != offer.Receive && !offer.ReceiveExTax.IsZero() {
				page.ReceiveNet = &offer.ReceiveExTax
			}
		}
		if !offer.Cost.CustomerFee.IsZero() {
			page.Fee = &offer.Cost.CustomerFee
		}
		for _, d := range t.product.Settings {
			if value := t.want.setting(d.Name); value != "" {
				page.Settings = append(page.Settings, templates.Line{Name: d.Description, Value: value})
			}
		}
		return templates.Confirm(page)
	})
}

// taxText writes a tax, "" if the provider says none.
func taxText(l locale.Locale, name, rate string) string {
	exact, err := money.Rate(rate)
	if err != nil || exact.IsZero() {
		return ""
	}
	percent := exact.Shift(2).String()
	return strings.TrimSpace(l.Text("confirm.taxRate", name, percent))
}

func redeemText(l locale.Locale, p *catalog.Product) string {
	switch p.Redemption {
	case "ReadReceipt":
		return l.Text("confirm.redeemReceipt")
	case "ReadAdditionalInformation":
		return p.AdditionalInformation // in one language, as the provider wrote it
	}
	return ""
}

// sell is POST /sales.
func (s *Server) sell(c *gin.Context) error {
	snapshot := s.d.Catalog.Current()
	t, a, err := s.targetOf(c, snapshot)
	if err != nil {
		return err
	}
	offer, _, err := s.offerNow(c, t, a)
	if err != nil {
		return err
	}
	shift, err := s.openShift(c)
	if err != nil {
		return err
	}
	p := present(c)
	seller := sales.Seller{CashierID: p.User.ID, ShopID: p.Shop.ID, TillID: p.Till.ID, Language: s.localeOf(c.Request).Language(), Currency: p.Shop.Currency}
	if shift != nil {
		seller.ShiftID = shift.ID
	}
	order := sales.Order{
		Key: c.PostForm("key"), AccountNumber: accountNumber(t), Settings: t.want.settings, BillRef: t.want.bill,
		Shown: shownPrice(c.PostForm("shown"), offer.Price), Again: c.PostForm("another") != "", Override: p.User.Can(staff.Override) && c.PostForm("another") != "",
	}
	sale, created, err := s.d.Sales.Sell(c.Request.Context(), seller, order, offer)
	if err != nil {
		return s.refuseSale(c, t, offer, order, err)
	}
	if created {
		s.d.Sales.Dispatch(sale)
	}
	return redirect(c, "/sales/"+sale.ID)
}

// targetOf reads what is to be sold out of the confirmed form. Whatever does
// not stand in the catalogue any more is refused.
func (s *Server) targetOf(c *gin.Context, snapshot *catalog.Snapshot) (target, answers, error) {
	w := readWant(c)
	number, err := catalog.ParseNumber(w.number, present(c).Shop.Country)
	if err != nil {
		return target{}, answers{}, err
	}
	t := target{snapshot: snapshot, number: number, want: w}
	var known, sold bool
	t.provider, known = snapshot.Provider(w.provider)
	t.product, sold = snapshot.Product(w.sku)
	if !known || !sold || t.product.Provider != t.provider.Code || t.product.Unsellable != "" {
		return t, answers{}, fault.New(fault.NotFound, "This product is no longer sold. Nothing was charged. Look the number up again.")
	}
	a := readAnswers(s.localeOf(c.Request), t)
	if !a.right() {
		return t, a, fault.New(fault.Invalid, "The amount or a detail of this product is not right. Nothing was charged. Go back and check it.")
	}
	return t, a, nil
}

// accountNumber is what the upstream is told: digits in the form that the
// provider takes, and its own default for PINs and vouchers.
func accountNumber(t target) string {
	if !t.product.Addressed() {
		return apiclient.DefaultPINAccountNumber
	}
	for _, form := range t.number.Forms() {
		if t.snapshot.Accepts(t.provider, form) == catalog.Matches {
			return form
		}
	}
	return t.number.Digits
}

// shownPrice is the price that the page showed. It is compared, never charged.
func shownPrice(text string, now money.Amount) money.Amount {
	digits, currency, _ := strings.Cut(text, " ")
	shown, err := money.Parse(digits, money.Currency(currency))
	if err != nil {
		return money.Of(0, now.Currency())
	}
	return shown
}

// refuseSale shows the confirm page again where the cashier has something to
// decide. Nothing was sold, and the form keeps its key.
func (s *Server) refuseSale(c *gin.Context, t target, offer sales.Offer, order sales.Order, err error) error {
	say := confirmation{key: order.Key}
	l := s.localeOf(c.Request)
	var changed *sales.ChangedError
	var duplicate *sales.DuplicateError
	var unknown *sales.UnknownError
	switch {
	case errors.As(err, &changed):
		say.changed = &order.Shown
	case errors.As(err, &duplicate):
		var lookErr error
		if say.same, lookErr = s.sameText(c, l, duplicate.Earlier); lookErr != nil {
			return lookErr
		}
	case errors.As(err, &unknown):
		say.blocked = l.Text("confirm.stillOpen", l.Time(unknown.Earlier.RecordedAt))
	case fault.KindOf(err) == fault.Invalid, fault.KindOf(err) == fault.Unavailable:
		say.blocked = fault.Message(err)
	default:
		return err
	}
	return s.showConfirm(c, http.StatusConflict, t, offer, say)
}

// sameText says what was sold before: "A 10.00 top-up to this number was sent
// at 14:02 from till 2."
func (s *Server) sameText(c *gin.Context, l locale.Locale, earlier sales.Sale) (string, error) {
	till, err := s.d.Staff.Till(c.Request.Context(), earlier.TillID)
	if err != nil {
		return "", err
	}
	return l.Text("confirm.same", earlier.ProductText, l.Time(earlier.RecordedAt), till.Name), nil
}
