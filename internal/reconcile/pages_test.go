package reconcile_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
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
		ids := w.loseSome(lost)
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
	w := newWorld(t, storetest.New(t))
	ids := w.loseSome(8)
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

// rationed is a budget that allows so many look-ups, and all else.
type rationed struct {
	apiclient.Budget
	left atomic.Int32
}

func (r *rationed) Take(ctx context.Context, method string, p apiclient.Priority) (time.Duration, error) {
	if method == "ListTransferRecords" && r.left.Add(-1) < 0 {
		r.left.Store(0)
		return time.Minute, nil
	}
	return r.Budget.Take(ctx, method, p)
}

// loseSome sells to so many numbers whose transfers are carried out and not
// answered, and returns the sales once they are unknown and due.
func (w *world) loseSome(lost int) (ids []string) {
	offer := w.topUp()
	w.fault(fmt.Sprintf(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"},"times":%d}`, lost))
	for i := range lost {
		o := order(fmt.Sprintf("%03d", i), offer)
		o.AccountNumber = fmt.Sprintf("353871234%03d", i)
		ids = append(ids, w.sell(o, offer).ID)
	}
	for _, id := range ids {
		w.becomes(id, sales.Unknown, false)
	}
	w.pass(3 * time.Second)
	return ids
}

// Where the limit gives back one call at a time, each call reads the page behind
// the last: read from the newest every time, the list would never be read to the
// end, and what is further down never be known.
func TestAReadThatTheLimitCutGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	ration := &rationed{Budget: apiclient.NewMemoryBudget(w.now)}
	w.budget = ration
	w.start("process-2")
	ids := w.loseSome(5)
	offer := w.topUp()
	for i := range 110 { // other software sells on the account
		_, err := w.client.SendTransfer(t.Context(), apiclient.SendTransferRequest{
			SkuCode: offer.SKUCode, SendValue: apiclient.Decimal(offer.Cost.Send.Decimal(2)), SendCurrencyIso: "EUR",
			AccountNumber: fmt.Sprintf("353870000%03d", i), DistributorRef: fmt.Sprintf("other-%d", i),
		}, apiclient.SendOptions{Permit: w.now()})
		require.NoError(t, err)
	}
	for range 3 {
		ration.left.Store(1)
		require.NoError(t, w.books.Sweep(t.Context()))
		w.pass(2 * time.Second)
	}
	for _, id := range ids {
		require.Equal(t, sales.Complete, w.get(id).Fulfilment)
	}
}

// What is absent from a list that lacks what it must have proves nothing, in however
// many parts that is read.
func TestAReadInPartsProvesNoAbsenceWithoutAControl(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	ration := &rationed{Budget: apiclient.NewMemoryBudget(w.now)}
	w.budget = ration
	w.start("process-2")
	ids := w.loseSome(manyPages)
	ration.left.Store(1)
	w.fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop"},"times":1}`)
	offer := w.topUp()
	absent := w.sell(order("absent", offer), offer).ID
	w.becomes(absent, sales.Unknown, false)
	w.pass(3 * time.Second)
	require.NoError(t, w.books.Sweep(t.Context())) // the first page, and no more
	require.Zero(t, w.get(absent).Looks)
	ration.left.Store(1)
	require.NoError(t, w.books.Sweep(t.Context())) // the second
	require.Zero(t, w.get(absent).Looks)
	for _, id := range ids {
		require.Equal(t, sales.Complete, w.get(id).Fulfilment)
	}
	ration.left.Store(10)
	require.NoError(t, w.books.Sweep(t.Context()))
	require.Equal(t, 1, w.get(absent).Looks)
}

// manyPages is more than one page of sales.
const manyPages = 120

// One read settles all that it reaches, however many are due.
func TestOneReadSettlesMoreThanAPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	ids := w.loseSome(manyPages)
	calls := w.calls()
	require.NoError(t, w.books.Sweep(t.Context()))
	for _, id := range ids {
		require.Equal(t, sales.Complete, w.get(id).Fulfilment)
	}
	require.Equal(t, []string{"ListTransferRecords", "ListTransferRecords"}, calls())
	w.atRest()
}

// A limit that is used up is no answer: sales stay due, and are asked for as
// soon as there is room again, not a pause later.
func TestSalesStayDueWhileTheLimitIsUsedUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	ration := &rationed{Budget: apiclient.NewMemoryBudget(w.now)}
	w.budget = ration
	w.start("process-2")
	id := w.loseSome(1)[0]
	require.NoError(t, w.books.Sweep(t.Context()))
	require.Equal(t, sales.Unknown, w.get(id).Fulfilment)
	ration.left.Store(1)
	require.NoError(t, w.books.Sweep(t.Context()))
	require.Equal(t, sales.Complete, w.get(id).Fulfilment)
}

// The schedule's look at all records leaves a part of the limit to sales.
func TestTheHourlyLookLeavesRoomForSales(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	for range 18 {
		_, err := w.client.ListTransferRecords(apiclient.WithPriority(t.Context(), apiclient.PriorityCashier), apiclient.ListTransferRecordsRequest{Take: 1})
		require.NoError(t, err)
	}
	require.NoError(t, w.books.LookIfDue(t.Context()), "the next time will do")
	last, err := w.books.LastRun(t.Context(), "records")
	require.NoError(t, err)
	require.Nil(t, last, "it came to nothing")
	_, err = w.books.LookAtRecords(t.Context(), "", false)
	require.NoError(t, err, "where the balance differs, or a person asks, there is more")
}

// A list that does not answer is asked seldom: every call counts, and when it is
// back the limit is there to find out what became of everything at once.
func TestAListThatIsAwayDoesNotUseUpTheLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	calls := w.calls()
	w.fault(`{"match":{"endpoint":"ListTransferRecords"},"action":{"kind":"drop"},"times":-1}`)
	ids := w.loseSome(12)
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
