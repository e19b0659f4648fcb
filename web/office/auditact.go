package office

import (
	"slices"
	"strings"

	"airtill/web/locale"
	"airtill/web/templates"
)

// auditActs are what rooms write into the audit; each has a name.
var auditActs = []string{
	"alert.seen", "approval.declined", "approval.given", "audit.signed", "books.sealed", "break.declined",
	"break.explained", "break.matched", "break.proposed",
	"break.resolved", "cash.moved", "device.distrusted", "device.trusted", "exchange-rate.entered",
	"installation.restored",
	"limit.set", "pin.revealed", "price-rule.below-cost-allowed", "price-rule.retired", "price-rule.saved",
	"printer.changed",
	"product.hidden", "product.hidden_in_shop", "product.shown", "product.shown_in_shop", "provider.validating-set",
	"receipt.reprinted",
	"receipts.purged", "report.scheduled", "report.unscheduled", "sale.approved", "seller.approved", "seller.declared",
	"send-mode.set",
	"setup.checked", "setup.left-out", "shift.closed", "shift.opened", "shop.changed", "shop.created", "till.added",
	"till.renamed",
	"till.taken-over", "topup.approved", "topup.entered", "topup.refused", "user.change-declined",
	"user.change-proposed", "user.created", "user.disabled", "user.enabled",
	"user.password-changed", "user.password-set", "user.pin-cleared", "user.pin-set", "user.role-changed",
	"user.signed-out", "vault.rewrapped", "verdict.confirmed",
	"verdict.declined", "verdict.proposed",
}

// actCell is an act as a table has it: one without a name with what was written.
func actCell(l locale.Locale, act string) templates.Cell {
	cell := templates.Cell{Text: actName(l, act)}
	if !slices.Contains(auditActs, act) {
		cell.Hint = act
	}
	return cell
}

// actName is what an act is called.
func actName(l locale.Locale, act string) string {
	if !slices.Contains(auditActs, act) {
		act = "other"
	}
	return l.Text("audit.act." + strings.ReplaceAll(act, ".", "-"))
}
