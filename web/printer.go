package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/receipt"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/till"
	"airtill/web/locale"
	"airtill/web/templates"
)

// allowConnect lets the page of this answer alone talk to a printer bridge.
func allowConnect(c *gin.Context, bridge string) {
	u, err := url.Parse(bridge)
	if bridge == "" || err != nil {
		return
	}
	policy := c.Writer.Header().Get("Content-Security-Policy")
	c.Header("Content-Security-Policy", strings.Replace(policy, "connect-src 'self'", "connect-src 'self' "+u.Scheme+"://"+u.Host, 1))
}

// allowFrame lets a page of ours hold this answer in a frame: a print opens in
// one when it opens by itself.
func allowFrame(c *gin.Context) {
	policy := c.Writer.Header().Get("Content-Security-Policy")
	c.Header("Content-Security-Policy", strings.Replace(policy, "frame-ancestors 'none'", "frame-ancestors 'self'", 1))
	c.Header("X-Frame-Options", "SAMEORIGIN")
}

// printerForm is GET /till/printer.
func (s *Server) printerForm(c *gin.Context) error {
	if present(c).Till.ID == "" {
		return errNoTill
	}
	printer, err := s.d.Receipts.Printer(c.Request.Context(), present(c).Till.ID)
	if err != nil {
		return err
	}
	return s.showPrinter(c, http.StatusOK, printer, "")
}

func (s *Server) showPrinter(c *gin.Context, status int, p receipt.Printer, problem string) error {
	return s.show(c, status, func(f templates.Frame) templ.Component {
		return templates.Printer(templates.PrinterPage{Frame: f, Width: p.Width, Columns: p.Columns, Bridge: p.Bridge, Kick: p.Kick, Auto: p.Auto, Problem: problem})
	})
}

// setPrinter is POST /till/printer (fields width, columns, bridge, kick, auto).
func (s *Server) setPrinter(c *gin.Context) error {
	p := present(c)
	if p.Till.ID == "" {
		return errNoTill
	}
	width, _ := strconv.Atoi(c.PostForm("width")) // what is no number is no width either
	columns, _ := strconv.Atoi(c.PostForm("columns"))
	printer := receipt.Printer{TillID: p.Till.ID, Width: width, Columns: columns, Bridge: strings.TrimSpace(c.PostForm("bridge")), Kick: c.PostForm("kick") != "", Auto: c.PostForm("auto") != ""}
	err := s.d.Receipts.SetPrinter(c.Request.Context(), p.Actor(), printer)
	if fault.KindOf(err) == fault.Invalid {
		return s.showPrinter(c, http.StatusUnprocessableEntity, printer, s.localeOf(c.Request).Fault(err))
	}
	if err != nil {
		return err
	}
	return redirect(c, "/till/printer")
}

// autoPrintFor is how long after its end a sale's receipt may print by itself:
// later nobody waits for it any more.
const autoPrintFor = 10 * time.Minute

// justSoldHere says whether a sale was sent from this till a moment ago.
func (s *Server) justSoldHere(c *gin.Context, sale sales.Sale) bool {
	return sale.Fulfilment == sales.Complete && sale.Cash != sales.CashRefunded && sale.TillID == present(c).Till.ID &&
		s.d.Now().Sub(*sale.FinalAt) <= autoPrintFor
}

// printsItself says whether the receipt of a sale prints by itself now: it was
// sold at this till, whose printer is set so, and not printed yet. One with a
// PIN prints when the PIN is shown, whatever the printer is set to: the paper is
// what was bought.
func (s *Server) printsItself(c *gin.Context, sale sales.Sale, pin *templates.PIN) (bool, error) {
	if !s.justSoldHere(c, sale) || pin != nil && !pin.Shown {
		return false, nil
	}
	printer, err := s.d.Receipts.Printer(c.Request.Context(), sale.TillID)
	if err != nil || !printer.Auto && pin == nil {
		return false, err
	}
	next, err := s.d.Receipts.Next(c.Request.Context(), sale.ID, receipt.Receipt, receipt.Customers)
	return next == 1, err
}

// testPaper shows what a printer can do: how many letters go into a row, and
// which it has.
func (s *Server) testPaper(c *gin.Context) (receipt.Paper, receipt.Printer, error) {
	printer, err := s.printer(c)
	if err != nil {
		return receipt.Paper{}, printer, err
	}
	l := s.localeOf(c.Request)
	paper := receipt.Paper{
		Language: l.Language(), RTL: l.Direction() == locale.RightToLeft, Title: l.Text("printer.test"), Width: printer.Width, Columns: printer.Columns, Kick: printer.Kick,
		Lines: []receipt.Line{{Kind: receipt.Head, Value: l.Text("printer.test")}, {Kind: receipt.Centre, Value: strings.Trim(present(c).Shop.Name+" · "+present(c).Till.Name, " ·")}, {Kind: receipt.Rule}},
	}
	for _, columns := range []int{32, 42, 48} {
		paper.Lines = append(paper.Lines, receipt.Line{Kind: receipt.Text, Value: l.Text("printer.letters", strconv.Itoa(columns))},
			receipt.Line{Kind: receipt.Raw, Value: strings.Repeat("1234567890", 5)[:columns]})
	}
	paper.Lines = append(paper.Lines, receipt.Line{Kind: receipt.Rule}, receipt.Line{Kind: receipt.Text, Value: l.Text("printer.sample")},
		receipt.Line{Kind: receipt.Secret, Value: "1234 5678"}, receipt.Line{Kind: receipt.Total, Name: l.Text("receipt.total"), Value: "10.30"},
		receipt.Line{Kind: receipt.Code, Value: s.public.String()})
	return paper, printer, nil
}

// testPrint is GET /till/printer/test: the calibration page, with a ruler.
func (s *Server) testPrint(c *gin.Context) error {
	paper, printer, err := s.testPaper(c)
	if err != nil {
		return err
	}
	allowConnect(c, printer.Bridge)
	back := "/till/printer"
	if !present(c).User.Can(staff.Sell) {
		back = "/admin/setup"
	}
	return s.render(c, http.StatusOK, templates.PaperOf(templates.PaperPage{
		Locale: s.localeOf(c.Request), Paper: paper, BackURL: back, FileURL: "/till/printer/test.escpos", Bridge: printer.Bridge, Ruler: true,
		NotPrinted: s.localeOf(c.Request).Text("receipt.slipNotPrinted"),
	}))
}

// testFile is GET /till/printer/test.escpos.
func (s *Server) testFile(c *gin.Context) error {
	paper, _, err := s.testPaper(c)
	if err != nil {
		return err
	}
	return sendFile(c, paper, "test")
}

// reportPaper is the report of a shift for the same printer; p is the print of a Z
// report.
func (s *Server) reportPaper(c *gin.Context, shift till.Shift, p receipt.Print) (receipt.Paper, receipt.Printer, error) {
	report, hash, err := s.reportOf(c, shift)
	if err != nil {
		return receipt.Paper{}, receipt.Printer{}, err
	}
	names, err := s.names(c)
	if err != nil {
		return receipt.Paper{}, receipt.Printer{}, err
	}
	l := s.localeOf(c.Request)
	duplicate, err := s.duplicateText(c, l, p)
	if err != nil {
		return receipt.Paper{}, receipt.Printer{}, err
	}
	printer, err := s.printer(c)
	paper := receipt.Paper{
		Language: l.Language(), RTL: l.Direction() == locale.RightToLeft, Title: reportTitle(l, report), Width: printer.Width, Columns: printer.Columns,
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
	for _, section := range reportSections(l, report, names, seesExpected(present(c).User, report)) {
		paper.Lines = append(paper.Lines, sectionLines(section)...)
	}
	if report.Closing != nil {
		paper.Lines = append(paper.Lines, receipt.Line{Kind: receipt.Total, Name: l.Text("report.difference"), Value: l.Amount(report.Amount(report.Closing.Difference))},
			receipt.Line{Kind: receipt.Text, Value: hash})
	}
	return paper, printer, err
}

func sectionLines(section templates.ReportSection) []receipt.Line {
	out := []receipt.Line{{Kind: receipt.Rule}, {Kind: receipt.Centre, Value: section.Title}}
	for _, line := range section.Lines {
		out = append(out, receipt.Line{Kind: receipt.Pair, Name: receipt.Clean(line.Name), Value: receipt.Clean(line.Value)})
	}
	if len(section.Lines) == 0 {
		out = append(out, receipt.Line{Kind: receipt.Text, Value: section.None})
	}
	if section.Total != nil {
		out = append(out, receipt.Line{Kind: receipt.Total, Name: receipt.Clean(section.Total.Name), Value: receipt.Clean(section.Total.Value)})
	}
	return out
}
