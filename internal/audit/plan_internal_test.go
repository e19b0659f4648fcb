package audit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// TestEntriesAreFoundWithoutReadingTheTrail: what an admin without single sign-on did is asked for each minute, and the
// page of the audit for what somebody did, or for one act. Of a trail of years they read all that is newer.
func TestEntriesAreFoundWithoutReadingTheTrail(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		for _, c := range []struct {
			index string
			Filter
		}{
			{"audit_entries_by_act", Filter{Act: UserBreakGlass, Limit: 1}},
			{"audit_entries_by_person", Filter{UserID: "x", BeforeSeq: 9, From: day}},
			{"audit_entries_by_subject", Filter{Subject: Of(Sale, "x"), To: day}},
			{"audit_entries_by_subject", Filter{Subject: Of(Sale, "x"), Act: SaleApproved, UserID: "x", ShopID: "y"}},
		} {
			query := db.Read(t.Context()).ToSQL(func(tx *gorm.DB) *gorm.DB { return c.apply(tx).Find(&[]Record{}) })
			require.Contains(t, storetest.Plan(t, db, query), c.index, query)
		}
		several := db.Read(t.Context()).ToSQL(func(tx *gorm.DB) *gorm.DB {
			return ofSubjects(tx, SaleApproved, []Subject{Of(Sale, "x"), Of(Sale, "y")}).Find(&[]Record{})
		})
		require.Contains(t, storetest.Plan(t, db, several), "audit_entries_by_subject", "of all approvals, those of the sales listed")
		query := (&Log{}).Asks(Of(Sale, "x"), SaleApproved, new([]Record)).Query()
		require.Contains(t, storetest.Plan(t, db, query.SQL, query.Args...), "audit_entries_by_subject", "of all approvals, those of one sale")
	})
}
