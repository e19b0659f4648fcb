package reports

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// ask is what a report page's address asks.
type ask struct {
	kind     reportKind
	from, to report.Day // half-open
	typed    url.Values // as typed, for the form
	compare  string     // one of comparisons
	by       report.Dimension
	asked    report.Dimension // by, before a long period changed it; "": it did not
	only     map[report.Dimension]string
	shop     string       // "": every shop the user sees
	shops    []staff.Shop // that count
	every    []staff.Shop // that the user may see
	today    report.Day
	mayShop  bool  // the user may choose among shops
	all      bool  // every row, however many
	problem  error // why it cannot be answered

	mailing     report.Mailing // as typed, if it was refused
	mailProblem error
	viewName    string // likewise
	viewProblem error
}

const (
	compareBefore = "before" // the period of the same length before it
	compareWeek   = "week"   // the same weekdays a week earlier
	compareYear   = "year"   // the same dates a year earlier
)

// Comparisons are the ways to compare; "": with nothing.
var Comparisons = []string{"", compareBefore, compareWeek, compareYear}

// filters are the dimensions an address may filter by.
var filters = []report.Dimension{
	report.ByCountry, report.ByProvider, report.ByKind, report.ByProduct, report.ByTill, report.ByCashier,
	report.ByReason,
}

// readAsk reads what an address asks for who is there.
func (s *Screens) readAsk(c *gin.Context, kind reportKind, values url.Values) (ask, error) {
	shops, err := s.VisibleShops(c)
	if err != nil {
		return ask{}, err
	}
	return s.askOf(kind, values, shops, s.LocaleOf(c.Request).Zone(), frame.Present(c).Shop.ID == "")
}

// askOf reads what an address asks of the shops a user sees. What cannot be asked is the ask's problem, shown
// on its form; somebody else's shop is refused.
func (s *Screens) askOf(
	kind reportKind, values url.Values, shops []staff.Shop, zone *time.Location, mayShop bool,
) (ask, error) {
	a := ask{
		kind: kind, typed: values, compare: values.Get("compare"), by: report.Dimension(values.Get("by")),
		only: map[report.Dimension]string{},
		shop: values.Get("shop"), shops: shops, every: shops, today: report.DayOf(s.D.Now(), zone), mayShop: mayShop,
		all: values.Get("all") != "",
	}
	if a.shop != "" {
		a.shops = slices.DeleteFunc(slices.Clone(shops), func(shop staff.Shop) bool { return shop.ID != a.shop })
		if len(a.shops) == 0 {
			return ask{}, fault.New(fault.NotFound, "shop.none")
		}
	}
	for _, dimension := range filters {
		if value := values.Get(string(dimension)); value != "" {
			a.only[dimension] = value
		}
	}
	if a.by == "" {
		a.by = kind.By[0]
	}
	a.problem = a.readPeriod(values.Get("from"), values.Get("to"))
	if a.problem == nil {
		a.problem = a.check()
	}
	return a, nil
}

// usualDays is the length of the period unless one is asked for.
const usualDays = 28

func (a *ask) readPeriod(from, to string) error {
	a.from, a.to = a.today-usualDays+1, a.today+1
	var err error
	if from != "" {
		if a.from, err = report.ParseDay(from); err != nil {
			return fault.OnField("from", "period.first-day")
		}
		a.to = max(a.to, a.from+1)
	}
	if to != "" {
		last, err := report.ParseDay(to)
		if err != nil {
			return fault.OnField("to", "period.last-day")
		}
		a.to = last + 1
		if from == "" {
			a.from = a.to - usualDays
		}
	}
	return nil
}

func (a *ask) check() error {
	switch {
	case a.to <= a.from:
		return fault.OnField("to", "period.ends-first")
	case a.from > a.today:
		return fault.OnField("from", "period.not-begun")
	case !slices.Contains(a.kind.By, a.by):
		return fault.OnField("by", "report.not-grouped", string(a.by))
	case !slices.Contains(Comparisons, a.compare):
		return fault.OnField("compare", "report.comparison", a.compare)
	}
	if a.by == report.ByDay && a.to-a.from > report.MostDaysByDay {
		a.asked, a.by = a.by, report.ByMonth
	}
	return nil
}

// comparison returns the period to compare with, false for none.
func (a ask) comparison() (from, to report.Day, compared bool) {
	length := a.to - a.from
	switch a.compare {
	case compareBefore:
		return a.from - length, a.from, true
	case compareWeek:
		weeks := (length + 6) / 7 * 7
		return a.from - weeks, a.to - weeks, true
	case compareYear:
		to = a.to.Years(-1)
		return min(a.from.Years(-1), to-1), to, true // 29 February alone: with the 28th
	}
	return 0, 0, false
}

func (a ask) query(from, to report.Day) report.Query {
	q := report.Query{
		Of: a.kind.Of, Shops: frame.ShopIDs(a.shops), From: from, To: to, By: []report.Dimension{a.by}, Only: a.only,
	}
	q.Sums = []string{"sales"} // for the currency that sold most
	for _, column := range a.kind.columns {
		q.Sums = append(q.Sums, column.sums...)
	}
	slices.Sort(q.Sums)
	q.Sums = slices.Compact(q.Sums)
	if q.Only[report.ByReason] == sales.NoReason {
		q.Only = maps.Clone(a.only)
		q.Only[report.ByReason] = ""
	}
	return q
}

// period is the part of the address that links to other reports retain.
func (a ask) period() url.Values {
	values := url.Values{}
	values.Set("from", a.from.String())
	values.Set("to", (a.to - 1).String())
	if a.shop != "" {
		values.Set("shop", a.shop)
	}
	return values
}

// url is the address of this ask; suffix is "" or a format.
func (a ask) url(suffix string) string {
	values := a.period()
	if a.compare != "" {
		values.Set("compare", a.compare)
	}
	if a.by != a.kind.By[0] {
		values.Set("by", string(a.by))
	}
	for dimension, value := range a.only {
		values.Set(string(dimension), value)
	}
	if a.all {
		values.Set("all", "yes")
	}
	return "/reports/" + a.kind.Name + suffix + "?" + values.Encode()
}

// form is the ask's form.
func (a ask) form(l locale.Locale, names frame.ReportNames) templates.ReportForm {
	form := templates.ReportForm{
		Action: "/reports/" + a.kind.Name, From: a.from.String(), To: (a.to - 1).String(),
		Field: fault.FieldOf(a.problem),
	}
	if a.problem != nil { // shows what was typed
		form.From, form.To = a.typed.Get("from"), a.typed.Get("to")
	}
	form.Lists = a.lists(l)
	a.addFilters(&form, l, names)
	for _, preset := range a.presets() {
		other := a
		other.from, other.to, other.by = preset.from, preset.to, cmp.Or(a.asked, a.by)
		form.Presets = append(form.Presets, templates.Link{
			Text: l.Text(preset.name), URL: other.url(""), Current: a.from == preset.from && a.to == preset.to,
		})
	}
	return form
}

// lists are what the form asks for besides the period.
func (a ask) lists(l locale.Locale) []templates.Pick {
	var lists []templates.Pick
	if len(a.kind.By) > 1 {
		by := frame.Choices(a.kind.By, func(by report.Dimension) (string, string) {
			return string(by), dimensionName(l, by)
		})
		lists = append(lists, templates.Pick{
			Name: "by", Text: l.Text("reports.by"), Chosen: string(a.by), Choices: by,
		})
	}
	with := frame.Choices(Comparisons, func(compare string) (string, string) {
		return compare, l.Text("reports.compare." + cmp.Or(compare, "none"))
	})
	lists = append(lists, templates.Pick{
		Name: "compare", Text: l.Text("reports.compare"), Chosen: a.compare, Choices: with,
	})
	if a.mayShop {
		lists = append(lists, templates.Pick{
			Name: "shop", Text: l.Text("reports.by.shop"), Chosen: a.shop,
			Choices: append([]templates.Choice{{Text: l.Text("reports.allShops")}}, frame.ShopChoices(l, a.every)...),
		})
	}
	return lists
}

type preset struct {
	name     string
	from, to report.Day
}

func (a ask) presets() []preset {
	month := a.today.Month()
	return []preset{
		{"reports.preset.today", a.today, a.today + 1},
		{"reports.preset.yesterday", a.today - 1, a.today},
		{"reports.preset.week", a.today - 6, a.today + 1},
		{"reports.preset.month", month, a.today + 1},
		{"reports.preset.lastMonth", (month - 1).Month(), month},
		{"reports.preset.year", month.Years(-1).AddMonths(1), a.today + 1},
	}
}
