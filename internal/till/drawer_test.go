package till_test

import (
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/invariant"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/store"
	"airtill/internal/till"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func eur(text string) money.Amount { return money.MustParse(text, "EUR") }

// drawer is a till with its books.
type drawer struct {
	*till.Service
	t *testing.T
}

func newDrawer(t *testing.T, db *store.DB) drawer {
	t.Helper()
	now := func() time.Time { return noon }
	chain := audit.New(audit.Deps{DB: db, Now: now, Log: slog.New(slog.DiscardHandler)})
	return drawer{till.New(till.Deps{DB: db, Ledger: ledger.New(ledger.Deps{DB: db}), Audit: chain, Now: now}), t}
}

func each(t *testing.T, test func(t *testing.T, d drawer)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db *store.DB) { test(t, newDrawer(t, db)) })
}

func aoife() audit.Actor { return audit.Actor{UserID: "aoife", Name: "aoife", Role: "cashier"} }

// inShop has a shop with the first till, for what looks them up.
func (d drawer) inShop() {
	d.t.Helper()
	d.exec(`INSERT INTO shops (id, name, zone, country, currency, address, tax_id, created_at)
		VALUES ('shop', 'Shop', 'Europe/Dublin', 'IE', 'EUR', '', '', ?)`, noon)
	d.exec("INSERT INTO tills (id, shop_id, number, name) VALUES ('till-1', 'shop', 1, 'One')")
}

func (d drawer) open(tillID, float string) till.Shift {
	d.t.Helper()
	shift, err := d.Open(d.t.Context(), till.Opening{Actor: aoife(), ShopID: "shop", TillID: tillID, Float: till.Counted(eur(float))})
	require.NoError(d.t, err)
	return shift
}

// take books the cash of a sale.
func (d drawer) take(shift till.Shift, key, price string) error {
	return d.Uses().DB.Tx(d.t.Context(), func(tx *store.Tx) error {
		if _, err := till.Hold(tx, shift.ID); err != nil {
			return err
		}
		return ledger.Post(d.t.Context(), tx, ledger.Entry{Key: key, At: noon, Journal: ledger.CashTaken(shift.ID, eur(price))})
	})
}

func (d drawer) count(shift till.Shift, key, sum string) (till.Shift, bool) {
	d.t.Helper()
	closed, again, err := d.Close(d.t.Context(), till.Ending{Key: key, Actor: aoife(), ShopID: "shop", ShiftID: shift.ID, Count: till.Counted(eur(sum))})
	require.NoError(d.t, err)
	return closed, again
}

func (d drawer) balance(account ledger.Account) string {
	d.t.Helper()
	balance, err := d.Uses().Ledger.Balance(d.t.Context(), account, "EUR")
	require.NoError(d.t, err)
	return balance.String()
}

func (d drawer) sound(shifts int) {
	d.t.Helper()
	offences, checked, err := d.Verify(d.t.Context())
	require.NoError(d.t, err)
	require.Empty(d.t, offences)
	require.EqualValues(d.t, shifts, checked)
	var left int64
	require.NoError(d.t, d.Uses().DB.Read(d.t.Context()).Raw("SELECT COALESCE(SUM(ABS(micros)), 0) FROM (SELECT SUM(p.micros) AS micros "+
		"FROM shifts s JOIN postings p ON p.account = '1000:' || s.id WHERE s.closed_at IS NOT NULL GROUP BY s.id) AS drawers").Scan(&left).Error)
	require.Zero(d.t, left, "nothing is left in a closed drawer")
	unbalanced, err := d.Uses().Ledger.Verify(d.t.Context())
	require.NoError(d.t, err)
	require.Empty(d.t, unbalanced)
}

func TestOneShiftIsOpenAtATill(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		none, err := d.Current(t.Context(), "till-1")
		require.NoError(t, err)
		require.Nil(t, none)

		opened := d.open("till-1", "50")
		require.Equal(t, 1, opened.Number)
		current, err := d.Current(t.Context(), "till-1")
		require.NoError(t, err)
		require.Equal(t, opened.ID, current.ID)
		require.Equal(t, "50.00 EUR", d.balance(ledger.TillOf(opened.ID)))
		require.Equal(t, "-50.00 EUR", d.balance(ledger.Safe))

		_, err = d.Open(t.Context(), till.Opening{Actor: aoife(), ShopID: "shop", TillID: "till-1", Float: till.Counted(eur("50"))})
		require.Equal(t, fault.Conflict, fault.KindOf(err))
		d.open("till-2", "0")
	})
}

func TestAFormOpensOneShift(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		opening := till.Opening{Key: "form-1", Actor: aoife(), ShopID: "shop", TillID: "till-1", Float: till.Counted(eur("50"))}
		ids := make([]string, 8)
		var all sync.WaitGroup
		for i := range ids {
			all.Go(func() {
				if shift, err := d.Open(t.Context(), opening); err == nil {
					ids[i] = shift.ID
				}
			})
		}
		all.Wait()
		for _, id := range ids {
			require.Equal(t, ids[0], id)
		}
		require.NotEmpty(t, ids[0])
		shift, err := d.Get(t.Context(), ids[0], "shop")
		require.NoError(t, err)
		d.count(shift, "close-1", "50")
		again, err := d.Open(t.Context(), opening)
		require.NoError(t, err)
		require.True(t, again.Closed(), "the form of a shift that is over opens no other")
		d.sound(1)
	})
}

func TestARightCountClosesAtOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		shift := d.open("till-1", "50")
		require.NoError(t, d.take(shift, "sale/1", "10.30"))
		closed, again := d.count(shift, "close-1", "60.30")
		require.False(t, again)
		require.True(t, closed.Closed())
		require.Equal(t, "0.00 EUR", d.balance(ledger.TillOf(shift.ID)))
		require.Equal(t, "10.30 EUR", d.balance(ledger.Safe))
		require.Equal(t, "0.00 EUR", d.balance(ledger.CashOverShort))

		z, hash, err := d.ZReport(t.Context(), shift.ID)
		require.NoError(t, err)
		require.Len(t, hash, 64)
		require.Equal(t, int64(60_300_000), z.Expected)
		require.Equal(t, till.Closing{Counts: 1, Counted: 60_300_000, Loose: 60_300_000, Left: 50_000_000, Banked: 10_300_000}, *z.Closing)
		d.sound(1)

		next := d.open("till-1", "49")
		require.Equal(t, 2, next.Number)
		x, err := d.XReport(t.Context(), next)
		require.NoError(t, err)
		require.Equal(t, "-1.00 EUR", x.OpeningDifference().String())
	})
}

func TestAWrongCountIsCountedOnceMore(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		shift := d.open("till-1", "50")
		for range 3 { // the same form is one count
			open, again := d.count(shift, "first", "48")
			require.True(t, again)
			require.False(t, open.Closed())
		}
		require.NoError(t, d.take(shift, "sale/1", "5"))
		_, again := d.count(shift, "second", "54")
		require.True(t, again, "cash has moved since: it is a first count again")
		closed, again := d.count(shift, "third", "54.50")
		require.False(t, again)
		require.Equal(t, int64(54_500_000), *closed.CountedMicros)
		require.Equal(t, "0.50 EUR", d.balance(ledger.CashOverShort), "short")
		z, _, err := d.ZReport(t.Context(), shift.ID)
		require.NoError(t, err)
		require.Equal(t, 3, z.Closing.Counts)
		require.Equal(t, int64(-500_000), z.Closing.Difference)

		over := d.open("till-1", "54.50")
		d.count(over, "fourth", "55.50")
		d.count(over, "fifth", "55.50")
		require.Equal(t, "-0.50 EUR", d.balance(ledger.CashOverShort), "over by 1.00")
		closed, again = d.count(over, "fifth", "55.50")
		require.False(t, again)
		require.True(t, closed.Closed(), "the form that closed it is answered the same again")
		_, _, err = d.Close(t.Context(), till.Ending{Key: "sixth", Actor: aoife(), ShopID: "shop", ShiftID: over.ID, Count: till.Counted(eur("1"))})
		require.Equal(t, fault.Conflict, fault.KindOf(err))
		d.sound(2)
	})
}

func TestAShiftWithoutSalesCloses(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		shift := d.open("till-1", "0")
		_, again := d.count(shift, "close", "0")
		require.False(t, again)
		d.sound(1)
	})
}

func TestWhatStaysInTheDrawerIsNotBanked(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		shift := d.open("till-1", "50")
		ending := till.Ending{Key: "close", Actor: aoife(), ShopID: "shop", ShiftID: shift.ID, Count: till.Counted(eur("50"))}
		for _, wrong := range []money.Amount{eur("50.01"), eur("-1"), money.MustParse("1", "USD")} {
			ending.Left = &wrong
			_, _, err := d.Close(t.Context(), ending)
			require.Equal(t, fault.Invalid, fault.KindOf(err), wrong)
		}
		twenty := eur("20")
		ending.Left = &twenty
		_, again, err := d.Close(t.Context(), ending)
		require.NoError(t, err)
		require.False(t, again)
		z, _, err := d.ZReport(t.Context(), shift.ID)
		require.NoError(t, err)
		require.Equal(t, []int64{20_000_000, 30_000_000}, []int64{z.Closing.Left, z.Closing.Banked})
		d.sound(1)
	})
}

func TestCashMovesOnceAndOverALimitOnlyWithAManager(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		shift := d.open("till-1", "500")
		move := func(key string, kind till.MoveKind, amount, reason, approver string) error {
			_, err := d.MoveCash(t.Context(), till.Moving{Key: key, Actor: aoife(), ShiftID: shift.ID, Kind: kind, Amount: eur(amount), Reason: reason, Approver: approval.Approver{ID: approver}})
			return err
		}
		for range 3 {
			require.NoError(t, move("a", till.PaidIn, "20", "change", ""))
		}
		require.Equal(t, fault.Conflict, fault.KindOf(move("a", till.PaidIn, "21", "change", "")), "the same form, another amount")
		require.NoError(t, move("b", till.Expense, "4.50", "milk", ""))
		require.NoError(t, move("b2", till.Expense, "60", "bread, of 6.00", ""))
		require.NoError(t, move("b3", till.ExpenseBack, "54", "bread was 6.00", ""))
		require.NoError(t, move("c", till.ToSafe, "100", "enough notes", ""))
		require.ErrorIs(t, move("d", till.ToSafe, "100.01", "too many notes", ""), till.ErrNeedsManager)
		require.NoError(t, move("d", till.ToSafe, "100.01", "too many notes", "boss"))
		for _, err := range []error{
			move("", till.PaidIn, "1", "x", ""), move("e", "gift", "1", "x", ""), move("e", till.PaidIn, "0", "x", ""),
			move("e", till.PaidIn, "-1", "x", ""), move("e", till.PaidIn, "1", " ", ""),
		} {
			require.Equal(t, fault.Invalid, fault.KindOf(err))
		}
		require.Equal(t, "309.49 EUR", d.balance(ledger.TillOf(shift.ID)))
		require.Equal(t, "10.50 EUR", d.balance(ledger.ShopExpenses))

		x, err := d.XReport(t.Context(), shift)
		require.NoError(t, err)
		require.Equal(t, []int64{500_000_000, 20_000_000, 200_010_000, 10_500_000, 309_490_000}, []int64{x.Opening, x.PaidIn, x.Dropped, x.Expenses, x.Expected})
		require.Len(t, x.Moves, 6)
		d.count(shift, "close", "309.49")
		require.Equal(t, fault.Conflict, fault.KindOf(move("f", till.PaidIn, "1", "too late", "")))
		d.sound(1)
	})
}

// Sales and a close at once: the lock of the shift decides, and no cash lands in
// a drawer that was counted.
func TestNoCashLandsInAClosedShift(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		shift := d.open("till-1", "0")
		const sellers, sales = 4, 12
		var all sync.WaitGroup
		landed := make([]int, sellers)
		for seller := range sellers {
			all.Go(func() {
				for i := range sales {
					err := d.take(shift, "sale/"+string(rune('a'+seller))+string(rune('a'+i)), "1")
					if err == nil {
						landed[seller]++
					} else if fault.KindOf(err) != fault.Conflict {
						t.Error(err)
					}
				}
			})
		}
		var closed till.Shift
		all.Go(func() {
			for i := 0; !closed.Closed(); i++ { // wrong counts until nothing moves between two
				var err error
				closed, _, err = d.Close(t.Context(), till.Ending{Key: "close" + string(rune('a'+i)), Actor: aoife(), ShopID: "shop", ShiftID: shift.ID, Count: till.Counted(eur("0.01"))})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
		all.Wait()
		z, _, err := d.ZReport(t.Context(), shift.ID)
		require.NoError(t, err)
		total := 0
		for _, n := range landed {
			total += n
		}
		require.Equal(t, int64(total)*money.Scale, z.Taken, "what was sold before the close is in its report, and nothing after")
		require.Equal(t, fault.Conflict, fault.KindOf(d.take(shift, "sale/late", "1")))
		d.sound(1)
	})
}

// A sale that holds the shift and has not committed yet: the close waits for it
// and counts it.
func TestACloseWaitsForTheSaleThatIsBeingBooked(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		shift := d.open("till-1", "0")
		closed := make(chan error, 1)
		require.NoError(t, d.Uses().DB.Tx(t.Context(), func(tx *store.Tx) error {
			if _, err := till.Hold(tx, shift.ID); err != nil {
				return err
			}
			go func() {
				_, again, err := d.Close(t.Context(), till.Ending{Key: "close", Actor: aoife(), ShopID: "shop", ShiftID: shift.ID, Count: till.Counted(eur("7"))})
				if again {
					t.Error("the count was not what the books expect")
				}
				closed <- err
			}()
			select {
			case err := <-closed:
				require.NoError(t, err)
				return errors.New("closed under a sale that was being booked")
			case <-time.After(300 * time.Millisecond): // long enough for a close that does not wait
			}
			return ledger.Post(t.Context(), tx, ledger.Entry{Key: "sale/1", At: noon, Journal: ledger.CashTaken(shift.ID, eur("7"))})
		}))
		require.NoError(t, <-closed)
		z, _, err := d.ZReport(t.Context(), shift.ID)
		require.NoError(t, err)
		require.Equal(t, int64(7_000_000), z.Taken)
		d.sound(1)
	})
}

func TestReportsAndClosedShiftsCannotBeChanged(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		shift := d.open("till-1", "10")
		_, err := d.MoveCash(t.Context(), till.Moving{Key: "a", Actor: aoife(), ShiftID: shift.ID, Kind: till.PaidIn, Amount: eur("1"), Reason: "change"})
		require.NoError(t, err)
		d.count(shift, "close", "11")
		for _, sql := range []string{
			"UPDATE z_reports SET document = '{}'", "DELETE FROM z_reports", "UPDATE drawer_counts SET counted_micros = 0", "DELETE FROM drawer_counts",
			"UPDATE cash_moves SET micros = 2", "DELETE FROM cash_moves", "UPDATE shifts SET closed_at = NULL", "DELETE FROM shifts",
		} {
			err := d.Uses().DB.Tx(t.Context(), func(tx *store.Tx) error { return tx.Exec(sql).Error })
			require.Error(t, err, sql)
		}
		d.sound(1)
	})
}

// Whoever can go round the triggers is found out all the same.
func TestVerifyNamesWhatWasTamperedWith(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	d := newDrawer(t, db)
	first := d.open("till-1", "10")
	d.count(first, "1", "10")
	second := d.open("till-1", "10")
	d.count(second, "2", "10")
	third := d.open("till-1", "10")
	d.count(third, "3", "10")
	d.sound(3)
	without := "DROP TRIGGER z_reports_no_update"
	if db.Dialect() == store.Postgres {
		without = "DROP TRIGGER z_reports_append_only ON z_reports"
	}
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		storetest.AsOwner(t, tx)
		if err := tx.Exec(without).Error; err != nil {
			return err
		}
		return tx.Exec("UPDATE z_reports SET document = REPLACE(document, '\"counted\":10', '\"counted\":11'), hash = 'x' WHERE shift_id = ?", second.ID).Error
	}))
	offences, _, err := d.Verify(t.Context())
	require.NoError(t, err)
	for _, problem := range []string{"notNext", "early", "unreported", "changed", "unreadable", "notAfter", "sums"} {
		require.Contains(t, invariant.Kinds(), invariant.Kind("shift."+problem), "pages have a sentence for it")
	}
	require.Equal(t, []till.Offence{{second.ID, "changed"}, {third.ID, "notAfter"}}, offences)
}

func TestCountsOfNotesAndCoins(t *testing.T) {
	t.Parallel()
	sum, err := till.Count{Piles: []till.Pile{{50_000_000, 3}, {20_000, 7}}, Loose: eur("0.50")}.Sum()
	require.NoError(t, err)
	require.Equal(t, eur("150.64"), sum)
	for _, wrong := range []till.Count{
		{Piles: []till.Pile{{1, -1}}, Loose: eur("5")}, {Piles: []till.Pile{{1_000_000, 100_001}}, Loose: eur("0")}, {Loose: eur("-0.01")},
	} {
		_, err := wrong.Sum()
		require.Equal(t, fault.Invalid, fault.KindOf(err))
	}
}

func TestEveryCurrencysCashIsWellFormed(t *testing.T) {
	t.Parallel()
	for _, currency := range []money.Currency{"EUR", "USD", "KWD", "JPY", "VND", "XAF", "ZAR", "AED"} {
		cash, err := till.CashOf(currency)
		require.NoError(t, err)
		require.Positive(t, cash.ApproveAbove.Sign(), currency)
		require.NotEmpty(t, cash.Notes, currency)
		last := cash.Notes[0]
		for _, note := range cash.Notes[1:] {
			require.Less(t, note.Micros(), last.Micros(), currency)
			last = note
		}
	}
	unknown, err := till.CashOf("XXX")
	require.NoError(t, err)
	require.Empty(t, unknown.Notes)
	require.Zero(t, unknown.ApproveAbove.Sign())
}
