package receipt

import (
	"strings"
	"unicode/utf8"
)

// row is one printed row of characters, in logical order.
type row struct {
	start, end string // at the two ends of the row, or all in start
	align      alignment
	bold       bool
	large      bool
}

type alignment byte

// As ESC a counts them.
const (
	atStart  alignment = 0
	centred  alignment = 1
	atTheEnd alignment = 2
)

// rows lays a line out in columns.
func (l Line) rows(columns int) []row {
	switch l.Kind {
	case Raw:
		return []row{{start: l.Value}}
	case Rule:
		return []row{{start: strings.Repeat("-", columns)}}
	case Pair, Total:
		return l.pairRows(columns)
	case Stamp:
		rule := row{start: strings.Repeat("=", columns)}
		return append(append([]row{rule}, wrapped(l.Value, columns, row{align: centred, bold: true})...), rule)
	case Head, Secret:
		return wrapped(l.Value, columns/2, row{align: centred, bold: true, large: true})
	case Centre:
		return wrapped(l.Value, columns, row{align: centred})
	default:
		return wrapped(l.Value, columns, row{})
	}
}

// pairRows puts a name and its value on one row, or on two if they do not fit.
func (l Line) pairRows(columns int) []row {
	style := row{bold: l.Kind == Total, large: l.Kind == Total}
	if style.large && width(l.Name)+1+width(l.Value) > columns/2 {
		style.large = false
	}
	if style.large {
		columns /= 2
	}
	if width(l.Name)+1+width(l.Value) <= columns && !strings.Contains(l.Value, "\n") {
		style.start, style.end = l.Name, l.Value
		return []row{style}
	}
	below := style
	below.align = atTheEnd
	return append(wrapped(l.Name, columns, style), wrapped(l.Value, columns, below)...)
}

// wrapped breaks a text into rows at its spaces, or inside words longer than a row.
func wrapped(text string, columns int, style row) []row {
	var rows []row
	put := func(text string) {
		style.start = text
		rows = append(rows, style)
	}
	for line := range strings.SplitSeq(text, "\n") {
		current := ""
		for _, word := range strings.Fields(line) {
			for width(word) > columns {
				if current != "" {
					put(current)
					current = ""
				}
				head := string([]rune(word)[:columns])
				put(head)
				word = strings.TrimPrefix(word, head)
			}
			switch {
			case current == "":
				current = word
			case width(current)+1+width(word) <= columns:
				current += " " + word
			default:
				put(current)
				current = word
			}
		}
		put(current)
	}
	return rows
}

func width(text string) int { return utf8.RuneCountInString(text) }

// cells fills a row's columns as it is seen, from left to right.
func (r row) cells(columns int, rtl bool) string {
	if r.large {
		columns /= 2
	}
	start, end := visual(r.start, rtl), visual(r.end, rtl)
	gap := max(0, columns-width(start)-width(end))
	spaces := strings.Repeat(" ", gap)
	switch {
	case r.align == centred:
		return strings.Repeat(" ", gap/2) + start
	case r.end == "" && (r.align == atTheEnd) != rtl:
		return spaces + start
	case r.end == "" || !rtl:
		return start + spaces + end
	}
	return end + spaces + start
}
