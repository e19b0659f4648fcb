package sheet

import (
	"fmt"
	"io"

	"github.com/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
)

// MostPrinted is how many rows a printed table has at most; who wants more wants
// a file that programs read.
const MostPrinted = 5000

// The measures of a page on A4 across, in millimetres.
const (
	margin     = 12
	pageWidth  = 297 - 2*margin
	lineHeight = 6
)

// WritePDF writes the table as pages to print, with its head on each of them.
// Its typeface has the Latin, Greek and Cyrillic scripts. Rows past MostPrinted
// are left out, and the last line says so with the words of more.
func (t Table) WritePDF(w io.Writer, words Words, more string) error {
	p := &printer{pdf: fpdf.New("L", "mm", "A4", ""), table: t, words: words}
	if err := p.print(more); err != nil {
		return fmt.Errorf("write pdf: %w", err)
	}
	if err := p.pdf.Output(w); err != nil {
		return fmt.Errorf("write pdf: %w", err)
	}
	return nil
}

// printer is a document under way.
type printer struct {
	pdf   *fpdf.Fpdf
	table Table
	words Words
}

func (p *printer) print(more string) error {
	pdf := p.pdf
	pdf.AddUTF8FontFromBytes("go", "", goregular.TTF)
	pdf.AddUTF8FontFromBytes("go", "B", gobold.TTF)
	pdf.SetMargins(margin, margin, margin)
	pdf.SetAutoPageBreak(true, margin+lineHeight)
	pdf.SetTitle(p.table.Title, true)
	pdf.SetFooterFunc(func() {
		pdf.SetY(-margin)
		pdf.SetFont("go", "", 8)
		pdf.CellFormat(0, lineHeight, fmt.Sprintf("%d", pdf.PageNo()), "", 0, "R", false, 0, "")
	})
	pdf.AddPage()
	pdf.SetFont("go", "B", 15)
	pdf.CellFormat(0, 9, p.table.Title, "", 1, "", false, 0, "")
	pdf.SetFont("go", "", 9)
	for _, note := range p.table.Notes {
		pdf.CellFormat(0, lineHeight, note, "", 1, "", false, 0, "")
	}
	pdf.Ln(2)
	p.head()
	pdf.SetHeaderFunc(p.head) // of every page that follows
	return p.rows(more)
}

func (p *printer) head() {
	p.pdf.SetFont("go", "B", 8)
	p.pdf.SetFillColor(238, 235, 227)
	for i, column := range p.table.Columns {
		p.cell(i, column.Name, true)
	}
	p.pdf.Ln(-1)
	p.pdf.SetFont("go", "", 8)
}

func (p *printer) rows(more string) error {
	printed := 0
	for row, err := range p.table.Rows {
		switch {
		case err != nil:
			return err
		case printed == MostPrinted:
			p.pdf.CellFormat(0, lineHeight, more, "", 1, "", false, 0, "")
			return nil
		}
		printed++
		for i, cell := range row {
			p.cell(i, cell.In(p.words), false)
		}
		p.pdf.Ln(-1)
	}
	return nil
}

// cell writes what fits into a cell's width.
func (p *printer) cell(i int, words string, fill bool) {
	column, shares := p.table.Columns[i], 0
	for _, c := range p.table.Columns {
		shares += max(c.Wide, 1)
	}
	width := float64(pageWidth) * float64(max(column.Wide, 1)) / float64(shares) //nolint:forbidigo // millimetres on paper
	align := "L"
	if column.End {
		align = "R"
	}
	runes := []rune(words)
	for len(runes) > 0 && p.pdf.GetStringWidth(string(runes)) > width-2 {
		runes = runes[:len(runes)-1]
	}
	if text := string(runes); text != words && len(runes) > 0 {
		words = string(runes[:len(runes)-1]) + "…"
	}
	p.pdf.CellFormat(width, lineHeight, words, "B", 0, align, fill, 0, "")
}
