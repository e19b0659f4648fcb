package reconcile_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/sales"
	"airtill/internal/storetest"
)

// lookUps counts the look-ups from now on: of pages, and of single refs.
type lookUps struct{ pages, single atomic.Int32 }

func (w *world) lookUps() *lookUps {
	var l lookUps
	handler := w.upstream.Config.Handler
	w.upstream.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/V1/ListTransferRecords" {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			if strings.Contains(string(body), "DistributorRef") {
				l.single.Add(1)
			} else {
				l.pages.Add(1)
			}
		}
		handler.ServeHTTP(rw, r)
	})
	return &l
}

// lose sells to so many numbers, from a first one on, whose transfers are not
// answered: when is "before" for those that are not carried out, or "after".
func (w *world) lose(offer sales.Offer, from, lost int, when string) (ids []string) {
	w.fault(fmt.Sprintf(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":%q},"times":%d}`, when, lost))
	for i := range lost {
		ids = append(ids, w.sell(numbered(from+i, offer), offer).ID)
	}
	for _, id := range ids {
		w.soon(id, sales.Unknown)
	}
	return ids
}

// soon is becomes for a great many.
func (w *world) soon(id string, state sales.State) {
	require.Eventually(w.t, func() bool { return w.get(id).Fulfilment == state }, waitFor, time.Millisecond)
}

func numbered(i int, offer sales.Offer) sales.Order {
	o := order(fmt.Sprintf("%05d", i), offer)
	o.AccountNumber = fmt.Sprintf("3538712%05d", i)
	return o
}

// other is other software on the same account, with a budget of its own.
func (w *world) other() *apiclient.Client {
	client, err := apiclient.New(apiclient.Deps{BaseURL: w.upstream.URL, AuthURL: w.upstream.URL, ClientID: "sandbox-client", ClientSecret: "sandbox-secret", Now: w.now})
	require.NoError(w.t, err)
	w.t.Cleanup(client.Close)
	return client
}

// othersSell so many transfers.
func (w *world) othersSell(n int) {
	client, offer := w.other(), w.topUp()
	for i := range n {
		_, err := client.SendTransfer(w.t.Context(), apiclient.SendTransferRequest{
			SkuCode: offer.SKUCode, SendValue: apiclient.Decimal(offer.Cost.Send.Decimal(2)), SendCurrencyIso: "EUR",
			AccountNumber: fmt.Sprintf("353870000%03d", i), DistributorRef: fmt.Sprintf("other-%d", i),
		}, apiclient.SendOptions{Permit: w.now()})
		require.NoError(w.t, err)
	}
}

// sweepFor does what is due every so often, and returns how many of the sales are
// unknown at the end.
func (w *world) sweepFor(length, every time.Duration, ids []string) (unknown int) {
	for passed := time.Duration(0); passed < length; passed += every {
		w.pass(every)
		require.NoError(w.t, w.books.Sweep(w.t.Context()))
	}
	for _, id := range ids {
		if w.get(id).Fulfilment == sales.Unknown {
			unknown++
		}
	}
	return unknown
}

// A transfer that is complete is the control of all that was permitted later,
// however many records of the last minutes lie behind it.
func TestPagesProveAbsenceHoweverFarTheListGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	w.othersSell(650)
	offer := w.topUp()
	w.becomes(w.sell(order("control", offer), offer).ID, sales.Complete, false)
	w.pass(time.Second)
	ids := w.lose(offer, 0, 54, "before")
	asked := w.lookUps()
	require.Zero(t, w.sweepFor(17*time.Minute, 2*time.Second, ids)) // the clock also runs by itself
	for _, id := range ids {
		require.True(t, w.get(id).ByAbsence)
	}
	t.Logf("%d pages, %d single look-ups", asked.pages.Load(), asked.single.Load())
	require.Less(t, asked.pages.Load(), int32(20))
	require.LessOrEqual(t, asked.single.Load(), int32(4))
}

// Sales that are too far down are looked for one by one, and the pages that cannot
// reach them are left alone.
func TestAPageThatCannotReachADueSaleIsNotReadAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.topUp()
	w.becomes(w.sell(order("control", offer), offer).ID, sales.Complete, false)
	ids := w.lose(offer, 0, 5, "before")
	w.othersSell(610)
	ration := &rationed{Budget: apiclient.NewMemoryBudget(w.now)}
	w.budget = ration
	w.start("process-2")
	asked := w.lookUps()
	w.pass(100 * time.Second)
	for range 30 {
		ration.left.Store(1)
		w.pass(2 * time.Second)
		require.NoError(t, w.books.Sweep(t.Context()))
	}
	require.LessOrEqual(t, asked.pages.Load(), int32(6))
	for _, id := range ids {
		require.Positive(t, w.get(id).Looks)
	}

	pages, single := asked.pages.Load(), asked.single.Load()
	ration.left.Store(1000)
	w.pass(time.Hour) // all are due at once
	require.NoError(t, w.books.Sweep(t.Context()))
	require.Equal(t, pages, asked.pages.Load())
	require.Equal(t, single+5+1, asked.single.Load(), "one control for all of them")
}

// What was never looked for is found although absence looks have used up their
// share: they are of sales that were sold minutes ago, too.
func TestAFirstLookHasAShareOfItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.topUp()
	w.becomes(w.sell(order("control", offer), offer).ID, sales.Complete, false)
	absent := w.lose(offer, 0, 54, "before")
	w.othersSell(610)
	w.sweepFor(4*time.Second, 2*time.Second, nil)
	w.becomes(w.sell(numbered(99, offer), offer).ID, sales.Complete, false) // gives the limit back
	w.sweepFor(6*time.Minute, 2*time.Second, nil)
	executed := w.lose(offer, 100, 2, "after")
	w.pass(2 * time.Second)
	require.Zero(t, w.sweepFor(4*time.Second, 2*time.Second, executed))
	used, err := w.client.Budgets(t.Context())
	require.NoError(t, err)
	require.GreaterOrEqual(t, used["ListTransferRecords"].Used, 24, "the others had used up theirs")
	require.Equal(t, sales.Unknown, w.get(absent[0]).Fulfilment)
}

// The limit is the account's: other software uses it up, and the refusal asks for
// ten minutes. A transfer that succeeds gives the limit back.
func TestARefusedLookUpIsMadeAgainAfterASuccessfulTransfer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.topUp()
	ids := w.lose(offer, 0, 3, "after")
	for range 2 {
		other := w.other()
		for range 27 {
			if _, err := other.ListTransferRecords(apiclient.WithPriority(t.Context(), apiclient.PriorityCashier), apiclient.ListTransferRecordsRequest{Take: 1}); err != nil {
				break
			}
		}
	}
	asked := w.lookUps()
	for range 10 {
		w.pass(2 * time.Second)
		_ = w.books.Sweep(t.Context()) // it says that it was refused
	}
	require.Equal(t, sales.Unknown, w.get(ids[0]).Fulfilment)
	require.EqualValues(t, 1, asked.pages.Load()+asked.single.Load(), "nobody asks again meanwhile")

	w.becomes(w.sell(numbered(99, offer), offer).ID, sales.Complete, false)
	require.Zero(t, w.sweepFor(2*time.Second, 2*time.Second, ids))
	w.atRest()
}
