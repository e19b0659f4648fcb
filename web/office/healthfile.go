package office

import (
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/sheet"
	"airtill/web/locale"
	"airtill/web/templates"
)

// healthFile is the health page as one table: what, how it is, and its note, under the page's own headings.
func (s *Screens) healthFile(c *gin.Context, l locale.Locale, p templates.HealthPage) error {
	var rows [][]sheet.Cell
	add := func(heading, name, state, note string) {
		rows = append(rows, []sheet.Cell{
			sheet.Text(heading), sheet.Text(name), sheet.Text(state), sheet.Text(strings.TrimSpace(note)),
		})
	}
	lines := func(heading string, all []templates.Line) {
		for _, line := range all {
			add(heading, line.Name, line.Value, "")
		}
	}
	for _, part := range p.Parts {
		add(l.Text("health.title"), part.Name, part.Value, part.Note)
	}
	for _, i := range p.Incidents {
		add(l.Text("health.attention"), i.Text, i.At, i.Do+" "+i.Subject)
	}
	for _, a := range p.Open {
		add(l.Text("alert.open"), a.Text, a.Level, a.Age+" "+a.SeenBy)
	}
	for _, m := range p.Unsent {
		add(l.Text("alert.unsent"), m.Text, m.Way, m.Problem+" "+m.Age+" "+m.Tries)
	}
	for _, check := range p.Checks {
		state := l.Text("health.good")
		if check.Broken {
			state = l.Text("health.bad")
		}
		add(
			l.Text("health.checks"), check.Rule, state,
			l.Text("health.checked", check.Checked)+" "+check.Note+check.English,
		)
		for _, o := range check.Offenders {
			add(check.Rule, strings.Join(o.Names, " · "), o.Text, "")
		}
		if check.More != "" {
			add(check.Rule, check.More, "", "")
		}
		for _, line := range check.Technical {
			add(check.Rule, l.Text("health.support"), "", line)
		}
	}
	for _, b := range p.Budgets {
		add(l.Text("health.budgets"), b.Method, b.Use, "")
	}
	lines(l.Text("health.failures"), p.Failures)
	lines(l.Text("health.answersBy"), p.Answers)
	lines(l.Text("health.refusedBy"), p.Refused)
	columns := []sheet.Column{
		{Name: l.Text("statement.part"), Wide: 2},
		{Name: l.Text("catalogue.resource"), Wide: 4},
		{Name: l.Text("people.state"), Wide: 2},
		{Name: l.Text("break.note"), Wide: 5},
	}
	return s.SendList(c, l.Text("health.title"), "health", columns, rows)
}
