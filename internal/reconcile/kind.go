package reconcile

// Kind says how our books and the rest of the world differ.
type Kind string

// The kinds of break. Amounts are what the other side has more than our books.
const (
	// Of records and sales.
	MissingUpstream Kind = "missing_upstream" // one of our sales is not on the upstream's list
	UnknownHere     Kind = "unknown_here"     // a record with our installation's code matches no sale of ours
	ForeignSale     Kind = "foreign_sale"     // a record that other software made on the account
	LateSuccess     Kind = "late_success"     // executed after we had given it up
	LateReversal    Kind = "late_reversal"    // taken back after it was complete
	ExecutedTwice   Kind = "executed_twice"   // more than one complete record for one sale
	Mismatch        Kind = "mismatch"         // another product, number or currency under our ref
	StateBehind     Kind = "state_behind"     // complete here, still under way there
	PriceDiffers    Kind = "price"            // the upstream charged another cost than quoted
	DeliveryDiffers Kind = "delivery"         // it delivered another amount than quoted
	CommissionOff   Kind = "commission"       // it credited another commission than its rate gives
	LedgerDiffers   Kind = "ledger"           // our ledger disagrees with our own sale

	// Of the balance.
	BalanceUp     Kind = "balance_up"     // the balance is higher than the books: a top-up?
	BalanceDown   Kind = "balance_down"   // the balance is lower, and nothing explains it
	PartialRefund Kind = "partial_refund" // the upstream paid back less than it charged
	RefundOverdue Kind = "refund_overdue" // it has paid back nothing for days

	// Of a drawer.
	CashShort Kind = "cash_short"
	CashOver  Kind = "cash_over"
)

// Kinds lists every kind, in the order of a queue's filter.
func Kinds() []Kind {
	return []Kind{
		MissingUpstream, UnknownHere, ForeignSale, LateSuccess, LateReversal, ExecutedTwice, Mismatch, StateBehind,
		PriceDiffers, DeliveryDiffers, CommissionOff, LedgerDiffers, BalanceUp, BalanceDown, PartialRefund,
		RefundOverdue, CashShort, CashOver,
	}
}

// ofRecords says whether the upstream's list can show that a break of this kind is over. Only the balance
// shows whether a refund has come.
func (k Kind) ofRecords() bool { return k != PartialRefund && k != RefundOverdue }

// ofBalance says whether only the balance can tell if a sale of this kind of break was charged.
func (k Kind) ofBalance() bool { return k == MissingUpstream || k == StateBehind }

// fades says whether a break of this kind ends by itself once the two sides agree. Others stay until a person
// has seen them.
func (k Kind) fades() bool {
	switch k {
	case MissingUpstream, UnknownHere, Mismatch, StateBehind, LedgerDiffers, BalanceUp, BalanceDown, PartialRefund,
		RefundOverdue:
		return true
	default:
		return false
	}
}
