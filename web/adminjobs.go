package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/jobs"
	"airtill/internal/sales"
	"airtill/web/locale"
	"airtill/web/templates"
)

// jobsPage is GET /admin/jobs: how the jobs of the last hours went, and which
// were given up.
func (s *Server) jobsPage(c *gin.Context) error { return s.showJobs(c, nil) }

func (s *Server) showJobs(c *gin.Context, refused error) error {
	ctx := c.Request.Context()
	last, err := s.d.Jobs.Last(ctx)
	if err != nil {
		return err
	}
	failed, err := s.d.Jobs.Failed(ctx)
	if err != nil {
		return err
	}
	p := s.newOffice(c, "/admin/jobs", refused)
	running, err := s.runningPart(ctx, p.l, "")
	if err != nil {
		return err
	}
	p.add(running)
	p.add(p.failedPart(failed))
	p.add(p.lastPart(last))
	return s.showOffice(c, p)
}

// failedPart is what was given up on or waits for another try, with a button that
// runs it again.
func (p *officePage) failedPart(failed []jobs.Row) templates.OfficePart {
	t := &templates.OfficeTable{Stacks: true, Columns: p.columns("jobs.job", "people.state", "jobs.attempt", "audit.at", "jobs.why")}
	for _, j := range failed {
		id, name := strconv.FormatInt(j.ID, 10), p.l.Job(j.Kind)
		t.Rows = append(t.Rows, templates.OfficeRow{
			Cells: []templates.OfficeCell{
				{Text: name, Hint: j.Kind + " " + id},
				{Text: p.l.JobState(j.State), Tone: "bad"},
				{Text: p.l.Number(int64(j.Attempt))},
				{Text: p.at(j.StartedAt)},
				{Text: short(j.Why)},
			},
			Acts: []templates.OfficeAct{{
				Text: p.l.Text("jobs.retry"), Label: p.l.Text("jobs.retryOne", name+" "+id), Action: "/admin/jobs/retry",
				Hidden: []templates.HiddenField{{Name: "id", Value: id}},
			}},
		})
	}
	return templates.OfficePart{Title: p.l.Text("jobs.failed"), Note: p.l.Text("jobs.failedNote"), Table: t, Empty: p.l.Text("jobs.noneFailed")}
}

// lastPart is when each kind of job ran last, and how that went.
func (p *officePage) lastPart(last []jobs.Row) templates.OfficePart {
	t := &templates.OfficeTable{Stacks: true, Columns: p.columns("jobs.job", "jobs.last", "people.state")}
	for _, j := range last {
		t.Rows = append(t.Rows, templates.OfficeRow{Cells: []templates.OfficeCell{
			{Text: p.l.Job(j.Kind), Hint: j.Kind}, {Text: p.at(j.StartedAt)}, {Text: p.l.JobState(j.State)},
		}})
	}
	slices.SortFunc(t.Rows, func(a, b templates.OfficeRow) int { return strings.Compare(a.Cells[0].Text, b.Cells[0].Text) })
	return templates.OfficePart{Title: p.l.Text("jobs.all"), Table: t, Empty: p.l.Text("jobs.none")}
}

// columns are the headings of a table, by the keys of their texts.
func (p *officePage) columns(keys ...string) []string {
	texts := make([]string, len(keys))
	for i, key := range keys {
		texts[i] = p.l.Text(key)
	}
	return texts
}

// at is a time that may not have come; "" then.
func (p *officePage) at(at *time.Time) string {
	if at == nil {
		return ""
	}
	return p.l.DateTime(*at)
}

// short keeps a message to what fits into a table.
func short(text string) string {
	const most = 300
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// workNames are the keys of what long work is called.
var workNames = map[jobs.WorkKind]string{jobs.Rollups: "jobs.rollups", jobs.Catalogue: "jobs.catalogue", jobs.Verify: "jobs.verify", jobs.Export: "jobs.export"}

// silentAfter is when work that gives no sign is no longer believed to run.
const silentAfter = 5 * time.Minute

// running is GET /admin/running: the long work that runs now, with which pages renew
// themselves; its query kind leaves one kind of work.
func (s *Server) running(c *gin.Context) error {
	p := s.newOffice(c, "", nil)
	part, err := s.runningPart(c.Request.Context(), p.l, jobs.WorkKind(c.Query("kind")))
	if err != nil {
		return err
	}
	p.add(part)
	return s.render(c, http.StatusOK, templates.OfficeRenewed(p.OfficePage))
}

// runningPart is the long work that runs now: what, how far, since when; of all kinds
// or of one, which is not mentioned while there is none.
func (s *Server) runningPart(ctx context.Context, l locale.Locale, kind jobs.WorkKind) (templates.OfficePart, error) {
	running, err := s.d.Board.Running(ctx)
	part := templates.OfficePart{ID: "running", Renew: "/admin/running"}
	if kind != "" {
		part.Renew += "?kind=" + url.QueryEscape(string(kind))
		running = slices.DeleteFunc(running, func(w jobs.Work) bool { return w.Kind != kind })
	}
	if kind == "" || len(running) > 0 {
		part.Title, part.Empty = l.Text("jobs.running"), l.Text("jobs.noneRunning")
	}
	part.Table = &templates.OfficeTable{Columns: []string{l.Text("jobs.work"), l.Text("jobs.far"), l.Text("jobs.since"), l.Text("jobs.sign")}}
	for _, w := range running {
		sign := templates.OfficeCell{Text: l.Time(w.SeenAt)}
		if s.d.Now().Sub(w.SeenAt) > silentAfter {
			sign.Tone, sign.Hint = "wait", l.Text("jobs.silent")
		}
		part.Table.Rows = append(part.Table.Rows, templates.OfficeRow{Cells: []templates.OfficeCell{{Text: l.Text(workNames[w.Kind]), Hint: w.Detail}, {Text: howFar(l, w)}, {Text: l.DateTime(w.StartedAt)}, sign}})
	}
	return part, err
}

// howFar is how much of long work is done, with its share where the whole is known.
func howFar(l locale.Locale, w jobs.Work) string {
	if w.Total == 0 {
		return l.Number(w.Done)
	}
	return l.Text("jobs.of", l.Number(w.Done), l.Number(w.Total), l.Share(perMilleOf(w.Done, w.Total)))
}

// retryJob is POST /admin/jobs/retry (field id).
func (s *Server) retryJob(c *gin.Context) error {
	id, err := strconv.ParseInt(c.PostForm("id"), 10, 64)
	if err != nil {
		return notFound(c)
	}
	if err = s.d.Jobs.Retry(c.Request.Context(), id); fault.KindOf(err) == fault.NotFound {
		return err
	}
	return s.conclude(c, err, "/admin/jobs", "asked", s.showJobs)
}

const webhooksListed = 50

// webhooksPage is GET /admin/webhooks: what was received and what became of it.
// What was refused is counted, by all processes together, and never stored.
func (s *Server) webhooksPage(c *gin.Context) error {
	rows, err := s.d.Sales.Received(c.Request.Context(), webhooksListed)
	if err != nil {
		return err
	}
	refused, err := s.d.Sales.RefusedSums(c.Request.Context())
	if err != nil {
		return err
	}
	p := s.newOffice(c, "/admin/webhooks", nil)
	t := &templates.OfficeTable{Columns: []string{p.l.Text("webhooks.received"), p.l.Text("webhooks.signed"), p.l.Text("webhooks.encrypted"), p.l.Text("webhooks.ref"), p.l.Text("webhooks.verdict")}}
	for _, r := range rows {
		verdict := templates.OfficeCell{Text: p.l.Text("webhooks.applied")}
		if r.Verdict != "applied" {
			verdict = templates.OfficeCell{Text: p.l.Text("webhooks.foreign"), Tone: "bad"}
		}
		ref := templates.OfficeCell{Text: r.Ref}
		if r.SaleID != "" {
			ref.URL = "/sales/" + r.SaleID
		}
		t.Rows = append(t.Rows, templates.OfficeRow{Cells: []templates.OfficeCell{{Text: p.l.DateTime(r.ReceivedAt)}, {Text: p.l.DateTime(r.SignedAt)}, {Text: yes(p.l, r.Encrypted)}, ref, verdict}})
	}
	p.add(templates.OfficePart{Title: p.l.Text("office.webhooks"), Note: p.l.Text("webhooks.note", s.public.String()+"/webhooks/transfers"), Table: t, Empty: p.l.Text("webhooks.none")})
	p.add(p.refusedPart(refused))
	return s.showOffice(c, p)
}

// refusedNames are the keys of why a webhook was refused.
var refusedNames = map[apiclient.WebhookReason]string{
	apiclient.WebhookMalformed: "webhooks.why.malformed", apiclient.WebhookSealed: "webhooks.why.sealed", apiclient.WebhookUnknownKey: "webhooks.why.unknownKey",
	apiclient.WebhookForged: "webhooks.why.forged", apiclient.WebhookLate: "webhooks.why.late", apiclient.WebhookNoKeys: "webhooks.why.noKeys", apiclient.WebhookBusy: "webhooks.why.busy",
	apiclient.WebhookOversize: "webhooks.why.oversize", apiclient.WebhookSlow: "webhooks.why.slow", apiclient.WebhookUnavailable: "webhooks.why.unavailable",
}

func (p *officePage) refusedPart(refused []sales.RefusedSums) templates.OfficePart {
	t := &templates.OfficeTable{Columns: []string{p.l.Text("office.reason"), p.l.Text("webhooks.last"), p.l.Text("webhooks.week"), p.l.Text("webhooks.month")}}
	for _, r := range refused {
		t.Rows = append(t.Rows, templates.OfficeRow{Cells: []templates.OfficeCell{
			{Text: p.l.Text(refusedNames[apiclient.WebhookReason(r.Reason)]), Hint: r.Reason}, {Text: p.l.DateTime(r.LastAt)}, {Text: p.l.Number(int64(r.Week))}, {Text: p.l.Number(int64(r.Month))},
		}})
	}
	return templates.OfficePart{Title: p.l.Text("webhooks.refused"), Note: p.l.Text("webhooks.refusedNote"), Table: t, Empty: p.l.Text("webhooks.noneRefused")}
}
