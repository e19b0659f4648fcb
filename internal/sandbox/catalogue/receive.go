package catalogue

import "strings"

// received is what a text such as "USD 10", "Roblox $10", "10€" or
// "AFN 109.00 (Min)AFN 4996.00 (Max)" says is received; all zero when it names
// no amount with a currency.
type received struct {
	least, most Decimal // most is 0 unless it is a range
	currency    string  // ISO 4217; "" if none is named
}

// biggestReceive keeps amounts within what prices can be reckoned with.
const biggestReceive = 100_000_000 * Unit

// parseReceive finds the amount in what a product list says is received.
func parseReceive(text string, w *world) received {
	if low, rest, ok := strings.Cut(text, "(Min)"); ok {
		least, most := parseReceive(low, w), parseReceive(strings.ReplaceAll(rest, "(Max)", ""), w)
		if least.currency == most.currency && least.least > 0 && most.least > least.least {
			return received{least: least.least, most: most.least, currency: least.currency}
		}
		return least
	}
	fields := strings.Fields(text)
	for i, field := range fields {
		amount, currency := splitAmount(field, w)
		if amount == 0 {
			continue
		}
		if currency == "" && i > 0 {
			currency = knownCurrency(fields[i-1], w)
		}
		if currency == "" && i+1 < len(fields) {
			currency = knownCurrency(fields[i+1], w)
		}
		if currency != "" {
			return received{least: amount, currency: currency}
		}
	}
	return received{}
}

// splitAmount reads "10", "$10", "10€" or "5EUR"; the amount is 0 if the word
// is none.
func splitAmount(word string, w *world) (Decimal, string) {
	digits := strings.TrimFunc(word, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	at := strings.Index(word, digits)
	if digits == "" {
		return 0, ""
	}
	amount, err := ParseDecimal(strings.Trim(digits, "."))
	if err != nil || amount <= 0 || amount > biggestReceive || amount%Cent != 0 {
		return 0, ""
	}
	before, after := word[:at], word[at+len(digits):]
	if currency := knownCurrency(before, w); currency != "" {
		return amount, currency
	}
	if currency := knownCurrency(after, w); currency != "" || (before == "" && after == "") {
		return amount, currency
	}
	return 0, ""
}

func knownCurrency(word string, w *world) string {
	switch word {
	case "$":
		return "USD"
	case "€":
		return "EUR"
	case "£":
		return "GBP"
	}
	code := strings.ToUpper(word)
	if code != word && (code == "ALL" || code == "TRY" || code == "TOP") {
		return "" // words, unless in capitals
	}
	if _, known := w.rates[code]; known && len(word) == 3 {
		return code
	}
	return ""
}
