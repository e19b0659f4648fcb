package reconcile_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
	"airtill/internal/store"
)

var (
	first  = audit.Actor{UserID: "finance-1", Name: "fionn", Role: "finance"}
	second = audit.Actor{UserID: "finance-2", Name: "sorcha", Role: "finance"}
)

// unresolved lists what is in the queue as "kind amount".
func (w *world) unresolved() []string {
	w.T.Helper()
	page, err := w.Reconcile.Queue(w.T.Context(), reconcile.QueueFilter{})
	require.NoError(w.T, err)
	var all []string
	for _, b := range page.Breaks {
		all = append(all, fmt.Sprint(b.Kind, " ", b.Amount().Decimal(2)))
	}
	return all
}

func (w *world) only() reconcile.Break {
	w.T.Helper()
	page, err := w.Reconcile.Queue(w.T.Context(), reconcile.QueueFilter{})
	require.NoError(w.T, err)
	require.Len(w.T, page.Breaks, 1)
	return page.Breaks[0]
}

// settled lets what was just sent be old enough to be listed.
func (w *world) settled() { w.Pass(6 * time.Minute) }

func (w *world) look() reconcile.Look {
	w.T.Helper()
	look, err := w.Reconcile.LookAtRecords(w.T.Context(), "", false)
	require.NoError(w.T, err)
	return look
}

// balance compares balance and books, a while after what happened last.
func (w *world) balance() {
	w.T.Helper()
	w.Pass(10 * time.Second)
	require.NoError(w.T, w.Reconcile.CheckBalance(w.T.Context(), ""))
}

// proposed is what a second person reads of a break.
func (w *world) proposed(id string) string {
	w.T.Helper()
	b, _, err := w.Reconcile.Break(w.T.Context(), id, "")
	require.NoError(w.T, err)
	return b.Proposes()
}

// resolve resolves a break by two people.
func (w *world) resolve(b reconcile.Break, p reconcile.Proposal) {
	w.T.Helper()
	w.Pass(time.Second)
	p.Note = "seen"
	require.NoError(w.T, w.Reconcile.ProposeResolution(w.T.Context(), b.ID, first, p))
	require.NoError(w.T, w.Reconcile.Confirm(w.T.Context(), b.ID, w.proposed(b.ID), second, w.Now()))
	w.Pass(time.Second)
}

func (w *world) lastVerdict() reconcile.Judgement {
	w.T.Helper()
	last, err := w.Reconcile.LastBalance(w.T.Context())
	require.NoError(w.T, err)
	return last.Verdict
}

// sellMany makes complete sales.
func (w *world) sellMany(prefix string, n int) (made []sales.Sale) {
	w.T.Helper()
	offer := w.TopUp()
	for i := range n {
		o := apptest.Order(fmt.Sprint(prefix, i), offer)
		o.AccountNumber, o.Again = fmt.Sprintf("35387123%04d", i), true
		made = append(made, w.Becomes(w.Sell(o, offer).ID, sales.Complete, false))
	}
	return made
}

func inBooks(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db *store.DB) { test(t, newWorld(t, db)) })
}

func TestNothingIsFoundWhereAllAgrees(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.sellMany("a", 3)
		w.settled()
		look := w.look()
		require.Equal(t, 3, look.Pairs)
		require.Len(t, look.Agreed, 3)
		w.balance()
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
		require.Empty(t, w.unresolved())
		quiet, err := w.Reconcile.LastQuiet(t.Context())
		require.NoError(t, err)
		require.NotNil(t, quiet)
	})
}

func TestUnexplainedBalanceFadesWhenItIsGone(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.balance()
		w.Fault(`{"match":{"endpoint":"GetCurrencies"},"action":{"kind":"balance_drift","amount":"-3.21"}}`)
		_, err := w.Client.GetCurrencies(t.Context())
		require.NoError(t, err)
		w.balance()
		require.Equal(t, []string{"balance_down -3.21"}, w.unresolved())
		w.payUpstream("3.21")
		w.balance()
		require.Empty(t, w.unresolved())
		all, err := w.Reconcile.Queue(t.Context(), reconcile.QueueFilter{Resolved: true})
		require.NoError(t, err)
		require.Len(t, all.Breaks, 1)
		require.Equal(t, reconcile.Faded, all.Breaks[0].Resolution)
	})
}

func TestUnexplainedBalanceIsWrittenOff(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.balance()
		w.Fault(`{"match":{"endpoint":"GetCurrencies"},"action":{"kind":"balance_drift","amount":"-3.21"}}`)
		_, err := w.Client.GetCurrencies(t.Context())
		require.NoError(t, err)
		w.balance()
		w.resolve(w.only(), reconcile.Proposal{Resolution: reconcile.WriteOff})
		w.balance()
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
		w.AtRest()
		lost, err := w.Ledger.Balance(t.Context(), ledger.Losses, "EUR")
		require.NoError(t, err)
		require.Equal(t, "3.21 EUR", lost.String())
	})
}

func TestLostRecordAndDryRun(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		made := w.sellMany("a", 2)
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"lost_record"}}`)
		lost := w.sellMany("b", 1)[0]
		w.settled()

		dry, err := w.Reconcile.LookAtRecords(t.Context(), "someone", true)
		require.NoError(t, err)
		require.Equal(t, 1, dry.Fresh)
		require.Equal(t, []string{"open missing_upstream"}, would(dry))
		require.Empty(t, w.unresolved(), "a dry run changes nothing")
		run, err := w.Reconcile.LastRun(t.Context(), "records")
		require.NoError(t, err)
		require.Nil(t, run)

		look := w.look()
		require.Equal(t, 1, look.Fresh)
		b := w.only()
		require.Equal(t, reconcile.MissingUpstream, b.Kind)
		require.Equal(t, lost.ID, b.SaleID)
		require.Equal(t, len(made), look.Pairs)
		w.balance()
		require.Equal(t, reconcile.Agrees, w.lastVerdict(), "it was taken: only its record is lost")
		require.NoError(t, w.Reconcile.Agree(t.Context(), b.ID, first, "the upstream confirmed it by mail"))
		w.look()
		require.Empty(t, w.unresolved())
		require.Zero(t, w.look().Fresh, "the same evidence opens nothing again")
	})
}

// would lists what a dry run would change.
func would(dry reconcile.Look) (all []string) {
	for _, c := range dry.Changes {
		all = append(all, fmt.Sprint(c.Would, " ", c.Kind))
	}
	return all
}

// TestADryRunShowsWhatALookChanges: each time the look that follows does just that.
func TestADryRunShowsWhatALookChanges(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		foresees := func(want ...string) {
			t.Helper()
			dry, err := w.Reconcile.LookAtRecords(ctx, "someone", true)
			require.NoError(t, err)
			require.Equal(t, want, would(dry))
			queue := w.unresolved()
			look := w.look()
			require.Equal(t, look.Fresh, dry.Fresh)
			if want == nil {
				require.Equal(t, queue, w.unresolved())
			}
		}
		changeTo := func(digest string, id string) {
			require.NoError(t, w.DB.Tx(ctx, func(tx *store.Tx) error {
				return tx.Exec("UPDATE breaks SET digest = ? WHERE id = ?", digest, id).Error
			}))
		}
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"requote","commission":"0.01"}}`)
		sale := w.sellMany("c", 1)[0]
		w.sellMany("d", 1)
		w.settled()
		foresees("open commission")
		foresees()
		b := w.only()
		changeTo("other evidence", b.ID)
		foresees("renew commission")
		require.NoError(t, w.Reconcile.Agree(ctx, b.ID, first, "a promotion"))
		foresees()
		changeTo("other evidence", b.ID)
		foresees("reopen commission")
		require.NoError(t, w.Reconcile.Agree(ctx, b.ID, first, "a promotion"))

		agreeing := w.Get(w.sellMany("e", 1)[0].ID)
		w.settled()
		w.look()
		over := reconcile.Break{
			ID: "behind", Kind: reconcile.StateBehind, Subject: agreeing.ID, SaleID: agreeing.ID, ShopID: agreeing.ShopID, Currency: "EUR", Evidence: "{}",
			State: reconcile.Open, FoundAt: store.Moment(w.Now()), SeenAt: store.Moment(w.Now()),
		}
		require.NotEqual(t, sale.ID, agreeing.ID)
		require.NoError(t, w.DB.Tx(ctx, func(tx *store.Tx) error { return tx.Create(&over).Error }))
		foresees("end state_behind")
		require.Empty(t, w.unresolved())
	})
}

func TestLostRecordThatWasNeverTakenStaysExplained(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.sellMany("a", 2)
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"lost_record"}}`)
		lost := w.sellMany("b", 1)[0]
		w.settled()
		w.look()
		worth := money.Of(lost.ActualSendMicros+lost.ActualDistMicros-lost.CommissionMicros, "EUR")
		w.payUpstream(worth.Decimal(2))
		w.balance()
		require.Equal(t, reconcile.Explained, w.lastVerdict())
		require.Equal(t, worth, w.only().Float())
		w.look()
		require.Equal(t, worth, w.only().Float(), "the list, which lacks it still, does not tell otherwise")
		w.balance()
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
		require.Len(t, w.unresolved(), 1)
	})
}

// TestWhatMayExplainABalanceNamesItsDifference: a sale that is not listed may be why,
// and is known as a difference already.
func TestWhatMayExplainABalanceNamesItsDifference(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.sellMany("a", 2)
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"lost_record"}}`)
		lost := w.sellMany("b", 1)[0]
		w.settled()
		w.look()
		missing := w.only()
		w.payUpstream("500")
		w.balance()
		w.balance()
		var up reconcile.Break
		require.NoError(t, w.DB.Read(t.Context()).Where("kind = ?", reconcile.BalanceUp).Take(&up).Error)
		e, err := up.Read()
		require.NoError(t, err)
		require.Len(t, e.Candidates, 1)
		require.Equal(t, lost.ID, e.Candidates[0].SaleID)
		require.Equal(t, missing.ID, e.Candidates[0].BreakID)
	})
}

func TestListThatLacksMostSalesIsNotBelieved(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.sellMany("a", 12)
		w.settled()
		w.Fault(`{"match":{"endpoint":"ListTransferRecords"},"action":{"kind":"list_empty"}}`)
		_, err := w.Reconcile.LookAtRecords(t.Context(), "", false)
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
		require.Empty(t, w.unresolved())
		w.look()
		require.Empty(t, w.unresolved())
	})
}

func TestLateSuccessIsFoundAndBookedByTheSale(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"late_success","for":"3h","listed":"Failed"}}`)
		offer := w.TopUp()
		sale := w.Sell(apptest.Order("late", offer), offer)
		w.Pass(20 * time.Second)
		w.Becomes(sale.ID, sales.Unknown, false)
		w.Pass(20 * time.Second)
		sale = w.Becomes(sale.ID, sales.Failed, true)
		w.Pass(4 * time.Hour)
		look := w.look()
		require.Len(t, look.Findings, 1)
		sale, err := w.Sales.Get(t.Context(), sale.ID, "")
		require.NoError(t, err)
		require.Equal(t, sales.Complete, sale.Fulfilment)
		b := w.only()
		require.Equal(t, reconcile.LateSuccess, b.Kind)
		require.Zero(t, b.FloatMicros, "the sale has booked it")
		require.Equal(t, sale.CommissionMicros-sale.ActualSendMicros-sale.ActualDistMicros, b.Micros)
		w.balance()
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
		w.look()
		require.Len(t, w.unresolved(), 1, "a person must see it, though all agrees now")
		require.NoError(t, w.Reconcile.Agree(t.Context(), b.ID, first, "the customer has it"))
		w.look()
		require.Empty(t, w.unresolved())
		open, err := w.Sales.Incidents(t.Context(), "")
		require.NoError(t, err)
		require.Empty(t, open, "the incident is the same thing")
	})
}

func TestLateReversalIsFoundAndItsRefundBooked(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"late_reversal","for":"1h"}}`)
		sale := w.sellMany("r", 1)[0]
		w.Pass(2 * time.Hour)
		w.Call(http.MethodPut, "/_sandbox/config", "{}", nil)
		require.Eventually(t, func() bool {
			return len(w.look().Findings) == 1
		}, apptest.Patience, 20*time.Millisecond)
		w.balance()
		require.Equal(t, []string{"late_reversal " + money.Of(sale.ActualSendMicros+sale.ActualDistMicros-sale.CommissionMicros, "EUR").Decimal(2)}, w.unresolved())
		w.Pass(2 * time.Minute)
		w.Becomes(sale.ID, sales.Failed, true)
		w.balance()
		w.balance()
		require.Len(t, w.unresolved(), 1, "nothing else")
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
		sale, err := w.Sales.Get(t.Context(), sale.ID, "")
		require.NoError(t, err)
		require.Zero(t, sale.ReceivableMicros, "the balance showed the refund")
	})
}

func TestCommissionOffIsABreakWithoutEffectOnTheFloat(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"requote","commission":"0.01"}}`)
		sale := w.sellMany("c", 1)[0]
		require.EqualValues(t, 10_000, sale.CommissionMicros)
		w.settled()
		w.look()
		b := w.only()
		require.Equal(t, reconcile.CommissionOff, b.Kind)
		require.Negative(t, b.Micros)
		w.balance()
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
		require.Equal(t, fault.Conflict, fault.KindOf(w.Reconcile.ProposeResolution(t.Context(), b.ID, first, reconcile.Proposal{Resolution: reconcile.WriteOff, Note: "x"})), "nothing is to be booked")
		e, err := b.Read()
		require.NoError(t, err)
		require.Equal(t, "0.01 EUR", e.Theirs[0].Commission)
		require.NotEmpty(t, e.Ours.Expected)
		require.NotEmpty(t, e.Ledger)
		require.Len(t, e.Ours.Account, 4, "no full number is kept here")
		require.WithinRange(t, *b.OursAt, sale.RecordedAt, w.Now(), "when it was permitted")
		require.False(t, b.TheirsAt.IsZero())
		require.WithinDuration(t, e.Theirs[0].At, *b.TheirsAt, time.Microsecond, "when they made their record; a database keeps no less")
	})
}

// TestBalanceIsJudgedWhenItsOpenSalesAreKnown: the answer may or may not have
// had the sale in it.
func TestBalanceIsJudgedWhenItsOpenSalesAreKnown(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.balance()
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"}}`)
		offer := w.TopUp()
		sale := w.Sell(apptest.Order("open", offer), offer)
		w.Becomes(sale.ID, sales.Unknown, false)
		w.balance()
		require.Empty(t, w.lastVerdict(), "it waits")
		told, err := w.Reconcile.LastBalance(t.Context())
		require.NoError(t, err)
		require.Equal(t, sale.ID, told.OpenSet)
		w.Pass(10 * time.Second)
		w.Becomes(sale.ID, sales.Complete, true)
		verdict, err := w.Reconcile.JudgeBalances(t.Context())
		require.NoError(t, err)
		require.Equal(t, reconcile.Agrees, verdict)
		w.balance()
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
		require.Empty(t, w.unresolved())
	})
}

// TestABalanceIsOfAMomentThatACheckpointFollowed: the checkpoints' job may run between the question and the answer. What
// moved just before is around the balance all the same.
func TestABalanceIsOfAMomentThatACheckpointFollowed(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.balance()
		sale := w.sellMany("c", 1)[0]
		require.NoError(t, w.Ledger.Checkpoint(t.Context(), w.Now()))
		require.NoError(t, w.Reconcile.CheckBalance(t.Context(), "")) // at once: no time passes
		told, err := w.Reconcile.LastBalance(t.Context())
		require.NoError(t, err)
		require.Equal(t, sale.ID, told.OpenSet)
	})
}

func TestBreakIsOpenAgainWhenItsEvidenceChanges(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"requote","commission":"0.01"}}`)
		w.sellMany("c", 1)
		w.settled()
		w.look()
		b := w.only()
		require.NoError(t, w.Reconcile.Take(t.Context(), b.ID, first, first.UserID))
		require.NoError(t, w.Reconcile.Comment(t.Context(), b.ID, first, "asked them"))
		require.NoError(t, w.Reconcile.Agree(t.Context(), b.ID, first, "a promotion"))
		require.Zero(t, w.look().Fresh)
		require.NoError(t, w.DB.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Exec("UPDATE breaks SET digest = 'other evidence' WHERE id = ?", b.ID).Error
		}))
		require.Equal(t, 1, w.look().Fresh)
		b, acts, err := w.Reconcile.Break(t.Context(), b.ID, "")
		require.NoError(t, err)
		require.Equal(t, reconcile.Open, b.State)
		require.Equal(t, 1, b.Reopened)
		require.Empty(t, b.ResolvedBy)
		require.Equal(t, first.UserID, b.Owner)
		var done []string
		for _, a := range acts {
			done = append(done, a.Act)
		}
		require.Equal(t, []string{"found", "taken", "commented", "resolved", "reopened"}, done)
		_, _, err = w.Reconcile.Break(t.Context(), b.ID, "another shop")
		require.Equal(t, fault.NotFound, fault.KindOf(err))
	})
}
