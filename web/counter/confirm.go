package counter

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"airtill/internal/limit"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/approval"
	"airtill/internal/catalog"
	"airtill/internal/counter"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// ask is what a form says of a sale.
func (s *Screens) ask(c *gin.Context, w frame.Want) counter.Ask {
	return counter.Ask{
		Seller: s.seller(c), Number: w.Number, Provider: w.Provider, SKU: w.Sku, Pay: w.Pay, Receive: w.Receive, Send: w.Send,
		Bill: w.Bill, Settings: w.Settings, Confirmed: w.Step == frame.StepConfirm, Practice: s.Practising(c),
		Amount: s.LocaleOf(c.Request).ParseAmount,
	}
}

// preview shows what a sale comes to, or asks for what is missing.
func (s *Screens) preview(c *gin.Context, w frame.Want) error {
	key := s.FormKey(c.Query("key"))
	q, err := s.D.Counter.Preview(c.Request.Context(), s.ask(c, w), key)
	if err != nil {
		return err
	}
	w.Settings = q.Ask.Settings
	if !q.Ready() {
		return s.showDetails(c, w, q)
	}
	say := confirmation{key: key}
	if !q.Up {
		l := s.LocaleOf(c.Request)
		say.blocked = cmp.Or(frame.StopText(l, q.Stopped), l.Text("confirm.providerDown", q.Provider.Name))
	} else if err := s.sayRefusal(c, &say, q.Stop); err != nil {
		return err
	}
	return s.showConfirm(c, http.StatusOK, w, q, say)
}

// Resume is where to go on when a session ended under a filled-in form, "" if
// there is nothing to go on with: the confirm page of the same sale with the
// key it had, so that nothing is typed or sold twice.
func Resume(c *gin.Context) string {
	w := frame.ReadWant(c)
	if w.Number == "" || w.Sku == "" {
		return ""
	}
	next := w.Confirmed().URL()
	if key := c.PostForm("key"); frame.IsKey(key) {
		next += "&key=" + key
	}
	return next
}

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

func (s *Screens) showConfirm(c *gin.Context, status int, w frame.Want, q *counter.Quote, say confirmation) error {
	pinned, err := s.D.Catalog.Favourites(c.Request.Context(), frame.Present(c).Shop.ID)
	if err != nil {
		return err
	}
	var approve *templates.Approve
	if say.allow {
		if approve, err = s.ApproveForm(c); err != nil {
			return err
		}
	}
	return s.Show(c, status, func(f templates.Frame) templ.Component {
		offer := q.Terms
		page := templates.ConfirmPage{
			Frame: f, Key: say.key, Trail: trail(f, quoted(w, q)), Product: q.Snapshot.Text(q.Product, f.Language()).DisplayText,
			Tax: frame.TaxText(f.Locale, offer.TaxName, offer.TaxRate), Validity: frame.Validity(f.Locale, offer.Validity), Redeem: redeemText(f.Locale, q.Product),
			Price: offer.Price, Total: offer.Price, CustomerLanguage: frame.CustomerLanguage(c), Nearest: nearestText(f.Locale, q), About: q.About,
			Changed: say.changed, Same: say.same, Blocked: say.blocked, Problem: say.problem,
			Test: q.Test, Unchecked: q.Unchecked, Cash: say.cash, Approvable: say.allow, Approve: approve, MayApprove: frame.Present(c).User.Can(staff.Override),
			SKU: offer.SKUCode, MayPin: frame.Present(c).User.Can(staff.PinProducts), Favourite: slices.Contains(pinned, offer.SKUCode), Here: w.Confirmed().URL(),
		}
		settled := w // the form sells what the page shows, whatever a rate or a rule becomes until it is sent
		if q.Range() {
			settled.Send = offer.Cost.Send.Decimal(0)
		}
		page.Hidden = append(settled.Fields(), templates.HiddenField{Name: "shown", Value: offer.Price.String()})
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

func redeemText(l locale.Locale, p *catalog.Product) string {
	switch p.Redemption {
	case "ReadReceipt":
		return l.Text("confirm.redeemReceipt")
	case "ReadAdditionalInformation":
		return p.AdditionalInformation // in one language, as the provider wrote it
	}
	return ""
}

// Sell is POST /sales. A form that was sold before is its sale, whatever stands in
// the way of selling it now: the answer to the first press may have been lost.
func (s *Screens) Sell(c *gin.Context) error {
	ctx, w := c.Request.Context(), frame.ReadWant(c).Confirmed()
	q, offer, err := s.offer(c, w)
	if err != nil {
		earlier, lookErr := s.D.Sales.SoldAs(ctx, c.PostForm("key"))
		switch {
		case lookErr != nil:
			return lookErr
		case earlier != "":
			return frame.Redirect(c, "/sales/"+earlier)
		case errors.Is(err, counter.ErrNoBill):
			return s.preview(c, w)
		case fault.FieldOf(err) == "cash":
			return s.refuseSale(c, w, q, err)
		}
		return err
	}
	sale, created, err := s.D.Sales.Sell(ctx, offer)
	if err != nil {
		return s.refuseSale(c, w, q, err)
	}
	if created {
		s.D.Sales.DispatchSoon(ctx, sale)
		s.D.Counter.Spend(ctx, q)
	}
	return frame.Redirect(c, "/sales/"+sale.ID)
}

// offer is what the confirm page's form says to a quote of now.
func (s *Screens) offer(c *gin.Context, w frame.Want) (*counter.Quote, counter.Offer, error) {
	shift, err := s.OpenShift(c)
	if err != nil {
		return nil, counter.Offer{}, err
	}
	ask := s.ask(c, w)
	if shift != nil {
		ask.Seller.ShiftID = shift.ID
	}
	q, err := s.D.Counter.Quote(c.Request.Context(), ask)
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
	said.Approver = s.Approver(c, approval.Sale, aboutOffer(q))
	offer, err := q.Offer(said)
	return q, offer, err
}

// aboutOffer is what an approver is asked of a sale that is not made yet.
func aboutOffer(q *counter.Quote) frame.Question {
	return func(*gin.Context) (approval.Act, string, error) {
		return approval.Sale, q.Terms.ProductText + " · " + frame.Masked(q.Number.Digits) + " · " + q.Terms.Price.String(), nil
	}
}

// seller is who sells here; the shift is looked up where it is needed.
func (s *Screens) seller(c *gin.Context) counter.Seller {
	p := frame.Present(c)
	day, _ := frame.BusinessDay(s.D.Now(), p.Shop.Location())
	return counter.Seller{
		CashierID: p.User.ID, Username: p.User.Username, Role: string(p.User.Role), ShopID: p.Shop.ID, TillID: p.Till.ID,
		Country: p.Shop.Country, Zone: p.Shop.Location(), Language: frame.CustomerLanguage(c), Currency: p.Shop.Currency, Day: day,
	}
}

// cashGiven is what the customer handed over (field cash), as typed; the zero
// amount if nothing is: exactly the price.
func (s *Screens) cashGiven(c *gin.Context, currency money.Currency) (money.Amount, error) {
	typed := strings.TrimSpace(c.PostForm("cash"))
	if typed == "" {
		return money.Of(0, currency), nil
	}
	given, err := s.LocaleOf(c.Request).ParseAmount(typed, currency)
	if err != nil {
		err = fault.Worded("cash", s.LocaleOf(c.Request).Fault(err))
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
func (s *Screens) refuseSale(c *gin.Context, w frame.Want, q *counter.Quote, err error) error {
	l, say := s.LocaleOf(c.Request), confirmation{key: c.PostForm("key"), cash: c.PostForm("cash")}
	var changed *sales.ChangedError
	status := http.StatusConflict
	if q.Stopped != nil {
		say.blocked = frame.StopText(l, q.Stopped) // no provider is to blame
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
func (s *Screens) sayRefusal(c *gin.Context, say *confirmation, err error) error {
	l := s.LocaleOf(c.Request)
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
		say.blocked = frame.LimitText(l, reached)
	case errors.As(err, &refused):
		reason, advice := frame.ReasonOf(l, refused.Refused)
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
func (s *Screens) sameText(c *gin.Context, l locale.Locale, earlier sales.Sale) (string, error) {
	till, err := s.D.Staff.Till(c.Request.Context(), earlier.TillID)
	if err != nil {
		return "", err
	}
	if !earlier.Addressed() {
		return l.Text("confirm.samePIN", earlier.ProductText, l.Time(earlier.RecordedAt), till.Name), nil
	}
	return l.Text("confirm.same", earlier.ProductText, l.Time(earlier.RecordedAt), till.Name), nil
}
