// Package sheet writes tables to take elsewhere: as CSV, as a workbook (XLSX), as pages to print (PDF). Rows
// are read and written one by one, so the length of a CSV file or workbook costs no memory, and a cancelled
// download stops the query behind it.
package sheet

import (
	"iter"
	"strconv"
	"strings"
	"time"
	"unicode"

	"airtill/internal/money"
	"airtill/internal/picture"
)

// Table is what is written.
type Table struct {
	Title   string
	Notes   []string // under the title of a printed table: period, filters, when it was made
	Columns []Column
	// Rows yields each row once; an error ends the file.
	Rows  iter.Seq2[[]Cell, error]
	Count int // how many rows there will be, for progress; 0: unknown
	// Totals come below the rows, one for each currency.
	Totals  [][]Cell
	Picture picture.Picture // above the rows of a printed table, if it has points or lines
}

// all are the rows and the totals below them.
func (t Table) all() iter.Seq2[[]Cell, error] {
	return func(yield func([]Cell, error) bool) {
		for row, err := range t.Rows {
			if !yield(row, err) || err != nil {
				return
			}
		}
		for _, row := range t.Totals {
			if !yield(row, nil) {
				return
			}
		}
	}
}

// Column is the head of a column.
type Column struct {
	Name string
	End  bool // numbers, which align with the end of their column
	Wide int  // its share of a printed page's width; 0 means 1
}

// kind is the type of a cell's value.
type kind int

const (
	text kind = iota
	whole
	amount
	share
	tenths
	moment
)

// Cell is one value, typed so that a spreadsheet can calculate with it.
type Cell struct {
	kind  kind
	text  string
	n     int64 // a whole number, or thousandths of a share
	money money.Amount
	at    time.Time // in the zone to show it in
}

// Text is a cell of words. What a spreadsheet would take for a formula is written to stay a text.
func Text(words string) Cell { return Cell{text: words} }

// Whole is a cell of a whole number.
func Whole(n int64) Cell { return Cell{kind: whole, n: n} }

// Amount is a cell of money. The currency is in another column.
func Amount(a money.Amount) Cell { return Cell{kind: amount, money: a} }

// Share is a cell of a share in thousandths: 983 is 98.3 %.
func Share(perMille int64) Cell { return Cell{kind: share, n: perMille} }

// Tenths is a cell of a number in tenths: 24 is 2.4.
func Tenths(n int64) Cell { return Cell{kind: tenths, n: n} }

// Moment is a cell of a time, as the clocks of a zone show it. The zero time is
// an empty cell.
func Moment(at time.Time, zone *time.Location) Cell {
	if at.IsZero() {
		return Text("")
	}
	return Cell{kind: moment, at: at.In(zone)}
}

const momentLayout = "2006-01-02 15:04:05"

// plain is the value for programs: a decimal point, no grouping.
func (c Cell) plain() string {
	switch c.kind {
	case whole:
		return strconv.FormatInt(c.n, 10)
	case amount:
		return c.money.Decimal(c.money.Currency().Decimals())
	case share:
		return money.Of(c.n*1000, "").Decimal(3)
	case tenths:
		return money.Of(c.n*money.Scale/10, "").Decimal(1)
	case moment:
		return c.at.Format(momentLayout)
	case text:
	}
	return c.text
}

// Words write values for people.
type Words struct {
	Whole  func(int64) string
	Amount func(money.Amount) string
	Share  func(perMille int64) string
	Tenths func(int64) string
	Moment func(time.Time) string
}

// In writes the value for a person.
func (c Cell) In(w Words) string {
	switch c.kind {
	case whole:
		return w.Whole(c.n)
	case amount:
		return w.Amount(c.money)
	case share:
		return w.Share(c.n)
	case tenths:
		return w.Tenths(c.n)
	case moment:
		return w.Moment(c.at)
	case text:
	}
	return c.text
}

// formula says whether a spreadsheet would take a text for a formula.
func (c Cell) formula() bool {
	first := strings.TrimLeftFunc(c.text, unseen)
	return c.kind == text && first != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(first)[0])
}

// unseen says whether a character before a formula hides it from readers, though maybe not from a spreadsheet.
func unseen(r rune) bool { return r == ' ' || r == '\u00a0' || unicode.Is(unicode.Cf, r) }

// From returns rows that are in memory.
func From(rows [][]Cell) iter.Seq2[[]Cell, error] {
	return func(yield func([]Cell, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}
