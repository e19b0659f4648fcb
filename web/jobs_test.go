package web

import (
	"net/http"
	"net/url"
	"strings"
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
	b := newMarket(t, storetest.New(t))
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("INSERT INTO river_job (kind, state, args, max_attempts, attempt, finalized_at) VALUES ('report.refresh', 'discarded', '{}', 1, 1, ?)", b.clock()).Error
	}))
	b.raise(alert.JobFailed, alert.Warning, "1", "report.refresh")
	w := b.signIn(staff.Admin)
	for _, path := range []string{"/admin/health", "/admin/jobs"} {
		page := w.get(path).page(t)
		require.Contains(t, page.Find("#alerts").Text(), "Keeping the reports up to date", path)
		require.Contains(t, page.Find("main").Text(), "Keeping the reports up to date", path)
	}
	today := w.get("/today").page(t)
	require.Equal(t, 1, strings.Count(today.Text(), "Keeping the reports up to date"), "said once, in the panel")
	require.Equal(t, "Alerts: 1", today.Find(".technical a").Text(), "it is not well, either")
	bar := today.Find(".alert-bar form")
	require.Equal(t, http.StatusSeeOther, w.post(bar.AttrOr("action", ""), url.Values{"next": {"/"}}).StatusCode)
	today = w.get("/today").page(t)
	require.Contains(t, today.Find(".technical a").Text(), "Keeping the reports up to date", "somebody saw it, and it goes on")
	require.Contains(t, w.get("/admin/jobs").page(t).Find("main .hint").Text(), "report.refresh", "for who looks into it")
}
