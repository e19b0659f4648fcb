package demodata

import (
	"fmt"

	"airtill/internal/money"
)

// provider is an invented operator.
type provider struct {
	country, code, name, prefix string
	weight                      int64
	rate                        string // of commission
	fee                         int64  // CustomerFee, in millionths of a euro
	kinds                       []string
	perEuro                     int64 // what is received for a euro
	currency                    money.Currency
}

// product is something it sells.
type product struct {
	sku, text, kind, mode, redemption, validity string
	send                                        int64 // millionths of a euro
	weight                                      int64
}

var phones = []string{"top-up", "data", "bundle"}

// market is who is sold for, and how much of the trade is theirs.
var market = []provider{
	{"IE", "SHIE", "Shannon Mobile", "35387", 260, "0.05", 0, phones, 1, "EUR"},
	{"IE", "LFIE", "Liffey Tel", "35385", 170, "0.055", 0, phones, 1, "EUR"},
	{"IE", "HBIE", "Harbour Electric", "", 40, "0.02", 500_000, []string{"electricity"}, 1, "EUR"},
	{"NG", "KONG", "Kora Mobile", "234803", 110, "0.08", 0, phones, 1650, "NGN"},
	{"NG", "PWNG", "Palmwire", "234805", 60, "0.075", 0, phones, 1650, "NGN"},
	{"PH", "LZPH", "Luzon Tel", "63917", 62, "0.09", 0, phones, 63, "PHP"},
	{"PL", "WSPL", "Wisła Mobile", "48601", 54, "0.06", 0, phones, 4, "PLN"},
	{"RO", "DNRO", "Dunărea Tel", "40744", 48, "0.065", 0, phones, 5, "RON"},
	{"BR", "RBBR", "Rio Branco Celular", "5511", 44, "0.1", 0, phones, 6, "BRL"},
	{"IN", "GNIN", "Ganga Telecom", "9198", 46, "0.04", 0, phones, 92, "INR"},
	{"GH", "VTGH", "Volta Cell", "23324", 32, "0.11", 0, phones, 16, "GHS"},
	{"EG", "NLEG", "Nile Communications", "20100", 26, "0.07", 0, phones, 52, "EGP"},
	{"MX", "AZMX", "Azteca Móvil", "52155", 18, "0.12", 0, phones, 20, "MXN"},
	{"XG", "GCXG", "Game Cards", "", 38, "0.03", 0, []string{"voucher"}, 1, "EUR"},
}

// sizes are the amounts sold, in euros, and how often.
var sizes = []struct{ euros, weight int64 }{{5, 20}, {7, 6}, {10, 34}, {15, 14}, {20, 18}, {30, 6}, {50, 2}}

// products lists what a provider sells: for each kind, every size.
func (p provider) products() []product {
	var all []product
	for i, kind := range p.kinds {
		for n, size := range sizes {
			made := product{
				sku: fmt.Sprintf("%s-%s-%d", p.code, kind[:2], size.euros), kind: kind, mode: "Instant", redemption: "Immediate", validity: "P30D",
				send: size.euros * money.Scale, weight: size.weight * int64(3-min(i, 2)),
			}
			switch kind {
			case "data":
				made.text = fmt.Sprintf("%d GB for 30 days", 2*(n+1))
			case "bundle":
				made.text = fmt.Sprintf("Bundle %d", size.euros)
			case "electricity":
				made.text, made.mode, made.redemption = fmt.Sprintf("Units for %d", size.euros), "Batch", "ReadReceipt"
			case "voucher":
				made.text, made.redemption = fmt.Sprintf("Voucher %d", size.euros), "ReadReceipt"
			default:
				made.text = fmt.Sprintf("Top-up %d", size.euros)
			}
			all = append(all, made)
		}
	}
	return all
}

// outcome is how a sale ends, and how often in ten thousand.
type outcome struct {
	code, context string // of a failure; "" for success
	weight        int64
	lost          bool // the answer was lost, and the list had it complete
	voided        bool
}

var outcomes = []outcome{
	{weight: 9590},
	{weight: 40, lost: true},
	{weight: 12, voided: true},
	{code: "AccountNumberInvalid", context: "ProviderRefusedRequest", weight: 150},
	{code: "AccountNumberInvalid", context: "AccountNumberFailedRegex", weight: 40},
	{code: "TransientProviderError", context: "ProviderTimedOut", weight: 62},
	{code: "ProviderError", context: "RechargeNotAllowed", weight: 46},
	{code: "ProviderError", context: "ProviderTemporarilyUnavailable", weight: 36},
	{code: "RateLimited", weight: 24},
}
