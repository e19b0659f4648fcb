package followup

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/jobs"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// TestASweepDoesNotReadWhatIsOver: it comes every few seconds, and of ten million
// sales it read them all.
func TestASweepDoesNotReadWhatIsOver(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.URL(t, store.SQLite)) // PostgreSQL reads small tables whole
	s := New(Deps{DB: db, Processes: jobs.NewProcesses(db, "p", time.Now)})
	dry := db.Read(t.Context())
	dry.DryRun = true
	asked := s.orphaned(dry, dry).Find(&[]sales.Sale{}).Statement
	var steps []struct{ Detail string }
	require.NoError(t, db.Read(t.Context()).Raw("EXPLAIN QUERY PLAN "+asked.SQL.String(), asked.Vars...).Scan(&steps).Error)
	require.Contains(t, fmt.Sprint(steps), "INDEX sales_not_final")
}

// Today asks for it, of one shop for its manager.
func TestWhatIsOverdueIsFoundWithoutReadingAll(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := New(Deps{DB: db, Processes: jobs.NewProcesses(db, "p", time.Now), Now: time.Now})
		asked := storetest.Recorded(t, db)
		for _, shop := range []string{"", "x"} {
			_, err := s.CountOverdue(t.Context(), shop)
			require.NoError(t, err)
		}
		require.Len(t, *asked, 2)
		for _, query := range *asked {
			require.Regexp(t, "sales_(due|not_final|open_at_till)", storetest.Plan(t, db, query.SQL, query.Args...))
		}
	})
}
