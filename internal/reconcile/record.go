package reconcile

import (
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/sales"
)

// Record is a transfer as the upstream lists it, read for matching.
type Record struct {
	TransferRef string
	Ref         string      // DistributorRef
	State       sales.State // None if unknown here
	SKU         string
	Account     string
	Cost        *ledger.Cost  // nil where not told, as for a failed transfer, or unreadable
	Commission  *money.Amount // likewise
	Received    *money.Amount // likewise
	At          time.Time     // when it began, by the upstream's clock; zero if unreadable
}

// readRecord reads a listed item. What cannot be read is left out: then it agrees with nothing, and the
// matching says so.
func readRecord(item apiclient.TransferRecordWithErrorCodes, currency money.Currency) Record {
	from := item.TransferRecord
	r := Record{SKU: from.SkuCode, Account: from.AccountNumber}
	if from.TransferId != nil {
		r.TransferRef, r.Ref = from.TransferId.TransferRef, from.TransferId.DistributorRef
	}
	r.State, _ = sales.StateOf(from.ProcessingState)
	r.At, _ = from.StartedUtc.Time() // zero means unknown
	if from.Price != nil {
		if cost, err := sales.CostOf(from.Price); err == nil {
			r.Cost, currency = &cost, cost.Send.Currency()
		}
		if received, err := from.Price.ReceiveValue.Amount(money.Currency(from.Price.ReceiveCurrencyIso)); err == nil {
			r.Received = &received
		}
	}
	if from.CommissionApplied != "" {
		if commission, err := from.CommissionApplied.Amount(currency); err == nil {
			r.Commission = &commission
		}
	}
	return r
}

// effect is what a transfer has done to the upstream's balance, judging by its record: its cost is taken once
// it is accepted for a batch or complete, its commission given once it is complete.
func (r Record) effect(batch bool) int64 {
	taken := r.State == sales.Complete || batch && r.State.Open()
	if !taken || r.Cost == nil {
		return 0
	}
	effect := -r.Cost.Send.Micros() - r.Cost.DistributorFee.Micros()
	if r.State == sales.Complete && r.Commission != nil {
		effect += r.Commission.Micros()
	}
	return effect
}
