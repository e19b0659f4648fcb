package locale

// arabicJobs are what jobs and their states are called.
var arabicJobs = map[string]string{
	"jobs.name.alertLook":        "البحث عمّا يجب التنبيه إليه",
	"jobs.name.alertSend":        "إرسال تنبيه",
	"jobs.name.approvalSweep":    "حذف الطلبات القديمة إلى المديرين",
	"jobs.name.catalogForget":    "حذف عمليات البحث والمزامنة القديمة",
	"jobs.name.catalogStatus":    "السؤال عن المشغّلين المتعثرين",
	"jobs.name.catalogSync":      "مزامنة الكتالوج",
	"jobs.name.customerSweep":    "نسيان العملاء الذين انقطعوا",
	"jobs.name.ledgerCheckpoint": "جمع الدفاتر",
	"jobs.name.reconcileBalance": "السؤال عن الرصيد",
	"jobs.name.reconcileQuiet":   "مقارنة الرصيد بالدفاتر",
	"jobs.name.reconcileRecords": "مقارنة المبيعات والأدراج بالسجلات",
	"jobs.name.reconcileSweep":   "معرفة مصير المبيعات المفتوحة",
	"jobs.name.reportDeliver":    "إرسال التقارير بالبريد",
	"jobs.name.reportRefresh":    "تحديث التقارير",
	"jobs.name.salesPurge":       "حذف الإيصالات ورموز PIN المنتهية",
	"jobs.name.staffSweep":       "إنهاء الجلسات القديمة",
	"jobs.name.statementClose":   "إقفال كشوف الأيام المنتهية",
	"jobs.name.verifyNightly":    "التحقق من الدفاتر ليلًا",

	"jobs.state.available": "تنتظر دورها",
	"jobs.state.cancelled": "أُلغيت",
	"jobs.state.completed": "تمّت",
	"jobs.state.discarded": "تُركت",
	"jobs.state.pending":   "معلّقة",
	"jobs.state.retryable": "ستُعاد المحاولة",
	"jobs.state.running":   "جارية",
	"jobs.state.scheduled": "لاحقًا",
}
