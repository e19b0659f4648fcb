package locale

// arabicBookFaults has what the books say, by their English format.
var arabicBookFaults = map[string]string{
	"There is no such difference.":                                                              "لا يوجد فرق كهذا.",
	"This difference was dealt with already. Look at it again.":                                 "عولج هذا الفرق من قبل. انظر إليه من جديد.",
	"These two do not make up for one another.":                                                 "هذان الفرقان لا يعوّض أحدهما الآخر.",
	"The balance and the books differ by this. Book it, together with a second person.":         "الرصيد والدفاتر يختلفان بهذا المبلغ. سجّله مع شخص ثان.",
	"Nothing is to be booked for this: the books follow already. Say that it is explained.":     "لا شيء يُسجَّل لهذا: الدفاتر تعكسه بالفعل. قل إنه مفسَّر.",
	"A second person must agree. You proposed it yourself.":                                     "يجب أن يوافق شخص ثان. أنت من اقترحه.",
	"Say why, in a few words.":                                                                  "قل السبب بكلمات قليلة.",
	"A top-up raises the balance, and was paid from the bank or is still owed.":                 "تعبئة الرصيد ترفعه، وقد دُفعت من المصرف أو ما زالت مستحقة.",
	"Give the reference of the payment.":                                                        "اذكر مرجع الدفعة.",
	"Choose the account that takes the other side.":                                             "اختر الحساب المقابل.",
	"Choose how to resolve it.":                                                                 "اختر طريقة حله.",
	"A payment with this reference was entered already.":                                        "أُدخلت دفعة بهذا المرجع من قبل.",
	"This payment was dealt with already.":                                                      "عولجت هذه الدفعة من قبل.",
	"Say whether it is paid or still owed.":                                                     "قل هل دُفعت أم ما زالت مستحقة.",
	"Our own references begin with %s.":                                                         "مراجعنا نحن تبدأ بـ %s.",
	"Give the beginning of its references, at least three characters, and its name.":            "اذكر بداية مراجعه، ثلاثة أحرف على الأقل، واسمه.",
	"This was declared already.":                                                                "أُعلن عن هذا من قبل.",
	"This declaration was dealt with already.":                                                  "عولج هذا الإعلان من قبل.",
	"The upstream's list lacks most of our sales. It is not believed; the next look will tell.": "تنقص قائمةَ الخدمة معظمُ مبيعاتنا. لا نعتمدها؛ الفحص التالي سيبيّن.",
	"The upstream's budget of calls was used up.":                                               "نفدت حصة الاستدعاءات للخدمة.",
	"The upstream could not be looked at.":                                                      "تعذّر الاطلاع على الخدمة.",
	"There is no such statement.":                                                               "لا يوجد كشف كهذا.",

	// Mail.

	"This is no mail address.":                                                     "هذا ليس عنوان بريد إلكتروني.",
	"The mail server did not take the message.":                                    "لم يقبل خادم البريد الرسالة.",
	"No mail server is set up. Whoever runs the till sets SMTP_URL and MAIL_FROM.": "لم يتم إعداد خادم بريد. على من يدير الصندوق ضبط SMTP_URL و MAIL_FROM.",

	// Alerts.

	"This alert is over, or somebody deals with it already.": "انتهى هذا التنبيه، أو يتولاه شخص آخر بالفعل.",
	"The receiver of alerts did not answer.":                 "لم يرد مستقبل التنبيهات.",
	"The receiver of alerts refused the message.":            "رفض مستقبل التنبيهات الرسالة.",
}
