package templates_test

import (
	"net/http"
	"strconv"
	"time"

	"airtill/internal/catalog"
	"airtill/internal/money"
	"airtill/web/locale"
	"airtill/web/templates"
)

// gallery is every page in every state worth looking at.
func gallery(l locale.Locale) []shown {
	pages := counterPages(l)
	pages = append(pages, offerPages(l)...)
	pages = append(pages, confirmPages(l)...)
	pages = append(pages, outcomePages(l)...)
	pages = append(pages, officePages(l)...)
	pages = append(pages, tillPages(l)...)
	pages = append(pages, reportPages(l)...)
	pages = append(pages, bookPages(l)...)
	pages = append(pages, healthPages(l)...)
	return append(pages, barePages(l)...)
}

func counterPages(l locale.Locale) []shown {
	f := frame(l, "/counter")
	stopped, practice, closed := f, f, f
	stopped.Stopped = "No word from the transfer service since 14:02. Selling has stopped. Do not take cash."
	stopped.Prices.Old = true
	practice.Practice = true
	closed.Shift, closed.Waiting = templates.Shift{}, 0
	never := closed
	never.Prices = templates.Prices{}
	return []shown{
		{name: "counter", component: templates.Counter(templates.CounterPage{Frame: f, Recent: recent()})},
		{name: "counter-empty", component: templates.Counter(templates.CounterPage{Frame: practice})},
		{name: "counter-refused", component: templates.Counter(templates.CounterPage{
			Frame: stopped, Typed: hostile, Problem: "This number is too short. Enter all its digits.", Recent: recent(),
		})},
		{name: "open-shift", component: templates.OpenShift(templates.OpenShiftPage{Frame: closed, Key: "01J0KEY", Currency: "EUR", Piles: piles()})},
		{name: "open-shift-refused", component: templates.OpenShift(templates.OpenShiftPage{
			Frame: closed, Currency: "EUR", Typed: "-5", Problem: "An amount cannot be negative.",
		})},
		{name: "nothing-to-sell", component: templates.NothingToSell(never)},
	}
}

func offerPages(l locale.Locale) []shown {
	f := frame(l, "/counter")
	hidden := []templates.HiddenField{{Name: "number", Value: "2348035550142"}}
	t := trail(lagos(), "+234 803 555 0142", "")
	amounts := templates.AmountForm{
		PayMin: euro("1.00"), PayMax: euro("100.00"), ReceiveMin: naira("1384"), ReceiveMax: naira("138450"),
		Common: []money.Amount{euro("5"), euro("10"), euro("20"), euro("50")},
	}
	quoted, refused := amounts, amounts
	quoted.Pay, quoted.Quote = "12.50", &templates.Quote{Pay: euro("12.50"), Receive: naira("17306"), ReceiveNet: some(naira("16008.05")), Nearest: "The nearest amount the provider can send."}
	refused.Receive, refused.ReceiveProblem = "1e21", "Enter the amount in digits, such as 10.50."
	details := templates.DetailsPage{Frame: f, Trail: t, Hidden: hidden, Product: "Any amount"}
	typed, bad, bill := details, details, details
	details.Range, typed.Range, bad.Range = &amounts, &quoted, &refused
	bill.Product, bill.NeedsBill, bill.Changed = "Prepaid electricity", true, true
	bill.Settings = []templates.SettingField{{Name: "Meter №", Label: "Meter number", Value: hostile, Required: true, Problem: "A meter number has 11 digits."}}
	bill.Bills = []templates.Bill{
		{ID: "B1", Price: euro("42.10"), Lines: []templates.Line{{"Customer", "M. Okafor"}, {"Due", "31 March"}}},
		{ID: "B2", Price: euro("17.00"), Lines: []templates.Line{{"Arrears", hostile}}},
		{ID: "B3", Price: euro("1700.00"), Unpayable: "Only bills from €1.00 to €300.00 can be paid here."},
	}
	return []shown{
		{name: "choose-operator", component: templates.ChooseOperator(templates.ChooseOperatorPage{
			Frame: f, Trail: trail(templates.Operator{}, "+234 803 555 0142", ""), Hidden: hidden, CountryURL: "/counter?number=1&country=", Why: "More than one operator may have this number. Ask the customer.",
			Candidates: []templates.Operator{lagos(), {Code: "2", Name: "Palmwire", ISO: "NG", Country: "Nigeria"}, {Code: "3", Name: hostile, ISO: "ZZ", Country: "Nigeria"}},
		})},
		{name: "choose-country", component: templates.ChooseCountry(templates.ChooseCountryPage{
			Frame: f, Trail: trail(templates.Operator{}, "99 123", ""), Hidden: hidden,
			Common: countries()[:4], All: countries(), Sold: true,
		})},
		{name: "choose-instead", component: templates.ChooseOperator(templates.ChooseOperatorPage{
			Frame: f, Trail: trail(templates.Operator{}, "+234 803 555 0142", ""), Hidden: hidden, Why: hostile, Candidates: []templates.Operator{lagos()}, Countries: countries(),
		})},
		{name: "counter-slip", component: templates.Counter(templates.CounterPage{
			Frame: f, Typed: "08712345678", Problem: "One digit too many for an Irish mobile: 10 digits, this has 11.", Recent: recent(),
			Readings: []templates.Reading{{Operator: lagos(), URL: "/counter?number=08712345678&provider=1"}}, InsistURL: "/counter?number=08712345678&country=%3F",
		})},
		{name: "offers", component: templates.Offers(templates.OffersPage{Frame: f, Trail: t, Hidden: hidden, Groups: offers(), OperatorURL: "/counter?number=1&provider="})},
		{name: "offers-trouble", component: templates.Offers(templates.OffersPage{
			Frame: f, Trail: t, Hidden: hidden, Groups: offers()[:1],
			Trouble: "Kora Mobile has trouble just now. Sales may be refused before any money is taken.",
		})},
		{name: "offers-none", component: templates.Offers(templates.OffersPage{Frame: f, Trail: t, Hidden: hidden, Query: hostile})},
		{name: "offers-many", component: templates.Offers(templates.OffersPage{Frame: f, Trail: t, Hidden: hidden, Groups: manyOffers(600)})},
		{name: "details", component: templates.Details(details)},
		{name: "details-quote", component: templates.Details(typed)},
		{name: "details-refused", component: templates.Details(bad)},
		{name: "details-bill", component: templates.Details(bill)},
	}
}

func manyOffers(n int) []templates.OfferGroup {
	group := templates.OfferGroup{Kind: catalog.KindData}
	for i := range n {
		group.Offers = append(group.Offers, templates.Offer{
			SKU: "S" + strconv.Itoa(i), Name: strconv.Itoa(i+1) + " GB", Validity: "30 days", Price: money.Of(int64(i+1)*1_000_000, "EUR"),
		})
	}
	return []templates.OfferGroup{group}
}

func countries() []templates.Country {
	return []templates.Country{
		{"IE", "Ireland"},
		{"NG", "Nigeria"},
		{"PH", "Philippines"},
		{"MX", "Mexico"},
		{"BR", "Brazil"},
		{"CU", "Cuba"},
		{"EG", "Egypt"},
		{"GH", "Ghana"},
		{"IN", "India"},
		{"KE", "Kenya"},
		{"PL", "Poland"},
		{"RO", "Romania"},
		{"UA", "Ukraine"},
	}
}

func confirmPages(l locale.Locale) []shown {
	plain := confirmPage(l)
	changed, same, blocked, full := plain, plain, plain, plain
	changed.Changed = some(euro("3.20"))
	same.Same = "A 5,000 NGN top-up to this number was sent at 14:02 from till 2."
	blocked.Blocked = "We don't know yet if the sale of 14:02 to this number went through. Do not sell it again."
	full.Fee, full.Price, full.Total = some(euro("0.50")), euro("42.10"), euro("42.60")
	full.Settings = []templates.Line{{"Meter number", "4512 8830 117"}, {"Bill", "March 2026, " + hostile}}
	full.Redeem = "Dial *123# followed by the PIN and #, then press the call key."
	full.Problem = "This provider stopped selling a moment ago. No money was taken."
	return []shown{
		{name: "confirm", component: templates.Confirm(plain)},
		{name: "confirm-changed", component: templates.Confirm(changed)},
		{name: "confirm-same", component: templates.Confirm(same)},
		{name: "confirm-blocked", component: templates.Confirm(blocked)},
		{name: "confirm-full", component: templates.Confirm(full)},
	}
}

func outcomePages(l locale.Locale) []shown {
	var pages []shown
	add := func(name string, o templates.Outcome) {
		pages = append(pages, shown{name: "outcome-" + name, component: templates.OutcomeOf(outcomePage(l, o))})
	}
	recorded := outcome(l, "recorded")
	recorded.CanCancel, recorded.Elapsed = true, 0
	add("recorded", recorded)
	for _, state := range []string{"sending", "submitted", "processing", "cancelling", "cancelled"} {
		add(state, outcome(l, state))
	}
	complete := outcome(l, "complete")
	complete.Facts.TransferRef, complete.Facts.ProviderRef, complete.Facts.ReceiptText = "863785357", "9911-22", "Thank you.\nDial *100# for your balance. "+hostile
	complete.Facts.Description = templates.Prose("Credit for **calls** and texts. " + hostile)
	complete.Facts.ReadMore = templates.Prose("- valid in Ireland\n- [terms](https://example.org/terms)\n- [bad](javascript:alert(1))")
	add("complete", complete)
	for name, value := range map[string]string{"pin": "482915503377", "pin-masked": ""} {
		pin := complete
		pin.PIN = &templates.PIN{
			Value: value, Masked: "•••• •••• 3377", RevealURL: "/sales/01J0SALE/reveal", AskReason: true,
			Serial: "SN-0099120034", Expiry: l.Date(noon.AddDate(1, 0, 0)),
		}
		add(name, pin)
	}
	unprinted := complete
	unprinted.Printed = "Sent, but the receipt did not print. Print again."
	add("unprinted", unprinted)
	unknown := outcome(l, "unknown")
	unknown.Elapsed, unknown.NextCheck = 12, 9
	add("unknown", unknown)
	failed := outcome(l, "failed")
	failed.GiveBack, failed.CanRetry = some(euro("10.30")), true
	failed.Reason, failed.Advice, failed.Code = "The number is not known to Shannon Mobile.", "Check the number with the customer.", "AccountNumberInvalid / ProviderRefusedRequest"
	add("failed", failed)
	voided := outcome(l, "voided")
	voided.Problem = "The cash of this sale was already given back at 14:05."
	add("voided", voided)
	manager := unknown
	manager.Approvals = []templates.Approval{{Act: "refund", Why: "Give the cash back before the outcome is known.", Button: "Give the cash back now", May: true}}
	add("manager", manager)
	pages = append(pages, shown{name: "verdicts", component: templates.Verdicts(templates.VerdictsPage{Frame: frame(l, "/reconcile/verdicts"), Cases: []templates.VerdictCase{
		{ID: "01J0A", Account: "+353 87 123 4567", Operator: shannon(), Product: "Top-up 10", Price: "€10.30", At: noon, Shop: "Camden Street", Ref: "AT0101J0A", MayOpen: true, MaySign: true},
		{ID: "01J0B", Operator: lagos(), Product: hostile, Price: "€4.20", At: noon, Shop: "Camden Street", Ref: "AT0101J0B", MaySign: true, Proposal: &templates.VerdictProposal{Verdict: "It did not go through", Reason: hostile, By: "Nora", At: noon}},
	}})})
	return pages
}

func officePages(l locale.Locale) []shown {
	f := frame(l, "/sales")
	rows := saleRows()
	list := templates.SalesPage{Frame: f, Day: noon, Rows: rows, Sent: 41, Count: 45, Taken: []money.Amount{euro("512.40"), naira("17306")}, Open: []money.Amount{euro("30.90")}, Owed: []money.Amount{euro("10.30")}, MoreURL: "/sales?before=1"}
	boss := frame(l, "/")
	boss.Till, boss.User = "", "Nora"
	boss.May = templates.Permissions{Sell: true, Today: true, Sales: true, Shift: true, Reports: true, Reconcile: true, Admin: true}
	lead := boss
	lead.Till, lead.User = "Till 1", "manager"
	lead.May.Reconcile, lead.May.Admin = false, false
	figures := []templates.Figure{
		{Name: "Sales today", Value: l.Amount(euro("1512.40")), Note: "118 sent, Friday before: 97", URL: "/sales", Large: true},
		{Name: "Success rate", Value: "98.3%", Note: "2 not sent", Tone: "good"},
		{Name: "Waiting", Value: "2", URL: "/sales?state=waiting", Tone: "wait"},
		{Name: "Cash in tills", Value: l.Amount(euro("842.15"))},
		{Name: "Float", Value: l.Amount(euro("3120.08")), Note: "lasts until about 16:40", Tone: "bad"},
		{Name: "Prices as of", Value: l.Time(noon)},
	}
	pages := []shown{
		{name: "sales", component: templates.Sales(list)},
		{name: "sales-empty", component: templates.Sales(templates.SalesPage{Frame: f, Day: noon, Taken: []money.Amount{euro("0")}})},
		{name: "sales-none-found", component: templates.Sales(templates.SalesPage{Frame: f, Day: noon, Query: hostile, Taken: []money.Amount{euro("0")}})},
		{name: "sales-waiting", component: templates.Sales(templates.SalesPage{Frame: f, Day: noon, Waiting: true, Taken: []money.Amount{euro("0")}})},
		{name: "shift", component: templates.ShiftNow(templates.ShiftPage{
			Frame: frame(l, "/shift"), OpenedBy: "Aoife", OpenedAt: noon.Add(-3 * time.Hour), Float: euro("150.00"),
			Figures:   []templates.Figure{{Name: "Sent", Value: "41", URL: "/sales"}, {Name: "Cash for sent sales", Value: l.Amount(euro("512.40"))}, {Name: "Waiting", Value: "2", Tone: "wait"}},
			Moves:     []templates.Line{{Name: "12:04 · " + hostile, Value: "€20.00"}},
			Move:      templates.MoveForm{Key: "01J0KEY", Kind: "safe", Amount: "500", Reason: hostile, Currency: "EUR", Problem: "Only a manager can take this much cash out of the drawer."},
			ReportURL: "/shift/1", AllURL: "/shifts",
		})},
		{name: "today", component: templates.Today(templates.TodayPage{Frame: boss, Day: noon, Figures: figures, Waiting: rows[3:5]})},
		{name: "today-quiet", component: templates.Today(templates.TodayPage{Frame: lead, Day: noon, Figures: figures})},
	}
	for _, status := range []int{401, 403, 404, 409, 422, 429, 500, 503} {
		pages = append(pages, shown{name: "error-" + strconv.Itoa(status), component: templates.Error(templates.ErrorPage{Frame: frame(l, ""), Status: status, CorrelationID: "01J0CORRELATION"})})
	}
	return pages
}

func saleRows() []templates.SaleRow {
	states := []string{"complete", "complete", "failed", "unknown", "processing", "sending", "cancelled", "cancelling", "voided", "recorded"}
	var rows []templates.SaleRow
	for i, state := range states {
		operator, product := shannon(), "Top-up 10"
		if i%2 == 1 {
			operator, product = lagos(), "5 GB for 30 days "+hostile
		}
		rows = append(rows, templates.SaleRow{
			URL: "/sales/" + strconv.Itoa(i), At: noon.Add(-time.Duration(i) * 13 * time.Minute), Account: "+353 87 123 456" + strconv.Itoa(i),
			Operator: operator, Product: product, Price: euro("10.30"), State: state, Owed: state == "failed", Till: "Till 2", Cashier: "Aoife",
		})
	}
	return rows
}

func barePages(l locale.Locale) []shown {
	login := templates.LoginPage{Locale: l, CSRF: "token-before-login"}
	refused := login
	refused.Username, refused.Problem, refused.Wait, refused.Next = hostile, "Username or password is wrong.", 8, "/sales"
	pages := []shown{
		{name: "login", component: templates.Login(login)},
		{name: "login-refused", component: templates.Login(refused)},
		{name: "receipt", component: templates.PaperOf(paperPage(l))},
		{name: "calibration", component: templates.PaperOf(calibration(l))},
		{name: "error-bare", component: templates.Error(templates.ErrorPage{
			Frame: templates.Frame{Locale: l}, Status: http.StatusUnauthorized, Message: hostile,
		})},
	}
	for _, state := range []string{"complete", "failed", "unknown"} {
		pages = append(pages, shown{name: "status-" + state, component: templates.Status(templates.StatusPage{
			Locale: l, Shop: "Camden Street", Code: "K7Q2", State: state, At: l.DateTime(noon), Last: l.Time(noon),
		})})
	}
	for i := range pages {
		pages[i].bare = true
	}
	return pages
}
