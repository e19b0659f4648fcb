package locale

// arabicFaults has what the rooms say, by their English format.
var arabicFaults = map[string]string{
	// The catalogue.

	"There is no product list yet: the transfer service has not answered. Nothing can be sold. Try again in a minute.": "لا توجد قائمة منتجات بعد: لم تجب خدمة الشحن. لا يمكن بيع أي شيء. حاول من جديد بعد دقيقة.",
	"Enter an amount to pay or an amount to be received.":                                                              "اكتب مبلغًا يُدفع أو مبلغًا يُستلم.",
	"The price could not be checked. Nothing was charged. Try again in a moment.":                                      "تعذّر التحقق من السعر. لم يُخصم شيء. حاول من جديد بعد لحظة.",
	"The provider does not take this amount. Choose another.":                                                          "المشغّل لا يقبل هذا المبلغ. اختر غيره.",
	"There is no product %s.": "لا يوجد منتج %s.",
	"An account number has digits only. Remove the letters, or search for the customer by name.":                    "رقم الحساب أرقام فقط. احذف الحروف، أو ابحث عن العميل باسمه.",
	"An account number has digits only. Remove the other signs.":                                                    "رقم الحساب أرقام فقط. احذف العلامات الأخرى.",
	"Enter the account number, then press Enter.":                                                                   "اكتب رقم الحساب ثم اضغط مفتاح الإدخال.",
	"This number is too long. Enter one number of at most %d digits.":                                               "هذا الرقم طويل جدًا. اكتب رقمًا واحدًا لا يتجاوز %s خانة.",
	"This number is too short. Enter all its digits.":                                                               "هذا الرقم قصير جدًا. اكتب كل أرقامه.",
	"Enter an amount from %s to %s.":                                                                                "اكتب مبلغًا من %s إلى %s.",
	"Enter the amount in %s.":                                                                                       "اكتب المبلغ بعملة %s.",
	"This till takes %s, and this product costs %s. Finance or an administrator must enter an exchange rate first.": "هذا الصندوق يقبض بعملة %s وثمن هذا المنتج %s. على المالية أو مدير النظام إدخال سعر صرف أولًا.",
	"This is needed.":                          "هذا مطلوب.",
	"This is too long: at most %d characters.": "هذا طويل جدًا: %s حرفًا على الأكثر.",
	"This has characters that cannot be sent.": "فيه رموز لا يمكن إرسالها.",
	"Type a whole number.":                     "اكتب عددًا صحيحًا.",
	"Type a whole number from %d to %d.":       "اكتب عددًا صحيحًا من %s إلى %s.",
	"Type %d digits.":                          "اكتب %s أرقام.",
	"Type %d to %d digits.":                    "اكتب من %s إلى %s أرقام.",
	"Type a date as %s.":                       "اكتب تاريخًا بصيغة %s.",
	"Type it in the form %s.":                  "اكتبه بالصيغة %s.",

	// The sale.

	"Say whether the transfer was carried out or not.":                                                                                               "اذكر ما إذا كان التحويل قد نُفذ أم لا.",
	"The cash is less than the price. Nothing was sold.":                                                                                             "النقد أقل من السعر. لم يُبع شيء.",
	"That is more cash than anybody gives for this. Nothing was sold.":                                                                               "هذا نقد أكثر مما يدفعه أحد مقابل ذلك. لم يُبع شيء.",
	"Say how you know. Whoever confirms it has to judge by that.":                                                                                    "اذكر كيف عرفت ذلك. من يؤكده سيحكم بناءً عليه.",
	"This sale is not for people to decide, or not yet.":                                                                                             "هذه العملية لا يقررها الأشخاص، أو ليس بعد.",
	"Somebody else has proposed something for this sale. Decide that first.":                                                                         "اقترح شخص آخر حلًا لهذه العملية. قرّروا بشأنه أولًا.",
	"You proposed this yourself. A second person has to confirm it.":                                                                                 "أنت من اقترح ذلك. يجب أن يؤكده شخص ثانٍ.",
	"One of you two was added, or given a role or a password, by the other or by the same person within the last 24 hours. Somebody else must sign.": "أُضيف أحدكما، أو مُنح دوراً أو كلمة مرور، من الآخر أو من الشخص نفسه خلال آخر 24 ساعة. يجب أن يوقّع شخص آخر.",
	"Sign in again first: what two people sign needs a password typed just now.":                                                                     "سجّل الدخول من جديد أولًا: ما يوقّعه شخصان يحتاج إلى كلمة مرور كُتبت للتو.",
	"Nothing is proposed for this sale any more. Look at it again.":                                                                                  "لم يعد هناك اقتراح لهذه العملية. انظر إليها من جديد.",
	"The audit trail is signed, and the key is not here: set VAULT_KEY_FILE as it is for web serve.":                                                 "سجل التدقيق موقَّع والمفتاح ليس هنا: عيّن VAULT_KEY_FILE كما هو لأمر web serve.",

	"There is no such limit.":                                   "لا يوجد حد كهذا.",
	"This limit is an amount.":                                  "هذا الحد مبلغ.",
	"An amount needs its currency, like EUR; a count has none.": "المبلغ يحتاج إلى عملته، مثل EUR، أما العدد فلا عملة له.",

	"Choose the shop that leaves so much of the float to the others.":                                                  "اختر المتجر الذي يترك هذا القدر من الرصيد للمتاجر الأخرى.",
	"This shop has used up what it may use of the float today. Nothing was sold. Do not take cash. Tell your manager.": "استعمل هذا المتجر اليوم كل ما يحق له من الرصيد. لم يُبع شيء. لا تأخذ نقودًا. أخبر مديرك.",
	"What is left of the float is kept for other shops. Nothing was sold. Do not take cash. Tell your manager.":        "ما تبقى من الرصيد محفوظ لمتاجر أخرى. لم يُبع شيء. لا تأخذ نقودًا. أخبر مديرك.",

	"Name a provider or a product.":   "اذكر مزودًا أو منتجًا.",
	"The send mode is wait or defer.": "طريقة الإرسال هي wait أو defer.",

	"The upstream's list may still tell. Nobody decides before 45 days have passed.":                                  "قد تبيّن قائمة الخدمة ذلك بعد. لا أحد يقرر قبل مرور 45 يومًا.",
	"An earlier attempt of this sale was carried out after all. It is not sent again.":                                "تبيّن أن محاولة سابقة لهذه العملية نُفذت. لن تُرسل مرة أخرى.",
	"The transfer service still owes its money back for this sale. Make a new sale.":                                  "ما زالت خدمة التحويل مدينة بمال هذه العملية. سجّل عملية بيع جديدة.",
	"This sale cannot be cancelled any more. Look at it again.":                                                       "لم يعد بالإمكان إلغاء هذه العملية. انظر إليها من جديد.",
	"The transfer service could not be asked. Nothing was changed. Try again in a moment.":                            "تعذّر سؤال خدمة التحويل. لم يتغير شيء. حاول مرة أخرى بعد لحظة.",
	"The transfer service does not list this sale just now. Nothing was changed. Try again in a moment.":              "خدمة التحويل لا تُظهر هذه العملية الآن. لم يتغير شيء. حاول مرة أخرى بعد لحظة.",
	"The transfer service asks to wait. Try again in %d s, or give the cash back.":                                    "تطلب خدمة التحويل الانتظار. حاول مرة أخرى بعد %s ث، أو أعد المال.",
	"The float is used up. Nothing was sold. Do not take cash. Selling goes on by itself as soon as it is topped up.": "نفد الرصيد. لم يُبع شيء. لا تأخذ نقودًا. يعود البيع تلقائيًا بعد شحن الرصيد.",
	"No refund is due on this sale.":                                      "لا يوجد ما يُعاد عن هذه العملية.",
	"Only a batch transfer can be cancelled.":                             "لا يمكن إلغاء سوى التحويلات المجمّعة.",
	"The cash of this sale has been given back. Make a new sale.":         "أُعيدت نقود هذه العملية. أجرِ عملية بيع جديدة.",
	"The cash of this sale was given back already. Do not give it twice.": "سبق أن أُعيدت نقود هذه العملية. لا تعدها مرتين.",

	"This sale has no PIN.":                                                                             "ليس لهذه العملية رمز PIN.",
	"This sale may not be sent any more.":                                                               "لم يعد يمكن إرسال هذه العملية.",
	"It is too late to cancel: the sale has been sent.":                                                 "فات أوان الإلغاء: أُرسلت العملية.",
	"Open a shift first.":                                                                               "افتح وردية أولًا.",
	"Open a shift first: the cash must come out of a drawer.":                                           "افتح وردية أولًا: يجب أن تخرج النقود من درج.",
	"This PIN was shown before. Say why it is shown again.":                                             "سبق عرض رمز PIN هذا. اذكر سبب عرضه مرة أخرى.",
	"This sale has moved on meanwhile. Look at it again.":                                               "تغيّرت حالة هذه العملية في الأثناء. انظر إليها من جديد.",
	"%s is needed for this product.":                                                                    "هذا المنتج يحتاج إلى: %s.",
	"%s is not taking transfers right now. Nothing was sold. Do not take cash.":                         "%s لا يستقبل التحويلات الآن. لم يُبع شيء. لا تأخذ نقودًا.",
	"Choose the bill to pay first.":                                                                     "اختر أولًا الفاتورة التي ستُدفع.",
	"No shift is open at this till. Open one first. Nothing was sold.":                                  "لا توجد وردية مفتوحة في هذا الصندوق. افتح واحدة أولًا. لم يُبع شيء.",
	"The account number must be digits. Look it up again.":                                              "يجب أن يكون رقم الحساب أرقامًا. ابحث عنه من جديد.",
	"The amount must be more than zero.":                                                                "يجب أن يكون المبلغ أكبر من صفر.",
	"This page is too old. Look the number up again. Nothing was sold.":                                 "هذه الصفحة قديمة جدًا. ابحث عن الرقم من جديد. لم يُبع شيء.",
	"This till takes %s, and this product is priced in %s. A manager must set a price rule.":            "هذا الصندوق يقبض بعملة %s وسعر هذا المنتج بعملة %s. على المدير أن يحدد قاعدة تسعير.",
	"There is no such sale.":                                                                            "لا توجد عملية كهذه.",
	"The float is too low for this sale. Nothing was sold. Do not take cash. Tell your manager.":        "الرصيد لا يكفي لهذه العملية. لم يُبع شيء. لا تأخذ نقودًا. أخبر مديرك.",
	"The shift at this till was closed. Open a new one first. Nothing was sold.":                        "أُغلقت وردية هذا الصندوق. افتح وردية جديدة أولًا. لم يُبع شيء.",
	"The till is restarting. Nothing was sold. Try again in a moment.":                                  "الصندوق يعيد التشغيل. لم يُبع شيء. حاول من جديد بعد لحظة.",
	"This page has already been used for another sale. Look the number up again. Nothing new was sold.": "سبق استخدام هذه الصفحة لعملية أخرى. ابحث عن الرقم من جديد. لم يُبع شيء جديد.",
	"This sale was not sent, so there is no receipt.":                                                   "لم تُرسل هذه العملية، فلا إيصال لها.",
	"Show the PIN on the sale's page first, then print. Every showing is kept on record.":               "اعرض رمز PIN في صفحة العملية أولًا ثم اطبع. كل عرض يُسجَّل.",
	"The amount or a detail of this product is not right. Nothing was charged. Go back and check it.":   "المبلغ أو إحدى بيانات هذا المنتج غير صحيحة. لم يُخصم شيء. ارجع وراجعها.",
	"This product is no longer sold. Nothing was charged. Look the number up again.":                    "لم يعد هذا المنتج يُباع. لم يُخصم شيء. ابحث عن الرقم من جديد.",
	"This operator is no longer offered. Look the number up again.":                                     "لم يعد هذا المشغّل متاحًا. ابحث عن الرقم من جديد.",
	"This product is no longer sold. Choose another.":                                                   "لم يعد هذا المنتج يُباع. اختر غيره.",

	// The till and its shop.

	"A shift is open at this till already.":                          "توجد وردية مفتوحة في هذا الصندوق.",
	"Your shop has no till.":                                         "ليس في متجرك صندوق.",
	"Your shop has no till yet. Ask an administrator to set one up.": "ليس في متجرك صندوق بعد. اطلب من المسؤول أن يجهّز واحدًا.",
	"There is no such till.":                                         "لا يوجد صندوق كهذا.",
	"There is no such shop.":                                         "لا يوجد متجر كهذا.",
	"Give the shop a name.":                                          "سمِّ المتجر.",
	"There is a shop named %q already. Choose another name.":         "يوجد متجر باسم «%s». اختر اسمًا آخر.",
	"A shop has between 1 and %d tills.":                             "للمتجر بين 1 و%s من الصناديق.",
	"%q is no currency. Write three letters like EUR.":               "«%s» ليست عملة. اكتب ثلاثة حروف مثل EUR.",
	"There is no country %q. Write two letters like IE.":             "لا يوجد بلد «%s». اكتب حرفين مثل IE.",
	"There is no time zone %q. Write it like Europe/Dublin.":         "لا توجد منطقة زمنية «%s». اكتبها مثل Europe/Dublin.",

	// People, their passwords and sessions.

	"The username or the password is wrong.":                                                                    "اسم المستخدم أو كلمة المرور غير صحيحة.",
	"Too many tries. Try again in %d s.":                                                                        "محاولات كثيرة. حاول من جديد بعد %s ث.",
	"Too many people are signing in just now. Try again in a moment.":                                           "كثيرون يسجّلون الدخول الآن. حاول من جديد بعد لحظة.",
	"The password has bytes that are no characters. Type it again.":                                             "في كلمة المرور ما ليس حروفًا. اكتبها من جديد.",
	"The password is too long: use at most %d characters.":                                                      "كلمة المرور طويلة جدًا: استخدم %s حرفًا على الأكثر.",
	"The password is too short: use at least %d characters. A few unusual words in a row are easy to remember.": "كلمة المرور قصيرة جدًا: استخدم %s حرفًا على الأقل. بضع كلمات غير شائعة متتالية يسهل تذكرها.",
	"This password is among the first that others would guess. Use a few unusual words.":                        "كلمة المرور هذه من أول ما يخمّنه الآخرون. استخدم بضع كلمات غير شائعة.",
	"Write a username.": "اكتب اسم مستخدم.",
	"The username is too long: %d characters are the most.":                                           "اسم المستخدم طويل جدًا: الحد %s حرفًا.",
	"A username begins with a letter or a digit and has only letters, digits and . _ - @, no spaces.": "يبدأ اسم المستخدم بحرف أو رقم، وليس فيه إلا حروف وأرقام و . _ - @ بلا مسافات.",
	"The username %q is taken. Choose another.":                                                       "اسم المستخدم «%s» محجوز. اختر غيره.",
	"%s has a character that cannot be printed. Write it on one line, without tabs.":                  "%s: هناك حرف لا يمكن طباعته. اكتبه في سطر واحد دون علامات جدولة.",
	"%s is too long: %d characters are the most.":                                                     "%s: طويل جدًا، الحد %s حرفًا.",
	"%q is not a language. Write it like en-IE, es or ar.":                                            "«%s» ليست لغة. اكتبها مثل en-IE أو es أو ar.",
	"This is the last admin. Make another user an admin first.":                                       "هذا آخر مسؤول. اجعل مستخدمًا آخر مسؤولًا أولًا.",
	"You cannot change your own role. Ask another admin.":                                             "لا يمكنك تغيير دورك بنفسك. اطلب من مسؤول آخر.",
	"You cannot disable yourself. Ask another admin.":                                                 "لا يمكنك تعطيل نفسك. اطلب من مسؤول آخر.",
	"A %s belongs to a shop. Name the shop.":                                                          "الدور %s يتبع متجرًا. اذكر المتجر.",
	"The role %s sees every shop and belongs to none. Leave the shop empty.":                          "الدور %s يرى كل المتاجر ولا يتبع أيًا منها. اترك المتجر فارغًا.",
	"There is no role %q. The roles are %s.":                                                          "لا يوجد دور «%s». الأدوار هي %s.",
	"There is no such user.":                                                                          "لا يوجد مستخدم كهذا.",

	// The database and the browser.

	"The till cannot reach its database. Nothing was changed. Try again in a moment.":           "لا يستطيع الصندوق الوصول إلى قاعدة بياناته. لم يتغير شيء. حاول من جديد بعد لحظة.",
	"The till lost its database while saving. Look the sale up before you do it again.":         "فقد الصندوق قاعدة بياناته أثناء الحفظ. ابحث عن العملية قبل أن تعيدها.",
	"The form could not be read. Nothing was changed. Go back and try again.":                   "تعذّرت قراءة النموذج. لم يتغير شيء. ارجع وحاول من جديد.",
	"This came from another site. Nothing was changed. Open the till itself and try again.":     "جاء هذا من موقع آخر. لم يتغير شيء. افتح الصندوق نفسه وحاول من جديد.",
	"This form is out of date. Nothing was changed. Go back, load the page anew and try again.": "انتهت صلاحية هذا النموذج. لم يتغير شيء. ارجع وحمّل الصفحة من جديد ثم حاول.",
	"This till does not speak that language. Choose one of the list.":                           "هذا الصندوق لا يتحدث تلك اللغة. اختر واحدة من القائمة.",

	// Customers and favourites.

	"Type the customer's name, with one letter at least.":                                  "اكتب اسم العميل، وفيه حرف واحد على الأقل.",
	"Type the customer's whole number.":                                                    "اكتب رقم العميل كاملًا.",
	"The shop %s has %d favourites already. Take one away there first.":                    "في المتجر %s عدد %s من المفضلات بالفعل. احذف واحدة هناك أولًا.",
	"There is a customer of that name already. Choose another, such as one with a street.": "يوجد عميل بهذا الاسم. اختر اسمًا آخر، مع الشارع مثلًا.",
	"This customer is no longer in the book.":                                              "لم يعد هذا العميل في الدفتر.",
	"The name has signs that cannot be kept. Type it again.":                               "في الاسم علامات لا يمكن حفظها. اكتبه من جديد.",
	"The name is too long: use at most %d characters.":                                     "الاسم طويل جدًا: الحد %s حرفًا.",

	// Bills.

	"The provider does not take these details. Nothing was charged. Check them with the customer.":                "المشغّل لا يقبل هذه البيانات. لم يُخصم شيء. راجعها مع العميل.",
	"The provider does not know this account number. Nothing was charged. Check it with the customer.":            "المشغّل لا يعرف رقم الحساب هذا. لم يُخصم شيء. راجعه مع العميل.",
	"The bills could not be looked up: the provider does not answer. Nothing was charged. Try again in a moment.": "تعذّر البحث عن الفواتير: المشغّل لا يجيب. لم يُخصم شيء. حاول من جديد بعد لحظة.",

	// Reports.

	"These cannot be combined: what was sold is not kept by person and product at once. Leave one of them out, or open the sales themselves.": "لا يمكن الجمع بين هذين: لا تُحفظ المبيعات بحسب الشخص والمنتج معًا. اترك أحدهما، أو افتح العمليات نفسها.",
	"The period is too long: at most ten years, from 2020 on.":                                                                                "الفترة طويلة جدًا: عشر سنوات على الأكثر، ابتداءً من 2020.",
	"A period of more than %d days is split by month, not by day.":                                                                            "الفترة التي تتجاوز %s يومًا تُقسَّم بالأشهر لا بالأيام.",
	"There is no grouping %q.":          "لا يوجد تجميع «%s».",
	"The period ends before it begins.": "تنتهي الفترة قبل أن تبدأ.",

	// PINs and approvals.

	"Sign in with your password.":                                          "ادخل بكلمة مرورك.",
	"The password is wrong.":                                               "كلمة المرور خاطئة.",
	"Choose a password of your own first.":                                 "اختر أولاً كلمة مرور خاصة بك.",
	"This is the password you have. Choose another.":                       "هذه كلمة المرور الحالية. اختر غيرها.",
	"A PIN has %d to %d digits.":                                           "الرمز السري من %s إلى %s أرقام.",
	"This PIN is among the first that others would guess. Choose another.": "هذا الرمز من أول ما قد يخمنه الآخرون. اختر غيره.",
	"This PIN is wrong.":                                                   "هذا الرمز خاطئ.",
	"Say who you are, then type the PIN again.":                            "قل من أنت ثم اكتب الرمز من جديد.",
	"Choose who approves it.":                                              "اختر من يوافق عليه.",
	"This device is not trusted.":                                          "هذا الجهاز غير موثوق.",
	"There is no such request.":                                            "لا يوجد طلب كهذا.",
	"Somebody else must approve what you asked for.":                       "يجب أن يوافق شخص آخر على ما طلبته.",
	"This was decided already, or it is too late. Nothing was changed.":    "بُتّ في هذا من قبل أو فات الأوان. لم يتغير شيء.",

	// Tills and drawers.

	"The shift at this till was closed. Open a new one first. Nothing was done.": "أُغلقت وردية هذا الصندوق. افتح وردية جديدة أولًا. لم يُنفَّذ شيء.",
	"There is no such shift.":                                                   "لا توجد هذه الوردية.",
	"This page is too old. Load it anew. Nothing was booked.":                   "هذه الصفحة قديمة. أعد تحميلها. لم يُسجَّل شيء.",
	"Say whether the cash goes in or out.":                                      "حدّد هل تدخل النقود أم تخرج.",
	"Say what the cash is for.":                                                 "اذكر الغرض من النقود.",
	"Say it in %d characters.":                                                  "اختصره في %s حرفًا.",
	"This much cash leaves the drawer only with a manager. Nothing was booked.": "لا يخرج هذا القدر من النقود من الدرج إلا بموافقة مدير. لم يُسجَّل شيء.",
	"This drawer holds %s.":                                                     "هذا الدرج بعملة %s.",
	"This page has already been used for something else. Load it anew. Nothing new was booked.": "استُخدمت هذه الصفحة لشيء آخر. أعد تحميلها. لم يُسجَّل شيء جديد.",
	"This page is too old. Load it anew. Nothing was closed.":                                   "هذه الصفحة قديمة. أعد تحميلها. لم يُغلق شيء.",
	"This shift was closed already. Nothing was changed.":                                       "أُغلقت هذه الوردية من قبل. لم يتغير شيء.",
	"No more can stay in the drawer than was counted.":                                          "لا يمكن أن يبقى في الدرج أكثر مما عُدّ.",
	"A number of notes or coins cannot be right. Check it and count again.":                     "عدد أوراق أو عملات غير معقول. تحقق منه وأعد العدّ.",
	"That is more cash than a drawer can hold. Check what you typed.":                           "هذا أكثر مما يتسع له درج. تحقق مما كتبت.",
	"A drawer cannot hold less than nothing.":                                                   "لا يمكن أن يحوي الدرج أقل من لا شيء.",
	"This shift has no report yet. It is still open.":                                           "لا تقرير لهذه الوردية بعد، فهي ما زالت مفتوحة.",
	"This is the shift of another till. Only who is in charge may close it.":                    "هذه وردية صندوق آخر. لا يغلقها إلا المسؤول.",
	"This product cannot be practised. Choose another.":                                         "لا يمكن التدرب على هذا المنتج. اختر غيره.",
	"This page is from before the till was restored, so it may have been sent already. Nothing was sold. Ask the customer, then look the number up again.": "هذه الصفحة من قبل استعادة الصندوق، فربما أُرسلت من قبل. لم يُبَع شيء. اسأل الزبون ثم ابحث عن الرقم من جديد.",
	"This sale is from before the till was restored, so it may have been sent again already. Give the cash back, or ask the customer and make a new sale.": "هذه العملية من قبل استعادة الصندوق، فربما أُعيد إرسالها من قبل. أعد المال، أو اسأل الزبون وأجرِ عملية جديدة.",
	"The till's database was restored, so selling is stopped. Nothing was sold. Do not take cash. Tell your administrator.":                                "استُعيدت قاعدة بيانات الصندوق، لذا توقف البيع. لم يُبَع شيء. لا تقبض مالًا. أخبر المسؤول.",

	// Papers and printers.

	"Choose the width of the paper and its columns.": "اختر عرض الورق وعدد أعمدته.",
	"There is no such print.":                        "لا توجد هذه الطباعة.",
	"The printer bridge is an address on this machine, such as http://127.0.0.1:9101/print.": "جسر الطابعة عنوان على هذا الجهاز، مثل http://127.0.0.1:9101/print.",
	"Somebody else is printing this just now. Try again.":                                    "يطبعه شخص آخر الآن. حاول مرة أخرى.",
	"This page is too old. Load it anew. Nothing was printed.":                               "هذه الصفحة قديمة. أعد تحميلها. لم يُطبع شيء.",
}
