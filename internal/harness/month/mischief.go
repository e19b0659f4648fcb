package month

import (
	"fmt"

	"airtill/internal/reconcile"
)

// mischief is one kind of drift that is done to a sale.
type mischief struct {
	name  string
	times int // in a month
	batch bool
	// own: a day of its own, and its first hours. While it hides or goes on, the
	// balance tells of it alone, and nobody could tell two such things apart.
	own    bool
	alone  bool // no batch of that round fails otherwise: their refunds would come as one sum
	faults func(ref string, q quote) []fault
	// held: the shop does not hand the cash back, though the sale seems to have
	// failed.
	held bool
	// twice sends the transfer once more, behind the till's back.
	twice bool
	// returned: what the upstream took for it comes back.
	returned bool
	kind     reconcile.Kind // that it must be reported as; "": not at all
	amount   func(q quote) int64
}

// on matches the calls of one sale.
func on(endpoint, ref string, action map[string]any) fault {
	return fault{Match: map[string]any{"endpoint": endpoint, "ref": ref}, Action: action}
}

func sending(action map[string]any) func(string, quote) []fault {
	return func(ref string, _ quote) []fault { return []fault{on("SendTransfer", ref, action)} }
}

// failing is a batch transfer that the provider refuses, refunded less an amount.
func failing(less string) func(string, quote) []fault {
	return func(ref string, _ quote) []fault {
		faults := []fault{on("Provider", ref, map[string]any{"kind": "error", "code": "ProviderError", "context": "ProviderRefusedRequest"})}
		if less != "" {
			faults = append(faults, on("Provider", ref, map[string]any{"kind": "short_refund", "amount": less}))
		}
		return faults
	}
}

func taken(q quote) int64 { return q.commission - q.cost }
func given(q quote) int64 { return q.cost - q.commission }

const (
	oddCommission = 10_000  // in millionths, as the next
	oddFee        = 50_000  //
	heldBack      = 370_000 //
)

// mischiefs are the drifts of sales, each as often as a month has it.
func mischiefs() []mischief {
	lateSuccess := sending(map[string]any{"kind": "late_success", "for": "3h", "listed": "Failed"})
	return []mischief{
		{name: "record lost", times: 8, kind: reconcile.MissingUpstream, amount: given, faults: sending(map[string]any{"kind": "lost_record"})},
		{name: "record lost, never taken", times: 2, own: true, kind: reconcile.MissingUpstream, amount: given, returned: true, faults: sending(map[string]any{"kind": "lost_record"})},
		{name: "late success, cash still here", times: 5, own: true, held: true, kind: reconcile.LateSuccess, amount: taken, faults: lateSuccess},
		{name: "late success after the refund", times: 4, own: true, kind: reconcile.LateSuccess, amount: taken, faults: lateSuccess},
		{name: "late reversal", times: 6, own: true, kind: reconcile.LateReversal, amount: given, faults: sending(map[string]any{"kind": "late_reversal", "for": "5h"})},
		{name: "partial refund", times: 4, own: true, batch: true, alone: true, kind: reconcile.PartialRefund, amount: func(quote) int64 { return -heldBack }, faults: failing("0.37")},
		{name: "refund that never comes", times: 2, own: true, batch: true, alone: true, kind: reconcile.RefundOverdue, amount: func(q quote) int64 { return -q.cost }, faults: failing("999")},
		{
			name: "commission other than quoted", times: 9, kind: reconcile.CommissionOff, amount: func(q quote) int64 { return oddCommission - q.commission },
			faults: sending(map[string]any{"kind": "requote", "commission": "0.01"}),
		},
		{
			name: "fee other than quoted", times: 6, kind: reconcile.PriceDiffers, amount: func(quote) int64 { return -oddFee },
			faults: sending(map[string]any{"kind": "requote", "amount": "0.05"}),
		},
		{name: "executed twice", times: 3, twice: true, kind: reconcile.ExecutedTwice, amount: taken},
	}
}

// noise is what goes wrong every day and is nobody's business: the till finds
// out by itself.
func noise() []mischief {
	return []mischief{
		{name: "reply lost", faults: sending(map[string]any{"kind": "drop", "when": "after"})},
		{name: "provider refuses", faults: failing("")},
		{name: "batch fails and is refunded", batch: true, faults: failing("")},
	}
}

// expectation is a break that must be in the queue, once.
type expectation struct {
	drift   string
	kind    reconcile.Kind
	subject string // a sale, a TransferRef, a shift; "" where the break names a balance
	micros  int64
}

func (e expectation) String() string {
	return fmt.Sprintf("%s: %s of %d millionths on %s", e.drift, e.kind, e.micros, orAny(e.subject))
}

func orAny(subject string) string {
	if subject == "" {
		return "a balance"
	}
	return subject
}
