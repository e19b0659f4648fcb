// Package forecast says how long the float lasts, from the pace of today and what the same weekday spent hour
// by hour in the weeks before. It knows how far off such forecasts are by trying them on past days.
package forecast

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
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
type Service struct {
	d Deps

	mu   sync.Mutex
	past map[question]past
}

// New returns a service.
func New(d Deps) *Service { return &Service{d: d, past: map[question]past{}} }

const (
	weeks     = 5 // to look back on
	hoursADay = 24
	daysAhead = 7
)

// LooksBack is how many days before today count.
const LooksBack = weeks * daysAWeek

// Runway is how long a float lasts.
type Runway struct {
	Known   bool      // there are enough past days
	Beyond  bool      // it lasts longer than a week
	At      time.Time // when it will probably be used up
	Soonest time.Time // if the usual error makes it sooner
	Latest  time.Time // if it makes it later; zero if that is beyond a week
	Error   int       // of the spending forecast for the next hours, per cent: the median of the trials
	Trials  int       // on past days
}

// Runway forecasts when all shops together will have used up a float at today's pace. Days begin by the clock
// of zone.
func (s *Service) Runway(
	ctx context.Context, shops []staff.Shop, zone *time.Location, float money.Amount,
) (Runway, error) {
	days, err := s.days(ctx, shops, zone, float.Currency())
	if err != nil {
		return Runway{}, err
	}
	return Predict(s.d.Now().In(zone), float.Micros(), days), nil
}

// pastFor is how long past days are remembered. A late outcome may still change them a little;
// otherwise every visit to Today would add up five weeks of all shops.
const pastFor = time.Hour

// past is what was last read of the days before today.
type past struct {
	at   time.Time
	days Days
}

// question is what past answers.
type question struct {
	today    report.Day
	zone     string
	currency money.Currency
	shops    string
}

// days are what each hour of the last weeks took out of the float.
func (s *Service) days(
	ctx context.Context, shops []staff.Shop, zone *time.Location, currency money.Currency,
) (Days, error) {
	if len(shops) == 0 {
		return Days{}, nil
	}
	today, now := report.DayOf(s.d.Now(), zone), s.d.Now()
	ids := make([]string, len(shops))
	for i, shop := range shops {
		ids[i] = shop.ID
	}
	wanted := question{today, zone.String(), currency, strings.Join(ids, " ")}
	s.mu.Lock()
	known := s.past[wanted]
	s.mu.Unlock()
	if now.Sub(known.at) >= pastFor {
		days, err := s.read(ctx, Days{}, ids, today-LooksBack, today, today, currency)
		if err != nil {
			return Days{}, err
		}
		known = past{now, days}
		s.mu.Lock()
		maps.DeleteFunc(s.past, func(_ question, p past) bool { return now.Sub(p.at) >= pastFor })
		s.past[wanted] = known
		s.mu.Unlock()
	}
	return s.read(ctx, known.days, ids, today, today+1, today, currency)
}

// read adds what the hours of some days took out.
func (s *Service) read(
	ctx context.Context, days Days, shops []string, from, to, today report.Day, currency money.Currency,
) (Days, error) {
	rows, err := s.d.Report.Sums(ctx, report.Query{
		From: from, To: to, Shops: shops, By: []report.Dimension{report.ByDay, report.BySlot},
		Sums: []string{"send_micros", "dist_micros", "commission_micros"},
	})
	if err != nil {
		return Days{}, fmt.Errorf("forecast: %w", err)
	}
	days.Today = len(days.Spent) - 1
	for _, row := range rows {
		day := days.Today - int(today-row.Day)
		if row.SendCurrency == currency && day >= 0 && day <= days.Today {
			days.Spent[day][row.Slot%hoursADay] += row.SendMicros + row.DistMicros - row.CommissionMicros
		}
	}
	return days, nil
}
