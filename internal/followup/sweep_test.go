package followup_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

func TestALostReplyIsFoundByLookingItUp(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]string{
		"dropped":      `{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"}}`,
		"reset":        `{"match":{"endpoint":"SendTransfer"},"action":{"kind":"reset","when":"after"}}`,
		"cut":          `{"match":{"endpoint":"SendTransfer"},"action":{"kind":"cut","bytes":40}}`,
		"html":         `{"match":{"endpoint":"SendTransfer"},"action":{"kind":"html","when":"after"}}`,
		"wrong record": `{"match":{"endpoint":"SendTransfer"},"action":{"kind":"wrong_record"}}`,
		"fifty MB":     `{"match":{"endpoint":"SendTransfer"},"action":{"kind":"big_body"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				w := newWorld(t, db)
				offer := w.TopUp()
				w.Fault(fault)
				sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Unknown, false)
				require.Equal(t, sales.CashTaken, sale.Cash)
				w.Pass(3 * time.Second)
				sale = w.Becomes(sale.ID, sales.Complete, true)
				require.Equal(t, 1, w.Executed(sale))
				w.AtRest()
			})
		})
	}
}

// TestAClockThatWasAheadPutsOffNoLookUp: it was set right, and the customer waits.
func TestAClockThatWasAheadPutsOffNoLookUp(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"}}`)
		sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Unknown, false)
		ahead := store.Moment(w.Now().Add(3 * time.Hour))
		require.NoError(t, db.Exec(t.Context(), "UPDATE sales SET permit_at = ?, updated_at = ?, next_check_at = ?", ahead, ahead, ahead))
		due, err := w.FollowUp.Due(t.Context())
		require.NoError(t, err)
		require.True(t, due)
		require.NoError(t, w.FollowUp.Sweep(t.Context()))
		sale, err = w.Sales.Get(t.Context(), sale.ID, "")
		require.NoError(t, err)
		require.Equal(t, sales.Complete, sale.Fulfilment)
		due, err = w.FollowUp.Due(t.Context())
		require.NoError(t, err)
		require.False(t, due)
		w.AtRest()
	})
}

func TestNotExecutedIsDecidedByAbsenceAlone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		control := apptest.Order("0", offer)
		control.AccountNumber = "353871111111"
		w.Becomes(w.Sell(control, offer).ID, sales.Complete, false)

		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"before"}}`)
		sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Unknown, false)
		began := w.Now()
		for sale.Fulfilment == sales.Unknown {
			require.Less(t, w.Now().Sub(began), 17*time.Minute)
			w.Pass(30 * time.Second)
			require.NoError(t, w.FollowUp.Sweep(t.Context()))
			var err error
			sale, err = w.Sales.Get(t.Context(), sale.ID, "")
			require.NoError(t, err)
		}
		require.Equal(t, sales.Failed, sale.Fulfilment)
		require.Equal(t, sales.CashRefundDue, sale.Cash)
		require.GreaterOrEqual(t, w.Now().Sub(began), 15*time.Minute)
		require.Zero(t, w.Executed(sale))
		w.AtRest()
	})
}

func TestAListThatIsEmptyByMistakeDecidesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.TopUp()
	control := apptest.Order("0", offer)
	control.AccountNumber = "353871111111"
	w.Becomes(w.Sell(control, offer).ID, sales.Complete, false)
	w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"}}`)
	w.Fault(`{"match":{"endpoint":"ListTransferRecords"},"action":{"kind":"list_empty"},"times":-1}`)
	sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Unknown, false)
	for range 60 {
		w.Pass(time.Minute)
		require.NoError(t, w.FollowUp.Sweep(t.Context()))
	}
	w.Becomes(sale.ID, sales.Unknown, false)
	w.Call("DELETE", "/_sandbox/faults", "", nil)
	w.Pass(2 * time.Hour)
	w.Becomes(sale.ID, sales.Complete, true)
	w.AtRest()
}

func TestWithTheUpstreamAwayNothingIsSentAndTheCashIsDueBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		require.NoError(t, w.Upstream.Listener.Close())
		w.Client.Close() // on a kept connection nobody could prove that nothing left
		sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Voided, true)
		require.Equal(t, sales.CashRefundDue, sale.Cash)
		require.Equal(t, sales.MaxPermits, sale.Permits)
	})
}

func TestARecordedSaleIsSentByTheSweepOrVoided(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		left, _, err := w.Try(apptest.Order("1", offer), offer) // its process died before it was sent
		require.NoError(t, err)
		w.Pass(6 * time.Second)
		require.Equal(t, 1, w.Executed(w.Becomes(left.ID, sales.Complete, true)))

		o := apptest.Order("2", offer)
		o.Again = true
		late, _, err := w.Try(o, offer)
		require.NoError(t, err)
		w.Pass(61 * time.Second)
		require.Zero(t, w.Executed(w.Becomes(late.ID, sales.Voided, true)))
		w.Sales.Dispatch(late) // a dispatcher that wakes up now may not send
		w.Pass(time.Minute)
		w.Becomes(late.ID, sales.Voided, true)
		w.AtRest()
	})
}

func TestAPermitOfADeadProcessIsUnknownThenFound(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		sale, _, err := w.Try(apptest.Order("1", offer), offer)
		require.NoError(t, err)
		_, err = w.Sales.Observe(t.Context(), sale.ID, sales.Observation{Cause: sales.Permitted, At: w.Now(), Permit: sales.Permit{By: "dead"}})
		require.NoError(t, err)
		require.NoError(t, w.FollowUp.Sweep(t.Context()))
		w.Becomes(sale.ID, sales.Unknown, false)
		w.Sales.Dispatch(sale) // the attempt had its permit: nobody sends it again
		w.Pass(time.Minute)
		require.NoError(t, w.FollowUp.Sweep(t.Context()))
		require.Zero(t, w.Executed(sale))
	})
}
