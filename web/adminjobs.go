package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"airtill/internal/apiclient"
	"airtill/internal/progress"
	"airtill/internal/sales"
	"airtill/internal/store"
	"airtill/web/locale"
	"airtill/web/templates"
)

// jobsPage is GET /admin/jobs: how the jobs of the last hours went, and which
// were given up.
func (s *Server) jobsPage(c *gin.Context) error { return s.showJobs(c, nil) }

const failuresListed = 50

// lastError is what a job's last attempt failed with; River keeps them as an array
// of JSON, or as JSON of an array.
var lastError = map[store.Dialect]string{
	store.Postgres: "COALESCE(errors[ARRAY_UPPER(errors, 1)] ->> 'error', '')",
	store.SQLite:   "COALESCE(JSON_EXTRACT(errors, '$[#-1].error'), '')",
}

func (s *Server) showJobs(c *gin.Context, refused error) error {
	db := s.d.DB.Read(c.Request.Context())
	var kinds []struct {
		Queue, Kind string
		State       rivertype.JobState
		N           int64
	}
	if err := db.Raw("SELECT queue, kind, state, COUNT(*) AS n FROM river_job GROUP BY queue, kind, state ORDER BY queue, kind, state").Scan(&kinds).Error; err != nil {
		return err
	}
	var failed []struct {
		ID          int64
		Kind        string
		State       rivertype.JobState
		Why         string // the last error
		Attempt     int
		AttemptedAt *time.Time
	}
	err := db.Raw("SELECT id, kind, state, "+lastError[s.d.DB.Dialect()]+" AS why, attempt, attempted_at FROM river_job WHERE state IN ('discarded', 'retryable', 'cancelled') ORDER BY id DESC LIMIT ?", failuresListed).Scan(&failed).Error
	if err != nil {
		return err
	}
	p := s.newOffice(c, "/admin/jobs", refused)
	running, err := s.runningPart(c.Request.Context(), p.l, "")
	if err != nil {
		return err
	}
	p.add(running)
	t := &templates.OfficeTable{Stacks: true, Columns: []string{p.l.Text("jobs.job"), p.l.Text("jobs.queue"), p.l.Text("people.state"), p.l.Text("jobs.count")}}
	for _, k := range kinds {
		t.Rows = append(t.Rows, templates.OfficeRow{Cells: []templates.OfficeCell{{Text: JobName(p.l, k.Kind), Hint: k.Kind}, {Text: k.Queue}, {Text: p.l.Text(jobStates[k.State])}, {Text: p.l.Number(k.N)}}})
	}
	broken := &templates.OfficeTable{Stacks: true, Columns: []string{p.l.Text("jobs.job"), p.l.Text("people.state"), p.l.Text("jobs.attempt"), p.l.Text("audit.at"), p.l.Text("jobs.why")}}
	for _, j := range failed {
		at := ""
		if j.AttemptedAt != nil {
			at = p.l.DateTime(*j.AttemptedAt)
		}
		id := strconv.FormatInt(j.ID, 10)
		broken.Rows = append(broken.Rows, templates.OfficeRow{
			Cells: []templates.OfficeCell{{Text: JobName(p.l, j.Kind), Hint: j.Kind + " " + id}, {Text: p.l.Text(jobStates[j.State]), Tone: "bad"}, {Text: p.l.Number(int64(j.Attempt))}, {Text: at}, {Text: short(j.Why)}},
			Acts:  []templates.OfficeAct{{Text: p.l.Text("jobs.retry"), Label: p.l.Text("jobs.retryOne", JobName(p.l, j.Kind)+" "+id), Action: "/admin/jobs/retry", Hidden: []templates.HiddenField{{Name: "id", Value: id}}}},
		})
	}
	p.add(templates.OfficePart{Title: p.l.Text("jobs.failed"), Note: p.l.Text("jobs.failedNote"), Table: broken, Empty: p.l.Text("jobs.noneFailed")})
	p.add(templates.OfficePart{Title: p.l.Text("jobs.all"), Table: t, Empty: p.l.Text("jobs.none")})
	return s.showOffice(c, p)
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
var workNames = map[progress.Kind]string{progress.Rollups: "jobs.rollups", progress.Catalogue: "jobs.catalogue", progress.Verify: "jobs.verify", progress.Export: "jobs.export"}

// silentAfter is when work that gives no sign is no longer believed to run.
const silentAfter = 5 * time.Minute

// running is GET /admin/running: the long work that runs now, with which pages renew
// themselves; its query kind leaves one kind of work.
func (s *Server) running(c *gin.Context) error {
	p := s.newOffice(c, "", nil)
	part, err := s.runningPart(c.Request.Context(), p.l, progress.Kind(c.Query("kind")))
	if err != nil {
		return err
	}
	p.add(part)
	return s.render(c, http.StatusOK, templates.OfficeRenewed(p.OfficePage))
}

// runningPart is the long work that runs now: what, how far, since when; of all kinds
// or of one, which is not mentioned while there is none.
func (s *Server) runningPart(ctx context.Context, l locale.Locale, kind progress.Kind) (templates.OfficePart, error) {
	running, err := s.d.Board.Running(ctx)
	part := templates.OfficePart{ID: "running", Renew: "/admin/running"}
	if kind != "" {
		part.Renew += "?kind=" + url.QueryEscape(string(kind))
		running = slices.DeleteFunc(running, func(w progress.Work) bool { return w.Kind != kind })
	}
	if kind == "" || len(running) > 0 {
		part.Title, part.Empty = l.Text("jobs.running"), l.Text("jobs.noneRunning")
	}
	part.Table = &templates.OfficeTable{Columns: []string{l.Text("jobs.work"), l.Text("jobs.far"), l.Text("jobs.since"), l.Text("jobs.sign")}}
	for _, w := range running {
		far := l.Number(w.Done)
		if w.Total > 0 {
			far = l.Text("jobs.of", l.Number(w.Done), l.Number(w.Total), l.Share(perMilleOf(w.Done, w.Total)))
		}
		sign := templates.OfficeCell{Text: l.Time(w.SeenAt)}
		if s.d.Now().Sub(w.SeenAt) > silentAfter {
			sign.Tone, sign.Hint = "wait", l.Text("jobs.silent")
		}
		part.Table.Rows = append(part.Table.Rows, templates.OfficeRow{Cells: []templates.OfficeCell{{Text: l.Text(workNames[w.Kind]), Hint: w.Detail}, {Text: far}, {Text: l.DateTime(w.StartedAt)}, sign}})
	}
	return part, err
}

// retryJob is POST /admin/jobs/retry (field id).
func (s *Server) retryJob(c *gin.Context) error {
	id, err := strconv.ParseInt(c.PostForm("id"), 10, 64)
	if err != nil || s.d.Jobs == nil {
		return notFound(c)
	}
	_, err = s.d.Jobs.JobRetry(c.Request.Context(), id)
	if errors.Is(err, river.ErrNotFound) {
		return notFound(c)
	}
	return s.conclude(c, err, "/admin/jobs", "asked", s.showJobs)
}

// webhooksPage is GET /admin/webhooks: what was received and what became of it.
// What was refused is counted, by all processes together, and never stored.
func (s *Server) webhooksPage(c *gin.Context) error {
	var rows []struct {
		ReceivedAt, SignedAt time.Time
		Encrypted            bool
		Ref, SaleID, Verdict string
	}
	err := s.d.DB.Read(c.Request.Context()).Raw("SELECT received_at, signed_at, encrypted, ref, sale_id, verdict FROM webhooks ORDER BY id DESC LIMIT ?", failuresListed).Scan(&rows).Error
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
