package locale

// arabicBills are the texts of bills and settings.
var arabicBills = map[string]string{
	"bills.choose":       "اختر الفاتورة التي ستُدفع",
	"bills.lookUp":       "البحث عن الفواتير",
	"bills.inFull":       "تُدفع الفاتورة كاملةً.",
	"bills.void":         "لم يعد دفع هذه الفاتورة ممكنًا: تغيّرت البيانات أو مضى وقت طويل على البحث. لم يُحصَّل أي مبلغ. اختر من جديد.",
	"bills.none":         "لا شيء مستحق على هذا الحساب. لم يُحصَّل أي مبلغ.",
	"bills.wrongNumber":  "لا يعرف المزوّد رقم الحساب هذا. لم يُحصَّل أي مبلغ. تحقّق منه مع الزبون.",
	"bills.wrongDetails": "لا يقبل المزوّد هذه البيانات. لم يُحصَّل أي مبلغ. تحقّق منها مع الزبون.",
	"bills.outOfRange":   "لا يمكن دفعها هنا: فقط الفواتير من %[1]s إلى %[2]s.",

	"confirm.note":  "ملاحظة",
	"facts.billRef": "الفاتورة",
}
