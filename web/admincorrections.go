package web

import (
	"context"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/sheet"
	"airtill/internal/staff"
	"airtill/web/templates"
)

const (
	correctionsPath   = "/admin/corrections"
	correctionsListed = 200
)

// corrections is GET /admin/corrections (who, from, to): what people set right, by
// person and time, in the shops the user sees; today unless days are given.
func (s *Server) corrections(c *gin.Context) error {
	f, refused := s.correctionFilter(c)
	r := reads{ctx: c.Request.Context()}
	found := loadOf(&r, s.d.Sales.Corrections, f)
	users := load(&r, s.d.Staff.Users)
	names := load(&r, func(context.Context) (names, error) { return s.names(c) })
	if r.err != nil {
		return r.err
	}
	p := s.newOffice(c, correctionsPath, refused)
	p.Typed.Values = c.Request.URL.Query()
	users = slices.DeleteFunc(users, func(u staff.User) bool { return f.ShopID != "" && u.ShopID != f.ShopID })
	t := p.table("", "audit.at", "audit.who", "audit.what", "corrections.sale", "office.reason")
	t.Stacks = true
	for _, k := range found {
		t.Add(templates.Row{
			{Text: p.l.DateTime(k.ActedAt)},
			{Text: names.people[k.Actor], Hint: names.tills[k.Sale.TillID]},
			{Text: stepText(p.l, k.Moment(), k.Sale.Price())},
			{Text: k.Sale.ProductText, Hint: accountText(p.l, k.Sale), URL: "/sales/" + k.Sale.ID},
			{Text: k.Why},
		})
	}
	note := ""
	if len(found) == correctionsListed {
		note = p.l.Text("corrections.most", p.l.Number(correctionsListed))
	}
	return s.showOffice(c, p, templates.OfficeCorrections(&p.Office, note, p.orAll(peopleChoices(users)), p.day(f.From), p.day(f.To.Add(-time.Second)), t))
}

// correctionFilter reads whose corrections are asked for, and of which days.
func (s *Server) correctionFilter(c *gin.Context) (sales.CorrectionFilter, error) {
	zone := s.localeOf(c.Request).Zone()
	f := sales.CorrectionFilter{ShopID: present(c).Shop.ID, UserID: c.Query("who"), Limit: correctionsListed}
	if present(c).User.Can(staff.ViewAllSales) {
		f.ShopID = ""
	}
	if c.Query("file") != "" {
		f.Limit = sheet.MostPrinted
	}
	today := report.DayOf(s.d.Now(), zone)
	days := map[string]report.Day{"from": today, "to": today}
	for name := range days {
		text := c.Query(name)
		if text == "" {
			continue
		}
		day, err := report.ParseDay(text)
		if err != nil {
			return f, fault.OnField(name, "day.form")
		}
		days[name] = day
	}
	f.From, f.To = days["from"].Begins(zone), (days["to"] + 1).Begins(zone)
	if !f.From.Before(f.To) {
		return f, fault.OnField("to", "period.ends-first")
	}
	return f, nil
}

// day is the date of a time in the reader's zone, as a field has it.
func (p *office) day(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(p.l.Zone()).Format(time.DateOnly)
}
