package reconcile_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/sales"
	"airtill/internal/store"
	"airtill/internal/storetest"
)

func TestManyUnknownSalesAreSettledByAPageOfTheList(t *testing.T) {
	t.Parallel()
	const lost = 30
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		var looks atomic.Int32
		handler := w.upstream.Config.Handler
		w.upstream.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/V1/ListTransferRecords" {
				looks.Add(1)
			}
			handler.ServeHTTP(rw, r)
		})
		offer := w.topUp()
		w.fault(fmt.Sprintf(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"},"times":%d}`, lost))
		var ids []string
		for i := range lost {
			o := order(fmt.Sprintf("%02d", i), offer)
			o.AccountNumber = fmt.Sprintf("3538712345%02d", i)
			ids = append(ids, w.sell(o, offer).ID)
		}
		for _, id := range ids {
			w.becomes(id, sales.Unknown, false)
		}
		w.pass(3 * time.Second)
		require.NoError(t, w.books.Sweep(t.Context()))
		for _, id := range ids {
			require.Equal(t, 1, w.executed(w.becomes(id, sales.Complete, false)))
		}
		require.EqualValues(t, 1, looks.Load(), "one call for all of them")
		w.atRest()
	})
}
