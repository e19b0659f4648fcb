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
	users := frame.Load(r, s.D.Staff.Users)
	names := frame.LoadHere(r, s.Names)
	if r.Err != nil {
		return r.Err
	}
	p := s.newOffice(c, frame.CorrectionsPath, refused)
	p.Typed.Values = c.Request.URL.Query()
	users = slices.DeleteFunc(users, func(u staff.User) bool { return f.ShopID != "" && u.ShopID != f.ShopID })
	t := p.table("", "audit.at", "audit.who", "audit.what", "corrections.allowed", "corrections.sale", "office.reason")
	t.Stacks = true
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
			&p.Office, note, p.orAll(peopleChoices(users)), p.day(f.From), p.day(f.To.Add(-time.Second)), t,
		),
	)
}

// correctionFilter reads whose corrections to list, and of which days: today in the place of a day that is none.
func (s *Screens) correctionFilter(c *gin.Context) (f sales.CorrectionFilter, refused error) {
	zone := s.LocaleOf(c.Request).Zone()
	f = sales.CorrectionFilter{
		ShopID: frame.SalesOf(c), UserID: c.Query("who"), Limit: frame.RowsOf(c, frame.CorrectionsListed),
	}
	today := report.DayOf(s.D.Now(), zone)
	days := map[string]report.Day{"from": today, "to": today}
	for name := range days {
		text := c.Query(name)
		if text == "" {
			continue
		}
		day, err := report.ParseDay(text)
		if err != nil {
			refused = fault.OnField(name, "day.form")
			continue
		}
		days[name] = day
	}
	f.From, f.To = days["from"].Begins(zone), (days["to"] + 1).Begins(zone)
	if refused == nil && !f.From.Before(f.To) {
		refused = fault.OnField("to", "period.ends-first")
	}
	return f, refused
}

// day is a time's date in the reader's zone, as a field has it.
func (p *office) day(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(p.l.Zone()).Format(time.DateOnly)
}
