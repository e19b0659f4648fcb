package sheet_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/money"
	"airtill/internal/sheet"
)

// listed is one column of cells as a CSV file has them, without its head.
func listed(t *testing.T, cells ...sheet.Cell) (values []string) {
	t.Helper()
	rows := make([][]sheet.Cell, len(cells))
	for i, cell := range cells {
		rows[i] = []sheet.Cell{sheet.Text("x"), cell} // a line of one empty value is read as none
	}
	var b bytes.Buffer
	require.NoError(t, sheet.Table{Columns: []sheet.Column{{Name: "X"}, {Name: "Value"}}, Rows: sheet.From(rows)}.WriteCSV(&b))
	read, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(b.String(), "\uFEFF"))).ReadAll()
	require.NoError(t, err)
	for _, row := range read[1:] {
		values = append(values, row[1])
	}
	return values
}

// TestProgramsReadValuesWithoutGrouping: a decimal point, as many places as the currency has, all of what is finer than
// its cent, and the sign of what is below nothing.
func TestProgramsReadValuesWithoutGrouping(t *testing.T) {
	t.Parallel()
	for want, cell := range map[string]sheet.Cell{
		"0": sheet.Whole(0), "-1234567": sheet.Whole(-1234567), "9223372036854775807": sheet.Whole(1<<63 - 1),
		"0.00": sheet.Amount(money.Of(0, "EUR")), "-0.05": sheet.Amount(money.MustParse("-0.05", "EUR")), "1234567.80": sheet.Amount(money.MustParse("1234567.8", "EUR")),
		"1500": sheet.Amount(money.MustParse("1500", "XOF")), "1.234567": sheet.Amount(money.Of(1_234_567, "EUR")),
		"0.000": sheet.Share(0), "1.000": sheet.Share(1000), "0.983": sheet.Share(983), "-0.005": sheet.Share(-5), "12.500": sheet.Share(12_500),
		"0.0": sheet.Tenths(0), "2.4": sheet.Tenths(24), "-0.1": sheet.Tenths(-1), "100.0": sheet.Tenths(1000),
		"": sheet.Text(""), "1,5\n\"x\"": sheet.Text("1,5\n\"x\""),
	} {
		require.Equal(t, []string{want}, listed(t, cell))
	}
}

// TestAWorkbookShowsEachDecimalOfAnAmount and no more than a currency has: 1.234 dinars are not 1.23, nor 1,500 francs
// 1,500.00.
func TestAWorkbookShowsEachDecimalOfAnAmount(t *testing.T) {
	t.Parallel()
	var rows [][]sheet.Cell
	want := []string{"Value"}
	for _, c := range []struct {
		shown string
		cell  sheet.Cell
	}{
		{"1,234.500", sheet.Amount(money.MustParse("1234.5", "KWD"))},
		{"1.234", sheet.Amount(money.MustParse("1.234", "KWD"))},
		{"1,500", sheet.Amount(money.MustParse("1500", "XOF"))},
		{"0.1", sheet.Amount(money.MustParse("0.1", "XOF"))},
		{"-0.50", sheet.Amount(money.MustParse("-0.5", "EUR"))},
		{"1.2345", sheet.Amount(money.MustParse("1.2345", "EUR"))},
		{"1.23456", sheet.Amount(money.MustParse("1.23456", "EUR"))},
		{"1.234567", sheet.Amount(money.MustParse("1.234567", "EUR"))},
		{"2.4", sheet.Tenths(24)},
		{"1,234", sheet.Whole(1234)},
	} {
		rows, want = append(rows, []sheet.Cell{c.cell}), append(want, c.shown)
	}
	var b bytes.Buffer
	require.NoError(t, sheet.Table{Title: "Sales", Columns: []sheet.Column{{Name: "Value"}}, Rows: sheet.From(rows)}.WriteXLSX(&b))
	read, err := open(t, b.Bytes()).GetRows("Sales")
	require.NoError(t, err)
	var shown []string
	for _, row := range read {
		shown = append(shown, row[0])
	}
	require.Equal(t, want, shown)
}

// TestAMomentIsWhatTheClocksShowed: the hour that comes twice is shown twice, and the zero time is empty.
func TestAMomentIsWhatTheClocksShowed(t *testing.T) {
	t.Parallel()
	require.Equal(t,
		[]string{"2026-10-25 01:30:00", "2026-10-25 01:30:00", "2026-03-29 00:59:59", "2026-03-29 02:00:00", ""},
		listed(
			t,
			sheet.Moment(time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC), dublin), sheet.Moment(time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC), dublin),
			sheet.Moment(time.Date(2026, 3, 29, 0, 59, 59, 999, time.UTC), dublin), sheet.Moment(time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC), dublin),
			sheet.Moment(time.Time{}, dublin),
		))
}

// TestOnlyTextsAreTakenForFormulas, however their first sign is hidden; a number below nothing stays a number, and the
// head of a column is a text too.
func TestOnlyTextsAreTakenForFormulas(t *testing.T) {
	t.Parallel()
	for text, formula := range map[string]bool{
		"=1+1": true, "+353": true, "-5": true, "@x": true, "\t=1": true, "  =1": true, "\u00a0=1": true, "\u200b=1": true, "\ufeff-1": true, "＝1": true,
		"": false, " ": false, "a=1": false, "1-2": false, "(=1)": false, "'=1": false, "·=1": false,
	} {
		want := text
		if formula {
			want = "'" + text
		}
		require.Equal(t, []string{want}, listed(t, sheet.Text(text)), "%q", text)
	}
	require.Equal(t, []string{"-5", "-5.00", "-0.005"}, listed(t, sheet.Whole(-5), sheet.Amount(money.MustParse("-5", "EUR")), sheet.Share(-5)))
	var b bytes.Buffer
	require.NoError(t, sheet.Table{Columns: []sheet.Column{{Name: "=cmd"}, {Name: "Paid"}}, Rows: sheet.From(nil)}.WriteCSV(&b))
	require.Equal(t, "\uFEFF'=cmd,Paid\r\n", b.String())
}

// TestTotalsStandBelowTheRows of every kind of file, one for each currency, and below no rows at all; after an error
// there are none.
func TestTotalsStandBelowTheRows(t *testing.T) {
	t.Parallel()
	sum := func(name, value string, currency money.Currency) []sheet.Cell {
		return []sheet.Cell{sheet.Text(name), sheet.Amount(money.MustParse(value, currency))}
	}
	for name, c := range map[string]struct {
		rows [][]sheet.Cell
		want []string
	}{
		"rows":    {[][]sheet.Cell{sum("Kora", "1.50", "EUR")}, []string{"Kora 1.50", "EUR 1.50", "XOF 7"}},
		"no rows": {nil, []string{"EUR 1.50", "XOF 7"}},
	} {
		list := sheet.Table{
			Title: "Sales", Columns: []sheet.Column{{Name: "A"}, {Name: "B"}}, Rows: sheet.From(c.rows),
			Totals: [][]sheet.Cell{sum("EUR", "1.50", "EUR"), sum("XOF", "7", "XOF")},
		}
		var file, workbook bytes.Buffer
		require.NoError(t, list.WriteCSV(&file))
		lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(file.String(), ",", " "), "\r\n"), "\r\n")
		require.Equal(t, c.want, lines[1:], name)
		require.NoError(t, list.WriteXLSX(&workbook))
		rows, err := open(t, workbook.Bytes()).GetRows("Sales")
		require.NoError(t, err)
		require.Len(t, rows, 1+len(c.want), name)
		require.Equal(t, strings.Fields(c.want[len(c.want)-1])[0], rows[len(rows)-1][0], name)
	}
	end := errors.New("away")
	broken := sheet.Table{Columns: []sheet.Column{{Name: "A"}, {Name: "B"}, {Name: "C"}}, Rows: many(1, end), Totals: [][]sheet.Cell{{sheet.Text("all")}}}
	var half bytes.Buffer
	require.ErrorIs(t, broken.WriteCSV(&half), end)
	require.NotContains(t, half.String(), "all", "half a list has no sum")
}

// TestAPrintedTableEndsWhereItSaysSo: what is past its most rows is not read any more.
func TestAPrintedTableEndsWhereItSaysSo(t *testing.T) {
	t.Parallel()
	for rows, read := range map[int]int{sheet.MostPrinted: sheet.MostPrinted, sheet.MostPrinted + 1: sheet.MostPrinted + 1, 2 * sheet.MostPrinted: sheet.MostPrinted + 1} {
		taken := 0
		long := sheet.Table{Columns: []sheet.Column{{Name: "A"}}, Rows: func(yield func([]sheet.Cell, error) bool) {
			for range rows {
				if taken++; !yield([]sheet.Cell{sheet.Text("")}, nil) {
					return
				}
			}
		}}
		require.NoError(t, long.WritePDF(io.Discard, words, "more"))
		require.Equal(t, read, taken, rows)
	}
}
