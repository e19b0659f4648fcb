package sale

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"airtill/internal/limit"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/approval"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/receipt"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// Sale is GET /sales/{id}.
func (s *Screens) Sale(c *gin.Context) error {
	sale, err := s.SaleOf(c)
	if err != nil {
		return err
	}
	return s.showSale(c, http.StatusOK, sale, "")
}

func (s *Screens) showSale(c *gin.Context, status int, sale sales.Sale, problem string, stopped ...templates.Approval) error {
	outcome, err := s.outcome(c, sale)
	if err != nil {
		return err
	}
	outcome.Problem = problem
	outcome.Approvals = append(outcome.Approvals, stopped...)
	outcome.Asked = c.PostForm("ask")+c.PostForm("approval") != ""
	for _, list := range [][]templates.Approval{outcome.Approvals, outcome.WhileOpen} {
		for i := range list {
			list[i].Reason = c.PostForm("reason")
		}
	}
	if len(outcome.Approvals)+len(outcome.WhileOpen) > 0 {
		if outcome.Approve, err = s.ApproveForm(c); err != nil {
			return err
		}
	}
	return s.Show(c, status, func(f templates.Frame) templ.Component {
		steps := templates.Trail{
			Account: outcome.Facts.Account, AccountURL: "/counter", Operator: outcome.Facts.Operator, Product: sale.ProductText, ProductURL: frame.Repeat(sale).ToProducts().URL(),
		}
		f.Practice = f.Practice || sale.Practice
		return templates.OutcomeOf(templates.OutcomePage{Frame: f, Trail: steps, Sale: outcome})
	})
}

const saleWatchEvery = 2 * time.Second // a hint may be lost: the row is looked at all the same

// SaleEvents is GET /sales/{id}/events: the outcome anew whenever it changes,
// and "done" after the last.
func (s *Screens) SaleEvents(c *gin.Context) error {
	sale, err := s.SaleOf(c)
	if err != nil {
		return err
	}
	hints, cancel := s.D.Bus.Subscribe(sales.Topic(sale.ID))
	defer cancel()
	sent := ""
	return s.Stream(c, saleWatchEvery, []<-chan struct{}{hints}, func(context.Context) (templ.Component, bool, error) {
		if sale, err = s.SaleOf(c); err != nil {
			return nil, false, err
		}
		version := fmt.Sprint(sale.Events, sale.Looks, sale.NextCheckAt)
		if version == sent { // it would differ in the seconds alone, which the page counts itself
			return nil, sale.Fulfilment.Final(), nil
		}
		sent = version
		outcome, err := s.outcome(c, sale)
		return templates.OutcomeRegion(outcome), sale.Fulfilment.Final(), err
	})
}

// outcome is a sale as its page shows it.
func (s *Screens) outcome(c *gin.Context, sale sales.Sale) (templates.Outcome, error) {
	l, now := s.LocaleOf(c.Request), s.D.Now()
	o := templates.Outcome{
		Locale: l, CSRF: s.FormToken(c.Request), ID: sale.ID, State: string(sale.Fulfilment), Total: sale.Price(), Given: sale.Given(), Change: unlessZero(sale.Change()),
		Elapsed: max(0, int(now.Sub(sale.AttemptAt).Seconds())), Code: strings.TrimSpace(sale.ReasonCode + " " + sale.ReasonContext),
	}
	if frame.Present(c).User.Can(staff.Sell) {
		o.NextURL = "/counter"
		if sale.Fulfilment == sales.Complete && sale.BillRef == "" {
			o.AgainURL = frame.Repeat(sale).URL()
		}
		o.CanPrint = sale.Fulfilment == sales.Complete || sale.Fulfilment.Open() || sale.Cash == sales.CashRefunded
	}
	if sale.Fulfilment == sales.Unknown && sale.NextCheckAt != nil {
		o.NextCheck = max(1, int(math.Ceil(sale.NextCheckAt.Sub(now).Seconds())))
	}
	if sale.Fulfilment.Final() && sale.Fulfilment != sales.Complete {
		o.Reason, o.Advice = frame.ReasonOf(l, sale)
	}
	o.Test, o.PrintKey = sale.Practice && !s.Practising(c), s.NewKey()
	s.addActs(c, &o, sale)
	facts, err := s.facts(c, l, sale)
	if err != nil {
		return o, err
	}
	o.Facts = facts
	if err := s.addProduct(c, &o, sale); err != nil {
		return o, err
	}
	prints, err := s.D.Receipts.Prints(c.Request.Context(), sale.ID)
	if err != nil {
		return o, err
	}
	addPrinted(&o, sale, prints)
	if err := s.addReceipt(c, &o, sale); err != nil {
		return o, err
	}
	if o.PIN != nil && !o.PIN.Shown && sale.Cash != sales.CashRefunded {
		o.CanPrint = false // nobody prints a PIN that is not shown to them
	}
	if err := s.addTimeline(c, &o, sale, prints); err != nil {
		return o, err
	}
	o.AutoPrint, err = s.printsItself(c, sale, o.PIN)
	return o, err
}

// addPrinted says so where the last print did not reach the printer: a failed
// print is never a failed sale.
func addPrinted(o *templates.Outcome, sale sales.Sale, prints []receipt.Print) {
	failed := receipt.LastFailed(prints)
	if failed {
		o.Printed = o.Text("receipt.slipNotPrinted")
	}
	if failed && sale.Fulfilment == sales.Complete {
		o.Printed = o.Text("receipt.notPrinted")
	}
}

// addActs says what this user may do with the sale now.
func (s *Screens) addActs(c *gin.Context, o *templates.Outcome, sale sales.Sale) {
	u := frame.Present(c).User
	if sale.Cash == sales.CashRefundDue {
		price := sale.Price()
		o.GiveBack = &price
		o.CanRetry = u.Can(staff.Sell) && sale.ReceivableMicros == 0 && !sale.Stopped
	}
	if early := sale.RetryFrom(s.D.Now()); o.CanRetry && early != nil {
		o.CanRetry = false
		o.Approvals = append(o.Approvals, templates.Approval{
			Act: "retry", Why: o.Text("outcome.retryEarly", o.Time(*early)), Button: o.Text("outcome.retryNow"), May: u.Can(staff.Override),
		})
	}
	if sale.RefundableOpen() && u.Can(staff.Refund) {
		o.WhileOpen = append(o.WhileOpen, templates.Approval{
			Act: "refund", Why: o.Text("outcome.refundUnknown"), Button: o.Text("outcome.refundNow"), May: u.Can(staff.Override),
		})
	}
	o.CanCancel = u.Can(staff.Sell) && (sale.Fulfilment == sales.Recorded || sale.Cancellable())
	if !u.Can(staff.Refund) {
		o.GiveBack = nil
	}
}

func (s *Screens) facts(c *gin.Context, l locale.Locale, sale sales.Sale) (templates.Facts, error) {
	whole, net := sale.Received()
	send := sale.Quoted().Send
	f := templates.Facts{
		At: sale.RecordedAt, Account: frame.AccountText(l, sale), Operator: frame.SoldOperator(s.D.Catalog.Current(), sale), Product: sale.ProductText,
		Send: &send, Receive: unlessZero(whole), Tax: frame.TaxText(l, sale.TaxName, sale.TaxRate), Validity: frame.Validity(l, sale.Validity),
		TransferRef: sale.TransferRef, DistributorRef: sale.Ref, ProviderRef: sale.ProviderRef, BillRef: sale.BillRef, ReceiptCode: receiptNumber(sale), CareNumber: sale.CustomerCare,
		Fee: unlessZero(sale.Quoted().CustomerFee),
	}
	if net != whole {
		f.ReceiveNet = unlessZero(net)
	}
	ctx := c.Request.Context()
	till, err := s.D.Staff.Till(ctx, sale.TillID)
	if err != nil {
		return f, err
	}
	cashier, err := s.D.Staff.User(ctx, sale.CashierID)
	if err != nil {
		return f, err
	}
	f.Till, f.Cashier = till.Name, cashier.DisplayName
	return f, nil
}

// addProduct adds what the catalogue tells of the product today, and for one
// of any amount what was sold of it. A product it has forgotten tells nothing.
func (s *Screens) addProduct(c *gin.Context, o *templates.Outcome, sale sales.Sale) error {
	product, text, err := s.D.Catalog.Find(c.Request.Context(), sale.SKUCode, o.Language())
	switch fault.KindOf(err) {
	case "":
	case fault.NotFound:
		return nil
	default:
		return err
	}
	o.Facts.Description, o.Facts.ReadMore = templates.Prose(text.Description), templates.Prose(text.ReadMore)
	if !product.Fixed() {
		whole, _ := sale.Received()
		o.Sold = o.ShortAmount(whole)
	}
	return nil
}

func unlessZero(a money.Amount) *money.Amount {
	if a.IsZero() {
		return nil
	}
	return &a
}

// addReceipt adds what the provider wrote for the customer. Where that is like
// cash it is shown only to whom it was revealed a moment ago.
func (s *Screens) addReceipt(c *gin.Context, o *templates.Outcome, sale sales.Sale) error {
	if sale.SealedReceipt == "" || sale.Fulfilment != sales.Complete {
		return nil
	}
	receipt, err := s.D.Sales.Receipt(sale)
	if err != nil {
		return err
	}
	if !receipt.Secret {
		o.Facts.ReceiptText = receipt.Text
		return nil
	}
	shown, ever, err := s.D.Sales.Shown(c.Request.Context(), sale.ID, frame.Present(c).User.ID)
	if err != nil {
		return err
	}
	o.PIN = &templates.PIN{Masked: strings.TrimSpace("•••• " + sale.PINHint), AskReason: ever, Reason: c.PostForm("reason"), Redeem: ""}
	if frame.Present(c).User.Can(staff.Sell) {
		o.PIN.RevealURL = "/sales/" + sale.ID + "/reveal"
		o.PIN.ShowNow = !ever && sale.CashierID == frame.Present(c).User.ID && s.justSoldHere(c, sale)
	}
	if o.PIN.Shown = shown; shown {
		o.PIN.Value, o.PIN.Serial, o.PIN.Expiry = cmp.Or(receipt.PIN(), receipt.Params["token"]), receipt.Params["serial"], receipt.Params["expiry"]
		for _, name := range receipt.OtherParams() {
			o.PIN.Others = append(o.PIN.Others, templates.Line{Name: name, Value: receipt.Params[name]})
		}
		o.Facts.ReceiptText = receipt.Text
	}
	return nil
}

// Refund is POST /sales/:id/refund.
func (s *Screens) Refund(c *gin.Context) error {
	return s.act(c, approval.Refund, s.D.Sales.Refund, s.refundOver(c))
}

// Cancel is POST /sales/:id/cancel.
func (s *Screens) Cancel(c *gin.Context) error { return s.act(c, "", s.D.FollowUp.Cancel) }

// Reveal is POST /sales/:id/reveal: the PIN, shown to who may see it.
func (s *Screens) Reveal(c *gin.Context) error {
	return s.act(c, "", func(ctx context.Context, id string, act sales.Act) (sales.Sale, error) {
		return sales.Sale{}, s.D.Sales.Reveal(ctx, id, act)
	})
}

// Retry is POST /sales/:id/retry: another attempt of a sale that failed.
func (s *Screens) Retry(c *gin.Context) error {
	return s.act(c, approval.Retry, func(ctx context.Context, id string, act sales.Act) (sales.Sale, error) {
		sale, err := s.D.Sales.TryAgain(ctx, id, act)
		if err == nil {
			s.D.Sales.Dispatch(sale)
		}
		return sale, err
	})
}

// act does something to a sale. name is what somebody may have to allow, "" for what
// nothing stops; stopped is the form of what only a manager may allow: where
// it was posted with a reason that cannot be read, it comes back with what was typed; an
// open sale has none.
func (s *Screens) act(
	c *gin.Context, name approval.Act, do func(context.Context, string, sales.Act) (sales.Sale, error),
	stopped ...templates.Approval,
) error {
	sale, err := s.SaleOf(c)
	if err != nil {
		return err
	}
	about := aboutSale(name, sale)
	frame.Asks(c, name, about)
	p := frame.Present(c)
	day, _ := frame.BusinessDay(s.D.Now(), p.Shop.Location())
	reason, err := frame.TypedText(c, "reason")
	if err != nil {
		if sale.Fulfilment.Open() {
			stopped = nil
		}
		return s.showSale(c, frame.StatusOf(err), sale, s.LocaleOf(c.Request).Fault(err), stopped...)
	}
	act := sales.Act{Actor: p.Actor(), Day: day, Reason: reason}
	if name != "" {
		act.Approver = s.Approver(c, name, about)
	}
	if p.Till.ID != "" {
		shift, err := s.OpenShift(c)
		if err != nil {
			return err
		}
		if shift != nil {
			act.ShiftID = shift.ID
		}
	}
	_, err = do(c.Request.Context(), sale.ID, act)
	if stop := sales.Approvable(err); stop != "" {
		return s.showStopped(c, sale, err)
	}
	switch fault.KindOf(err) {
	case "":
		return frame.Redirect(c, "/sales/"+sale.ID)
	case fault.Conflict, fault.Invalid, fault.Unavailable:
		return s.showSale(c, frame.StatusOf(err), sale, s.LocaleOf(c.Request).Fault(err))
	default:
		return err
	}
}

// aboutSale is what an approver is asked of a sale.
func aboutSale(act approval.Act, sale sales.Sale) frame.Question {
	if act == approval.Refund && sale.Fulfilment.Open() {
		act = approval.RefundUnknown // whoever allows it must know that
	}
	return func(*gin.Context) (approval.Act, string, error) {
		return act, sale.ProductText + " · " + frame.Masked(sale.AccountNumber) + " · " + sale.Price().String(), nil
	}
}

// showStopped shows the sale with what a manager would have to allow.
func (s *Screens) showStopped(c *gin.Context, sale sales.Sale, err error) error {
	l := s.LocaleOf(c.Request)
	var reached *limit.Error
	if !errors.As(err, &reached) {
		if c.PostForm("ask") != "" {
			return s.showSale(c, http.StatusConflict, sale, "") // the page says who was asked
		}
		return s.showSale(c, http.StatusConflict, sale, l.Text("outcome.managerOnly")) // the page says what a manager may do
	}
	return s.showSale(c, http.StatusConflict, sale, frame.LimitText(l, reached), s.refundOver(c))
}

// refundOver is a refund that only a manager may allow.
func (s *Screens) refundOver(c *gin.Context) templates.Approval {
	l := s.LocaleOf(c.Request)
	return templates.Approval{Act: "refund", Why: l.Text("outcome.refundOver"), Button: l.Text("outcome.refundAllow"), May: frame.Present(c).User.Can(staff.Override)}
}
