package sheet

import "strings"

// The widths of columns are measured in thousandths of a millimetre.
const (
	wholeWidth = pageWidth * 1000
	aside      = 4100 // that a cell leaves free at its sides, rounded up
	mostWord   = 20000
)

// The sizes of letters in a table, in points.
const (
	usualSize    = 8
	smallestSize = 5
)

// layOut gives each column its share of the page, but no less than it needs for a number or a word to stand whole: an
// amount that goes on in the next line is read as another. If the columns need more than the page, letters are smaller.
func (p *printer) layOut(rows [][]string) {
	needed := p.needs(rows)
	for p.size = usualSize; ; p.size-- {
		least, sum := make([]int, len(needed)), 0
		for i, width := range needed {
			least[i] = aside + width*p.size/usualSize
			sum += least[i]
		}
		if sum <= wholeWidth || p.size == smallestSize {
			p.widths = shared(p.shares(), least)
			return
		}
	}
}

// needs measures in letters of the usual size what each column must have in one line: numbers, and words unless they
// are very long.
func (p *printer) needs(rows [][]string) []int {
	p.pdf.SetFont("go", "B", usualSize) // as heads and totals are, and a little wider than rows
	needed := make([]int, len(p.table.Columns))
	for i, column := range p.table.Columns {
		needed[i] = p.longestWord(column.Name)
	}
	for _, row := range rows {
		for i, text := range row {
			if p.table.Columns[i].End {
				needed[i] = max(needed[i], p.wide(text))
			} else {
				needed[i] = max(needed[i], p.longestWord(text))
			}
		}
	}
	return needed
}

func (p *printer) longestWord(text string) (width int) {
	for _, word := range strings.Fields(drawable(text)) {
		width = max(width, p.wide(word))
	}
	return min(width, mostWord)
}

// wide is how much of a line a text takes, rounded up.
func (p *printer) wide(text string) int { return int(p.pdf.GetStringWidth(text)*1000) + 1 }

func (p *printer) shares() []int {
	var shares []int
	for _, column := range p.table.Columns {
		shares = append(shares, max(column.Wide, 1))
	}
	return shares
}

// shared divides the page by shares. What columns need beyond theirs is taken from those that have more than they need.
func shared(shares, least []int) []int {
	all, needed := 0, 0
	for i := range shares {
		all += shares[i]
		needed += least[i]
	}
	widths, over := make([]int, len(shares)), -wholeWidth
	for i := range widths {
		widths[i] = max(wholeWidth*shares[i]/all, least[i])
		over += widths[i]
	}
	if over <= 0 {
		return widths
	}
	spare := wholeWidth + over - needed
	for i := range widths {
		if spare > over {
			widths[i] -= over * (widths[i] - least[i]) / spare
		} else { // even the smallest letters do not fit
			widths[i] = wholeWidth * least[i] / needed
		}
	}
	return widths
}
