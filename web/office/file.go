package office

import (
	"cmp"
	"iter"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/sheet"
	"airtill/web/frame"
	"airtill/web/templates"
)

// offerFiles links each table of the page to files of it.
func (p *office) offerFiles(page *url.URL) {
	for i, t := range p.tables {
		if len(t.Rows) == 0 {
			continue
		}
		values := page.Query()
		values.Del("done")
		values.Set("table", strconv.Itoa(i))
		t.Files = frame.FileLinks(page, values)
	}
}

// officeFile answers with a table of the page as a file (table, file: csv, xlsx or pdf), as written on the
// screen.
func (s *Screens) officeFile(c *gin.Context, p *office) error {
	i, err := strconv.Atoi(c.Query("table"))
	if err != nil || i < 0 || i >= len(p.tables) {
		return fault.New(fault.NotFound, "")
	}
	t := p.tables[i]
	return s.SendList(c, cmp.Or(t.Title, p.Title), path.Base(p.place), columnsOf(t), cellsOf(t))
}

func columnsOf(t *templates.Table) (columns []sheet.Column) {
	for _, name := range t.Columns {
		columns = append(columns, sheet.Column{Name: name})
	}
	return columns
}

func cellsOf(t *templates.Table) [][]sheet.Cell {
	var rows [][]sheet.Cell
	for _, row := range t.Rows {
		rows = append(rows, rowCells(row))
	}
	return rows
}

func rowCells(row templates.Row) (cells []sheet.Cell) {
	for _, cell := range row {
		text := strings.ReplaceAll(cell.Text, "\n", ", ")
		if cell.Hint != "" {
			text += " (" + cell.Hint + ")"
		}
		cells = append(cells, sheet.Text(text))
	}
	return cells
}

// pageByPage are the rows of a long file. read returns the first of its pages, and then the one after the last one
// read; one that is not full ends the file.
func pageByPage[T any](
	full int, read func(last *T) ([]T, error), row func(T) []sheet.Cell,
) iter.Seq2[[]sheet.Cell, error] {
	return func(yield func([]sheet.Cell, error) bool) {
		var last *T
		for {
			page, err := read(last)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, one := range page {
				if !yield(row(one), nil) {
					return
				}
			}
			if len(page) < full {
				return
			}
			last = &page[len(page)-1]
		}
	}
}
