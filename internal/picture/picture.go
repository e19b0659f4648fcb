// Package picture lays figures out to be read: over round numbers, with names and a sum. Pages and printed
// files draw the same picture.
package picture

// Kind is how figures are drawn.
type Kind string

// The kinds of picture.
const (
	Columns Kind = "columns" // over time
	Bars    Kind = "bars"    // beside each other
	Heat    Kind = "heat"    // by weekday and hour
)

// Picture is figures at a glance. Its words are in the reader's language.
type Picture struct {
	Kind     Kind
	Title    string
	Total    string // of all figures; "" where they have none
	Compared bool
	Ticks    []string // of columns: the scale, evenly spaced, the least first
	Zero     int      // of columns: the height of zero
	Points   []Point
	Hours    []string // of a map: its columns
	Lines    []Line
}

// Point is one figure. Heights and lengths are thousandths of the picture's own.
type Point struct {
	Name   string
	Short  string // the name, where there is little room
	Value  string
	Before string // the comparison's; "": none
	URL    string
	Size   int // how far it reaches, from the bottom
	Mark   int // likewise, for the comparison
}

// Says is the figure in words.
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

// labels is how many names fit below the columns on a wide page.
const labels = 8

// Broad is how many thousandths of its place a column takes. Few columns are no broader than many: one alone
// would be a wall.
func (p Picture) Broad() int { return 800 * min(len(p.Points), labels) / labels }

// Labelled says whether a column's name stands below it (not every one does, where there are many); even: on a
// narrow page too.
func (p Picture) Labelled(i int) (labelled, even bool) {
	every := (len(p.Points) + labels - 1) / labels
	return i%every == 0, i%(2*every) == 0
}
