package frame

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/receipt"
	"airtill/web/locale"
	"airtill/web/templates"
)

// Printer is the printer of the user's till, at the requested width.
func (s *Server) Printer(c *gin.Context) (receipt.Printer, error) {
	printer, err := s.D.Receipts.Printer(c.Request.Context(), Present(c).Till.ID)
	switch c.Query("width") {
	case "58":
		printer.Width, printer.Columns = receipt.Narrow, min(printer.Columns, 32)
	case "80":
		printer.Width = receipt.Wide
	}
	return printer, err
}

// DuplicateText says which copy a print is, by whom and when; "" for the first.
func (s *Server) DuplicateText(c *gin.Context, l locale.Locale, p receipt.Print) (string, error) {
	if p.Number < 2 {
		return "", nil
	}
	by, err := s.D.Staff.User(c.Request.Context(), p.UserID)
	return l.Text("receipt.duplicate", l.Number(int64(p.Number-1))) + " · " + by.DisplayName + " · " +
		l.DateTime(p.At), err
}

// AllowConnect lets only this answer's page talk to a printer bridge.
func AllowConnect(c *gin.Context, bridge string) {
	u, err := url.Parse(bridge)
	if bridge == "" || err != nil {
		return
	}
	policy := c.Writer.Header().Get("Content-Security-Policy")
	c.Header(
		"Content-Security-Policy",
		strings.Replace(policy, "connect-src 'self'", "connect-src 'self' "+u.Scheme+"://"+u.Host, 1),
	)
}

// AllowFrame lets a page of ours frame this answer, as for a print that opens by itself.
func AllowFrame(c *gin.Context) {
	policy := c.Writer.Header().Get("Content-Security-Policy")
	c.Header("Content-Security-Policy", strings.Replace(policy, "frame-ancestors 'none'", "frame-ancestors 'self'", 1))
	c.Header("X-Frame-Options", "SAMEORIGIN")
}

// SectionLines is a section of a report as lines of paper.
func SectionLines(section templates.ReportSection) []receipt.Line {
	out := []receipt.Line{{Kind: receipt.Rule}, {Kind: receipt.Centre, Value: section.Title}}
	for _, line := range section.Lines {
		out = append(out, receipt.Line{
			Kind: receipt.Pair, Name: receipt.Clean(line.Name), Value: receipt.Clean(line.Value),
		})
	}
	if len(section.Lines) == 0 {
		out = append(out, receipt.Line{Kind: receipt.Text, Value: section.None})
	}
	if section.Total != nil {
		out = append(out, receipt.Line{
			Kind: receipt.Total, Name: receipt.Clean(section.Total.Name), Value: receipt.Clean(section.Total.Value),
		})
	}
	return out
}

// GivePrint answers a request for leave to print.
func (s *Server) GivePrint(c *gin.Context, of string) error {
	leave, err := s.D.Receipts.Open(c.Request.Context(), c.Param("print"), of)
	if err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	if !leave {
		c.Status(http.StatusConflict)
	}
	return nil
}

// SendFile answers with the bytes of a paper, as a download.
func SendFile(c *gin.Context, paper receipt.Paper, name string) error {
	body, err := paper.ESCPOS()
	if err != nil {
		return err
	}
	c.Header("Content-Disposition", `attachment; filename="`+name+`.escpos"`)
	c.Data(http.StatusOK, "application/octet-stream", body)
	return nil
}
