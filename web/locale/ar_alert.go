package locale

// arabicAlerts has the same keys in Arabic.
var arabicAlerts = map[string]string{
	"alert.critical":     "تنبيه عاجل",
	"alert.warning":      "تحذير",
	"alert.seen":         "تم الاطلاع",
	"alert.seenThis":     "تم الاطلاع: %s",
	"alert.seenBy":       "اطلع عليه %[1]s، %[2]s",
	"alert.now":          "الآن",
	"alert.since":        "منذ %s",
	"alert.open":         "تنبيهات قائمة",
	"alert.unsent":       "تنبيهات تعذر إبلاغها",
	"alert.byMail":       "البريد",
	"alert.byWebhook":    "Webhook",
	"alert.tries":        "عدد المحاولات: %s",
	"alert.floatLow":     "رصيد الخدمة منخفض: %s.",
	"alert.floatReserve": "رصيد الخدمة، %[1]s، دون الاحتياطي المحدد لـ: %[2]s. البيع مستمر هناك.",
	"alert.floatRunway":  "بوتيرة اليوم يكفي الرصيد حتى %s تقريبًا.",
	"alert.breakOpen":    "عدد الفروق التي تنتظر من يعالجها: %[1]s؛ أقدمها منذ أيام عددها %[2]s.",
	"alert.verifyFailed": "وجد فحص الدفاتر ما لا يجوز أن يكون (%s).",
	"alert.jobFailed":    "مهام تم التخلي عنها: %[1]s، آخرها: %[2]s.",
	"alert.webhookStorm": "رُفضت %[1]s من رسائل webhook في وقت قصير (%[2]s). المزورة لا تغير شيئًا؛ ابحث عمن يرسلها.",
}
