package reconcile_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/apptest"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/reconcile"
	"airtill/internal/till"
)

// drawer is one shift's, opened and counted by one cashier.
type drawer struct {
	*till.Service

	w       *world
	cashier audit.Actor
	shift   string
}

func (w *world) drawer(cashier, at string) *drawer {
	w.T.Helper()
	d := &drawer{
		w: w, cashier: audit.Actor{UserID: cashier, ShopID: "shop", TillID: at},
		Service: till.New(till.Deps{DB: w.DB, Ledger: w.Ledger, Audit: w.Audit, Now: w.Now}),
	}
	shift, err := d.Open(w.T.Context(), till.Opening{Actor: d.cashier, ShopID: "shop", TillID: at, Float: till.Counted(apptest.EUR("100"))})
	require.NoError(w.T, err)
	d.shift = shift.ID
	return d
}

// close counts so much more than the books have, twice if that is not what they have.
func (d *drawer) close(off string) {
	t, ctx := d.w.T, d.w.T.Context()
	t.Helper()
	booked, err := d.w.Ledger.Balance(ctx, ledger.TillOf(d.shift), "EUR")
	require.NoError(t, err)
	counted, err := booked.Add(apptest.EUR(off))
	require.NoError(t, err)
	for try, recount := 1, true; recount; try++ {
		_, recount, err = d.Close(ctx, till.Ending{Key: fmt.Sprint(d.shift, try), Actor: d.cashier, ShopID: "shop", ShiftID: d.shift, Count: till.Counted(counted)})
		require.NoError(t, err)
		require.LessOrEqual(t, try, 2)
	}
}

// TestDrawersThatWereOff are differences of their cashiers; sales, refunds and what was
// moved in and out are no difference.
func TestDrawersThatWereOff(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		ctx, began := t.Context(), w.Now()
		w.sellMany("a", 2)
		first := &drawer{w: w, cashier: audit.Actor{UserID: "cashier", ShopID: "shop", TillID: "till"}, shift: w.Seller.ShiftID, Service: till.New(till.Deps{DB: w.DB, Ledger: w.Ledger, Audit: w.Audit, Now: w.Now})}
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"RateLimited"}}`)
		offer := w.TopUp()
		failed := apptest.Order("refunded", offer)
		failed.AccountNumber = "353871239999"
		sale := w.Becomes(w.Sell(failed, offer).ID, "failed", false)
		_, err := w.Sales.Refund(ctx, sale.ID, w.Act())
		require.NoError(t, err)
		first.close("-2.50")

		other := w.drawer("brian", "till2")
		for kind, amount := range map[till.MoveKind]string{till.PaidIn: "40", till.Expense: "3.20", till.ToSafe: "20"} {
			_, err := other.MoveCash(ctx, till.Moving{Key: "form-" + string(kind), Actor: other.cashier, ShiftID: other.shift, Kind: kind, Amount: apptest.EUR(amount), Reason: "as agreed", Approver: approval.Approver{ID: "manager"}})
			require.NoError(t, err)
		}
		other.close("5")
		w.drawer("cashier", "till").close("0")
		w.drawer("cashier", "till").close("0.20")

		run, err := w.Reconcile.LookAtDrawers(ctx, "")
		require.NoError(t, err)
		require.Equal(t, 3, run.Fresh)
		require.ElementsMatch(t, []string{"cash_short -2.50", "cash_over 5.00", "cash_over 0.20"}, w.unresolved())
		run, err = w.Reconcile.LookAtDrawers(ctx, "")
		require.NoError(t, err)
		require.Zero(t, run.Fresh, "each once")
		queue, err := w.Reconcile.Queue(ctx, reconcile.QueueFilter{Kind: reconcile.CashShort})
		require.NoError(t, err)
		short := queue.Breaks[0]
		require.Equal(t, "cashier", short.CashierID)
		require.Equal(t, "shop", short.ShopID)
		require.Zero(t, short.FloatMicros, "it is booked already")
		e, err := short.Read()
		require.NoError(t, err)
		counted, expected := parsed(t, e.Drawer.Counted), parsed(t, e.Drawer.Expected)
		require.Equal(t, int64(-2_500_000), counted.Micros()-expected.Micros())
		require.NoError(t, w.Reconcile.Agree(ctx, short.ID, audit.Actor{UserID: "finance"}, "a coin was given twice"))
		_, err = w.Reconcile.LookAtDrawers(ctx, "")
		require.NoError(t, err)
		require.Len(t, w.unresolved(), 2, "explained once is explained")

		all, err := w.Reconcile.OverAndShort(ctx, "shop", began, w.Now().Add(time.Minute))
		require.NoError(t, err)
		require.Equal(t, []reconcile.CashierDrawers{
			{CashierID: "cashier", Currency: "EUR", Shifts: 3, Off: 2, Over: 200_000, Short: -2_500_000},
			{CashierID: "brian", Currency: "EUR", Shifts: 1, Off: 1, Over: 5_000_000},
		}, all)
		for shop, from := range map[string]time.Time{"another": began, "": w.Now().Add(time.Hour)} {
			none, err := w.Reconcile.OverAndShort(ctx, shop, from, w.Now().Add(2*time.Hour))
			require.NoError(t, err)
			require.Empty(t, none)
		}
	})
}

// TestADifferenceExplainedWronglyIsOpenedAgain: the other one was meant. What was booked stays booked, and what was said
// stays in its history.
func TestADifferenceExplainedWronglyIsOpenedAgain(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		ctx, finance := t.Context(), audit.Actor{UserID: "finance"}
		w.drawer("cashier", "till-1").close("-2.50")
		_, err := w.Reconcile.LookAtDrawers(ctx, "")
		require.NoError(t, err)
		short := w.only()
		require.Equal(t, "break.done", fault.CodeOf(w.Reconcile.Reopen(ctx, short.ID, finance, "it is open")))
		require.NoError(t, w.Reconcile.Agree(ctx, short.ID, finance, "a coin was given twice"))
		require.Empty(t, w.unresolved())
		require.Equal(t, fault.Invalid, fault.KindOf(w.Reconcile.Reopen(ctx, short.ID, finance, " ")), "why?")
		require.NoError(t, w.Reconcile.Reopen(ctx, short.ID, finance, "that was at till 2"))
		_, err = w.Reconcile.LookAtDrawers(ctx, "")
		require.NoError(t, err)
		require.Equal(t, short.ID, w.only().ID)
		again, acts, err := w.Reconcile.Break(ctx, short.ID, "")
		require.NoError(t, err)
		require.Equal(t, []any{reconcile.Open, reconcile.Resolution(""), "", int64(-2_500_000)}, []any{again.State, again.Resolution, again.ResolvedBy, again.Micros})
		require.Nil(t, again.ResolvedAt)
		require.Equal(t, []string{"a coin was given twice", "that was at till 2"}, []string{acts[1].Note, acts[2].Note})
		require.NoError(t, w.Reconcile.Agree(ctx, short.ID, finance, "change given wrongly"))
		require.Empty(t, w.unresolved())
	})
}

// TestABookedDifferenceIsNotOpenedAgain by somebody alone: two people have booked it.
func TestABookedDifferenceIsNotOpenedAgain(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.balance()
		w.payUpstream("500.00")
		w.balance()
		booked := w.only()
		w.resolve(booked, reconcile.Proposal{Resolution: reconcile.TopUp, Account: ledger.Safe, Reference: "bank 1"})
		require.Equal(t, "break.done", fault.CodeOf(w.Reconcile.Reopen(t.Context(), booked.ID, audit.Actor{UserID: "finance"}, "not so")))
		w.balance()
		w.AtRest()
	})
}

// TestABookingIsTakenBackAndBookedAgain: the balance finds nothing else meanwhile, and everything agrees afterwards.
func TestABookingIsTakenBackAndBookedAgain(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.balance()
		w.payUpstream("500.00")
		w.balance()
		booked := w.only()
		w.resolve(booked, reconcile.Proposal{Resolution: reconcile.TopUp, Account: ledger.Safe, Reference: "bank 1"})
		require.NoError(t, w.Reconcile.ProposeUndo(t.Context(), booked.ID, first, "it was credit"))
		w.balance()
		waits := w.only()
		require.True(t, waits.Undoing(), "though both sides agree")
		require.NoError(t, w.Reconcile.Confirm(t.Context(), booked.ID, waits.Proposes(), second, w.Now()))
		w.balance()
		again := w.only()
		require.Equal(t, []any{booked.ID, reconcile.Open, booked.FloatMicros}, []any{again.ID, again.State, again.FloatMicros})
		w.resolve(again, reconcile.Proposal{Resolution: reconcile.TopUp, Account: ledger.FloatPayable, Reference: "bank 1"})
		w.balance()
		require.Empty(t, w.unresolved())
		w.AtRest()
	})
}

func parsed(t *testing.T, text string) money.Amount {
	t.Helper()
	var number, currency string
	_, err := fmt.Sscan(text, &number, &currency)
	require.NoError(t, err)
	return money.MustParse(number, money.Currency(currency))
}
