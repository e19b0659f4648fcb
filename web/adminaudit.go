package web

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/report"
	"airtill/internal/sheet"
	"airtill/internal/staff"
	"airtill/web/templates"
)

const (
	auditListed = 100               // on a page
	auditFiled  = sheet.MostPrinted // in a file
)

// auditPage is GET /admin/audit (who, action, subject, from, to, before).
func (s *Server) auditPage(c *gin.Context) error { return s.showAudit(c, nil) }

// verifyAudit is POST /admin/audit: the whole chain is read and told to hold, or
// where it does not.
func (s *Server) verifyAudit(c *gin.Context) error {
	offences, err := s.d.Audit.Verify(c.Request.Context())
	if err != nil {
		return err
	}
	return s.showAudit(c, &offences)
}

func (s *Server) showAudit(c *gin.Context, verified *[]audit.Offence) error {
	ctx := c.Request.Context()
	f, refused := s.auditFilter(c)
	records, err := s.d.Audit.List(ctx, f)
	if err != nil {
		return err
	}
	users, err := s.d.Staff.Users(ctx)
	if err != nil {
		return err
	}
	names, err := s.officeNames(ctx)
	if err != nil {
		return err
	}
	p := s.newOffice(c, "/admin/audit", refused)
	p.typed = c.Request.URL.Query()
	if verified != nil {
		p.tellChain(*verified)
	}
	p.add(p.auditPart(records, users, auditWords{p.l, names}, present(c).User))
	if len(records) == auditListed {
		older := p.typed
		older.Set("before", strconv.FormatInt(records[len(records)-1].Seq, 10))
		p.More = &templates.Link{Text: p.l.Text("audit.older"), URL: "/admin/audit?" + older.Encode()}
	}
	return s.showOffice(c, p)
}

// tellChain says whether the chain holds; every place where it does not is named.
func (p *officePage) tellChain(offences []audit.Offence) {
	if len(offences) == 0 {
		p.Done = p.l.Text("audit.holds")
		return
	}
	p.Problem = p.l.Text("audit.broken", p.l.Number(int64(len(offences))))
	t := &templates.OfficeTable{Columns: []string{p.l.Text("audit.entry"), p.l.Text("audit.problem")}}
	for _, o := range offences[:min(len(offences), auditListed)] {
		t.Rows = append(t.Rows, templates.OfficeRow{Cells: []templates.OfficeCell{{Text: p.l.Number(o.Seq)}, {Text: o.Problem, Tone: toneBad}}})
	}
	p.add(templates.OfficePart{Title: p.l.Text("audit.brokenAt"), Table: t})
}

func (s *Server) auditFilter(c *gin.Context) (audit.Filter, error) {
	l := s.localeOf(c.Request)
	f := audit.Filter{UserID: c.Query("who"), Action: c.Query("action"), Subject: c.Query("subject"), Limit: auditListed}
	if c.Query("file") != "" {
		f.Limit = auditFiled
	}
	f.BeforeSeq, _ = strconv.ParseInt(c.Query("before"), 10, 64) // 0 begins at the newest
	var refused error
	if f.Action != "" && !slices.Contains(auditActs, f.Action) {
		refused = fault.OnField("action", "audit.act")
	}
	for _, end := range []struct {
		name string
		add  report.Day
		into *time.Time
	}{{"from", 0, &f.From}, {"to", 1, &f.To}} {
		if text := c.Query(end.name); text != "" {
			day, err := report.ParseDay(text)
			if err != nil {
				refused = fault.OnField(end.name, "day.form")
				continue
			}
			*end.into = (day + end.add).Begins(l.Zone())
		}
	}
	if refused == nil && !f.From.IsZero() && !f.To.IsZero() && !f.From.Before(f.To) {
		refused = fault.OnField("to", "period.ends-first")
	}
	return f, refused
}

func (p *officePage) auditPart(records []audit.Record, users []staff.User, told auditWords, u staff.User) templates.OfficePart {
	people := []templates.Choice{{Text: p.l.Text("office.all")}}
	for _, u := range users {
		people = append(people, templates.Choice{Value: u.ID, Text: u.DisplayName})
	}
	acts := []templates.Choice{{Text: p.l.Text("office.all")}}
	for _, act := range auditActs {
		acts = append(acts, templates.Choice{Value: act, Text: actName(p.l, act)})
	}
	slices.SortFunc(acts[1:], func(x, y templates.Choice) int { return strings.Compare(x.Text, y.Text) })
	dated := func(name, label string) templates.OfficeField {
		f := p.field(name, label, "")
		f.Type = "date"
		return f
	}
	part := templates.OfficePart{Note: p.l.Text("audit.note"), Empty: p.l.Text("audit.none"), Form: &templates.OfficeForm{Action: "/admin/audit", Get: true, Fields: []templates.OfficeField{
		p.list("who", "audit.who", "", people...), p.list("action", "audit.what", "", acts...), p.field("subject", "audit.subject", ""), dated("from", "reports.from"), dated("to", "reports.to"),
	}, Buttons: []templates.OfficeButton{{Text: p.l.Text("reports.show"), Primary: true}}}}
	part.Table = &templates.OfficeTable{Stacks: true, Columns: []string{p.l.Text("audit.at"), p.l.Text("audit.who"), p.l.Text("audit.what"), p.l.Text("audit.subject"), p.l.Text("office.reason"), p.l.Text("audit.before"), p.l.Text("audit.after")}}
	for _, r := range records {
		was, is := told.change(r.Before, r.After)
		part.Table.Rows = append(part.Table.Rows, templates.OfficeRow{Cells: []templates.OfficeCell{
			{Text: p.l.DateTime(r.At), Hint: strconv.FormatInt(r.Seq, 10)}, {Text: r.Actor, Hint: told.role(r.Role)}, actCell(p.l, r.Action), subjectCell(u, told.names, r.Subject), {Text: r.Reason}, {Text: was}, {Text: is},
		}})
	}
	part.Acts = []templates.OfficeAct{{Text: p.l.Text("audit.verify"), Action: "/admin/audit"}}
	return part
}

// subjectCell calls what was acted on by its name, or by what it is, and leads to it
// whoever may go there.
func subjectCell(u staff.User, n reportNames, subject string) templates.OfficeCell {
	kind, id, _ := strings.Cut(subject, ":")
	name, path, leave := kind, "", staff.ManageShops
	switch kind {
	case "user":
		name, path, leave = n.people[id], "/admin/people/", staff.ManageUsers
	case "shop":
		name, path = n.shops[id], "/admin/shops/"
	case "till":
		name = n.tills[id]
	case "sale":
		path, leave = "/sales/", staff.ViewAllSales
	}
	cell := templates.OfficeCell{Text: cmp.Or(name, kind), Hint: subject}
	if name != "" && path != "" && u.Can(leave) {
		cell.URL = path + id
	}
	return cell
}
