package app

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/alert"
)

func TestAlertsAreWorded(t *testing.T) {
	t.Parallel()
	require.Equal(t, "1536 webhooks were refused in a short time (bad_signature 1500, late 30, malformed 6).",
		alertWords(alert.WebhookStorm, alert.Warning, []string{"1536", "bad_signature 1500, late 30, malformed 6"}))
}

func TestAFailedJobIsToldByItsName(t *testing.T) {
	t.Parallel()
	require.Equal(t, "3 failed jobs were given up on, the last: Synchronising the catalogue.", alertWords(alert.JobFailed, alert.Warning, []string{"3", "catalog.sync"}))
	require.Equal(t, "1 failed jobs were given up on, the last: of.old.", alertWords(alert.JobFailed, alert.Warning, []string{"1", "of.old"}), "one that is no more")
}
