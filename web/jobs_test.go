package web

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/alert"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// TestFailedJobsAreCalledByTheirNames wherever somebody is told of one.
func TestFailedJobsAreCalledByTheirNames(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	b.giveUp(tried(2, "boom"))
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

// tried is what River stores of a try that failed.
func tried(attempt int, text string) string {
	return fmt.Sprintf(`{"at":"2026-03-01T14:00:00Z","attempt":%d,"error":%q,"trace":""}`, attempt, text)
}

// giveUp has a job have been given up on, at its second try.
func (b *bench) giveUp(failed string) {
	b.t.Helper()
	require.NoError(b.t, b.db.Tx(b.t.Context(), func(tx *store.Tx) error {
		list := "?"
		if b.db.Dialect() == store.Postgres {
			list = "ARRAY[?::jsonb]"
		} else {
			failed = "[" + failed + "]"
		}
		return tx.Exec("INSERT INTO river_job (kind, state, args, max_attempts, attempt, finalized_at, errors) "+
			"VALUES ('report.refresh', 'discarded', '{}', 2, 2, ?, "+list+")", b.clock(), failed).Error
	}))
}

// TestAFailedJobSaysWhyInTheReadersLanguage: a sentence for each kind of failure, the program's own text folded away,
// also of what River stored before failures had a reason.
func TestAFailedJobSaysWhyInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	for _, failed := range []string{
		tried(2, "[service] GetBalance: dial tcp: refused"), tried(2, "[alert.no-answer] alert: mail"),
		tried(2, "boom: runtime error"), tried(2, "[of.an-earlier-release] boom"), tried(1, "[timedOut] of the try before"),
	} {
		b.giveUp(failed)
	}
	w := b.signIn(staff.Admin)
	w.post("/language", url.Values{"language": {"es"}, "next": {"/"}})
	page := w.get("/admin/jobs").page(t)
	var said []string
	page.Find(`td[data-column="Por qué"] > bdi`).Each(func(_ int, s *goquery.Selection) { said = append(said, s.Text()) })
	logged := regexp.MustCompile(`^Falló por un motivo que está en el registro: intento 2, 1 mar 2026, \d\d:00\.$`)
	require.Len(t, said, 5, page.Find("main").Text())
	require.Equal(t, "El proceso que la ejecutaba acabó antes de completarla.", said[0], "nothing is stored of its last try")
	require.Regexp(t, logged, said[1])
	require.Regexp(t, logged, said[2])
	require.Equal(t, "El receptor de alertas no respondió.", said[3])
	require.Equal(t, "El servicio de recargas no respondió.", said[4])
	var folded []string
	page.Find(`details [lang="en"]`).Each(func(_ int, s *goquery.Selection) { folded = append(folded, s.Text()) })
	require.Equal(t, []string{"boom", "boom: runtime error", "alert: mail", "GetBalance: dial tcp: refused"}, folded)
	require.Equal(t, "Detalle técnico", page.Find("details summary").Last().Text())
}
