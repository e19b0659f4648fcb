package sandbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/money"
)

func TestFault_LostRecordIsExecutedAndNeverListed(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"limits":false}`)
	l.fault(`{"match":{"endpoint":"SendTransfer","ref":"A"},"action":{"kind":"lost_record"}}`)
	l.send("A", nil).is(t, 200, 1, "")
	require.Equal(t, 1, l.entry("A").TimesExecuted)
	require.Empty(t, l.list(`,"DistributorRef":"A"`))
	l.advance(40 * 24 * time.Hour)
	require.Empty(t, l.list(""))
}

func TestFault_ShortRefundKeepsAPartBack(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"limits":false}`)
	l.fault(`{"match":{"endpoint":"Provider","ref":"A"},"action":{"kind":"error","code":"ProviderError"}}`)
	l.fault(`{"match":{"endpoint":"Provider","ref":"A"},"action":{"kind":"short_refund","amount":"0.30"}}`)
	l.sendBatch("A")
	l.advance(30 * time.Second)
	l.reaches("A", "Processing")
	l.advance(65 * time.Second)
	l.reaches("A", "Failed")
	e := l.entry("A")
	deducted, err := money.Parse(e.Deducted, "EUR")
	require.NoError(t, err)
	refunded, err := deducted.Sub(money.MustParse("0.30", "EUR"))
	require.NoError(t, err)
	require.Equal(t, refunded.Decimal(2), e.Refunded)
}

// A batch transfer that fails earns no commission, whatever was set for it.
func TestFault_ARequotedBatchThatFailsEarnsNothing(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"limits":false}`)
	before := l.ledger().Balance
	l.fault(`{"match":{"endpoint":"SendTransfer","ref":"A"},"action":{"kind":"requote","amount":"0.40","commission":"0.11"}}`)
	l.fault(`{"match":{"endpoint":"Provider","ref":"A"},"action":{"kind":"error","code":"ProviderError"}}`)
	l.sendBatch("A")
	l.advance(30 * time.Second)
	l.reaches("A", "Processing")
	l.advance(65 * time.Second)
	l.reaches("A", "Failed")
	require.Equal(t, "0.00", l.entry("A").Commission)
	require.Equal(t, before, l.ledger().Balance)
}

// A commission that is set is the one given, even none at all.
func TestFault_ASaleRequotedWithoutCommissionEarnsNone(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.fault(`{"match":{"endpoint":"SendTransfer","ref":"A"},"action":{"kind":"requote","commission":"0.00"}}`)
	require.Equal(t, 200, l.send("A", nil).status)
	require.Equal(t, "0.00", l.entry("A").Commission)
}
