package sales_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

func over(ended <-chan struct{}) bool {
	select {
	case <-ended:
		return true
	default:
		return false
	}
}

// A process that cannot trust its database sells nothing and sends nothing more; what was
// recorded is another's to send, or void after a minute.
func TestHalt_EndsSellingAndSending(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		sale, created, err := w.Try(apptest.Order("1", offer), offer)
		require.NoError(t, err)
		require.True(t, created)
		require.False(t, w.Sales.Halted())
		calls := w.Calls()
		w.Sales.Halt()
		require.True(t, w.Sales.Halted())

		require.True(t, over(w.Sales.Dispatch(sale)), "nobody waits for what is not sent")
		w.Rest()
		require.Empty(t, calls())
		require.Equal(t, sales.Recorded, w.Get(sale.ID).Fulfilment)
		other := apptest.Order("2", offer)
		other.AccountNumber = "353879999999"
		_, _, err = w.Try(other, offer)
		require.Error(t, err)
		require.NotEmpty(t, fault.KindOf(err), "the cashier is told")

		w.Begin("process-2")
		w.Sales.Dispatch(sale)
		require.Equal(t, 1, w.Executed(w.Becomes(sale.ID, sales.Complete, false)))
		w.AtRest()
	})
}

func TestDrain_LeavesWhatIsNotSentToOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.TopUp()
	sale, _, err := w.Try(apptest.Order("1", offer), offer)
	require.NoError(t, err)
	calls := w.Calls()
	w.Rest()
	require.True(t, over(w.Sales.Dispatch(sale)))
	require.Empty(t, calls())
	require.Equal(t, sales.Recorded, w.Get(sale.ID).Fulfilment)
}

// Drain waits for a send that is under way, as long as it may.
func TestDrain_WaitsForWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.TopUp()
	w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"hang"}}`)
	sale := w.Sell(apptest.Order("1", offer), offer)
	w.Until(func() bool { return w.Get(sale.ID).Fulfilment == sales.Sending })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, w.Sales.Drain(ctx), context.DeadlineExceeded)
	require.Equal(t, 1, w.Sales.Sending())
	w.Upstream.CloseClientConnections()
	w.Rest()
	require.Zero(t, w.Sales.Sending())
	require.Equal(t, sales.Unknown, w.Get(sale.ID).Fulfilment, "its end is written")
}

func TestDispatchSoon_WaitsAMomentForTheOutcome(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.TopUp()
	w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"hang"}}`)
	sale, _, err := w.Try(apptest.Order("1", offer), offer)
	require.NoError(t, err)
	w.Sales.DispatchSoon(t.Context(), sale) // comes back though nothing answers
	require.Contains(t, []sales.State{sales.Recorded, sales.Sending}, w.Get(sale.ID).Fulfilment)
	w.Upstream.CloseClientConnections()
	w.Becomes(sale.ID, sales.Unknown, false)
}

// However often a sale is dispatched, by whichever process, one permit sends it.
func TestDispatch_OfOneSaleSendsItOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		sale, _, err := w.Try(apptest.Order("1", offer), offer)
		require.NoError(t, err)
		calls := w.Calls()
		var all []<-chan struct{}
		for range 10 {
			all = append(all, w.Sales.Dispatch(sale))
		}
		for _, ended := range all {
			<-ended
		}
		after := w.Get(sale.ID)
		require.Equal(t, sales.Complete, after.Fulfilment)
		require.Equal(t, 1, after.Permits)
		require.Equal(t, []string{"SendTransfer"}, calls())
		require.Equal(t, 1, w.Executed(after))
		w.AtRest()
	})
}

func TestDispatch_TooLateVoidsInsteadOfSending(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		sale, _, err := w.Try(apptest.Order("1", offer), offer)
		require.NoError(t, err)
		calls := w.Calls()
		w.Pass(sales.VoidAfter)
		<-w.Sales.Dispatch(sale)
		after := w.Get(sale.ID)
		require.Equal(t, sales.Voided, after.Fulfilment)
		require.Equal(t, sales.CashRefundDue, after.Cash)
		require.NotContains(t, calls(), "SendTransfer")
	})
}

// Two complete transfers of one ref are what must never be; a list that shifts while it is
// read shows one of them twice, and that is nothing.
func TestObserveListed_TellsTwoTransfersFromOneThatIsListedTwice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*apiclient.TransferRecord)
		twice  bool
	}{
		"one that is listed twice": {func(*apiclient.TransferRecord) {}, false},
		"one that failed before": {func(r *apiclient.TransferRecord) {
			r.ProcessingState, r.TransferId = apiclient.StateFailed, &apiclient.TransferId{TransferRef: "1", DistributorRef: r.TransferId.DistributorRef}
		}, false},
		"two": {func(r *apiclient.TransferRecord) {
			r.TransferId = &apiclient.TransferId{TransferRef: "another", DistributorRef: r.TransferId.DistributorRef}
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.New(t))
			sale := w.lost("1")
			first := w.listedAs(sale)
			second := first
			c.change(&second)
			var items []apiclient.TransferRecordWithErrorCodes // in whatever order
			for _, record := range []apiclient.TransferRecord{second, first, second} {
				items = append(items, apiclient.TransferRecordWithErrorCodes{TransferRecord: record})
			}
			after, err := w.Sales.ObserveListed(t.Context(), sale, items)
			require.NoError(t, err)
			require.Equal(t, sales.Complete, after.Fulfilment)
			require.Equal(t, c.twice, len(w.Incidents()) == 1, "%v", w.Incidents())
			if c.twice {
				require.Equal(t, []sales.IncidentKind{sales.ExecutedTwice}, w.Incidents())
			} else {
				require.Empty(t, w.Incidents())
			}
		})
	}
}

// A PIN is seen by who asked for it, for ten minutes; the second time says why.
func TestReveal_IsRememberedByWhoSawIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.PINOffer()
		o := apptest.Order("1", offer)
		o.AccountNumber = apiclient.DefaultPINAccountNumber
		sale := w.Becomes(w.Sell(o, offer).ID, sales.Complete, false)
		shown := func(user string) (now, ever bool) {
			now, ever, err := w.Sales.Shown(t.Context(), sale.ID, user)
			require.NoError(t, err)
			return now, ever
		}
		now, ever := shown("cashier")
		require.False(t, now || ever)
		require.NoError(t, w.Sales.Reveal(t.Context(), sale.ID, w.Act()))
		happened := len(w.Events(t.Context(), sale.ID))
		now, ever = shown("cashier")
		require.True(t, now && ever)
		now, ever = shown("another")
		require.True(t, !now && ever, "another asks for itself")

		require.NoError(t, w.Sales.Reveal(t.Context(), sale.ID, w.Act()), "its answer was lost, or the page loaded twice")
		again := w.Act()
		again.Actor.UserID = "another"
		require.Equal(t, "reason", fault.FieldOf(w.Sales.Reveal(t.Context(), sale.ID, again)))
		require.Len(t, w.Events(t.Context(), sale.ID), happened)
		act := w.Act()
		act.Reason = "the printer had no paper"
		require.NoError(t, w.Sales.Reveal(t.Context(), sale.ID, act))
		w.Pass(10 * time.Minute)
		now, ever = shown("cashier")
		require.True(t, !now && ever)
	})
}

// After a restore nobody knows what became of the attempts of the time that was lost.
func TestTryAgain_NeverRepeatsWhatWasSentBeforeARestore(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"AccountNumberInvalid"}}`)
		sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Failed, false)
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			_, err := sales.NewInstallation(tx, w.Now())
			return err
		}))
		_, err := w.Sales.TryAgain(t.Context(), sale.ID, w.Act())
		require.Equal(t, fault.Conflict, fault.KindOf(err))
		require.Contains(t, fault.Message(err), "restore")
		require.Equal(t, 1, w.Get(sale.ID).Attempt)
		next := w.soldTo("2", "353879999999")
		require.NotEqual(t, sale.Ref[:4], next.Ref[:4])
	})
}
