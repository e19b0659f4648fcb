package reconcile_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/apptest"
	"airtill/internal/ledger"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
)

// listed passes the list's answers on through change.
func (w *world) listed(change func(answer []byte) []byte) {
	w.InFront(func(rw http.ResponseWriter, r *http.Request, upstream http.Handler) {
		if !strings.HasSuffix(r.URL.Path, "ListTransferRecords") {
			upstream.ServeHTTP(rw, r)
			return
		}
		answer := httptest.NewRecorder()
		upstream.ServeHTTP(answer, r)
		rw.WriteHeader(answer.Code)
		_, _ = rw.Write(change(answer.Body.Bytes()))
	})
}

// TestASaleThatEndsWhileTheListIsReadIsNoDifference: a list takes seconds to read, and at a busy counter sales end
// meanwhile. It shows them under way still.
func TestASaleThatEndsWhileTheListIsReadIsNoDifference(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.balance()
		sale := w.sellBatch("batch", "5357654321")
		w.settled()
		ended := false
		w.listed(func(answer []byte) []byte {
			if !ended {
				ended = true
				require.Contains(t, string(answer), sale.Ref)
				w.ends(sale.ID, sales.Complete)
			}
			return answer
		})
		look := w.look()
		require.True(t, ended)
		require.Empty(t, w.unresolved())
		require.Equal(t, 1, look.Open)
		require.Len(t, w.look().Agreed, 1, "the next list shows how it ended")
	})
}

// TestAListThatIsBehindHidesNoRefund: what the balance shows of a sale whose end the list does not know yet is
// unknown. A refund that came whole is not taken for a part of itself because of it.
func TestAListThatIsBehindHidesNoRefund(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.balance()
		w.sellMany("a", 1)
		w.settled()
		stale := true
		w.listed(func(answer []byte) []byte {
			if !stale {
				return answer
			}
			return bytes.ReplaceAll(answer, []byte(`"Complete"`), []byte(`"Processing"`))
		})
		w.look()
		require.Len(t, w.unresolved(), 1)
		require.Equal(t, reconcile.StateBehind, w.only().Kind)

		w.Fault(`{"match":{"endpoint":"Provider"},"action":{"kind":"error","code":"ProviderError"}}`)
		owed := w.ends(w.sellBatch("batch", "5351234567").ID, sales.Failed)
		for range 3 {
			w.balance()
		}
		require.Zero(t, w.Get(owed.ID).ReceivableMicros)
		require.Equal(t, "0.00", w.Holds(ledger.RefundReceivable))
		require.Equal(t, []string{"state_behind 4.08"}, w.unresolved())
		stale = false
		w.look()
		require.Empty(t, w.unresolved())
		w.AtRest()
	})
}

// TestABalanceTellsWhetherASaleTheListIsBehindWithWasCharged, and the list, which is behind still, does not tell
// otherwise.
func TestABalanceTellsWhetherASaleTheListIsBehindWithWasCharged(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.sellMany("a", 1)
		w.settled()
		w.listed(func(answer []byte) []byte {
			return bytes.ReplaceAll(answer, []byte(`"Complete"`), []byte(`"Processing"`))
		})
		w.look()
		worth := w.only().Amount()
		require.Equal(t, reconcile.StateBehind, w.only().Kind)
		w.payUpstream(worth.Decimal(2))
		w.balance()
		require.Equal(t, reconcile.Explained, w.lastVerdict())
		require.Equal(t, worth, w.only().Float())
		w.look()
		require.Equal(t, worth, w.only().Float())
		w.balance()
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
		require.Len(t, w.unresolved(), 1)
	})
}

// TestAnotherAttemptThatIsNotListedYetIsNoReversal: the list may show the attempt that failed, and not yet the one
// that went through.
func TestAnotherAttemptThatIsNotListedYetIsNoReversal(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.balance()
		w.Fault(`{"match":{"endpoint":"Provider"},"action":{"kind":"error","code":"ProviderError","context":"ProviderUnknownError"}}`)
		offer := w.TopUp()
		sale := w.Becomes(w.Sell(apptest.Order("again", offer), offer).ID, sales.Failed, true)
		w.settled()
		w.Sales.Dispatch(w.Again(sale))
		w.Becomes(sale.ID, sales.Complete, false)
		w.Pass(time.Second)
		w.Fault(`{"match":{"endpoint":"ListTransferRecords"},"action":{"kind":"list_stale","for":"1m"}}`)
		look := w.look()
		require.Equal(t, 1, look.Run.Records)
		require.Empty(t, w.unresolved())
		require.Equal(t, 1, look.Open)
		require.Len(t, w.look().Agreed, 1)
		w.AtRest()
	})
}

// TestADifferenceIsBelievedWhenTwoBalancesShowIt one after the other, to the last digit, and somebody looked between.
func TestADifferenceIsBelievedWhenTwoBalancesShowIt(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		shows := func(want reconcile.Judgement, why string) {
			t.Helper()
			w.Pass(10 * time.Second)
			_, err := w.Reconcile.ReadBalance(t.Context())
			require.NoError(t, err)
			verdict, err := w.Reconcile.JudgeBalances(t.Context())
			require.NoError(t, err)
			require.Equal(t, want, verdict, why)
		}
		w.balance()
		w.look()
		w.payUpstream("3.00")
		shows(reconcile.Differs, "once")
		shows(reconcile.Differs, "nobody looked at the records")
		w.look()
		w.payUpstream("1.00")
		shows(reconcile.Differs, "another sum")
		w.look()
		shows(reconcile.Confirmed, "twice")
		require.Equal(t, []string{"balance_up 4.00"}, w.unresolved())
		w.payUpstream("4.00")
		w.look()
		shows(reconcile.Differs, "the same sum again, once")
	})
}
