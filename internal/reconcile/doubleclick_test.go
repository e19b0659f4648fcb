package reconcile_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/sales"
	"airtill/internal/store"
	"airtill/internal/storetest"
)

// One form that is pressed many times at once is one sale, whoever asks first:
// none of them is told that its own sale stands in its way.
func TestAFormPressedManyTimesAtOnceIsOneSale(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.topUp()
		const presses = 20
		var all sync.WaitGroup
		found, errs := make([]sales.Sale, presses), make([]error, presses)
		begin := make(chan struct{})
		for i := range presses {
			all.Go(func() {
				<-begin
				found[i], _, errs[i] = w.sales.Sell(t.Context(), w.seller, order("double", offer), offer)
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
