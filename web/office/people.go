package office

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/gin-gonic/gin"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// People is GET /admin/people.
func (s *Screens) People(c *gin.Context) error {
	r := frame.ReadsOf(c)
	users := frame.Load(r, s.D.Staff.Users)
	shops := frame.Load(r, s.D.Staff.Shops)
	live := frame.Load(r, s.D.Staff.LiveSessions)
	waiting := frame.Load(r, s.D.Staff.Proposals)
	refusals := frame.Load(r, s.D.Staff.RefusedArrivals)
	if r.Err != nil {
		return r.Err
	}
	p := s.newOffice(c, "/admin/people")
	names := map[string]string{}
	for _, shop := range shops {
		names[shop.ID] = shop.Name
	}
	t := p.table(
		p.l.Text("people.all"), "people.name", "people.role", "reports.by.shop", "people.sessions", "people.state",
	)
	frame.Alphabetical(p.l, users, func(u staff.User) string { return u.DisplayName })
	for _, u := range users {
		state := templates.Cell{Text: p.l.Text("people.active")}
		if slices.ContainsFunc(waiting, func(w staff.Proposal) bool { return w.UserID == u.ID }) {
			state = templates.Cell{Text: p.l.Text("people.waits"), Tone: "warn"}
		} else if u.Disabled() {
			state = templates.Cell{Text: p.l.Text("people.disabled"), Tone: "bad"}
		}
		if n := len(arrivalsAs(u.ID, refusals)); n > 0 {
			state.Hint = p.l.Count("people.tried", n)
		}
		t.Add(templates.Row{
			{Text: u.DisplayName, Hint: u.Username, URL: "/admin/people/" + u.ID},
			{Text: frame.RoleName(p.l, u.Role)},
			{Text: every(p.l, names[u.ShopID])},
			{Text: p.l.Number(int64(live[u.ID]))},
			state,
		})
	}
	note := ""
	if n := len(refusals); n > 0 {
		note = p.l.Count("people.tried", n) + ". " + p.l.Text("people.triedWhy")
	}
	return s.showOffice(
		c, p, templates.OfficePeople(&p.Office, p.searched(t), note, p.roles(), p.shops(shops), languageChoices()),
	)
}

func (p *office) roles() []templates.Choice {
	return frame.Choices(staff.Roles(), func(r staff.Role) (string, string) {
		return string(r), frame.RoleName(p.l, r)
	})
}

func (p *office) shops(all []staff.Shop) []templates.Choice {
	return p.orAll(frame.ShopChoices(p.l, all))
}

func (p *office) people(all []staff.User) []templates.Choice {
	choices := frame.Choices(all, func(u staff.User) (string, string) { return u.ID, u.DisplayName })
	frame.ByText(p.l, choices)
	return p.orAll(choices)
}

func languageChoices() []templates.Choice {
	return frame.Choices(locale.Languages(), func(l locale.Named) (string, string) { return l.Tag, l.Name })
}

// AddPerson is POST /admin/people.
func (s *Screens) AddPerson(c *gin.Context) error {
	added, err := s.D.Staff.CreateUser(c.Request.Context(), frame.Present(c).Actor(), staff.NewUser{
		ID: s.FormKey(c.PostForm("key")), Username: c.PostForm("username"), DisplayName: c.PostForm("display_name"),
		Role: staff.Role(c.PostForm("role")), ShopID: c.PostForm("shop"),
		Locale: c.PostForm("locale"), Password: c.PostForm("password"),
	})
	next := "/admin/people"
	if added.Disabled() { // until a second person agrees
		next += "/" + added.ID
	}
	return s.conclude(c, err, next, "saved", s.People)
}

// Person is GET /admin/people/:id.
func (s *Screens) Person(c *gin.Context) error {
	r := frame.ReadsOf(c)
	u := frame.LoadOf(r, s.D.Staff.User, c.Param("id"))
	shops := frame.Load(r, s.D.Staff.Shops)
	hasPIN := frame.LoadOf(r, s.D.Staff.HasPIN, u.ID)
	refusals := frame.Load(r, s.D.Staff.RefusedArrivals)
	if r.Err != nil {
		return r.Err
	}
	p := s.newOffice(c, "/admin/people")
	p.below(u.DisplayName, "office.people", "/admin/people")
	arrivals := arrivalsAs(u.ID, refusals)
	proposal, waits, err := s.proposalNote(c.Request.Context(), p, u.ID, arrivals)
	if err != nil {
		return err
	}
	return s.showOffice(c, p, templates.OfficePerson(&p.Office, u, templates.PersonView{
		Role: frame.RoleName(p.l, u.Role), HasPIN: hasPIN, PasswordOver: u.HasPassword() && u.PasswordOver(s.D.Now()),
		Waits: waits, Proposal: proposal, Roles: p.roles(), Shops: p.shops(shops),
		Arrivals: p.arrivals(u, arrivals),
	}))
}

// proposalNote says what about an account waits for a second person, and names it; "" for nothing.
func (s *Screens) proposalNote(
	ctx context.Context, p *office, userID string, arrivals []staff.RefusedArrival,
) (name, note string, err error) {
	waiting, err := s.D.Staff.Proposals(ctx)
	if err != nil {
		return "", "", err
	}
	i := slices.IndexFunc(waiting, func(w staff.Proposal) bool { return w.UserID == userID })
	if i < 0 {
		return "", "", nil
	}
	w := waiting[i]
	asker, err := s.D.Staff.User(ctx, w.ProposedBy)
	if err != nil {
		return "", "", err
	}
	p.Done = "" // nothing is done yet
	what := actName(p.l, w.Act)
	if i := slices.IndexFunc(arrivals, func(a staff.RefusedArrival) bool { return a.Subject == w.Subject() }); i >= 0 {
		what += ": " + arrivals[i].Name + " (" + w.Subject() + ")"
	}
	if w.Role() != "" {
		what += ": " + frame.RoleName(p.l, w.Role())
	}
	note = p.l.Text("people.waitsNote", what, asker.DisplayName, p.l.DateTime(w.ProposedAt))
	if w.Reason != "" {
		note += " " + p.l.Text("office.reason") + ": " + w.Reason + "."
	}
	return w.Name(), note + " " + p.l.Text("people.waitsFor"), nil
}

// ChangePerson is POST /admin/people/:id (fields act, reason, and the act's own).
func (s *Screens) ChangePerson(c *gin.Context) error {
	ctx, by, id := c.Request.Context(), frame.Present(c).Actor(), c.Param("id")
	reason, err := frame.TypedText(c, "reason")
	if err == nil {
		err = s.changeUser(ctx, by, id, reason, c.Request.PostForm, s.LocaleOf(c.Request))
	}
	return s.conclude(c, err, "/admin/people/"+url.PathEscape(id), "saved", s.Person)
}

// named says what somebody else has saved meanwhile by its name.
func (s *Screens) named(ctx context.Context, err error, l locale.Locale) error {
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != "field.meanwhile" || len(f.Args) == 0 {
		return err
	}
	saved := fmt.Sprint(f.Args[0])
	if f.Field == "role" {
		saved = frame.RoleName(l, staff.Role(saved))
	} else if shop, gone := s.D.Staff.Shop(ctx, saved); gone == nil {
		saved = shop.Name
	} else if fault.KindOf(gone) == fault.NotFound { // they are in no shop of their own
		saved = l.Text("office.all")
	}
	return fault.New(fault.Conflict, "field.meanwhile", saved).On(f.Field)
}

func (s *Screens) changeUser(
	ctx context.Context, by audit.Actor, id, reason string, form url.Values, l locale.Locale,
) error {
	if act := form.Get("act"); act == "confirm" || act == "drop" {
		return s.D.Staff.Decide(ctx, by, id, form.Get("proposal"), act == "confirm")
	} else if act == "dismiss" {
		return s.D.Staff.Dismiss(ctx, by, id, form.Get("arrival"))
	}
	if reason == "" {
		return fault.OnField("reason", "reason.missing")
	}
	switch form.Get("act") {
	case "name":
		shown := form.Get(templates.ShownIn + "display_name")
		return s.D.Staff.Rename(ctx, by, id, form.Get("display_name"), shown, reason)
	case "role":
		to := staff.Post{Role: staff.Role(form.Get("role")), ShopID: form.Get("shop")}
		if form.Has(templates.ShownIn + "role") {
			to.Shown = &staff.Post{
				Role: staff.Role(form.Get(templates.ShownIn + "role")), ShopID: form.Get(templates.ShownIn + "shop"),
			}
		}
		return s.named(ctx, s.D.Staff.ChangePost(ctx, by, id, to, reason), l)
	case "password":
		shown, _ := strconv.ParseInt(form.Get(templates.ShownIn+"epoch"), 10, 64)
		return s.D.Staff.SetPassword(ctx, by, id, form.Get("password"), shown, reason)
	case "second":
		return s.D.Staff.ResetSecond(ctx, by, id, reason)
	case "link":
		return s.D.Staff.Link(ctx, by, id, form.Get("arrival"), staff.Role(form.Get("role")), reason)
	case "unlink":
		return s.D.Staff.Unlink(ctx, by, id, form.Get("password"), reason)
	case "pin":
		return s.D.Staff.ClearPIN(ctx, by, id, reason)
	case "sign-out":
		return s.D.Staff.EndSessions(ctx, by, id, reason)
	case "enable":
		return s.D.Staff.Enable(ctx, by, id, reason)
	case "disable":
		return s.D.Staff.Disable(ctx, by, id, reason)
	}
	return fault.New(fault.NotFound, "")
}

// arrivalsAs are those who were refused as a user.
func arrivalsAs(userID string, all []staff.RefusedArrival) []staff.RefusedArrival {
	return slices.DeleteFunc(slices.Clone(all), func(a staff.RefusedArrival) bool { return a.UserID != userID })
}

// arrivals say who may be linked with an account, and what that changes.
func (p *office) arrivals(u staff.User, all []staff.RefusedArrival) []templates.Arrival {
	shown := make([]templates.Arrival, len(all))
	for i, a := range all {
		role := frame.RoleName(p.l, a.Role)
		changes := p.l.Text("people.linkStays", role)
		if a.Role != u.Role {
			changes = p.l.Text("people.linkChanges", frame.RoleName(p.l, u.Role), role)
		}
		password := "people.linkNoPassword"
		if a.LeavesPassword(u) {
			password = "people.linkPassword"
		}
		shown[i] = templates.Arrival{
			ID: a.ID, Role: string(a.Role), Name: a.Name,
			Told:    p.l.Text("people.arrivalNote", a.Name, a.VouchedBy, p.l.DateTime(a.LastAt)),
			Changes: changes + " " + p.l.Text(password) + " " + p.l.Text("people.linkNote"),
			Facts: []templates.Line{
				{Name: p.l.Text("people.arrivalEmail"), Value: a.Email},
				{Name: p.l.Text("people.arrivalSubject"), Value: a.Subject},
				{Name: p.l.Text("people.arrivalAttempts"), Value: p.l.Number(int64(a.Attempts))},
			},
		}
		if a.Email == "" {
			shown[i].Facts = shown[i].Facts[1:]
		}
	}
	return shown
}
