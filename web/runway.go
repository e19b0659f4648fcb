package web

import (
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/forecast"
	"airtill/internal/money"
	"airtill/internal/report"
	"airtill/web/locale"
	"airtill/web/templates"
)

// runwayFigure is how long the float lasts, by what all shops together spend.
func (s *Server) runwayFigure(c *gin.Context, float money.Amount) ([]templates.Figure, error) {
	if s.d.Forecast == nil {
		return nil, nil
	}
	shops, err := s.d.Staff.Shops(c.Request.Context())
	if err != nil {
		return nil, err
	}
	l := s.localeOf(c.Request)
	runway, err := s.d.Forecast.Runway(c.Request.Context(), shops, l.Zone(), float)
	if err != nil {
		return nil, err
	}
	figure, today := runwayText(l, s.d.Now(), runway), report.DayOf(s.d.Now(), l.Zone())
	if own := present(c).Shop.ID; own != "" && len(shops) > 1 {
		figure.Note += " " + l.Text("runway.ownShop")
	}
	figure.URL = "/reports/hours?from=" + (today - forecast.LooksBack).String() + "&to=" + today.String()
	return []templates.Figure{figure}, nil
}

func runwayText(l locale.Locale, now time.Time, r forecast.Runway) templates.Figure {
	figure := templates.Figure{Name: l.Text("runway.name")}
	switch {
	case !r.Known:
		figure.Value, figure.Note = l.Text("runway.unknown"), l.Text("runway.unknownNote")
	case r.Beyond:
		figure.Value, figure.Note = l.Text("runway.beyond"), l.Text("runway.trials", l.Number(int64(r.Error)), l.Number(int64(r.Trials)))
	default:
		figure.Value = l.Text("runway.about", shortTime(l, now, r.At))
		figure.Note = l.Text("runway.between", shortTime(l, now, r.Soonest), latest(l, now, r.Latest), l.Number(int64(r.Error)), l.Number(int64(r.Trials)))
	}
	if r.Known && r.Trials == 0 {
		figure.Note = l.Text("runway.untried")
	}
	return figure
}

// shortTime is a time of today, or a date with it.
func shortTime(l locale.Locale, now, at time.Time) string {
	if report.DayOf(now, l.Zone()) == report.DayOf(at, l.Zone()) {
		return l.Time(at)
	}
	return l.DateTime(at)
}

func latest(l locale.Locale, now, at time.Time) string {
	if at.IsZero() {
		return l.Text("runway.weekOn")
	}
	return shortTime(l, now, at)
}
