package web

import (
	"cmp"
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
	ctx := c.Request.Context()
	users, err := s.d.Staff.Users(ctx)
	if err != nil {
		return err
	}
	shops, err := s.d.Staff.Shops(ctx)
	if err != nil {
		return err
	}
	live, err := s.d.Staff.LiveSessions(ctx)
	if err != nil {
		return err
	}
	waiting, err := s.d.Staff.Proposals(ctx)
	if err != nil {
		return err
	}
	p := s.newOffice(c, "/admin/people", refused)
	names := map[string]string{}
	for _, shop := range shops {
		names[shop.ID] = shop.Name
	}
	table := &templates.OfficeTable{Columns: []string{p.l.Text("people.name"), p.l.Text("people.role"), p.l.Text("reports.by.shop"), p.l.Text("people.sessions"), p.l.Text("people.state")}}
	for _, u := range users {
		state := templates.OfficeCell{Text: p.l.Text("people.active")}
		if slices.ContainsFunc(waiting, func(w staff.Proposal) bool { return w.UserID == u.ID }) {
			state = templates.OfficeCell{Text: p.l.Text("people.waits"), Tone: "warn"}
		} else if u.Disabled() {
			state = templates.OfficeCell{Text: p.l.Text("people.disabled"), Tone: "bad"}
		}
		table.Rows = append(table.Rows, templates.OfficeRow{Cells: []templates.OfficeCell{
			{Text: u.DisplayName, Hint: u.Username, URL: "/admin/people/" + u.ID},
			{Text: roleName(p.l, u.Role)},
			{Text: every(p.l, names[u.ShopID])},
			{Text: p.l.Number(int64(live[u.ID]))},
			state,
		}})
	}
	p.add(templates.OfficePart{Title: p.l.Text("people.all"), Table: table})
	password := p.field("password", "people.password", "")
	password.Type, password.Help = "password", p.l.Text("people.passwordHelp")
	p.add(templates.OfficePart{Title: p.l.Text("people.add"), Form: &templates.OfficeForm{Action: "/admin/people", Fields: []templates.OfficeField{
		p.field("username", "people.username", ""), p.field("display_name", "people.name", ""), p.roles(""), p.shops(shops, ""), p.languages("en"), password,
	}, Buttons: []templates.OfficeButton{{Text: p.l.Text("office.add"), Primary: true}}}})
	return s.showOffice(c, p)
}

func (p *officePage) roles(chosen staff.Role) templates.OfficeField {
	var choices []templates.Choice
	for _, role := range staff.Roles() {
		choices = append(choices, templates.Choice{Value: string(role), Text: roleName(p.l, role)})
	}
	return p.list("role", "people.role", string(cmp.Or(chosen, staff.Cashier)), choices...)
}

func (p *officePage) shops(shops []staff.Shop, chosen string) templates.OfficeField {
	choices := []templates.Choice{{Text: p.l.Text("office.all")}}
	for _, shop := range shops {
		choices = append(choices, templates.Choice{Value: shop.ID, Text: shop.Name})
	}
	return p.list("shop", "reports.by.shop", chosen, choices...)
}

func (p *officePage) languages(chosen string) templates.OfficeField {
	var choices []templates.Choice
	for _, language := range locale.Languages() {
		choices = append(choices, templates.Choice{Value: language.Tag, Text: language.Name})
	}
	return p.list("locale", "people.language", chosen, choices...)
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
	ctx := c.Request.Context()
	u, err := s.d.Staff.User(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	shops, err := s.d.Staff.Shops(ctx)
	if err != nil {
		return err
	}
	hasPIN, err := s.d.Staff.HasPIN(ctx, u.ID)
	if err != nil {
		return err
	}
	p := s.newOffice(c, "/admin/people", refused)
	p.Title, p.Back = u.DisplayName, &templates.Link{Text: p.l.Text("office.people"), URL: "/admin/people"}
	if err := s.addProposal(ctx, p, u.ID); err != nil {
		return err
	}
	act := func(title, note, do string, fields ...templates.OfficeField) {
		reason := p.field("reason", "office.reason", "")
		reason.Required = true
		p.add(templates.OfficePart{Title: p.l.Text(title), Note: note, Form: &templates.OfficeForm{
			Action: "/admin/people/" + u.ID, Hidden: []templates.HiddenField{{Name: "act", Value: do}}, Fields: append(fields, reason),
			Buttons: []templates.OfficeButton{{Text: p.l.Text(title)}},
		}})
	}
	p.add(templates.OfficePart{Figures: []templates.Figure{
		{Name: p.l.Text("people.username"), Value: u.Username}, {Name: p.l.Text("people.role"), Value: roleName(p.l, u.Role)}, {Name: p.l.Text("people.pin"), Value: yes(p.l, hasPIN)},
	}})
	act("people.changeRole", p.l.Text("people.changeRoleNote"), "role", p.roles(u.Role), p.shops(shops, u.ShopID))
	password := p.field("password", "people.password", "")
	password.Type, password.Help, password.Required = "password", p.l.Text("people.passwordHelp"), true
	act("people.setPassword", p.l.Text("people.setPasswordNote"), "password", password)
	if hasPIN {
		act("people.clearPIN", p.l.Text("people.clearPINNote"), "pin")
	}
	act("people.signOut", p.l.Text("people.signOutNote"), "sign-out")
	if u.Disabled() {
		act("people.enable", "", "enable")
	} else {
		act("people.disable", p.l.Text("people.disableNote"), "disable")
	}
	return s.showOffice(c, p)
}

// addProposal shows what waits for a second person, and asks them.
func (s *Server) addProposal(ctx context.Context, p *officePage, userID string) error {
	waiting, err := s.d.Staff.Proposals(ctx)
	if err != nil {
		return err
	}
	for _, w := range waiting {
		if w.UserID != userID {
			continue
		}
		asker, err := s.d.Staff.User(ctx, w.ProposedBy)
		if err != nil {
			return err
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
		act := func(do string) []templates.HiddenField { return []templates.HiddenField{{Name: "act", Value: do}} }
		action := "/admin/people/" + userID
		p.add(templates.OfficePart{
			Title: p.l.Text("people.waits"), Note: note + " " + p.l.Text("people.waitsFor"),
			Acts: []templates.OfficeAct{
				{Text: p.l.Text("people.confirm"), Action: action, Hidden: act("confirm")},
				{Text: p.l.Text("people.drop"), Action: action, Hidden: act("drop")},
			},
		})
	}
	return nil
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
