// Package templates draws the till's pages. Every page is one component with one page struct: loaded data, and
// a locale to write it in. Nothing here asks a database, reads a clock or computes money.
package templates

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"

	"airtill/internal/money"
	"airtill/web/locale"
)

// Frame is what surrounds every signed-in page.
type Frame struct {
	locale.Locale

	CSRF    string // posted back by every form as "csrf"
	Logos   bool   // there are operators' logos; otherwise only letters
	Path    string // of this page, to mark its place in the navigation
	Back    string // this page's address with its query; "/" after a POST
	Shop    string
	Till    string // "" for a user without a till
	User    string // as colleagues call them
	May     Permissions
	Shift   Shift
	Seated  bool // this browser works in a shift, and regularly checks that it still does
	Waiting int  // open sales of this till
	Prices  Prices
	Stopped string // why nothing can be sold now, translated; "": all is well
	Float   string // what is wrong with the float, for those who can mend it; "": all is well
	// FloatURL is where that is dealt with; "" for those who may not go there.
	FloatURL string
	Alerts   []OpenAlert // the office's unseen ones, the most urgent first
	// Practice marks the whole screen: nothing is sold, no money moves.
	Practice    bool
	MayPractise bool

	Tray      Tray
	LockAfter int // seconds without a key or tap until the screen locks; 0: never

	// stateless leaves the states of till and prices out of the top bar, since error pages may not know them.
	stateless bool
}

// Permissions says which places the navigation offers. The server checks every route again.
type Permissions struct {
	Sell, Sales, Shift, Today, Reports, Reconcile, Admin, Health bool
}

// Shift is the till's shift as the top bar shows it.
type Shift struct {
	Open  bool
	Since string // within a sentence
}

// OpenAlert is an alert that goes on.
type OpenAlert struct {
	ID     string
	Rule   string
	Level  string // translated
	Tone   string // "bad" or "wait"
	Text   string
	Age    string // how long it has gone on
	At     time.Time
	URL    string // where it is dealt with
	MaySee bool   // this user may mark it as seen
	Shown  string // stands for what is seen then
	SeenBy string // who and when; "": nobody
}

// Prices is the age of the catalogue.
type Prices struct {
	AsOf time.Time // zero: never synchronised
	Old  bool      // older than the shop should rely on
	URL  string    // where the reason is; "" for those who may not go there
}

// HiddenField is a form value that travels with a form unseen.
type HiddenField struct{ Name, Value string }

// Operator is a number's provider.
type Operator struct {
	Code    string // the provider's code
	Name    string
	ISO     string // the country, ISO 3166-1 alpha-2
	Country string // the country's name
	Logo    string // of its logo here; "": none
}

// letters stand in for a logo: the initials of a name's first two words.
func (o Operator) letters() string {
	var letters []rune
	for _, word := range strings.Fields(o.Name) {
		if first, _ := utf8.DecodeRuneInString(word); unicode.IsLetter(first) || unicode.IsDigit(first) {
			letters = append(letters, unicode.ToUpper(first))
		}
	}
	return string(letters[:min(len(letters), 2)])
}

// Trail is what is settled of a sale. The steps at the top of each page show it and lead back.
type Trail struct {
	Account    string // in groups; "": not yet
	AccountURL string // leads back to the number
	Operator   Operator
	Product    string // "": not chosen yet
	ProductURL string // leads back to the products
}

// step is a stage of a sale.
type step int

const (
	stepNumber step = iota
	stepProduct
	stepConfirm
	stepOutcome
)

// place is an entry of the navigation. Its fold is the class that says from which width it is in the bar;
// below, it is under "More".
type place struct{ href, icon, text, fold string }

// places lists where this user may go, in the order of the day.
func (f Frame) places() []place {
	all := []struct {
		allowed          bool
		href, icon, text string
	}{
		{f.May.Sell, "/counter", "store", "nav.counter"},
		{f.May.Today, "/", "chart-column", "nav.today"},
		{f.May.Sales, "/sales", "list", "nav.sales"},
		{f.May.Shift, "/shift", "wallet", "nav.shift"},
		{f.May.Reports, reportsHome, "file-text", "nav.reports"},
		{f.May.Reconcile, "/reconcile", "scale", "nav.reconcile"},
		{f.May.Admin, "/admin/", "settings", "nav.admin"},
	}
	var allowed []place
	for _, p := range all {
		if p.allowed {
			allowed = append(allowed, place{href: p.href, icon: p.icon, text: f.Text(p.text)})
		}
	}
	f.fold(allowed)
	return allowed
}

// The navigation folds in steps of foldStep hundredths of a rem, as in shell.css, and on a telephone into as
// many columns as fit on the narrowest.
const (
	foldStep         = 400
	telephone        = 2000
	telephoneColumns = 5
)

// fold finds the width each place needs beside those before it and "More", taking letters to be as wide as the
// wider ones.
func (f Frame) fold(places []place) {
	margin := 200
	if len(places) < telephoneColumns {
		margin += 170 // a few places have icons beside them
	}
	bar := func(places, letters int) int { return places*margin + letters*58 }
	columns := func(places, letters int) bool {
		return places <= telephoneColumns && places*40+letters*43 <= telephone
	}
	all := 0
	for _, p := range places {
		all += utf8.RuneCountInString(p.text)
	}
	before := utf8.RuneCountInString(f.Text("nav.more"))
	for i, p := range places {
		before += utf8.RuneCountInString(p.text)
		needed := min(bar(len(places), all), bar(i+2, before))
		places[i].fold = "fold-" + strconv.Itoa((needed+foldStep-1)/foldStep)
		if !columns(len(places), all) && !columns(i+2, before) {
			places[i].fold += " late"
		}
	}
}

// reportsHome is the report that the navigation leads to.
const reportsHome = "/reports/sales"

// here says whether a place is the current page or contains it. For cashiers, the start page and a sale's
// outcome are steps at the counter.
func (f Frame) here(p place) bool {
	atCounter := f.Path == "/" && !f.May.Today || strings.HasPrefix(f.Path, "/sales/")
	if f.May.Sell && atCounter {
		return p.href == "/counter"
	}
	room := f.room()
	return p.href == room || p.href != "/" && strings.HasPrefix(room, strings.TrimSuffix(p.href, "/")+"/")
}

// room is the path, or the place that leads to a page whose path begins differently.
func (f Frame) room() string {
	switch first, _, _ := strings.Cut(strings.TrimPrefix(f.Path, "/"), "/"); {
	case first == "reports", !f.May.Shift && (first == "shifts" || first == "shift"):
		return reportsHome
	case first == "shifts":
		return "/shift"
	case first == "statements":
		return "/reconcile"
	}
	return f.Path
}

// current marks the current page's link for assistive technology.
func current(yes bool) templ.Attributes {
	if yes {
		return templ.Attributes{"aria-current": "page"}
	}
	return nil
}

// told ties a field to its help and, if refused, to the message with the field's id and "-problem".
func told(id, help, problem string) templ.Attributes {
	attributes := templ.Attributes{}
	if problem != "" {
		attributes["aria-invalid"] = "true"
		help = strings.TrimSpace(help + " " + id + "-problem")
	}
	if help != "" {
		attributes["aria-describedby"] = help
	}
	return attributes
}

// sum is an amount, or nil for nothing to show.
type sum = *money.Amount
