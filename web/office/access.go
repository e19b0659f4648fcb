package office

import (
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/templates"
)

const accessPath = "/admin/access"

// Access is GET /admin/access: what each role needs besides a password.
func (s *Screens) Access(c *gin.Context) error {
	rules, err := s.D.Staff.Rules(c.Request.Context())
	if err != nil {
		return err
	}
	p := s.newOffice(c, accessPath)
	t := p.table(p.l.Text("office.access"), "people.role", "people.second", "access.networks")
	for _, r := range rules {
		t.Add(templates.Row{
			{Text: frame.RoleName(p.l, r.Role)},
			{Text: templates.YesNo(p.l, r.SecondFactor)},
			{Text: every(p.l, r.Networks)},
		})
	}
	return s.showOffice(c, p, templates.OfficeAccess(&p.Office, t, rules, p.roles(), c.ClientIP()))
}

// SetAccess is POST /admin/access (fields role, second, networks).
func (s *Screens) SetAccess(c *gin.Context) error {
	var shown *staff.Rule
	if networks, said := c.GetPostForm(templates.ShownIn + "networks"); said {
		shown = &staff.Rule{SecondFactor: c.PostForm(templates.ShownIn+"second") == "true", Networks: networks}
	}
	second := c.PostForm("second")
	rule := staff.Rule{
		Role: staff.Role(c.PostForm("role")), SecondFactor: second == "true", Networks: c.PostForm("networks"),
		Shown: shown,
	}
	if !rule.SecondFactor && second != "false" && !rule.Fixed() {
		return s.conclude(c, fault.OnField("second", "access.second"), accessPath, "", s.Access)
	}
	err := s.D.Staff.SetRule(c.Request.Context(), frame.Present(c).Actor(), rule, c.ClientIP())
	return s.conclude(c, err, accessPath, "saved", s.Access)
}
