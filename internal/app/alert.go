package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/language"

	"airtill/internal/alert"
	"airtill/internal/apiclient"
	"airtill/internal/money"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
	"airtill/web/locale"
)

const (
	runwaySoon  = 4 * time.Hour // a float that ends sooner is told of
	runwayShort = time.Hour     // and this is urgent
	breaksOld   = 3             // days after which differences that nobody resolves are urgent
)

// newAlerts returns what tells people by mail and webhook; without addresses it
// only keeps what it would have told.
func (a *App) newAlerts() *alert.Service {
	return alert.New(alert.Deps{
		DB: a.DB, Audit: a.Audit, Mail: a.Mail, MailTo: a.Config.AlertMailTo, WebhookURL: a.Config.AlertWebhookURL, Secret: string(a.Config.AlertWebhookSecret),
		Page: a.Config.PublicURL + "/today", Now: a.Now, Log: a.Log, Words: alertWords,
		Rules: []alert.Rule{
			{Name: alert.FloatLow, Look: a.floatLow},
			{Name: alert.FloatReserve, Look: a.floatReserve},
			{Name: alert.FloatRunway, Look: a.floatRunway},
			{Name: alert.BreakOpen, Look: a.breaksOpen},
			{Name: alert.VerifyFailed, Look: a.verifyFailed},
			{Name: alert.JobFailed, Look: a.jobsFailed},
			{Name: alert.WebhookStorm, Look: a.webhookStorm},
		},
	})
}

// alertWords are in English, as logs and commands are.
func alertWords(rule string, _ alert.Tier, facts []string) string {
	words := map[string]string{
		alert.FloatLow:     "The float upstream is low: %s.",
		alert.FloatReserve: "The float upstream, %s, is below what is to be in reserve for: %s. They go on selling.",
		alert.FloatRunway:  "At the pace of today the float lasts until about %s.",
		alert.BreakOpen:    "%s differences between books, drawers and upstream wait for somebody; the oldest is %s days old.",
		alert.VerifyFailed: "A check of the books found what must never be (%s).",
		alert.JobFailed:    "%s failed jobs were given up on, the last: %s.",
		alert.WebhookStorm: "%s webhooks were refused in a short time (%s).",
	}
	args := make([]any, len(facts))
	for i, fact := range facts {
		args[i] = fact
		if rule == alert.JobFailed && i == 1 {
			args[i] = locale.New(language.English, nil).Job(fact)
		}
	}
	return fmt.Sprintf(words[rule], args...)
}

func (a *App) floatLow(ctx context.Context) (alert.Tier, []string, error) {
	alarm, err := a.Limits.FloatAlarm(ctx)
	if err != nil || !alarm.Gone && !alarm.Low {
		return alert.Fine, nil, err
	}
	balance, err := a.Reconcile.LastBalance(ctx)
	if err != nil || balance == nil {
		return alert.Fine, nil, err
	}
	facts := []string{alertAmount(balance.Amount())}
	if alarm.Gone {
		return alert.Critical, facts, nil
	}
	return alert.Warning, facts, nil
}

// floatReserve names the shops whose own mark the float is below.
func (a *App) floatReserve(ctx context.Context) (alert.Tier, []string, error) {
	alarm, err := a.Limits.FloatAlarm(ctx)
	if err != nil {
		return alert.Fine, nil, err
	}
	shops, err := a.Staff.Shops(ctx)
	if err != nil {
		return alert.Fine, nil, err
	}
	var below []string
	for _, one := range shops {
		if alarm.Shops[one.ID] {
			below = append(below, one.Name)
		}
	}
	balance, err := a.Reconcile.LastBalance(ctx)
	if err != nil || balance == nil || below == nil {
		return alert.Fine, nil, err
	}
	return alert.Warning, []string{alertAmount(balance.Amount()), strings.Join(below, ", ")}, nil
}

func alertAmount(a money.Amount) string {
	return a.Decimal(a.Currency().Decimals()) + " " + string(a.Currency())
}

// floatRunway counts the days of the first shop.
func (a *App) floatRunway(ctx context.Context) (alert.Tier, []string, error) {
	balance, err := a.Reconcile.LastBalance(ctx)
	if err != nil || balance == nil {
		return alert.Fine, nil, err
	}
	shops, err := a.Staff.Shops(ctx)
	if err != nil || len(shops) == 0 {
		return alert.Fine, nil, err
	}
	runway, err := a.Forecast.Runway(ctx, shops, shops[0].Location(), balance.Amount())
	if err != nil || !runway.Known || runway.Beyond {
		return alert.Fine, nil, err
	}
	tier := runwayTier(runway.At.Sub(a.Now()))
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

func (a *App) breaksOpen(ctx context.Context) (alert.Tier, []string, error) {
	queue, err := a.Reconcile.Queue(ctx, reconcile.QueueFilter{Limit: 1})
	if err != nil || len(queue.Breaks) == 0 {
		return alert.Fine, nil, err
	}
	count := 0
	for _, total := range queue.Totals {
		count += total.Count
	}
	days := int(a.Now().Sub(queue.Breaks[0].FoundAt).Hours()) / 24
	facts := []string{strconv.Itoa(count), strconv.Itoa(days)}
	if days >= breaksOld {
		return alert.Critical, facts, nil
	}
	return alert.Warning, facts, nil
}

func (a *App) verifyFailed(ctx context.Context) (alert.Tier, []string, error) {
	last, err := a.Invariants.Last(ctx)
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

func (a *App) jobsFailed(ctx context.Context) (alert.Tier, []string, error) {
	givenUp, err := a.Jobs.GivenUp(ctx)
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
	// A storm is this many refused webhooks within this time; a service that is set
	// up wrong, or late, sends fewer.
	stormAtLeast = 30
	stormWithin  = 10 * time.Minute
	// stormOver is how long after it a storm is told to be over: one that comes and
	// goes is one.
	stormOver = 30 * time.Minute
)

func (a *App) webhookStorm(ctx context.Context) (alert.Tier, []string, error) {
	refused, err := a.Sales.RefusedNotices(ctx, a.Now().Add(-stormWithin-stormOver))
	refused = slices.DeleteFunc(refused, func(r sales.RefusedNotices) bool { return apiclient.WebhookReason(r.Reason).Ours() })
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

// storm says whether so many were refused within some stormWithin; they are in the
// order of their minutes.
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
