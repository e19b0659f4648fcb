package office

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/alert"
	"airtill/internal/apiclient"
	"airtill/internal/counter"
	"airtill/internal/invariant"
	"airtill/internal/jobs"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

const (
	// verifiedWithin is how old the last check of the books may be: a night and
	// half a day.
	verifiedWithin = 36 * time.Hour
	// askedWithin bounds each question of the health page.
	askedWithin = 2 * time.Second
	failuresOf  = 24 * time.Hour // and refused webhooks
	// unsentOf is how long a message that nobody got is told of: alerts are tried
	// for two days, and a weekend comes after.
	unsentOf    = 7 * 24 * time.Hour
	unsentShown = 20
)

// vitals is what the health page tells.
type vitals struct {
	run       *invariant.Run
	database  error
	writes    error // whether the database takes down what it is given
	redis     error
	alone     bool // there is no Redis
	incidents []sales.Incident
	givenUp   []jobs.GivenUp
	budgets   map[string]apiclient.Usage
	failures  []sales.Failures
	refused   map[string]int64 // webhooks, by reason
	counts    frame.Counts
	open      []alert.Alert
	unsent    []alert.Message
}

// HealthPage is GET /admin/health: what the till stands on, and what to do.
func (s *Screens) HealthPage(c *gin.Context) error {
	v, err := s.vitals(c)
	if err != nil {
		return err
	}
	people, err := s.Seers(c, v.open)
	if err != nil {
		return err
	}
	unsent, err := frame.UnsentAlerts(s.FileLocale(c), s.D.Now(), v.unsent)
	if err != nil {
		return err
	}
	l, now := s.FileLocale(c), s.D.Now()
	page := templates.HealthPage{At: now, Tabs: officeTabs(l, frame.Present(c).User, frame.HealthURL), Incidents: incidentRows(l, frame.Present(c).User, v.incidents), Files: frame.FileLinks(c.Request.URL, c.Request.URL.Query())}
	page.Parts = []templates.Figure{
		v.booksPart(l, now), v.databasePart(l), v.redisPart(l), s.upstreamPart(l, v.counts, now), s.cataloguePart(l, now), v.jobsPart(l), v.webhooksPart(l),
	}
	if v.run != nil {
		page.Checks = checkRows(l, v.run.Findings)
	}
	page.Open, page.Unsent = s.OpenAlerts(c, l, v.open, people), unsent
	page.Budgets = budgetRows(l, v.budgets)
	for _, failed := range v.failures {
		page.Failures = append(page.Failures, templates.Line{Name: failed.Code, Value: l.Number(failed.Count)})
	}
	page.Refused, page.Answers = countLines(l, v.refused, frame.RefusedNames), countLines(l, v.counts.Upstream, answerNames)
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
	v.database, v.writes = s.D.DB.Ping(ctx), s.Writes(ctx)
	if v.alone = s.D.Redis == nil; !v.alone {
		v.redis = s.D.Redis(ctx)
	}
	if v.run, err = s.D.Invariants.Last(ctx); err != nil {
		return v, err
	}
	if v.givenUp, err = s.D.Jobs.GivenUp(ctx); err != nil {
		return v, err
	}
	if v.incidents, err = s.D.Sales.Incidents(ctx); err != nil {
		return v, err
	}
	if v.incidents, err = s.VisibleIncidents(c, v.incidents); err != nil {
		return v, err
	}
	if v.budgets, err = s.D.Reconcile.Client.Budgets(ctx); err != nil {
		s.D.Log.WarnContext(ctx, "health.budgets_unknown", "error", err)
	}
	if v.failures, err = s.D.Sales.FailuresSince(ctx, s.D.Now().Add(-failuresOf)); err != nil {
		return v, err
	}
	if v.refused, err = s.D.Sales.RefusedSince(ctx, s.D.Now().Add(-failuresOf)); err != nil {
		return v, err
	}
	if v.open, err = s.D.Alerts.Open(ctx); err != nil {
		return v, err
	}
	if v.unsent, err = s.D.Alerts.Unsent(ctx, s.D.Now().Add(-unsentOf), unsentShown); err != nil {
		return v, err
	}
	v.counts, err = frame.CountsOf(s.D.Metrics)
	return v, err
}

func part(name, value, note, tone string) templates.Figure {
	return templates.Figure{Name: name, Value: value, Note: note, Tone: tone}
}

func toneWord(l locale.Locale, tone string) string {
	switch tone {
	case frame.ToneGood:
		return l.Text("health.good")
	case frame.ToneLook:
		return l.Text("health.look")
	}
	return l.Text("health.bad")
}

func (v vitals) booksPart(l locale.Locale, now time.Time) templates.Figure {
	tone, note := frame.ToneGood, ""
	switch {
	case v.run == nil:
		tone, note = frame.ToneLook, l.Text("health.verifyNever")
	case !v.run.Holds:
		broken := 0
		for _, f := range v.run.Findings {
			broken += f.Broken()
		}
		tone, note = frame.ToneBad, l.Text("health.verifyBroken", l.DateTime(v.run.EndedAt), l.Number(int64(broken)))
	case now.Sub(v.run.EndedAt) > verifiedWithin:
		tone, note = frame.ToneLook, l.Text("health.verifyOld", l.DateTime(v.run.EndedAt))
	default:
		note = l.Text("health.verified", l.DateTime(v.run.EndedAt))
	}
	return part(l.Text("health.books"), toneWord(l, tone), note, tone)
}

func answering(l locale.Locale, name string, err error) templates.Figure {
	if err != nil {
		return part(name, toneWord(l, frame.ToneBad), l.Text("health.noAnswer"), frame.ToneBad)
	}
	return part(name, toneWord(l, frame.ToneGood), l.Text("health.answers"), frame.ToneGood)
}

func (v vitals) databasePart(l locale.Locale) templates.Figure {
	if v.database == nil && v.writes != nil {
		return part(l.Text("health.database"), toneWord(l, frame.ToneBad), l.Text("health.noWrites"), frame.ToneBad)
	}
	return answering(l, l.Text("health.database"), v.database)
}

func (v vitals) redisPart(l locale.Locale) templates.Figure {
	if v.alone {
		return part(l.Text("health.redis"), toneWord(l, frame.ToneGood), l.Text("health.alone"), frame.ToneGood)
	}
	return answering(l, l.Text("health.redis"), v.redis)
}

// upstreamPart goes by the last answer that this process got.
func (s *Screens) upstreamPart(l locale.Locale, n frame.Counts, now time.Time) templates.Figure {
	tone, note := frame.ToneGood, ""
	switch {
	case n.Answered.IsZero():
		tone, note = frame.ToneLook, l.Text("health.upstreamNever")
	case now.Sub(n.Answered) > counter.StoppedAfter:
		tone, note = frame.ToneBad, l.Text("health.upstreamLast", l.DateTime(n.Answered))
	default:
		note = l.Text("health.upstreamLast", l.DateTime(n.Answered))
	}
	if n.Token > 0 {
		note += " " + l.Text("health.token", l.Number(int64(n.Token/time.Minute)))
	}
	return part(l.Text("health.upstream"), toneWord(l, tone), note, tone)
}

func (s *Screens) cataloguePart(l locale.Locale, now time.Time) templates.Figure {
	asOf := s.D.Catalog.Current().PricesAsOf()
	tone, note := frame.ToneGood, l.Text("health.catalogueAsOf", l.DateTime(asOf))
	switch {
	case asOf.IsZero():
		tone, note = frame.ToneBad, l.Text("health.catalogueNever")
	case now.Sub(asOf) > frame.PricesOldAfter:
		tone = frame.ToneLook
	}
	return part(l.Text("health.catalogue"), toneWord(l, tone), note, tone)
}

func (v vitals) jobsPart(l locale.Locale) templates.Figure {
	if len(v.givenUp) == 0 {
		return part(l.Text("health.jobs"), toneWord(l, frame.ToneGood), l.Text("health.jobsGood"), frame.ToneGood)
	}
	var failed []string
	for _, j := range v.givenUp {
		failed = append(failed, l.Job(j.Kind)+" ("+l.Number(int64(j.Count))+")")
	}
	return part(l.Text("health.jobs"), toneWord(l, frame.ToneLook), l.Text("health.jobsFailed", strings.Join(failed, ", ")), frame.ToneLook)
}

func (v vitals) webhooksPart(l locale.Locale) templates.Figure {
	var refused int64
	for _, n := range v.refused {
		refused += n
	}
	if refused == 0 {
		return part(l.Text("health.webhooks"), toneWord(l, frame.ToneGood), l.Text("health.webhooksGood"), frame.ToneGood)
	}
	return part(l.Text("health.webhooks"), toneWord(l, frame.ToneLook), l.Text("health.webhooksRefused", l.Number(refused)), frame.ToneLook)
}

func incidentRows(l locale.Locale, u staff.User, incidents []sales.Incident) []templates.HealthIncident {
	var rows []templates.HealthIncident
	for _, i := range incidents {
		row := templates.HealthIncident{Text: frame.IncidentText(l, i.Kind), Do: incidentAdvice(l, i.Kind), At: l.DateTime(i.At)}
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

// incidentAdvice says what to do about an incident.
func incidentAdvice(l locale.Locale, kind sales.IncidentKind) string {
	switch kind {
	case sales.LateSuccess, sales.RefundedUnknown:
		return l.Text("health.do.late")
	case sales.LateReversal:
		return l.Text("health.do.reversal")
	case sales.ExecutedTwice:
		return l.Text("health.do.twice")
	case sales.OddAmount:
		return l.Text("health.do.amount")
	case sales.NoFloat, sales.LowFloat:
		return l.Text("health.do.float")
	case sales.InvariantBroken:
		return l.Text("health.do.invariant")
	case sales.StrayRecord:
		return l.Text("health.do.stray")
	default:
		return l.Text("health.do.other")
	}
}

func checkRows(l locale.Locale, findings []invariant.Finding) []templates.HealthCheck {
	var rows []templates.HealthCheck
	for _, f := range findings {
		row := templates.HealthCheck{Name: f.Name, Rule: ruleText(l, f), Checked: l.Number(f.Checked), Broken: f.Broken() > 0, Note: f.Note}
		for _, o := range f.Offenders {
			row.Offenders = append(row.Offenders, templates.Line{Name: o.Subject, Value: o.Problem})
		}
		if f.More > 0 {
			row.More = l.Text("health.more", l.Number(int64(f.More)))
		}
		rows = append(rows, row)
	}
	return rows
}

// ruleText says what must hold; a check of another room says it itself.
func ruleText(l locale.Locale, f invariant.Finding) string {
	switch f.Name {
	case "I3":
		return l.Text("health.rule.I3")
	case "I4":
		return l.Text("health.rule.I4")
	case "I5":
		return l.Text("health.rule.I5")
	case "I6":
		return l.Text("health.rule.I6")
	case "I7":
		return l.Text("health.rule.I7")
	case "I8":
		return l.Text("health.rule.I8")
	case "audit":
		return l.Text("health.rule.audit")
	case "statements":
		return l.Text("health.rule.statements")
	case "guards":
		return l.Text("health.rule.guards")
	case "sealed":
		return l.Text("health.rule.sealed")
	case "tail":
		return l.Text("health.rule.tail")
	}
	return f.Rule
}

// budgetRows are the methods that were called, the fullest first.
func budgetRows(l locale.Locale, budgets map[string]apiclient.Usage) []templates.HealthBudget {
	var methods []string
	for method, usage := range budgets {
		if usage.Used > 0 {
			methods = append(methods, method)
		}
	}
	share := func(method string) int { return budgets[method].Used * 1000 / max(1, budgets[method].Limit) }
	slices.SortFunc(methods, func(a, b string) int {
		if d := share(b) - share(a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	var rows []templates.HealthBudget
	for _, method := range methods {
		usage := budgets[method]
		rows = append(rows, templates.HealthBudget{
			Method: method, Use: l.Text("health.budgetUse", l.Number(int64(usage.Used)), l.Number(int64(usage.Limit))), Used: usage.Used, Limit: usage.Limit,
		})
	}
	return rows
}

func countLines[T ~string](l locale.Locale, counted map[string]int64, names map[T]string) []templates.Line {
	var lines []templates.Line
	for name, n := range counted {
		line := templates.Line{Name: name, Value: l.Number(n)}
		if key, known := names[T(name)]; known {
			line.Name = l.Text(key)
		}
		lines = append(lines, line)
	}
	slices.SortFunc(lines, func(a, b templates.Line) int { return strings.Compare(a.Name, b.Name) })
	return lines
}
