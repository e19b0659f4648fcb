package sales_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/ledger"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// codeOf is the code of a refusal.
func codeOf(err error) string {
	var refusal *fault.Error
	if errors.As(err, &refusal) {
		return refusal.Code
	}
	return ""
}

// recorded is a sale that is not sent yet.
func (w *world) recorded(key string) sales.Sale {
	w.T.Helper()
	offer := w.TopUp()
	sale, created, err := w.Try(apptest.Order(key, offer), offer)
	require.NoError(w.T, err)
	require.True(w.T, created)
	return sale
}

// hinted says whether a hint of a topic has come since it was last asked.
func hinted(hints <-chan struct{}) bool {
	select {
	case <-hints:
		return true
	default:
		return false
	}
}

// A move is announced to who watches the sale and to its till, and nothing is announced that did not move.
func TestAMoveIsAnnounced(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.recorded("1")
		bus := w.Sales.Uses().Bus
		watching, stop := bus.Subscribe(sales.Topic(sale.ID))
		defer stop()
		till, stopTill := bus.Subscribe(sales.TillTopic("till"))
		defer stopTill()
		elsewhere, stopElsewhere := bus.Subscribe(sales.TillTopic("another"))
		defer stopElsewhere()

		_, err := w.Sales.Observe(t.Context(), sale.ID, sales.Observation{Cause: sales.TooLate, At: w.Now()})
		require.NoError(t, err)
		require.False(t, hinted(watching) || hinted(till), "it is not too late yet")
		_, err = w.Sales.CallOff(t.Context(), sale.ID, w.Act())
		require.NoError(t, err)
		require.True(t, hinted(watching))
		require.True(t, hinted(till))
		require.False(t, hinted(elsewhere))
	})
}

// Whoever counts what was sold is told of a sale once, when it is complete, and of no other.
func TestASaleIsToldAsSoldOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		var sold []string
		w.Sales.Uses().Sold = func(sale sales.Sale) {
			require.Equal(t, sales.Complete, sale.Fulfilment)
			sold = append(sold, sale.ID)
		}
		off := w.recorded("1")
		_, err := w.Sales.CallOff(t.Context(), off.ID, w.Act())
		require.NoError(t, err)
		sale := w.lost("2")
		require.Empty(t, sold)
		first := w.listedAs(sale)
		first.ReceiptParams = nil
		require.Equal(t, sales.Applied, w.told(w.webhook(first)))
		require.Equal(t, []string{sale.ID}, sold)
		later := w.listedAs(sale)
		later.ReceiptParams = apiclient.Params{apiclient.ParamProviderRef: "P99"}
		require.Equal(t, sales.Applied, w.told(w.webhook(later)))
		require.Equal(t, "P99", w.Get(sale.ID).ProviderRef, "more of what was complete before")
		require.Equal(t, []string{sale.ID}, sold)
	})
}

// What moves nothing leaves the row, its history and the books as they are.
func TestWhatMovesNothingWritesNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Complete, false)
		w.Rest()
		history, booked := w.Events(t.Context(), sale.ID), w.postings()
		for _, o := range []sales.Observation{
			{Cause: sales.TooLate},
			{Cause: sales.Lost},
			{Cause: sales.Replied, State: sales.Submitted},
			{Cause: sales.Notified, State: sales.Processing},
			{Cause: sales.NothingLeft},
			{Cause: sales.Repaid},
			{Cause: sales.Listed, State: sales.Complete, Ref: "SOMEBODY-ELSES"},
		} {
			o.At = w.Now()
			after, err := w.Sales.Observe(t.Context(), sale.ID, o)
			require.NoError(t, err, o.Cause)
			require.Equal(t, sale, after, o.Cause)
		}
		require.Equal(t, sale, w.Get(sale.ID))
		require.Equal(t, history, w.Events(t.Context(), sale.ID))
		require.Equal(t, booked, w.postings())
		_, err := w.Sales.Observe(t.Context(), "nothing", sales.Observation{Cause: sales.Lost, At: w.Now()})
		require.Equal(t, "sale.none", codeOf(err))
	})
}

// What is observed beside other writes stands and falls with them: row, history, books and hints.
func TestAnObservationGoesWithItsTransaction(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.recorded("1")
		booked, cut := w.postings(), errors.New("cut off between two steps")
		hints, stop := w.Sales.Uses().Bus.Subscribe(sales.Topic(sale.ID))
		defer stop()
		off := w.Act().Observation(sales.CalledOff, w.Now())
		err := db.Tx(t.Context(), func(tx *store.Tx) error {
			after, err := w.Sales.ObserveIn(t.Context(), tx, sale.ID, off)
			require.NoError(t, err)
			require.Equal(t, sales.Voided, after.Fulfilment)
			return cut
		})
		require.ErrorIs(t, err, cut)
		require.Equal(t, sale, w.Get(sale.ID))
		require.Equal(t, booked, w.postings())
		require.False(t, hinted(hints))
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			_, err := w.Sales.ObserveIn(t.Context(), tx, sale.ID, off)
			return err
		}))
		require.Equal(t, sales.CashRefundDue, w.Get(sale.ID).Cash)
		require.True(t, hinted(hints))
		require.Equal(t, sale.Price().Neg().Decimal(2), w.Holds(ledger.RefundsDue))
	})
}

// However many processes dispatch a sale, one permit is taken, and the upstream executes it once.
func TestTwoProcessesSendASaleOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.recorded("1")
		first := w.Sales
		w.Begin("process-2")
		for _, ended := range []<-chan struct{}{first.Dispatch(sale), w.Sales.Dispatch(sale), first.Dispatch(sale)} {
			<-ended
		}
		after := w.Get(sale.ID)
		require.Equal(t, sales.Complete, after.Fulfilment)
		require.Equal(t, 1, after.Permits)
		require.Equal(t, 1, w.Executed(after))
		w.AtRest()
	})
}

// Receipts of a shift are numbered from one without gaps, whoever sells and whatever became of a sale.
func TestReceiptsOfAShiftAreNumbered(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		for i := range 3 {
			sale := w.recorded(string(rune('a' + i)))
			require.Equal(t, i+1, sale.Number)
			_, err := w.Sales.CallOff(t.Context(), sale.ID, w.Act())
			require.NoError(t, err)
		}
		practice, _, err := w.Try(apptest.TestOrder(w.TopUp(), 0), w.TopUp())
		require.NoError(t, err)
		require.Equal(t, 4, practice.Number, "practice is on paper too")
	})
}

// A page that was made before the database was restored sells nothing: it may have been sent in the time that is
// lost. A page of afterwards does.
func TestAPageFromBeforeARestoreSellsNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		w.recorded("1")
		offer := w.TopUp()
		before := apptest.Order("", offer)
		before.Key, before.AccountNumber = store.NewID(w.Now().Add(-time.Second)), "353879999999"
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			_, err := sales.NewInstallation(tx, w.Now())
			return err
		}))
		_, _, err := w.Try(before, offer)
		require.Equal(t, "page.before-restore", codeOf(err))
		after := before
		w.Pass(time.Second)
		after.Key = store.NewID(w.Now())
		sale, created, err := w.Try(after, offer)
		require.NoError(t, err)
		require.True(t, created)
		require.Equal(t, 2, sale.Number, "the one that was refused took no number")
	})
}
