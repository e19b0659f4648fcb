package invariant_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/invariant"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/store"
)

func TestTheFloatIsJudgedOnlyAtRest(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		_, found := w.verify()
		require.Equal(t, []invariant.Note{{Kind: invariant.BalanceNotTold}, {Kind: invariant.FloatBusy}}, found["I5"].Notes)
		w.balance = money.MustParse("100", "EUR")
		open := w.sell()
		_, found = w.verify()
		require.Zero(t, found["I5"].Checked)
		require.Equal(t, []invariant.Note{{Kind: invariant.FloatBusy}}, found["I5"].Notes)
		require.Equal(t, []invariant.Note{{Kind: invariant.SalesOpen}}, found["I6"].Notes)

		w.at = w.at.Add(time.Hour)
		w.observe(open, sales.Observation{Cause: sales.TooLate})
		w.observe(open, sales.Observation{Cause: sales.Refunded, ShiftID: w.seller.ShiftID})
		w.at = w.at.Add(time.Hour)
		run, found := w.verify()
		require.True(t, run.Holds, "%+v", run.Findings)
		require.Equal(t, int64(1), found["I5"].Checked)

		// The upstream is silent now: the balance of then is judged, as of then.
		w.balance = money.Amount{}
		for _, later := range []time.Duration{time.Minute, 24 * time.Hour} {
			w.at = w.at.Add(later)
			w.complete()
			_, found = w.verify()
			require.Equal(t, int64(1), found["I5"].Checked)
			require.Zero(t, found["I5"].Broken(), "a sale since does not make the balance of then wrong")
			require.Equal(t, []invariant.Note{
				{Kind: invariant.BalanceNotTold}, {Kind: invariant.AsOf, At: time.Date(2026, 3, 1, 14, 0, 0, 0, time.UTC)},
			}, found["I5"].Notes)
		}

		w.balance = money.MustParse("81", "EUR") // somebody topped up a euro
		w.at = w.at.Add(time.Hour)
		run, found = w.verify()
		require.False(t, run.Holds)
		require.Equal(t, []string{"80.00 EUR", "81.00 EUR", "0.00 EUR"}, found["I5"].Offenders[0].Facts)
	})
}

// A difference in the queue explains a balance that is off by it. One whose cause
// has gone meanwhile does not make a balance wrong that agrees.
func TestKnownDifferencesExplainTheBalanceOrAreOutOfDate(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w, _ := settled(t, db)
		right := w.balance
		w.at = w.at.Add(time.Hour)
		w.differs()

		w.balance = money.Of(right.Micros()+5_000_000, "EUR")
		run, found := w.verify()
		require.True(t, run.Holds, "%+v", run.Findings)
		require.Contains(t, found["I5"].Notes, invariant.Note{Kind: invariant.KnownDifferences, Micros: 5_000_000, Currency: "EUR"})

		w.balance = right
		run, found = w.verify()
		require.True(t, run.Holds, "%+v", run.Findings)
		require.Contains(t, found["I5"].Notes, invariant.Note{Kind: invariant.StillDiffers, Micros: 5_000_000, Currency: "EUR"})

		w.balance = money.Of(right.Micros()+4_000_000, "EUR")
		run, found = w.verify()
		require.False(t, run.Holds)
		require.Equal(t, "1100", found["I5"].Offenders[0].Subject)
	})
}

// differs is a payment of 5.00 that the balance shows and the books do not have.
func (w *world) differs() {
	w.t.Helper()
	w.spoil(`INSERT INTO breaks (id, kind, subject, shop_id, sale_id, cashier_id, micros, currency, float_micros, booked_micros, evidence, digest, found_at, seen_at,
			state, owner, resolution, account, reference, proposed_by, resolved_by, reopened, acts)
		VALUES ('b', 'balance_up', 'told', '', '', '', 5000000, 'EUR', 5000000, 0, '{}', '', ?, ?, 'open', '', '', '', '', '', '', 0, 0)`, w.at, w.at)
}

// What resolved a difference was booked after the balance that showed it: the books of
// then cannot have it, and the queue has it no more.
func TestABalanceOfBeforeADifferenceWasResolvedIsNotJudged(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w, _ := settled(t, db)
		w.at = w.at.Add(time.Hour)
		w.differs()
		right := money.Of(w.balance.Micros()+5_000_000, "EUR")
		w.balance = right
		run, _ := w.verify()
		require.True(t, run.Holds, "%+v", run.Findings)

		w.at, w.balance = w.at.Add(time.Hour), money.Amount{} // the upstream is silent
		w.post(ledger.Entry{Key: "break/b/0", At: w.at, Journal: ledger.FloatToppedUp(ledger.Safe, money.MustParse("5", "EUR"))})
		w.spoil("UPDATE breaks SET state = 'resolved', resolution = 'topup', float_micros = 0, resolved_at = ? WHERE id = 'b'", w.at)
		w.spoil("INSERT INTO break_acts (break_id, seq, at, actor, act, note) VALUES ('b', 1, ?, '', 'resolved', '')", w.at)
		w.at = w.at.Add(time.Minute)
		run, found := w.verify()
		require.True(t, run.Holds, "%+v", run.Findings)
		require.Zero(t, found["I5"].Checked)
		require.Equal(t, []invariant.Note{{Kind: invariant.BalanceNotTold}, {Kind: invariant.FloatBusy}}, found["I5"].Notes)

		w.balance = right
		run, found = w.verify()
		require.True(t, run.Holds, "%+v", run.Findings)
		require.Equal(t, int64(1), found["I5"].Checked)
	})
}

// The upstream took a transfer back: its balance shows that before the books do, which
// believe it when it was seen twice. Until then nobody can judge, and what was told
// meanwhile is never judged by books that could not know.
func TestAReversalThatIsNotYetBookedIsNoBreach(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w, sale := settled(t, db)
		run, _ := w.verify()
		require.True(t, run.Holds, "%+v", run.Findings)

		w.at, w.balance = w.at.Add(time.Hour), money.MustParse("100", "EUR")
		w.observe(sale, sales.Observation{Cause: sales.Listed, State: sales.Failed})
		_, err := w.tell(t.Context()) // the balance that is asked for every few minutes
		require.NoError(t, err)
		run, found := w.verify()
		require.True(t, run.Holds, "%+v", run.Findings)
		require.Zero(t, found["I5"].Checked)
		require.Equal(t, []invariant.Note{{Kind: invariant.FloatBusy}}, found["I5"].Notes)

		w.at = w.at.Add(2 * time.Minute)
		w.observe(sale, sales.Observation{Cause: sales.Listed, State: sales.Failed})
		w.observe(sale, sales.Observation{Cause: sales.Refunded, ShiftID: w.seller.ShiftID})
		w.observe(sale, sales.Observation{Cause: sales.Repaid})
		w.balance = money.Amount{} // the upstream is silent
		run, found = w.verify()
		require.True(t, run.Holds, "%+v", run.Findings)
		require.Zero(t, found["I5"].Checked)

		w.at, w.balance = w.at.Add(time.Minute), money.MustParse("100", "EUR")
		run, found = w.verify()
		require.True(t, run.Holds, "%+v", run.Findings)
		require.Equal(t, int64(1), found["I5"].Checked)
	})
}

// A transfer that succeeded after it was given up was in the balance before it was in
// the books.
func TestALateSuccessThatIsBookedLaterIsNoBreach(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.observe(w.sell(), sales.Observation{Cause: sales.Permitted, Permit: sales.Permit{By: "p"}})
		w.observe(sale, sales.Observation{Cause: sales.Replied, State: sales.Failed})
		w.observe(sale, sales.Observation{Cause: sales.Refunded, ShiftID: w.seller.ShiftID})
		w.at, w.balance = w.at.Add(time.Hour), money.MustParse("90", "EUR")
		_, err := w.tell(t.Context())
		require.NoError(t, err)
		w.at, w.balance = w.at.Add(time.Minute), money.Amount{}
		w.observe(sale, sales.Observation{Cause: sales.Listed, State: sales.Complete, Facts: &sales.Facts{TransferRef: "1", Commission: money.Of(0, "EUR")}})
		run, found := w.verify()
		require.True(t, run.Holds, "%+v", run.Findings)
		require.Zero(t, found["I5"].Checked)
	})
}

// What was found at rest is not right again because a sale is open, and the check can judge nothing.
func TestWhatCannotBeJudgedNowStandsAsItWasFound(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w, _ := settled(t, db)
		incidents := func() (n int64) {
			require.NoError(t, db.Read(t.Context()).Raw("SELECT COUNT(*) FROM incidents WHERE kind = ? AND closed_at IS NULL", sales.InvariantBroken).Scan(&n).Error)
			return n
		}
		w.spoil("INSERT INTO postings (journal, line, kind, account, micros, currency, at) VALUES "+
			"('x/J2', 0, 'J2', '1110', 5, 'EUR', ?), ('x/J2', 1, 'J2', '5900', -5, 'EUR', ?)", w.at, w.at)
		_, found := w.verify()
		was := found["I6"].Offenders
		require.Len(t, was, 1)
		open := w.sell()
		for range 2 {
			w.at = w.at.Add(time.Hour)
			run, found := w.verify()
			require.False(t, run.Holds)
			require.Equal(t, []invariant.Note{{Kind: invariant.SalesOpen}, {Kind: invariant.FoundBefore}}, found["I6"].Notes)
			require.Equal(t, was, found["I6"].Offenders)
			require.Equal(t, int64(1), incidents())
		}
		w.spoil("DELETE FROM postings WHERE journal = 'x/J2'")
		w.observe(open, sales.Observation{Cause: sales.TooLate})
		w.observe(open, sales.Observation{Cause: sales.Refunded, ShiftID: w.seller.ShiftID})
		run, _ := w.verify()
		require.True(t, run.Holds, "%+v", run.Findings)
		require.Zero(t, incidents())
	})
}
