package sales_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/sales"
)

// What the upstream said is quoted to whoever asks it about a sale; that it said nothing is no code of its own.
func TestOnlyTheirReasonsAreQuoted(t *testing.T) {
	t.Parallel()
	for code, quoted := range map[string]string{
		"ProviderError": "ProviderError RechargeNotAllowed", "NoReply": "", "UnreadableReply": "", "ForeignRecord": "",
		"UnknownState": "", sales.ReasonNotExecuted: "", sales.ReasonDecided: "",
		sales.ReasonCalledOff: "", sales.ReasonNotReached: "",
	} {
		require.Equal(t, quoted, sales.Outcome{ReasonCode: code, ReasonContext: "RechargeNotAllowed"}.TheirCode(), code)
	}
}
