package catalog_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/harness/storetest"
	"airtill/internal/store"
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

// What the service says of a number whose sale is remembered, such as an answer that was late, proves less.
func TestAnAnswerDoesNotTakeTheSalesPlace(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := undecided(t, db)
		answerLookup(b.upstream, `{"ResultCode":4,"ErrorCodes":[{"Code":"AccountNumberInvalid"}],"Items":[]}`)
		for _, source := range []catalog.Source{catalog.SourceSale, catalog.SourceLookup} {
			require.NoError(t, b.Remember(t.Context(), "353871234567", "OTIE", source))
		}
		b.clock.advance(31 * 24 * time.Hour)
		require.Equal(t, catalog.SourceSale, b.lookup(t, "0871234567").Source)

		b.clock.advance(150 * 24 * time.Hour)
		require.Equal(t, catalog.SourcePattern, b.lookup(t, "0871234567").Source, "half a year later it proves nothing")
		require.NoError(t, b.Remember(t.Context(), "353871234567", "OTIE", catalog.SourceLookup))
		require.Equal(t, catalog.SourceLookup, b.lookup(t, "0871234567").Source)
	})
}
