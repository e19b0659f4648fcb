package office

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/jobs"
	"airtill/web/frame"
	"airtill/web/templates"
)

// JobsPage is GET /admin/jobs: how recent jobs went, and which were given up on.
func (s *Screens) JobsPage(c *gin.Context) error {
	p, r := s.newOffice(c, "/admin/jobs"), frame.ReadsOf(c)
	last := frame.Load(r, s.D.Jobs.Last)
	failed := frame.Load(r, s.D.Jobs.Failed)
	running := frame.Load(r, func(ctx context.Context) (templates.Running, error) { return s.runningWork(ctx, p, "") })
	if r.Err != nil {
		return r.Err
	}
	return s.showOffice(c, p, templates.OfficeJobs(&p.Office, running, p.failedTable(failed), p.lastTable(last)))
}

// failedTable is the jobs given up on or waiting for another try.
func (p *office) failedTable(failed []jobs.Row) *templates.Table {
	t := p.table(p.l.Text("jobs.failed"), "jobs.job", "people.state", "jobs.attempt", "audit.at", "jobs.why")
	for _, j := range failed {
		id := strconv.FormatInt(j.ID, 10)
		t.Add(templates.Row{
			{Text: p.l.Job(j.Kind), Hint: j.Kind + " " + id},
			{Text: p.l.JobState(j.State), Tone: "bad"},
			{Text: p.l.Number(int64(j.Attempt))},
			{Text: p.at(j.StartedAt)},
			p.whyCell(j),
		}, p.act("/admin/jobs/retry", "jobs.retry", p.l.Text("jobs.retryOne", p.l.Job(j.Kind)+" "+id), "id", id))
	}
	return t
}

// whyCell is why a job failed, with what the program said folded away.
func (p *office) whyCell(j jobs.Row) templates.Cell {
	text := p.l.Word("jobs.reason.", string(j.Reason), p.l.Noted(string(j.Reason)))
	if j.Reason == jobs.InLog || text == string(j.Reason) { // or a fault that an earlier release had
		text = p.l.Text("jobs.reason.inLog", p.l.Number(int64(j.Attempt)), p.l.DateTime(j.FailedAt))
	}
	folded := templates.Folded{Show: p.l.Text("jobs.technical"), English: short(j.Technical)}
	return templates.Cell{Text: text, Folded: folded}
}

// lastTable is each kind of job's last run and its result.
func (p *office) lastTable(last []jobs.Row) *templates.Table {
	t := p.table(p.l.Text("jobs.all"), "jobs.job", "jobs.last", "people.state")
	for _, j := range last {
		t.Add(templates.Row{
			{Text: p.l.Job(j.Kind)}, {Text: p.at(j.StartedAt)}, {Text: p.l.JobState(j.State)},
		})
	}
	frame.Alphabetical(p.l, t.Rows, func(row templates.Row) string { return row[0].Text })
	return t
}

// columns are a table's headings, by text key.
func (p *office) columns(keys ...string) []string {
	texts := make([]string, len(keys))
	for i, key := range keys {
		texts[i] = p.l.Text(key)
	}
	return texts
}

// at writes a time, "" for nil.
func (p *office) at(at *time.Time) string {
	if at == nil {
		return ""
	}
	return p.l.DateTime(*at)
}

// short cuts a message to what fits into a table.
func short(text string) string {
	const most = 300
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// Running is GET /admin/running: the long work under way, with which pages refresh themselves; its query kind
// selects one kind.
func (s *Screens) Running(c *gin.Context) error {
	p := s.newOffice(c, "")
	work, err := s.runningWork(c.Request.Context(), p, jobs.WorkKind(c.Query("kind")))
	if err != nil {
		return err
	}
	return s.Render(c, http.StatusOK, templates.OfficeRunning(&p.Office, work))
}

// runningWork is the long work that runs now: what, how far, since when; of all kinds
// or of one, which is not mentioned while there is none; and where it is asked for anew.
func (s *Screens) runningWork(ctx context.Context, p *office, kind jobs.WorkKind) (templates.Running, error) {
	running, err := s.D.Board.Running(ctx)
	work := templates.Running{URL: "/admin/running"}
	if kind != "" {
		work.URL += "?kind=" + url.QueryEscape(string(kind))
		running = slices.DeleteFunc(running, func(w jobs.Work) bool { return w.Kind != kind })
	}
	work.Columns = p.columns("jobs.work", "jobs.far", "jobs.since", "jobs.sign")
	if kind == "" || len(running) > 0 {
		work.Title = p.l.Text("jobs.running")
	}
	for _, w := range running {
		sign := templates.Cell{Text: p.l.Time(w.SeenAt)}
		if w.Silent(s.D.Now()) {
			sign.Tone, sign.Hint = "wait", p.l.Text("jobs.silent")
		}
		work.Add(templates.Row{
			{Text: p.l.Text("jobs.work." + string(w.Kind)), Hint: w.Detail},
			{Text: frame.HowFar(p.l, w)},
			{Text: p.l.DateTime(w.StartedAt)},
			sign,
		})
	}
	return work, err
}

// RetryJob is POST /admin/jobs/retry (field id).
func (s *Screens) RetryJob(c *gin.Context) error {
	id, err := strconv.ParseInt(c.PostForm("id"), 10, 64)
	if err != nil {
		return frame.NotFound(c)
	}
	if err = s.D.Jobs.Retry(c.Request.Context(), id); fault.KindOf(err) == fault.NotFound {
		return err
	}
	return s.conclude(c, err, "/admin/jobs", "asked", s.JobsPage)
}
