package followup_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
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

// accepted is a batch sale that the upstream has taken and not carried out.
func (w *world) accepted() sales.Sale {
	w.T.Helper()
	return w.acceptedFor(apptest.BatchNumber)
}

func (w *world) acceptedFor(number string) sales.Sale {
	w.T.Helper()
	w.Call("PUT", "/_sandbox/config", `{"batchDelay":"1h","batchProcessing":"1h"}`, nil)
	offer := w.BatchOffer()
	o := apptest.Order(number, offer)
	o.AccountNumber = number
	return w.Becomes(w.Sell(o, offer).ID, sales.Submitted, false)
}

func TestCancel_ListsFirstAndGivesTheCashBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.accepted()
		calls := w.Calls()
		sale, err := w.FollowUp.Cancel(t.Context(), sale.ID, w.Act())
		require.NoError(t, err)
		require.Equal(t, []string{"ListTransferRecords", "CancelTransfers"}, calls())
		require.Equal(t, sales.Cancelled, sale.Fulfilment)
		require.Equal(t, sales.CashRefundDue, sale.Cash)
		price := sale.Price()
		require.NotEqual(t, "0.00", w.Holds(ledger.RefundReceivable), "J10: the upstream owes it")
		require.Equal(t, price.Neg().Decimal(2), w.Holds(ledger.RefundsDue), "J6")

		_, err = w.Sales.Refund(t.Context(), sale.ID, w.Act())
		require.NoError(t, err)
		w.AtRest() // J11: the balance shows that the upstream paid it back
		require.Equal(t, "0.00", w.Holds(ledger.RefundReceivable))
		require.Zero(t, w.Get(sale.ID).ReceivableMicros)
		require.Zero(t, w.Executed(sale))
	})
}

func TestCancel_WhatHasEndedIsNotCancelled(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.accepted()
		w.Until(func() bool {
			w.PassUpstream(2 * time.Hour) // it is submitted, then in work, then done
			return w.Executed(sale) == 1
		})
		calls := w.Calls()
		sale, err := w.FollowUp.Cancel(t.Context(), sale.ID, w.Act())
		require.NoError(t, err)
		require.Equal(t, sales.Complete, sale.Fulfilment)
		require.Equal(t, []string{"ListTransferRecords"}, calls())
		w.AtRest()
	})
}

func TestCancel_OnlyAReturnedCancelledIsACancellation(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.accepted()
		w.Fault(`{"match":{"endpoint":"CancelTransfers"},"action":{"kind":"error","code":"RequestInvalid","context":"NoRecordsFound"}}`)
		sale, err := w.FollowUp.Cancel(t.Context(), sale.ID, w.Act())
		require.NoError(t, err)
		require.Equal(t, sales.Cancelling, sale.Fulfilment, "asked, and no answer that could be used")
		require.Equal(t, sales.CashTaken, sale.Cash)

		w.Call("PUT", "/_sandbox/config", `{"cancelDelay":"1m"}`, nil)
		w.Pass(15 * time.Second)
		require.NoError(t, w.FollowUp.Sweep(t.Context())) // the list: still going on; asked again: the provider is asked
		require.Equal(t, sales.Cancelling, w.Get(sale.ID).Fulfilment)
		w.Pass(2 * time.Minute)
		w.Until(func() bool {
			require.NoError(t, w.FollowUp.Sweep(t.Context()))
			w.Pass(time.Second)
			return w.Get(sale.ID).Fulfilment == sales.Cancelled
		})
		w.AtRest()
	})
}

// An answer is stored up to a length, but not cut within a character, which no database stores.
func TestCancel_ALongAnswerIsCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.accepted()
		w.InFront(func(rw http.ResponseWriter, r *http.Request, upstream http.Handler) {
			if !strings.HasSuffix(r.URL.Path, "/CancelTransfers") {
				upstream.ServeHTTP(rw, r)
				return
			}
			var asked []apiclient.CancellationRequest
			_ = json.NewDecoder(r.Body).Decode(&asked)
			_ = json.NewEncoder(rw).Encode(apiclient.CancelTransfersResponse{
				Envelope: apiclient.Envelope{ResultCode: apiclient.ResultSuccess},
				Items: []apiclient.TransferWithState{{
					BatchItemRef: asked[0].BatchItemRef, ResultCode: apiclient.ResultClient,
					ErrorCodes: []apiclient.ErrorCode{{Code: "RequestInvalid", Context: "x" + strings.Repeat("é", 40)}},
				}},
			})
		})
		_, err := w.FollowUp.Cancel(t.Context(), sale.ID, w.Act())
		require.NoError(t, err)
		var answer string
		require.NoError(t, db.Read(t.Context()).Raw("SELECT answer FROM cancellations").Scan(&answer).Error)
		require.Equal(t, "x"+strings.Repeat("é", 31), answer)
	})
}

func TestCancel_ALostCallIsRepeated(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]string{
		"lost before it was carried out": `{"match":{"endpoint":"CancelTransfers"},"action":{"kind":"drop","when":"before"}}`,
		"lost after it was carried out":  `{"match":{"endpoint":"CancelTransfers"},"action":{"kind":"drop","when":"after"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				w := newWorld(t, db)
				sale := w.accepted()
				w.Fault(fault)
				sale, err := w.FollowUp.Cancel(t.Context(), sale.ID, w.Act())
				require.NoError(t, err)
				require.Equal(t, sales.Cancelling, sale.Fulfilment)
				w.Begin("process-2") // the first is gone
				w.Pass(15 * time.Second)
				sale = w.Becomes(sale.ID, sales.Cancelled, true)
				require.Zero(t, w.Executed(sale))
				w.AtRest()
			})
		})
	}
}

// An answer that never came is awaited for its own sale alone.
func TestCancel_OneSaleLeavesTheCallOfAnother(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		first, second := w.accepted(), w.acceptedFor("5351234568")
		w.Fault(`{"match":{"endpoint":"CancelTransfers"},"action":{"kind":"drop","when":"before"}}`)
		for _, sale := range []sales.Sale{first, second} {
			_, err := w.FollowUp.Cancel(t.Context(), sale.ID, w.Act())
			require.NoError(t, err)
		}
		require.Equal(t, sales.Cancelling, w.Get(first.ID).Fulfilment)
		require.Equal(t, sales.Cancelled, w.Get(second.ID).Fulfilment)
		w.Pass(15 * time.Second)
		w.Becomes(first.ID, sales.Cancelled, true)
		w.AtRest()
	})
}

// Who presses again is told what became of the first press, and the upstream is not asked again.
func TestCancel_AskedAgainIsAskedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	sale := w.accepted()
	w.Fault(`{"match":{"endpoint":"CancelTransfers"},"action":{"kind":"drop","when":"before"}}`)
	_, err := w.FollowUp.Cancel(t.Context(), sale.ID, w.Act())
	require.NoError(t, err)
	calls := w.Calls()
	again, err := w.FollowUp.Cancel(t.Context(), sale.ID, w.Act())
	require.NoError(t, err)
	require.Equal(t, sales.Cancelling, again.Fulfilment)
	require.Empty(t, calls())
	w.Pass(15 * time.Second)
	w.Becomes(sale.ID, sales.Cancelled, true)
	again, err = w.FollowUp.Cancel(t.Context(), sale.ID, w.Act())
	require.NoError(t, err)
	require.Equal(t, sales.Cancelled, again.Fulfilment)
}

func TestCancel_WhatTheListDoesNotHaveIsNotCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	sale := w.accepted()
	w.Fault(`{"match":{"endpoint":"ListTransferRecords"},"action":{"kind":"list_empty"}}`)
	_, err := w.FollowUp.Cancel(t.Context(), sale.ID, w.Act())
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	require.Equal(t, sales.Submitted, w.Get(sale.ID).Fulfilment)
}

func TestCancel_GivesUpAskingWhereNoAnswerEverComes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	sale := w.accepted()
	w.Fault(`{"match":{"endpoint":"CancelTransfers"},"action":{"kind":"drop","when":"before"},"times":-1}`)
	calls := w.Calls()
	_, err := w.FollowUp.Cancel(t.Context(), sale.ID, w.Act())
	require.NoError(t, err)
	for range 20 {
		w.Pass(time.Minute)
		require.NoError(t, w.FollowUp.Sweep(t.Context()))
	}
	asked := 0
	for _, call := range calls() {
		if call == "CancelTransfers" {
			asked++
		}
	}
	require.Equal(t, 3, asked)
	require.Equal(t, sales.Submitted, w.Get(sale.ID).Fulfilment, "it goes on, and the screen says so")
	made, err := w.Sales.Corrections(t.Context(), sales.CorrectionFilter{From: w.Now().Add(-time.Hour), To: w.Now(), Limit: -1})
	require.NoError(t, err)
	require.Len(t, made, 1, "what the till repeats nobody did")
	require.Equal(t, w.Act().Actor.UserID, made[0].Actor)
}

func TestCancel_ManyPressesAreOne(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.accepted()
		calls := w.Calls()
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				_, err := w.FollowUp.Cancel(t.Context(), sale.ID, w.Act())
				if kind := fault.KindOf(err); kind != "" && kind != fault.Conflict {
					t.Errorf("a press failed: %v", err)
				}
			})
		}
		group.Wait()
		require.Equal(t, sales.Cancelled, w.Get(sale.ID).Fulfilment)
		asked := 0
		for _, call := range calls() {
			if call == "CancelTransfers" {
				asked++
			}
		}
		require.Equal(t, 1, asked)
		w.AtRest()
	})
}

func TestCancel_WhatCannotBeCancelledSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.TopUp()
	sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Complete, false)
	_, err := w.FollowUp.Cancel(t.Context(), sale.ID, w.Act())
	require.Equal(t, fault.Conflict, fault.KindOf(err))
}

// A later attempt can be cancelled though the answer about the one before it never came.
func TestCancel_OfALaterAttemptAsksAnew(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.accepted()
		w.Fault(`{"match":{"endpoint":"CancelTransfers"},"action":{"kind":"drop","when":"before"}}`)
		_, err := w.FollowUp.Cancel(t.Context(), sale.ID, w.Act())
		require.NoError(t, err)
		for _, o := range []sales.Observation{{Cause: sales.Listed, State: sales.Failed}, {Cause: sales.Repaid}} {
			o.At = w.Now()
			_, err = w.Sales.Observe(t.Context(), sale.ID, o)
			require.NoError(t, err)
		}
		again, err := w.Sales.TryAgain(t.Context(), sale.ID, w.Act())
		require.NoError(t, err)
		w.Sales.Dispatch(again)
		w.Becomes(sale.ID, sales.Submitted, false)
		sale, err = w.FollowUp.Cancel(t.Context(), sale.ID, w.Act())
		require.NoError(t, err)
		require.Equal(t, sales.Cancelled, sale.Fulfilment)
	})
}
