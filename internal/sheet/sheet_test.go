package sheet_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"airtill/internal/harness/hostile"
	"airtill/internal/money"
	"airtill/internal/picture"
	"airtill/internal/sheet"
)

var dublin = func() *time.Location {
	zone, err := time.LoadLocation("Europe/Dublin")
	if err != nil {
		panic(err)
	}
	return zone
}()

var formulas = hostile.Formulas()

func table() sheet.Table {
	rows := [][]sheet.Cell{{
		sheet.Text("Kora <Mobile> & “friends”, Ltd"), sheet.Whole(1234), sheet.Amount(money.MustParse("-1234567.05", "EUR")), sheet.Share(983),
		sheet.Moment(time.Date(2026, 7, 1, 11, 30, 5, 0, time.UTC), dublin),
	}}
	for _, f := range formulas {
		rows = append(rows, []sheet.Cell{sheet.Text(f), sheet.Whole(0), sheet.Amount(money.MustParse("0.1", "EUR")), sheet.Share(0), sheet.Moment(time.Time{}, dublin)})
	}
	return sheet.Table{
		Title: "Sales [by] provider: all/any*?", Notes: []string{"1 to 31 July"},
		Columns: []sheet.Column{{Name: "Provider", Wide: 3}, {Name: "Sales", End: true}, {Name: "Paid", End: true}, {Name: "Success", End: true}, {Name: "Last"}},
		Rows:    sheet.From(rows),
	}
}

func TestCSVIsReadBackWithoutFormulas(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	require.NoError(t, table().WriteCSV(&b))
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(b.String(), "\uFEFF"))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"Provider", "Sales", "Paid", "Success", "Last"}, rows[0])
	require.Equal(t, []string{"Kora <Mobile> & “friends”, Ltd", "1234", "-1234567.05", "0.983", "2026-07-01 12:30:05"}, rows[1])
	for i, f := range formulas {
		require.Equal(t, "'"+strings.ReplaceAll(f, "\r", ""), rows[i+2][0], "%q", f) // line ends are CRLF: a lone CR goes
	}
}

// TestCalcReckonsNothing opens both files with LibreOffice, where it is installed.
func TestCalcReckonsNothing(t *testing.T) {
	t.Parallel()
	calc, err := exec.LookPath("soffice")
	if err != nil {
		t.Skip("soffice is not installed (Debian: libreoffice-calc-nogui)")
	}
	dir := t.TempDir()
	convert := func(name, to string, write func(sheet.Table, io.Writer) error) []byte {
		file, err := os.Create(filepath.Join(dir, name))
		require.NoError(t, err)
		require.NoError(t, write(table(), file))
		require.NoError(t, file.Close())
		out := filepath.Join(dir, "from-"+name)
		said, err := exec.CommandContext(t.Context(), calc, "-env:UserInstallation=file://"+dir+"/profile", "--headless", "--convert-to", to, "--outdir", out, file.Name()).CombinedOutput()
		require.NoError(t, err, "%s", said)
		converted, err := os.ReadFile(filepath.Join(out, strings.TrimSuffix(name, filepath.Ext(name))+"."+to[:strings.IndexAny(to+":", ":")]))
		require.NoError(t, err)
		return converted
	}
	rows, err := csv.NewReader(bytes.NewReader(convert("book.xlsx", "csv:Text - txt - csv (StarCalc):44,34,76", sheet.Table.WriteXLSX))).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, len(formulas)+2)
	for i, f := range formulas {
		require.Equal(t, strings.Join(strings.Fields(f), " "), strings.Join(strings.Fields(rows[i+2][0]), " "), "shown as it was written")
	}
	book := open(t, convert("list.csv", "xlsx", sheet.Table.WriteCSV))
	name := book.GetSheetName(0)
	for i := range formulas {
		formula, err := book.GetCellFormula(name, "A"+strconv.Itoa(i+3))
		require.NoError(t, err)
		require.Empty(t, formula)
	}
}

// TestMarkupOnPaperIsText: a PDF has no scripts and leads nowhere, whatever is in it.
func TestMarkupOnPaperIsText(t *testing.T) {
	t.Parallel()
	var rows [][]sheet.Cell
	for _, text := range append(hostile.Markup(), hostile.Formulas()...) {
		rows = append(rows, []sheet.Cell{sheet.Text(text)})
	}
	var b bytes.Buffer
	paper := sheet.Table{Title: "<script>) /JS (", Columns: []sheet.Column{{Name: "Text", Wide: 3}}, Rows: sheet.From(rows)}
	require.NoError(t, paper.WritePDF(&b, words, ""))
	outside := regexp.MustCompile(`(?s)stream\r?\n.*?endstream|\((\\.|[^)])*\)`).ReplaceAllString(b.String(), "") // streams and texts
	require.Less(t, len(outside), b.Len())
	require.Empty(t, regexp.MustCompile(`/(JS|JavaScript|OpenAction|AA|URI|Launch|Annots|EmbeddedFile)\b.{0,40}`).FindAllString(outside, -1))
}

func TestWorkbookOpensWithTypedCells(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	require.NoError(t, table().WriteXLSX(&b))
	book := open(t, b.Bytes())
	name := book.GetSheetName(0)
	raw := func(cell string) string {
		value, err := book.GetCellValue(name, cell, excelize.Options{RawCellValue: true})
		require.NoError(t, err)
		return value
	}
	typed := func(cell string) excelize.CellType {
		kind, err := book.GetCellType(name, cell)
		require.NoError(t, err)
		return kind
	}
	require.Equal(t, "Kora <Mobile> & “friends”, Ltd", raw("A2"))
	require.Equal(t, "-1234567.05", raw("C2"))
	require.NotEqual(t, excelize.CellTypeInlineString, typed("C2"))
	shown, err := book.GetCellValue(name, "E2")
	require.NoError(t, err)
	require.Equal(t, "2026-07-01 12:30:05", shown)
	shown, err = book.GetCellValue(name, "D2")
	require.NoError(t, err)
	require.Equal(t, "98.30%", shown)
	for i := range formulas {
		cell := "A" + strconv.Itoa(i+3)
		require.Equal(t, excelize.CellTypeInlineString, typed(cell))
		formula, err := book.GetCellFormula(name, cell)
		require.NoError(t, err)
		require.Empty(t, formula)
		style, err := book.GetCellStyle(name, cell)
		require.NoError(t, err)
		require.Equal(t, 6, style, "quoted")
	}
}

// open reads a workbook with another program's eyes. What that unpacks onto the
// disk, hundreds of megabytes of a long one, goes with the test.
func open(t *testing.T, body []byte) *excelize.File {
	t.Helper()
	book, err := excelize.OpenReader(bytes.NewReader(body), excelize.Options{UnzipXMLSizeLimit: 1 << 20, TmpDir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, book.Close()) })
	return book
}

// many yields n rows, and then the error.
func many(n int, end error) iter.Seq2[[]sheet.Cell, error] {
	return func(yield func([]sheet.Cell, error) bool) {
		row := []sheet.Cell{sheet.Text("Kora Mobile"), sheet.Whole(7), sheet.Amount(money.MustParse("10.30", "EUR"))}
		for range n {
			if !yield(row, nil) {
				return
			}
		}
		if end != nil {
			yield(nil, end)
		}
	}
}

func TestWorkbookGoesOnInASecondSheet(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a million rows")
	}
	out, in := io.Pipe()
	go func() {
		in.CloseWithError(sheet.Table{Title: "Sales", Columns: []sheet.Column{{Name: "A"}, {Name: "B"}, {Name: "C"}}, Rows: many(1_048_580, nil)}.WriteXLSX(in))
	}()
	body, err := io.ReadAll(out)
	require.NoError(t, err)
	book := open(t, body)
	require.Equal(t, []string{"Sales", "Sales 2"}, book.GetSheetList())
	value, err := book.GetCellValue("Sales 2", "C6")
	require.NoError(t, err)
	require.Equal(t, "10.30", value)
}

// TestMillionRowsInFlatMemory: what is written is not kept.
func TestMillionRowsInFlatMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	most := uint64(0)
	watched := sheet.Table{Columns: []sheet.Column{{Name: "A"}, {Name: "B"}, {Name: "C"}}, Rows: func(yield func([]sheet.Cell, error) bool) {
		i := 0
		for row, err := range many(1_000_000, nil) {
			if i++; i%100_000 == 0 {
				runtime.ReadMemStats(&after)
				most = max(most, after.HeapInuse)
			}
			if !yield(row, err) {
				return
			}
		}
	}}
	require.NoError(t, watched.WriteCSV(io.Discard))
	require.NoError(t, watched.WriteXLSX(io.Discard))
	require.Less(t, most, before.HeapInuse+32<<20)
}

func TestAnErrorEndsTheFile(t *testing.T) {
	t.Parallel()
	broken := table()
	broken.Rows = many(3, context.Canceled)
	require.ErrorIs(t, broken.WriteCSV(io.Discard), context.Canceled)
	require.ErrorIs(t, broken.WriteXLSX(io.Discard), context.Canceled)
	require.ErrorIs(t, broken.WritePDF(io.Discard, words, ""), context.Canceled)
	refused := errors.New("gone")
	require.ErrorIs(t, table().WriteCSV(gone{refused}), refused)
	require.ErrorIs(t, table().WriteXLSX(gone{refused}), refused)
}

type gone struct{ err error }

func (g gone) Write([]byte) (int, error) { return 0, g.err }

// leaves takes some bytes and then is gone, as a browser in the middle of a file.
type leaves struct {
	after int
	gone
}

func (l *leaves) Write(b []byte) (int, error) {
	if l.after -= len(b); l.after < 0 {
		return 0, l.err
	}
	return len(b), nil
}

// TestFilesAreWrittenWithoutTheDisk: whole, broken off by an error or by who reads,
// a file leaves nothing behind, since it never was on the disk.
func TestFilesAreWrittenWithoutTheDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("a hundred thousand rows, again and again")
	}
	t.Setenv("TMPDIR", t.TempDir())
	left := func() []os.DirEntry {
		files, err := os.ReadDir(os.TempDir())
		require.NoError(t, err)
		return files
	}
	const rows = 100_000 // 19 MB of XML: more than a library keeps in memory before it takes to files
	end := errors.New("the end")
	for name, w := range map[string]io.Writer{"whole": io.Discard, "gone at once": gone{end}, "gone half-way": &leaves{1 << 20, gone{end}}} {
		for _, failure := range []error{nil, end} {
			written := sheet.Table{Title: "Sales", Columns: []sheet.Column{{Name: "A"}, {Name: "B"}, {Name: "C"}}, Rows: func(yield func([]sheet.Cell, error) bool) {
				n := 0
				for row, err := range many(rows, failure) {
					if n++; n == rows {
						require.Empty(t, left(), "while it is written")
					}
					if !yield(row, err) {
						return
					}
				}
			}}
			for format, err := range map[string]error{"csv": written.WriteCSV(w), "xlsx": written.WriteXLSX(w), "pdf": written.WritePDF(w, words, "more")} {
				if w == io.Discard && (failure == nil || format == "pdf") { // which prints no more than MostPrinted
					require.NoError(t, err, format)
				} else {
					require.ErrorIs(t, err, end, "%s %s", format, name)
				}
				require.Empty(t, left(), "%s %s", format, name)
			}
		}
	}
}

var words = sheet.Words{
	Whole:  func(n int64) string { return strconv.FormatInt(n, 10) },
	Amount: money.Amount.String,
	Tenths: func(n int64) string { return strconv.FormatInt(n, 10) + "/10" },
	Share:  func(n int64) string { return strconv.FormatInt(n, 10) + "‰" },
	Moment: time.Time.String,
}

func TestPDFHasPages(t *testing.T) {
	t.Parallel()
	long := table()
	long.Rows = many(100, nil)
	long.Columns = long.Columns[:3]
	var b bytes.Buffer
	require.NoError(t, long.WritePDF(&b, words, "more"))
	require.True(t, bytes.HasPrefix(b.Bytes(), []byte("%PDF-")))
	require.Contains(t, b.String(), "/Count 4")
}

// TestPDFCutsNothing: what is too wide for its column goes on in the next line, and a
// table that is cut says so on its first page.
func TestPDFCutsNothing(t *testing.T) {
	t.Parallel()
	const ref, reason, more = "AT01J0SALE0000000000000000000001", "AccountNumberInvalid/ProviderRefused", "Only the first rows"
	wide := sheet.Table{Title: "Sales", Notes: []string{"1 to 31 July"}}
	for range 14 {
		wide.Columns = append(wide.Columns, sheet.Column{Name: "Reference of it", Wide: 2})
	}
	rows := func(n int) [][]sheet.Cell {
		row := slices.Repeat([]sheet.Cell{sheet.Text(ref)}, 13)
		return slices.Repeat([][]sheet.Cell{append(row, sheet.Text(reason))}, n)
	}
	wide.Rows = sheet.From(rows(60))
	pages := written(t, wide, more)
	require.Equal(t, 60*13, strings.Count(strings.Join(pages, ""), ref))
	require.Equal(t, 60, strings.Count(strings.Join(pages, ""), reason))
	require.NotContains(t, strings.Join(pages, ""), "…")
	require.NotContains(t, pages[0], strings.ReplaceAll(more, " ", ""))
	require.Greater(t, len(pages), 2)
	for _, page := range pages {
		require.Contains(t, page, "Referenceofit", "each page has its head")
	}
	wide.Columns = wide.Columns[:1]
	wide.Rows = sheet.From(slices.Repeat([][]sheet.Cell{{sheet.Text("row")}}, sheet.MostPrinted+1))
	pages = written(t, wide, more)
	require.Contains(t, pages[0], strings.ReplaceAll(more, " ", ""))
	require.Contains(t, pages[len(pages)-1], strings.ReplaceAll(more, " ", ""))
}

// TestATitleThatIsTooWideGoesOnInTheNextLine: the name of a shop stands before what the paper is.
func TestATitleThatIsTooWideGoesOnInTheNextLine(t *testing.T) {
	t.Parallel()
	for _, shop := range []string{strings.Repeat("Prepaid", 28), strings.Repeat("Prepaid top-ups ", 12)} {
		paper := sheet.Table{Title: shop + " · Statement 12", Columns: []sheet.Column{{Name: "A"}}, Rows: sheet.From(nil)}
		pages := drawn(t, paper, "more")
		require.Len(t, pages, 1)
		require.Contains(t, strings.Join(pages[0], ""), strings.ReplaceAll(shop, " ", ""))
		for _, line := range pages[0] {
			require.Less(t, len(line), 150, "it does not leave the page")
		}
	}
}

// TestPDFGoesOnWithARowOnTheNextPage: what somebody was told may be longer than a page.
func TestPDFGoesOnWithARowOnTheNextPage(t *testing.T) {
	t.Parallel()
	var told strings.Builder
	for i := range 600 {
		fmt.Fprintf(&told, "word%04d ", i)
	}
	row := []sheet.Cell{sheet.Text("before"), sheet.Text(told.String()), sheet.Text("beside"), sheet.Text("between")}
	list := sheet.Table{
		Columns: []sheet.Column{{Name: "Who"}, {Name: "What"}, {Name: "Where"}, {Name: "Which"}},
		Rows:    sheet.From([][]sheet.Cell{row, {sheet.Text("after"), sheet.Text(""), sheet.Text(""), sheet.Text("")}}),
	}
	pages := written(t, list, "more")
	require.InDelta(t, 5, len(pages), 1)
	text := strings.Join(pages, "")
	for _, cell := range []string{"before", "beside", "between", "after"} {
		require.Equal(t, 1, strings.Count(text, cell), cell)
	}
	for i := range 600 {
		require.Equal(t, 1, strings.Count(text, fmt.Sprintf("word%04d", i)), i)
	}
	for _, page := range pages {
		require.Contains(t, page, "Which", "each page has its head")
	}
}

// TestPDFTakesAnyText: people type small pictures into a name or a reason, and a printed list has them.
func TestPDFTakesAnyText(t *testing.T) {
	t.Parallel()
	for _, typed := range []string{"Thank you 😀", "\U0010FFFF", "cut \xe2\x82", "\xff", "\x00", "\uFFFF", ""} {
		point := picture.Point{Name: typed, Short: typed, Value: typed}
		for _, kind := range []picture.Kind{picture.Columns, picture.Bars, picture.Heat} {
			list := sheet.Table{
				Title: typed, Notes: []string{typed}, Columns: []sheet.Column{{Name: typed}, {Name: "Reason"}},
				Rows:   sheet.From([][]sheet.Cell{{sheet.Text(typed), sheet.Text("before " + typed + " after")}}),
				Totals: [][]sheet.Cell{{sheet.Text(typed), sheet.Text("")}},
				Picture: picture.Picture{
					Kind: kind, Title: typed, Ticks: []string{typed, typed}, Points: []picture.Point{point},
					Hours: []string{typed}, Lines: []picture.Line{{Name: typed, Cells: []picture.Cell{{Value: typed}}}},
				},
			}
			var text string
			require.NotPanics(t, func() { text = strings.Join(written(t, list, typed), "") }, "%q as %s", typed, kind)
			require.Contains(t, text, "before", "%q as %s", typed, kind)
			require.Contains(t, text, "after", "%q as %s", typed, kind)
		}
	}
}

var (
	streams = regexp.MustCompile(`(?s)stream\r?\n(.*?)\r?\nendstream`)
	shown   = regexp.MustCompile(`(?s)\(((?:[^\\)]|\\.)*)\) ?Tj`)
)

// written is the text of each page of a table, without spaces.
func written(t *testing.T, table sheet.Table, more string) (pages []string) {
	t.Helper()
	for _, texts := range drawn(t, table, more) {
		pages = append(pages, strings.Join(texts, ""))
	}
	return pages
}

// drawn is each text of each page, without blanks.
func drawn(t *testing.T, table sheet.Table, more string) (pages [][]string) {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, table.WritePDF(&b, words, more))
	for _, stream := range streams.FindAllSubmatch(b.Bytes(), -1) {
		unpacked, err := zlib.NewReader(bytes.NewReader(stream[1]))
		if err != nil {
			continue // not packed: no page
		}
		content, err := io.ReadAll(unpacked)
		if err != nil {
			continue
		}
		var page []string
		for _, text := range shown.FindAllSubmatch(content, -1) {
			page = append(page, strings.Map(func(r rune) rune {
				if r == 0 || r == ' ' {
					return -1
				}
				return r
			}, string(text[1])))
		}
		if page != nil {
			pages = append(pages, page)
		}
	}
	require.NotEmpty(t, pages)
	return pages
}
