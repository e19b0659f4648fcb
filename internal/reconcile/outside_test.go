package reconcile_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/apptest"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/reconcile"
	"airtill/internal/sandbox"
)

// sellElsewhere is a sale of other software on the same account.
func (w *world) sellElsewhere(ref string) money.Amount {
	w.T.Helper()
	offer := w.TopUp()
	answer, err := w.Client.SendTransfer(w.T.Context(), apiclient.SendTransferRequest{
		SkuCode: offer.SKUCode, SendValue: apiclient.DecimalOf(offer.Cost.Send), AccountNumber: apptest.Number, DistributorRef: ref,
	}, apiclient.SendOptions{Permit: w.Now()})
	require.NoError(w.T, err)
	commission, err := answer.TransferRecord.CommissionApplied.Amount("EUR")
	require.NoError(w.T, err)
	total, err := offer.Cost.Total()
	require.NoError(w.T, err)
	effect, err := commission.Sub(total)
	require.NoError(w.T, err)
	return effect
}

// batchElsewhere is other software's batch transfer, which goes on until batchEnds.
func (w *world) batchElsewhere(ref string) {
	w.T.Helper()
	w.Call(http.MethodPut, "/_sandbox/config", `{"batchDelay":"1h"}`, nil)
	offer := w.BatchOffer()
	_, err := w.Client.SendTransfer(w.T.Context(), apiclient.SendTransferRequest{
		SkuCode: offer.SKUCode, SendValue: apiclient.DecimalOf(offer.Cost.Send), AccountNumber: apptest.BatchNumber,
		DistributorRef: ref,
	}, apiclient.SendOptions{Permit: w.Now()})
	require.NoError(w.T, err)
}

func (w *world) batchEnds(ref string) {
	w.T.Helper()
	w.PassUpstream(2 * time.Hour)
	w.PassUpstream(time.Minute)
	require.Eventually(w.T, func() bool {
		var book sandbox.Ledger
		w.Call(http.MethodGet, "/_sandbox/ledger?ref="+ref, "", &book)
		return book.Entries[0].State == "Complete"
	}, apptest.Patience, 20*time.Millisecond)
}

func TestForeignSaleIsFoundOnceAndBookedByTwoPeople(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.sellMany("a", 1)
		effect := w.sellElsewhere("OTHER-1")
		w.settled()
		w.balance() // the balance is off before any list is read
		w.balance()
		require.Equal(t, []string{"foreign_sale " + effect.Decimal(2)}, w.unresolved(), "one cause is one break")
		require.Equal(t, reconcile.Agrees, w.lastVerdict())

		b := w.only()
		ctx := t.Context()
		require.Equal(t, fault.Conflict, fault.KindOf(w.Reconcile.Agree(ctx, b.ID, first, "known")), "the balance and the books differ by it")
		require.Equal(t, fault.Invalid, fault.KindOf(w.Reconcile.ProposeResolution(ctx, b.ID, first, reconcile.Proposal{Resolution: reconcile.TopUp, Account: ledger.Safe, Reference: "x", Note: "x"})))
		require.Equal(t, fault.Invalid, fault.KindOf(w.Reconcile.ProposeResolution(ctx, b.ID, first, reconcile.Proposal{Resolution: reconcile.Foreign})), "without a reason")
		require.NoError(t, w.Reconcile.ProposeResolution(ctx, b.ID, first, reconcile.Proposal{Resolution: reconcile.Foreign, Note: "the web shop"}))
		require.Equal(t, fault.Forbidden, fault.KindOf(w.Reconcile.Confirm(ctx, b.ID, w.proposed(b.ID), first, w.Now())), "the same person")
		require.Equal(t, fault.Forbidden, fault.KindOf(w.Reconcile.Confirm(ctx, b.ID, w.proposed(b.ID), second, w.Now().Add(-11*time.Minute))), "a stale login")
		require.NoError(t, w.Reconcile.Confirm(ctx, b.ID, w.proposed(b.ID), second, w.Now()))
		require.Equal(t, fault.Conflict, fault.KindOf(w.Reconcile.Confirm(ctx, b.ID, w.proposed(b.ID), second, w.Now())), "once")

		require.Empty(t, w.unresolved())
		w.balance()
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
		w.AtRest()
		used, err := w.Ledger.Balance(ctx, ledger.UsedByOthers, "EUR")
		require.NoError(t, err)
		require.Equal(t, effect.Neg().String(), used.String())
		listed, err := w.Reconcile.ForeignSales(ctx, 10)
		require.NoError(t, err)
		require.Len(t, listed, 1)
		w.look()
		require.Empty(t, w.unresolved(), "the record is still on the list, and known")
		chain, err := w.Audit.List(ctx, audit.Filter{Subject: audit.Of(audit.Break, b.ID)})
		require.NoError(t, err)
		require.Len(t, chain, 2)
	})
}

// TestForeignSaleThatEndsLaterIsBookedAgain: other software's batch transfer was under way
// when two people resolved it. Complete, it has its commission.
func TestForeignSaleThatEndsLaterIsBookedAgain(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.batchElsewhere("OTHER-1")
		w.settled()
		w.balance()
		before := w.only()
		w.resolve(before, reconcile.Proposal{Resolution: reconcile.Foreign})
		require.Empty(t, w.unresolved())

		w.batchEnds("OTHER-1")
		w.look()
		after := w.only()
		require.Equal(t, before.ID, after.ID)
		require.Equal(t, 1, after.Reopened)
		require.Positive(t, after.FloatMicros, "the commission")
		require.Equal(t, after.Micros, before.Micros+after.FloatMicros)
		w.resolve(after, reconcile.Proposal{Resolution: reconcile.Foreign})
		w.balance()
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
		w.AtRest()
		listed, err := w.Reconcile.ForeignSales(ctx, 10)
		require.NoError(t, err)
		require.Len(t, listed, 1)
		require.Equal(t, after.Micros, listed[0].Micros, "with its commission")
		used, err := w.Ledger.Balance(ctx, ledger.UsedByOthers, "EUR")
		require.NoError(t, err)
		require.Equal(t, -after.Micros, used.Micros())
	})
}

func (w *world) usedByOthers() string {
	w.T.Helper()
	used, err := w.Ledger.Balance(w.T.Context(), ledger.UsedByOthers, "EUR")
	require.NoError(w.T, err)
	return used.String()
}

// becomesFailed waits until the upstream has taken back what other software sold.
func (w *world) becomesFailed(ref string) {
	w.T.Helper()
	w.Pass(2 * time.Hour)
	w.Call(http.MethodPut, "/_sandbox/config", "{}", nil)
	require.Eventually(w.T, func() bool {
		var book sandbox.Ledger
		w.Call(http.MethodGet, "/_sandbox/ledger?ref="+ref, "", &book)
		return book.Entries[0].State == "Failed"
	}, apptest.Patience, 20*time.Millisecond)
}

// TestAForeignSaleThatIsReversedIsBookedBack: two people booked it as other software's; the upstream took it back later.
func TestAForeignSaleThatIsReversedIsBookedBack(t *testing.T) {
	t.Parallel()
	for name, declared := range map[string]bool{"of nobody declared": false, "of a seller declared since": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBooks(t, func(t *testing.T, w *world) {
				ctx := t.Context()
				w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"late_reversal","for":"1h"}}`)
				sold := w.sellElsewhere("POS2-1")
				w.settled()
				w.balance()
				before := w.only()
				w.resolve(before, reconcile.Proposal{Resolution: reconcile.Foreign})
				require.Equal(t, sold.Neg().String(), w.usedByOthers())

				w.becomesFailed("POS2-1")
				if declared {
					w.declareSeller()
				}
				w.balance()
				w.balance()
				require.Equal(t, []string{"foreign_sale 0.00"}, w.unresolved(), "one cause is one break")
				after := w.only()
				require.Equal(t, before.ID, after.ID)
				require.Equal(t, sold.Neg().String(), after.Float().String(), "the balance is higher by what was booked")
				require.Equal(t, reconcile.Agrees, w.lastVerdict())
				w.resolve(after, reconcile.Proposal{Resolution: reconcile.Foreign})
				w.look()
				w.balance()
				require.Empty(t, w.unresolved())
				require.Equal(t, reconcile.Agrees, w.lastVerdict())
				require.Equal(t, money.Of(0, "EUR").String(), w.usedByOthers())
				w.AtRest()
				listed, err := w.Reconcile.ForeignSales(ctx, 10)
				require.NoError(t, err)
				require.Len(t, listed, 1)
				require.Equal(t, money.Of(0, "EUR"), listed[0].Amount())
			})
		})
	}
}

// TestAnUnknownTransferThatIsReversedIsBookedBack: a failed record tells no currency, and the break keeps its own.
func TestAnUnknownTransferThatIsReversedIsBookedBack(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		ref := w.sellMany("a", 1)[0].Ref[:4] + strings.Repeat("0", 28)
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"late_reversal","for":"1h"}}`)
		sold := w.sellElsewhere(ref)
		w.settled()
		w.look()
		require.Equal(t, []string{"unknown_here " + sold.Decimal(2)}, w.unresolved())
		w.resolve(w.only(), reconcile.Proposal{Resolution: reconcile.WriteOff})
		w.becomesFailed(ref)
		w.balance()
		w.balance()
		require.Equal(t, []string{"unknown_here 0.00"}, w.unresolved(), "one cause is one break")
		require.Equal(t, sold.Neg().String(), w.only().Float().String())
		w.resolve(w.only(), reconcile.Proposal{Resolution: reconcile.WriteOff})
		w.look()
		w.balance()
		require.Empty(t, w.unresolved())
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
		w.AtRest()
	})
}

// TestAForeignSaleThatIsReversedUnresolvedIsOver: nothing was booked for it, and nothing is to be.
func TestAForeignSaleThatIsReversedUnresolvedIsOver(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"late_reversal","for":"1h"}}`)
		sold := w.sellElsewhere("OTHER-1")
		w.settled()
		w.look()
		require.Equal(t, []string{"foreign_sale " + sold.Decimal(2)}, w.unresolved())
		w.becomesFailed("OTHER-1")
		dry, err := w.Reconcile.LookAtRecords(t.Context(), "", true)
		require.NoError(t, err)
		require.Len(t, dry.Changes, 1)
		require.Equal(t, reconcile.WouldEnd, dry.Changes[0].Would)
		w.balance()
		w.balance()
		require.Empty(t, w.unresolved())
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
		w.AtRest()
	})
}

func (w *world) payUpstream(amount string) {
	w.Call(http.MethodPost, "/_sandbox/topup", `{"amount":"`+amount+`"}`, nil)
}

// TestWhatTheBalanceShowsIsLogged: an operator sees from outside what was found.
func TestWhatTheBalanceShowsIsLogged(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		var logged bytes.Buffer
		w.Reconcile.Uses().Log = slog.New(slog.NewTextHandler(&logged, nil))
		w.balance()
		require.Contains(t, logged.String(), "msg=balance.judged")
		require.Contains(t, logged.String(), "verdict=agrees")
		w.payUpstream("500.00")
		w.balance()
		require.Contains(t, logged.String(), "msg=difference.found")
		require.Contains(t, logged.String(), "kind=balance_up")
		require.Contains(t, logged.String(), "micros=500000000")
	})
}

// A payment entered wrongly and refused leaves its reference free: the bank gave it to the payment, not to the entry.
func TestARefusedTopUpMayBeEnteredAgain(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.balance()
		for _, typed := range []string{"520", "502"} {
			wrong, err := w.Reconcile.EnterTopUp(ctx, first, "", money.MustParse(typed, "EUR"), ledger.Safe, "bank 1")
			require.NoError(t, err)
			require.NoError(t, w.Reconcile.RefuseTopUp(ctx, wrong.ID, first))
			require.Equal(t, fault.Conflict, fault.KindOf(w.Reconcile.ApproveTopUp(ctx, wrong.ID, second, w.Now())))
		}
		paid, err := w.Reconcile.EnterTopUp(ctx, first, "", money.MustParse("500", "EUR"), ledger.Safe, "bank 1")
		require.NoError(t, err)
		require.NoError(t, w.Reconcile.ApproveTopUp(ctx, paid.ID, second, w.Now()))
		_, err = w.Reconcile.EnterTopUp(ctx, first, "", money.MustParse("500", "EUR"), ledger.Safe, "bank 1")
		require.Equal(t, fault.Invalid, fault.KindOf(err), "this one counts")
		w.payUpstream("500.00")
		w.balance()
		require.Equal(t, reconcile.Explained, w.lastVerdict())
		w.AtRest()

		wrong, err := w.Reconcile.EnterTopUp(ctx, first, "", money.MustParse("300", "EUR"), ledger.Safe, "bank 2")
		require.NoError(t, err)
		require.NoError(t, w.Reconcile.RefuseTopUp(ctx, wrong.ID, first))
		w.payUpstream("250.00")
		w.balance()
		w.resolve(w.only(), reconcile.Proposal{Resolution: reconcile.TopUp, Account: ledger.Safe, Reference: "bank 2"})
		w.balance()
		w.AtRest()
	})
}

// TestAConfirmedTopUpMayBeDeclinedUntilItArrives: two people confirmed ten times as much as was paid. While it is on its
// way it may be declined, so that it explains nothing any more, and its reference is free for what was paid.
func TestAConfirmedTopUpMayBeDeclinedUntilItArrives(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		enter := func(typed, reference string) reconcile.Paid {
			paid, err := w.Reconcile.EnterTopUp(ctx, first, "", money.MustParse(typed, "EUR"), ledger.Safe, reference)
			require.NoError(t, err)
			require.NoError(t, w.Reconcile.ApproveTopUp(ctx, paid.ID, second, w.Now()))
			return paid
		}
		w.balance()
		wrong := enter("500", "bank 1")
		require.NoError(t, w.Reconcile.RefuseTopUp(ctx, wrong.ID, first))
		require.Equal(t, fault.Conflict, fault.KindOf(w.Reconcile.RefuseTopUp(ctx, wrong.ID, second)), "once")
		require.Equal(t, fault.Conflict, fault.KindOf(w.Reconcile.ApproveTopUp(ctx, wrong.ID, second, w.Now())))
		right := enter("50", "bank 2")
		w.payUpstream("50.00")
		w.balance()
		require.Equal(t, reconcile.Explained, w.lastVerdict())
		require.Equal(t, fault.Conflict, fault.KindOf(w.Reconcile.RefuseTopUp(ctx, right.ID, second)), "it is booked")
		w.AtRest()

		w.payUpstream("500.00")
		w.balance()
		require.Equal(t, []string{"balance_up 500.00"}, w.unresolved(), "the wrong entry explains no other payment")
		listed, err := w.Reconcile.TopUps(ctx, 5)
		require.NoError(t, err)
		require.Len(t, listed, 1)
	})
}

func TestTopUpIsRecognisedOrExpected(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.balance()
		_, err := w.Reconcile.EnterTopUp(ctx, first, "", money.MustParse("500", "EUR"), ledger.Safe, "bank 0")
		require.NoError(t, err)
		w.payUpstream("500.00") // one person's word explains nothing
		w.balance()
		require.Equal(t, []string{"balance_up 500.00"}, w.unresolved(), "offered for confirmation, not booked")
		require.Equal(t, reconcile.Confirmed, w.lastVerdict())
		w.balance()
		require.Len(t, w.unresolved(), 1)
		w.resolve(w.only(), reconcile.Proposal{Resolution: reconcile.TopUp, Account: ledger.Safe, Reference: "bank 1"})
		w.balance()
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
		w.AtRest()

		amount := money.MustParse("250", "EUR")
		paid, err := w.Reconcile.EnterTopUp(ctx, first, "", amount, ledger.FloatPayable, "bank 2")
		require.NoError(t, err)
		_, err = w.Reconcile.EnterTopUp(ctx, first, "", amount, ledger.FloatPayable, "bank 2")
		require.Equal(t, fault.Invalid, fault.KindOf(err), "the same payment twice")
		require.Equal(t, fault.Forbidden, fault.KindOf(w.Reconcile.ApproveTopUp(ctx, paid.ID, first, w.Now())))
		require.NoError(t, w.Reconcile.ApproveTopUp(ctx, paid.ID, second, w.Now()))
		w.balance()
		require.Equal(t, reconcile.Agrees, w.lastVerdict(), "what is on its way is not booked")
		w.payUpstream("250.00")
		w.balance()
		require.Equal(t, reconcile.Explained, w.lastVerdict())
		require.Empty(t, w.unresolved())
		w.AtRest()
		owed, err := w.Ledger.Balance(ctx, ledger.FloatPayable, "EUR")
		require.NoError(t, err)
		require.Equal(t, "-250.00 EUR", owed.String())
	})
}
