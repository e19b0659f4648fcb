package reconcile_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
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

// A page that is read settles all unknown sales on it, also those whose turn has
// not come: the limit of look-ups is used for all.
func TestAPageSettlesWhatIsNotDueToo(t *testing.T) {
	t.Parallel()
	const lost = 8
	w := newWorld(t, storetest.New(t))
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
	require.NoError(t, w.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("UPDATE sales SET next_check_at = ? WHERE id IN ?", store.Moment(w.now().Add(time.Hour)), ids[:3]).Error
	}))
	calls := w.calls()
	require.NoError(t, w.books.Sweep(t.Context()))
	for _, id := range ids {
		require.Equal(t, sales.Complete, w.get(id).Fulfilment)
	}
	require.Equal(t, []string{"ListTransferRecords"}, calls())
	w.atRest()
}

// A page that was read counts, even if the one behind it cannot be had: where the
// limit gives back a call at a time, nothing else would ever be found.
func TestAPageCountsWithoutTheNext(t *testing.T) {
	t.Parallel()
	const lost = 5
	w := newWorld(t, storetest.New(t))
	offer := w.topUp()
	w.fault(fmt.Sprintf(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"},"times":%d}`, lost))
	w.fault(`{"match":{"endpoint":"SendTransfer","nth":6},"action":{"kind":"drop"}}`)
	var ids []string
	for i := range lost + 1 {
		o := order(fmt.Sprintf("%02d", i), offer)
		o.AccountNumber = fmt.Sprintf("3538712345%02d", i)
		ids = append(ids, w.sell(o, offer).ID)
		w.becomes(ids[i], sales.Unknown, false)
	}
	handler := w.upstream.Config.Handler
	var pages atomic.Int32
	w.upstream.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/api/V1/ListTransferRecords":
			handler.ServeHTTP(rw, r)
		case pages.Add(1) > 1:
			rw.WriteHeader(http.StatusBadGateway)
		default:
			answer := httptest.NewRecorder()
			r.Header.Del("Accept-Encoding")
			handler.ServeHTTP(answer, r)
			_, _ = rw.Write(bytes.Replace(answer.Body.Bytes(), []byte(`"ThereAreMoreItems":false`), []byte(`"ThereAreMoreItems":true`), 1))
		}
	})
	w.pass(3 * time.Second)
	require.Error(t, w.books.Sweep(t.Context()))
	require.EqualValues(t, 2, pages.Load())
	for _, id := range ids[:lost] {
		require.Equal(t, sales.Complete, w.get(id).Fulfilment)
	}
	require.Equal(t, sales.Unknown, w.get(ids[lost]).Fulfilment)
}

// A list that does not answer is asked seldom: every call counts, and when it is
// back the limit is there to find out what became of everything at once.
func TestAListThatIsAwayDoesNotUseUpTheLimit(t *testing.T) {
	t.Parallel()
	const lost = 12
	w := newWorld(t, storetest.New(t))
	calls := w.calls()
	offer := w.topUp()
	w.fault(fmt.Sprintf(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"},"times":%d}`, lost))
	w.fault(`{"match":{"endpoint":"ListTransferRecords"},"action":{"kind":"drop"},"times":-1}`)
	var ids []string
	for i := range lost {
		o := order(fmt.Sprintf("%02d", i), offer)
		o.AccountNumber = fmt.Sprintf("3538712345%02d", i)
		ids = append(ids, w.sell(o, offer).ID)
	}
	for _, id := range ids {
		w.becomes(id, sales.Unknown, false)
	}
	for range 5 * 60 / 2 { // five minutes of sweeps
		w.pass(2 * time.Second)
		_ = w.books.Sweep(t.Context()) // it says that the list does not answer
	}
	asked := slices.DeleteFunc(calls(), func(endpoint string) bool { return endpoint != "ListTransferRecords" })
	require.Less(t, len(asked), 20)
	w.call(http.MethodDelete, "/_sandbox/faults", "", nil)
	for range 30 / 2 {
		w.pass(2 * time.Second)
		require.NoError(t, w.books.Sweep(t.Context()))
	}
	for _, id := range ids {
		w.becomes(id, sales.Complete, false)
	}
	w.atRest()
}
