package sales

import (
	"errors"
	"strings"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/harness/failpoint"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/store"
	"airtill/internal/vault"
)

// reader turns what the wire says about one sale into observations.
type reader struct {
	vault *vault.Vault
	sale  *Sale
	ref   string // the DistributorRef it is about
	now   time.Time
}

// reply reads the answer to SendTransfer by the table of the design. What is unreadable, or a failure the
// upstream may not mean, is Unknown.
func (r reader) reply(response *apiclient.SendTransferResponse, err error) Observation {
	o := Observation{Cause: Replied, Ref: r.ref, At: r.now, Source: "reply"}
	var refusal *apiclient.Error
	switch {
	case errors.Is(err, apiclient.ErrNotSent), response == nil && failpoint.Broken("resend"):
		o.Cause = NothingLeft
		return o
	case response == nil:
		o.Cause = Lost
		o.ReasonCode = lostReason(err)
		return o
	case err == nil:
		return r.claim(r.record(o, response.TransferRecord), response.TransferRecord)
	case errors.As(err, &refusal):
		record := response.TransferRecord
		if names(record) && r.foreign(record) {
			return strange(o, Foreign, reasonForeign)
		}
		o.State, o.Claim = verdict(refusal)
		if contradicted(record) {
			o.State, o.Claim = Unknown, false
		}
		o.ReasonCode, o.ReasonContext = reason(refusal.Codes)
		if timedOut(refusal) {
			o.ReasonContext = apiclient.ContextProviderTimedOut // of several, the one that counts
		}
		o = r.claim(o, record)
		if refusal.RetryAfter > 0 {
			at := store.Moment(r.now.Add(refusal.RetryAfter))
			o.RetryAt = &at
		}
		if refusal.Has(apiclient.CodeInsufficientBalance) {
			o.Alert = NoFloat
		}
		return o
	}
	o.Cause = Lost
	return o
}

// claim makes a failure that names a transfer one the list must confirm: what was made may still be delivered.
func (r reader) claim(o Observation, record *apiclient.TransferRecord) Observation {
	if !names(record) || o.State != Unknown && o.State != Failed && o.State != Cancelled {
		return o
	}
	o.State, o.Claim = Unknown, true
	o.Facts = &Facts{TransferRef: record.TransferId.TransferRef}
	return o
}

// names says whether a record names a transfer.
func names(record *apiclient.TransferRecord) bool {
	return record != nil && record.TransferId != nil && record.TransferId.TransferRef != ""
}

func timedOut(e *apiclient.Error) bool {
	return e.HasContext(apiclient.CodeTransientProviderError, apiclient.ContextProviderTimedOut)
}

// verdict says whether a refusal is a failure at once, or one a look-up must confirm.
func verdict(e *apiclient.Error) (State, bool) {
	switch {
	case e.Has(apiclient.CodeDuplicateTransactionPrevented):
		return Unknown, false
	case e.ResultCode == 4:
		return Failed, false
	case e.HasContext(apiclient.CodeRateLimited, apiclient.ContextTransactionStillInProgress), timedOut(e):
		return Unknown, true
	case e.ResultCode == 3, e.Has(apiclient.CodeInsufficientBalance):
		return Failed, false
	case e.ResultCode == 5:
		return Unknown, true
	}
	return Unknown, false // there is no such result code
}

// contradicted says whether the record beside a refusal says that the transfer went on all the same: then
// nobody knows.
func contradicted(record *apiclient.TransferRecord) bool {
	if record == nil {
		return false
	}
	state := record.ProcessingState.Normal()
	return state != apiclient.StateFailed && state != apiclient.StateCancelled && state != ""
}

// listed reads an item of ListTransferRecords.
func (r reader) listed(item apiclient.TransferRecordWithErrorCodes) Observation {
	o := r.record(Observation{Cause: Listed, Ref: r.ref, At: r.now, Source: "list"}, &item.TransferRecord)
	if o.State == Failed {
		o.ReasonCode, o.ReasonContext = reason(item.ErrorCodes)
	}
	return o
}

// record reads a transfer record: its state, and what else it tells.
func (r reader) record(o Observation, record *apiclient.TransferRecord) Observation {
	if r.foreign(record) {
		return strange(o, Foreign, reasonForeign)
	}
	state, known := StateOf(record.ProcessingState)
	if !known {
		return strange(o, UnknownState, reasonUnknownState)
	}
	o.State = state
	o.Facts = r.facts(record)
	return o
}

// Our own reason codes, beside the upstream's.
const (
	reasonForeign      = "ForeignRecord"
	reasonUnknownState = "UnknownState"
	reasonUnreadable   = "UnreadableReply"
	reasonNoReply      = "NoReply"
)

// TheirCode is the upstream's word for the reason and its context, for whoever asks it about the sale; "" where the
// reason is our own.
func (o Outcome) TheirCode() string {
	switch o.ReasonCode {
	case reasonForeign, reasonUnknownState, reasonUnreadable, reasonNoReply, ReasonNotExecuted, ReasonDecided,
		ReasonCalledOff, ReasonNotReached:
		return ""
	}
	return strings.TrimSpace(o.ReasonCode + " " + o.ReasonContext)
}

var states = map[apiclient.ProcessingState]State{
	apiclient.StateSubmitted: Submitted, apiclient.StateProcessing: Processing, apiclient.StateCancelling: Cancelling,
	apiclient.StateComplete: Complete, apiclient.StateFailed: Failed, apiclient.StateCancelled: Cancelled,
}

// StateOf returns the state of a transfer record, false if unknown.
func StateOf(s apiclient.ProcessingState) (State, bool) {
	state, known := states[s.Normal()]
	return state, known
}

// strange makes an observation of a record that cannot be this sale's: a reply leaves the outcome unknown, a
// list changes nothing, and a person is told.
func strange(o Observation, alert IncidentKind, code string) Observation {
	o.State, o.Alert, o.ReasonCode = None, alert, code
	if o.Cause == Replied {
		o.Cause = Lost
	}
	return o
}

// foreign says whether a record is of another transfer.
func (r reader) foreign(record *apiclient.TransferRecord) bool {
	return record == nil ||
		record.TransferId != nil && record.TransferId.DistributorRef != "" && record.TransferId.DistributorRef !=
			r.ref ||
		record.SkuCode != "" && record.SkuCode != r.sale.SKUCode ||
		record.AccountNumber != "" && !r.sale.Erased() && !SameNumber(record.AccountNumber, r.sale.AccountNumber)
}

// facts reads the rest of a record. Unusable amounts never hide the state: the quote stands in for them, and
// an incident says so.
func (r reader) facts(record *apiclient.TransferRecord) *Facts {
	f := &Facts{Commission: money.Of(0, r.sale.SendCurrency)}
	if record.TransferId != nil {
		f.TransferRef = record.TransferId.TransferRef
	}
	receipt := vault.Receipt{Text: record.ReceiptText, Params: record.ReceiptParams}
	f.ProviderRef = receipt.Params[apiclient.ParamProviderRef]
	f.PINHint = vault.Hint(receipt.PIN())
	f.SerialHash = r.vault.SerialHash(receipt)
	var err error
	if f.SealedReceipt, err = r.vault.Seal(r.sale.ID, receipt); err != nil {
		f.Odd = "the receipt could not be sealed"
	}
	if record.CommissionApplied != "" {
		if commission, err := record.CommissionApplied.Amount(r.sale.SendCurrency); err == nil {
			f.Commission = commission
		} else {
			f.Odd = "the commission told is no exact amount"
		}
	}
	if record.Price != nil && record.ProcessingState.Normal() != apiclient.StateFailed {
		r.prices(f, record.Price)
	}
	return f
}

func (r reader) prices(f *Facts, p *apiclient.Price) {
	cost, err := CostOf(p)
	switch {
	case err != nil:
		f.Odd = "the price told is no exact amount"
	case cost.Send.Currency() != r.sale.SendCurrency:
		f.Odd = "the price told is in another currency than the quote"
	default:
		f.Cost = &cost
		if cost != r.sale.Quoted() {
			f.Odd = "the price told is not the quoted one"
		}
	}
	whole, err1 := p.ReceiveValue.Amount(r.sale.ReceiveCurrency)
	without, err2 := zeroIfAbsent(p.ReceiveValueExcludingTax).Amount(r.sale.ReceiveCurrency)
	if err1 == nil && err2 == nil && money.Currency(p.ReceiveCurrencyIso) == r.sale.ReceiveCurrency {
		f.Receive, f.ReceiveExTax = &whole, &without
	}
}

// CostOf reads a price's cost. Absent fees are zero.
func CostOf(p *apiclient.Price) (ledger.Cost, error) {
	currency := money.Currency(p.SendCurrencyIso)
	send, err1 := p.SendValue.Amount(currency)
	fee, err2 := zeroIfAbsent(p.CustomerFee).Amount(currency)
	distributor, err3 := zeroIfAbsent(p.DistributorFee).Amount(currency)
	return ledger.Cost{Send: send, CustomerFee: fee, DistributorFee: distributor}, errors.Join(err1, err2, err3)
}

func zeroIfAbsent(d apiclient.Decimal) apiclient.Decimal {
	if d == "" {
		return "0"
	}
	return d
}

// ReadCancelled reads the upstream's answer to a cancellation: only a returned state Cancelled is one.
func ReadCancelled(sale Sale, item apiclient.TransferWithState, at time.Time) Observation {
	o := Observation{
		Cause: CancelAnswered, Ref: sale.Ref, At: at, Source: "cancel", ReasonContext: string(item.ProcessingState),
	}
	switch {
	case item.ResultCode != apiclient.ResultSuccess && item.ResultCode != apiclient.ResultWarning:
		_, o.ReasonContext = reason(item.ErrorCodes)
	case item.ProcessingState.Normal() == apiclient.StateCancelled:
		o.State = Cancelled
	}
	return o
}

func reason(codes []apiclient.ErrorCode) (code, context string) {
	if len(codes) == 0 {
		return "", ""
	}
	return codes[0].Code, codes[0].Context
}

func lostReason(err error) string {
	if errors.Is(err, apiclient.ErrUnreadable) || errors.Is(err, apiclient.ErrTooLarge) {
		return reasonUnreadable
	}
	return reasonNoReply
}
