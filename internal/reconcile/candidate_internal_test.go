package reconcile

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestWhatIsBookedAsNotChargedExplainsNoMore: its money came once, though somebody proposes to take the booking back.
func TestWhatIsBookedAsNotChargedExplainsNoMore(t *testing.T) {
	t.Parallel()
	b := Break{Kind: MissingUpstream, State: Open, Micros: 5, Currency: "EUR"}
	all, err := missingCauses(nil, "EUR", []Break{b})
	require.NoError(t, err)
	require.Len(t, all, 1)
	b.State, b.Resolution, b.ResolvedBy, b.ResolvedAt = Proposed, Journal, "finance", &time.Time{}
	all, err = missingCauses(nil, "EUR", []Break{b})
	require.NoError(t, err)
	require.Empty(t, all)
}
