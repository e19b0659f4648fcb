package locale

// frenchAlerts has the same keys in French.
var frenchAlerts = map[string]string{
	"alert.critical":     "Alerte",
	"alert.warning":      "Avertissement",
	"alert.seen":         "Vu",
	"alert.seenThis":     "Vu : %s",
	"alert.seenBy":       "Vu par %[1]s, %[2]s",
	"alert.now":          "à l'instant",
	"alert.since":        "depuis %s",
	"alert.open":         "Alertes en cours",
	"alert.unsent":       "Alertes qui n'ont pas pu être transmises",
	"alert.byMail":       "E-mail",
	"alert.byWebhook":    "Webhook",
	"alert.tries":        "Tentatives : %s",
	"alert.floatLow":     "Le solde auprès du service est bas : %s.",
	"alert.floatReserve": "Le solde auprès du service, %[1]s, est sous la réserve de : %[2]s. La vente y continue.",
	"alert.floatRunway":  "Au rythme d'aujourd'hui, le solde dure jusqu'au %s environ.",
	"alert.breakOpen":    "Écarts qui attendent quelqu'un : %[1]s. Jours d'attente du plus ancien : %[2]s.",
	"alert.verifyFailed": "Une vérification des livres a trouvé ce qui ne doit jamais être (%s).",
	"alert.jobFailed":    "Tâches abandonnées : %[1]s, la dernière : %[2]s.",
	"alert.webhookStorm": "%[1]s webhooks ont été refusés en peu de temps (%[2]s). Les faux ne changent rien ; cherchez qui les envoie.",
}
