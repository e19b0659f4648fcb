package office

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strconv"

	"github.com/gin-gonic/gin"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/invariant"
	"airtill/internal/sheet"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/templates"
)

// auditListed is how many entries a page lists, and a file reads at a time.
const auditListed = 100

// AuditPage is GET /admin/audit (who, action, subject, from, to, before).
func (s *Screens) AuditPage(c *gin.Context) error { return s.showAudit(c, nil) }

// VerifyAudit is POST /admin/audit: it reads the whole chain and says that it holds, or where it does not.
func (s *Screens) VerifyAudit(c *gin.Context) error {
	offences, err := s.D.Audit.Verify(c.Request.Context())
	if err != nil {
		return err
	}
	return s.showAudit(c, &offences)
}

func (s *Screens) showAudit(c *gin.Context, verified *[]audit.Offence) error {
	f, refused := s.auditFilter(c)
	if c.Query("file") != "" && c.Query("table") == "0" && refused == nil && verified == nil {
		return s.auditFile(c, f)
	}
	r := frame.ReadsOf(c)
	listed := f
	listed.Limit++
	records, more := frame.Page(frame.LoadOf(r, s.D.Audit.List, listed), f.Limit)
	names := frame.LoadHere(r, s.officeNames)
	if r.Err != nil {
		return r.Err
	}
	frame.Refuse(c, refused)
	p := s.newOffice(c, "/admin/audit")
	p.Typed.Values = c.Request.URL.Query()
	v := templates.Audit{People: p.people(names.Users), Acts: p.auditActs()}
	v.Records = p.auditTable(records, auditWords{p.l, names}, frame.Present(c).User)
	if verified != nil {
		v.Broken = p.tellChain(*verified)
	}
	if more {
		older := c.Request.URL.Query()
		older.Set("before", strconv.FormatInt(records[len(records)-1].Seq, 10))
		p.More = &templates.Link{Text: p.l.Text("audit.older"), URL: "/admin/audit?" + older.Encode()}
	}
	return s.showOffice(c, p, templates.OfficeAudit(&p.Office, v))
}

// tellChain says whether the chain holds, naming every place where it does not.
func (p *office) tellChain(offences []audit.Offence) *templates.Table {
	if len(offences) == 0 {
		p.Done = p.l.Text("audit.holds")
		return nil
	}
	p.Problem = p.l.Text("audit.broken", p.l.Number(int64(len(offences))))
	t := p.table(p.l.Text("audit.brokenAt"), "audit.entry", "audit.problem")
	for _, o := range offences[:min(len(offences), auditListed)] {
		problem := frame.OffenderText(p.l, invariant.Offender{Kind: invariant.Kind("entry." + o.Problem)})
		t.Add(templates.Row{{Text: p.l.Number(o.Seq)}, {Text: problem, Tone: frame.ToneBad}})
	}
	return t
}

func (s *Screens) auditFilter(c *gin.Context) (audit.Filter, error) {
	l := s.LocaleOf(c.Request)
	f := audit.Filter{
		UserID: c.Query("who"), Act: audit.Act(c.Query("action")), Subject: audit.Subject(c.Query("subject")),
		Limit: auditListed,
	}
	f.BeforeSeq, _ = strconv.ParseInt(c.Query("before"), 10, 64) // 0 begins at the newest
	var refused error
	f.From, f.To, refused = days(c, l.Zone(), nil)
	if refused == nil && f.Act != "" && !slices.Contains(audit.Acts(), f.Act) {
		refused = fault.OnField("action", "audit.act")
	}
	return f, refused
}

// auditActs are all acts, by name.
func (p *office) auditActs() []templates.Choice {
	acts := p.orAll(frame.Choices(audit.Acts(), func(act audit.Act) (string, string) {
		return string(act), actName(p.l, act)
	}))
	frame.ByText(p.l, acts[1:])
	return acts
}

func (p *office) auditTable(records []audit.Record, told auditWords, u staff.User) *templates.Table {
	t := p.table(
		"", "audit.at", "audit.who", "audit.what", "audit.subject", "office.reason", "audit.before", "audit.after",
	)
	t.Folds = 3
	for _, r := range records {
		t.Add(told.row(r, u))
	}
	return t
}

func (k auditWords) row(r audit.Record, u staff.User) templates.Row {
	was, is := k.change(r)
	return templates.Row{
		{Text: k.l.DateTime(r.At), Hint: strconv.FormatInt(r.Seq, 10)},
		{Text: r.Actor, Hint: k.role(r.Role)},
		actCell(k.l, r.Act), k.subjectCell(u, r.Subject),
		{Text: r.Reason},
		{Text: was},
		{Text: is},
	}
}

// subjectCell names what was acted on, or what kind of thing it is, and links to it for those who may go
// there.
func (k auditWords) subjectCell(u staff.User, subject audit.Subject) templates.Cell {
	if subject == "" { // of a role's rule, as earlier releases wrote it
		return templates.Cell{}
	}
	thing, id := subject.Parts()
	name, path, leave, hint := "", "", staff.ManageShops, id
	switch thing {
	case audit.User:
		name, path, leave = k.names.People[id], "/admin/people/", staff.ManageUsers
	case audit.Shop:
		name, path = k.names.Shops[id], "/admin/shops/"
	case audit.Till:
		name = k.names.Tills[id]
	case audit.Product:
		name = k.names.Sold.Products[id]
	case audit.Provider:
		name = k.names.Sold.Providers[id]
	case audit.Role:
		name = k.role(id)
	case audit.Sale:
		path, leave = "/sales/", staff.ViewAllSales
	case audit.Books:
		hint = k.l.Text("audit.books." + id)
	case audit.Setup:
		hint = k.l.Text("setup." + id)
	default: // by its id
	}
	if frame.IsKey(hint) {
		hint = "" // an id of ours says nothing to a person; the link knows it
	}
	what := k.thing(thing)
	cell := templates.Cell{Text: cmp.Or(name, what), Hint: hint, URL: "/admin/audit?" +
		url.Values{"subject": {string(subject)}}.Encode()}
	if name != "" {
		cell.Hint = what
	}
	if id != "" && path != "" && u.Can(leave) {
		cell.URL = path + id
	}
	return cell
}

// thing is the name of a kind of thing.
func (k auditWords) thing(thing audit.Thing) string {
	return k.l.Word("audit.thing.", string(thing), k.l.Text("audit.thing.other")) // a later version's entry
}

// auditFile is all that a filter selects as a file, from whichever of its pages, read page by page: the trail of
// years may be asked for.
func (s *Screens) auditFile(c *gin.Context, f audit.Filter) error {
	format := c.Query("file")
	if err := frame.CheckFormat(format); err != nil {
		return err
	}
	names, err := s.officeNames(c)
	if err != nil {
		return err
	}
	p, u := s.newOffice(c, "/admin/audit"), frame.Present(c).User
	told := auditWords{p.l, names}
	read := func(last *audit.Record) ([]audit.Record, error) {
		f.BeforeSeq = 0
		if last != nil {
			f.BeforeSeq = last.Seq
		}
		return s.D.Audit.List(c.Request.Context(), f)
	}
	return s.SendSheet(c, sheet.Table{
		Title: p.Title, Notes: []string{p.l.Text("reports.made", p.l.DateTime(s.D.Now()))},
		Columns: columnsOf(p.auditTable(nil, auditWords{}, staff.User{})),
		Rows:    pageByPage(f.Limit, read, func(r audit.Record) []sheet.Cell { return rowCells(told.row(r, u)) }),
	}, p.l, path.Base(p.place), format)
}
