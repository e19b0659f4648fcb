package office

import (
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/web/frame"
	"airtill/web/templates"
)

// settings are the parts of office pages that have a heading of their own, by its text's key.
var settings = []struct{ path, at, title string }{
	{"/admin/prices", "", "prices.rules"},
	{"/admin/prices", "", "rates.title"},
	{cataloguePath, "", "catalogue.trouble"},
	{cataloguePath, "", "catalogue.runs"},
	{cataloguePath, "/products", "catalogue.browse"},
	{cataloguePath, "/products#hide", "catalogue.hideOne"},
	{"/admin/counter", "#pin", "settings.favourites"},
	{"/admin/counter", "#hide", "settings.hiddenHere"},
	{"/admin/people", "", "people.add"},
	{accessPath, "", "people.second"},
	{accessPath, "", "access.networks"},
	{"/admin/shops", "", "shops.add"},
	{"/admin/shops", "", "shops.addTill"},
	{"/admin/shops", "", "shops.devices"},
	{"/admin/limits", "", "limits.week"},
	{"/admin/sending", "", "sending.title"},
	{"/admin/sending", "", "sending.checked"},
	{"/admin/jobs", "", "jobs.failed"},
}

// FindSetting is GET /admin/find (field q): the pages of the office and their parts that
// somebody may open, by what they are called or are for.
func (s *Screens) FindSetting(c *gin.Context) error {
	if frame.FirstOffice(frame.Present(c).User) == "" {
		return fault.New(fault.Forbidden, "")
	}
	p := s.newOffice(c, "/admin/find")
	p.Title, p.Sought = p.l.Text("settings.find"), strings.TrimSpace(c.Query("q"))
	found := templates.Table{Title: p.Title, Columns: p.columns("settings.setting", "settings.place")}
	says := frame.Saying(p.l.Language(), p.Sought)
	for _, place := range frame.OfficePlaces {
		if u := frame.Present(c).User; p.Sought == "" || !u.Can(place.Permission) && !u.Can(place.OrElse) {
			continue
		}
		name, group := p.l.Text(place.Name), p.l.Text("office.group."+place.Group)
		about := name + " " + group + " " + p.l.Text("settings.words."+place.Path[len("/admin/"):])
		add := func(title, url string) {
			found.Add(templates.Row{{Text: title, URL: url}, {Text: group + " · " + name}})
		}
		if says(about) {
			add(name, place.Path)
		}
		for _, part := range settings {
			if title := p.l.Text(part.title); part.path == place.Path && says(title) {
				add(title, part.path+part.at)
			}
		}
	}
	return s.showOffice(c, p, templates.OfficeFound(&p.Office, &found))
}
