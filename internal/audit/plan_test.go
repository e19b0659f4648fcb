package audit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// TestEntriesAreFoundWithoutReadingTheTrail: what an admin without single sign-on did is asked for each minute, and the
// page of the audit for what somebody did, or for one act. Of a trail of years they read all that is newer.
func TestEntriesAreFoundWithoutReadingTheTrail(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		log := newLog(db)
		asked := storetest.Recorded(t, db)
		day, sale := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), audit.Of(audit.Sale, "x")
		for _, c := range []struct {
			index string
			audit.Filter
		}{
			{"audit_entries_by_act", audit.Filter{Act: audit.UserBreakGlass, Limit: 1}},
			{"audit_entries_by_person", audit.Filter{UserID: "x", BeforeSeq: 9, From: day}},
			{"audit_entries_by_subject", audit.Filter{Subject: sale, To: day}},
			{"audit_entries_by_subject", audit.Filter{Subject: sale, Act: audit.SaleApproved, UserID: "x"}},
		} {
			*asked = nil
			_, err := log.List(t.Context(), c.Filter)
			require.NoError(t, err)
			require.Len(t, *asked, 1)
			require.Contains(t, storetest.Plan(t, db, (*asked)[0].SQL, (*asked)[0].Args...), c.index)
		}
		*asked = nil
		_, err := log.Of(t.Context(), audit.SaleApproved, []audit.Subject{sale, audit.Of(audit.Sale, "y")})
		require.NoError(t, err)
		of := append(*asked, log.Asks(sale, audit.SaleApproved, new([]audit.Record)).Query())
		require.Len(t, of, 2)
		for _, q := range of {
			require.Contains(t, storetest.Plan(t, db, q.SQL, q.Args...), "audit_entries_by_subject", "of all approvals, those of the sales asked for")
		}
	})
}
