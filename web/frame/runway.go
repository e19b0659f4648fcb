package frame

import (
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/forecast"
	"airtill/internal/money"
	"airtill/internal/report"
	"airtill/web/locale"
	"airtill/web/templates"
)

// RunwayFigure is how long the float lasts at what all shops spend together.
func (s *Server) RunwayFigure(c *gin.Context, float money.Amount) ([]templates.Figure, error) {
	if s.D.Forecast == nil {
		return nil, nil
	}
	shops, err := s.D.Staff.Shops(c.Request.Context())
	if err != nil {
		return nil, err
	}
	l := s.LocaleOf(c.Request)
	runway, err := s.D.Forecast.Runway(c.Request.Context(), shops, l.Zone(), float)
	if err != nil {
		return nil, err
	}
	figure, today := runwayText(l, s.D.Now(), float, runway), report.DayOf(s.D.Now(), l.Zone())
	figure.Wide = true
	if own := Present(c).Shop.ID; own != "" && len(shops) > 1 {
		figure.Note += " " + l.Text("runway.ownShop")
	}
	figure.URL = "/reports/hours?from=" + (today - forecast.LooksBack).String() + "&to=" + today.String()
	return []templates.Figure{figure}, nil
}

// runwayText says when a float is used up, and how far off that may be.
func runwayText(l locale.Locale, now time.Time, float money.Amount, r forecast.Runway) templates.Figure {
	figure := templates.Figure{Name: l.Text("runway.name")}
	switch {
	case float.Sign() <= 0:
		figure.Value, figure.Note = l.Text("runway.empty"), l.Text("runway.emptyNote")
		return figure
	case !r.Known:
		figure.Value, figure.Note = l.Text("runway.unknown"), l.Text("runway.unknownNote")
		return figure
	case r.Beyond:
		figure.Value = l.Text("runway.beyond")
	default:
		figure.Value = l.Text("runway.about", ShortTime(l, now, r.At))
	}
	figure.Note = howFarOff(l, now, r)
	return figure
}

// howFarOff is the range of times, and the trials it is based on.
func howFarOff(l locale.Locale, now time.Time, r forecast.Runway) string {
	trials := l.Text("runway.trials", l.Count("runway.tries", r.Trials), l.Number(int64(r.Error)))
	switch {
	case r.Trials == 0:
		return l.Text("runway.untried")
	case r.Beyond:
		return trials
	case r.Latest.IsZero():
		return l.Text("runway.notBefore", ShortTime(l, now, r.Soonest)) + " " + trials
	default:
		return l.Text("runway.between", ShortTime(l, now, r.Soonest), ShortTime(l, now, r.Latest)) + " " + trials
	}
}

// ShortTime is a time, with the date unless it is today.
func ShortTime(l locale.Locale, now, at time.Time) string {
	if report.DayOf(now, l.Zone()) == report.DayOf(at, l.Zone()) {
		return l.Time(at)
	}
	return l.DateTime(at)
}
