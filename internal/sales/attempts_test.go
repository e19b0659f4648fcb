package sales_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

func TestTryAgain_AfterAbsenceWaitsAnHourOrForAManager(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.Absent()
		_, err := w.Sales.TryAgain(t.Context(), sale.ID, w.Act())
		require.Equal(t, sales.StopRetryEarly, sales.Approvable(err))
		again := w.Again(sale)
		require.Equal(t, 2, again.Attempt)
		entries, err := w.Audit.List(t.Context(), auditOf(sale.ID))
		require.NoError(t, err)
		require.Len(t, entries, 1)
		require.Equal(t, "cashier", entries[0].UserID)
		facts, err := entries[0].Facts()
		require.NoError(t, err)
		require.Contains(t, facts, audit.Person("approver", "manager"))
		require.Equal(t, "the customer waits", entries[0].Reason)
	})
}

func TestTryAgain_AnHourAfterAbsenceNobodyIsAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	sale := w.Absent()
	w.Pass(time.Hour)
	_, err := w.Sales.TryAgain(t.Context(), sale.ID, w.Act())
	require.NoError(t, err)
}
