package sale

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/harness/failpoint"
	"airtill/internal/receipt"
	"airtill/internal/sales"
	"airtill/web/frame"
	"airtill/web/templates"
)

// AutoPrintFor is how long after its end a sale's receipt may print by itself; later nobody waits for it.
const AutoPrintFor = 10 * time.Minute

// justSoldHere says whether a sale was sent from this till a moment ago.
func (s *Screens) justSoldHere(c *gin.Context, sale sales.Sale) bool {
	return sale.Fulfilment == sales.Complete && sale.Cash != sales.CashRefunded &&
		sale.TillID == frame.Present(c).Till.ID && s.D.Now().Sub(*sale.FinalAt) <= AutoPrintFor
}

// printsItself says whether a sale's receipt prints by itself now: it was sold at this till, whose printer is
// set so, and not printed yet. One with a PIN prints when the PIN is shown, whatever the setting: the paper is
// what was bought.
func (s *Screens) printsItself(c *gin.Context, sale sales.Sale, pin *templates.PIN) (bool, error) {
	if !s.justSoldHere(c, sale) || pin != nil && !pin.Shown {
		return false, nil
	}
	printer, err := s.D.Receipts.Printer(c.Request.Context(), sale.TillID)
	if err != nil || !printer.Auto && pin == nil {
		return false, err
	}
	next, err := s.nextPrint(c, sale, receipt.Receipt, receipt.Customers)
	return next.Number == 1, err
}

// Receipt is GET /sales/{id}/receipt: the paper of a sale that was sent or paid back, or the waiting slip of
// another open one, as the next print will show it, or as the print with the given id (print) does. Looking prints
// nothing.
func (s *Screens) Receipt(c *gin.Context, sale sales.Sale) error {
	p, err := s.readPrint(c, sale)
	if err != nil {
		return err
	}
	failpoint.Hit("K8")
	page, err := s.paperPage(c, sale, p)
	if err != nil {
		return err
	}
	frame.AllowConnect(c, page.Bridge)
	if p.ID != "" {
		frame.AllowFrame(c)
	}
	return s.Render(c, http.StatusOK, templates.PaperOf(page))
}

// readPrint is the requested print, or the next one, which has no id yet.
func (s *Screens) readPrint(c *gin.Context, sale sales.Sale) (receipt.Print, error) {
	if id := c.Query("print"); id != "" {
		return s.findPrint(c, sale, id)
	}
	slip, err := slipOf(sale)
	if err != nil {
		return receipt.Print{}, err
	}
	return s.nextPrint(c, sale, slip, copyOf(c.Query("copy")))
}

func (s *Screens) findPrint(c *gin.Context, sale sales.Sale, id string) (receipt.Print, error) {
	p, err := s.D.Receipts.Find(c.Request.Context(), id, sale.ID)
	if err != nil {
		return p, err
	}
	return s.ofAttempt(c, sale, p)
}

// nextPrint is the next print of a sale's paper, which has no id yet.
func (s *Screens) nextPrint(
	c *gin.Context, sale sales.Sale, slip receipt.Slip, copied receipt.Copy,
) (p receipt.Print, err error) {
	p = receipt.Print{SaleID: sale.ID, Slip: slip, Copy: copied, UserID: frame.Present(c).User.ID, At: s.D.Now()}
	if p.Number, err = s.D.Receipts.Next(c.Request.Context(), sale.ID, slip, copied); err != nil {
		return p, err
	}
	return s.ofAttempt(c, sale, p)
}

// ofAttempt counts a print among those of the sale's present attempt: a paper of the one before told of another
// transfer, and is no first copy of this one.
func (s *Screens) ofAttempt(c *gin.Context, sale sales.Sale, p receipt.Print) (receipt.Print, error) {
	if sale.Attempt < 2 || p.Number < 2 || p.At.Before(sale.AttemptAt) {
		return p, nil
	}
	before, err := s.D.Receipts.Before(c.Request.Context(), p, sale.AttemptAt)
	p.Number -= before
	return p, err
}

// ofAttempts is ofAttempt for all prints of a sale, the oldest first.
func ofAttempts(sale sales.Sale, prints []receipt.Print) []receipt.Print {
	type paper struct {
		slip   receipt.Slip
		copied receipt.Copy
	}
	before := map[paper]int{}
	for i, p := range prints {
		of := paper{p.Slip, p.Copy}
		if sale.Attempt > 1 && p.At.Before(sale.AttemptAt) {
			before[of] = p.Number
			continue
		}
		prints[i].Number -= before[of]
	}
	return prints
}

// slipOf is a sale's present paper.
func slipOf(sale sales.Sale) (receipt.Slip, error) {
	switch {
	case sale.Cash == sales.CashRefunded: // also before the outcome is known: nobody waits for it any more
		return receipt.Refund, nil
	case sale.Fulfilment.Open():
		return receipt.Waiting, nil
	case sale.Fulfilment == sales.Complete:
		return receipt.Receipt, nil
	}
	return "", fault.New(fault.Conflict, "sale.no-receipt")
}

func copyOf(text string) receipt.Copy {
	if text == string(receipt.Shops) {
		return receipt.Shops
	}
	return receipt.Customers
}

// paperPage is a sale's paper and what can be done with it.
func (s *Screens) paperPage(c *gin.Context, sale sales.Sale, p receipt.Print) (templates.PaperPage, error) {
	paper, printer, err := s.salePaper(c, sale, p)
	if err != nil {
		return templates.PaperPage{}, err
	}
	l, path := s.LocaleOf(c.Request), "/sales/"+sale.ID
	page := templates.PaperPage{
		Locale: l, Paper: paper, CSRF: s.FormToken(c.Request), Key: s.FormKey(""), Copy: string(p.Copy),
		PrintURL: path + "/print", BackURL: path, QRURL: "/s/" + sale.Code + "/qr.png",
		NotPrinted: l.Text("receipt.slipNotPrinted"), OtherURL: path + "/receipt?copy=" + string(receipt.Shops),
	}
	if p.Copy == receipt.Shops {
		page.OtherURL = path + "/receipt?copy=" + string(receipt.Customers)
	}
	if p.Slip == receipt.Receipt { // its print failed, not the sale
		page.NotPrinted = l.Text("receipt.notPrinted")
	}
	if p.ID != "" {
		page.Prints(path, p.ID, p.FailedAt != nil)
		page.Bridge = printer.Bridge
	}
	return page, nil
}

// PrintSale is POST /sales/{id}/print (fields key, copy): it goes on record, and the paper opens its print
// window by itself, once.
func (s *Screens) PrintSale(c *gin.Context, sale sales.Sale) error {
	slip, err := slipOf(sale)
	if err != nil {
		return err
	}
	copied := copyOf(c.PostForm("copy"))
	first := receipt.Print{Slip: slip, Copy: copied, Number: 1, At: s.D.Now()}
	if _, _, err := s.salePaper(c, sale, first); err != nil {
		return err // a PIN that may not be shown is not printed either
	}
	by := frame.Present(c).Actor()
	p, err := s.D.Receipts.Start(c.Request.Context(), by, c.PostForm("key"), sale.ID, slip, copied)
	return frame.Then(c, err, "/sales/"+sale.ID+"/receipt?print="+p.ID)
}

// OpenPrint is POST /sales/{id}/print/{print}/open: 204 gives leave to open the print window, or to send to
// the printer; a second time it is 409.
func (s *Screens) OpenPrint(c *gin.Context, sale sales.Sale) error {
	return s.GivePrint(c, sale.ID)
}

// FailPrint is POST /sales/{id}/print/{print}/fail: the printer did not take it.
func (s *Screens) FailPrint(c *gin.Context, sale sales.Sale) error {
	c.Status(http.StatusNoContent)
	return s.D.Receipts.Fail(c.Request.Context(), c.Param("print"), sale.ID)
}

// ReceiptFile is GET /sales/{id}/receipt.escpos: a print for a roll printer. Only started prints are given
// out, so that every copy is on record.
func (s *Screens) ReceiptFile(c *gin.Context, sale sales.Sale) error {
	p, err := s.findPrint(c, sale, c.Query("print"))
	if err != nil {
		return err
	}
	paper, _, err := s.salePaper(c, sale, p)
	if err != nil {
		return err
	}
	return frame.SendFile(c, paper, "receipt-"+sale.Code)
}

func (s *Screens) statusURL(sale sales.Sale) string {
	return s.Public.JoinPath("s", sale.Code).String()
}
