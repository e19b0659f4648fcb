package sheet_test

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/money"
	"airtill/internal/picture"
	"airtill/internal/sheet"
)

// sold is a table of many columns, as the list of sales has them, with an amount in each row.
func sold(rows ...string) sheet.Table {
	table := sheet.Table{Title: "Sales", Columns: []sheet.Column{
		{Name: "Recorded", Wide: 3},
		{Name: "Shop", Wide: 2},
		{Name: "Till", Wide: 2},
		{Name: "Cashier", Wide: 2},
		{Name: "Code", Wide: 2},
		{Name: "Reference", Wide: 4},
		{Name: "Country", Wide: 2},
		{Name: "Provider", Wide: 2},
		{Name: "Product", Wide: 3},
		{Name: "Account number", Wide: 3},
		{Name: "State", Wide: 2},
		{Name: "Reason", Wide: 2},
		{Name: "Price", Wide: 2, End: true},
		{Name: "Currency"},
		{Name: "Face value", Wide: 2, End: true},
		{Name: "Fees", Wide: 2, End: true},
		{Name: "Commission", Wide: 2, End: true},
		{Name: "Sent in"},
	}}
	row := func(amount string) (cells []sheet.Cell) {
		for _, text := range strings.Split("22 Nov 2026, 14:05:07|Main Street|Till 1|Ada Obi|7K3F9QXM|AB1C01JD3ZK8Q4W5E6R7T8Y9V0N1M201|"+
			"Nigeria|MTN|Top-up 1,000|+234 803 123 4567|Sent||"+amount+"|NGN|"+amount+"|150.00|"+amount+"|NGN", "|") {
			if at := len(cells); table.Columns[at].End {
				cells = append(cells, sheet.Amount(money.MustParse(text, "NGN")))
			} else {
				cells = append(cells, sheet.Text(text))
			}
		}
		return cells
	}
	table.Rows = func(yield func([]sheet.Cell, error) bool) {
		for _, amount := range rows {
			if !yield(row(amount), nil) {
				return
			}
		}
	}
	table.Totals = [][]sheet.Cell{row(rows[0])}
	return table
}

// TestAPrintedAmountStandsInOneLine: of twelve digits as of four, in a row as in a total, and so do a currency and the
// words of a head.
func TestAPrintedAmountStandsInOneLine(t *testing.T) {
	t.Parallel()
	for _, amount := range []string{"1000.00", "12345.67", "1234567.89", "123456789012.34"} {
		page := drawn(t, sold(amount, "5.00"), "more")[0]
		for text, times := range map[string]int{amount + "NGN": 6, "NGN": 6, "Currency": 1, "Commission": 1, "Nigeria": 3} {
			count := 0
			for _, shown := range page {
				if shown == text {
					count++
				}
			}
			require.Equal(t, times, count, "%s of %v", text, page)
		}
	}
}

// TestAPrintedNumberWithBlanksStandsInOneLine: French groups digits by blanks, and a line could end at one.
func TestAPrintedNumberWithBlanksStandsInOneLine(t *testing.T) {
	t.Parallel()
	table := sheet.Table{Title: "Cash", Rows: iter.Seq2[[]sheet.Cell, error](func(yield func([]sheet.Cell, error) bool) {
		var row []sheet.Cell
		for range 9 {
			row = append(row, sheet.Text("123\u202f456\u202f789\u202f012,345\u00a0TND"))
		}
		yield(row, nil)
	})}
	for i := range 9 {
		table.Columns = append(table.Columns, sheet.Column{Name: fmt.Sprintf("Column %d", i), End: true})
	}
	whole := 0
	for _, shown := range drawn(t, table, "more")[0] {
		if strings.Count(shown, "012,345") == 1 && strings.Count(shown, "123") == 1 && strings.HasSuffix(shown, "TND") {
			whole++
		}
	}
	require.Equal(t, 9, whole)
}

// TestALongNameEndsBeforeItsBar: the table below has it whole.
func TestALongNameEndsBeforeItsBar(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Unlimited-data-", 12)
	page := drawn(t, sheet.Table{
		Title: "Sales", Columns: []sheet.Column{{Name: "Product"}}, Rows: sheet.From(nil),
		Picture: picture.Picture{Kind: picture.Bars, Title: "By product", Points: []picture.Point{
			{Name: long, Value: "10.00", Size: 1000}, {Name: "Short", Value: "5.00", Size: 500},
		}},
	}, "more")[0]
	require.Contains(t, page, "Short")
	require.NotContains(t, page, long)
	require.Regexp(t, `^(Unlimited-data-){3,}.*&$`, page[2], "a byte of the sign that more follows")
}
