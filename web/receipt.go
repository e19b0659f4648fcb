package web

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/harness/failpoint"
	"airtill/internal/receipt"
	"airtill/internal/sales"
	"airtill/web/locale"
	"airtill/web/templates"
)

// receipt is GET /sales/{id}/receipt: the paper of a sale that was sent or paid
// back, or the waiting slip of one that is open, as the next print will show it;
// with the id of a print (print), as that one does. Looking prints nothing.
func (s *Server) receipt(c *gin.Context) error {
	sale, err := s.saleOf(c)
	if err != nil {
		return err
	}
	p, err := s.readPrint(c, sale)
	if err != nil {
		return err
	}
	failpoint.Hit("K8")
	page, err := s.paperPage(c, sale, p)
	if err != nil {
		return err
	}
	allowConnect(c, page.Bridge)
	if p.ID != "" {
		allowFrame(c)
	}
	return s.render(c, http.StatusOK, templates.PaperOf(page))
}

// readPrint is the print that is asked for, or the one that would come next,
// which has no id yet.
func (s *Server) readPrint(c *gin.Context, sale sales.Sale) (receipt.Print, error) {
	if id := c.Query("print"); id != "" {
		return s.d.Receipts.Find(c.Request.Context(), id, sale.ID)
	}
	slip, err := slipOf(sale)
	if err != nil {
		return receipt.Print{}, err
	}
	p := receipt.Print{SaleID: sale.ID, Slip: slip, Copy: copyOf(c.Query("copy")), UserID: present(c).User.ID, At: s.d.Now()}
	p.Number, err = s.d.Receipts.Next(c.Request.Context(), sale.ID, p.Slip, p.Copy)
	return p, err
}

// slipOf is the paper that a sale has now.
func slipOf(sale sales.Sale) (receipt.Slip, error) {
	switch {
	case sale.Fulfilment.Open():
		return receipt.Waiting, nil
	case sale.Cash == sales.CashRefunded:
		return receipt.Refund, nil
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

// paperPage is a sale's paper with what can be done with it.
func (s *Server) paperPage(c *gin.Context, sale sales.Sale, p receipt.Print) (templates.PaperPage, error) {
	paper, printer, err := s.salePaper(c, sale, p)
	if err != nil {
		return templates.PaperPage{}, err
	}
	l, path := s.localeOf(c.Request), "/sales/"+sale.ID
	page := templates.PaperPage{
		Locale: l, Paper: paper, CSRF: s.formToken(c.Request), Key: s.formKey(""), Copy: string(p.Copy), PrintURL: path + "/print",
		BackURL: path, QRURL: "/s/" + sale.Code + "/qr.png", NotPrinted: notPrinted(l, p), OtherURL: path + "/receipt?copy=" + string(otherCopy(p.Copy)),
	}
	if p.ID != "" {
		page.FileURL, page.AskURL, page.FailURL = path+"/receipt.escpos?print="+p.ID, path+"/print/"+p.ID+"/open", path+"/print/"+p.ID+"/fail"
		page.Bridge = printer.Bridge
		page.Failed = p.FailedAt != nil
	}
	return page, nil
}

func otherCopy(copied receipt.Copy) receipt.Copy {
	if copied == receipt.Shops {
		return receipt.Customers
	}
	return receipt.Shops
}

// notPrinted says that a print failed, and not that the sale did.
func notPrinted(l locale.Locale, p receipt.Print) string {
	if p.Slip == receipt.Receipt {
		return l.Text("receipt.notPrinted")
	}
	return l.Text("receipt.slipNotPrinted")
}

// printSale is POST /sales/{id}/print (fields key, copy): it goes on record, and
// the paper opens its print window by itself, once.
func (s *Server) printSale(c *gin.Context) error {
	sale, err := s.saleOf(c)
	if err != nil {
		return err
	}
	slip, err := slipOf(sale)
	if err != nil {
		return err
	}
	copied := copyOf(c.PostForm("copy"))
	if _, _, err := s.salePaper(c, sale, receipt.Print{Slip: slip, Copy: copied, Number: 1, At: s.d.Now()}); err != nil {
		return err // a PIN that may not be shown is not printed either
	}
	p, err := s.d.Receipts.Start(c.Request.Context(), present(c).Actor(), c.PostForm("key"), sale.ID, slip, copied)
	if err != nil {
		return err
	}
	return redirect(c, "/sales/"+sale.ID+"/receipt?print="+p.ID)
}

// openPrint is POST /sales/{id}/print/{print}/open: 204 is the leave to open the
// print window, or to send to the printer; whoever asks again gets 409.
func (s *Server) openPrint(c *gin.Context) error {
	sale, err := s.saleOf(c)
	if err != nil {
		return err
	}
	return s.givePrint(c, sale.ID)
}

// givePrint answers who asks for leave to print.
func (s *Server) givePrint(c *gin.Context, of string) error {
	leave, err := s.d.Receipts.Open(c.Request.Context(), c.Param("print"), of)
	if err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	if !leave {
		c.Status(http.StatusConflict)
	}
	return nil
}

// failPrint is POST /sales/{id}/print/{print}/fail: the printer did not take it.
func (s *Server) failPrint(c *gin.Context) error {
	sale, err := s.saleOf(c)
	if err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	return s.d.Receipts.Fail(c.Request.Context(), c.Param("print"), sale.ID)
}

// receiptFile is GET /sales/{id}/receipt.escpos: a print as a roll printer takes
// it. Only what was started is handed out, so that every copy is on record.
func (s *Server) receiptFile(c *gin.Context) error {
	sale, err := s.saleOf(c)
	if err != nil {
		return err
	}
	p, err := s.d.Receipts.Find(c.Request.Context(), c.Query("print"), sale.ID)
	if err != nil {
		return err
	}
	paper, _, err := s.salePaper(c, sale, p)
	if err != nil {
		return err
	}
	return sendFile(c, paper, "receipt-"+sale.Code)
}

// sendFile answers with the bytes of a paper, to be saved or passed on.
func sendFile(c *gin.Context, paper receipt.Paper, name string) error {
	body, err := paper.ESCPOS()
	if err != nil {
		return err
	}
	c.Header("Content-Disposition", `attachment; filename="`+name+`.escpos"`)
	c.Data(http.StatusOK, "application/octet-stream", body)
	return nil
}
