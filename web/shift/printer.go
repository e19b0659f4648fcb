package shift

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/receipt"
	"airtill/internal/staff"
	"airtill/internal/till"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// PrinterForm is GET /till/printer.
func (s *Screens) PrinterForm(c *gin.Context) error {
	if frame.Present(c).Till.ID == "" {
		return frame.ErrNoTill
	}
	printer, err := s.D.Receipts.Printer(c.Request.Context(), frame.Present(c).Till.ID)
	if err != nil {
		return err
	}
	return s.showPrinter(c, http.StatusOK, printer, "")
}

func (s *Screens) showPrinter(c *gin.Context, status int, p receipt.Printer, problem string) error {
	return s.Show(c, status, func(f templates.Frame) templ.Component {
		return templates.Printer(templates.PrinterPage{Frame: f, Printer: p, Problem: problem})
	})
}

// SetPrinter is POST /till/printer (fields width, columns, bridge, kick, auto).
func (s *Screens) SetPrinter(c *gin.Context) error {
	p := frame.Present(c)
	if p.Till.ID == "" {
		return frame.ErrNoTill
	}
	width, _ := strconv.Atoi(c.PostForm("width")) // not a number: no width
	columns, _ := strconv.Atoi(c.PostForm("columns"))
	printer := receipt.Printer{
		TillID: p.Till.ID, Width: width, Columns: columns, Bridge: strings.TrimSpace(c.PostForm("bridge")),
		Kick: c.PostForm("kick") != "", Auto: c.PostForm("auto") != "",
	}
	err := s.D.Receipts.SetPrinter(c.Request.Context(), p.Actor(), printer)
	if fault.KindOf(err) == fault.Invalid {
		return s.showPrinter(c, http.StatusUnprocessableEntity, printer, s.LocaleOf(c.Request).Fault(err))
	}
	return frame.Then(c, err, "/till/printer")
}

// testPaper shows what a printer can do: how many letters fit into a row, and which it has.
func (s *Screens) testPaper(c *gin.Context) (receipt.Paper, receipt.Printer, error) {
	printer, err := s.Printer(c)
	if err != nil {
		return receipt.Paper{}, printer, err
	}
	l, p := s.LocaleOf(c.Request), frame.Present(c)
	paper := receipt.Paper{
		Language: l.Language(), RTL: l.Direction() == locale.RightToLeft, Title: l.Text("printer.test"),
		Width: printer.Width, Columns: printer.Columns, Kick: printer.Kick,
		Lines: []receipt.Line{
			{Kind: receipt.Head, Value: l.Text("printer.test")},
			{Kind: receipt.Centre, Value: strings.Trim(p.Shop.Name+" · "+p.Till.Name, " ·")},
			{Kind: receipt.Rule},
		},
	}
	for _, columns := range []int{32, 42, 48} {
		paper.Lines = append(paper.Lines, []receipt.Line{
			{Kind: receipt.Text, Value: l.Text("printer.letters", strconv.Itoa(columns))},
			{Kind: receipt.Raw, Value: strings.Repeat("1234567890", 5)[:columns]},
		}...)
	}
	paper.Lines = append(paper.Lines, []receipt.Line{
		{Kind: receipt.Rule},
		{Kind: receipt.Text, Value: l.Text("printer.sample")},
		{Kind: receipt.Secret, Value: "1234 5678"},
		{Kind: receipt.Total, Name: l.Text("receipt.total"), Value: "10.30"},
		{Kind: receipt.Code, Value: s.Public.String()},
	}...)
	return paper, printer, nil
}

// TestPrint is GET /till/printer/test: the calibration page, with a ruler.
func (s *Screens) TestPrint(c *gin.Context) error {
	paper, printer, err := s.testPaper(c)
	if err != nil {
		return err
	}
	frame.AllowConnect(c, printer.Bridge)
	back := "/till/printer"
	if !frame.Present(c).User.Can(staff.Sell) {
		back = "/admin/setup"
	}
	return s.Render(c, http.StatusOK, templates.PaperOf(templates.PaperPage{
		Locale: s.LocaleOf(c.Request), Paper: paper, BackURL: back, FileURL: "/till/printer/test.escpos",
		Bridge: printer.Bridge, Ruler: true,
		NotPrinted: s.LocaleOf(c.Request).Text("receipt.slipNotPrinted"),
	}))
}

// TestFile is GET /till/printer/test.escpos.
func (s *Screens) TestFile(c *gin.Context) error {
	paper, _, err := s.testPaper(c)
	if err != nil {
		return err
	}
	return frame.SendFile(c, paper, "test")
}

// reportPaper is a shift's report for the same printer; p is the print of a Z report.
func (s *Screens) reportPaper(
	c *gin.Context, shift till.Shift, p receipt.Print,
) (receipt.Paper, receipt.Printer, error) {
	report, hash, err := s.reportOf(c, shift)
	if err == nil && !shift.Closed() && report.Closing != nil { // closed meanwhile: its Z report prints on record only
		err = errClosed
	}
	if err != nil {
		return receipt.Paper{}, receipt.Printer{}, err
	}
	l, r := s.LocaleOf(c.Request), frame.ReadsOf(c)
	names := frame.LoadHere(r, s.Names)
	duplicate := frame.LoadHere(r, func(c *gin.Context) (string, error) { return s.DuplicateText(c, l, p) })
	printer := frame.LoadHere(r, s.Printer)
	if r.Err != nil {
		return receipt.Paper{}, receipt.Printer{}, r.Err
	}
	paper := receipt.Paper{
		Language: l.Language(), RTL: l.Direction() == locale.RightToLeft, Title: reportTitle(l, report),
		Width: printer.Width, Columns: printer.Columns,
		Lines: []receipt.Line{
			{Kind: receipt.Head, Value: receipt.Clean(report.Shop)},
			{Kind: receipt.Centre, Value: receipt.Clean(report.Till)},
			{Kind: receipt.Centre, Value: l.DateTime(report.At)},
			{Kind: receipt.Stamp, Value: reportTitle(l, report)},
		},
	}
	if duplicate != "" {
		paper.Lines = append(paper.Lines, receipt.Line{Kind: receipt.Stamp, Value: receipt.Clean(duplicate)})
	}
	for _, section := range reportSections(l, report, names, seesExpected(frame.Present(c).User, report)) {
		paper.Lines = append(paper.Lines, frame.SectionLines(section)...)
	}
	if report.Closing != nil {
		difference := l.Amount(report.Amount(report.Closing.Difference))
		paper.Lines = append(paper.Lines, []receipt.Line{
			{Kind: receipt.Total, Name: l.Text("report.difference"), Value: difference},
			{Kind: receipt.Text, Value: hash},
		}...)
	}
	return paper, printer, nil
}

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
