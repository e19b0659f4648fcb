package apiclient

import (
	"encoding/json"
	"time"
)

// ProcessingState is how far a transfer is. Unknown values stay as they came; compare what Normal returns.
type ProcessingState string

// The processing states (INTERFACE.md, States and transitions).
const (
	StateSubmitted  ProcessingState = "Submitted"  // recorded
	StateProcessing ProcessingState = "Processing" // in work
	StateComplete   ProcessingState = "Complete"   // done
	StateFailed     ProcessingState = "Failed"     // ended with an error
	StateCancelled  ProcessingState = "Cancelled"
	StateCancelling ProcessingState = "Cancelling" // the provider was asked to cancel
)

// Normal returns the state under one name: the document calls the final success both Complete and Completed.
func (s ProcessingState) Normal() ProcessingState {
	if s == "Completed" {
		return StateComplete
	}
	return s
}

// Setting is a name and value sent with a transfer: the agent's own, or one a provider asks for (with the Name
// of its SettingDefinition).
type Setting struct {
	Name  string
	Value string
}

// SendTransferRequest asks for a transfer. AccountNumber is bare digits without "+". ValidateOnly is always
// sent, since requests without it are refused.
type SendTransferRequest struct {
	SkuCode         string
	SendValue       Decimal // in SendCurrencyIso, or the agent's currency if that is empty
	SendCurrencyIso string  `json:",omitempty"`
	AccountNumber   string
	DistributorRef  string    // the agent's own name for the transfer, unique for ever
	Settings        []Setting `json:",omitempty"`
	ValidateOnly    bool      // check everything, deduct nothing
	BillRef         string    `json:",omitempty"` // of the Bill to pay
}

// SendTransferResponse is the answer to SendTransfer and the content of a webhook. TransferRecord may be
// absent when the ResultCode is not 1 or 2.
type SendTransferResponse struct {
	Envelope
	TransferRecord *TransferRecord `json:",omitempty"`
}

// whole: a success without a record and its state answers some other endpoint.
func (r *SendTransferResponse) whole() bool {
	return r.Envelope.whole() && (!r.Succeeded() || (r.TransferRecord != nil && r.TransferRecord.ProcessingState != ""))
}

// TransferId names a transfer: TransferRef by the service (decimal digits,
// rising), DistributorRef by the agent.
type TransferId struct {
	TransferRef    string
	DistributorRef string
}

// UnmarshalJSON reads refs as Params are read, so a TransferRef that is a number stays its digits. It never fails:
// from here, an error would end the reading of everything that follows.
func (id *TransferId) UnmarshalJSON(data []byte) error {
	var refs Params
	_ = refs.UnmarshalJSON(data) // never fails
	id.TransferRef, id.DistributorRef = refs["TransferRef"], refs["DistributorRef"]
	return nil
}

// TransferRecord is a transfer as the service stores it. ReceiptText and ReceiptParams may hold a PIN.
type TransferRecord struct {
	TransferId        *TransferId `json:",omitempty"` // absent when ValidateOnly, and on some failures
	SkuCode           string
	Price             *Price  `json:",omitempty"`
	CommissionApplied Decimal // in the agent's currency
	StartedUtc        Time    `json:",omitempty"`
	CompletedUtc      Time    `json:",omitempty"`
	ProcessingState   ProcessingState
	ReceiptText       string `json:",omitempty"`
	ReceiptParams     Params `json:",omitempty"`
	AccountNumber     string
}

// UnmarshalJSON reads texts that can be stored, and tolerates as ErrorCode's does.
func (r *TransferRecord) UnmarshalJSON(data []byte) error {
	type wire TransferRecord
	err := json.Unmarshal(data, (*wire)(r))
	r.SkuCode, r.AccountNumber = storable(r.SkuCode), storable(r.AccountNumber)
	r.ProcessingState = storable(r.ProcessingState)
	r.Price.clean()
	return tolerate(err)
}

// Keys of ReceiptParams (INTERFACE.md, Transfer); others vary by provider.
const (
	ParamPIN         = "pin"
	ParamProviderRef = "providerRef"
)

// Params are names and values as text. A value that is not text on the wire stays JSON; anything but an object
// is read as no Params.
type Params map[string]string

// UnmarshalJSON reads an object of any values. It never fails: the record around the Params matters more.
func (p *Params) UnmarshalJSON(data []byte) error {
	var values map[string]json.RawMessage
	if json.Unmarshal(data, &values) != nil || values == nil {
		*p = nil
		return nil //nolint:nilerr // see above
	}
	*p = make(Params, len(values))
	for name, value := range values {
		if text, present := scalarText(value); present {
			(*p)[name] = storable(text)
		}
	}
	return nil
}

// How far ListTransferRecords reaches.
const (
	PageSize = 100
	MaxPages = 6
	// ListedFor is how far back a list goes, two months, less a margin.
	ListedFor = 55 * 24 * time.Hour
	// ListMargin allows for a difference between our clock and the upstream's, and for transfers under way.
	ListMargin = 15 * time.Minute
)

// ListTransferRecordsRequest selects transfers of the last two months. Take is
// 1 to 100, Skip 0 to 500.
type ListTransferRecordsRequest struct {
	TransferRef    string `json:",omitempty"`
	DistributorRef string `json:",omitempty"`
	AccountNumber  string `json:",omitempty"`
	Skip           int    `json:",omitempty"`
	Take           int
}

// ListTransferRecordsResponse lists transfers, newest first.
type ListTransferRecordsResponse struct {
	List[TransferRecordWithErrorCodes]
	ThereAreMoreItems bool
}

// TransferRecordWithErrorCodes is a listed transfer and how it ended.
type TransferRecordWithErrorCodes struct {
	TransferRecord TransferRecord
	ResultCode     int
	ErrorCodes     []ErrorCode
}

// LookupBillsRequest asks what an account owes; it must precede the paying
// SendTransfer of a product with LookupBillsRequired.
type LookupBillsRequest struct {
	SkuCode       string
	AccountNumber string
	Settings      []Setting `json:",omitempty"`
}

// LookupBillsResponse lists what can be paid.
type LookupBillsResponse = List[Bill]

// Bill is something to pay: BillRef goes into SendTransferRequest.
type Bill struct {
	Price          Price
	BillRef        string
	AdditionalInfo Params `json:",omitempty"`
}

// UnmarshalJSON reads texts that can be stored, and tolerates as ErrorCode's does.
func (b *Bill) UnmarshalJSON(data []byte) error {
	type wire Bill
	err := json.Unmarshal(data, (*wire)(b))
	b.BillRef = storable(b.BillRef)
	b.Price.clean()
	return tolerate(err)
}

// EstimationRequest asks for one price. Only one of SendValue and ReceiveValue may be given (INTERFACE.md,
// EstimatePrices rules).
type EstimationRequest struct {
	SendValue       Decimal `json:",omitempty"`
	SendCurrencyIso string  `json:",omitempty"`
	ReceiveValue    Decimal `json:",omitempty"`
	SkuCode         string
	BatchItemRef    string // unique among the requests of one call
}

// EstimatePricesResponse lists the estimates, in the order of their requests.
type EstimatePricesResponse = List[EstimatedPrice]

// EstimatedPrice is the answer to one EstimationRequest; Price is present only if its own ResultCode is 1 or
// 2.
type EstimatedPrice struct {
	Price        *Price `json:",omitempty"`
	SkuCode      string `json:",omitempty"`
	BatchItemRef string
	ResultCode   int
	ErrorCodes   []ErrorCode
}

// UnmarshalJSON reads texts that can be stored, and tolerates as ErrorCode's does.
func (e *EstimatedPrice) UnmarshalJSON(data []byte) error {
	type wire EstimatedPrice
	err := json.Unmarshal(data, (*wire)(e))
	e.Price.clean()
	return tolerate(err)
}

// CancellationRequest asks to cancel one Batch transfer.
type CancellationRequest struct {
	TransferId   TransferId
	BatchItemRef string // unique among the requests of one call
}

// CancelTransfersResponse lists the outcomes, in the order of their requests.
type CancelTransfersResponse = List[TransferWithState]

// TransferWithState is the answer to one CancellationRequest: only
// StateCancelled is a cancellation.
type TransferWithState struct {
	TransferId      TransferId
	ProcessingState ProcessingState
	BatchItemRef    string
	ResultCode      int
	ErrorCodes      []ErrorCode
}

// UnmarshalJSON reads texts that can be stored, and tolerates as ErrorCode's does.
func (t *TransferWithState) UnmarshalJSON(data []byte) error {
	type wire TransferWithState
	err := json.Unmarshal(data, (*wire)(t))
	t.ProcessingState = storable(t.ProcessingState)
	return tolerate(err)
}
