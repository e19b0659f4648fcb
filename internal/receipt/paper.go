// Package receipt writes the papers of a till: what a paper says (one model), and how a roll printer is told
// (ESC/POS). A browser draws the same model as a page.
package receipt

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Widths of paper in millimetres.
const (
	Narrow = 58
	Wide   = 80
)

// Kind says how a line is written.
type Kind string

// The kinds of line.
const (
	Text   Kind = "text"   // from the start, wrapped
	Raw    Kind = "raw"    // as it is, however wide: to see where a printer wraps
	Centre Kind = "centre" // centred
	Head   Kind = "head"   // centred and large
	Stamp  Kind = "stamp"  // large between rules: what kind of paper this is
	Pair   Kind = "pair"   // a name and its value
	Total  Kind = "total"  // the pair that matters most
	Secret Kind = "secret" // a PIN: centred and large
	Rule   Kind = "rule"
	Code   Kind = "code" // a QR code of Value
)

// Line is one line of a paper. Only pairs have a name.
type Line struct {
	Kind  Kind
	Name  string
	Value string
}

// Paper is one strip of paper.
type Paper struct {
	Language string // BCP 47
	RTL      bool   // the language is written from right to left
	Title    string
	Width    int // of the roll in millimetres
	Columns  int // of the printer's font: 32, 42 or 48
	Kick     bool
	Lines    []Line
}

// add appends a line unless it says nothing.
func (p *Paper) add(kind Kind, value string) {
	if value = Clean(value); value != "" {
		p.Lines = append(p.Lines, Line{Kind: kind, Value: value})
	}
}

// pair appends a name with its value, unless it has none.
func (p *Paper) pair(f Field) {
	if value := Clean(f.Value); value != "" {
		p.Lines = append(p.Lines, Line{Kind: Pair, Name: Clean(f.Name), Value: value})
	}
}

func (p *Paper) rule() {
	if n := len(p.Lines); n > 0 && p.Lines[n-1].Kind != Rule {
		p.Lines = append(p.Lines, Line{Kind: Rule})
	}
}

// mostText bounds what a provider can have printed, in characters.
const mostText = 2000

// Clean removes from a text what could command a printer or reverse its writing: control characters except
// line ends, marks of direction, invisible characters. A letter and its mark become one character, for one
// cell. It cuts the text after 2,000 characters.
func Clean(text string) string {
	var b strings.Builder
	count := 0
	for _, r := range norm.NFC.String(strings.ToValidUTF8(text, "?")) {
		switch {
		case r == '\n':
		case r == '\t', unicode.Is(unicode.Zs, r):
			r = ' '
		case r == '\u2212': // minus
			r = '-'
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), unicode.Is(unicode.Zl, r),
			unicode.Is(unicode.Zp, r):
			continue
		}
		b.WriteRune(r)
		if count++; count == mostText {
			break
		}
	}
	return strings.TrimSpace(b.String())
}

// Masked shows the end of an account number only; all zeros stand for a PIN's, which has none.
func Masked(number string) string {
	const shown = 3
	if strings.Trim(number, "0") == "" || len(number) <= shown {
		return ""
	}
	return strings.Repeat("*", len(number)-shown) + number[len(number)-shown:]
}
