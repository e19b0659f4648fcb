package sandbox

// errorDescription is the ErrorDescription record.
type errorDescription struct{ Message, Code string }

// getErrorCodeDescriptions describes every code and context there is.
func (s *Service) getErrorCodeDescriptions(*call) reply {
	return answer(listResponse[errorDescription]{envelope: success(), Items: []errorDescription{
		{"The request was fulfilled with the nearest valid result.", nearestMatch},
		{"The provider cannot supply exactly the requested receive value.", cannotSupply},
		{"Too many simultaneous requests, or too many for this account number.", rateLimited},
		{"A similar transaction is still in progress.", stillInProgress},
		{"The provider has a temporary problem.", transientProvider},
		{"The provider did not answer in time.", providerTimedOut},
		{"The provider refused the request.", providerRefused},
		{"The provider is temporarily unavailable.", providerUnavailable},
		{"The product is unavailable.", productUnavailable},
		{"The account is temporarily unavailable.", "AccountTemporarilyUnavailable"},
		{"The account number is not valid.", accountInvalid},
		{"The account number does not have the form the provider expects.", failedRegex},
		{"The credentials are missing or not valid.", authenticationFailed},
		{"The access token has expired.", tokenExpired},
		{"Each BatchItemRef must be unique within the request.", batchRefNotUnique},
		{"The combination of parameters is not permitted.", combinationInvalid},
		{"A parameter is not valid.", parameterInvalid},
		{"A required parameter is missing.", parameterMissing},
		{"A parameter lies outside its permitted range.", parameterOutOfRange},
		{"The request is not valid.", requestInvalid},
		{"More than one record matched.", multipleRecords},
		{"Instant transfers cannot be cancelled.", instantNotCancellable},
		{"No record was found.", noRecordsFound},
		{"A parameter has too many values.", tooManyParameters},
		{"The DistributorRef has been used already.", duplicatePrevented},
		{"The balance is not sufficient.", insufficientBalance},
		{"An error occurred that fits no other description.", otherError},
		{"The provider reported an error.", providerError},
		{"The provider reported an unknown error.", "ProviderUnknownError"},
		{"The product or amount cannot be sent to this account.", rechargeNotAllowed},
	}})
}
