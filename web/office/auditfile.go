package office

import (
	"iter"

	"github.com/gin-gonic/gin"

	"airtill/internal/audit"
	"airtill/internal/sheet"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/templates"
)

// auditFile is all that a filter selects as a file, from whichever of its pages, read page by page: the trail of
// years may be asked for.
func (s *Screens) auditFile(c *gin.Context, f audit.Filter) error {
	format := c.Query("file")
	if err := frame.CheckFormat(format); err != nil {
		return err
	}
	names, err := s.officeNames(c.Request.Context(), s.LocaleOf(c.Request))
	if err != nil {
		return err
	}
	p := s.newOffice(c, "/admin/audit", nil)
	f.BeforeSeq = 0
	return s.SendSheet(c, sheet.Table{
		Title: p.Title, Notes: []string{p.l.Text("reports.made", p.l.DateTime(s.D.Now()))},
		Columns: columnsOf(p.auditTable(nil, auditWords{}, staff.User{})),
		Rows:    s.auditRows(c, auditWords{p.l, names}, f),
	}, p.l, p.name, format)
}

func (s *Screens) auditRows(c *gin.Context, told auditWords, f audit.Filter) iter.Seq2[[]sheet.Cell, error] {
	return func(yield func([]sheet.Cell, error) bool) {
		f, u := f, frame.Present(c).User
		for {
			records, err := s.D.Audit.List(c.Request.Context(), f)
			if err != nil {
				yield(nil, err)
				return
			}
			t := &templates.Table{}
			for _, r := range records {
				t.Add(told.row(r, u))
			}
			for _, row := range cellsOf(t) {
				if !yield(row, nil) {
					return
				}
			}
			if len(records) < f.Limit {
				return
			}
			f.BeforeSeq = records[len(records)-1].Seq
		}
	}
}
