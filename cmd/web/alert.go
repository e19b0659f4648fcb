package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
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
	"airtill/web"
	"airtill/web/locale"
)

const (
	runwaySoon  = 4 * time.Hour // a float that ends sooner is told of
	runwayShort = time.Hour     // and this is urgent
	breaksOld   = 3             // days after which differences that nobody resolves are urgent
)

// newAlerts returns what tells people by mail and webhook; without addresses it
// only keeps what it would have told.
func (s *shop) newAlerts() *alert.Service {
	return alert.New(alert.Deps{
		DB: s.db, Audit: s.audit, Mail: s.mail, MailTo: s.config.AlertMailTo, WebhookURL: s.config.AlertWebhookURL, Secret: string(s.config.AlertWebhookSecret),
		Page: s.config.PublicURL + "/today", Now: now, Log: s.log, Words: alertWords,
		Rules: []alert.Rule{
			{Name: alert.FloatLow, Look: s.floatLow},
			{Name: alert.FloatReserve, Look: s.floatReserve},
			{Name: alert.FloatRunway, Look: s.floatRunway},
			{Name: alert.BreakOpen, Look: s.breaksOpen},
			{Name: alert.VerifyFailed, Look: s.verifyFailed},
			{Name: alert.JobFailed, Look: s.jobsFailed},
			{Name: alert.WebhookStorm, Look: s.webhookStorm},
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
			args[i] = web.JobName(locale.New(language.English, nil), fact)
		}
	}
	return fmt.Sprintf(words[rule], args...)
}

func (s *shop) floatLow(ctx context.Context) (alert.Tier, []string, error) {
	alarm, err := s.sales.FloatAlarm(ctx)
	if err != nil || !alarm.Gone && !alarm.Low {
		return alert.Fine, nil, err
	}
	balance, err := s.reconcile.LastBalance(ctx)
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
func (s *shop) floatReserve(ctx context.Context) (alert.Tier, []string, error) {
	alarm, err := s.sales.FloatAlarm(ctx)
	if err != nil {
		return alert.Fine, nil, err
	}
	shops, err := s.staff.Shops(ctx)
	if err != nil {
		return alert.Fine, nil, err
	}
	var below []string
	for _, one := range shops {
		if alarm.Shops[one.ID] {
			below = append(below, one.Name)
		}
	}
	balance, err := s.reconcile.LastBalance(ctx)
	if err != nil || balance == nil || below == nil {
		return alert.Fine, nil, err
	}
	return alert.Warning, []string{alertAmount(balance.Amount()), strings.Join(below, ", ")}, nil
}

func alertAmount(a money.Amount) string {
	return a.Decimal(a.Currency().Decimals()) + " " + string(a.Currency())
}

// floatRunway counts the days of the first shop.
func (s *shop) floatRunway(ctx context.Context) (alert.Tier, []string, error) {
	balance, err := s.reconcile.LastBalance(ctx)
	if err != nil || balance == nil {
		return alert.Fine, nil, err
	}
	shops, err := s.staff.Shops(ctx)
	if err != nil || len(shops) == 0 {
		return alert.Fine, nil, err
	}
	runway, err := s.forecast.Runway(ctx, shops, shops[0].Location(), balance.Amount())
	if err != nil || !runway.Known || runway.Beyond {
		return alert.Fine, nil, err
	}
	tier := runwayTier(runway.At.Sub(now()))
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

func (s *shop) breaksOpen(ctx context.Context) (alert.Tier, []string, error) {
	queue, err := s.reconcile.Queue(ctx, reconcile.QueueFilter{Limit: 1})
	if err != nil || len(queue.Breaks) == 0 {
		return alert.Fine, nil, err
	}
	count := 0
	for _, total := range queue.Totals {
		count += total.Count
	}
	days := int(now().Sub(queue.Breaks[0].FoundAt).Hours()) / 24
	facts := []string{strconv.Itoa(count), strconv.Itoa(days)}
	if days >= breaksOld {
		return alert.Critical, facts, nil
	}
	return alert.Warning, facts, nil
}

func (s *shop) verifyFailed(ctx context.Context) (alert.Tier, []string, error) {
	last, err := s.invariants.Last(ctx)
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

func (s *shop) jobsFailed(ctx context.Context) (alert.Tier, []string, error) {
	givenUp, err := s.jobs.GivenUp(ctx)
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

func (s *shop) webhookStorm(ctx context.Context) (alert.Tier, []string, error) {
	refused, err := s.sales.RefusedNotices(ctx, now().Add(-stormWithin-stormOver))
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

// leastSecret is the shortest secret that signs what receivers of alerts get.
const leastSecret = 16

func (c config) checkAlerts() error {
	u, err := url.Parse(c.AlertWebhookURL)
	switch {
	case len(c.AlertMailTo) > 0 && c.SMTPURL == "":
		return errors.New("ALERT_MAIL_TO is set and SMTP_URL is not; alerts would reach nobody")
	case c.AlertWebhookURL == "":
		return nil
	case err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname())):
		return errors.New("ALERT_WEBHOOK_URL must begin with https:// unless it is on this machine")
	case len(c.AlertWebhookSecret) < leastSecret:
		return fmt.Errorf("ALERT_WEBHOOK_SECRET must have %d characters at least; make one with: openssl rand -hex 32", leastSecret)
	}
	return nil
}
