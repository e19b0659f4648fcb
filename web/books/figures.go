package books

import (
	"context"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/money"
	"airtill/internal/reconcile"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// bookFigures are how books and balance stand, for those who may see the float.
func (s *Screens) bookFigures(
	c *gin.Context, q reconcile.Queue,
) (figures []templates.Figure, failed string, err error) {
	l, r := s.LocaleOf(c.Request), frame.ReadsOf(c)
	balance := frame.Load(r, s.D.Reconcile.LastBalance)
	quiet := frame.Load(r, s.D.Reconcile.LastQuiet)
	nothing := frame.Load(r, func(ctx context.Context) (*reconcile.Run, error) {
		return s.D.Reconcile.LastFailed(ctx, "records", s.D.Now().Add(-runsShown))
	})
	last := frame.LoadOf(r, s.D.Reconcile.LastRun, "records")
	if r.Err != nil {
		return nil, "", r.Err
	}
	figures = append(figures, unresolvedFigures(l, q)...)
	if balance != nil && frame.Present(c).User.Can(staff.ViewCost) {
		lasts, err := s.RunwayFigure(c, balance.Amount())
		if err != nil {
			return nil, "", err
		}
		figures = append(figures, templates.Figure{
			Name: l.Text("reconcile.balance"), Value: l.Amount(balance.Amount()),
			Note: l.Text("reconcile.balanceNote", l.DateTime(balance.ToldAt)),
		})
		figures = append(figures, lasts...)
	}
	if nothing != nil {
		failed = l.Text("reconcile.failed", l.Noted(nothing.Error))
	}
	return append(figures, quietFigure(l, quiet), recordsFigure(l, last)), failed, nil
}

// runsShown is how long a failed look is worth mentioning.
const runsShown = 24 * time.Hour

func unresolvedFigures(l locale.Locale, q reconcile.Queue) []templates.Figure {
	count := 0
	for _, t := range q.Totals {
		count += t.Count
	}
	open := templates.Figure{
		Name: l.Text("reconcile.unresolved"), Value: l.Number(int64(count)), Tone: "good", Large: true,
	}
	if count > 0 {
		open.Tone = "bad"
	}
	figures := []templates.Figure{open}
	for _, t := range q.Totals {
		figures = append(figures, templates.Figure{
			Name: l.Text("reconcile.sum"), Value: l.Amount(money.Of(t.Out, t.Currency)),
			Note: l.Text("break.float") + ": " + l.Amount(money.Of(t.Float, t.Currency)),
		})
	}
	return figures
}

func quietFigure(l locale.Locale, quiet *reconcile.UpstreamBalance) templates.Figure {
	f := templates.Figure{Name: l.Text("reconcile.quiet"), Value: l.Text("reconcile.never")}
	if quiet == nil {
		return f
	}
	f.Value, f.Note, f.Tone = l.Text("reconcile.agrees"), l.DateTime(quiet.ToldAt), "good"
	if quiet.DifferenceMicros != 0 {
		f.Value, f.Tone = l.Text("reconcile.off", l.Amount(money.Of(quiet.DifferenceMicros, quiet.Currency))), "bad"
	}
	return f
}

func recordsFigure(l locale.Locale, run *reconcile.Run) templates.Figure {
	f := templates.Figure{Name: l.Text("reconcile.records"), Value: l.Text("reconcile.never")}
	if run != nil {
		f.Value = l.Number(int64(run.Matched))
		f.Note = l.Text("reconcile.recordsNote", l.DateTime(run.EndedAt), l.Number(int64(run.Records)))
	}
	return f
}

func ages(l locale.Locale, q reconcile.Queue) []templates.Line {
	var lines []templates.Line
	for _, a := range q.Ages {
		name := l.Text("reconcile.older")
		if a.Days > 0 {
			name = l.Text("reconcile.upTo", l.Count("validity.days", a.Days))
		}
		lines = append(lines, templates.Line{Name: name, Value: l.Number(int64(a.Count))})
	}
	return lines
}
