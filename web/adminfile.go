package web

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/sheet"
	"airtill/web/templates"
)

// offerFiles leads from each table of the office to the same as a file.
func (p *officePage) offerFiles(page *url.URL) {
	for i := range p.Parts {
		part := &p.Parts[i]
		if part.Table == nil || len(part.Table.Rows) == 0 {
			continue
		}
		values := page.Query()
		values.Del("done")
		values.Set("table", strconv.Itoa(i))
		for _, format := range exportFormats {
			values.Set("file", format)
			part.Files = append(part.Files, templates.Link{Text: strings.ToUpper(format), URL: page.Path + "?" + values.Encode()})
		}
	}
}

// officeFile answers with a table of the page as a file (table, file: csv, xlsx or
// pdf), as it is written on the screen.
func (s *Server) officeFile(c *gin.Context, p *officePage) error {
	i, err := strconv.Atoi(c.Query("table"))
	if err != nil || i < 0 || i >= len(p.Parts) || p.Parts[i].Table == nil || !slices.Contains(exportFormats, c.Query("file")) {
		return fault.New(fault.NotFound, "")
	}
	part := p.Parts[i]
	table := sheet.Table{Title: cmp.Or(part.Title, p.Title), Notes: []string{p.l.Text("reports.made", p.l.DateTime(s.d.Now()))}, Rows: sheet.From(cellsOf(*part.Table))}
	for _, name := range part.Table.Columns {
		table.Columns = append(table.Columns, sheet.Column{Name: name})
	}
	name := strings.Split(strings.Trim(c.FullPath(), "/"), "/")[1] // /admin/people/:id
	return s.sendSheet(c, table, p.l, name, c.Query("file"))
}

func cellsOf(t templates.OfficeTable) [][]sheet.Cell {
	var rows [][]sheet.Cell
	for _, row := range t.Rows {
		var cells []sheet.Cell
		for _, cell := range row.Cells {
			text := cell.Text
			if cell.Hint != "" {
				text += " (" + cell.Hint + ")"
			}
			cells = append(cells, sheet.Text(text))
		}
		rows = append(rows, cells)
	}
	return rows
}
