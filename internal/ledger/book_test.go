package ledger_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"airtill/internal/harness/storetest"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/store"
)

// A day at a drawer: what is put in, taken, paid and counted ends in the safe, the costs and the difference, to the cent.
func TestADayAtADrawer(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := book(t, db, ledger.DrawerOpened("s", eur("50")), ledger.CashFromSafe("s", eur("20")), ledger.CashTaken("s", price),
			ledger.ExpensePaid("s", eur("4.50")), ledger.CashToSafe("s", eur("30")))
		drawer, err := l.Balance(t.Context(), ledger.TillOf("s"), "EUR")
		require.NoError(t, err)
		require.Equal(t, "45.80 EUR", drawer.String())
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return ledger.Post(t.Context(), tx,
				ledger.Entry{Key: "shift/s/close", At: noon, Journal: ledger.CountDifference("s", eur("-0.30"))},
				ledger.Entry{Key: "shift/s/close", At: noon, Journal: ledger.CashToSafe("s", eur("45.50"))})
		}))
		requireBalances(t, l, map[ledger.Account]string{
			"1010": "5.50", "1100": "100.00", "2000": "-10.30", "3000": "-100.00", "5910": "0.30", "5930": "4.50",
		})
	})
}

// The float by other ways than sales: paid in, owed to who paid it, used by others, set to what the upstream says.
func TestTheFloatByOtherWays(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := book(t, db, ledger.FloatToppedUp(ledger.Safe, eur("40")), ledger.FloatToppedUp(ledger.FloatPayable, eur("10")),
			ledger.SoldByOthers(eur("12.34")), ledger.FloatExplained(ledger.Unexplained, eur("-0.66")),
			ledger.LossRecovered(eur("10.20"), eur("0.80")))
		requireBalances(t, l, map[ledger.Account]string{
			"1100": "136.20", "1010": "-40.00", "2100": "-10.00", "1140": "12.34", "9000": "0.66", "3000": "-100.00",
			"1130": "10.20", "5900": "-10.20", "4100": "0.80",
		})
	})
}

func TestAnAccountHasANumber(t *testing.T) {
	t.Parallel()
	for account, number := range map[ledger.Account]string{ledger.TillOf("01ABC"): "1000", ledger.TillOf(""): "1000", ledger.Float: "1100", "": ""} {
		require.Equal(t, number, account.Number(), account)
	}
}

// What is booked of nothing takes no row, and what would run over is not booked at all.
func TestWhatIsNotBooked(t *testing.T) {
	t.Parallel()
	none, err := ledger.Statements(store.SQLite)
	require.NoError(t, err)
	require.Empty(t, none)
	none, err = ledger.Statements(store.SQLite, ledger.Entry{Key: "k", At: noon, Journal: ledger.CommissionEarned(eur("0"))})
	require.NoError(t, err)
	require.Empty(t, none, "a commission of nothing")
	most := money.Of(math.MaxInt64, "EUR")
	for name, legs := range map[string][]ledger.Leg{
		"runs over":          {{Account: "1", Amount: most}, {Account: "2", Amount: most}, {Account: "3", Amount: most.Neg()}},
		"balances over both": {{Account: "1", Amount: eur("1")}, {Account: "2", Amount: money.MustParse("-1", "USD")}},
	} {
		_, err := ledger.Statements(store.SQLite, ledger.Entry{Key: "k", At: noon, Journal: ledger.Journal{Kind: "J1", Legs: legs}})
		require.Error(t, err, name)
	}
	both := []ledger.Leg{
		{Account: "1", Amount: eur("1")},
		{Account: "2", Amount: money.MustParse("2", "USD")},
		{Account: "3", Amount: eur("-1")},
		{Account: "4", Amount: money.MustParse("-2", "USD")},
	}
	one, err := ledger.Statements(store.SQLite, ledger.Entry{Key: "k", At: noon, Journal: ledger.Journal{Kind: "J1", Legs: both}})
	require.NoError(t, err, "each currency balances")
	require.Len(t, one, 1)
	for name, actual := range map[string]ledger.Cost{
		"a send value in another currency than its fee": {Send: eur("1"), CustomerFee: money.MustParse("0", "USD"), DistributorFee: eur("0")},
		"a cost that runs over":                         {Send: most, CustomerFee: eur("0"), DistributorFee: most},
	} {
		_, err := ledger.Success(ledger.Reserved, eur("1"), actual)
		require.Error(t, err, name)
		_, err = ledger.Reversal(eur("1"), actual, eur("0"))
		require.Error(t, err, name)
	}
}

// What was posted and not committed is nobody's but the transaction's own.
func TestABalanceIsOfWhatIsCommitted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l, cut := book(t, db), errors.New("cut")
		err := db.Tx(t.Context(), func(tx *store.Tx) error {
			if err := ledger.Post(t.Context(), tx, ledger.Entry{Key: "k", At: noon, Journal: ledger.Reserve(eur("30"))}); err != nil {
				return err
			}
			inside, err := ledger.BalanceIn(t.Context(), tx.DB, ledger.Float, "EUR")
			require.NoError(t, err)
			require.Equal(t, "70.00 EUR", inside.String())
			return cut
		})
		require.ErrorIs(t, err, cut)
		outside, err := l.Balance(t.Context(), ledger.Float, "EUR")
		require.NoError(t, err)
		require.Equal(t, "100.00 EUR", outside.String())
		none, err := l.Balance(t.Context(), ledger.Float, "USD")
		require.NoError(t, err)
		require.Equal(t, money.Of(0, "USD"), none)
	})
}

// The last posting before a moment is found wherever it lies, over gaps in the numbers, at their ends and beyond.
func TestTheLastPostingBeforeAMoment(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		none, err := ledger.LastBefore(db.Read(t.Context()), noon)
		require.NoError(t, err)
		require.Zero(t, none, "there is no posting")
		const journals = 40
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			for i := range journals {
				at := noon.Add(time.Duration(i/2) * time.Minute) // two at each moment
				if err := ledger.Post(t.Context(), tx, ledger.Entry{Key: fmt.Sprintf("k%02d", i), At: at, Journal: ledger.Reserve(eur("1"))}); err != nil {
					return err
				}
			}
			storetest.AsOwner(t, tx)
			for _, trigger := range []string{"postings_no_delete", "postings_append_only"} {
				drop := "DROP TRIGGER IF EXISTS " + trigger
				if tx.Dialect() == store.Postgres {
					drop += " ON postings"
				}
				if err := tx.Exec(drop).Error; err != nil {
					return err
				}
			}
			return tx.Exec("DELETE FROM postings WHERE journal LIKE 'k10/%' OR journal LIKE 'k11/%' OR journal LIKE 'k25/%'").Error
		}))
		for minutes := -1; minutes <= journals/2+1; minutes++ {
			for _, more := range []time.Duration{0, time.Second} {
				at := noon.Add(time.Duration(minutes)*time.Minute + more)
				var want int64
				require.NoError(t, db.Read(t.Context()).Raw("SELECT COALESCE(MAX(id), 0) FROM postings WHERE at < ?", store.Moment(at)).Scan(&want).Error)
				got, err := ledger.LastBefore(db.Read(t.Context()), at)
				require.NoError(t, err)
				var counted [2]int64
				for i, upTo := range []int64{got, want} {
					require.NoError(t, db.Read(t.Context()).Raw("SELECT COUNT(*) FROM postings WHERE id <= ?", upTo).Scan(&counted[i]).Error)
				}
				require.Equal(t, counted[1], counted[0], "before %s", at)
			}
		}
	})
}

// A journal that lies across the edge of a batch is no offence; one that is off is found by whichever batch meets it.
func TestJournalsAreVerifiedInBatches(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var journals []ledger.Journal
		for range 7 {
			journals = append(journals, must(ledger.Success(ledger.Reserved, total, cost))) // five legs each
		}
		l := book(t, db, journals...)
		verify := func(batch int64) (looked int64, off []ledger.Offence) {
			var last int64
			for {
				j, err := l.VerifyJournals(t.Context(), last, batch)
				require.NoError(t, err)
				if j.Last == last {
					require.Zero(t, j.Looked)
					return looked, off
				}
				looked, off, last = looked+j.Looked, append(off, j.Off...), j.Last
			}
		}
		for _, batch := range []int64{1, 2, 3, 7, 1000} {
			looked, off := verify(batch)
			require.EqualValues(t, 1+7, looked, "in batches of %d", batch)
			require.Empty(t, off, "in batches of %d", batch)
		}
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Exec(`INSERT INTO postings (journal, line, kind, account, micros, currency, at)
				VALUES ('odd/J1', 0, 'J1', '1100', 10000, 'EUR', ?), ('odd/J1', 1, 'J1', '2000', -20000, 'EUR', ?)`, noon, noon).Error
		}))
		for _, batch := range []int64{1, 2, 1000} {
			_, off := verify(batch)
			require.NotEmpty(t, off)
			for _, o := range off {
				require.Equal(t, ledger.Offence{Subject: "odd/J1", Off: money.MustParse("-0.01", "EUR")}, o)
			}
		}
		offences, err := l.Verify(t.Context())
		require.NoError(t, err)
		require.Len(t, offences, 1)
	})
}

// However postings and checkpoints come, a balance is the sum of what was posted.
func TestABalanceIsTheSumOfItsPostings(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l, at, n := book(t, db), noon, 0
		rapid.Check(t, func(rt *rapid.T) {
			for range rapid.IntRange(1, 4).Draw(rt, "journals") {
				n++
				amount := money.Of(rapid.Int64Range(1, 9_000_000).Draw(rt, "amount"), rapid.SampledFrom([]money.Currency{"EUR", "USD"}).Draw(rt, "currency"))
				require.NoError(rt, db.Tx(t.Context(), func(tx *store.Tx) error {
					return ledger.Post(t.Context(), tx, ledger.Entry{Key: fmt.Sprint("p", n), At: at, Journal: ledger.Reserve(amount)})
				}))
			}
			at = at.Add(time.Duration(rapid.IntRange(0, 12).Draw(rt, "minutes")) * time.Minute)
			require.NoError(rt, l.Checkpoint(t.Context(), at))
			for _, currency := range []money.Currency{"EUR", "USD"} {
				var micros int64
				require.NoError(rt, db.Read(t.Context()).Raw("SELECT CAST(COALESCE(SUM(micros), 0) AS BIGINT) FROM postings WHERE account = ? AND currency = ?",
					ledger.Reserved, currency).Scan(&micros).Error)
				got, err := l.Balance(t.Context(), ledger.Reserved, currency)
				require.NoError(rt, err)
				require.Equal(rt, money.Of(micros, currency), got)
			}
		})
	})
}
