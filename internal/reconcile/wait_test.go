package reconcile

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

func TestALookUpWaitsAsLongAsItIsTold(t *testing.T) {
	t.Parallel()
	told := func(after time.Duration) error {
		return fmt.Errorf("look up: %w", &apiclient.Error{Op: "ListTransferRecords", Status: 429, RetryAfter: after})
	}
	require.Equal(t, 4*time.Minute, wait(told(4*time.Minute)))
	require.Equal(t, lookAgain, wait(told(time.Second)), "never sooner than we would by ourselves")
	require.Equal(t, lookAgain, wait(fmt.Errorf("connection reset")))
}
