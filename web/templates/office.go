package templates

import (
	"cmp"
	"context"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"airtill/web/locale"

	"github.com/a-h/templ"
)

// TabRow is a row of links to pages that stand side by side.
type TabRow struct {
	Label string
	Links []Link
}

// Office is a page from which the business is run: what all of them share.
type Office struct {
	Frame

	Title   string
	Tabs    []TabRow
	Back    *Link  // leads to the page this one belongs to
	Done    string // what has just been done
	Problem string // why it was not
	More    *Link  // leads to older rows
	Typed   Typed
	Key     string // the id of what a form of the page makes
	Sought  string // what was looked for among the settings

	// What is being written:
	parts      int    // they tell fields of one name apart
	path, does string // of the form
	said       bool   // a field says why it was refused
}

// Typed is what somebody sent that is shown again, and what was refused of it.
type Typed struct {
	url.Values

	Action string // where it was posted; "" if every form keeps it
	Field  string // that was refused
	Why    string
	Moved  bool // because somebody else saved another value of it, which Why tells
}

// Table is what a page lists and gives away as a file. On a telephone each row is a card.
type Table struct {
	Title   string
	Folds   int // so many of its last columns open in a panel of their row
	Columns []string
	Rows    []Row
	Acts    [][]Act // what can be done to each row
	Files   []Link
	Search  *Search // of a long list
}

// Search is what is looked for in a list, and what is said when not all that was found is shown.
type Search struct{ Path, Name, Sought, Cut string }

// Running is the long work that runs now, and where it is asked for anew.
type Running struct {
	Table

	URL string
}

// Row is one row of a table.
type Row []Cell

// Cell is one value, written by the locale.
type Cell struct {
	Text, Hint, URL, Tone string
	Folded                Folded
}

// Folded is a technical text under a cell, in English; "": none.
type Folded struct{ Show, English string }

// open is how many columns a row shows at once.
func (t *Table) open() int { return len(t.Columns) - t.Folds }

// panel are the cells of a row that say something and are folded away.
func (t *Table) panel(r Row) (lines []Line) {
	for i, cell := range r[t.open():] {
		if cell.Text != "" {
			lines = append(lines, Line{Name: t.Columns[t.open()+i], Value: cell.Text})
		}
	}
	return lines
}

// Add adds a row, and what can be done to it.
func (t *Table) Add(r Row, acts ...Act) { t.Rows, t.Acts = append(t.Rows, r), append(t.Acts, acts) }

// acts says whether anything can be done to a row.
func (t *Table) acts() bool {
	return slices.ContainsFunc(t.Acts, func(acts []Act) bool { return len(acts) > 0 })
}

// Act is a button that does something at once, or a link to where it is done.
type Act struct {
	Action string // where the button posts; "": it is a link
	URL    string // of the link
	Text   string
	Label  string   // to what it does it, for those who hear it alone; "": Text says enough
	Sends  []string // names and values
}

// Page is the page with its body.
func (o *Office) Page(body templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		var written strings.Builder
		if err := body.Render(ctx, &written); err != nil {
			return err
		}
		if !o.said && o.Problem == "" {
			o.Problem = o.Typed.Why
		}
		return o.page(written.String()).Render(ctx, w)
	})
}

// begin begins a form, in the part that is written last.
func (o *Office) begin(action, act string) { o.path, o.does = action, act }

// input is a field, of a kind that browsers know; without one, a line of text.
type input struct {
	name, label, value, kind, help string
	required                       bool
}

func (in input) kindOr(kind string) string { return cmp.Or(in.kind, kind) }

// Into says whether it was typed into a form: others of the page may have fields of the
// same names.
func (t Typed) Into(action, act string) bool {
	return t.Action == action && (act == "" || act == t.Get("act"))
}

func (o *Office) keeps() bool { return o.Typed.Action == "" || o.Typed.Into(o.path, o.does) }

// value is what was typed, else what the field began with; of dates only such as are, as
// a browser takes nothing else.
func (o *Office) value(in input) string {
	value := in.value
	if o.keeps() && o.Typed.Has(in.name) && in.kind != "password" {
		value = o.Typed.Get(in.name)
	}
	layout := map[string]string{"date": time.DateOnly, "datetime-local": "2006-01-02T15:04"}[in.kind]
	if _, err := time.Parse(layout, value); layout != "" && err != nil {
		return ""
	}
	return value
}

// problem is why the field was refused, "" if it was not.
func (o *Office) problem(in input) string {
	if o.Typed.Field == "" || o.Typed.Field != in.name || !o.keeps() {
		return ""
	}
	o.said = true
	return o.Typed.Why
}

func (o *Office) id(in input) string { return "f" + strconv.Itoa(o.parts-1) + "-" + in.name }

func (o *Office) helpID(in input) string {
	if in.help == "" {
		return ""
	}
	return o.id(in) + "-help"
}

// YesNo writes whether something holds.
func YesNo(l locale.Locale, holds bool) string {
	if holds {
		return l.Text("office.yes")
	}
	return l.Text("office.no")
}
