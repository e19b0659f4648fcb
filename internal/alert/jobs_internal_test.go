package alert

import (
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"
)

func TestAMessageWaitsTwoDaysForItsReceiver(t *testing.T) {
	t.Parallel()
	var waits time.Duration
	for failed := range sendTries - 1 {
		row := &rivertype.JobRow{Errors: make([]rivertype.AttemptError, failed)}
		waits += time.Until(new(river.DefaultClientRetryPolicy).NextRetry(row))
	}
	require.InDelta(t, 48, waits.Hours(), 8)
}
