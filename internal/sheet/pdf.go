package sheet

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
)

// MostPrinted is how many rows a printed table has at most; beyond that, people want a file for programs.
const MostPrinted = 5000

// The measures of a landscape A4 page, in millimetres.
const (
	margin     = 12
	pageWidth  = 297 - 2*margin
	lineHeight = 6
)

// WritePDF writes the table as pages to print, each with its head. The typeface has the Latin, Greek and
// Cyrillic scripts. Rows past MostPrinted are left out, and the last line says so in the words of more.
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

// typeface reads the typeface once.
var typeface = sync.OnceValues(func() (*sfnt.Font, error) { return sfnt.Parse(goregular.TTF) })

// Prints says whether the typeface of printed pages has a character. It lacks the signs of many currencies.
func Prints(r rune) bool {
	drawn, err := typeface()
	if err != nil {
		return false
	}
	glyph, err := drawn.GlyphIndex(nil, r)
	return err == nil && glyph != 0
}

// printer is a document being written.
type printer struct {
	pdf    *fpdf.Fpdf
	table  Table
	words  Words
	size   int   // of the letters of the table, in points
	widths []int // of its columns
}

func (p *printer) print(more string) error {
	pdf := p.pdf
	pdf.AddUTF8FontFromBytes("go", "", goregular.TTF)
	pdf.AddUTF8FontFromBytes("go", "B", gobold.TTF)
	pdf.SetMargins(margin, margin, margin)
	pdf.SetAutoPageBreak(true, margin+lineHeight)
	pdf.SetTitle(drawable(p.table.Title), true)
	pdf.SetFooterFunc(func() {
		pdf.SetY(-margin)
		pdf.SetFont("go", "", 8)
		pdf.CellFormat(0, lineHeight, fmt.Sprintf("%d", pdf.PageNo()), "", 0, "R", false, 0, "")
	})
	pdf.AddPage()
	pdf.SetFont("go", "B", 15)
	pdf.MultiCell(0, 9, drawable(p.table.Title), "", "L", false)
	pdf.SetFont("go", "", 9)
	rows, cut, err := p.read()
	if err != nil {
		return err
	}
	if cut { // at the top, and again where the rows end
		p.table.Notes = append(slices.Clone(p.table.Notes), more)
	}
	for _, note := range p.table.Notes {
		pdf.MultiCell(0, lineHeight, drawable(note), "", "L", false)
	}
	pdf.Ln(2)
	p.draw(p.table.Picture)
	var totals [][]string
	for _, row := range p.table.Totals {
		totals = append(totals, p.written(row))
	}
	p.layOut(slices.Concat(rows, totals))
	p.head()
	pdf.SetHeaderFunc(p.head) // of all further pages
	for _, row := range rows {
		p.row(row, false)
	}
	p.letters("B")
	for _, row := range totals {
		p.row(row, false)
	}
	p.letters("")
	if cut {
		pdf.CellFormat(0, lineHeight, more, "", 1, "", false, 0, "")
	}
	return nil
}

func (p *printer) written(row []Cell) (words []string) {
	for _, cell := range row {
		words = append(words, drawable(cell.In(p.words)))
	}
	return words
}

// lastDrawn is the last character that fpdf has a place for. At one beyond it, such as most emoji, it panics.
const lastDrawn = 0xFFFF

// drawable is a text with a mark for each character that cannot be drawn, and for what is no character.
func drawable(text string) string {
	return strings.Map(func(r rune) rune {
		if r > lastDrawn {
			return utf8.RuneError
		}
		return r
	}, text)
}

// letters are those of the table from here on: bold ("B") or not.
func (p *printer) letters(style string) {
	p.pdf.SetFont("go", style, float64(p.size)) //nolint:forbidigo // a size of letters, not money
}

// read takes as many rows as are printed, as they are written, and says whether there were more.
func (p *printer) read() (rows [][]string, cut bool, err error) {
	for row, err := range p.table.Rows {
		switch {
		case err != nil:
			return nil, false, err
		case len(rows) == MostPrinted:
			return rows, true, nil
		}
		rows = append(rows, p.written(row))
	}
	return rows, false, nil
}

func (p *printer) head() {
	p.letters("B")
	p.pdf.SetFillColor(238, 235, 227)
	names := make([]string, len(p.table.Columns))
	for i, column := range p.table.Columns {
		names[i] = drawable(column.Name)
	}
	p.row(names, true)
	p.letters("")
}

// The measures of a row, in millimetres.
const (
	rowLine = 3.6 // between lines of one cell
	padding = 1.2
)

// row writes the cells of a row on as many lines as they need: nothing is cut. One longer than a page goes on on the
// next.
func (p *printer) row(words []string, head bool) {
	lines, most := make([][]string, len(words)), 1
	for i, text := range words {
		lines[i] = p.pdf.SplitText(text, p.width(i)-2)
		most = max(most, len(lines[i]))
	}
	if !head && most > p.room() {
		p.pdf.AddPage()
	}
	for from := 0; from < most; {
		to := most
		if !head {
			to = min(most, from+max(p.room(), 1))
		}
		p.lines(lines, from, to, head)
		if from = to; from < most {
			p.pdf.AddPage()
		}
	}
}

// room is how many lines of a row the page still has.
func (p *printer) room() int {
	_, page := p.pdf.GetPageSize()
	return int((page - margin - lineHeight - p.pdf.GetY() - 2*padding) / rowLine)
}

// lines writes some of the lines of a row's cells.
func (p *printer) lines(cells [][]string, from, to int, head bool) {
	height := float64(to-from)*rowLine + 2*padding //nolint:forbidigo // millimetres on paper
	x, y := float64(margin), p.pdf.GetY()          //nolint:forbidigo // likewise
	for i, all := range cells {
		align := "L"
		if p.table.Columns[i].End {
			align = "R"
		}
		p.pdf.SetXY(x, y)
		p.pdf.CellFormat(p.width(i), height, "", "B", 0, "", head, 0, "")
		for n, line := range all[min(from, len(all)):min(to, len(all))] {
			p.pdf.SetXY(x, y+padding+float64(n)*rowLine) //nolint:forbidigo // likewise
			p.pdf.CellFormat(p.width(i), rowLine, line, "", 0, align, false, 0, "")
		}
		x += p.width(i)
	}
	p.pdf.SetXY(margin, y+height)
}

// width is how wide a column is, in millimetres.
func (p *printer) width(i int) float64 { return float64(p.widths[i]) / 1000 } //nolint:forbidigo // likewise
