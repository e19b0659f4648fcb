package locale

import (
	"errors"

	"airtill/internal/fault"
)

// ConflictTitle is the heading over a fault of kind Conflict: what it is, where Fault has
// the sentence. "" is for every other error.
func (l Locale) ConflictTitle(err error) string {
	var e *fault.Error
	if !errors.As(err, &e) || e.Kind != fault.Conflict {
		return ""
	}
	if class := conflicts[e.Code]; class != "" {
		return l.Text(class)
	}
	return l.Text("error.409")
}

// conflicts says of each conflict what kind it is.
var conflicts = map[string]string{ //nolint:gosec // sentences that speak of keys and PINs
	"rate.missing": "error.409.rate",

	"page.used-for-sale":  "error.409.used",
	"page.used":           "error.409.used",
	"page.before-restore": "error.409.used",

	"shift.none-open":       "error.409.shift",
	"shift.needed":          "error.409.shift",
	"shift.needed-for-cash": "error.409.shift",
	"shift.closed-undone":   "error.409.shift",
	"shift.closed-unsold":   "error.409.shift",

	"till.not-set-up": "error.409.till",

	"rule.below-cost": "error.409.second",

	"user.taken":          "error.409.taken",
	"customer.name-taken": "error.409.taken",
	"rate.taken":          "error.409.taken",
	"shop.taken":          "error.409.taken",

	"favourite.full": "error.409.full",
	"view.full":      "error.409.full",
	"mailing.full":   "error.409.full",

	"print.busy":         "error.409.wait",
	"sale.wait":          "error.409.wait",
	"setup.credentials":  "error.409.wait",
	"sale.not-listed":    "error.409.wait",
	"sale.list-may-tell": "error.409.wait",
	"verdict.not-ours":   "error.409.wait",

	"shift.open":             "error.409.done",
	"sale.carried-out":       "error.409.done",
	"sale.sent":              "error.409.done",
	"verdict.none":           "error.409.done",
	"break.nothing-to-book":  "error.409.done",
	"verdict.other-proposed": "error.409.done",
	"staff.waiting":          "error.409.done",
	"sale.cash-given-back":   "error.409.done",
	"sale.refunded":          "error.409.done",
	"sale.money-owed":        "error.409.done",
	"alert.over":             "error.409.done",
	"foreign.done":           "error.409.done",
	"break.done":             "error.409.done",
	"payment.done":           "error.409.done",
	"sale.not-cancellable":   "error.409.done",
	"sale.moved":             "error.409.done",
	"sale.before-restore":    "error.409.done",
	"sale.not-sendable":      "error.409.done",
	"shift.closed":           "error.409.done",
	"approval.used":          "error.409.used",
	"approval.decided":       "error.409.done",

	"sale.no-refund":        "error.409.not",
	"sale.no-batch":         "error.409.not",
	"pin.who":               "error.409.not",
	"pin.show-first":        "error.409.not",
	"break.balance-differs": "error.409.not",
	"setup.webhook-keys":    "error.409.not",
	"break.no-pair":         "error.409.not",
	"user.last-admin":       "error.409.not",
	"practice.not-possible": "error.409.not",
	"sale.no-receipt":       "error.409.not",
}
