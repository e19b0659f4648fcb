package sales_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// One form that is pressed many times at once is one sale, whoever asks first:
// none of them is told that its own sale stands in its way.
func TestAFormPressedManyTimesAtOnceIsOneSale(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		const presses = 20
		var all sync.WaitGroup
		found, errs := make([]sales.Sale, presses), make([]error, presses)
		begin := make(chan struct{})
		for i := range presses {
			all.Go(func() {
				<-begin
				found[i], _, errs[i] = w.Try(apptest.Order("double", offer), offer)
			})
		}
		close(begin)
		all.Wait()
		for i := range presses {
			require.NoError(t, errs[i])
			require.Equal(t, found[0].ID, found[i].ID)
		}
	})
}

// A form whose first press is still under way when the till begins to end is not
// told that nothing was sold: the second press gets the sale of the first.
func TestAFormPressedAgainAsTheTillEndsIsItsSale(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		busy, began, free := make(chan struct{}), make(chan struct{}), make(chan struct{})
		var all sync.WaitGroup
		var blocked error
		all.Go(func() {
			blocked = db.Tx(t.Context(), func(tx *store.Tx) error {
				err := tx.Exec("UPDATE shifts SET id = id WHERE id = ?", w.Seller.ShiftID).Error
				close(busy)
				<-free
				return err
			})
		})
		<-busy
		var once sync.Once
		w.Sales.Uses().Now = func() time.Time {
			once.Do(func() { close(began) })
			return w.Now()
		}
		var sold [2]sales.Sale
		var errs [2]error
		press := func(i int) (answered chan struct{}) {
			answered = make(chan struct{})
			all.Go(func() {
				defer close(answered)
				sold[i], _, errs[i] = w.Try(apptest.Order("lost", offer), offer)
			})
			return answered
		}
		first := press(0)
		<-began
		require.NoError(t, w.Sales.Drain(t.Context()))
		second := press(1)
		select {
		case <-second: // too early
		case <-time.After(200 * time.Millisecond):
		}
		close(free)
		<-first
		<-second
		all.Wait()
		require.NoError(t, errors.Join(blocked, errs[0], errs[1]))
		require.NotEmpty(t, sold[0].ID)
		require.Equal(t, sold[0].ID, sold[1].ID)
	})
}
