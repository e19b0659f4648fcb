// Package sale is what was sold: a sale and what can be done about it, its papers, lists of sales.
package sale

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/receipt"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// Screens are the pages of this room.
type Screens struct{ *frame.Server }

// Of answers with what is told of the sale that the path names, if this user may see it.
func (s *Screens) Of(tell func(*gin.Context, sales.Sale) error) func(*gin.Context) error {
	return func(c *gin.Context) error {
		sale, err := s.SaleOf(c)
		if err != nil {
			return err
		}
		return tell(c, sale)
	}
}

// Sale is GET /sales/{id}.
func (s *Screens) Sale(c *gin.Context, sale sales.Sale) error {
	return s.showSale(c, http.StatusOK, sale, "")
}

func (s *Screens) showSale(
	c *gin.Context, status int, sale sales.Sale, problem string, stopped ...templates.Approval,
) error {
	return s.showOutcome(c, status, sale, func(o *templates.Outcome) {
		o.Problem = problem
		o.Approvals = append(o.Approvals, stopped...)
	})
}

// showOutcome shows a sale, with what is told of an act on it.
func (s *Screens) showOutcome(c *gin.Context, status int, sale sales.Sale, tell func(*templates.Outcome)) error {
	outcome, err := s.outcome(c, sale)
	if err != nil {
		return err
	}
	tell(&outcome)
	outcome.Asked = c.PostForm("ask")+c.PostForm("approval") != ""
	for _, list := range [][]templates.Approval{outcome.Approvals, outcome.WhileOpen, outcome.TakeBacks} {
		for i := range list {
			list[i].Reason = c.PostForm("reason")
		}
	}
	if len(outcome.Approvals)+len(outcome.WhileOpen)+len(outcome.TakeBacks) > 0 {
		if outcome.Approve, err = s.ApproveForm(c); err != nil {
			return err
		}
	}
	return s.Show(c, status, func(f templates.Frame) templ.Component {
		steps := templates.Trail{
			Account: outcome.Facts.Account, AccountURL: "/counter", Operator: outcome.Facts.Operator,
			Product: sale.ProductText, ProductURL: s.URLOf(frame.Repeat(sale).ToProducts()),
		}
		if sale.Erased() {
			steps.ProductURL = "/counter"
		}
		f.Practice = f.Practice || sale.Practice
		return templates.OutcomeOf(templates.OutcomePage{
			Frame: f, Trail: steps, Sale: outcome, BackURL: listBack(c.Query("back")),
		})
	})
}

// listBack is the list of sales that led to a sale, "" for any other address.
func listBack(address string) string {
	if !strings.HasPrefix(address, "/sales?") {
		return ""
	}
	return frame.LocalPath(address)
}

const saleWatchEvery = 2 * time.Second // hints may be lost, so the row is looked at anyway

// SaleEvents is GET /sales/{id}/events: the outcome whenever it changes, and "done" after the last.
func (s *Screens) SaleEvents(c *gin.Context, sale sales.Sale) error {
	hints, cancel := s.D.Bus.Subscribe(sales.Topic(sale.ID))
	defer cancel()
	sent := ""
	return s.Stream(c, saleWatchEvery, hints, func(context.Context) (templ.Component, bool, error) {
		sale, err := s.SaleOf(c)
		if err != nil {
			return nil, false, err
		}
		version := fmt.Sprint(sale.Events, sale.Looks, sale.NextCheckAt)
		if version == sent { // only the seconds differ, which the page counts itself
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
		Locale: l, CSRF: s.FormToken(c.Request), ID: sale.ID, State: string(sale.Fulfilment), Total: sale.Price(),
		Given: sale.Given(), Change: unlessZero(sale.Change()), Elapsed: max(0, int(now.Sub(sale.AttemptAt).Seconds())),
		Code: sale.TheirCode(), Attempt: sale.Attempt, Returned: sale.Cash == sales.CashRefunded,
	}
	if frame.Present(c).User.Can(staff.Sell) {
		o.NextURL = "/counter"
		if sale.Fulfilment == sales.Complete && sale.BillRef == "" && !sale.Erased() {
			o.AgainURL = s.URLOf(frame.Repeat(sale))
		}
		o.CanPrint = sale.Fulfilment == sales.Complete || sale.Fulfilment.Open() || sale.Cash == sales.CashRefunded
	}
	if sale.Fulfilment == sales.Unknown && sale.NextCheckAt != nil {
		o.Usually = l.Text("outcome.usually", minutes(l, sales.UsuallyKnown), minutes(l, sales.KnownAbsent))
		o.NextCheck = max(1, int(math.Ceil(sale.NextCheckAt.Sub(now).Seconds())))
	}
	if sale.Fulfilment.Final() && sale.Fulfilment != sales.Complete {
		reason, advice := frame.ReasonOf(l, sale)
		if sale.ReasonCode == sales.ReasonNotExecuted && sale.RetryFrom(now) == nil { // the hour to wait is over
			advice = frame.AdviceAgain
		}
		o.Reason = reason
		if advice != "" && !o.Returned { // once the cash was given back nothing is to be done about it
			o.Advice = l.Text(string(advice))
		}
	}
	o.Test, o.PrintKey = sale.Practice && !s.Practising(c), s.NewKey()
	s.addActs(c, &o, sale)
	err := cmp.Or(s.withoutRefund(c, &o, sale), s.addNotGivenBack(c, &o, sale))
	if err != nil {
		return o, err
	}
	if o.Facts, err = s.facts(c, l, sale); err != nil {
		return o, err
	}
	if err := s.addProduct(c, &o, sale); err != nil {
		return o, err
	}
	prints, err := s.D.Receipts.Prints(c.Request.Context(), sale.ID)
	if err != nil {
		return o, err
	}
	prints = ofAttempts(sale, prints)
	addPrinted(&o, sale, prints)
	if err := s.addReceipt(c, &o, sale); err != nil {
		return o, err
	}
	if o.PIN != nil && !o.PIN.Shown && sale.Cash != sales.CashRefunded {
		o.CanPrint = false // a PIN is not printed by people it is not shown to
	}
	if err := s.addTimeline(c, &o, sale, prints); err != nil {
		return o, err
	}
	o.AutoPrint, err = s.printsItself(c, sale, o.PIN)
	return o, err
}

// addPrinted says that the last print did not reach the printer: a failed print is never a failed sale.
func addPrinted(o *templates.Outcome, sale sales.Sale, prints []receipt.Print) {
	switch {
	case !receipt.LastFailed(prints):
	case sale.Fulfilment == sales.Complete:
		o.Printed = o.Text("receipt.notPrinted")
	default:
		o.Printed = o.Text("receipt.slipNotPrinted")
	}
}

func (s *Screens) facts(c *gin.Context, l locale.Locale, sale sales.Sale) (templates.Facts, error) {
	whole, net := sale.Received()
	quoted := sale.Quoted()
	f := templates.Facts{
		At: sale.RecordedAt, Account: frame.AccountText(l, sale),
		Operator: frame.SoldOperator(l, s.D.Catalog.Current(), sale), Product: sale.ProductText,
		Send: &quoted.Send, Receive: unlessZero(whole), Tax: frame.TaxText(l, sale.TaxName, sale.TaxRate),
		Validity:    frame.Validity(l, sale.Validity),
		TransferRef: sale.TransferRef, DistributorRef: sale.Ref, ProviderRef: sale.ProviderRef, BillRef: sale.BillRef,
		ReceiptCode: frame.Spelled(sale.Code), CareNumber: sale.CustomerCare,
		Fee: unlessZero(quoted.CustomerFee),
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

// addProduct adds what today's catalogue tells of the product, and for a range what was sold of it.
func (s *Screens) addProduct(c *gin.Context, o *templates.Outcome, sale sales.Sale) error {
	product, text, err := s.D.Catalog.Find(c.Request.Context(), sale.SKUCode, o.Language())
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	if err != nil {
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

// addReceipt adds what the provider wrote for the customer. If that is as good as cash, it is shown only to
// somebody it was revealed to a moment ago.
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
	o.PIN = &templates.PIN{
		Masked: strings.TrimSpace("•••• " + sale.PINHint), AskReason: ever, Reason: c.PostForm("reason"),
	}
	if frame.Present(c).User.Can(staff.Sell) {
		o.PIN.RevealURL = "/sales/" + sale.ID + "/reveal"
		o.PIN.ShowNow = !ever && sale.CashierID == frame.Present(c).User.ID && s.justSoldHere(c, sale)
	}
	if o.PIN.Shown = shown; shown {
		o.PIN.Value, o.PIN.Serial, o.PIN.Expiry = cmp.Or(receipt.PIN(), receipt.Params["token"]),
			receipt.Params["serial"], receipt.Params["expiry"]
		for _, name := range receipt.OtherParams() {
			o.PIN.Others = append(o.PIN.Others, templates.Line{Name: name, Value: receipt.Params[name]})
		}
		o.Facts.ReceiptText = receipt.Text
	}
	return nil
}

func minutes(l locale.Locale, d time.Duration) string { return l.Number(int64(d / time.Minute)) }

// Ahead is what a sale's page will ask of the database.
func (s *Screens) Ahead(id string, seen frame.Seen) []frame.Asked {
	shop := seen.Shop
	if seen.Everywhere {
		shop = ""
	}
	return append(s.D.Sales.AskGet(id, shop), s.D.Receipts.AskPrints(id))
}
