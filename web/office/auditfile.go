package office

import (
	"github.com/gin-gonic/gin"

	"airtill/internal/audit"
	"airtill/internal/sheet"
	"airtill/internal/staff"
	"airtill/web/frame"
)

// auditFile is all that a filter selects as a file, from whichever of its pages, read page by page: the trail of
// years may be asked for.
func (s *Screens) auditFile(c *gin.Context, f audit.Filter) error {
	format := c.Query("file")
	if err := frame.CheckFormat(format); err != nil {
		return err
	}
	names, err := s.officeNames(c)
	if err != nil {
		return err
	}
	p, u := s.newOffice(c, "/admin/audit"), frame.Present(c).User
	told := auditWords{p.l, names}
	read := func(last *audit.Record) ([]audit.Record, error) {
		f.BeforeSeq = 0
		if last != nil {
			f.BeforeSeq = last.Seq
		}
		return s.D.Audit.List(c.Request.Context(), f)
	}
	return s.SendSheet(c, sheet.Table{
		Title: p.Title, Notes: []string{p.l.Text("reports.made", p.l.DateTime(s.D.Now()))},
		Columns: columnsOf(p.auditTable(nil, auditWords{}, staff.User{})),
		Rows:    pageByPage(f.Limit, read, func(r audit.Record) []sheet.Cell { return rowCells(told.row(r, u)) }),
	}, p.l, p.name, format)
}
