package audit

import "slices"

// Act is what was done: a noun and a past verb.
type Act string

// The acts of authority. What is stored of them never changes.
const (
	AlertSeen                 Act = "alert.seen"
	ApprovalDeclined          Act = "approval.declined"
	ApprovalGiven             Act = "approval.given"
	AuditSigned               Act = "audit.signed"
	BooksSealed               Act = "books.sealed"
	BreakDeclined             Act = "break.declined"
	BreakExplained            Act = "break.explained"
	BreakMatched              Act = "break.matched"
	BreakProposed             Act = "break.proposed"
	BreakReopened             Act = "break.reopened"
	BreakResolved             Act = "break.resolved"
	BreakUndoing              Act = "break.undoing"
	CashMoved                 Act = "cash.moved"
	CustomerErased            Act = "customer.erased"
	CustomerErasureDeclined   Act = "customer.erasure-declined"
	CustomerErasureProposed   Act = "customer.erasure-proposed"
	CustomerExported          Act = "customer.exported"
	DeviceDistrusted          Act = "device.distrusted"
	DeviceTrusted             Act = "device.trusted"
	ExchangeRateEntered       Act = "exchange-rate.entered"
	ExchangeRateWithdrawn     Act = "exchange-rate.withdrawn"
	InstallationRestored      Act = "installation.restored"
	LimitSet                  Act = "limit.set"
	PINRevealed               Act = "pin.revealed"
	PriceRuleBelowCostAllowed Act = "price-rule.below-cost-allowed"
	PriceRuleRetired          Act = "price-rule.retired"
	PriceRuleSaved            Act = "price-rule.saved"
	PrinterChanged            Act = "printer.changed"
	ProductHidden             Act = "product.hidden"
	ProductHiddenInShop       Act = "product.hidden_in_shop"
	ProductShown              Act = "product.shown"
	ProductShownInShop        Act = "product.shown_in_shop"
	ProviderValidatingSet     Act = "provider.validating-set"
	ReceiptReprinted          Act = "receipt.reprinted"
	ReceiptsPurged            Act = "receipts.purged"
	ReportScheduled           Act = "report.scheduled"
	ReportUnscheduled         Act = "report.unscheduled"
	RoleRuleSet               Act = "role-rule.set"
	SaleApproved              Act = "sale.approved"
	SellerApproved            Act = "seller.approved"
	SellerDeclared            Act = "seller.declared"
	SellerRefused             Act = "seller.refused"
	SendModeSet               Act = "send-mode.set"
	SetupChecked              Act = "setup.checked"
	SetupLeftOut              Act = "setup.left-out"
	ShiftClosed               Act = "shift.closed"
	ShiftOpened               Act = "shift.opened"
	ShopChanged               Act = "shop.changed"
	ShopCreated               Act = "shop.created"
	TillAdded                 Act = "till.added"
	TillRenamed               Act = "till.renamed"
	TillRetired               Act = "till.retired"
	TillReturned              Act = "till.returned"
	TillTakenOver             Act = "till.taken-over"
	TopUpApproved             Act = "topup.approved"
	TopUpEntered              Act = "topup.entered"
	TopUpRefused              Act = "topup.refused"
	UpdateForced              Act = "catalogue.forced"
	UserArrivalDismissed      Act = "user.arrival-dismissed"
	UserBreakGlass            Act = "user.break-glass"
	UserChangeDeclined        Act = "user.change-declined"
	UserChangeProposed        Act = "user.change-proposed"
	UserCreated               Act = "user.created"
	UserDisabled              Act = "user.disabled"
	UserEnabled               Act = "user.enabled"
	UserLinked                Act = "user.linked"
	UserPasswordChanged       Act = "user.password-changed"
	UserPasswordSet           Act = "user.password-set"
	UserPasskeyAdded          Act = "user.passkey-added"
	UserPasskeyCopied         Act = "user.passkey-copied"
	UserPasskeyRemoved        Act = "user.passkey-removed" //nolint:gosec // the name of an act
	UserPINCleared            Act = "user.pin-cleared"
	UserPINSet                Act = "user.pin-set"
	UserRenamed               Act = "user.renamed"
	UserRoleChanged           Act = "user.role-changed"
	UserElsewhere             Act = "user.elsewhere-refused"
	UserRecoveryRenewed       Act = "user.recovery-renewed"
	UserRecoveryUsed          Act = "user.recovery-used"
	UserSecondRemoved         Act = "user.second-factor-removed"
	UserSecondReset           Act = "user.second-factor-reset"
	UserSecondSet             Act = "user.second-factor-set"
	UserSessionsEnded         Act = "user.sessions-ended"
	UserSignedOut             Act = "user.signed-out"
	UserUnlinked              Act = "user.unlinked"
	VaultRewrapped            Act = "vault.rewrapped"
	VerdictConfirmed          Act = "verdict.confirmed"
	VerdictDeclined           Act = "verdict.declined"
	VerdictProposed           Act = "verdict.proposed"
)

var acts = []Act{
	AlertSeen, ApprovalDeclined, ApprovalGiven, AuditSigned, BooksSealed, BreakDeclined, BreakExplained, BreakMatched,
	BreakProposed, BreakReopened, BreakResolved, BreakUndoing, CashMoved, CustomerErased, CustomerErasureDeclined,
	CustomerErasureProposed, CustomerExported, DeviceDistrusted, DeviceTrusted, ExchangeRateEntered,
	ExchangeRateWithdrawn, InstallationRestored, LimitSet, PINRevealed, PriceRuleBelowCostAllowed, PriceRuleRetired,
	PriceRuleSaved, PrinterChanged, ProductHidden, ProductHiddenInShop, ProductShown, ProductShownInShop,
	ProviderValidatingSet, ReceiptReprinted, ReceiptsPurged, ReportScheduled, ReportUnscheduled, RoleRuleSet,
	SaleApproved, SellerApproved, SellerDeclared, SellerRefused, SendModeSet, SetupChecked, SetupLeftOut, ShiftClosed,
	ShiftOpened, ShopChanged, ShopCreated, TillAdded, TillRenamed, TillRetired, TillReturned, TillTakenOver,
	TopUpApproved, TopUpEntered, TopUpRefused, UpdateForced, UserArrivalDismissed, UserBreakGlass, UserLinked,
	UserChangeDeclined, UserChangeProposed, UserCreated, UserDisabled, UserEnabled, UserPasswordChanged,
	UserPasswordSet, UserPasskeyAdded, UserPasskeyCopied, UserPasskeyRemoved, UserPINCleared, UserPINSet, UserRenamed,
	UserRoleChanged, UserElsewhere, UserRecoveryRenewed, UserRecoveryUsed, UserSecondRemoved, UserSecondReset,
	UserSecondSet, UserSessionsEnded, UserSignedOut, UserUnlinked, VaultRewrapped, VerdictConfirmed, VerdictDeclined,
	VerdictProposed,
}

// Acts returns every act there is.
func Acts() []Act { return slices.Clone(acts) }
