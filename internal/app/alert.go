package app

import (
	"golang.org/x/text/language"

	"airtill/internal/alert"
	"airtill/web/locale"
)

// newAlerts returns what tells people by mail and webhook; without addresses, alerts are only stored.
func (a *App) newAlerts() *alert.Service {
	return alert.New(alert.Deps{
		DB: a.DB, Audit: a.Audit, Mail: a.Mail, MailTo: a.Config.AlertMailTo,
		WebhookURL: string(a.Config.AlertWebhookURL), Secret: string(a.Config.AlertWebhookSecret),
		Page: a.Config.PublicURL + "/today", Now: a.Now, Log: a.Log, Words: alertWords, Rules: a.Health.Rules(),
	})
}

// alertKeys are the messages of the rules.
var alertKeys = map[string]string{
	alert.FloatLow: "alert.floatLow", alert.FloatReserve: "alert.floatReserve", alert.FloatRunway: "alert.floatRunway",
	alert.BreakOpen: "alert.breakOpen", alert.VerifyFailed: "alert.verifyFailed", alert.JobFailed: "alert.jobFailed",
	alert.WebhookStorm: "alert.webhookStorm", alert.BreakGlass: "alert.breakGlass",
	alert.WrongClock: "alert.wrongClock", alert.DamagedFile: "alert.damagedFile",
}

// alertWords are in English, like logs and commands.
func alertWords(rule string, _ alert.Tier, facts []string) string {
	l := locale.New(language.English, nil)
	args := make([]any, len(facts))
	for i, fact := range facts {
		args[i] = fact
		switch {
		case rule == alert.JobFailed && i == 1:
			args[i] = l.Job(fact)
		case rule == alert.VerifyFailed:
			args[i] = l.Word("health.rule.", fact, l.Text("health.checks"))
		}
	}
	return l.Text(alertKeys[rule], args...)
}
