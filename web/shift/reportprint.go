package shift

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/receipt"
	"airtill/internal/till"
	"airtill/web/frame"
	"airtill/web/templates"
)

// ShiftReceipt is GET /shift/{id}/receipt: a shift's report on paper. An X report is printed as it stands; a Z
// report by a form, so that every copy is on record, or as the print with the given id (print).
func (s *Screens) ShiftReceipt(c *gin.Context, shift till.Shift) error {
	p, err := s.reportPrint(c, shift)
	if err != nil {
		return err
	}
	paper, printer, err := s.reportPaper(c, shift, p)
	if errors.Is(err, errClosed) {
		return frame.Redirect(c, c.Request.URL.RequestURI())
	}
	if err != nil {
		return err
	}
	frame.AllowConnect(c, printer.Bridge)
	l, path := s.LocaleOf(c.Request), "/shift/"+shift.ID
	page := templates.PaperPage{
		Locale: l, Paper: paper, BackURL: path, CSRF: s.FormToken(c.Request),
		NotPrinted: l.Text("receipt.slipNotPrinted"),
	}
	switch {
	case shift.Closed() && p.ID == "":
		page.PrintURL, page.Key = path+"/print", s.FormKey("")
	case shift.Closed():
		page.Prints(path, p.ID, p.FailedAt != nil)
		page.Bridge = printer.Bridge
	default:
		page.FileURL, page.Bridge = path+"/receipt.escpos", printer.Bridge
	}
	return s.Render(c, http.StatusOK, templates.PaperOf(page))
}

// reportPrint is the requested print of a report, or the next one, which has no id yet. An X report has none.
func (s *Screens) reportPrint(c *gin.Context, shift till.Shift) (p receipt.Print, err error) {
	switch id := c.Query("print"); {
	case !shift.Closed():
		return p, nil
	case id != "":
		return s.D.Receipts.Find(c.Request.Context(), id, shift.ID)
	}
	p.UserID, p.At = frame.Present(c).User.ID, s.D.Now()
	p.Number, err = s.D.Receipts.Next(c.Request.Context(), shift.ID, receipt.Receipt, receipt.Shops)
	return p, err
}

// PrintReport is POST /shift/{id}/print (field key): a Z report's print goes on record, and the paper opens
// its print window by itself, once.
func (s *Screens) PrintReport(c *gin.Context, shift till.Shift) error {
	if !shift.Closed() {
		return fault.New(fault.NotFound, "shift.no-report")
	}
	p, err := s.D.Receipts.StartReport(c.Request.Context(), frame.Present(c).Actor(), c.PostForm("key"), shift.ID)
	return frame.Then(c, err, "/shift/"+shift.ID+"/receipt?print="+p.ID)
}

// OpenReport is POST /shift/{id}/print/{print}/open.
func (s *Screens) OpenReport(c *gin.Context, shift till.Shift) error {
	return s.GivePrint(c, shift.ID)
}

// FailReport is POST /shift/{id}/print/{print}/fail.
func (s *Screens) FailReport(c *gin.Context, shift till.Shift) error {
	c.Status(http.StatusNoContent)
	return s.D.Receipts.Fail(c.Request.Context(), c.Param("print"), shift.ID)
}

// ReportFile is GET /shift/{id}/receipt.escpos.
func (s *Screens) ReportFile(c *gin.Context, shift till.Shift) error {
	var p receipt.Print
	if shift.Closed() {
		var err error
		if p, err = s.D.Receipts.Find(c.Request.Context(), c.Query("print"), shift.ID); err != nil {
			return err
		}
	}
	paper, _, err := s.reportPaper(c, shift, p)
	if err != nil {
		return err
	}
	return frame.SendFile(c, paper, "shift-"+strconv.Itoa(shift.Number))
}
