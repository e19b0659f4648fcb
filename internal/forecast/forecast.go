// Package forecast says how long the float lasts: by the pace of today beside
// the shape that the same weekday had in the weeks before. How far off such a
// forecast is, it knows from trying it on days that are over.
package forecast

import (
	"context"
	"fmt"
	"time"

	"airtill/internal/money"
	"airtill/internal/report"
	"airtill/internal/staff"
)

// Deps is what the Service needs.
type Deps struct {
	Report *report.Service
	Now    func() time.Time
}

// Service forecasts.
type Service struct{ d Deps }

// New returns a service.
func New(d Deps) *Service { return &Service{d} }

const (
	weeks     = 5 // that are looked back on
	hoursADay = 24
	daysAhead = 7
)

// LooksBack is of how many days before today the spending counts.
const LooksBack = weeks * daysAWeek

// Runway is how long a float lasts.
type Runway struct {
	Known   bool      // there are days enough to tell from
	Beyond  bool      // longer than a week
	At      time.Time // when it is about to be used up
	Soonest time.Time // the same with the usual error on the one side
	Latest  time.Time // and on the other; zero if that is beyond a week
	Error   int       // of the spending forecast for the next hours, per cent: half of the trials were nearer
	Trials  int       // on days that are over
}

// Runway forecasts when all shops together will have used up a float at the pace
// of today. zone says when the days begin.
func (s *Service) Runway(
	ctx context.Context, shops []staff.Shop, zone *time.Location, float money.Amount,
) (Runway, error) {
	days, err := s.days(ctx, shops, zone, float.Currency())
	if err != nil {
		return Runway{}, err
	}
	return Predict(s.d.Now().In(zone), float.Micros(), days), nil
}

// days are what each hour of the last weeks took out of the float.
func (s *Service) days(
	ctx context.Context, shops []staff.Shop, zone *time.Location, currency money.Currency,
) (Days, error) {
	if len(shops) == 0 {
		return Days{}, nil
	}
	today := report.DayOf(s.d.Now(), zone)
	q := report.Query{From: today - LooksBack, To: today + 1, By: []report.Dimension{report.ByDay, report.BySlot}}
	for _, shop := range shops {
		q.Shops = append(q.Shops, shop.ID)
	}
	rows, err := s.d.Report.Sums(ctx, q)
	if err != nil {
		return Days{}, fmt.Errorf("forecast: %w", err)
	}
	days := Days{Today: len(Days{}.Spent) - 1}
	for _, row := range rows {
		day := days.Today - int(today-row.Day)
		if row.SendCurrency == currency && day >= 0 && day <= days.Today {
			days.Spent[day][row.Slot%hoursADay] += row.SendMicros + row.DistMicros - row.CommissionMicros
		}
	}
	return days, nil
}
