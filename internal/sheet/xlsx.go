package sheet

import (
	"archive/zip"
	"bufio"
	_ "embed"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/template"
	"time"
)

// mostRows is how many rows a worksheet holds; the rest goes on in the next.
const mostRows = 1_048_576

// The cell formats, by position in styles.xml.
const (
	styleText   = 0
	styleHead   = 1
	styleWhole  = 2
	styleMoney  = 3
	styleShare  = 4
	styleMoment = 5
	styleQuoted = 6 // a text that must not become a formula when edited
)

// decimalStyles are the formats of numbers, by how many decimals they have. A spreadsheet rounds what it shows, so one
// format for all would make 1.23 of 1.234 dinars.
var decimalStyles = [...]int{styleWhole, 7, styleMoney, 8, 9, 10, 11}

//go:embed workbook.tmpl
var partsText string

// partsOf are the parts of a workbook other than worksheets, by name.
var partsOf = template.Must(template.New("").Funcs(template.FuncMap{
	"add": func(a, b int) int { return a + b },
}).Parse(partsText))

// WriteXLSX writes the table as a workbook. Amounts, numbers and times are typed and exact, never passed
// through a float.
func (t Table) WriteXLSX(w io.Writer) error {
	book := &workbook{zip: zip.NewWriter(w)}
	if err := book.write(t); err != nil {
		return fmt.Errorf("write xlsx: %w", err)
	}
	return nil
}

// workbook is a workbook being written.
type workbook struct {
	zip    *zip.Writer
	out    *bufio.Writer // the open worksheet
	sheets int
	rows   int // in the open worksheet
}

func (b *workbook) write(t Table) error {
	if err := b.openSheet(t.Columns); err != nil {
		return err
	}
	for row, err := range t.all() {
		if err != nil {
			return err
		}
		if b.rows == mostRows {
			if err := b.closeSheet(); err != nil {
				return err
			}
			if err := b.openSheet(t.Columns); err != nil {
				return err
			}
		}
		if err := b.row(row, false); err != nil {
			return err
		}
	}
	if err := b.closeSheet(); err != nil {
		return err
	}
	if err := b.parts(t.Title); err != nil {
		return err
	}
	return b.zip.Close()
}

func (b *workbook) openSheet(columns []Column) error {
	b.sheets, b.rows = b.sheets+1, 0
	part, err := b.zip.Create(fmt.Sprintf("xl/worksheets/sheet%d.xml", b.sheets))
	if err != nil {
		return err
	}
	b.out = bufio.NewWriter(part)
	// Flush has the error
	_, _ = b.out.WriteString(xml.Header +
		`<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
		`<sheetViews><sheetView workbookViewId="0">` +
		`<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>` +
		`<sheetFormatPr defaultColWidth="16" defaultRowHeight="15"/><sheetData>`)
	heads := make([]Cell, len(columns))
	for i, column := range columns {
		heads[i] = Text(column.Name)
	}
	return b.row(heads, true)
}

func (b *workbook) closeSheet() error {
	_, _ = b.out.WriteString("</sheetData></worksheet>") // Flush has the error
	return b.out.Flush()
}

func (b *workbook) row(cells []Cell, head bool) error {
	b.rows++
	number := strconv.Itoa(b.rows)
	_, _ = b.out.WriteString(`<row r="` + number + `">`)
	for i, cell := range cells {
		style := cell.style()
		if head {
			style = styleHead
		}
		if err := b.cell(columnName(i)+number, cell, style); err != nil {
			return err
		}
	}
	_, err := b.out.WriteString("</row>")
	return err
}

func (b *workbook) cell(name string, c Cell, style int) error {
	begin := `<c r="` + name + `" s="` + strconv.Itoa(style) + `"`
	if c.kind != text {
		_, err := b.out.WriteString(begin + "><v>" + c.number() + "</v></c>")
		return err
	}
	_, _ = b.out.WriteString(begin + ` t="inlineStr"><is><t xml:space="preserve">`)
	if err := xml.EscapeText(b.out, []byte(c.text)); err != nil {
		return err
	}
	_, err := b.out.WriteString("</t></is></c>")
	return err
}

func (c Cell) style() int {
	switch c.kind {
	case whole:
		return styleWhole
	case amount, tenths:
		_, decimals, _ := strings.Cut(c.plain(), ".")
		return decimalStyles[len(decimals)]
	case share:
		return styleShare
	case moment:
		return styleMoment
	case text:
	}
	if c.formula() {
		return styleQuoted
	}
	return styleText
}

// number is the value as a workbook stores it. A time is days since the end of 1899 by the shop's clock.
func (c Cell) number() string {
	if c.kind != moment {
		return c.plain()
	}
	year, month, day := c.at.Date()
	hour, minute, second := c.at.Clock()
	local := time.Date(year, month, day, hour, minute, second, 0, time.UTC)
	seconds := int64(local.Sub(time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)) / time.Second)
	const daySeconds = 24 * 60 * 60
	const parts = 10_000_000_000 // of a day: a spreadsheet rounds what is that close to a second
	return fmt.Sprintf("%d.%010d", seconds/daySeconds, (seconds%daySeconds*parts+daySeconds/2)/daySeconds)
}

// columnName is A for 0, Z for 25, AA for 26.
func columnName(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return columnName(i/26-1) + columnName(i%26)
}

// parts writes what holds the worksheets together.
func (b *workbook) parts(title string) error {
	names := make([]string, b.sheets)
	for i := range names {
		names[i] = sheetName(title, i+1)
	}
	for _, part := range []string{
		"xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/styles.xml", "_rels/.rels", "[Content_Types].xml",
	} {
		out, err := b.zip.Create(part)
		if err != nil {
			return err
		}
		if err := partsOf.ExecuteTemplate(out, part, names); err != nil {
			return err
		}
	}
	return nil
}

// sheetName is a title made a valid name of a worksheet: at most 31 characters, none of them special.
func sheetName(title string, i int) string {
	name := []rune(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`[]:*?/\'<>&"`, r) || r < ' ' {
			return ' '
		}
		return r
	}, title))
	name = name[:min(len(name), 26)]
	if i == 1 && len(name) > 0 {
		return string(name)
	}
	return fmt.Sprintf("%s %d", string(name), i)
}
