package web

import (
	"context"
	"net/url"
	"slices"

	"github.com/gin-gonic/gin"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/web/locale"
	"airtill/web/templates"
)

// roleNames are the keys of what roles are called.
var roleNames = map[staff.Role]string{
	staff.Cashier: "role.cashier", staff.Supervisor: "role.supervisor", staff.Manager: "role.manager",
	staff.Finance: "role.finance", staff.Auditor: "role.auditor", staff.Admin: "role.admin",
}

func roleName(l locale.Locale, r staff.Role) string { return l.Text(roleNames[r]) }

// people is GET /admin/people.
func (s *Server) people(c *gin.Context) error { return s.showPeople(c, nil) }

func (s *Server) showPeople(c *gin.Context, refused error) error {
	r := reads{ctx: c.Request.Context()}
	users := load(&r, s.d.Staff.Users)
	shops := load(&r, s.d.Staff.Shops)
	live := load(&r, s.d.Staff.LiveSessions)
	waiting := load(&r, s.d.Staff.Proposals)
	if r.err != nil {
		return r.err
	}
	p := s.newOffice(c, "/admin/people", refused)
	names := map[string]string{}
	for _, shop := range shops {
		names[shop.ID] = shop.Name
	}
	t := p.table(p.l.Text("people.all"), "people.name", "people.role", "reports.by.shop", "people.sessions", "people.state")
	for _, u := range users {
		state := templates.Cell{Text: p.l.Text("people.active")}
		if slices.ContainsFunc(waiting, func(w staff.Proposal) bool { return w.UserID == u.ID }) {
			state = templates.Cell{Text: p.l.Text("people.waits"), Tone: "warn"}
		} else if u.Disabled() {
			state = templates.Cell{Text: p.l.Text("people.disabled"), Tone: "bad"}
		}
		t.Add(templates.Row{
			{Text: u.DisplayName, Hint: u.Username, URL: "/admin/people/" + u.ID},
			{Text: roleName(p.l, u.Role)},
			{Text: every(p.l, names[u.ShopID])},
			{Text: p.l.Number(int64(live[u.ID]))},
			state,
		})
	}
	return s.showOffice(c, p, templates.OfficePeople(&p.Office, t, p.roles(), p.orAll(shopChoices(shops)), languageChoices()))
}

func (p *office) roles() []templates.Choice {
	return choices(staff.Roles(), func(r staff.Role) (string, string) { return string(r), roleName(p.l, r) })
}

func shopChoices(shops []staff.Shop) []templates.Choice {
	return choices(shops, func(s staff.Shop) (string, string) { return s.ID, s.Name })
}

func peopleChoices(users []staff.User) []templates.Choice {
	return choices(users, func(u staff.User) (string, string) { return u.ID, u.DisplayName })
}

func languageChoices() []templates.Choice {
	return choices(locale.Languages(), func(l locale.Named) (string, string) { return l.Tag, l.Name })
}

// addPerson is POST /admin/people.
func (s *Server) addPerson(c *gin.Context) error {
	added, err := s.d.Staff.CreateUser(c.Request.Context(), present(c).Actor(), staff.NewUser{
		Username: c.PostForm("username"), DisplayName: c.PostForm("display_name"), Role: staff.Role(c.PostForm("role")), ShopID: c.PostForm("shop"),
		Locale: c.PostForm("locale"), Password: c.PostForm("password"),
	})
	next := "/admin/people"
	if added.Disabled() { // until a second person agrees
		next += "/" + added.ID
	}
	return s.conclude(c, err, next, "saved", s.showPeople)
}

// person is GET /admin/people/:id.
func (s *Server) person(c *gin.Context) error { return s.showPerson(c, nil) }

func (s *Server) showPerson(c *gin.Context, refused error) error {
	r := reads{ctx: c.Request.Context()}
	u := loadOf(&r, s.d.Staff.User, c.Param("id"))
	shops := load(&r, s.d.Staff.Shops)
	hasPIN := loadOf(&r, s.d.Staff.HasPIN, u.ID)
	if r.err != nil {
		return r.err
	}
	p := s.newOffice(c, "/admin/people", refused)
	p.below(u.DisplayName, "office.people", "/admin/people")
	waits, err := s.proposalNote(c.Request.Context(), p, u.ID)
	if err != nil {
		return err
	}
	return s.showOffice(c, p, templates.OfficePerson(&p.Office, u, templates.PersonView{
		Role: roleName(p.l, u.Role), HasPIN: hasPIN, Waits: waits, Roles: p.roles(), Shops: p.orAll(shopChoices(shops)),
	}))
}

// proposalNote says what of an account waits for a second person, "" if nothing does.
func (s *Server) proposalNote(ctx context.Context, p *office, userID string) (string, error) {
	waiting, err := s.d.Staff.Proposals(ctx)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(waiting, func(w staff.Proposal) bool { return w.UserID == userID })
	if i < 0 {
		return "", nil
	}
	w := waiting[i]
	asker, err := s.d.Staff.User(ctx, w.ProposedBy)
	if err != nil {
		return "", err
	}
	p.Done = "" // nothing is yet
	what := actName(p.l, w.Action)
	if w.Role() != "" {
		what += ": " + roleName(p.l, w.Role())
	}
	note := p.l.Text("people.waitsNote", what, asker.DisplayName, p.l.DateTime(w.ProposedAt))
	if w.Reason != "" {
		note += " " + p.l.Text("office.reason") + ": " + w.Reason + "."
	}
	return note + " " + p.l.Text("people.waitsFor"), nil
}

// changePerson is POST /admin/people/:id (fields act, reason, and what it needs).
func (s *Server) changePerson(c *gin.Context) error {
	ctx, by, id := c.Request.Context(), present(c).Actor(), c.Param("id")
	reason, err := typedText(c, "reason")
	if err == nil {
		err = s.changeUser(ctx, by, id, reason, c.Request.PostForm)
	}
	return s.conclude(c, err, "/admin/people/"+url.PathEscape(id), "saved", s.showPerson)
}

func (s *Server) changeUser(ctx context.Context, by audit.Actor, id, reason string, form url.Values) error {
	if act := form.Get("act"); act == "confirm" || act == "drop" {
		return s.d.Staff.Decide(ctx, by, id, act == "confirm")
	}
	if reason == "" {
		return fault.OnField("reason", "reason.missing")
	}
	switch form.Get("act") {
	case "role":
		return s.d.Staff.ChangeRole(ctx, by, id, staff.Role(form.Get("role")), form.Get("shop"), reason)
	case "password":
		return s.d.Staff.SetPassword(ctx, by, id, form.Get("password"), reason)
	case "pin":
		return s.d.Staff.ClearPIN(ctx, by, id, reason)
	case "sign-out":
		return s.d.Staff.EndSessions(ctx, by, id, reason)
	case "enable":
		return s.d.Staff.Enable(ctx, by, id, reason)
	case "disable":
		return s.d.Staff.Disable(ctx, by, id, reason)
	}
	return fault.New(fault.NotFound, "")
}
