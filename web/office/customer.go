package office

import (
	"github.com/gin-gonic/gin"

	"airtill/internal/person"
	"airtill/internal/sheet"
	"airtill/web/frame"
	"airtill/web/templates"
)

const customerPath = "/admin/customer"

// AskCustomerData is POST /admin/customer (fields act, number; file, reason, id).
func (s *Screens) AskCustomerData(c *gin.Context) error {
	ctx, by, number := c.Request.Context(), frame.Present(c).Actor(), c.PostForm("number")
	switch c.PostForm("act") {
	case "look":
		return s.CustomerData(c)
	case "export":
		return s.exportCustomer(c)
	case "propose":
		reason, err := frame.TypedText(c, "reason")
		if err == nil {
			err = s.D.Persons.Propose(ctx, by, number, reason)
		}
		return s.conclude(c, err, customerPath, "asked-two", s.CustomerData)
	case "confirm":
		return s.conclude(
			c, s.D.Persons.Confirm(ctx, by, c.PostForm("id"), number), customerPath, "removed", s.CustomerData,
		)
	case "drop":
		return s.conclude(c, s.D.Persons.Decline(ctx, by, c.PostForm("id")), customerPath, "removed", s.CustomerData)
	}
	return frame.NotFound(c)
}

// CustomerData is GET /admin/customer: what is stored of a customer's number.
func (s *Screens) CustomerData(c *gin.Context) error {
	r := frame.ReadsOf(c)
	waiting := frame.Load(r, s.D.Persons.Waiting)
	users := frame.Load(r, s.D.Staff.Users)
	if r.Err != nil {
		return r.Err
	}
	names := map[string]string{}
	for _, u := range users {
		names[u.ID] = u.DisplayName
	}
	d := templates.CustomerData{}
	var found person.Found
	if act := c.PostForm("act"); act != "" && act != "confirm" && act != "drop" {
		d.Number = c.PostForm("number")
		var err error
		if found, err = s.D.Persons.Find(c.Request.Context(), d.Number); err != nil && frame.Refused(c) == nil {
			if !frame.Mendable(err) {
				return err
			}
			frame.Refuse(c, err)
		}
	}
	p := s.newOffice(c, customerPath)
	if found.Numbers != nil {
		d.Found = p.storedTable(found)
		sold, entries := p.l.Number(int64(len(found.Sales))), p.l.Number(int64(len(found.Book)))
		d.Summary = p.l.Text("customerData.found", sold, entries)
	}
	for _, w := range waiting {
		d.Waiting = append(d.Waiting, templates.WaitingErasure{ID: w.ID, Note: p.l.Text(
			"customerData.waits", names[w.ProposedBy], p.l.DateTime(w.ProposedAt), w.Reason,
		)})
	}
	return s.showOffice(c, p, templates.OfficeCustomer(&p.Office, d))
}

// storedTable is all that is stored of a number, one row each.
func (p *office) storedTable(found person.Found) *templates.Table {
	t := p.table(p.l.Text("customerData.stored"), "audit.at", "reports.by.shop", "facts.account", "customerData.what",
		"sales.price", "sales.state", "facts.code")
	for _, sold := range found.Sales {
		what := sold.Provider + ", " + sold.Product
		for _, more := range []string{sold.Settings, sold.BillRef} {
			if more != "" && more != "null" && more != "[]" {
				what += ", " + more
			}
		}
		t.Add(templates.Row{
			{Text: p.l.DateTime(sold.At)},
			{Text: sold.Shop},
			{Text: sold.Number},
			{Text: what},
			{Text: sold.Price},
			{Text: templates.StateWord(p.l, string(sold.State))},
			{Text: sold.Code},
		})
	}
	for _, entry := range found.Book {
		what := p.l.Text("customerData.book")
		if entry.Name != "" {
			what += ": " + entry.Name
		}
		t.Add(templates.Row{
			{Text: p.l.DateTime(entry.SeenAt)}, {Text: entry.Shop}, {Text: entry.Number}, {Text: what}, {}, {}, {},
		})
	}
	for _, of := range found.Operators {
		t.Add(templates.Row{
			{Text: p.l.DateTime(of.SeenAt)}, {}, {}, {Text: templates.StoredOperator(p.l, of.Provider)}, {}, {}, {},
		})
	}
	return t
}

// exportCustomer answers with all that is stored of a number, as a file.
func (s *Screens) exportCustomer(c *gin.Context) error {
	format := c.PostForm("file")
	if err := frame.CheckFormat(format); err != nil {
		return err
	}
	found, err := s.D.Persons.Export(c.Request.Context(), frame.Present(c).Actor(), c.PostForm("number"))
	if err != nil {
		return s.conclude(c, err, customerPath, "", s.CustomerData)
	}
	p := &office{l: frame.Printable(s.LocaleOf(c.Request), format)}
	t := p.storedTable(found)
	return s.SendSheet(c, sheet.Table{
		Title: t.Title, Notes: []string{p.l.Text("reports.made", p.l.DateTime(s.D.Now()))}, Columns: columnsOf(t),
		Rows: sheet.From(cellsOf(t)), Count: len(t.Rows),
	}, p.l, "customer", format)
}
