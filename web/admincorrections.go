package web

import (
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
	ctx := c.Request.Context()
	f, refused := s.correctionFilter(c)
	found, err := s.d.Sales.Corrections(ctx, f)
	if err != nil {
		return err
	}
	users, err := s.d.Staff.Users(ctx)
	if err != nil {
		return err
	}
	names, err := s.names(c)
	if err != nil {
		return err
	}
	p := s.newOffice(c, correctionsPath, refused)
	p.typed = c.Request.URL.Query()
	people := []templates.Choice{{Text: p.l.Text("office.all")}}
	for _, u := range users {
		if f.ShopID == "" || u.ShopID == f.ShopID {
			people = append(people, templates.Choice{Value: u.ID, Text: u.DisplayName})
		}
	}
	part := templates.OfficePart{Empty: p.l.Text("corrections.none"), Form: &templates.OfficeForm{Action: correctionsPath, Get: true, Fields: []templates.OfficeField{
		p.list("who", "audit.who", "", people...), p.day("from", "reports.from", f.From), p.day("to", "reports.to", f.To.Add(-time.Second)),
	}, Buttons: []templates.OfficeButton{{Text: p.l.Text("reports.show"), Primary: true}}}}
	part.Table = &templates.OfficeTable{Stacks: true, Columns: []string{p.l.Text("audit.at"), p.l.Text("audit.who"), p.l.Text("audit.what"), p.l.Text("corrections.sale"), p.l.Text("office.reason")}}
	for _, k := range found {
		part.Table.Rows = append(part.Table.Rows, templates.OfficeRow{Cells: []templates.OfficeCell{
			{Text: p.l.DateTime(k.ActedAt)},
			{Text: names.people[k.Actor], Hint: names.tills[k.Sale.TillID]},
			{Text: stepText(p.l, k.Moment(), k.Sale.Price())},
			{Text: k.Sale.ProductText, Hint: accountText(p.l, k.Sale), URL: "/sales/" + k.Sale.ID},
			{Text: k.Why},
		}})
	}
	if len(found) == correctionsListed {
		part.Note = p.l.Text("corrections.most", p.l.Number(correctionsListed))
	}
	p.add(part)
	return s.showOffice(c, p)
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

// day is a field for a date, in the reader's zone.
func (p *officePage) day(name, label string, at time.Time) templates.OfficeField {
	value := ""
	if !at.IsZero() {
		value = at.In(p.l.Zone()).Format(time.DateOnly)
	}
	f := p.field(name, label, value)
	f.Type = "date"
	return f
}
