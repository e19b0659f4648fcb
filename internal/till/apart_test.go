package till_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/ledger"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/internal/till"
)

// What is counted and moved at one drawer is nothing to another that expects as much.
func TestDrawersStandApart(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		one, two := d.open("till-1", "50"), d.open("till-2", "50")
		move := func(shift till.Shift, key, amount string) {
			_, err := d.MoveCash(t.Context(), till.Moving{
				Key: key, Actor: aoife(), ShiftID: shift.ID, Kind: till.PaidIn, Amount: eur(amount), Reason: "change",
			})
			require.NoError(t, err)
		}
		move(one, "a", "1")
		move(two, "b", "7")
		move(one, "c", "6")
		moved := func(shift till.Shift) (sums []string) {
			moves, err := d.Moves(t.Context(), shift.ID)
			require.NoError(t, err)
			for _, m := range moves {
				sums = append(sums, m.Amount().String())
			}
			return sums
		}
		require.Equal(t, []string{"1.00 EUR", "6.00 EUR"}, moved(one))
		require.Equal(t, []string{"7.00 EUR"}, moved(two))
		x, err := d.XReport(t.Context(), two)
		require.NoError(t, err)
		require.Len(t, x.Moves, 1)

		booked, err := d.Booked(t.Context(), "b", "till-2")
		require.NoError(t, err)
		require.Equal(t, two.ID, booked.ID)
		for key, at := range map[string]string{"b": "till-1", "unused": "till-2"} {
			none, err := d.Booked(t.Context(), key, at)
			require.NoError(t, err)
			require.Nil(t, none)
		}

		_, err = d.MoveCash(t.Context(), till.Moving{
			Key: "a", Actor: aoife(), ShiftID: two.ID, Kind: till.PaidIn, Amount: eur("1"), Reason: "change",
		})
		require.Equal(t, "/page.used", codeOf(err), "at the other drawer")

		for _, shift := range []till.Shift{one, two} {
			open, err := d.Current(t.Context(), shift.TillID)
			require.NoError(t, err)
			require.Equal(t, shift.ID, open.ID)
			at, err := d.OpenAt(t.Context(), []staff.Till{{ID: shift.TillID}})
			require.NoError(t, err)
			require.Equal(t, map[string]till.Shift{shift.TillID: *open}, at)
		}

		_, again := d.count(one, "first", "56")
		require.True(t, again)
		asked, err := d.Recount(t.Context(), two)
		require.NoError(t, err)
		require.False(t, asked, "the other drawer was counted, not this one")
		_, again = d.count(two, "other", "56")
		require.True(t, again, "its first count, which does not agree")
		d.count(two, "other again", "56")
		z, _, err := d.ZReport(t.Context(), two.ID)
		require.NoError(t, err)
		require.Equal(t, 2, z.Closing.Counts)
		d.count(one, "first again", "56")
		three := d.open("till-3", "0")
		require.Equal(t, "/shift.closed-undone", codeOf(d.take(one, "late", "1")), "whatever else is open")
		closed, err := d.Current(t.Context(), one.TillID)
		require.NoError(t, err)
		require.Nil(t, closed)
		d.count(three, "third", "0")
		d.count(d.open("till-1", "50"), "first of the next", "50")
		d.count(d.open("till-2", "50"), "other of the next", "50")
		d.sound(5)
	})
}

// Who opens a drawer, moves its cash or closes it is on record, with the manager who allowed it.
func TestWhatIsDoneToADrawerIsOnRecord(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		d.inShop()
		for _, id := range []string{"aoife", "boss"} {
			d.exec(`INSERT INTO users (id, username, display_name, role, locale, password_hash, epoch, created_at)
				VALUES (?, ?, ?, 'auditor', 'en', '', 0, ?)`, id, id, id, noon)
		}
		desk := approval.New(approval.Deps{DB: d.Uses().DB, Audit: d.Uses().Audit, Now: d.Uses().Now})
		shift := d.open("till-1", "500")
		_, err := d.MoveCash(t.Context(), till.Moving{
			Key: "a", Actor: aoife(), ShiftID: shift.ID, Kind: till.ToSafe, Amount: eur("150"), Reason: "full",
			Approver: desk.Given(audit.Actor{UserID: "boss"}, approval.Request{
				ShopID: "shop", TillID: "till-1", AskedBy: "aoife", Act: approval.CashMove,
			}),
		})
		require.NoError(t, err)
		d.count(shift, "close", "350")
		records, err := d.Uses().Audit.List(t.Context(), audit.Filter{})
		require.NoError(t, err)
		var acts []audit.Act
		for _, r := range records {
			acts = append(acts, r.Act)
		}
		require.Equal(t, []audit.Act{audit.ShiftClosed, audit.CashMoved, audit.ApprovalGiven, audit.ShiftOpened}, acts)
	})
}

// A form that was refused is not said to have moved what another form moved.
func TestAnotherFormOfTheSameSumIsAnotherMove(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		shift := d.open("till-1", "500")
		m := till.Moving{
			Key: "a", Actor: aoife(), ShiftID: shift.ID, Kind: till.ToSafe, Amount: eur("150"), Reason: "full",
			Approver: approval.Approver{ID: "boss"},
		}
		_, err := d.MoveCash(t.Context(), m)
		require.NoError(t, err)
		m.Key, m.Approver = "b", approval.Approver{}
		_, err = d.MoveCash(t.Context(), m)
		require.ErrorIs(t, err, till.ErrNeedsManager)
	})
}

// A till out of use begins no shift, whatever became of another.
func TestATillOutOfUseBeginsNoShift(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		d.inShop()
		d.exec("INSERT INTO tills (id, shop_id, number, name, retired_at) VALUES ('till-2', 'shop', 2, 'Two', ?)", noon)
		opening := till.Opening{
			Key: "form-1", Actor: aoife(), ShopID: "shop", TillID: "till-1", Float: till.Counted(eur("50")),
		}
		shift, err := d.Open(t.Context(), opening)
		require.NoError(t, err)
		require.Equal(t, 1, shift.Number)
		d.count(shift, "close", "50")
		d.exec("UPDATE tills SET retired_at = ? WHERE id = 'till-1'", noon)
		again, err := d.Open(t.Context(), opening)
		require.NoError(t, err)
		require.Equal(t, shift.ID, again.ID, "a form is told of what it opened while the till was in use")
		opening.Key, opening.TillID = "form-2", "till-2"
		_, err = d.Open(t.Context(), opening)
		require.Equal(t, "/till.retired", codeOf(err))
		d.sound(1)
	})
}

// A form is told of the shift that it opened, and of no other.
func TestAnotherFormOpensAnotherShift(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		opening := till.Opening{
			Key: "form-1", Actor: aoife(), ShopID: "shop", TillID: "till-1", Float: till.Counted(eur("50")),
		}
		first, err := d.Open(t.Context(), opening)
		require.NoError(t, err)
		d.count(first, "close", "50")
		opening.Key = "form-2"
		second, err := d.Open(t.Context(), opening)
		require.NoError(t, err)
		require.Equal(t, 2, second.Number)
		opening.Key = "form-3"
		_, err = d.Open(t.Context(), opening)
		require.Equal(t, "/shift.open", codeOf(err))
		d.sound(2)
	})
}

// A report says what its own drawer paid and took, in the names of its own shop, till and cashier.
func TestAReportAddsUpItsOwnDrawer(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		for i, id := range []string{"a-shop", "shop"} {
			d.exec(`INSERT INTO shops (id, name, zone, country, currency, address, tax_id, created_at)
				VALUES (?, ?, 'Europe/Dublin', 'IE', 'EUR', '', '', ?)`, id, "name of "+id, noon)
			d.exec(
				"INSERT INTO tills (id, shop_id, number, name) VALUES (?, ?, 1, ?)", fmt.Sprint("till-", i), id,
				"till of "+id,
			)
		}
		for _, id := range []string{"ann", "aoife"} {
			d.exec(`INSERT INTO users (id, username, display_name, role, locale, password_hash, epoch, created_at)
				VALUES (?, ?, ?, 'auditor', 'en', '', 0, ?)`, id, id, "name of "+id, noon)
		}
		shift := d.open("till-1", "50")
		require.NoError(t, d.take(shift, "sale/1", "20"))
		require.NoError(t, d.take(shift, "sale/2", "5"))
		goodwill := ledger.Journal{Kind: "J16", Legs: []ledger.Leg{
			{Account: ledger.Goodwill, Amount: eur("2")}, {Account: ledger.TillOf(shift.ID), Amount: eur("-2")},
		}}
		require.NoError(t, d.Uses().DB.Tx(t.Context(), func(tx *store.Tx) error {
			return ledger.Post(
				t.Context(), tx, ledger.Entry{Key: "due/1", At: noon, Journal: ledger.RefundBecomesDue(eur("5"))},
				ledger.Entry{Key: "refund/1", At: noon, Journal: ledger.CashRefunded(shift.ID, eur("5"))},
				ledger.Entry{Key: "goodwill/1", At: noon, Journal: goodwill},
			)
		}))
		d.sold(shift, "aoife", sales.Complete, sales.CashEarned, "20", false)
		d.sold(shift, "aoife", sales.Complete, sales.CashEarned, "5", false)
		x, err := d.XReport(t.Context(), shift)
		require.NoError(t, err)
		require.Equal(
			t, []string{"name of shop", "till of shop", "name of aoife"}, []string{x.Shop, x.Till, x.OpenedBy},
		)
		require.Equal(t, []int64{50_000_000, 25_000_000, 5_000_000, 2_000_000, 68_000_000},
			[]int64{x.Opening, x.Taken, x.Refunded, x.Goodwill, x.Expected})
		require.Equal(t, []till.Sold{{Fulfilment: "complete", Cash: "earned", Count: 2, Micros: 25_000_000}}, x.Sales)
		d.count(shift, "close", "68")
		z, _, err := d.ZReport(t.Context(), shift.ID)
		require.NoError(t, err)
		require.Equal(t, "name of aoife", z.Closing.ClosedBy)
		d.sound(1)
	})
}
