// Package office is how the business is set up, and by whom it is looked after.
package office

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// Screens are the pages of this room.
type Screens struct{ *frame.Server }

// Admin is GET /admin/ and GET /settings: the first office page the user may see; while a new till lacks
// something, the setup, for those who may complete it.
func (s *Screens) Admin(c *gin.Context) error {
	first := frame.FirstOffice(frame.Present(c).User)
	if first == "" {
		return fault.New(fault.Forbidden, "")
	}
	if frame.Present(c).User.Can(staff.Operate) {
		complete, err := s.D.Setup.Complete(c.Request.Context())
		if err != nil {
			return err
		}
		if !complete {
			first = "/admin/setup"
		}
	}
	return frame.Redirect(c, first)
}

// office is a page being made, with the tables it offers as files.
type office struct {
	templates.Office

	l      locale.Locale
	place  string     // the address of the page, or of the one that it is below
	asked  url.Values // in the address
	tables []*templates.Table
}

// newOffice begins an office page, with what was typed into a form of it that was refused.
func (s *Screens) newOffice(c *gin.Context, place string) *office {
	p := &office{l: s.FileLocale(c), place: place, asked: c.Request.URL.Query()}
	refused := frame.Refused(c)
	p.Locale, p.Key = p.l, s.FormKey(c.PostForm("key"))
	switch into := p.asked.Get(typedInto); {
	case refused != nil:
		p.Typed = templates.Typed{
			Values: c.Request.PostForm, Action: c.Request.URL.Path, Field: fault.FieldOf(refused),
			Why: p.l.Fault(refused), Moved: fault.CodeOf(refused) == "field.meanwhile",
		}
	case into != "":
		p.Typed = templates.Typed{Values: p.asked, Action: into}
	}
	p.Tabs = officeTabs(p.l, frame.Present(c).User, place)
	for _, row := range p.Tabs {
		for _, tab := range row.Links {
			if tab.Current {
				p.Title = tab.Text // the last row is the pages
			}
		}
	}
	if done := doneTexts[c.Query("done")]; done != "" && refused == nil {
		p.Done = p.l.Text(done)
	}
	return p
}

// below makes the page a subpage of another.
func (p *office) below(title, key, url string) {
	p.Title, p.Back = title, &templates.Link{Text: p.l.Text(key), URL: url}
}

// table begins a table of the page; columns are text keys.
func (p *office) table(title string, columns ...string) *templates.Table {
	t := &templates.Table{Title: title, Columns: p.columns(columns...)}
	p.tables = append(p.tables, t)
	return t
}

// rowsShown is how many rows of a list that may grow long a page shows.
const rowsShown = 100

// searched leaves in a list that may grow long the rows with every word that is looked for, and of these as many
// as a page shows; a file has them all.
func (p *office) searched(t *templates.Table) *templates.Table {
	name := "find" + strconv.Itoa(slices.Index(p.tables, t))
	sought := strings.TrimSpace(p.asked.Get(name))
	if sought == "" && len(t.Rows) <= rowsShown {
		return t
	}
	t.Search = &templates.Search{Path: p.place, Name: name, Sought: sought}
	says, rows, acts := frame.Saying(p.l.Language(), sought), t.Rows, t.Acts
	t.Rows, t.Acts = nil, nil
	for i, row := range rows {
		if says(written(row)) {
			t.Add(row, acts[i]...)
		}
	}
	if found := len(t.Rows); found > rowsShown && p.asked.Get("file") == "" {
		t.Search.Cut = p.l.Text("pick.more", p.l.Number(rowsShown), p.l.Number(int64(found)))
		t.Rows, t.Acts = t.Rows[:rowsShown], t.Acts[:rowsShown]
	}
	return t
}

// written is all that a row says.
func written(row templates.Row) string {
	var text strings.Builder
	for _, cell := range row {
		text.WriteString(cell.Text + " " + cell.Hint + " ")
	}
	return text.String()
}

// act is what can be done to a row; text is a key.
func (p *office) act(action, text, label string, sends ...string) templates.Act {
	return templates.Act{Action: action, Text: p.l.Text(text), Label: label, Sends: sends}
}

// officeTabs lead to the pages the user may see: a row of groups, if there are several, and a row of the
// current group's pages.
func officeTabs(l locale.Locale, u staff.User, current string) []templates.TabRow {
	groups := templates.TabRow{Label: l.Text("office.label")}
	var pages templates.TabRow
	for _, group := range frame.OfficeGroups {
		row := templates.TabRow{Label: l.Text("office.group." + group)}
		here := false
		for _, place := range frame.OfficePlaces {
			if place.Group == group && (u.Can(place.Permission) || u.Can(place.OrElse)) {
				here = here || place.Path == current
				row.Links = append(row.Links, templates.Link{
					Text: l.Text(place.Name), URL: place.Path, Current: place.Path == current,
				})
			}
		}
		if len(row.Links) == 0 {
			continue
		}
		groups.Links = append(groups.Links, templates.Link{Text: row.Label, URL: row.Links[0].URL, Current: here})
		if here {
			pages = row
		}
	}
	return []templates.TabRow{groups, pages}
}

// doneTexts say what an act did, by the word in the address.
var doneTexts = map[string]string{
	"saved": "office.saved", "removed": "office.removed", "asked": "office.asked",
	"asked-two": "customerData.asked", "settled": "setup.done",
}

// showOffice answers with the page, or with one of its tables as a file, if the address asks for that.
func (s *Screens) showOffice(c *gin.Context, p *office, body templ.Component) error {
	switch {
	case frame.Refused(c) != nil, c.Request.Method != http.MethodGet:
	case c.Query("file") != "":
		return s.officeFile(c, p)
	default:
		p.offerFiles(c.Request.URL)
	}
	return s.Show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		p.Frame = f
		return p.Page(body)
	})
}

// conclude ends an office POST: back to the page, with what was done, or the page again with the refusal.
func (s *Screens) conclude(c *gin.Context, err error, path, done string, again func(*gin.Context) error) error {
	more := "?"
	if strings.Contains(path, "?") {
		more = "&"
	}
	return frame.Done(c, err, path+more+"done="+done, again)
}

// every writes a scope, "all" if empty.
func every(l locale.Locale, value string) string { return cmp.Or(value, l.Text("office.all")) }

// checkShop refuses a shop that is not there, "": every one is meant. What is set for it would read as for every shop.
func (s *Screens) checkShop(c *gin.Context, id string) error {
	if id == "" {
		return nil
	}
	_, err := s.D.Staff.Shop(c.Request.Context(), id)
	if fault.KindOf(err) == fault.NotFound {
		err = fault.OnField("shop", "shop.none")
	}
	return err
}

func currencyChoices(all []money.Currency) []templates.Choice {
	return frame.Choices(all, func(c money.Currency) (string, string) { return string(c), string(c) })
}

// anyCurrency are the currencies in use anywhere; none is preselected.
func anyCurrency() []templates.Choice {
	return append([]templates.Choice{{}}, currencyChoices(money.Currencies())...)
}

// orAll puts "all" before the choices.
func (p *office) orAll(each []templates.Choice) []templates.Choice {
	return append([]templates.Choice{{Text: p.l.Text("office.all")}}, each...)
}
