package web

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/locale"
	"airtill/web/templates"
)

// ask is what somebody wants to know, as the address of a report page says it.
type ask struct {
	kind     reportKind
	from, to report.Day // half-open
	typed    url.Values // as it came, for the form
	compare  string     // one of comparisons
	by       report.Dimension
	only     map[report.Dimension]string
	shop     string       // "" for every shop that the user sees
	shops    []staff.Shop // whose sales count
	every    []staff.Shop // that the user may see
	today    report.Day
	mayShop  bool  // the user may choose among shops
	all      bool  // every row, however many
	problem  error // why it cannot be answered

	mailing     report.Mailing // as it was typed, where it was refused
	mailProblem error
	viewName    string // likewise
	viewProblem error
}

const (
	compareBefore = "before" // the period of the same length before it
	compareWeek   = "week"   // the same weekdays a week earlier
	compareYear   = "year"   // the same dates a year earlier
)

// option is one of a list to choose from, with the key of its name.
type option struct{ value, name string }

// comparisons are the ways to compare, with the keys of their names.
var comparisons = []option{
	{"", "reports.compare.none"}, {compareBefore, "reports.compare.before"}, {compareWeek, "reports.compare.week"}, {compareYear, "reports.compare.year"},
}

// filters are the dimensions that an address may choose by.
var filters = []report.Dimension{report.ByCountry, report.ByProvider, report.ByKind, report.ByProduct, report.ByTill, report.ByCashier, report.ByReason}

// readAsk reads the address of the request.
func (s *Server) readAsk(c *gin.Context, kind reportKind) (ask, error) {
	shops, err := s.visibleShops(c)
	if err != nil {
		return ask{}, err
	}
	return s.askOf(kind, c.Request.URL.Query(), shops, s.localeOf(c.Request).Zone(), present(c).Shop.ID == "")
}

// askOf reads what an address asks of the shops that somebody sees. What cannot
// be asked is the ask's problem, to be shown on its form; a shop that is not
// theirs is refused.
func (s *Server) askOf(kind reportKind, values url.Values, shops []staff.Shop, zone *time.Location, mayShop bool) (ask, error) {
	a := ask{
		kind: kind, typed: values, compare: values.Get("compare"), by: report.Dimension(values.Get("by")), only: map[report.Dimension]string{},
		shop: values.Get("shop"), shops: shops, every: shops, today: report.DayOf(s.d.Now(), zone), mayShop: mayShop,
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
		a.by = kind.by[0]
	}
	a.problem = a.readPeriod(values.Get("from"), values.Get("to"))
	if a.problem == nil {
		a.problem = a.check()
	}
	return a, nil
}

// visibleShops are those whose figures the user may see.
func (s *Server) visibleShops(c *gin.Context) ([]staff.Shop, error) {
	if shop := present(c).Shop; shop.ID != "" {
		return []staff.Shop{shop}, nil
	}
	return s.d.Staff.Shops(c.Request.Context())
}

// usualDays is how long the period is if none is asked for.
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
	case !slices.Contains(a.kind.by, a.by):
		return fault.OnField("by", "report.not-grouped", string(a.by))
	case !slices.ContainsFunc(comparisons, func(c option) bool { return c.value == a.compare }):
		return fault.OnField("compare", "report.comparison", a.compare)
	}
	if a.by == report.ByDay && a.to-a.from > report.MostDaysByDay {
		a.by = report.ByMonth
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
		return a.from.Years(-1), a.from.Years(-1) + length, true
	}
	return 0, 0, false
}

func (a ask) query(from, to report.Day) report.Query {
	q := report.Query{From: from, To: to, By: []report.Dimension{a.by}, Only: a.only, Shops: shopIDs(a.shops)}
	q.Sums = []string{"sales"} // for which currency sold most
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

// period is the address's part that a link to another report keeps.
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
	if a.by != a.kind.by[0] {
		values.Set("by", string(a.by))
	}
	for dimension, value := range a.only {
		values.Set(string(dimension), value)
	}
	if a.all {
		values.Set("all", "yes")
	}
	return "/reports/" + a.kind.name + suffix + "?" + values.Encode()
}

// form is the ask as its form shows it.
func (a ask) form(l locale.Locale, names reportNames) templates.ReportForm {
	form := templates.ReportForm{Action: "/reports/" + a.kind.name, From: a.from.String(), To: (a.to - 1).String(), Field: fault.FieldOf(a.problem)}
	if a.problem != nil { // what was typed stays
		form.From, form.To = a.typed.Get("from"), a.typed.Get("to")
	}
	for _, by := range a.kind.by {
		form.By = append(form.By, templates.Choice{Value: string(by), Text: dimensionName(l, by), Chosen: by == a.by})
	}
	for _, c := range comparisons {
		form.Compare = append(form.Compare, templates.Choice{Value: c.value, Text: l.Text(c.name), Chosen: c.value == a.compare})
	}
	if a.mayShop {
		form.Shops = append(form.Shops, templates.Choice{Text: l.Text("reports.allShops")})
		for _, shop := range a.every {
			form.Shops = append(form.Shops, templates.Choice{Value: shop.ID, Text: shop.Name, Chosen: shop.ID == a.shop})
		}
	}
	a.addFilters(&form, l, names)
	for _, preset := range a.presets() {
		other := a
		other.from, other.to = preset.from, preset.to
		form.Presets = append(form.Presets, templates.Link{Text: l.Text(preset.name), URL: other.url(""), Current: a.from == preset.from && a.to == preset.to})
	}
	return form
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
		{"reports.preset.year", month.Years(-1).NextMonth(), a.today + 1},
	}
}

// reportNames are what the codes and ids in a report are called.
type reportNames struct {
	shops, tills, people map[string]string
	sellers              map[string]string // the people of the asked shops
	sold                 report.Names
	countries            map[string]string
}

// reportNames reads what codes and ids of some shops are called; of products those named, nil for all.
func (s *Server) reportNames(ctx context.Context, shops []staff.Shop, products []string) (reportNames, error) {
	n := reportNames{shops: map[string]string{}, tills: map[string]string{}, people: map[string]string{}, sellers: map[string]string{}, countries: map[string]string{}}
	for _, shop := range shops {
		n.shops[shop.ID] = shop.Name
	}
	tills, err := s.d.Staff.Tills(ctx, shopIDs(shops)...)
	if err != nil {
		return n, err
	}
	for _, t := range tills {
		n.tills[t.ID] = t.Name
		if len(shops) > 1 {
			n.tills[t.ID] = n.shops[t.ShopID] + ", " + t.Name
		}
	}
	people, err := s.d.Staff.Users(ctx)
	if err != nil {
		return n, err
	}
	for _, u := range people {
		n.people[u.ID] = u.DisplayName
		if n.shops[u.ShopID] != "" {
			n.sellers[u.ID] = u.DisplayName
		}
	}
	for _, country := range s.d.Catalog.Current().SellingCountries() {
		n.countries[country.ISO] = country.Name
	}
	n.sold, err = s.d.Report.Names(ctx, products)
	return n, err
}

// noonOf is a date at noon, for writing it out: no zone moves it to another day.
func noonOf(d report.Day) time.Time { return d.Time().Add(12 * time.Hour) }
