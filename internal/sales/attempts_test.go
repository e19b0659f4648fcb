package sales_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
	"airtill/internal/harness/apptest"
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
	w.Stop()
	w.Pass(w.Get(sale.ID).FinalAt.Add(time.Hour - time.Second).Sub(w.Now()))
	_, err := w.Sales.TryAgain(t.Context(), sale.ID, w.Act())
	require.Equal(t, sales.StopRetryEarly, sales.Approvable(err))
	w.Pass(time.Second)
	_, err = w.Sales.TryAgain(t.Context(), sale.ID, w.Act())
	require.NoError(t, err)
}

// TestTryAgain_AsksWhereTheSameWasSoldSince: who sells it anew and then tries the first again may mean one of them.
func TestTryAgain_AsksWhereTheSameWasSoldSince(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale, offer, act := w.failed("1"), w.TopUp(), w.Act()
		since := w.Becomes(w.Sell(apptest.Order("2", offer), offer).ID, sales.Complete, false)
		_, err := w.Sales.TryAgain(t.Context(), sale.ID, act)
		var same *sales.DuplicateError
		require.ErrorAs(t, err, &same)
		require.Equal(t, since.ID, same.Earlier.ID)
		require.Equal(t, 1, w.Get(sale.ID).Attempt)
		act.Again = true
		after, err := w.Sales.TryAgain(t.Context(), sale.ID, act)
		require.NoError(t, err)
		w.Sales.Dispatch(after)
		w.Becomes(sale.ID, sales.Complete, false)
		w.AtRest()
	})
}

// While the same is on its way to the same number in another sale, a second attempt may give the customer two.
func TestTryAgain_WaitsForTheSameSaleThatIsOpen(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		failed, offer := w.failed("1"), w.TopUp()
		open, _, err := w.Try(apptest.Order("2", offer), offer)
		require.NoError(t, err)

		_, err = w.Sales.TryAgain(t.Context(), failed.ID, w.Act())
		var unknown *sales.UnknownError
		require.ErrorAs(t, err, &unknown)
		require.Equal(t, open.ID, unknown.Earlier.ID)
		require.Equal(t, sales.Failed, w.Get(failed.ID).Fulfilment)

		_, err = w.Sales.TryAgain(t.Context(), failed.ID, w.Approved("she wants both"))
		require.NoError(t, err)
		entries, err := w.Audit.List(t.Context(), auditOf(failed.ID))
		require.NoError(t, err)
		require.Len(t, entries, 1)
		facts, err := entries[0].Facts()
		require.NoError(t, err)
		require.Contains(t, facts, audit.Text("saleid", open.ID))
	})
}

// replaced is a sale whose first attempt was given up by absence and replaced by another.
func (w *world) replaced() (old, again sales.Sale) {
	w.T.Helper()
	old = w.Absent()
	return old, w.Again(old)
}

// checkAt is when a replaced attempt is looked for next.
func (w *world) checkAt(ref string) *time.Time {
	w.T.Helper()
	var row struct{ NextCheckAt *time.Time }
	require.NoError(w.T, w.DB.Read(w.T.Context()).Table("attempts").Where("ref = ?", ref).Scan(&row).Error)
	return row.NextCheckAt
}

// A replaced attempt is looked for in its time, the longest due first, no more at once than are asked for.
func TestDueAttempts_AreTheLongestDueFirst(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		old, again := w.replaced()
		due := func(most int) (refs []string) {
			found, err := w.Sales.DueAttempts(t.Context(), most)
			require.NoError(t, err)
			for _, a := range found {
				require.Equal(t, old.ID, a.SaleID)
				refs = append(refs, a.Ref)
			}
			return refs
		}
		require.Empty(t, due(10), "an hour after its permit at the earliest")
		w.Pass(time.Hour)
		require.Equal(t, []string{old.Ref}, due(10), "the one that is under way is looked for with its sale")
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Exec("UPDATE attempts SET permit_at = ?, next_check_at = ? WHERE ref = ?",
				store.Moment(w.Now()), store.Moment(w.Now().Add(-24*time.Hour)), again.Ref).Error
		}))
		require.Equal(t, []string{again.Ref, old.Ref}, due(10))
		require.Equal(t, []string{again.Ref}, due(1))
	})
}

// What is not listed is looked for later and later; what was put off for ever is not looked for again.
func TestLookedFor_InVainSetsTheNextTime(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		old, _ := w.replaced()
		w.Pass(time.Hour)
		due, err := w.Sales.DueAttempts(t.Context(), 1)
		require.NoError(t, err)
		require.Len(t, due, 1)
		require.NoError(t, w.Sales.LookedFor(t.Context(), due[0], nil))
		require.Equal(t, old.PermitAt.Add(6*time.Hour), w.checkAt(old.Ref).UTC())
		before := *w.checkAt(old.Ref)
		require.NoError(t, w.Sales.PutOff(t.Context(), due[0], nil))
		require.Equal(t, before, *w.checkAt(old.Ref), "it is not due, so another process has set its time meanwhile")
		w.Pass(6 * time.Hour)
		require.NoError(t, w.Sales.PutOff(t.Context(), due[0], nil))
		require.Nil(t, w.checkAt(old.Ref))
	})
}

// A replaced attempt that is listed as complete is the sale from then on: the later one is not sent, and the books say
// so. It is accounted for once.
func TestLookedFor_AnAttemptThatWasCarriedOutIsTheSale(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		old, again := w.replaced()
		w.PassUpstream(time.Hour)
		record := []apiclient.TransferRecordWithErrorCodes{{TransferRecord: w.listedAs(old)}}
		due, err := w.Sales.DueAttempts(t.Context(), 1)
		require.NoError(t, err)
		require.NoError(t, w.Sales.LookedFor(t.Context(), due[0], record))
		after := w.Get(old.ID)
		require.Equal(t, sales.Complete, after.Fulfilment)
		require.Equal(t, sales.CashEarned, after.Cash)
		require.Equal(t, old.Ref, after.Ref)
		require.True(t, after.Stopped)
		require.Nil(t, w.checkAt(old.Ref), "accounted for")
		<-w.Sales.Dispatch(again)
		require.Zero(t, w.Executed(again))
		history, booked := w.Events(t.Context(), old.ID), w.postings()
		require.NoError(t, w.Sales.LookedFor(t.Context(), due[0], record))
		require.Equal(t, history, w.Events(t.Context(), old.ID))
		require.Equal(t, booked, w.postings())
		w.AtRest()
	})
}
