package apiclient

// Error codes (INTERFACE.md, Error codes and contexts). The service may add
// more at any time.
const (
	CodeNearestMatch                  = "NearestMatch"
	CodeRateLimited                   = "RateLimited"
	CodeTransientProviderError        = "TransientProviderError"
	CodeAccountNumberInvalid          = "AccountNumberInvalid"
	CodeAuthenticationFailed          = "AuthenticationFailed"
	CodeBatchItemRefMustBeUnique      = "BatchItemRefMustBeUnique"
	CodeParameterCombinationInvalid   = "ParameterCombinationInvalid"
	CodeParameterInvalid              = "ParameterInvalid"
	CodeParameterMissing              = "ParameterMissing"
	CodeParameterOutOfRange           = "ParameterOutOfRange"
	CodeRequestInvalid                = "RequestInvalid"
	CodeDuplicateTransactionPrevented = "DuplicateTransactionPrevented"
	CodeInsufficientBalance           = "InsufficientBalance"
	CodeOtherError                    = "OtherError"
	CodeProviderError                 = "ProviderError"
)

// Contexts of error codes (INTERFACE.md, Error codes and contexts).
const (
	ContextProviderCannotSupplyRequestReceiveValue = "ProviderCannotSupplyRequestReceiveValue"
	ContextTransactionStillInProgress              = "TransactionStillInProgress"
	ContextProviderTimedOut                        = "ProviderTimedOut"
	ContextProviderTemporarilyUnavailable          = "ProviderTemporarilyUnavailable"
	ContextProductUnavailable                      = "ProductUnavailable"
	ContextAccountTemporarilyUnavailable           = "AccountTemporarilyUnavailable"
	ContextAccountNumberFailedRegex                = "AccountNumberFailedRegex"
	ContextTokenExpired                            = "TokenExpired"
	ContextMultipleRecordsMatched                  = "MultipleRecordsMatched"
	ContextInstantTransfersCannotBeCancelled       = "InstantTransfersCannotBeCancelled"
	ContextNoRecordsFound                          = "NoRecordsFound"
	ContextProviderUnknownError                    = "ProviderUnknownError"
	ContextRechargeNotAllowed                      = "RechargeNotAllowed"
)
