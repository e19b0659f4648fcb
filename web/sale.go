package web

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/locale"
	"airtill/web/templates"
)

// saleOf loads the sale that the path names, if this user may see it.
func (s *Server) saleOf(c *gin.Context) (sales.Sale, error) {
	p := present(c)
	shop := p.Shop.ID
	if p.User.Can(staff.ViewAllSales) {
		shop = ""
	} else if shop == "" {
		return sales.Sale{}, fault.New(fault.Forbidden, "")
	}
	return s.d.Sales.Get(c.Request.Context(), c.Param("id"), shop)
}

// sale is GET /sales/{id}.
func (s *Server) sale(c *gin.Context) error {
	sale, err := s.saleOf(c)
	if err != nil {
		return err
	}
	return s.showSale(c, http.StatusOK, sale, "")
}

func (s *Server) showSale(c *gin.Context, status int, sale sales.Sale, problem string) error {
	outcome, err := s.outcome(c, sale)
	if err != nil {
		return err
	}
	outcome.Problem = problem
	return s.show(c, status, func(f templates.Frame) templ.Component {
		steps := templates.Trail{
			Account: outcome.Facts.Account, AccountURL: "/counter", Operator: outcome.Facts.Operator, Product: sale.ProductText, ProductURL: repeat(sale).toProducts().url(),
		}
		return templates.OutcomeOf(templates.OutcomePage{Frame: f, Trail: steps, Sale: outcome})
	})
}

const (
	saleWatchEvery = 2 * time.Second // a hint may be lost: the row is looked at all the same
	saleWatchFor   = 10 * time.Minute
)

// saleEvents is GET /sales/{id}/events: the outcome anew whenever it changes,
// and "done" after the last.
func (s *Server) saleEvents(c *gin.Context) error {
	sale, err := s.saleOf(c)
	if err != nil {
		return err
	}
	hints, cancel := s.d.Bus.Subscribe(sales.Topic(sale.ID))
	defer cancel()
	c.Header("Content-Type", "text/event-stream")
	c.Status(http.StatusOK)
	ctx, end := c.Request.Context(), s.d.Now().Add(saleWatchFor)
	tick := time.NewTicker(saleWatchEvery)
	defer tick.Stop()
	for sent := ""; ; {
		if sale, err = s.saleOf(c); err != nil {
			return err
		}
		if version := fmt.Sprint(sale.Events, sale.Looks, sale.NextCheckAt); version != sent {
			if err := s.sendOutcome(c, sale); err != nil {
				return err
			}
			sent = version
		}
		if sale.Fulfilment.Final() || s.d.Now().After(end) {
			_, err := c.Writer.WriteString("event: done\ndata: done\n\n")
			c.Writer.Flush()
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-hints:
		case <-tick.C:
		}
	}
}

func (s *Server) sendOutcome(c *gin.Context, sale sales.Sale) error {
	outcome, err := s.outcome(c, sale)
	if err != nil {
		return err
	}
	var html bytes.Buffer
	if err := templates.OutcomeRegion(outcome).Render(c.Request.Context(), &html); err != nil {
		return err
	}
	for line := range strings.Lines(html.String()) {
		if _, err := fmt.Fprintf(c.Writer, "data: %s\n", strings.TrimRight(line, "\r\n")); err != nil {
			return err
		}
	}
	_, err = c.Writer.WriteString("\n")
	c.Writer.Flush()
	return err
}

// outcome is a sale as its page shows it.
func (s *Server) outcome(c *gin.Context, sale sales.Sale) (templates.Outcome, error) {
	l, now := s.localeOf(c.Request), s.d.Now()
	o := templates.Outcome{
		Locale: l, CSRF: s.formToken(c.Request), ID: sale.ID, State: string(sale.Fulfilment), Total: sale.Price(),
		Elapsed: int(now.Sub(sale.AttemptAt).Seconds()), NextURL: "/counter", Code: strings.TrimSpace(sale.ReasonCode + " " + sale.ReasonContext),
		CanPrint: sale.Fulfilment == sales.Complete || sale.Fulfilment.Open(),
	}
	if sale.Fulfilment == sales.Unknown && sale.NextCheckAt != nil {
		o.NextCheck = max(1, int(math.Ceil(sale.NextCheckAt.Sub(now).Seconds())))
	}
	if sale.Fulfilment.Final() && sale.Fulfilment != sales.Complete {
		o.Reason, o.Advice = reasonOf(l, sale)
	}
	s.addActs(c, &o, sale)
	facts, err := s.facts(c, l, sale)
	if err != nil {
		return o, err
	}
	o.Facts = facts
	if err := s.addProduct(c, &o, sale); err != nil {
		return o, err
	}
	return o, s.addReceipt(c, &o, sale)
}

// addActs says what this user may do with the sale now.
func (s *Server) addActs(c *gin.Context, o *templates.Outcome, sale sales.Sale) {
	u := present(c).User
	if sale.Cash == sales.CashRefundDue {
		price := sale.Price()
		o.GiveBack = &price
		o.CanRetry = u.Can(staff.Sell) && sale.ReceivableMicros == 0 && (!sale.ByAbsence || u.Can(staff.Override))
	}
	o.CanCancel = u.Can(staff.Sell) && sale.Fulfilment == sales.Recorded
	if !u.Can(staff.Refund) {
		o.GiveBack = nil
	}
}

func (s *Server) facts(c *gin.Context, l locale.Locale, sale sales.Sale) (templates.Facts, error) {
	whole, net := sale.Received()
	send := sale.Quoted().Send
	f := templates.Facts{
		At: sale.RecordedAt, Account: accountText(l, sale), Operator: soldOperator(s.d.Catalog.Current(), sale), Product: sale.ProductText,
		Send: &send, Receive: unlessZero(whole), Tax: taxText(l, sale.TaxName, sale.TaxRate), Validity: validity(l, sale.Validity),
		TransferRef: sale.TransferRef, DistributorRef: sale.Ref, ProviderRef: sale.ProviderRef, ReceiptCode: receiptNumber(sale), CareNumber: sale.CustomerCare,
		Fee: unlessZero(sale.Quoted().CustomerFee),
	}
	if net != whole {
		f.ReceiveNet = unlessZero(net)
	}
	ctx := c.Request.Context()
	till, err := s.d.Staff.Till(ctx, sale.TillID)
	if err != nil {
		return f, err
	}
	cashier, err := s.d.Staff.User(ctx, sale.CashierID)
	if err != nil {
		return f, err
	}
	f.Till, f.Cashier = till.Name, cashier.DisplayName
	return f, nil
}

// addProduct adds what the catalogue tells of the product today, and for one
// of any amount what was sold of it. A product it has forgotten tells nothing.
func (s *Server) addProduct(c *gin.Context, o *templates.Outcome, sale sales.Sale) error {
	product, text, err := s.d.Catalog.Find(c.Request.Context(), sale.SKUCode, o.Language())
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

// addReceipt adds what the provider wrote for the customer. Where that holds a
// PIN it is shown only to whom it was revealed a moment ago.
func (s *Server) addReceipt(c *gin.Context, o *templates.Outcome, sale sales.Sale) error {
	if sale.SealedReceipt == "" || sale.Fulfilment != sales.Complete {
		return nil
	}
	receipt, err := s.d.Sales.Receipt(sale)
	if err != nil {
		return err
	}
	if receipt.PIN() == "" {
		o.Facts.ReceiptText = receipt.Text
		return nil
	}
	shown, ever, err := s.d.Sales.Shown(c.Request.Context(), sale.ID, present(c).User.ID)
	if err != nil {
		return err
	}
	o.PIN = &templates.PIN{Masked: "•••• " + sale.PINHint, AskReason: ever, Redeem: ""}
	if present(c).User.Can(staff.Sell) {
		o.PIN.RevealURL = "/sales/" + sale.ID + "/reveal"
	}
	if shown {
		o.PIN.Value, o.PIN.Serial, o.PIN.Expiry = receipt.PIN(), receipt.Params["serial"], receipt.Params["expiry"]
		o.Facts.ReceiptText = receipt.Text
	}
	return nil
}

// The acts on a sale: each answers 303 back to it, or the page with what
// stopped it.

func (s *Server) refund(c *gin.Context) error { return s.act(c, s.d.Sales.Refund) }

func (s *Server) cancel(c *gin.Context) error { return s.act(c, s.d.Sales.CallOff) }

func (s *Server) reveal(c *gin.Context) error {
	return s.act(c, func(ctx context.Context, id string, act sales.Act) (sales.Sale, error) {
		return sales.Sale{}, s.d.Sales.Reveal(ctx, id, act)
	})
}

func (s *Server) retry(c *gin.Context) error {
	return s.act(c, func(ctx context.Context, id string, act sales.Act) (sales.Sale, error) {
		sale, err := s.d.Sales.TryAgain(ctx, id, act)
		if err == nil {
			s.d.Sales.Dispatch(sale)
		}
		return sale, err
	})
}

func (s *Server) act(c *gin.Context, do func(context.Context, string, sales.Act) (sales.Sale, error)) error {
	sale, err := s.saleOf(c)
	if err != nil {
		return err
	}
	p := present(c)
	act := sales.Act{Actor: p.Actor(), Reason: strings.TrimSpace(c.PostForm("reason")), Manager: p.User.Can(staff.Override)}
	if p.Till.ID != "" {
		shift, err := s.d.Till.Current(c.Request.Context(), p.Till.ID)
		if err != nil {
			return err
		}
		if shift != nil {
			act.ShiftID = shift.ID
		}
	}
	_, err = do(c.Request.Context(), sale.ID, act)
	switch fault.KindOf(err) {
	case "":
		return redirect(c, "/sales/"+sale.ID)
	case fault.Conflict, fault.Invalid, fault.Unavailable:
		return s.showSale(c, statusOf(err), sale, fault.Message(err))
	default:
		return err
	}
}

// accountText is the account number of a sale as the counter shows it; a PIN
// has none.
func accountText(l locale.Locale, sale sales.Sale) string {
	if strings.Trim(sale.AccountNumber, "0") == "" {
		return ""
	}
	return l.GroupNumber(sale.AccountNumber)
}

// soldOperator is the operator as it was when the sale was made.
func soldOperator(snapshot *catalog.Snapshot, sale sales.Sale) templates.Operator {
	o := templates.Operator{Code: sale.ProviderCode, Name: sale.ProviderName, ISO: sale.CountryISO, Country: sale.CountryISO}
	if country, ok := snapshot.Country(sale.CountryISO); ok {
		o.Country = country.Name
	}
	return o
}
