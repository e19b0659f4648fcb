package web

import (
	"airtill/internal/apiclient"
	"airtill/internal/sales"
	"airtill/web/locale"
)

// reasonOf says in plain words why a sale was not sent, and what to do now.
func reasonOf(l locale.Locale, sale sales.Sale) (reason, advice string) {
	if sale.Fulfilment == sales.Voided {
		return l.Text("reason.tooLate"), l.Text("advice.again")
	}
	switch sale.ReasonContext {
	case apiclient.ContextAccountNumberFailedRegex:
		return l.Text("reason.numberWrong", sale.ProviderName), l.Text("advice.checkNumber")
	case apiclient.ContextRechargeNotAllowed:
		return l.Text("reason.notAllowed"), l.Text("advice.otherProduct")
	case apiclient.ContextProductUnavailable:
		return l.Text("reason.productGone"), l.Text("advice.otherProduct")
	case apiclient.ContextProviderTemporarilyUnavailable:
		return l.Text("reason.providerDown", sale.ProviderName), l.Text("advice.later")
	case apiclient.ContextAccountTemporarilyUnavailable:
		return l.Text("reason.accountDown"), l.Text("advice.later")
	case apiclient.ContextProviderTimedOut:
		return l.Text("reason.providerBusy", sale.ProviderName), l.Text("advice.later")
	}
	switch sale.ReasonCode {
	case apiclient.CodeAccountNumberInvalid:
		return l.Text("reason.numberRefused", sale.ProviderName), l.Text("advice.checkNumber")
	case apiclient.CodeInsufficientBalance:
		return l.Text("reason.noFloat"), l.Text("advice.manager")
	case apiclient.CodeRateLimited:
		return l.Text("reason.tooMany"), l.Text("advice.later")
	case apiclient.CodeAuthenticationFailed:
		return l.Text("reason.account"), l.Text("advice.manager")
	case apiclient.CodeTransientProviderError, apiclient.CodeProviderError:
		return l.Text("reason.providerRefused", sale.ProviderName), l.Text("advice.later")
	case sales.ReasonNotExecuted:
		return l.Text("reason.neverArrived"), l.Text("advice.giveBack")
	case "":
		return "", ""
	}
	return l.Text("reason.other"), l.Text("advice.manager")
}
