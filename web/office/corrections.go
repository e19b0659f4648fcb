package office

import (
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/templates"
)

// Corrections is GET /admin/corrections (who, from, to): what people set right, by person and time, in the
// shops the user sees; by default today.
func (s *Screens) Corrections(c *gin.Context) error {
	f, refused := s.correctionFilter(c)
	r := frame.ReadsOf(c)
	found, more := frame.LoadOf(r, s.D.Sales.Corrections, f), false
	if c.Query("file") == "" {
		found, more = frame.Page(found, frame.CorrectionsListed)
	}
	names := frame.LoadHere(r, s.Names)
	if r.Err != nil {
		return r.Err
	}
	frame.Refuse(c, refused)
	p := s.newOffice(c, frame.CorrectionsPath)
	p.Typed.Values = c.Request.URL.Query()
	dateOf := func(at time.Time) string { return report.DayOf(at, p.l.Zone()).String() }
	users := slices.DeleteFunc(names.Users, func(u staff.User) bool { return f.ShopID != "" && u.ShopID != f.ShopID })
	t := p.table("", "audit.at", "audit.who", "audit.what", "corrections.allowed", "corrections.sale", "office.reason")
	for _, k := range found {
		t.Add(templates.Row{
			{Text: p.l.DateTime(k.ActedAt)},
			{Text: names.People[k.Actor], Hint: names.Tills[k.Sale.TillID]},
			{Text: frame.StepText(p.l, k.Moment(), k.Sale.Price())},
			{Text: names.People[k.Allowed]},
			{Text: k.Sale.ProductText, Hint: frame.AccountText(p.l, k.Sale), URL: "/sales/" + k.Sale.ID},
			{Text: k.Why},
		})
	}
	note := ""
	if more {
		note = p.l.Text("corrections.most", p.l.Number(frame.CorrectionsListed))
	}
	return s.showOffice(
		c, p,
		templates.OfficeCorrections(
			&p.Office, note, p.people(users), dateOf(f.From), dateOf(f.To.Add(-time.Second)), t,
		),
	)
}

// correctionFilter reads whose corrections to list, and of which days: today in the place of a day that is none.
func (s *Screens) correctionFilter(c *gin.Context) (f sales.CorrectionFilter, refused error) {
	zone := s.LocaleOf(c.Request).Zone()
	f = sales.CorrectionFilter{
		ShopID: frame.SalesOf(c), UserID: c.Query("who"), Limit: frame.RowsOf(c, frame.CorrectionsListed),
	}
	f.From, f.To, refused = days(c, zone, new(report.DayOf(s.D.Now(), zone)))
	return f, refused
}

// days reads from the first of which days to the end of the last a list is (from, to). The usual day stands in the
// place of one that is not given, or is none; nil: no bound.
func days(c *gin.Context, zone *time.Location, usual *report.Day) (from, to time.Time, refused error) {
	for _, end := range []struct {
		name string
		add  report.Day
		into *time.Time
	}{{"from", 0, &from}, {"to", 1, &to}} {
		day := usual
		if text := c.Query(end.name); text != "" {
			if typed, err := report.ParseDay(text); err == nil {
				day = &typed
			} else {
				refused = fault.OnField(end.name, "day.form")
			}
		}
		if day != nil {
			*end.into = (*day + end.add).Begins(zone)
		}
	}
	if refused == nil && !from.IsZero() && !to.IsZero() && !from.Before(to) {
		refused = fault.OnField("to", "period.ends-first")
	}
	return from, to, refused
}
