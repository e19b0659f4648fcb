package locale

// englishAlerts is what somebody must be told of.
var englishAlerts = map[string]string{
	"alert.critical":     "Alert",
	"alert.warning":      "Warning",
	"alert.seen":         "Seen",
	"alert.seenThis":     "Seen: %s",
	"alert.seenBy":       "Seen by %[1]s, %[2]s",
	"alert.now":          "just now",
	"alert.since":        "for %s",
	"alert.open":         "Alerts that go on",
	"alert.unsent":       "Alerts that could not be told",
	"alert.byMail":       "Mail",
	"alert.byWebhook":    "Webhook",
	"alert.tries":        "Tries: %s",
	"alert.floatLow":     "The float upstream is low: %s.",
	"alert.floatReserve": "The float upstream, %[1]s, is below what is to be in reserve for: %[2]s. They go on selling.",
	"alert.floatRunway":  "At the pace of today the float lasts until about %s.",
	"alert.breakOpen":    "Differences that wait for somebody: %[1]s. Days the oldest has waited: %[2]s.",
	"alert.verifyFailed": "A check of the books found what must never be (%s).",
	"alert.jobFailed":    "Jobs given up on: %[1]s, the last: %[2]s.",
	"alert.webhookStorm": "%[1]s webhooks were refused in a short time (%[2]s). Forged ones change nothing; see who sends them.",
}
