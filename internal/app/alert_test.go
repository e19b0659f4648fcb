package app

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/alert"
)

func TestAlertsAreWorded(t *testing.T) {
	t.Parallel()
	require.Equal(t, "1536 webhooks were refused in a short time (bad_signature 1500, late 30, malformed 6). Forged ones change nothing. Find out who sends them.",
		alertWords(alert.WebhookStorm, alert.Warning, []string{"1536", "bad_signature 1500, late 30, malformed 6"}))
}

func TestAFailedJobIsToldByItsName(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Jobs that failed for good: 3. The last: Updating the catalogue.", alertWords(alert.JobFailed, alert.Warning, []string{"3", "catalog.sync"}))
	require.Equal(t, "Jobs that failed for good: 1. The last: of.old.", alertWords(alert.JobFailed, alert.Warning, []string{"1", "of.old"}), "one that is no more")
}
