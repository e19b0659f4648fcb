package office

import (
	"slices"

	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/templates"
)

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
