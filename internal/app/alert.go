package app

import (
	"fmt"

	"golang.org/x/text/language"

	"airtill/internal/alert"
	"airtill/web/locale"
)

// newAlerts returns what tells people by mail and webhook; without addresses it
// only remembers what it would have told.
func (a *App) newAlerts() *alert.Service {
	return alert.New(alert.Deps{
		DB: a.DB, Audit: a.Audit, Mail: a.Mail, MailTo: a.Config.AlertMailTo, WebhookURL: a.Config.AlertWebhookURL,
		Secret: string(a.Config.AlertWebhookSecret),
		Page:   a.Config.PublicURL + "/today", Now: a.Now, Log: a.Log, Words: alertWords,
		Rules: a.Health.Rules(),
	})
}

// alertWords are in English, as logs and commands are.
func alertWords(rule string, _ alert.Tier, facts []string) string {
	words := map[string]string{
		alert.FloatLow:     "The float upstream is low: %s.",
		alert.FloatReserve: "The float upstream, %s, is below what is to be in reserve for: %s. They go on selling.",
		alert.FloatRunway:  "At the pace of today the float lasts until about %s.",
		alert.BreakOpen: "%s differences between books, drawers and upstream wait for somebody; the oldest is %s " +
			"days old.",
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
