package sales

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"airtill/internal/ledger"
)

// observations draws what the upstream may say, in any order.
func observations(t *rapid.T) []Observation {
	one := rapid.Custom(func(t *rapid.T) Observation {
		cause := rapid.SampledFrom([]Cause{Replied, Listed, Notified, Lost, Looked, CancelAnswered}).Draw(t, "cause")
		if cause == Lost || cause == Looked {
			return Observation{Cause: cause, ControlSeen: rapid.Bool().Draw(t, "control")}
		}
		return told(cause, rapid.SampledFrom([]State{None, Unknown, Submitted, Processing, Cancelling, Complete, Failed, Cancelled}).Draw(t, "state"))
	})
	return rapid.SliceOfN(one, 1, 30).Draw(t, "observations")
}

// TestNoObservationLowersARank: whatever comes, in whatever order, a sale moves
// up, or out of an end by a named incident, and its books stay whole.
func TestNoObservationLowersARank(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := newRun(rt, rapid.SampledFrom([]string{"Instant", "Batch"}).Draw(rt, "mode")).sent()
		for _, o := range observations(rt) {
			r.wait(time.Duration(rapid.IntRange(0, 200).Draw(rt, "seconds")) * time.Second)
			was, incidents := r.sale.Fulfilment, len(r.kinds)
			r.do(o)
			now := r.sale.Fulfilment
			switch {
			case was == Cancelling && (now == Submitted || now == Processing):
			case was.Final() && now != was:
				require.Greater(rt, len(r.kinds), incidents, "%s → %s without an incident", was, now)
			default:
				require.GreaterOrEqual(rt, ranks[now], ranks[was], "%s → %s", was, now)
			}
			checkBooks(rt, r)
		}
	})
}

// checkBooks: what is open stands in the open accounts, to the cent.
func checkBooks(t *rapid.T, r *run) {
	s := r.sale
	open := func(account ledger.Account) int64 { return r.books[account] }
	require.Equal(t, amountIf(s.Hold == ledger.Reserved, s.HoldMicros), open(ledger.Reserved))
	require.Equal(t, amountIf(s.Hold == ledger.BatchClearing, s.HoldMicros), open(ledger.BatchClearing))
	require.Equal(t, s.ReceivableMicros, open(ledger.RefundReceivable))
	require.Equal(t, amountIf(s.Cash == CashTaken, -s.PriceMicros), open(ledger.CustomerPrepayments))
	require.Equal(t, amountIf(s.Cash == CashRefundDue, -s.PriceMicros), open(ledger.RefundsDue))
	require.Equal(t, s.Fulfilment.Final(), s.Hold == "", "money is held exactly while the outcome is open")
}

func amountIf(condition bool, micros int64) int64 {
	if condition {
		return micros
	}
	return 0
}

// TestOrderAndRepetitionDoNotMatter: the same truths, told in any order and any
// number of times, end in the same state and the same books.
func TestOrderAndRepetitionDoNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		mode := rapid.SampledFrom([]string{"Instant", "Batch"}).Draw(rt, "mode")
		end := rapid.SampledFrom([]State{Complete, Failed}).Draw(rt, "end")
		truths := []Observation{{Cause: Lost}, told(Replied, Submitted), told(Listed, Submitted), told(Notified, Processing), told(Listed, Processing), told(Listed, end)}
		if end == Complete {
			truths = append(truths, told(Notified, end))
		}
		play := func() *run {
			order := slices.Concat(truths, rapid.SliceOf(rapid.SampledFrom(truths)).Draw(rt, "repeats"))
			order = rapid.Permutation(order).Draw(rt, "order")
			return newRun(rt, mode).sent().do(order...)
		}
		a, b := play(), play()
		require.Equal(rt, a.sale.position(), b.sale.position())
		require.Equal(rt, string(end), string(a.sale.Fulfilment))
		for _, account := range []ledger.Account{"1000:shift", ledger.Float, ledger.Reserved, ledger.CustomerPrepayments, ledger.RefundsDue, ledger.Commission} {
			require.Equal(rt, a.books[account]+a.owed(account), b.books[account]+b.owed(account), "account %s", account)
		}
	})
}

// owed counts what the upstream still owes as float: whether a failed batch
// transfer was seen accepted first decides only where its money waits.
func (r *run) owed(account ledger.Account) int64 {
	if account == ledger.Float {
		return r.books[ledger.RefundReceivable]
	}
	return 0
}
