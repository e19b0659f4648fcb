package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/store"
)

// What each journal of two legs takes from where, and what it is called.
func TestEveryJournalHasItsAccounts(t *testing.T) {
	t.Parallel()
	sum := eur("7")
	for _, c := range []struct {
		journal       ledger.Journal
		kind          ledger.Kind
		debit, credit ledger.Account
	}{
		{ledger.DrawerOpened("s", sum), "J0", "1000:s", "1010"},
		{ledger.CashTaken("s", sum), "J1", "1000:s", "2000"},
		{ledger.Reserve(sum), "J2", "1110", "1100"},
		{ledger.CommissionEarned(sum), "J4", "1100", "4100"},
		{ledger.Release(sum), "J5", "1100", "1110"},
		{ledger.RefundBecomesDue(sum), "J6", "2000", "2010"},
		{ledger.RefundNoLongerDue(sum), "J6R", "2010", "2000"},
		{ledger.BatchAccepted(sum), "J8", "1120", "1110"},
		{ledger.BatchReturned(sum), "J10", "1130", "1120"},
		{ledger.UpstreamRefunded(sum), "J11", "1100", "1130"},
		{ledger.CashRefunded("s", sum), "J12", "2010", "1000:s"},
		{ledger.FloatToppedUp(ledger.FloatPayable, sum), "J13", "1100", "2100"},
		{ledger.LateLoss(sum), "J14", "5900", "1100"},
		{ledger.CountDifference("s", sum), "J17", "1000:s", "5910"},
		{ledger.OpeningBalance(sum), "J18", "1100", "3000"},
		{ledger.CashFromSafe("s", sum), "J19", "1000:s", "1010"},
		{ledger.CashToSafe("s", sum), "J20", "1010", "1000:s"},
		{ledger.ExpensePaid("s", sum), "J21", "5930", "1000:s"},
		{ledger.SoldByOthers(sum), "J22", "1140", "1100"},
		{ledger.FloatExplained(ledger.Losses, sum), "J23", "1100", "5900"},
	} {
		require.Equal(t, ledger.Journal{
			Kind: c.kind, Legs: []ledger.Leg{{Account: c.debit, Amount: sum}, {Account: c.credit, Amount: sum.Neg()}},
		}, c.journal)
	}
}

// The cost of a transfer is booked as J3 out of what was reserved, and as J9 out of what was deducted already.
func TestSuccessIsCalledByWhatWasHeld(t *testing.T) {
	t.Parallel()
	for held, kind := range map[ledger.Account]ledger.Kind{
		ledger.Reserved: "J3", ledger.RefundReceivable: "J3", ledger.BatchClearing: "J9",
	} {
		j := must(ledger.Success(held, total, cost))
		require.Equal(t, kind, j.Kind)
		require.Equal(t, ledger.Leg{Account: held, Amount: total.Neg()}, j.Legs[len(j.Legs)-1])
	}
}

// An account of two currencies is verified in each, and a batch goes no further than it was asked to.
func TestVerifyKeepsCurrenciesAndBatchesApart(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := book(t, db, ledger.Reserve(total))
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return ledger.Post(t.Context(), tx, ledger.Entry{
				Key: "usd", At: noon, Journal: ledger.Reserve(money.MustParse("3", "USD")),
			})
		}))
		for _, currency := range []money.Currency{"EUR", "USD"} {
			require.NoError(t, l.Fold(t.Context(), ledger.Float, currency))
		}
		offences, err := l.Verify(t.Context())
		require.NoError(t, err)
		require.Empty(t, offences)
		some, err := l.VerifyJournals(t.Context(), 0, 2)
		require.NoError(t, err)
		require.EqualValues(t, 2, some.Last)
		rest, err := l.VerifyJournals(t.Context(), some.Last, 100)
		require.NoError(t, err)
		require.EqualValues(t, 3, some.Looked+rest.Looked)
	})
}
