package ledger_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"pgregory.net/rapid"

	"airtill/internal/harness/storetest"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/store"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func eur(text string) money.Amount { return money.MustParse(text, "EUR") }

// The worked example of the design: S 10.00, c 0.50, d 0.20, k 0.80, R 10.30.
var (
	cost  = ledger.Cost{Send: eur("10.00"), CustomerFee: eur("0.50"), DistributorFee: eur("0.20")}
	total = eur("10.20")
	price = eur("10.30")
)

func must(j ledger.Journal, err error) ledger.Journal {
	if err != nil {
		panic(err)
	}
	return j
}

type books struct {
	*ledger.Ledger
	db *store.DB
}

// book posts journals after an opening balance of 100.00.
func book(t *testing.T, db *store.DB, journals ...ledger.Journal) books {
	t.Helper()
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		for i, j := range append([]ledger.Journal{ledger.OpeningBalance(eur("100"))}, journals...) {
			if err := ledger.Post(t.Context(), tx, ledger.Entry{Key: "sale/" + string(rune('a'+i)), At: noon, Journal: j}); err != nil {
				return err
			}
		}
		return nil
	}))
	return books{ledger.New(ledger.Deps{DB: db}), db}
}

func requireBalances(t *testing.T, l books, want map[ledger.Account]string) {
	t.Helper()
	got := map[ledger.Account]string{}
	type sum struct {
		Account ledger.Account
		Micros  int64
	}
	balances, err := store.All[sum](l.db.Read(t.Context()).Table("postings").Select(
		"account, SUM(micros) AS micros").Group("account").Having("SUM(micros) <> 0"))
	require.NoError(t, err)
	for _, b := range balances {
		got[b.Account] = money.Of(b.Micros, "EUR").Decimal(2)
	}
	require.Equal(t, want, got)
}

func TestSuccessLeavesTheUpstreamBalanceAndTheMargin(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := book(t, db, ledger.CashTaken("s", price), ledger.Reserve(total),
			must(ledger.Success(ledger.Reserved, total, cost)), ledger.CommissionEarned(eur("0.80")), must(ledger.Revenue(price, cost)))
		// Margin 0.90 = mark-up 0.30 + commission 0.80 - distributor fee 0.20.
		requireBalances(t, l, map[ledger.Account]string{
			"1000:s": "10.30", "1100": "90.60", "3000": "-100.00", "4000": "-9.50", "4010": "-0.50",
			"4020": "-0.30", "4100": "-0.80", "5000": "9.50", "5010": "0.50", "5100": "0.20",
		})
	})
}

func TestFailureAndRefundLeaveNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := book(t, db, ledger.CashTaken("s", price), ledger.Reserve(total), ledger.Release(total),
			ledger.RefundBecomesDue(price), ledger.CashRefunded("s", price))
		requireBalances(t, l, map[ledger.Account]string{"1100": "100.00", "3000": "-100.00"})
	})
}

func TestBatchWaitsInClearingAndComesBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		open := []ledger.Journal{ledger.Reserve(total), ledger.BatchAccepted(total)}
		requireBalances(t, book(t, db, open...), map[ledger.Account]string{"1100": "89.80", "1120": "10.20", "3000": "-100.00"})
	})
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := book(t, db, ledger.Reserve(total), ledger.BatchAccepted(total), ledger.BatchReturned(total), ledger.UpstreamRefunded(total))
		requireBalances(t, l, map[ledger.Account]string{"1100": "100.00", "3000": "-100.00"})
	})
}

func TestLateSuccessAfterRefundIsALoss(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := book(t, db, ledger.LateLoss(total), ledger.CommissionEarned(eur("0.80")))
		requireBalances(t, l, map[ledger.Account]string{"1100": "90.60", "3000": "-100.00", "4100": "-0.80", "5900": "10.20"})
	})
}

func TestReversalOwesTheCustomerAndIsOwedByTheUpstream(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := book(t, db, ledger.CashTaken("s", price), ledger.Reserve(total), must(ledger.Success(ledger.Reserved, total, cost)),
			ledger.CommissionEarned(eur("0.80")), must(ledger.Revenue(price, cost)), must(ledger.Reversal(price, cost, eur("0.80"))))
		requireBalances(t, l, map[ledger.Account]string{"1000:s": "10.30", "1100": "89.80", "1130": "10.20", "2010": "-10.30", "3000": "-100.00"})
	})
}

func TestTrueUpMovesTheDifferenceToTheFloat(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		cheaper := ledger.Cost{Send: eur("9.00"), CustomerFee: eur("0"), DistributorFee: eur("0.20")}
		l := book(t, db, ledger.Reserve(total), must(ledger.Success(ledger.Reserved, total, cheaper)))
		requireBalances(t, l, map[ledger.Account]string{"1100": "90.80", "3000": "-100.00", "5000": "9.00", "5100": "0.20"})
	})
}

func TestRevenueInAnotherCurrencyIsEarnedWhole(t *testing.T) {
	t.Parallel()
	j := must(ledger.Revenue(money.MustParse("11.50", "USD"), cost))
	require.Equal(t, []ledger.Leg{
		{Account: ledger.CustomerPrepayments, Amount: money.MustParse("11.50", "USD")},
		{Account: ledger.FaceValue, Amount: money.MustParse("-11.50", "USD")},
	}, j.Legs)
}

func TestAnEventIsBookedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		entry := ledger.Entry{Key: "sale/1", SaleID: "sale", At: noon, Journal: ledger.Reserve(total)}
		post := func() error {
			return db.Tx(t.Context(), func(tx *store.Tx) error { return ledger.Post(t.Context(), tx, entry) })
		}
		require.NoError(t, post())
		require.ErrorIs(t, post(), gorm.ErrDuplicatedKey)
	})
}

// TestAPostingIsStoredToTheLastDigit: as the driver would write each of its values.
func TestAPostingIsStoredToTheLastDigit(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		const huge = 9_007_199_254_740_993 // no float64 has it
		for i, at := range []time.Time{noon, noon.Add(time.Microsecond), noon.Add(120 * time.Millisecond)} {
			sale := []string{"", "<sale> \"é\" 'of' two\\", "sale"}[i]
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
				return ledger.Post(t.Context(), tx, ledger.Entry{
					Key: string(rune('a' + i)), SaleID: sale, At: at, Journal: ledger.Reserve(money.Of(huge, "EUR")),
				})
			}))
			var found []struct {
				Line   int
				Micros int64
				SaleID *string
			}
			require.NoError(t, db.Read(t.Context()).Raw("SELECT line, micros, sale_id FROM postings WHERE at = ? ORDER BY line", at).Scan(&found).Error)
			require.Len(t, found, 2, "found by its time")
			require.EqualValues(t, huge, found[0].Micros)
			require.EqualValues(t, -huge, found[1].Micros)
			require.Equal(t, 1, found[1].Line)
			require.Equal(t, sale == "", found[0].SaleID == nil)
			if sale != "" {
				require.Equal(t, sale, *found[0].SaleID)
			}
		}
	})
}

func TestAnUnbalancedJournalIsRefused(t *testing.T) {
	t.Parallel()
	for _, legs := range [][]ledger.Leg{
		{{Account: ledger.Float, Amount: eur("1")}},
		{{Account: ledger.Float, Amount: eur("1")}, {Account: ledger.Opening, Amount: money.MustParse("-1", "USD")}},
	} {
		_, err := ledger.Statements(store.SQLite, ledger.Entry{Key: "x", At: noon, Journal: ledger.Journal{Kind: "J1", Legs: legs}})
		require.ErrorContains(t, err, "out of balance")
	}
}

func TestEveryJournalBalances(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) money.Amount {
			return money.Of(rapid.Int64Range(0, 1_000_000_000_000).Draw(t, name), "EUR")
		}
		actual := ledger.Cost{Send: draw("send"), CustomerFee: draw("fee"), DistributorFee: draw("distributor")}
		paid, held, commission := draw("price"), draw("held"), draw("commission")
		_, err := ledger.Statements(store.SQLite,
			ledger.Entry{Journal: must(ledger.Success(ledger.Reserved, held, actual))},
			ledger.Entry{Journal: must(ledger.Success(ledger.BatchClearing, held, actual))},
			ledger.Entry{Journal: must(ledger.Revenue(paid, actual))},
			ledger.Entry{Journal: must(ledger.Reversal(paid, actual, commission))})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestCheckpointsChangeNoBalance(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := book(t, db, ledger.Reserve(total))
		post := func(key string) {
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
				return ledger.Post(t.Context(), tx, ledger.Entry{Key: key, At: noon, Journal: ledger.Reserve(eur("1"))})
			}))
		}
		balance := func() string {
			got, err := l.Balance(t.Context(), ledger.Float, "EUR")
			require.NoError(t, err)
			return got.Decimal(2)
		}
		checkpoints := func() (n int64) {
			require.NoError(t, db.Read(t.Context()).Table("ledger_checkpoints").Count(&n).Error)
			return n
		}
		require.NoError(t, l.Checkpoint(t.Context(), noon)) // leaves a horizon only
		require.Zero(t, checkpoints())
		post("later")
		require.NoError(t, l.Checkpoint(t.Context(), noon.Add(time.Minute))) // too soon
		require.Zero(t, checkpoints())
		for i := 1; i <= 3; i++ {
			require.NoError(t, l.Checkpoint(t.Context(), noon.Add(time.Duration(i)*ledger.CheckpointEvery)))
			post("round" + string(rune('0'+i)))
		}
		require.NotZero(t, checkpoints())
		require.Equal(t, "85.80", balance())
		offences, err := l.Verify(t.Context())
		require.NoError(t, err)
		require.Empty(t, offences)

		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Exec("UPDATE ledger_checkpoints SET micros = micros + 1 WHERE account = '1100'").Error
		}))
		offences, err = l.Verify(t.Context())
		require.NoError(t, err)
		require.Equal(t, "1100", offences[0].Subject)
	})
}

// A run reads what came after the last one, not all that was ever posted; what another version of the till has folded
// further meanwhile is not counted twice.
func TestCheckpointsBeginWhereTheLastEnded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := book(t, db)
		folded := func() (id int64) {
			require.NoError(t, db.Read(t.Context()).Raw("SELECT folded_id FROM ledger_horizon").Scan(&id).Error)
			return id
		}
		var seen []int64
		for i := range 4 {
			require.NoError(t, l.Checkpoint(t.Context(), noon.Add(time.Duration(i)*ledger.CheckpointEvery)))
			seen = append(seen, folded())
			require.NoError(t, l.post(t.Context(), string(rune('0'+i)), nothing))
		}
		require.Equal(t, []int64{0, 2, 4, 6}, seen, "two postings a journal, a run behind")
		require.NoError(t, db.Exec(t.Context(), "UPDATE ledger_horizon SET folded_id = 0")) // as of an older version
		require.NoError(t, l.Checkpoint(t.Context(), noon.Add(9*ledger.CheckpointEvery)))
		offences, err := l.Verify(t.Context())
		require.NoError(t, err)
		require.Empty(t, offences)
		balance, err := l.Balance(t.Context(), ledger.Float, "EUR")
		require.NoError(t, err)
		require.Equal(t, "96.00", balance.Decimal(2))
	})
}
