package sale

import (
	"maps"

	"github.com/gin-gonic/gin"

	"airtill/internal/report"
	"airtill/web/frame"
	"airtill/web/templates"
)

// salesForm filters the list, for those who may look through all of it.
func (s *Screens) salesForm(c *gin.Context, f listing, names frame.Names) *templates.SalesForm {
	l, values := s.LocaleOf(c.Request), c.Request.URL.Query()
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
		form.Picks = append(form.Picks,
			frame.PickNamed(l, "shop", l.Text("reports.by.shop"), values.Get("shop"), names.Shops))
	}
	form.Picks = append(form.Picks,
		frame.PickNamed(l, "till", l.Text("reports.by.till"), values.Get("till"), names.Tills),
		frame.PickNamed(l, "cashier", l.Text("reports.by.cashier"), values.Get("cashier"), names.Sellers),
		frame.PickNamed(l, "state", l.Text("sales.state"), values.Get("state"), states),
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
		{"reports.preset.today", f.today, f.today},
		{"reports.preset.yesterday", f.today - 1, f.today - 1},
		{"sales.thisWeek", f.today.Week(), f.today},
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
