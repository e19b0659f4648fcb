package health

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"airtill/internal/alert"
	"airtill/internal/apiclient"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
	"airtill/internal/staff"
)

const (
	runwaySoon  = 4 * time.Hour // when people are told that the float runs out
	runwayShort = time.Hour     // when that is urgent
	breaksOld   = 3             // days, after which unresolved differences are urgent
)

// Rules are what somebody must be told of, and when.
func (s *Service) Rules() []alert.Rule {
	return []alert.Rule{
		{Name: alert.DamagedFile, Look: s.damagedFile}, // first, since others may come upon the damage
		{Name: alert.FloatLow, Look: s.floatLow},
		{Name: alert.FloatReserve, Look: s.floatReserve},
		{Name: alert.FloatRunway, Look: s.floatRunway},
		{Name: alert.BreakOpen, Look: s.breaksOpen},
		{Name: alert.VerifyFailed, Look: s.verifyFailed},
		{Name: alert.JobFailed, Look: s.jobsFailed},
		{Name: alert.WebhookStorm, Look: s.webhookStorm},
		{Name: alert.BreakGlass, Look: s.brokeGlass, Events: true},
		{Name: alert.WrongClock, Look: s.wrongClock},
	}
}

func (s *Service) damagedFile(context.Context) (alert.Tier, []string, error) {
	if s.d.DB.Damaged() {
		return alert.Critical, []string{}, nil // a column that takes no NULL
	}
	return alert.Fine, nil, nil
}

// clockWrong is from when a clock counts as wrong: the codes of second factors are refused by then.
const clockWrong = time.Minute

func (s *Service) wrongClock(ctx context.Context) (alert.Tier, []string, error) {
	ahead, err := s.d.Processes.ClockAhead(ctx)
	if err != nil || ahead.Abs() < clockWrong {
		return alert.Fine, nil, err
	}
	return alert.Warning, []string{strconv.Itoa(int(ahead.Abs() / time.Minute))}, nil
}

// glassFor is how long somebody is told that an admin signed in without single sign-on.
const glassFor = 24 * time.Hour

func (s *Service) brokeGlass(ctx context.Context) (alert.Tier, []string, error) {
	if !s.d.Staff.SingleSignOn() {
		return alert.Fine, nil, nil
	}
	name, at, err := s.d.Staff.BrokeGlass(ctx, s.d.Now().Add(-glassFor))
	if err != nil || name == "" {
		return alert.Fine, nil, err
	}
	return alert.Warning, []string{name, at.UTC().Format(alert.FactTime)}, nil
}

func (s *Service) floatLow(ctx context.Context) (alert.Tier, []string, error) {
	alarm, err := s.d.Limits.FloatAlarm(ctx)
	if err != nil || !alarm.Gone && !alarm.Low {
		return alert.Fine, nil, err
	}
	balance, err := s.d.Reconcile.LastBalance(ctx)
	if err != nil || balance == nil {
		return alert.Fine, nil, err
	}
	facts := []string{balance.Amount().String()}
	if alarm.Gone {
		return alert.Critical, facts, nil
	}
	return alert.Warning, facts, nil
}

// floatReserve names the shops whose own mark the float has fallen below.
func (s *Service) floatReserve(ctx context.Context) (alert.Tier, []string, error) {
	alarm, err := s.d.Limits.FloatAlarm(ctx)
	if err != nil {
		return alert.Fine, nil, err
	}
	shops, err := s.d.Staff.Shops(ctx)
	if err != nil {
		return alert.Fine, nil, err
	}
	var below []string
	for _, one := range shops {
		if alarm.Shops[one.ID] {
			below = append(below, one.Name)
		}
	}
	balance, err := s.d.Reconcile.LastBalance(ctx)
	if err != nil || balance == nil || below == nil {
		return alert.Fine, nil, err
	}
	return alert.Warning, []string{balance.Amount().String(), strings.Join(below, ", ")}, nil
}

// floatRunway counts days by the clock of the first shop.
func (s *Service) floatRunway(ctx context.Context) (alert.Tier, []string, error) {
	balance, err := s.d.Reconcile.LastBalance(ctx)
	if err != nil || balance == nil {
		return alert.Fine, nil, err
	}
	shops, err := s.d.Staff.Shops(ctx)
	if err != nil || len(shops) == 0 {
		return alert.Fine, nil, err
	}
	runway, err := s.d.Forecast.Runway(ctx, shops, shops[0].Location(), balance.Amount())
	if err != nil || !runway.Known || runway.Beyond {
		return alert.Fine, nil, err
	}
	tier := runwayTier(runway.At.Sub(s.d.Now()))
	if tier == alert.Fine {
		return tier, nil, nil
	}
	return tier, []string{runway.At.Round(10 * time.Minute).UTC().Format(alert.FactTime)}, nil
}

// runwayTier is how urgent a float is that lasts so long.
func runwayTier(left time.Duration) alert.Tier {
	switch {
	case left < runwayShort:
		return alert.Critical
	case left < runwaySoon:
		return alert.Warning
	}
	return alert.Fine
}

// InShop are the alerts shown in a shop: those of other shops alone are left out, and of what is counted over
// all shops it sees its own part.
func (s *Service) InShop(ctx context.Context, shop staff.Shop, open []alert.Alert) (shown []alert.Alert, err error) {
	for _, a := range open {
		switch {
		case shop.ID == "": // of all shops
		case a.Rule == alert.BreakOpen:
			if a.Tier, a.Facts, err = s.breaksOf(ctx, shop.ID); err != nil {
				return nil, err
			}
		case a.Rule == alert.FloatReserve:
			alarm, err := s.d.Limits.FloatAlarm(ctx)
			if err != nil {
				return nil, err
			}
			if !alarm.Shops[shop.ID] {
				continue
			}
			a.Facts = append(slices.Clone(a.Facts[:1]), shop.Name)
		}
		if a.Tier != alert.Fine {
			shown = append(shown, a)
		}
	}
	return shown, nil
}

// CountsShops says whether a rule counts over all shops, so that InShop tells of a part of it.
func CountsShops(rule string) bool { return rule == alert.BreakOpen || rule == alert.FloatReserve }

func (s *Service) breaksOpen(ctx context.Context) (alert.Tier, []string, error) {
	return s.breaksOf(ctx, "")
}

// breaksOf tells of the differences of a shop, "" for all.
func (s *Service) breaksOf(ctx context.Context, shopID string) (alert.Tier, []string, error) {
	queue, err := s.d.Reconcile.Queue(ctx, reconcile.QueueFilter{ShopID: shopID, Limit: 1})
	if err != nil || len(queue.Breaks) == 0 {
		return alert.Fine, nil, err
	}
	count := 0
	for _, total := range queue.Totals {
		count += total.Count
	}
	days := int(s.d.Now().Sub(queue.Breaks[0].FoundAt).Hours()) / 24
	facts := []string{strconv.Itoa(count), strconv.Itoa(days)}
	if days >= breaksOld {
		return alert.Critical, facts, nil
	}
	return alert.Warning, facts, nil
}

func (s *Service) verifyFailed(ctx context.Context) (alert.Tier, []string, error) {
	last, err := s.d.Invariants.Last(ctx)
	if err != nil || last == nil || last.Holds {
		return alert.Fine, nil, err
	}
	for _, finding := range last.Findings {
		if finding.Broken() > 0 {
			return alert.Critical, []string{finding.Name}, nil
		}
	}
	return alert.Critical, []string{"unknown"}, nil
}

func (s *Service) jobsFailed(ctx context.Context) (alert.Tier, []string, error) {
	givenUp, err := s.d.GivenUp(ctx)
	if err != nil || len(givenUp) == 0 {
		return alert.Fine, nil, err
	}
	count := 0
	for _, failed := range givenUp {
		count += failed.Count
	}
	return alert.Warning, []string{strconv.Itoa(count), givenUp[0].Kind}, nil
}

const (
	// A storm is this many refused webhooks within this time; a service that is misconfigured or late sends
	// fewer.
	stormAtLeast = 30
	stormWithin  = 10 * time.Minute
	// stormOver is when a storm counts as over: one that comes and goes is one.
	stormOver = 30 * time.Minute
)

func (s *Service) webhookStorm(ctx context.Context) (alert.Tier, []string, error) {
	refused, err := s.d.Sales.RefusedNotices(ctx, s.d.Now().Add(-stormWithin-stormOver))
	refused = slices.DeleteFunc(refused, func(r sales.RefusedNotices) bool {
		return apiclient.WebhookReason(r.Reason).Ours()
	})
	if err != nil || !storm(refused) {
		return alert.Fine, nil, err
	}
	total, reasons := 0, map[string]int{}
	for _, r := range refused {
		total += r.Count
		reasons[r.Reason] += r.Count
	}
	var why []string
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		why = append(why, reason+" "+strconv.Itoa(reasons[reason]))
	}
	return alert.Warning, []string{strconv.Itoa(total), strings.Join(why, ", ")}, nil
}

// storm says whether enough were refused within any stormWithin; they are in order of time.
func storm(refused []sales.RefusedNotices) bool {
	first, sum := 0, 0
	for _, r := range refused {
		sum += r.Count
		for ; r.Minute.Sub(refused[first].Minute) >= stormWithin; first++ {
			sum -= refused[first].Count
		}
		if sum >= stormAtLeast {
			return true
		}
	}
	return false
}
