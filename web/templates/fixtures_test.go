package templates_test

import (
	"time"

	"github.com/a-h/templ"
	"golang.org/x/text/language"

	"airtill/internal/catalog"
	"airtill/internal/money"
	"airtill/web/locale"
	"airtill/web/templates"
)

// hostile is text from outside that must never become markup.
const hostile = `"><img src=x onerror=alert(1)><script>alert(2)</script>`

var (
	noon   = time.Date(2026, 3, 14, 12, 31, 0, 0, time.UTC)
	dublin = time.FixedZone("GMT", 0)
)

func euro(text string) money.Amount       { return money.MustParse(text, "EUR") }
func naira(text string) money.Amount      { return money.MustParse(text, "NGN") }
func some(a money.Amount) *money.Amount   { return &a }
func inLanguage(tag string) locale.Locale { return locale.New(language.MustParse(tag), dublin) }

// shown is one page in one state.
type shown struct {
	name      string
	component templ.Component
	bare      bool // has no app shell
}

func frame(l locale.Locale, path string) templates.Frame {
	return templates.Frame{
		Locale: l, CSRF: "token-of-this-session", Path: path,
		Shop: "Camden Street", Till: "Till 2", User: "Aoife",
		May:     templates.Permissions{Sell: true, Sales: true, Shift: true},
		Shift:   templates.Shift{Open: true, Since: l.Since(noon.Add(-3*time.Hour), noon)},
		Waiting: 2,
		Prices:  templates.Prices{AsOf: noon.Add(-19 * time.Minute)},
	}
}

func lagos() templates.Operator {
	return templates.Operator{Code: "KONG", Name: "Kora Mobile", ISO: "NG", Country: "Nigeria"}
}

func shannon() templates.Operator {
	return templates.Operator{Code: "SHIE", Name: "Shannon Mobile", ISO: "IE", Country: "Ireland"}
}

func trail(o templates.Operator, account, product string) templates.Trail {
	return templates.Trail{
		Account: account, AccountURL: "/counter", Operator: o,
		Product: product, ProductURL: "/counter?number=0871234567",
	}
}

func recent() []templates.RecentSale {
	sale := func(account string, o templates.Operator, product, price string, ago time.Duration) templates.RecentSale {
		return templates.RecentSale{
			RepeatURL: "/counter?number=1&sku=2", Account: account, Operator: o,
			Product: product, Price: euro(price), At: noon.Add(-ago),
		}
	}
	return []templates.RecentSale{
		sale("+353 87 123 4567", shannon(), "Top-up 10", "10.00", 4*time.Minute),
		sale("+234 803 555 0142", lagos(), "5 GB for 30 days", "4.20", 21*time.Minute),
		sale("+52 55 5123 4567", templates.Operator{Name: "Azteca Móvil", ISO: "MX"}, "Recarga 200", "11.35", 38*time.Minute),
		sale("+63 917 123 4567", templates.Operator{Name: "Luzon Tel", ISO: "PH"}, "Load 300", "5.10", 55*time.Minute),
		sale("+20 100 123 4567", templates.Operator{Name: "النيل للاتصالات", ISO: "EG"}, "شحن 100", "2.60", 70*time.Minute),
		sale("4512 8830 117", templates.Operator{Name: "Harbour Electric", ISO: "KE"}, "Prepaid units", "20.00", 95*time.Minute),
	}
}

func offers() []templates.OfferGroup {
	topUp := func(sku, name, receive, price string) templates.Offer {
		return templates.Offer{SKU: sku, Name: name, Receive: some(naira(receive)), Price: euro(price)}
	}
	ranged := templates.Offer{SKU: "KONG-R", Name: "Any amount", Receive: nil, Price: euro("1.00"), UpTo: some(euro("100.00"))}
	bonus := topUp("KONG-3", "Top-up 2,000 NGN", "2000", "1.38")
	bonus.Promotion, bonus.PromotionEnds = "Double credit: +100% bonus on every top-up until Sunday", "Promotion until 8 Mar"
	data := func(sku, name, validity, price string) templates.Offer {
		return templates.Offer{SKU: sku, Name: name, Validity: validity, Price: euro(price)}
	}
	trouble := data("KONG-D3", "12 GB", "30 days", "8.90")
	trouble.Trouble = true
	return []templates.OfferGroup{
		{Kind: catalog.KindTopUp, Offers: []templates.Offer{
			topUp("KONG-1", "Top-up 500 NGN", "500", "0.40"), topUp("KONG-2", "Top-up 1,000 NGN", "1000", "0.74"), bonus,
			topUp("KONG-4", "Top-up 5,000 NGN", "4625.50", "3.34"), ranged,
		}},
		{Kind: catalog.KindData, Offers: []templates.Offer{
			data("KONG-D1", "1.5 GB", "7 days", "1.20"), data("KONG-D2", "5 GB", "30 days", "4.20"), trouble,
			data("KONG-D4", "Night pack: 20 GB between 23:00 and 05:00, weekends all day", "30 days", "6.00"),
		}},
		{Kind: catalog.KindPIN, Offers: []templates.Offer{
			{SKU: "KONG-P1", Name: "Calling card PIN", Receive: some(euro("5.00")), Validity: "90 days", Price: euro("5.00")},
			{SKU: "KONG-P2", Name: "Game voucher", Receive: some(money.MustParse("10", "USD")), Price: euro("9.85")},
		}},
	}
}

func confirmPage(l locale.Locale) templates.ConfirmPage {
	return templates.ConfirmPage{
		Frame: frame(l, "/counter"), Key: "01J0KEY", Trail: trail(lagos(), "+234 803 555 0142", "Top-up 5,000 NGN"),
		Hidden:  []templates.HiddenField{{Name: "number", Value: "2348035550142"}, {Name: "sku", Value: "KONG-4"}},
		Product: "Top-up 5,000 NGN", Receive: some(naira("5000")), ReceiveNet: some(naira("4625.50")),
		Tax: "VAT 7.5%, included", Validity: "90 days", Price: euro("3.34"), Total: euro("3.34"),
	}
}

func outcome(l locale.Locale, state string) templates.Outcome {
	return templates.Outcome{
		Locale: l, CSRF: "token-of-this-session", ID: "01J0SALE", State: state, Total: euro("10.30"),
		Elapsed: 3, CanPrint: true, NextURL: "/counter",
		Facts: templates.Facts{
			At: noon, Account: "+353 87 123 4567", Operator: shannon(), Product: "Top-up 10",
			Send: some(euro("10.00")), Receive: some(euro("10.00")), ReceiveNet: some(euro("8.13")), Tax: "VAT 23%, included",
			Validity: "30 days", DistributorRef: "AT0101J0SALE00000000000000000001", Till: "Till 2", Cashier: "Aoife",
			CareNumber: "1747", ReceiptCode: "K7Q2",
		},
	}
}

func outcomePage(l locale.Locale, o templates.Outcome) templates.OutcomePage {
	return templates.OutcomePage{Frame: frame(l, ""), Trail: trail(shannon(), "+353 87 123 4567", "Top-up 10"), Sale: o}
}
