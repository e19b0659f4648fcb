package counter

import (
	"cmp"
	"errors"
	"net/http"
	"strings"

	"airtill/internal/limit"

	"github.com/gin-gonic/gin"

	"airtill/internal/approval"
	"airtill/internal/counter"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/web/frame"
	"airtill/web/templates"
)

// Sell is POST /sales. A form that was sold before leads to its sale, even if it could not be sold now: the answer to
// the first press may have been lost.
func (s *Screens) Sell(c *gin.Context) error {
	ctx, w := c.Request.Context(), s.ReadWant(c).Confirmed()
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
		case onPage(err):
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

// onPage says whether the cashier can mend what is wrong on the confirm page.
func onPage(err error) bool {
	field := fault.FieldOf(err)
	return field == "cash" || field == "practice"
}

// offer is what the confirm page's form says to a fresh quote.
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
		Practice: c.PostForm("practice") != "",
	}
	if !q.About {
		said.Receive = shownReceive(c)
	}
	if offer, err := q.Offer(said); err != nil { // before the cash is read or a manager's PIN is tried
		return q, offer, err
	}
	if said.Given, err = s.cashGiven(c, price.Currency()); err != nil {
		return q, counter.Offer{}, err
	}
	said.Approver = s.Approver(c, approval.Sale, aboutOffer(q))
	offer, err := q.Offer(said)
	return q, offer, err
}

// aboutOffer is what an approver is told of a sale that is not made yet.
func aboutOffer(q *counter.Quote) frame.Question {
	return func(*gin.Context) (approval.Act, string, error) {
		summary := q.Terms.ProductText + " · " + frame.Masked(q.Number.Digits) + " · " + q.Terms.Price.String()
		return approval.Sale, summary, nil
	}
}

// seller is who sells here; the shift is looked up where it is needed.
func (s *Screens) seller(c *gin.Context) counter.Seller {
	p := frame.Present(c)
	day, _ := frame.BusinessDay(s.D.Now(), p.Shop.Location())
	return counter.Seller{
		CashierID: p.User.ID, Username: p.User.Username, Role: string(p.User.Role), ShopID: p.Shop.ID,
		TillID:  p.Till.ID,
		Country: p.Shop.Country, Zone: p.Shop.Location(), Language: frame.CustomerLanguage(c),
		Currency: p.Shop.Currency, Day: day,
	}
}

// cashGiven is what the customer handed over (field cash); zero: nothing was typed, so exactly the price.
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
	shown, err := money.Read(text)
	if err != nil {
		return money.Of(0, now.Currency())
	}
	return shown
}

// shownReceive is what the page said is received; zero: it said nothing, or only about how much.
func shownReceive(c *gin.Context) money.Amount {
	shown, _ := money.Read(c.PostForm("receives")) // zero of what is no amount
	return shown
}

// refuseSale shows the confirm page again if the cashier has something to decide. Nothing was sold, and the form has
// the same key.
func (s *Screens) refuseSale(c *gin.Context, w frame.Want, q *counter.Quote, err error) error {
	l, page := s.LocaleOf(c.Request), templates.ConfirmPage{Key: c.PostForm("key"), Cash: c.PostForm("cash")}
	status := http.StatusConflict
	if q.Stopped != nil {
		page.Blocked = frame.StopText(l, q.Stopped, s.D.Now()) // no provider is to blame
	} else if changed, ok := errors.AsType[*sales.ChangedError](err); ok {
		if shown := shownPrice(c.PostForm("shown"), changed.Price); shown != changed.Price {
			page.Changed = &shown
		}
		if shown := shownReceive(c); !shown.IsZero() && !q.About && shown != q.Terms.Receive {
			page.Received = &shown
		}
	} else if onPage(err) {
		page.Problem, status = l.Fault(err), http.StatusUnprocessableEntity
	} else if err := s.sayRefusal(c, &page, err); err != nil {
		return err
	}
	return s.showConfirm(c, status, w, q, page)
}

// beforeCash is what to advise in place of what speaks of cash, while none was taken yet.
var beforeCash = map[frame.Advice]frame.Advice{
	frame.AdviceOtherProduct: "confirm.otherProduct",
	frame.AdviceLater:        "confirm.later",
	frame.AdviceAgain:        "confirm.later",
}

// sayRefusal says why a sale is not made as it stands. It returns the error if the cashier cannot decide anything about
// it.
func (s *Screens) sayRefusal(c *gin.Context, page *templates.ConfirmPage, err error) error {
	l := s.LocaleOf(c.Request)
	var duplicate *sales.DuplicateError
	var unknown *sales.UnknownError
	var reached *limit.Error
	var refused *sales.RefusedError
	page.Approvable = sales.Approvable(err) != ""
	switch {
	case err == nil:
	case errors.As(err, &duplicate):
		page.Same, err = s.SameText(c, duplicate.Earlier)
		return err
	case errors.As(err, &unknown):
		page.Blocked = l.Text("confirm.stillOpen", l.At(unknown.Earlier.RecordedAt, s.D.Now()))
	case errors.As(err, &reached):
		page.Blocked = frame.LimitText(l, reached)
	case errors.As(err, &refused):
		reason, advice := frame.ReasonOf(l, refused.Refused)
		advice = cmp.Or(beforeCash[advice], advice)
		page.Blocked = strings.TrimSpace(reason + " " + l.Text(string(advice)))
	case fault.KindOf(err) == fault.Invalid, fault.KindOf(err) == fault.Unavailable:
		page.Blocked = l.Fault(err)
	default:
		return err
	}
	return nil
}
