package web

import (
	"cmp"
	"net/url"
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
		if part.Table == nil || len(part.Table.Rows) == 0 || part.Renew != "" {
			continue
		}
		values := page.Query()
		values.Del("done")
		values.Set("table", strconv.Itoa(i))
		part.Files = fileLinks(page, values)
	}
}

// officeFile answers with a table of the page as a file (table, file: csv, xlsx or
// pdf), as it is written on the screen.
func (s *Server) officeFile(c *gin.Context, p *officePage) error {
	i, err := strconv.Atoi(c.Query("table"))
	if err != nil || i < 0 || i >= len(p.Parts) || p.Parts[i].Table == nil {
		return fault.New(fault.NotFound, "")
	}
	part := p.Parts[i]
	var columns []sheet.Column
	for _, name := range part.Table.Columns {
		columns = append(columns, sheet.Column{Name: name})
	}
	name := strings.Split(strings.Trim(c.FullPath(), "/"), "/")[1] // /admin/people/:id
	return s.sendList(c, cmp.Or(part.Title, p.Title), name, columns, cellsOf(*part.Table))
}

func cellsOf(t templates.OfficeTable) [][]sheet.Cell {
	var rows [][]sheet.Cell
	for _, row := range t.Rows {
		var cells []sheet.Cell
		for _, cell := range row.Cells {
			text := strings.ReplaceAll(cell.Text, "\n", ", ")
			if cell.Hint != "" {
				text += " (" + cell.Hint + ")"
			}
			cells = append(cells, sheet.Text(text))
		}
		rows = append(rows, cells)
	}
	return rows
}
