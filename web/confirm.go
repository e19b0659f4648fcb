package web

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/approval"
	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/locale"
	"airtill/web/templates"
)

// offerNow prices a target as it stands now. Nothing of it comes from the form
// but the typed amount.
//
// What is received within a range is priced anew, by the amount to pay, whichever of the two
// was typed: what was shown while one typed is what is charged.
func (s *Server) offerNow(c *gin.Context, t target, a *answers) (sales.Offer, error) {
	if err := s.priced(c, t, a, false); err != nil {
		return sales.Offer{}, err
	}
	price := a.price
	retail, err := t.retail(t.product, price)
	if err != nil {
		return sales.Offer{}, err
	}
	p := t.product
	offer := sales.Offer{
		CountryISO: t.provider.Country, ProviderCode: t.provider.Code, ProviderName: t.provider.Name, CustomerCare: t.provider.CustomerCareNumber,
		SKUCode: p.SKU, ProductText: t.snapshot.Text(p, customerLanguage(c)).DisplayText, Kind: string(p.Kind),
		ProcessingMode: p.ProcessingMode, Redemption: p.Redemption, Validity: p.Validity,
		Cost:    ledger.Cost{Send: price.Send(), CustomerFee: price.CustomerFee(), DistributorFee: price.DistributorFee()},
		Receive: price.Receive(), ReceiveExTax: price.ReceiveExcludingTax(),
		TaxRate: price.TaxRate, TaxName: price.TaxName, TaxCalculation: price.TaxCalculation, CommissionRate: p.CommissionRate,
		Price: retail, NeedsBill: p.LookupBillsRequired, TestNumber: p.UATNumber,
		ProviderUp: s.d.Catalog.CheckProvider(c.Request.Context(), t.provider.Code).Processing && s.stopped(s.localeOf(c.Request)) == "",
	}
	if a.bill != nil {
		offer.BillRef, offer.BillExpired = a.bill.Ref, s.expired(a.bill)
	}
	for _, d := range p.Settings {
		if d.Mandatory {
			offer.Mandatory = append(offer.Mandatory, d.Name)
		}
	}
	return offer, nil
}

// priced has the upstream price an amount within a range; a fixed product has the
// catalogue's price, and a bill its own.
func (s *Server) priced(c *gin.Context, t target, a *answers, typing bool) (err error) {
	if a.bill == nil && !t.product.Fixed() {
		a.price, a.about, err = s.d.Catalog.PriceOf(c.Request.Context(), t.product, a.price.Send(), typing)
	}
	return err
}

// confirm is GET /counter with everything settled.
func (s *Server) confirm(c *gin.Context, t target, a answers) error {
	offer, err := s.offerNow(c, t, &a)
	if fault.KindOf(err) == fault.Invalid {
		a.payProblem = s.localeOf(c.Request).Fault(err)
		return s.showDetails(c, http.StatusUnprocessableEntity, t, a)
	}
	if err != nil {
		return err
	}
	say := confirmation{key: s.formKey(c.Query("key")), bill: a.billLines(), nearest: a.nearest(s.localeOf(c.Request), offer.Price), about: a.about}
	if !offer.ProviderUp {
		l := s.localeOf(c.Request)
		say.blocked = cmp.Or(s.stopped(l), l.Text("confirm.providerDown", t.provider.Name))
		return s.showConfirm(c, http.StatusOK, t, offer, say)
	}
	// What Sell would ask about is asked before the cash is counted. An open
	// page that was sold meanwhile is asked again by Sell.
	number, err := s.orderNumber(c, t)
	if err != nil {
		return err
	}
	say.test = s.isTest(c, number, offer)
	order := sales.Order{Key: say.key, AccountNumber: number, Settings: t.settings(), BillRef: offer.BillRef, Shown: offer.Price}
	stop := s.d.Sales.Check(c.Request.Context(), s.seller(c), order, offer)
	if err := s.sayRefusal(c, &say, stop); err != nil {
		return err
	}
	if say.blocked == "" {
		if err := s.validate(c, &say, order, offer); err != nil {
			return err
		}
	}
	return s.showConfirm(c, http.StatusOK, t, offer, say)
}

// validate has the provider check the number where it can, and says what it
// found. Without an answer the sale goes on, and the page says so.
func (s *Server) validate(c *gin.Context, say *confirmation, order sales.Order, offer sales.Offer) error {
	got, err := s.d.Sales.Validate(c.Request.Context(), order, offer)
	if err != nil {
		return err
	}
	if say.unchecked = got.Supported && !got.Checked; got.Refused != nil {
		return s.sayRefusal(c, say, &sales.RefusedError{Refused: *got.Refused})
	}
	return nil
}

// formKey is the key that a page was rendered with before, when a session ended
// under it; a new one if there is none.
func (s *Server) formKey(given string) string {
	if isKey(given) {
		return given
	}
	return s.newKey()
}

const keyLength = 26

func isKey(text string) bool {
	return len(text) == keyLength && strings.Trim(text, "0123456789ABCDEFGHJKMNPQRSTVWXYZ") == ""
}

// resume is where to go on when a session ended under a filled-in form, "" if
// there is nothing to go on with: the confirm page of the same sale with the
// key it had, so that nothing is typed or sold twice.
func resume(c *gin.Context) string {
	w := readWant(c)
	if w.number == "" || w.sku == "" {
		return ""
	}
	next := w.confirmed().url()
	if key := c.PostForm("key"); isKey(key) {
		next += "&key=" + key
	}
	return next
}

// newKey mints the idempotency key of a form: the browser has a name for the
// sale before the button exists.
// It tells when, so that a form that is older than a restored till is known.
func (s *Server) newKey() string { return store.NewID(s.d.Now()) }

// confirmation is what a confirm page says beside the sale itself.
type confirmation struct {
	key     string
	bill    []templates.Line // the bill that is paid
	nearest string           // that it is not what was asked for, but the nearest there is
	about   bool             // received is our own figure
	changed *money.Amount    // the price the page showed before
	same    string
	blocked string
	allow   bool // a manager may allow what blocks it

	test      bool   // to a test number, and not to practise
	unchecked bool   // the provider could not check the number in time
	cash      string // handed over, as typed
	problem   string
}

func (s *Server) showConfirm(c *gin.Context, status int, t target, offer sales.Offer, say confirmation) error {
	pinned, err := s.d.Catalog.Favourites(c.Request.Context(), present(c).Shop.ID)
	if err != nil {
		return err
	}
	var approve *templates.Approve
	if say.allow {
		if approve, err = s.approveForm(c); err != nil {
			return err
		}
	}
	return s.show(c, status, func(f templates.Frame) templ.Component {
		text := t.snapshot.Text(t.product, f.Language())
		page := templates.ConfirmPage{
			Frame: f, Key: say.key, Trail: trail(f, t), Product: text.DisplayText, Tax: taxText(f.Locale, offer.TaxName, offer.TaxRate),
			Validity: validity(f.Locale, offer.Validity), Redeem: redeemText(f.Locale, t.product),
			Price: offer.Price, Total: offer.Price, CustomerLanguage: customerLanguage(c), Nearest: say.nearest, About: say.about,
			Changed: say.changed, Same: say.same, Blocked: say.blocked, Problem: say.problem,
			Test: say.test, Unchecked: say.unchecked, Cash: say.cash, Approvable: say.allow, Approve: approve, MayApprove: present(c).User.Can(staff.Override),
			SKU: t.product.SKU, MayPin: present(c).User.Can(staff.PinProducts), Favourite: slices.Contains(pinned, t.product.SKU), Here: t.want.confirmed().url(),
		}
		settled := t.want // the form sells what the page shows, whatever a rate or a rule becomes until it is sent
		if !t.product.Fixed() && !t.product.LookupBillsRequired {
			settled.send = offer.Cost.Send.Decimal(0)
		}
		page.Hidden = append(settled.fields(), templates.HiddenField{Name: "shown", Value: offer.Price.String()})
		if !offer.Receive.IsZero() && t.product.Addressed() {
			page.Receive = &offer.Receive
			if offer.ReceiveExTax != offer.Receive && !offer.ReceiveExTax.IsZero() {
				page.ReceiveNet = &offer.ReceiveExTax
			}
		}
		if since, old := t.tariff.OldRate(offer.Cost.Send.Currency()); old {
			page.OldRate = f.Text("confirm.oldRate", f.Date(since))
		}
		if !offer.Cost.CustomerFee.IsZero() {
			page.Fee = &offer.Cost.CustomerFee
		}
		page.Settings, page.ToRead = settingLines(t)
		page.Settings = append(page.Settings, say.bill...)
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

// sell is POST /sales. A form that was sold before is its sale, whatever stands in
// the way of selling it now: the answer to the first press may have been lost.
func (s *Server) sell(c *gin.Context) error {
	f, err := s.readForm(c)
	if err != nil {
		earlier, lookErr := s.d.Sales.SoldAs(c.Request.Context(), c.PostForm("key"))
		switch {
		case lookErr != nil:
			return lookErr
		case earlier != "":
			return redirect(c, "/sales/"+earlier)
		case errors.Is(err, errNoBill):
			return s.offerBills(c, f.target, f.answers, true)
		case fault.FieldOf(err) == "cash":
			return s.refuseSale(c, f, err)
		}
		return err
	}
	sale, created, err := s.d.Sales.Sell(c.Request.Context(), f.seller, f.order, f.offer)
	if err != nil {
		var tooOld *sales.BillExpiredError
		if errors.As(err, &tooOld) {
			return s.offerBills(c, f.target, f.answers, true)
		}
		return s.refuseSale(c, f, err)
	}
	if created {
		s.d.Sales.Dispatch(sale)
		s.spendBills(c, f.target)
	}
	return redirect(c, "/sales/"+sale.ID)
}

// saleForm is the form of the confirm page as it was sent.
type saleForm struct {
	target
	answers answers
	offer   sales.Offer
	seller  sales.Seller
	order   sales.Order
	say     confirmation
}

// errNoBill: which bill is to be paid was not said.
var errNoBill = errors.New("no bill was chosen")

// readForm reads what is to be sold, by the catalogue and the prices of now. The
// form is read as far as the error lets.
func (s *Server) readForm(c *gin.Context) (f saleForm, err error) {
	if f.target, f.answers, err = s.targetOf(c, s.d.Catalog.Current()); err != nil {
		return f, err
	}
	if f.product.LookupBillsRequired && f.answers.bill == nil {
		return f, errNoBill
	}
	if f.offer, err = s.offerNow(c, f.target, &f.answers); err != nil {
		return f, err
	}
	shift, err := s.openShift(c)
	if err != nil {
		return f, err
	}
	f.seller = s.seller(c)
	if shift != nil {
		f.seller.ShiftID = shift.ID
	}
	number, err := s.orderNumber(c, f.target)
	if err != nil {
		return f, err
	}
	f.say = confirmation{
		key: c.PostForm("key"), bill: f.answers.billLines(), nearest: f.answers.nearest(s.localeOf(c.Request), f.offer.Price), about: f.answers.about,
		cash: c.PostForm("cash"),
	}
	f.say.test = s.isTest(c, number, f.offer)
	given, err := s.cashGiven(c, f.offer.Price.Currency())
	f.order = sales.Order{
		Key: f.say.key, AccountNumber: number, Settings: f.settings(), BillRef: f.offer.BillRef,
		Shown: shownPrice(c.PostForm("shown"), f.offer.Price), Given: given, Again: c.PostForm("another") != "", Approver: s.approver(c, approval.Sale),
	}
	return f, err
}

// seller is who sells here; the shift is looked up where it is needed.
func (s *Server) seller(c *gin.Context) sales.Seller {
	p := present(c)
	day, _ := businessDay(s.d.Now(), p.Shop.Location())
	return sales.Seller{
		CashierID: p.User.ID, Username: p.User.Username, Role: string(p.User.Role), ShopID: p.Shop.ID, TillID: p.Till.ID,
		Language: customerLanguage(c), Currency: p.Shop.Currency, Day: day,
	}
}

// targetOf reads what is to be sold out of the confirmed form. Whatever does
// not stand in the catalogue any more is refused.
func (s *Server) targetOf(c *gin.Context, snapshot *catalog.Snapshot) (target, answers, error) {
	w := readWant(c)
	number, err := catalog.ParseNumber(w.number, present(c).Shop.Country)
	if err != nil {
		return target{}, answers{}, err
	}
	tariff, err := s.tariff(c)
	if err != nil {
		return target{}, answers{}, err
	}
	hidden, err := s.hiddenHere(c)
	if err != nil {
		return target{}, answers{}, err
	}
	t := target{snapshot: snapshot, number: number, want: w, tariff: tariff}
	var known, sold bool
	t.provider, known = snapshot.Provider(w.provider)
	t.product, sold = snapshot.Product(w.sku)
	if !known || !sold || t.product.Provider != t.provider.Code || t.product.Unsellable != "" || hidden[w.sku] {
		return t, answers{}, fault.New(fault.NotFound, "product.gone-unsold")
	}
	a, err := readAnswers(s.localeOf(c.Request), t)
	if err != nil {
		return t, a, err
	}
	if !a.right() {
		return t, a, fault.New(fault.Invalid, "product.details")
	}
	if t.product.LookupBillsRequired {
		a, err = s.withBill(c, t, a)
	}
	return t, a, err
}

// accountNumber is what the upstream is told.
func accountNumber(t target) string { return t.snapshot.AccountNumber(t.product, t.number) }

// cashGiven is what the customer handed over (field cash), as typed; the zero
// amount if nothing is: exactly the price.
func (s *Server) cashGiven(c *gin.Context, currency money.Currency) (money.Amount, error) {
	typed := strings.TrimSpace(c.PostForm("cash"))
	if typed == "" {
		return money.Of(0, currency), nil
	}
	given, err := s.localeOf(c.Request).ParseAmount(typed, currency)
	if err != nil {
		err = fault.Worded("cash", s.localeOf(c.Request).Fault(err))
	}
	return given, err
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
func (s *Server) refuseSale(c *gin.Context, f saleForm, err error) error {
	var changed *sales.ChangedError
	if all := s.stopped(s.localeOf(c.Request)); all != "" && !f.offer.ProviderUp {
		f.say.blocked = all // no provider is to blame
	} else if errors.As(err, &changed) {
		f.say.changed = &f.order.Shown
	} else if fault.FieldOf(err) == "cash" {
		f.say.problem = s.localeOf(c.Request).Fault(err)
		return s.showConfirm(c, http.StatusUnprocessableEntity, f.target, f.offer, f.say)
	} else if err := s.sayRefusal(c, &f.say, err); err != nil {
		return err
	}
	return s.showConfirm(c, http.StatusConflict, f.target, f.offer, f.say)
}

// sayRefusal puts into words why a sale is not made as it stands. It returns
// the error if a cashier can decide nothing about it.
func (s *Server) sayRefusal(c *gin.Context, say *confirmation, err error) error {
	l := s.localeOf(c.Request)
	var duplicate *sales.DuplicateError
	var unknown *sales.UnknownError
	var limit *sales.LimitError
	var refused *sales.RefusedError
	say.allow = sales.Approvable(err) != ""
	switch {
	case err == nil:
	case errors.As(err, &duplicate):
		say.same, err = s.sameText(c, l, duplicate.Earlier)
		return err
	case errors.As(err, &unknown):
		say.blocked = l.Text("confirm.stillOpen", l.Time(unknown.Earlier.RecordedAt))
	case errors.As(err, &limit):
		say.blocked = limitText(l, limit)
	case errors.As(err, &refused):
		reason, advice := reasonOf(l, refused.Refused)
		say.blocked = strings.TrimSpace(reason + " " + advice)
	case fault.KindOf(err) == fault.Invalid, fault.KindOf(err) == fault.Unavailable:
		say.blocked = l.Fault(err)
	default:
		return err
	}
	return nil
}

// sameText says what was sold before: "A 10.00 top-up to this number was sent
// at 14:02 from till 2."
func (s *Server) sameText(c *gin.Context, l locale.Locale, earlier sales.Sale) (string, error) {
	till, err := s.d.Staff.Till(c.Request.Context(), earlier.TillID)
	if err != nil {
		return "", err
	}
	if !earlier.Addressed() {
		return l.Text("confirm.samePIN", earlier.ProductText, l.Time(earlier.RecordedAt), till.Name), nil
	}
	return l.Text("confirm.same", earlier.ProductText, l.Time(earlier.RecordedAt), till.Name), nil
}
