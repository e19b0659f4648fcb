package sandbox

import (
	"encoding/json"
	"net/http"

	"airtill/internal/sandbox/catalogue"
)

// The result codes of every response.
const (
	resultSuccess   = 1
	resultWarning   = 2
	resultTransient = 3
	resultClient    = 4
	resultServer    = 5
)

// The error codes and contexts of the interface, section Errors.
const (
	nearestMatch         = "NearestMatch"
	rateLimited          = "RateLimited"
	transientProvider    = "TransientProviderError"
	accountInvalid       = "AccountNumberInvalid"
	authenticationFailed = "AuthenticationFailed"
	batchRefNotUnique    = "BatchItemRefMustBeUnique"
	combinationInvalid   = "ParameterCombinationInvalid"
	parameterInvalid     = "ParameterInvalid"
	parameterMissing     = "ParameterMissing"
	parameterOutOfRange  = "ParameterOutOfRange"
	requestInvalid       = "RequestInvalid"
	tooManyParameters    = "TooManyParameters"
	duplicatePrevented   = "DuplicateTransactionPrevented"
	insufficientBalance  = "InsufficientBalance"
	otherError           = "OtherError"
	providerError        = "ProviderError"

	cannotSupply          = "ProviderCannotSupplyRequestReceiveValue"
	stillInProgress       = "TransactionStillInProgress"
	providerTimedOut      = "ProviderTimedOut"
	providerRefused       = "ProviderRefusedRequest"
	providerUnavailable   = "ProviderTemporarilyUnavailable"
	productUnavailable    = "ProductUnavailable"
	failedRegex           = "AccountNumberFailedRegex"
	rechargeNotAllowed    = "RechargeNotAllowed"
	tokenExpired          = "TokenExpired"
	multipleRecords       = "MultipleRecordsMatched"
	instantNotCancellable = "InstantTransfersCannotBeCancelled"
	noRecordsFound        = "NoRecordsFound"
)

// apiError is the Error record.
type apiError struct {
	Code    string
	Context string `json:",omitempty"`
}

// classify returns the ResultCode and HTTP status of an error code.
func classify(code string) (result, status int) {
	switch code {
	case nearestMatch:
		return resultWarning, http.StatusOK
	case rateLimited:
		return resultTransient, http.StatusTooManyRequests
	case transientProvider:
		return resultTransient, http.StatusServiceUnavailable
	case authenticationFailed:
		return resultClient, http.StatusUnauthorized
	case insufficientBalance, otherError, providerError:
		return resultServer, http.StatusInternalServerError
	}
	return resultClient, http.StatusBadRequest
}

// envelope is what every response carries.
type envelope struct {
	ResultCode int
	ErrorCodes []apiError
}

func success() envelope { return envelope{ResultCode: resultSuccess, ErrorCodes: []apiError{}} }

func failure(errs ...apiError) envelope {
	result, _ := classify(errs[0].Code)
	return envelope{ResultCode: result, ErrorCodes: errs}
}

// listResponse is an envelope with items.
type listResponse[T any] struct {
	envelope
	Items []T
}

// reply is an answer before it is written.
type reply struct {
	status     int
	body       any      // encoded as JSON, unless parts are given
	parts      [][]byte // JSON ready to be written
	retryAfter int      // seconds; 0: no header
}

func answer(body any) reply { return reply{status: http.StatusOK, body: body} }

// transientRetry is the Retry-After of transient errors, in seconds.
const transientRetry = 10

// refuse is a bare envelope with the status of its first error.
func refuse(errs ...apiError) reply { return refuseWith(failure(errs...), errs[0]) }

// refuseWith is a body of the endpoint's own with the status of an error.
func refuseWith(body any, e apiError) reply {
	result, status := classify(e.Code)
	r := reply{status: status, body: body}
	if result == resultTransient {
		r.retryAfter = transientRetry
	}
	return r
}

// encode returns the bytes of a reply's body.
func (r *reply) encode() ([][]byte, error) {
	if r.parts != nil {
		return r.parts, nil
	}
	body, err := json.Marshal(r.body)
	return [][]byte{body}, err
}

// transferID is the TransferId record.
type transferID struct{ TransferRef, DistributorRef string }

// transferRecord is the TransferRecord of the wire.
type transferRecord struct {
	TransferID        *transferID `json:"TransferId,omitempty"`
	SkuCode           string
	Price             *catalogue.Price `json:",omitempty"`
	CommissionApplied catalogue.Decimal
	StartedUtc        string `json:",omitempty"`
	CompletedUtc      string `json:",omitempty"`
	ProcessingState   string
	ReceiptText       string            `json:",omitempty"`
	ReceiptParams     map[string]string `json:",omitempty"`
	AccountNumber     string
}

// transferResponse is the SendTransferResponse and the body of a webhook.
type transferResponse struct {
	TransferRecord *transferRecord `json:",omitempty"`
	envelope
}
