package office

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"
	"golang.org/x/text/language"

	"airtill/internal/alert"
	"airtill/internal/apiclient"
	"airtill/internal/health"
	"airtill/internal/invariant"
	"airtill/internal/sales"
	"airtill/internal/sheet"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

const (
	// askedWithin bounds the questions of the health page together.
	askedWithin = 2 * time.Second
	// unsentOf is how long an undelivered message is shown: alerts are tried for two days, and then there may
	// be a weekend.
	unsentOf    = 7 * 24 * time.Hour
	unsentShown = 20
)

// vitals is what the health page shows.
type vitals struct {
	health.Vitals
	open   []alert.Alert
	unsent []alert.Message
}

// HealthPage is GET /admin/health: the state of what the till depends on, and what to do.
func (s *Screens) HealthPage(c *gin.Context) error {
	v, err := s.vitals(c)
	if err != nil {
		return err
	}
	people, err := s.Seers(c, v.open)
	if err != nil {
		return err
	}
	unsent, err := s.UnsentAlerts(c, s.FileLocale(c), v.unsent)
	if err != nil {
		return err
	}
	l, now := s.FileLocale(c), s.D.Now()
	page := templates.HealthPage{
		At: now, Tabs: officeTabs(l, frame.Present(c).User, frame.HealthURL),
		Incidents: incidentRows(l, frame.Present(c).User, v.Incidents),
		Files:     frame.FileLinks(c.Request.URL, c.Request.URL.Query()),
	}
	page.Parts = []templates.Figure{
		v.booksPart(l), v.databasePart(l), v.redisPart(l), v.upstreamPart(l), v.cataloguePart(l), v.jobsPart(l),
		v.webhooksPart(l),
	}
	if v.Run != nil {
		told, err := s.culprits(c, l, v.Run.Findings)
		if err != nil {
			return err
		}
		page.Checks = checkRows(told, v.Run.Findings)
	}
	page.Open, page.Unsent = s.OpenAlerts(c, l, v.open, people), unsent
	page.Budgets = budgetRows(l, v.Budgets)
	failures := map[string]int64{}
	for _, failed := range v.Failures {
		failures[frame.ReasonName(l, failed.Code, "")] += failed.Count
	}
	page.Failures = countLines(l, failures, func(_ locale.Locale, why string) string { return why })
	page.Refused = countLines(l, v.Refused, frame.RefusedName)
	page.Answers = countLines(l, v.Counts.Upstream, answerName)
	if c.Query("file") != "" {
		return s.healthFile(c, l, page)
	}
	return s.Show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		page.Frame = f
		return templates.Health(page)
	})
}

func (s *Screens) vitals(c *gin.Context) (v vitals, err error) {
	ctx, cancel := context.WithTimeout(c.Request.Context(), askedWithin)
	defer cancel()
	if v.Vitals, err = s.D.Health.Vitals(ctx, frame.SalesOf(c)); err != nil {
		return v, err
	}
	if v.open, err = s.AlertsIn(ctx, frame.Present(c).Shop); err != nil {
		return v, err
	}
	v.unsent, err = s.D.Alerts.Unsent(ctx, v.At.Add(-unsentOf), unsentShown)
	return v, err
}

func incidentRows(l locale.Locale, u staff.User, incidents []sales.Incident) []templates.HealthIncident {
	var rows []templates.HealthIncident
	for _, i := range incidents {
		row := templates.HealthIncident{
			Text: frame.IncidentText(l, i.Kind), Do: l.Text(cmp.Or(incidentAdvice[i.Kind], "health.do.other")),
			At: l.DateTime(i.At),
		}
		row.Subject, _ = strings.CutPrefix(i.SaleID, "ref:")
		if url := frame.IncidentURL(u, i); url != frame.HealthURL {
			row.URL, row.Subject, row.See = url, "", l.Text("health.deal")
		}
		if frame.IsSale(i.SaleID) {
			row.See = l.Text("health.seeSale")
		}
		rows = append(rows, row)
	}
	return rows
}

// incidentAdvice are the keys of what to do about an incident.
var incidentAdvice = map[sales.IncidentKind]string{
	sales.LateSuccess: "health.do.late", sales.RefundedUnknown: "health.do.late",
	sales.LateReversal: "health.do.reversal", sales.ExecutedTwice: "health.do.twice",
	sales.OddAmount: "health.do.amount", sales.NoFloat: "health.do.float", sales.LowFloat: "health.do.float",
	sales.InvariantBroken: "health.do.invariant", sales.StrayRecord: "health.do.stray",
}

func checkRows(told culprits, findings []invariant.Finding) []templates.HealthCheck {
	l, english := told.l, locale.New(language.English, time.UTC)
	var rows []templates.HealthCheck
	for _, f := range findings {
		row := templates.HealthCheck{
			Rule: l.Word("health.rule.", f.Name, f.Rule), Checked: l.Number(f.Checked),
			Broken: f.Broken() > 0, Note: frame.CheckNotes(l, f), English: f.Note,
		}
		for _, o := range f.Offenders {
			if o.Kind != "" {
				row.Offenders = append(row.Offenders, told.row(o))
			}
			row.Technical = append(row.Technical, o.Subject+": "+frame.OffenderLine(english, o))
		}
		if f.More > 0 {
			row.More = l.Text("health.more", l.Number(int64(f.More)))
		}
		rows = append(rows, row)
	}
	return rows
}

// budgetRows are the called methods, the fullest budget first.
func budgetRows(l locale.Locale, budgets map[string]apiclient.Usage) []templates.HealthBudget {
	var methods []string
	for method, usage := range budgets {
		if usage.Used > 0 {
			methods = append(methods, method)
		}
	}
	share := func(method string) int { return budgets[method].Used * 1000 / max(1, budgets[method].Limit) }
	slices.SortFunc(methods, func(a, b string) int {
		return cmp.Or(share(b)-share(a), strings.Compare(a, b))
	})
	var rows []templates.HealthBudget
	for _, method := range methods {
		usage := budgets[method]
		rows = append(rows, templates.HealthBudget{
			Method: callName(l, method), Used: usage.Used, Limit: usage.Limit,
			Use: l.Text("health.budgetUse", l.Number(int64(usage.Used)), l.Number(int64(usage.Limit))),
		})
	}
	return rows
}

func countLines(
	l locale.Locale, counted map[string]int64, name func(locale.Locale, string) string,
) []templates.Line {
	var lines []templates.Line
	for word, n := range counted {
		lines = append(lines, templates.Line{Name: name(l, word), Value: l.Number(n)})
	}
	frame.Alphabetical(l, lines, func(line templates.Line) string { return line.Name })
	return lines
}

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
