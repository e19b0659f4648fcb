package locale

// spanishAlerts has the same keys in Spanish.
var spanishAlerts = map[string]string{
	"alert.critical":     "Alerta",
	"alert.warning":      "Aviso",
	"alert.seen":         "Visto",
	"alert.seenThis":     "Visto: %s",
	"alert.seenBy":       "Visto por %[1]s, %[2]s",
	"alert.now":          "ahora mismo",
	"alert.since":        "desde hace %s",
	"alert.open":         "Alertas en curso",
	"alert.unsent":       "Alertas que no se pudieron comunicar",
	"alert.byMail":       "Correo",
	"alert.byWebhook":    "Webhook",
	"alert.tries":        "Intentos: %s",
	"alert.floatLow":     "El saldo en el servicio es bajo: %s.",
	"alert.floatReserve": "El saldo en el servicio, %[1]s, está por debajo de la reserva de: %[2]s. Siguen vendiendo.",
	"alert.floatRunway":  "Al ritmo de hoy, el saldo dura hasta el %s aproximadamente.",
	"alert.breakOpen":    "Diferencias que esperan a alguien: %[1]s. Días que lleva la más antigua: %[2]s.",
	"alert.verifyFailed": "Una comprobación de los libros encontró lo que nunca debe ocurrir (%s).",
	"alert.jobFailed":    "Tareas abandonadas: %[1]s, la última: %[2]s.",
	"alert.webhookStorm": "Se rechazaron %[1]s webhooks en poco tiempo (%[2]s). Los falsos no cambian nada; averigua quién los envía.",
}
