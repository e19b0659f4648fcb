package office

import (
	"maps"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/apiclient"
	"airtill/internal/health"
	"airtill/internal/sales"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// UpstreamPage is GET /admin/upstream: how the transfer service answers, how quickly, and how much may still
// be asked.
func (s *Screens) UpstreamPage(c *gin.Context) error {
	ctx := c.Request.Context()
	counted, err := s.D.Health.Counts()
	if err != nil {
		return err
	}
	failures, err := s.D.Health.Failures(ctx)
	if err != nil {
		return err
	}
	budgets, unknown := s.D.Health.Budgets(ctx)
	if unknown != nil {
		s.D.Log.WarnContext(ctx, "upstream.budgets_unknown", "error", unknown)
	}
	p := s.newOffice(c, "/admin/upstream")
	measured := p.callsTable(counted.Calls, budgets)
	t := p.table(p.l.Text("upstream.errors"), "reports.by.reason", "upstream.count")
	for _, failed := range failures {
		t.Add(templates.Row{
			{Text: frame.ReasonName(p.l, failed.Code, ""), Hint: failed.Code}, {Text: p.l.Number(failed.Count)},
		})
	}
	return s.showOffice(c, p, templates.OfficeUpstream(&p.Office, p.upstreamFigures(counted), measured, t))
}

func (p *office) upstreamFigures(n health.Counts) []templates.Figure {
	answered := templates.Figure{
		Name: p.l.Text("upstream.answered"), Value: p.l.Text("upstream.never"), Tone: frame.ToneLook,
	}
	if !n.Answered.IsZero() {
		answered = templates.Figure{
			Name: p.l.Text("upstream.answered"), Value: p.l.Time(n.Answered), Note: p.l.Date(n.Answered),
		}
	}
	figures := []templates.Figure{answered}
	if n.Token > 0 {
		figures = append(figures, templates.Figure{
			Name: p.l.Text("upstream.token"), Value: p.l.Count("upstream.minutes", int(n.Token/time.Minute)),
		})
	}
	for _, line := range countLines(p.l, n.Upstream, answerName) {
		figures = append(figures, templates.Figure{Name: p.l.Text("upstream.answers", line.Name), Value: line.Value})
	}
	return figures
}

// callsTable is the use of each method: by this process since its start, and of the service's budget by all
// processes.
func (p *office) callsTable(calls map[string]health.Calls, budgets map[string]apiclient.Usage) *templates.Table {
	t := p.table(p.l.Text("upstream.methods"),
		"upstream.method", "upstream.count", "upstream.mean", "upstream.most", "upstream.budget", "upstream.held")
	for method := range budgets {
		if _, asked := calls[method]; !asked {
			calls[method] = health.Calls{} // called by other processes only
		}
	}
	for _, method := range slices.Sorted(maps.Keys(calls)) {
		call, budget := calls[method], templates.Cell{Text: "–"}
		if usage, limited := budgets[method]; limited {
			budget.Text = p.l.Text("health.budgetUse", p.l.Number(int64(usage.Used)), p.l.Number(int64(usage.Limit)))
			budget.Tone = frame.ToneIf(usage.NearlySpent(), frame.ToneLook)
		}
		t.Add(templates.Row{
			{Text: callName(p.l, method), Hint: method},
			{Text: p.l.Number(call.Count)},
			{Text: p.seconds(call.Mean)},
			{Text: p.within(call)},
			budget,
			{Text: p.l.Number(call.Held)},
		})
	}
	return t
}

// within writes how long 95 of 100 calls took at most, or that it was longer than is measured.
func (p *office) within(call health.Calls) string {
	if call.Over > 0 {
		return p.l.Text("upstream.long", p.l.Hundredths(call.Over))
	}
	return p.seconds(call.Most)
}

// seconds writes how long something takes, to a hundredth. 0 is that nothing was measured.
func (p *office) seconds(d time.Duration) string {
	const least = 10 * time.Millisecond
	if d == 0 {
		return "–"
	}
	if d.Round(least) == 0 {
		return p.l.Text("upstream.quick", p.l.Hundredths(least))
	}
	return p.l.Text("upstream.seconds", p.l.Hundredths(d))
}

// callName says what one of the service's methods is called for.
func callName(l locale.Locale, method string) string { return l.Word("upstream.call.", method, method) }

// answerName is the service's answer, or why there was none.
func answerName(l locale.Locale, outcome string) string {
	return l.Word("upstream.answer.", outcome, outcome)
}

const webhooksListed = 50

// WebhooksPage is GET /admin/webhooks: what was received and what became of it. Refused webhooks are counted,
// over all processes, and never stored.
func (s *Screens) WebhooksPage(c *gin.Context) error {
	r := frame.ReadsOf(c)
	rows := frame.LoadOf(r, s.D.Sales.Received, webhooksListed)
	refused := frame.Load(r, s.D.Sales.RefusedSums)
	if r.Err != nil {
		return r.Err
	}
	p := s.newOffice(c, "/admin/webhooks")
	t := p.table(p.l.Text("office.webhooks"),
		"webhooks.received", "webhooks.signed", "webhooks.encrypted", "webhooks.ref", "webhooks.verdict")
	for _, r := range rows {
		verdict := templates.Cell{Text: p.l.Text("webhooks.applied")}
		if r.Foreign() {
			verdict = templates.Cell{Text: p.l.Text("webhooks.foreign"), Tone: "bad"}
		}
		ref := templates.Cell{Text: r.Ref}
		if r.SaleID != "" {
			ref.URL = "/sales/" + r.SaleID
		}
		t.Add(templates.Row{
			{Text: p.l.DateTime(r.ReceivedAt)},
			{Text: p.l.DateTime(r.SignedAt)},
			{Text: templates.YesNo(p.l, r.Encrypted)},
			ref,
			verdict,
		})
	}
	note := p.l.Text("webhooks.note", s.Public.String()+frame.HookPath)
	return s.showOffice(c, p, templates.OfficeWebhooks(&p.Office, note, t, p.refusedTable(refused)))
}

func (p *office) refusedTable(refused []sales.RefusedSums) *templates.Table {
	t := p.table(p.l.Text("webhooks.refused"), "office.reason", "webhooks.last", "webhooks.week", "webhooks.month")
	for _, r := range refused {
		t.Add(templates.Row{
			{Text: frame.RefusedName(p.l, r.Reason), Hint: r.Reason},
			{Text: p.l.DateTime(r.LastAt)},
			{Text: p.l.Number(int64(r.Week))},
			{Text: p.l.Number(int64(r.Month))},
		})
	}
	return t
}
