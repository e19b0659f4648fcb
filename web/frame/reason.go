package frame

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"airtill/internal/apiclient"
	"airtill/internal/sales"
	"airtill/web/locale"
)

// Advice is what to do about a sale that was not sent: the key of its words for whoever holds the cash, "" for none.
type Advice string

// What to do about a sale that was not sent.
const (
	AdviceAgain        Advice = "advice.again"
	AdviceCheckNumber  Advice = "advice.checkNumber"
	AdviceOtherProduct Advice = "advice.otherProduct"
	AdviceLater        Advice = "advice.later"
	AdviceManager      Advice = "advice.manager"
	AdviceGiveBack     Advice = "advice.giveBack"
)

// ReasonOf says in plain words why a sale was not sent, and what to do now.
func ReasonOf(l locale.Locale, sale sales.Sale) (reason string, advice Advice) {
	ours := sale.ReasonCode == sales.ReasonCalledOff || sale.ReasonCode == sales.ReasonNotReached
	if sale.Fulfilment == sales.Voided && !ours {
		return l.Text("reason.tooLate"), AdviceAgain
	}
	switch sale.ReasonContext {
	case apiclient.ContextAccountNumberFailedRegex:
		return l.Text("reason.numberWrong", sale.ProviderName), AdviceCheckNumber
	case apiclient.ContextRechargeNotAllowed:
		return l.Text("reason.notAllowed"), AdviceOtherProduct
	case apiclient.ContextProductUnavailable:
		return l.Text("reason.productGone"), AdviceOtherProduct
	case apiclient.ContextProviderTemporarilyUnavailable:
		return l.Text("reason.providerDown", sale.ProviderName), AdviceLater
	case apiclient.ContextAccountTemporarilyUnavailable:
		return l.Text("reason.accountDown"), AdviceLater
	case apiclient.ContextProviderTimedOut:
		return l.Text("reason.providerBusy", sale.ProviderName), AdviceLater
	}
	switch sale.ReasonCode {
	case apiclient.CodeAccountNumberInvalid:
		return l.Text("reason.numberRefused", sale.ProviderName), AdviceCheckNumber
	case apiclient.CodeInsufficientBalance:
		return l.Text("reason.noFloat"), AdviceManager
	case apiclient.CodeRateLimited:
		return l.Text("reason.tooMany"), AdviceLater
	case apiclient.CodeAuthenticationFailed:
		return l.Text("reason.account"), AdviceManager
	case apiclient.CodeTransientProviderError, apiclient.CodeProviderError:
		return l.Text("reason.providerRefused", sale.ProviderName), AdviceLater
	case sales.ReasonDecided:
		return l.Text("reason.decided"), AdviceAgain
	case sales.ReasonCalledOff:
		return l.Text("reason.calledOff"), AdviceAgain
	case sales.ReasonNotReached:
		return l.Text("reason.notReached"), AdviceAgain
	case sales.ReasonNotExecuted:
		return l.Text("reason.neverArrived"), AdviceGiveBack
	case "":
		return "", ""
	}
	return l.Text("reason.other"), AdviceManager
}

// ReasonName says why sales were not sent, of whatever provider.
func ReasonName(l locale.Locale, code, context string) string {
	why, _ := ReasonOf(l, sales.Sale{
		Outcome: sales.Outcome{ReasonCode: code, ReasonContext: context},
		Terms:   sales.Terms{ProviderName: strings.ToLower(l.Text("reports.provider"))},
	})
	return cmp.Or(sentence(why), l.Text("reason.tooLate"))
}

// sentence capitalises the first letter, after any marks.
func sentence(text string) string {
	first := strings.IndexFunc(text, unicode.IsLetter)
	if first < 0 {
		return text
	}
	letter, size := utf8.DecodeRuneInString(text[first:])
	return text[:first] + string(unicode.ToUpper(letter)) + text[first+size:]
}
