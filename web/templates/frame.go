// Package templates draws the pages of the till. Every page is one component
// that takes one page struct: what it shows, already loaded, with a locale to
// write it in. Nothing here asks a database, reads a clock or computes money.
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

// Frame is what stands around the content of every signed-in page.
type Frame struct {
	locale.Locale

	CSRF    string // the token every form posts back as "csrf"
	Logos   bool   // operators' logos can be had; else their letters stand alone
	Path    string // the path of this page; marks its place in the navigation
	Back    string // the address of this page with its query, to come back to; "/" where a POST made it
	Shop    string
	Till    string // "" for a user who sits at no till
	User    string // the person signed in, as colleagues call them
	May     Permissions
	Shift   Shift
	Seated  bool // this browser works in a shift, and asks from time to time whether it still does
	Waiting int  // sales of this till whose outcome is still open
	Prices  Prices
	Stopped string // why nothing can be sold now, translated; "" if all is well
	Float   string // what is wrong with the float, for who can mend it; "" if all is well
	// FloatURL is where that is dealt with, "" for who may not look there.
	FloatURL string
	Alerts   []OpenAlert // for the office, those that nobody has seen; the most urgent first
	// Practice marks the whole screen: nothing is sold, no money moves.
	Practice    bool
	MayPractise bool

	Tray      Tray
	LockAfter int // seconds without a key or a tap until the screen locks; 0 for never

	// stateless leaves the states of till and prices out of the top bar. Error
	// pages set it: what went wrong may be that they are not known.
	stateless bool
}

// Permissions says which places the navigation offers. The server checks them
// again on every route.
type Permissions struct {
	Sell, Sales, Shift, Today, Reports, Reconcile, Admin, Health bool
}

// Shift is the till's shift as the top bar shows it.
type Shift struct {
	Open  bool
	Since time.Time
}

// OpenAlert is something that goes on and that somebody must be told of.
type OpenAlert struct {
	ID     string
	Level  string // translated
	Tone   string // "bad" or "wait"
	Text   string
	Age    string // since when, written by the locale
	At     time.Time
	URL    string // where it is dealt with
	MaySee bool   // this user may say that they have seen it
	SeenBy string // who has, and when; "" for nobody
}

// Prices is the age of the catalogue.
type Prices struct {
	AsOf time.Time // zero: never synchronised
	Old  bool      // older than the shop should rely on
	URL  string    // where it is said why, "" for who may not look there
}

// HiddenField is a form value that travels with a form unseen.
type HiddenField struct{ Name, Value string }

// Operator is the provider that a number belongs to.
type Operator struct {
	Code    string // the provider's code
	Name    string
	ISO     string // the country, ISO 3166-1 alpha-2
	Country string // the country's name
	Logo    string // the address of its logo here, "" if it has none
}

// letters stand where a logo would: the first of the first two words of a name.
func (o Operator) letters() string {
	var letters []rune
	for _, word := range strings.Fields(o.Name) {
		if first, _ := utf8.DecodeRuneInString(word); unicode.IsLetter(first) || unicode.IsDigit(first) {
			letters = append(letters, unicode.ToUpper(first))
		}
	}
	return string(letters[:min(len(letters), 2)])
}

// Trail is what has been settled so far in a sale. The steps at the top of each
// page show it and lead back.
type Trail struct {
	Account    string // the number in groups, "" while there is none
	AccountURL string // leads back to the number
	Operator   Operator
	Product    string // "" while none is chosen
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

// place is one entry of the navigation. Its fold is the class that says from which
// width on it stands in the bar; below, it stands under "More".
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

// The navigation folds in steps of foldStep hundredths of a rem, as shell.css has
// them, and on a telephone to as many columns as fit on the narrowest.
const (
	foldStep         = 400
	telephone        = 2000
	telephoneColumns = 5
)

// fold finds the width that each place needs beside those before it and "More". A
// letter is taken to be as wide as the wider ones are.
func (f Frame) fold(places []place) {
	margin := 200
	if len(places) < telephoneColumns {
		margin += 170 // a few places have their icons beside them
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

// here says whether a place is the page being shown or has it below. For who
// sells, the start page and the outcome of a sale are steps at the counter.
func (f Frame) here(p place) bool {
	atCounter := f.Path == "/" && !f.May.Today || strings.HasPrefix(f.Path, "/sales/")
	if f.May.Sell && atCounter {
		return p.href == "/counter"
	}
	room := f.room()
	return p.href == room || p.href != "/" && strings.HasPrefix(room, strings.TrimSuffix(p.href, "/")+"/")
}

// room is the path, or the place from which the page is reached where it has another
// beginning than its own.
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

// current marks the link of the page being shown for assistive technology.
func current(yes bool) templ.Attributes {
	if yes {
		return templ.Attributes{"aria-current": "page"}
	}
	return nil
}

// told ties a field to its help and, where it was refused, to the message with
// the id of the field and "-problem".
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

// sum is an amount that may be absent: nil where there is nothing to show.
type sum = *money.Amount
