package till_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/approval"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/store"
	"airtill/internal/till"
)

func codeOf(err error) string {
	var refusal *fault.Error
	if errors.As(err, &refusal) {
		return refusal.Field + "/" + refusal.Code
	}
	return ""
}

func (d drawer) exec(sql string, args ...any) {
	d.t.Helper()
	require.NoError(d.t, d.Uses().DB.Tx(d.t.Context(), func(tx *store.Tx) error { return tx.Exec(sql, args...).Error }))
}

// sold is a row of a sale at a shift, as it stands there.
func (d drawer) sold(shift till.Shift, cashier string, state sales.State, cash sales.Cash, price string, practice bool) {
	d.t.Helper()
	var n int64
	require.NoError(d.t, d.Uses().DB.Read(d.t.Context()).Table("sales").Count(&n).Error)
	s := sales.Sale{
		ID: fmt.Sprintf("%026d", n), IdempotencyKey: fmt.Sprint(n), Code: fmt.Sprint("C", n), Number: int(n), ShopID: "shop",
		TillID: shift.TillID, ShiftID: shift.ID, CashierID: cashier, Practice: practice, Fulfilment: state, Cash: cash,
	}
	s.Ref, s.PriceMicros, s.PriceCurrency = fmt.Sprint(n), eur(price).Micros(), "EUR"
	require.NoError(d.t, d.Uses().DB.Tx(d.t.Context(), func(tx *store.Tx) error { return tx.Create(&s).Error }))
}

// A report counts what a shift sold by how it stands, by seller where the till changed hands, and what is still owed by
// this shift and earlier ones; practice is none of it.
func TestAReportCountsWhatWasSold(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		for id, name := range map[string]string{"aoife": "Aoife", "brid": "Bríd"} {
			d.exec(`INSERT INTO users (id, username, display_name, role, locale, password_hash, epoch, created_at)
				VALUES (?, ?, ?, 'auditor', 'en', '', 0, ?)`, id, id, name, noon)
		}
		early := d.open("till-1", "0")
		d.sold(early, "aoife", sales.Unknown, sales.CashTaken, "3", false)
		d.count(early, "close", "0")
		shift := d.open("till-1", "0")
		other := d.open("till-2", "0")
		d.sold(other, "aoife", sales.Unknown, sales.CashTaken, "99", false)
		d.sold(shift, "aoife", sales.Complete, sales.CashEarned, "10.30", false)
		x, err := d.XReport(t.Context(), shift)
		require.NoError(t, err)
		require.Empty(t, x.Sellers, "one sold it all")
		d.sold(shift, "brid", sales.Complete, sales.CashEarned, "5", false)
		d.sold(shift, "brid", sales.Failed, sales.CashRefundDue, "7", false)
		d.sold(shift, "brid", sales.Failed, sales.CashRefunded, "1", false)
		d.sold(shift, "brid", sales.Voided, sales.CashRefunded, "2", false)
		d.sold(shift, "brid", sales.Unknown, sales.CashTaken, "50", true)
		x, err = d.XReport(t.Context(), shift)
		require.NoError(t, err)
		require.Equal(t, "Aoife", x.OpenedBy)
		require.Equal(t, []till.Sold{
			{Fulfilment: "complete", Cash: "earned", Count: 2, Micros: 15_300_000},
			{Fulfilment: "failed", Cash: "refund_due", Count: 1, Micros: 7_000_000},
			{Fulfilment: "failed", Cash: "refunded", Count: 1, Micros: 1_000_000},
			{Fulfilment: "voided", Cash: "refunded", Count: 1, Micros: 2_000_000},
		}, x.Sales)
		require.Equal(t, []till.Sold{
			{Cashier: "Aoife", Fulfilment: "complete", Cash: "earned", Count: 1, Micros: 10_300_000},
			{Cashier: "Bríd", Fulfilment: "complete", Cash: "earned", Count: 1, Micros: 5_000_000},
			{Cashier: "Bríd", Fulfilment: "failed", Cash: "refund_due", Count: 1, Micros: 7_000_000},
			{Cashier: "Bríd", Fulfilment: "failed", Cash: "refunded", Count: 1, Micros: 1_000_000},
			{Cashier: "Bríd", Fulfilment: "voided", Cash: "refunded", Count: 1, Micros: 2_000_000},
		}, x.Sellers)
		d.exec("UPDATE users SET display_name = 'Bríd' WHERE id = 'aoife'")
		alike, err := d.XReport(t.Context(), shift)
		require.NoError(t, err)
		require.Equal(t, x.Sales, alike.Sales)
		require.Equal(t, till.Sold{Cashier: "Bríd (aoife)", Fulfilment: "complete", Cash: "earned", Count: 1, Micros: 10_300_000}, alike.Sellers[0])
		require.Equal(t, till.Sold{Cashier: "Bríd (brid)", Fulfilment: "complete", Cash: "earned", Count: 1, Micros: 5_000_000}, alike.Sellers[1])
		var carried []int64
		for _, c := range x.Carried {
			carried = append(carried, c.Micros)
		}
		require.Equal(t, []int64{3_000_000, 7_000_000}, carried, "of this till, whichever shift")
	})
}

// The reports of a till are a chain, the hash of each in the next, and never computed again.
func TestReportsOfATillAreAChain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		var hashes []string
		var shifts []till.Shift
		for i, counted := range []string{"10", "9.50", "11"} {
			shift := d.open("till-1", "10")
			_, _, err := d.ZReport(t.Context(), shift.ID)
			require.Equal(t, "/shift.no-report", codeOf(err))
			if _, again := d.count(shift, fmt.Sprint("a", i), counted); again {
				d.count(shift, fmt.Sprint("b", i), counted)
			}
			z, hash, err := d.ZReport(t.Context(), shift.ID)
			require.NoError(t, err)
			require.Equal(t, i+1, z.Number)
			if i == 0 {
				require.Empty(t, z.Closing.Previous)
			} else {
				require.Equal(t, hashes[i-1], z.Closing.Previous)
			}
			hashes, shifts = append(hashes, hash), append(shifts, shift)
		}
		open := d.open("till-1", "10")
		different, err := d.Differences(t.Context(), append(shifts, open))
		require.NoError(t, err)
		require.Equal(t, map[string]till.Difference{
			shifts[0].ID: {Counted: eur("0"), Later: eur("0")}, shifts[1].ID: {Counted: eur("-0.50"), Later: eur("0")},
			shifts[2].ID: {Counted: eur("1"), Later: eur("0")},
		}, different)
		none, err := d.Differences(t.Context(), nil)
		require.NoError(t, err)
		require.Empty(t, none)
		d.sound(4)
	})
}

// Whoever asks for an X report while the drawer is closed elsewhere is told so, and not that it holds nothing.
func TestAShiftClosedMeanwhileHasNoXReport(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		for i, counted := range []string{"50", "49"} {
			shift := d.open("till-1", "50")
			x, err := d.XReport(t.Context(), shift)
			require.NoError(t, err)
			require.EqualValues(t, 50_000_000, x.Expected)
			if _, again := d.count(shift, fmt.Sprint("a", i), counted); again {
				d.count(shift, fmt.Sprint("b", i), counted)
			}
			_, err = d.XReport(t.Context(), shift)
			require.Equal(t, "/shift.closed-undone", codeOf(err))
		}
	})
}

// A first count that differs asks for another, for as long as no cash moves.
func TestARecountIsAskedForWhileNothingMoves(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		shift := d.open("till-1", "50")
		asked := func() bool {
			again, err := d.Recount(t.Context(), shift)
			require.NoError(t, err)
			return again
		}
		require.False(t, asked(), "nobody has counted")
		d.count(shift, "first", "48")
		require.True(t, asked())
		require.NoError(t, d.take(shift, "sale/1", "5"))
		require.False(t, asked())
		d.count(shift, "second", "54")
		require.True(t, asked())
	})
}

// A form that opened a shift at one till is not said to have found one open at another.
func TestAFormOpensNoShiftAtAnotherTill(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		opening := till.Opening{Key: "form-1", Actor: aoife(), ShopID: "shop", TillID: "till-1", Float: till.Counted(eur("50"))}
		_, err := d.Open(t.Context(), opening)
		require.NoError(t, err)
		opening.TillID = "till-2"
		_, err = d.Open(t.Context(), opening)
		require.Equal(t, "/page.used", codeOf(err))
		d.open("till-2", "20")
		d.sound(2)
	})
}

// A form that was counted and comes again with another count counts nothing, and says so.
func TestACorrectedCountIsSaidNotToCount(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		shift := d.open("till-1", "50")
		again := func(key, sum string) string {
			e := till.Ending{Key: key, Actor: aoife(), ShopID: "shop", ShiftID: shift.ID, Count: till.Counted(eur(sum))}
			_, _, err := d.Close(t.Context(), e)
			return codeOf(err)
		}
		_, recount := d.count(shift, "first", "48")
		require.True(t, recount)
		_, recount = d.count(shift, "first", "48")
		require.True(t, recount, "the same form twice")
		require.Equal(t, "count/count.recorded", again("first", "50"))
		d.count(shift, "second", "49")
		require.Empty(t, again("second", "49"))
		require.Empty(t, again("first", "48"))
		require.Equal(t, "/shift.closed", again("second", "50"))
		z, _, err := d.ZReport(t.Context(), shift.ID)
		require.NoError(t, err)
		require.Equal(t, 2, z.Closing.Counts)
		require.EqualValues(t, 49_000_000, z.Closing.Counted)
	})
}

// A close that is cut off before its report is written has not happened: no count, no cash in the safe, an open shift.
func TestACloseIsWholeOrNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		shift := d.open("till-1", "50")
		refuse := "CREATE TRIGGER refused BEFORE INSERT ON z_reports BEGIN SELECT RAISE(ABORT, 'refused'); END"
		mend := "DROP TRIGGER refused"
		if d.Uses().DB.Dialect() == store.Postgres {
			refuse = "ALTER TABLE z_reports ADD CONSTRAINT refused CHECK (number < 0)"
			mend = "ALTER TABLE z_reports DROP CONSTRAINT refused"
		}
		asOwner := func(sql string) {
			require.NoError(t, d.Uses().DB.Tx(t.Context(), func(tx *store.Tx) error {
				storetest.AsOwner(t, tx)
				return tx.Exec(sql).Error
			}))
		}
		asOwner(refuse)
		ending := till.Ending{Key: "close", Actor: aoife(), ShopID: "shop", ShiftID: shift.ID, Count: till.Counted(eur("50"))}
		_, _, err := d.Close(t.Context(), ending)
		require.Error(t, err)
		require.Equal(t, "50.00 EUR", d.balance(ledger.TillOf(shift.ID)))
		again, err := d.Recount(t.Context(), shift)
		require.NoError(t, err)
		require.False(t, again, "it was not counted either")
		now, err := d.Get(t.Context(), shift.ID, "shop")
		require.NoError(t, err)
		require.False(t, now.Closed())
		asOwner(mend)
		closed, _, err := d.Close(t.Context(), ending)
		require.NoError(t, err)
		require.True(t, closed.Closed(), "the same form closes it then")
		d.sound(1)
	})
}

// Whoever closes what cannot be closed so reads what to change.
func TestWhatCannotBeClosedSaysWhy(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		shift := d.open("till-1", "50")
		for told, change := range map[string]func(*till.Ending){
			"/page.too-old-to-close": func(e *till.Ending) { e.Key = "" },
			"/shift.none":            func(e *till.Ending) { e.ShopID = "another" },
			"count/drawer.currency":  func(e *till.Ending) { e.Count = till.Counted(money.MustParse("50", "USD")) },
			"count/count.negative":   func(e *till.Ending) { e.Count = till.Counted(eur("-1")) },
			"count/count.pieces":     func(e *till.Ending) { e.Count.Piles = []till.Pile{{Micros: 1, Pieces: -1}} },
		} {
			e := till.Ending{Key: "close", Actor: aoife(), ShopID: "shop", ShiftID: shift.ID, Count: till.Counted(eur("50"))}
			change(&e)
			_, _, err := d.Close(t.Context(), e)
			require.Equal(t, told, codeOf(err))
		}
		_, err := d.MoveCash(t.Context(), till.Moving{
			Key: "m", Actor: aoife(), ShiftID: shift.ID, Kind: till.PaidIn, Amount: money.MustParse("1", "USD"), Reason: "x",
		})
		require.Equal(t, "amount/drawer.currency", codeOf(err))
		_, err = d.Open(t.Context(), till.Opening{Actor: aoife(), ShopID: "shop", TillID: "till-2", Float: till.Counted(eur("-1"))})
		require.Equal(t, "float/count.negative", codeOf(err))
		_, err = d.Open(t.Context(), till.Opening{Actor: aoife(), ShopID: "shop", TillID: "till-1", Float: till.Counted(eur("0"))})
		require.Equal(t, "/shift.open", codeOf(err))
		x, err := d.XReport(t.Context(), shift)
		require.NoError(t, err)
		require.True(t, x.OpeningDifference().IsZero(), "nothing was left before the first")
		d.sound(1)
	})
}

// One form that moves cash, pressed in two processes many times at once, moves it once.
func TestOneFormMovesCashOnceAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		one, two := newDrawer(t, db), newDrawer(t, db)
		shift := one.open("till-1", "0")
		m := till.Moving{Key: "form", Actor: aoife(), ShiftID: shift.ID, Kind: till.PaidIn, Amount: eur("20"), Reason: "change"}
		var all sync.WaitGroup
		ids := make([]string, 8)
		for i := range ids {
			all.Go(func() {
				move, err := []drawer{one, two}[i%2].MoveCash(t.Context(), m)
				if err != nil {
					t.Error(err)
				}
				ids[i] = move.ID
			})
		}
		all.Wait()
		for _, id := range ids {
			require.Equal(t, ids[0], id)
		}
		require.Equal(t, "20.00 EUR", one.balance(ledger.TillOf(shift.ID)))
		for what, change := range map[string]func(*till.Moving){
			"another amount": func(m *till.Moving) { m.Amount = eur("21") }, "another way": func(m *till.Moving) { m.Kind = till.ToSafe },
		} {
			other := m
			change(&other)
			_, err := two.MoveCash(t.Context(), other)
			require.Equal(t, "/page.used", codeOf(err), what)
		}
	})
}

// TestAMoveSentAgainIsTheOneThatWasBooked, though its approval is spent by now, or its shift closed: that nothing was
// done would be false.
func TestAMoveSentAgainIsTheOneThatWasBooked(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		shift := d.open("till-1", "500")
		m := till.Moving{Key: "a", Actor: aoife(), ShiftID: shift.ID, Kind: till.ToSafe, Amount: eur("300"), Reason: "full"}
		_, err := d.MoveCash(t.Context(), m)
		require.ErrorIs(t, err, till.ErrNeedsManager)
		allowed := m
		allowed.Approver = approval.Approver{ID: "boss"}
		move, err := d.MoveCash(t.Context(), allowed)
		require.NoError(t, err)
		again := func() {
			same, err := d.MoveCash(t.Context(), m)
			require.NoError(t, err)
			require.Equal(t, move.ID, same.ID)
			require.Equal(t, "boss", same.Approver)
		}
		again()
		d.count(shift, "b", "200")
		again()
		m.Amount = eur("301")
		_, err = d.MoveCash(t.Context(), m)
		require.ErrorIs(t, err, till.ErrNeedsManager, "another sum is another move")
	})
}
