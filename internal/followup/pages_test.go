package followup_test

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
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

func TestManyUnknownSalesAreSettledByAPageOfTheList(t *testing.T) {
	t.Parallel()
	const lost = 30
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		var looks atomic.Int32
		w.InFront(func(rw http.ResponseWriter, r *http.Request, upstream http.Handler) {
			if r.URL.Path == "/api/V1/ListTransferRecords" {
				looks.Add(1)
			}
			upstream.ServeHTTP(rw, r)
		})
		ids := w.loseSome(lost)
		require.NoError(t, w.FollowUp.Sweep(t.Context()))
		for _, id := range ids {
			require.Equal(t, 1, w.Executed(w.Becomes(id, sales.Complete, false)))
		}
		require.EqualValues(t, 1, looks.Load(), "one call for all of them")
		w.AtRest()
	})
}

// A page that is read settles all unknown sales on it, also those whose turn has
// not come: the limit of look-ups is used for all.
func TestAPageSettlesWhatIsNotDueToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	ids := w.loseSome(8)
	require.NoError(t, w.DB.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("UPDATE sales SET next_check_at = ? WHERE id IN ?", store.Moment(w.Now().Add(time.Hour)), ids[:3]).Error
	}))
	calls := w.Calls()
	require.NoError(t, w.FollowUp.Sweep(t.Context()))
	for _, id := range ids {
		require.Equal(t, sales.Complete, w.Get(id).Fulfilment)
	}
	require.Equal(t, []string{"ListTransferRecords"}, calls())
	w.AtRest()
}

// A page that was read counts, even if the one behind it cannot be had: where the
// limit gives back a call at a time, nothing else would ever be found.
func TestAPageCountsWithoutTheNext(t *testing.T) {
	t.Parallel()
	const lost = 5
	w := newWorld(t, storetest.New(t))
	offer := w.TopUp()
	w.Fault(fmt.Sprintf(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"},"times":%d}`, lost))
	w.Fault(`{"match":{"endpoint":"SendTransfer","nth":6},"action":{"kind":"drop"}}`)
	var ids []string
	for i := range lost + 1 {
		o := apptest.Order(fmt.Sprintf("%02d", i), offer)
		o.AccountNumber = fmt.Sprintf("3538712345%02d", i)
		ids = append(ids, w.Sell(o, offer).ID)
		w.Becomes(ids[i], sales.Unknown, false)
	}
	var pages atomic.Int32
	w.InFront(func(rw http.ResponseWriter, r *http.Request, upstream http.Handler) {
		switch {
		case r.URL.Path != "/api/V1/ListTransferRecords":
			upstream.ServeHTTP(rw, r)
		case pages.Add(1) > 1:
			rw.WriteHeader(http.StatusBadGateway)
		default:
			answer := httptest.NewRecorder()
			r.Header.Del("Accept-Encoding")
			upstream.ServeHTTP(answer, r)
			_, _ = rw.Write(bytes.Replace(answer.Body.Bytes(), []byte(`"ThereAreMoreItems":false`), []byte(`"ThereAreMoreItems":true`), 1))
		}
	})
	w.Pass(3 * time.Second)
	require.Error(t, w.FollowUp.Sweep(t.Context()))
	require.EqualValues(t, 2, pages.Load())
	for _, id := range ids[:lost] {
		require.Equal(t, sales.Complete, w.Get(id).Fulfilment)
	}
	require.Equal(t, sales.Unknown, w.Get(ids[lost]).Fulfilment)
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
	offer := w.TopUp()
	w.Fault(fmt.Sprintf(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"},"times":%d}`, lost))
	for i := range lost {
		o := apptest.Order(fmt.Sprintf("%03d", i), offer)
		o.AccountNumber = fmt.Sprintf("353871234%03d", i)
		ids = append(ids, w.Sell(o, offer).ID)
	}
	for _, id := range ids {
		w.Becomes(id, sales.Unknown, false)
	}
	w.Pass(3 * time.Second)
	return ids
}

// Where the limit gives back one call at a time, each call reads the page behind
// the last: read from the newest every time, the list would never be read to the
// end, and what is further down never be known.
func TestAReadThatTheLimitCutGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	ration := &rationed{Budget: apiclient.NewMemoryBudget(w.Now)}
	w.Budget = ration
	w.Begin("process-2")
	ids := w.loseSome(5)
	offer := w.TopUp()
	for i := range 110 { // other software sells on the account
		_, err := w.Client.SendTransfer(t.Context(), apiclient.SendTransferRequest{
			SkuCode: offer.SKUCode, SendValue: apiclient.Decimal(offer.Cost.Send.Decimal(2)), SendCurrencyIso: "EUR",
			AccountNumber: fmt.Sprintf("353870000%03d", i), DistributorRef: fmt.Sprintf("other-%d", i),
		}, apiclient.SendOptions{Permit: w.Now()})
		require.NoError(t, err)
	}
	for range 3 {
		ration.left.Store(1)
		require.NoError(t, w.FollowUp.Sweep(t.Context()))
		w.Pass(2 * time.Second)
	}
	for _, id := range ids {
		require.Equal(t, sales.Complete, w.Get(id).Fulfilment)
	}
}

// What is absent from a list that lacks what it must have proves nothing, in however
// many parts that is read.
func TestAReadInPartsProvesNoAbsenceWithoutAControl(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	ration := &rationed{Budget: apiclient.NewMemoryBudget(w.Now)}
	w.Budget = ration
	w.Begin("process-2")
	ids := w.loseSome(manyPages)
	ration.left.Store(1)
	w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop"},"times":1}`)
	offer := w.TopUp()
	absent := w.Sell(apptest.Order("absent", offer), offer).ID
	w.Becomes(absent, sales.Unknown, false)
	w.Pass(3 * time.Second)
	require.NoError(t, w.FollowUp.Sweep(t.Context())) // the first page, and no more
	require.Zero(t, w.Get(absent).Looks)
	ration.left.Store(1)
	require.NoError(t, w.FollowUp.Sweep(t.Context())) // the second
	require.Zero(t, w.Get(absent).Looks)
	for _, id := range ids {
		require.Equal(t, sales.Complete, w.Get(id).Fulfilment)
	}
	ration.left.Store(10)
	require.NoError(t, w.FollowUp.Sweep(t.Context()))
	require.Equal(t, 1, w.Get(absent).Looks)
}

// manyPages is more than one page of sales.
const manyPages = 120

// One read settles all that it reaches, however many are due.
func TestOneReadSettlesMoreThanAPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	ids := w.loseSome(manyPages)
	calls := w.Calls()
	require.NoError(t, w.FollowUp.Sweep(t.Context()))
	for _, id := range ids {
		require.Equal(t, sales.Complete, w.Get(id).Fulfilment)
	}
	require.Equal(t, []string{"ListTransferRecords", "ListTransferRecords"}, calls())
	w.AtRest()
}

// A limit that is used up is no answer: sales stay due, and are asked for as
// soon as there is room again, not a pause later.
func TestSalesStayDueWhileTheLimitIsUsedUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	ration := &rationed{Budget: apiclient.NewMemoryBudget(w.Now)}
	w.Budget = ration
	w.Begin("process-2")
	id := w.loseSome(1)[0]
	require.NoError(t, w.FollowUp.Sweep(t.Context()))
	require.Equal(t, sales.Unknown, w.Get(id).Fulfilment)
	ration.left.Store(1)
	require.NoError(t, w.FollowUp.Sweep(t.Context()))
	require.Equal(t, sales.Complete, w.Get(id).Fulfilment)
}

// The schedule's look at all records leaves a part of the limit to sales.
func TestTheHourlyLookLeavesRoomForSales(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	for range 18 {
		_, err := w.Client.ListTransferRecords(apiclient.WithPriority(t.Context(), apiclient.PriorityCashier), apiclient.ListTransferRecordsRequest{Take: 1})
		require.NoError(t, err)
	}
	require.NoError(t, w.Reconcile.LookIfDue(t.Context()), "the next time will do")
	last, err := w.Reconcile.LastRun(t.Context(), "records")
	require.NoError(t, err)
	require.Nil(t, last, "it came to nothing")
	_, err = w.Reconcile.LookAtRecords(t.Context(), "", false)
	require.NoError(t, err, "where the balance differs, or a person asks, there is more")
}

// A list that does not answer is asked seldom: every call counts, and when it is
// back the limit is there to find out what became of everything at once.
func TestAListThatIsAwayDoesNotUseUpTheLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	calls := w.Calls()
	w.Fault(`{"match":{"endpoint":"ListTransferRecords"},"action":{"kind":"drop"},"times":-1}`)
	ids := w.loseSome(12)
	for range 5 * 60 / 2 { // five minutes of sweeps
		w.Pass(2 * time.Second)
		_ = w.FollowUp.Sweep(t.Context()) // it says that the list does not answer
	}
	asked := slices.DeleteFunc(calls(), func(endpoint string) bool { return endpoint != "ListTransferRecords" })
	require.Less(t, len(asked), 20)
	w.Call(http.MethodDelete, "/_sandbox/faults", "", nil)
	for range 30 / 2 {
		w.Pass(2 * time.Second)
		require.NoError(t, w.FollowUp.Sweep(t.Context()))
	}
	for _, id := range ids {
		w.Becomes(id, sales.Complete, false)
	}
	w.AtRest()
}
