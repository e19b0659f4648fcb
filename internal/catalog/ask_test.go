package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/harness/storetest"
)

// A service that does not let us in says nothing about the number.
func TestARefusedCredentialIsNoAnswerAboutANumber(t *testing.T) {
	t.Parallel()
	b := undecided(t, storetest.New(t))
	answerLookup(b.upstream, `{"ResultCode":4,"ErrorCodes":[{"Code":"AuthenticationFailed","Context":"TokenExpired"}]}`)
	require.Equal(t, catalog.FoundChoice, b.lookup(t, "0871234567").Outcome)

	answerLookup(b.upstream, `{"ResultCode":1,"CountryIso":"IE","Items":[{"ProviderCode":"OTIE","RegionCode":"IE"}]}`)
	require.Equal(t, []string{"OTIE"}, codes(b.lookup(t, "0871234567").Candidates), "asked again, not a day later")
}
