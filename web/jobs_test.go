package web

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/alert"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// TestFailedJobsAreCalledByTheirNames wherever somebody is told of one.
func TestFailedJobsAreCalledByTheirNames(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("INSERT INTO river_job (kind, state, args, max_attempts, attempt, finalized_at) VALUES ('report.refresh', 'discarded', '{}', 1, 1, ?)", b.clock()).Error
	}))
	b.raise(alert.JobFailed, alert.Warning, "1", "report.refresh")
	w := b.signIn(staff.Admin)
	for _, path := range []string{"/today", "/admin/health", "/admin/jobs"} {
		page := w.get(path).page(t)
		require.Contains(t, page.Find("#alerts").Text(), "Keeping the reports up to date", path)
		require.Contains(t, page.Find("main").Text(), "Keeping the reports up to date", path)
	}
	require.Contains(t, w.get("/admin/jobs").page(t).Find("main .hint").Text(), "report.refresh", "for who looks into it")
}
