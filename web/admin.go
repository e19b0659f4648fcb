package web

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/web/locale"
	"airtill/web/templates"
)

// officePlaces are the pages of the office, with who may see each.
var officePlaces = []struct {
	path, name string
	permission staff.Permission
	orElse     staff.Permission // another that will do as well; "" for none
}{
	{"/admin/prices", "office.prices", staff.ManagePrices, ""},
	{"/admin/catalogue", "office.catalogue", staff.ManageCatalogue, ""},
	{"/admin/counter", "office.counter", staff.PinProducts, staff.ManageCatalogue},
	{"/admin/people", "office.people", staff.ManageUsers, ""},
	{"/admin/shops", "office.shops", staff.ManageShops, ""},
	{"/admin/limits", "office.limits", staff.ManageShops, ""},
	{"/admin/sending", "office.sending", staff.ManageShops, ""},
	{"/admin/upstream", "office.upstream", staff.Operate, ""},
	{"/admin/jobs", "office.jobs", staff.Operate, ""},
	{"/admin/webhooks", "office.webhooks", staff.Operate, ""},
	{"/admin/setup", "office.setup", staff.Operate, ""},
	{"/admin/audit", "office.audit", staff.ViewAudit, ""},
	{correctionsPath, "corrections.title", staff.ViewReports, ""},
	{healthURL, "health.title", staff.Operate, staff.ViewReports},
}

// mayAdmin says whether there is anything in the office for a user.
func mayAdmin(u staff.User) bool { return firstOffice(u) != "" }

func firstOffice(u staff.User) string {
	for _, p := range officePlaces {
		if u.Can(p.permission) || u.Can(p.orElse) {
			return p.path
		}
	}
	return ""
}

// admin is GET /admin/: the first page of the office that the user may see; while
// a new till lacks something, the setup for who can mend that.
func (s *Server) admin(c *gin.Context) error {
	first := firstOffice(present(c).User)
	if first == "" {
		return fault.New(fault.Forbidden, "")
	}
	if present(c).User.Can(staff.Operate) {
		complete, err := s.d.Setup.Complete(c.Request.Context())
		if err != nil {
			return err
		}
		if !complete {
			first = "/admin/setup"
		}
	}
	return redirect(c, first)
}

// officePage is a page under way: what is refused is shown where it was typed.
type officePage struct {
	templates.OfficePage

	l       locale.Locale
	refused error
	action  string // what was posted to
	typed   url.Values
}

// newOffice begins a page of the office. refused is why what was posted was not
// done, nil if it was, or nothing was.
func (s *Server) newOffice(c *gin.Context, path string, refused error) *officePage {
	p := &officePage{l: s.fileLocale(c), refused: refused}
	if refused != nil {
		p.action, p.typed = c.Request.URL.Path, c.Request.PostForm
	}
	p.Tabs = officeTabs(p.l, present(c).User, path)
	for _, place := range officePlaces {
		if place.path == path {
			p.Title = p.l.Text(place.name)
		}
	}
	if done := doneTexts[c.Query("done")]; done != "" && refused == nil {
		p.Done = p.l.Text(done)
	}
	return p
}

// officeTabs lead to the pages that the user may see.
func officeTabs(l locale.Locale, u staff.User, path string) (tabs []templates.Link) {
	for _, place := range officePlaces {
		if u.Can(place.permission) || u.Can(place.orElse) {
			tabs = append(tabs, templates.Link{Text: l.Text(place.name), URL: place.path, Current: place.path == path})
		}
	}
	return tabs
}

// doneTexts are what an act says afterwards, by the word in the address.
var doneTexts = map[string]string{"saved": "office.saved", "removed": "office.removed", "asked": "office.asked", "settled": "setup.done"}

// field is a field that keeps what was typed and says why it was refused.
func (p *officePage) field(name, label, value string) templates.OfficeField {
	f := templates.OfficeField{Name: name, Label: p.l.Text(label), Value: value, Untyped: value}
	if p.typed.Has(name) && !strings.Contains(name, "password") {
		f.Value = p.typed.Get(name)
	}
	if p.refused != nil && fault.FieldOf(p.refused) == name {
		f.Problem = p.l.Fault(p.refused)
	}
	return f
}

// list is a field to choose from.
func (p *officePage) list(name, label, value string, choices ...templates.Choice) templates.OfficeField {
	f := p.field(name, label, value)
	for i := range choices {
		choices[i].Chosen = choices[i].Value == f.Value
	}
	f.Choices = choices
	return f
}

// add adds a part. Only the form that was posted keeps what was typed: another may
// have fields of the same names.
func (p *officePage) add(part templates.OfficePart) {
	if part.Form != nil && p.action != "" && !p.posted(*part.Form) {
		for i := range part.Form.Fields {
			part.Form.Fields[i].Forget()
		}
	}
	p.Parts = append(p.Parts, part)
}

func (p *officePage) posted(f templates.OfficeForm) bool {
	for _, hidden := range f.Hidden {
		if hidden.Name == "act" && hidden.Value != p.typed.Get("act") {
			return false
		}
	}
	return f.Action == p.action
}

// showOffice answers with the page: 422 or 409 where something was refused; or, if the
// address asks for it, with one of its tables as a file.
func (s *Server) showOffice(c *gin.Context, p *officePage) error {
	if p.refused == nil && c.Request.Method == http.MethodGet {
		if c.Query("file") != "" {
			return s.officeFile(c, p)
		}
		p.offerFiles(c.Request.URL)
	}
	status := http.StatusOK
	if p.refused != nil {
		status = statusOf(p.refused)
		if !p.fieldSays() {
			p.Problem = p.l.Fault(p.refused)
		}
	}
	return s.show(c, status, func(f templates.Frame) templ.Component {
		p.Frame = f
		return templates.Office(p.OfficePage)
	})
}

// fieldSays says whether the refusal stands at a field already.
func (p *officePage) fieldSays() bool {
	for _, part := range p.Parts {
		if part.Form == nil {
			continue
		}
		for _, f := range part.Form.Fields {
			if f.Problem != "" {
				return true
			}
		}
	}
	return false
}

// refusable keeps what a person can mend on the page; the rest is an error.
func refusable(err error) (refused, failed error) {
	if kind := fault.KindOf(err); kind == fault.Invalid || kind == fault.Conflict || kind == fault.Forbidden {
		return err, nil
	}
	return nil, err
}

// conclude ends a POST of the office: back to the page, with what was done, or the
// page again with what was refused.
func (s *Server) conclude(c *gin.Context, err error, path, done string, again func(*gin.Context, error) error) error {
	refused, failed := refusable(err)
	switch {
	case failed != nil:
		return failed
	case refused != nil:
		return again(c, refused)
	}
	return redirect(c, path+"?done="+done)
}

// yes writes whether something holds.
func yes(l locale.Locale, holds bool) string {
	if holds {
		return l.Text("office.yes")
	}
	return l.Text("office.no")
}

// every writes a scope, "all" where it is empty.
func every(l locale.Locale, value string) string { return cmp.Or(value, l.Text("office.all")) }
