package sale

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/report"
	"airtill/web/frame"
	"airtill/web/templates"
)

// salesForm filters the list, for those who may look through all of it.
func (s *Screens) salesForm(c *gin.Context, f listing, names frame.Names) *templates.SalesForm {
	l, values := s.LocaleOf(c.Request), c.Request.URL.Query()
	today := report.DayOf(s.D.Now(), l.Zone())
	form := &templates.SalesForm{
		Product: values.Get("named"), Amount: values.Get("amount"),
		Open: values.Get("named")+
			values.Get("amount")+values.Get("till")+values.Get("cashier")+values.Get("state") != "",
	}
	if f.to > f.from {
		form.From, form.To = f.from.String(), (f.to - 1).String()
	}
	states := map[string]string{
		"complete": l.Text("sales.sent"), "failed": l.Text("today.failed"), "waiting": l.Text("sales.waiting"),
		"owed": l.Text("sales.owed"),
	}
	if len(names.Visible) > 1 && frame.Present(c).Shop.ID == "" {
		form.Picks = append(
			form.Picks, pick(l.Text("reports.by.shop"), l.Text("office.all"), "shop", values, names.Shops),
		)
	}
	form.Picks = append(form.Picks,
		pick(l.Text("reports.by.till"), l.Text("office.all"), "till", values, names.Tills),
		pick(l.Text("reports.by.cashier"), l.Text("office.all"), "cashier", values, names.Sellers),
		pick(l.Text("sales.state"), l.Text("office.all"), "state", values, states),
	)
	for _, name := range []string{"country", "provider", "kind", "product", "reason", "currency", "slot"} {
		if value := values.Get(name); value != "" {
			form.Hidden = append(form.Hidden, templates.HiddenField{Name: name, Value: value})
		}
	}
	for _, preset := range []struct {
		name     string
		from, to report.Day
	}{
		{"reports.preset.today", today, today},
		{"reports.preset.yesterday", today - 1, today - 1},
		{"sales.thisWeek", today.Week(), today},
	} {
		other := maps.Clone(values)
		for _, name := range []string{"before", "slot", "q", "shift"} {
			other.Del(name)
		}
		other.Set("from", preset.from.String())
		other.Set("to", preset.to.String())
		form.Presets = append(form.Presets, templates.Link{
			Text: l.Text(preset.name), URL: "/sales?" + other.Encode(),
			Current: f.from == preset.from && f.to == preset.to+1,
		})
	}
	return form
}

// pick lists the values of one filter, by name.
func pick(text, all, name string, values url.Values, named map[string]string) templates.Pick {
	p := templates.Pick{Name: name, Text: text, Choices: []templates.Choice{{Text: all}}}
	for _, code := range slices.SortedFunc(maps.Keys(named), func(x, y string) int {
		return strings.Compare(named[x]+x, named[y]+y)
	}) {
		p.Choices = append(p.Choices, templates.Choice{
			Value: code, Text: named[code], Chosen: code == values.Get(name),
		})
	}
	return p
}
