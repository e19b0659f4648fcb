package sandbox

import (
	"strconv"
	"time"

	"airtill/internal/sandbox/catalogue"
)

// The processing states, section States and transitions.
const (
	submitted  = "Submitted"
	processing = "Processing"
	complete   = "Complete"
	failed     = "Failed"
	cancelled  = "Cancelled"
	cancelling = "Cancelling"
)

// transfer is one transfer as the service knows it, and as the journal keeps
// it. Amounts are in agent currency.
type transfer struct {
	Ref            int64             `json:"ref"`
	DistributorRef string            `json:"distributorRef"`
	SKU            string            `json:"sku"`
	Account        string            `json:"account"`
	Price          catalogue.Price   `json:"price"`
	Settings       []setting         `json:"settings,omitempty"`
	BillRef        string            `json:"billRef,omitempty"`
	CorrelationID  string            `json:"correlationId,omitempty"`
	Batch          bool              `json:"batch,omitempty"`
	Deferred       bool              `json:"deferred,omitempty"`
	Test           bool              `json:"test,omitempty"` // to a UAT number: nothing moves
	State          string            `json:"state"`
	Error          apiError          `json:"error,omitzero"`
	Executed       int               `json:"executed,omitempty"` // how often the provider carried it out
	Quoted         catalogue.Decimal `json:"quoted"`             // send value and fee
	Deducted       catalogue.Decimal `json:"deducted,omitempty"`
	Refunded       catalogue.Decimal `json:"refunded,omitempty"`
	Commission     catalogue.Decimal `json:"commission,omitempty"`
	Attempts       int               `json:"attempts,omitempty"`
	Started        time.Time         `json:"started"`
	Completed      time.Time         `json:"completed,omitzero"`
	Due            time.Time         `json:"due,omitzero"`         // when its next step is
	HiddenUntil    time.Time         `json:"hiddenUntil,omitzero"` // until then lists do not show it,
	HiddenAs       string            `json:"hiddenAs,omitempty"`   // or show it in this state
	Unlisted       bool              `json:"unlisted,omitempty"`   // no list shows it
	ReverseAt      time.Time         `json:"reverseAt,omitzero"`
	Receipt        string            `json:"receipt,omitempty"`
	Params         map[string]string `json:"params,omitempty"`

	booked catalogue.Decimal // its effect that the balance already has
}

// effect is what the transfer has done to the balance.
func (t *transfer) effect() catalogue.Decimal { return t.Refunded + t.given() - t.Deducted }

// given is the commission that the agent has: that of a transfer that was
// carried out, whatever was set for one that was not.
func (t *transfer) given() catalogue.Decimal {
	if t.State != complete {
		return 0
	}
	return t.Commission
}

// final says whether the state is a last one.
func (t *transfer) final() bool {
	return t.State == complete || t.State == failed || t.State == cancelled
}

// reserved is what the transfer will cost but has not yet.
func (t *transfer) reserved() catalogue.Decimal {
	if t.final() || t.Test || t.Deducted > 0 {
		return 0
	}
	return t.Quoted
}

// record returns the TransferRecord. A failed one has no price.
func (t *transfer) record() *transferRecord {
	r := &transferRecord{
		TransferID: &transferID{TransferRef: strconv.FormatInt(t.Ref, 10), DistributorRef: t.DistributorRef},
		SkuCode:    t.SKU, AccountNumber: t.Account, ProcessingState: t.State, CommissionApplied: t.given(),
		StartedUtc: stamp(t.Started), CompletedUtc: stamp(t.Completed), ReceiptText: t.Receipt, ReceiptParams: t.Params,
	}
	if t.State != failed {
		price := t.Price
		r.Price = &price
	}
	return r
}

// response returns the transfer as SendTransfer, lists and webhooks show it.
func (t *transfer) response() transferResponse {
	r := transferResponse{TransferRecord: t.record(), envelope: success()}
	if t.State == failed && t.Error.Code != "" {
		r.envelope = failure(t.Error)
	}
	return r
}

// shown returns the transfer as lists show it at a moment, nil if they do not
// yet.
func (t *transfer) shown(now time.Time) *transfer {
	switch {
	case t.Unlisted:
		return nil
	case !t.HiddenUntil.After(now):
		return t
	}
	if t.HiddenAs == "" {
		return nil
	}
	early := *t
	early.State, early.Error = t.HiddenAs, apiError{Code: transientProvider, Context: providerTimedOut}
	early.Commission, early.Receipt, early.Params = 0, "", nil
	return &early
}

// stamp writes a moment as ISO 8601 UTC, "" for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.0000000Z")
}
