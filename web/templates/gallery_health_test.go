package templates_test

import (
	"airtill/web/locale"
	"airtill/web/templates"
)

// healthPages are the health page on a good day and on a bad one.
func healthPages(l locale.Locale) []shown {
	f := frame(l, "/admin/health")
	f.Till, f.User, f.May = "", "Niamh", templates.Permissions{Today: true, Health: true}
	good := templates.HealthPage{Frame: f, At: noon, Parts: []templates.Figure{
		{Name: l.Text("health.books"), Value: l.Text("health.good"), Tone: "good", Note: l.Text("health.verified", l.DateTime(noon))},
		{Name: l.Text("health.redis"), Value: l.Text("health.good"), Tone: "good", Note: l.Text("health.alone")},
	}, Checks: []templates.HealthCheck{{Rule: l.Text("health.rule.I3"), Checked: "12,402"}}}
	bad := good
	bad.Parts = []templates.Figure{{Name: l.Text("health.database"), Value: l.Text("health.bad"), Tone: "bad", Note: l.Text("health.noAnswer")}, good.Parts[0]}
	bad.Incidents = []templates.HealthIncident{
		{Text: l.Text("incident.invariant_broken"), Do: l.Text("health.do.invariant"), At: l.DateTime(noon)},
		{Text: l.Text("incident.stray_record"), Do: l.Text("health.do.stray"), At: l.DateTime(noon), Subject: "AB3D01JZZZZZZZZZZZZZZZZZZZZZZZ01"},
		{Text: l.Text("incident.late_success"), Do: l.Text("health.do.late"), At: l.DateTime(noon), URL: "/sales/1", See: l.Text("health.seeSale")},
	}
	bad.Checks = []templates.HealthCheck{
		{Rule: l.Text("health.rule.I5"), Checked: "1", Broken: true, Note: l.Text("health.note.asOf", l.DateTime(noon)), Offenders: []templates.Offender{{Names: []string{hostile, "1 Mar"}, Text: l.Text("health.offence.sale.missing", "3"), URL: "/sales/1"}, {Names: []string{"1100"}, Text: hostile}}, Technical: []string{hostile}, More: l.Text("health.more", "9")},
		good.Checks[0],
	}
	bad.Budgets = []templates.HealthBudget{{Method: "ListTransferRecords", Use: l.Text("health.budgetUse", "44", "45"), Used: 44, Limit: 45}, {Method: "GetBalance", Use: l.Text("health.budgetUse", "2", "50"), Used: 2, Limit: 50}}
	bad.Failures = []templates.Line{{Name: "AccountNumberInvalid", Value: "12"}, {Name: hostile, Value: "1"}}
	bad.Refused, bad.Answers = []templates.Line{{Name: "bad_signature", Value: "36,497"}}, []templates.Line{{Name: "success", Value: "4,021"}}
	alert := templates.OpenAlert{ID: "1", Level: l.Text("alert.critical"), Tone: "bad", Text: l.Text("alert.breakOpen", "12", "5"), Age: l.Text("alert.now"), At: noon, URL: "/reconcile", MaySee: true}
	bad.Alerts = []templates.OpenAlert{alert, {ID: "2", Level: l.Text("alert.warning"), Tone: "wait", Text: l.Text("alert.webhookStorm", "1,200", hostile), Age: l.Text("alert.now"), At: noon, URL: "/admin/webhooks"}}
	alert.SeenBy = l.Text("alert.seenBy", "Niamh", l.DateTime(noon))
	bad.Open = []templates.OpenAlert{alert}
	bad.Unsent = []templates.UnsentAlert{{Way: l.Text("alert.byMail"), Problem: "The mail server did not take the message.", Text: alert.Text, Age: alert.Age, Tries: l.Text("alert.tries", "3")}}
	return []shown{{name: "health", component: templates.Health(good)}, {name: "health-bad", component: templates.Health(bad)}}
}
