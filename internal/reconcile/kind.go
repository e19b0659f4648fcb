package reconcile

// Kind says in what our books and the rest of the world differ.
type Kind string

// The kinds of break. Amounts are what the other side has more than our books.
const (
	// Of records and sales.
	MissingUpstream Kind = "missing_upstream" // a sale of ours that the upstream does not list
	UnknownHere     Kind = "unknown_here"     // a record with our installation's code that no sale of ours has
	ForeignSale     Kind = "foreign_sale"     // a record that other software made on the account
	LateSuccess     Kind = "late_success"     // executed after we had given it up
	LateReversal    Kind = "late_reversal"    // taken back after it was complete
	ExecutedTwice   Kind = "executed_twice"   // more than one complete record for one sale
	Mismatch        Kind = "mismatch"         // another product, number or currency under our ref
	StateBehind     Kind = "state_behind"     // complete here, still under way there
	PriceDiffers    Kind = "price"            // the upstream took another cost than it had quoted
	DeliveryDiffers Kind = "delivery"         // it delivered another amount than quoted
	CommissionOff   Kind = "commission"       // it gave another commission than its rate says
	LedgerDiffers   Kind = "ledger"           // our ledger holds something else than our sale says

	// Of the balance.
	BalanceUp     Kind = "balance_up"     // the balance is higher than the books: a top-up?
	BalanceDown   Kind = "balance_down"   // the balance is lower, and nothing explains it
	PartialRefund Kind = "partial_refund" // the upstream paid back less than it took
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

// ofRecords says whether the upstream's list can show that a break of this kind
// is over. Whether a refund has come only the balance tells.
func (k Kind) ofRecords() bool { return k != PartialRefund && k != RefundOverdue }

// fades says whether a break of this kind is over by itself once the two sides
// agree. The others stay until a person has seen them.
func (k Kind) fades() bool {
	switch k {
	case MissingUpstream, UnknownHere, Mismatch, StateBehind, LedgerDiffers, BalanceUp, BalanceDown, PartialRefund,
		RefundOverdue:
		return true
	default:
		return false
	}
}
