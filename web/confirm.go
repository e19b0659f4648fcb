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
	"airtill/internal/counter"
	"airtill/internal/fault"
	"airtill/internal/limit"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/locale"
	"airtill/web/templates"
)

// ask is what a form says of a sale.
func (s *Server) ask(c *gin.Context, w want) counter.Ask {
	return counter.Ask{
		Seller: s.seller(c), Number: w.number, Provider: w.provider, SKU: w.sku, Pay: w.pay, Receive: w.receive, Send: w.send,
		Bill: w.bill, Settings: w.settings, Confirmed: w.step == stepConfirm, Practice: s.practising(c),
		Amount: s.localeOf(c.Request).ParseAmount,
	}
}

// preview shows what a sale comes to, or asks for what is missing.
func (s *Server) preview(c *gin.Context, w want) error {
	key := s.formKey(c.Query("key"))
	q, err := s.d.Counter.Preview(c.Request.Context(), s.ask(c, w), key)
	if err != nil {
		return err
	}
	w.settings = q.Ask.Settings
	if !q.Ready() {
		return s.showDetails(c, w, q)
	}
	say := confirmation{key: key}
	if !q.Up {
		l := s.localeOf(c.Request)
		say.blocked = cmp.Or(stopText(l, q.Stopped), l.Text("confirm.providerDown", q.Provider.Name))
	} else if err := s.sayRefusal(c, &say, q.Stop); err != nil {
		return err
	}
	return s.showConfirm(c, http.StatusOK, w, q, say)
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
	changed *money.Amount // the price the page showed before
	same    string
	blocked string
	allow   bool   // a manager may allow what blocks it
	cash    string // handed over, as typed
	problem string
}

func (s *Server) showConfirm(c *gin.Context, status int, w want, q *counter.Quote, say confirmation) error {
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
		offer := q.Terms
		page := templates.ConfirmPage{
			Frame: f, Key: say.key, Trail: trail(f, quoted(w, q)), Product: q.Snapshot.Text(q.Product, f.Language()).DisplayText,
			Tax: taxText(f.Locale, offer.TaxName, offer.TaxRate), Validity: validity(f.Locale, offer.Validity), Redeem: redeemText(f.Locale, q.Product),
			Price: offer.Price, Total: offer.Price, CustomerLanguage: customerLanguage(c), Nearest: nearestText(f.Locale, q), About: q.About,
			Changed: say.changed, Same: say.same, Blocked: say.blocked, Problem: say.problem,
			Test: q.Test, Unchecked: q.Unchecked, Cash: say.cash, Approvable: say.allow, Approve: approve, MayApprove: present(c).User.Can(staff.Override),
			SKU: offer.SKUCode, MayPin: present(c).User.Can(staff.PinProducts), Favourite: slices.Contains(pinned, offer.SKUCode), Here: w.confirmed().url(),
		}
		settled := w // the form sells what the page shows, whatever a rate or a rule becomes until it is sent
		if q.Range() {
			settled.send = offer.Cost.Send.Decimal(0)
		}
		page.Hidden = append(settled.fields(), templates.HiddenField{Name: "shown", Value: offer.Price.String()})
		if !offer.Receive.IsZero() && q.Product.Addressed() {
			page.Receive = &offer.Receive
			if offer.ReceiveExTax != offer.Receive && !offer.ReceiveExTax.IsZero() {
				page.ReceiveNet = &offer.ReceiveExTax
			}
		}
		if !q.OldRate.IsZero() {
			page.OldRate = f.Text("confirm.oldRate", f.Date(q.OldRate))
		}
		if !offer.Cost.CustomerFee.IsZero() {
			page.Fee = &offer.Cost.CustomerFee
		}
		page.Settings, page.ToRead = settingLines(q)
		if q.Bill != nil {
			page.Settings = append(page.Settings, billLines(*q.Bill)...)
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

// sell is POST /sales. A form that was sold before is its sale, whatever stands in
// the way of selling it now: the answer to the first press may have been lost.
func (s *Server) sell(c *gin.Context) error {
	ctx, w := c.Request.Context(), readWant(c).confirmed()
	q, offer, err := s.offer(c, w)
	if err != nil {
		earlier, lookErr := s.d.Sales.SoldAs(ctx, c.PostForm("key"))
		switch {
		case lookErr != nil:
			return lookErr
		case earlier != "":
			return redirect(c, "/sales/"+earlier)
		case errors.Is(err, counter.ErrNoBill):
			return s.preview(c, w)
		case fault.FieldOf(err) == "cash":
			return s.refuseSale(c, w, q, err)
		}
		return err
	}
	sale, created, err := s.d.Sales.Sell(ctx, offer)
	if err != nil {
		return s.refuseSale(c, w, q, err)
	}
	if created {
		s.d.Sales.Dispatch(sale)
		s.d.Counter.Spend(ctx, q)
	}
	return redirect(c, "/sales/"+sale.ID)
}

// offer is what the confirm page's form says to a quote of now.
func (s *Server) offer(c *gin.Context, w want) (*counter.Quote, counter.Offer, error) {
	shift, err := s.openShift(c)
	if err != nil {
		return nil, counter.Offer{}, err
	}
	ask := s.ask(c, w)
	if shift != nil {
		ask.Seller.ShiftID = shift.ID
	}
	q, err := s.d.Counter.Quote(c.Request.Context(), ask)
	if err != nil {
		return nil, counter.Offer{}, err
	}
	price := q.Terms.Price
	said := counter.Confirmation{
		Key: c.PostForm("key"), Shown: shownPrice(c.PostForm("shown"), price), Again: c.PostForm("another") != "",
	}
	if offer, err := q.Offer(said); err != nil { // before the cash is read, or a manager's PIN tried
		return q, offer, err
	}
	if said.Given, err = s.cashGiven(c, price.Currency()); err != nil {
		return q, counter.Offer{}, err
	}
	said.Approver = s.approver(c, approval.Sale, aboutOffer(q))
	offer, err := q.Offer(said)
	return q, offer, err
}

// aboutOffer is what an approver is asked of a sale that is not made yet.
func aboutOffer(q *counter.Quote) question {
	return func(*gin.Context) (approval.Act, string, error) {
		return approval.Sale, q.Terms.ProductText + " · " + masked(q.Number.Digits) + " · " + q.Terms.Price.String(), nil
	}
}

// seller is who sells here; the shift is looked up where it is needed.
func (s *Server) seller(c *gin.Context) counter.Seller {
	p := present(c)
	day, _ := businessDay(s.d.Now(), p.Shop.Location())
	return counter.Seller{
		CashierID: p.User.ID, Username: p.User.Username, Role: string(p.User.Role), ShopID: p.Shop.ID, TillID: p.Till.ID,
		Country: p.Shop.Country, Zone: p.Shop.Location(), Language: customerLanguage(c), Currency: p.Shop.Currency, Day: day,
	}
}

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
func (s *Server) refuseSale(c *gin.Context, w want, q *counter.Quote, err error) error {
	l, say := s.localeOf(c.Request), confirmation{key: c.PostForm("key"), cash: c.PostForm("cash")}
	var changed *sales.ChangedError
	status := http.StatusConflict
	if q.Stopped != nil {
		say.blocked = stopText(l, q.Stopped) // no provider is to blame
	} else if errors.As(err, &changed) {
		shown := shownPrice(c.PostForm("shown"), changed.Price)
		say.changed = &shown
	} else if fault.FieldOf(err) == "cash" {
		say.problem, status = l.Fault(err), http.StatusUnprocessableEntity
	} else if err := s.sayRefusal(c, &say, err); err != nil {
		return err
	}
	return s.showConfirm(c, status, w, q, say)
}

// sayRefusal puts into words why a sale is not made as it stands. It returns
// the error if a cashier can decide nothing about it.
func (s *Server) sayRefusal(c *gin.Context, say *confirmation, err error) error {
	l := s.localeOf(c.Request)
	var duplicate *sales.DuplicateError
	var unknown *sales.UnknownError
	var reached *limit.Error
	var refused *sales.RefusedError
	say.allow = sales.Approvable(err) != ""
	switch {
	case err == nil:
	case errors.As(err, &duplicate):
		say.same, err = s.sameText(c, l, duplicate.Earlier)
		return err
	case errors.As(err, &unknown):
		say.blocked = l.Text("confirm.stillOpen", l.Time(unknown.Earlier.RecordedAt))
	case errors.As(err, &reached):
		say.blocked = limitText(l, reached)
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
