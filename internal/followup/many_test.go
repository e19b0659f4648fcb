package followup_test

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
	"airtill/internal/counter"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
)

// lookUps counts the look-ups from now on: of pages, and of single refs.
type lookUps struct{ pages, single atomic.Int32 }

func (w *world) lookUps() *lookUps {
	var l lookUps
	w.InFront(func(rw http.ResponseWriter, r *http.Request, upstream http.Handler) {
		if r.URL.Path == "/api/V1/ListTransferRecords" {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			if strings.Contains(string(body), "DistributorRef") {
				l.single.Add(1)
			} else {
				l.pages.Add(1)
			}
		}
		upstream.ServeHTTP(rw, r)
	})
	return &l
}

// lose sells to so many numbers, from a first one on, whose transfers are not
// answered: when is "before" for those that are not carried out, or "after".
func (w *world) lose(offer counter.Terms, from, lost int, when string) (ids []string) {
	w.Fault(fmt.Sprintf(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":%q},"times":%d}`, when, lost))
	for i := range lost {
		ids = append(ids, w.Sell(numbered(from+i, offer), offer).ID)
	}
	for _, id := range ids {
		w.soon(id, sales.Unknown)
	}
	return ids
}

// soon is becomes for a great many.
func (w *world) soon(id string, state sales.State) {
	require.Eventually(w.T, func() bool { return w.Get(id).Fulfilment == state }, apptest.Patience, time.Millisecond)
}

func numbered(i int, offer counter.Terms) apptest.Press {
	o := apptest.Order(fmt.Sprintf("%05d", i), offer)
	o.AccountNumber = fmt.Sprintf("3538712%05d", i)
	return o
}

// other is other software on the same account, with a budget of its own.
func (w *world) other() *apiclient.Client {
	client, err := apiclient.New(apiclient.Deps{BaseURL: w.Upstream.URL, AuthURL: w.Upstream.URL, ClientID: "sandbox-client", ClientSecret: "sandbox-secret", Now: w.Now})
	require.NoError(w.T, err)
	w.T.Cleanup(client.Close)
	return client
}

// othersSell so many transfers.
func (w *world) othersSell(n int) {
	client, offer := w.other(), w.TopUp()
	for i := range n {
		_, err := client.SendTransfer(w.T.Context(), apiclient.SendTransferRequest{
			SkuCode: offer.SKUCode, SendValue: apiclient.Decimal(offer.Cost.Send.Decimal(2)), SendCurrencyIso: "EUR",
			AccountNumber: fmt.Sprintf("353870000%03d", i), DistributorRef: fmt.Sprintf("other-%d", i),
		}, apiclient.SendOptions{Permit: w.Now()})
		require.NoError(w.T, err)
	}
}

// sweepFor does what is due every so often, and returns how many of the sales are
// unknown at the end.
func (w *world) sweepFor(length, every time.Duration, ids []string) (unknown int) {
	for passed := time.Duration(0); passed < length; passed += every {
		w.Pass(every)
		require.NoError(w.T, w.FollowUp.Sweep(w.T.Context()))
	}
	for _, id := range ids {
		if w.Get(id).Fulfilment == sales.Unknown {
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
	offer := w.TopUp()
	w.Becomes(w.Sell(apptest.Order("control", offer), offer).ID, sales.Complete, false)
	w.Pass(time.Second)
	w.Stop() // sales that a busy machine spreads over a minute are due one by one
	ids := w.lose(offer, 0, 54, "before")
	asked := w.lookUps()
	require.Zero(t, w.sweepFor(16*time.Minute, 2*time.Second, ids))
	for _, id := range ids {
		require.True(t, w.Get(id).ByAbsence)
	}
	t.Logf("%d pages, %d single look-ups", asked.pages.Load(), asked.single.Load())
	require.LessOrEqual(t, asked.pages.Load(), int32(8))
	require.Zero(t, asked.single.Load())
}

// Sales that are too far down are looked for one by one, and the pages that cannot
// reach them are left alone.
func TestAPageThatCannotReachADueSaleIsNotReadAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.TopUp()
	w.Becomes(w.Sell(apptest.Order("control", offer), offer).ID, sales.Complete, false)
	w.Stop()
	w.Pass(time.Second)
	ids := w.lose(offer, 0, 5, "before")
	w.othersSell(610)
	ration := &rationed{Budget: apiclient.NewMemoryBudget(w.Now)}
	w.Budget = ration
	w.Begin("process-2")
	asked := w.lookUps()
	w.Pass(100 * time.Second)
	for range 30 {
		ration.left.Store(1)
		w.Pass(2 * time.Second)
		require.NoError(t, w.FollowUp.Sweep(t.Context()))
	}
	require.LessOrEqual(t, asked.pages.Load(), int32(6))
	for _, id := range ids {
		require.Positive(t, w.Get(id).Looks)
	}

	pages, single := asked.pages.Load(), asked.single.Load()
	ration.left.Store(1000)
	w.Pass(time.Hour) // all are due at once
	require.NoError(t, w.FollowUp.Sweep(t.Context()))
	require.Equal(t, pages, asked.pages.Load())
	require.Equal(t, single+5+1, asked.single.Load(), "one control for all of them")
}

// What was never looked for is found although absence looks have used up their
// share: they are of sales that were sold minutes ago, too.
func TestAFirstLookHasAShareOfItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.TopUp()
	w.Becomes(w.Sell(apptest.Order("control", offer), offer).ID, sales.Complete, false)
	w.Stop()
	w.Pass(time.Second)
	absent := w.lose(offer, 0, 54, "before")
	w.othersSell(610)
	w.sweepFor(4*time.Second, 2*time.Second, nil)
	w.Becomes(w.Sell(numbered(99, offer), offer).ID, sales.Complete, false) // gives the limit back
	w.sweepFor(6*time.Minute, 2*time.Second, nil)
	executed := w.lose(offer, 100, 2, "after")
	w.Pass(2 * time.Second)
	require.Zero(t, w.sweepFor(4*time.Second, 2*time.Second, executed))
	used, err := w.Client.Budgets(t.Context())
	require.NoError(t, err)
	require.GreaterOrEqual(t, used["ListTransferRecords"].Used, 24, "the others had used up theirs")
	require.Equal(t, sales.Unknown, w.Get(absent[0]).Fulfilment)
}

// The limit is the account's: other software uses it up, and the refusal asks for
// ten minutes. A transfer that succeeds gives the limit back.
func TestARefusedLookUpIsMadeAgainAfterASuccessfulTransfer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.TopUp()
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
		w.Pass(2 * time.Second)
		_ = w.FollowUp.Sweep(t.Context()) // it says that it was refused
	}
	require.Equal(t, sales.Unknown, w.Get(ids[0]).Fulfilment)
	require.EqualValues(t, 1, asked.pages.Load()+asked.single.Load(), "nobody asks again meanwhile")

	w.Becomes(w.Sell(numbered(99, offer), offer).ID, sales.Complete, false)
	require.Zero(t, w.sweepFor(2*time.Second, 2*time.Second, ids))
	w.AtRest()
}
