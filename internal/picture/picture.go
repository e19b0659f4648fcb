// Package picture lays figures out so that they can be read: over round numbers, with
// their names and their sum. A page and a printed file draw the same picture.
package picture

// Kind is how figures are drawn.
type Kind string

// The kinds of picture.
const (
	Columns Kind = "columns" // over time
	Bars    Kind = "bars"    // beside each other
	Heat    Kind = "heat"    // by weekday and hour
)

// Picture is figures as one sees them at a glance. Its words are written already, in
// the language of who looks at it.
type Picture struct {
	Kind     Kind
	Title    string
	Total    string // of all the figures; "" where they have none
	Compared bool
	Ticks    []string // of columns: what their scale says, evenly apart, the least first
	Zero     int      // of columns: how high nothing is
	Points   []Point
	Hours    []string // of a map: its columns
	Lines    []Line
}

// Point is one figure. Heights and lengths are thousandths of the picture's own.
type Point struct {
	Name   string
	Short  string // the name, where there is little room
	Value  string
	Before string // of the comparison; "" for none
	URL    string
	Size   int // how far it reaches, from below
	Mark   int // likewise, of the comparison
}

// Says is what the figure is in words.
func (p Point) Says() string {
	if p.Before == "" {
		return p.Name + ": " + p.Value
	}
	return p.Name + ": " + p.Value + " (" + p.Before + ")"
}

// Line is a weekday of a map.
type Line struct {
	Name  string
	Cells []Cell
}

// Cell is an hour, from 0, nothing, to 5, the most.
type Cell struct {
	Value, URL string
	Heat       int
}

// labels is how many names fit below the columns of a wide page.
const labels = 8

// Labelled says whether a column's name stands below it: where there are many, every so
// many; even says that it has room on a narrow page too.
func (p Picture) Labelled(i int) (labelled, even bool) {
	every := (len(p.Points) + labels - 1) / labels
	return i%every == 0, i%(2*every) == 0
}
