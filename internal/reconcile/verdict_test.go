package reconcile_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
	"airtill/internal/store"
	"airtill/internal/storetest"
)

var (
	proposer = audit.Actor{UserID: "nora", Name: "nora", Role: "finance"}
	signer   = reconcile.Signer{Actor: audit.Actor{UserID: "liam", Name: "liam", Role: "finance"}, Fresh: true}
)

// overdue is a sale of which the upstream has told nothing for 45 days.
func (w *world) overdue() sales.Sale {
	w.t.Helper()
	offer := w.topUp()
	w.fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"before"}}`)
	sale := w.becomes(w.sell(order("1", offer), offer).ID, sales.Unknown, false)
	list, err := w.books.Overdue(w.t.Context(), "")
	require.NoError(w.t, err)
	require.Empty(w.t, list)
	require.Equal(w.t, fault.Conflict, fault.KindOf(w.books.Propose(w.t.Context(), proposer, sale.ID, sales.Failed, "too early")))
	w.pass(45 * 24 * time.Hour)
	list, err = w.books.Overdue(w.t.Context(), "shop")
	require.NoError(w.t, err)
	require.Len(w.t, list, 1)
	require.Nil(w.t, list[0].Proposal)
	return sale
}

func TestVerdict_TakesTwoPeopleAndMovesTheMoney(t *testing.T) {
	t.Parallel()
	for _, verdict := range []sales.State{sales.Failed, sales.Complete} {
		t.Run(string(verdict), func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				w := newWorld(t, db)
				sale := w.overdue()
				require.NoError(t, w.books.Propose(t.Context(), proposer, sale.ID, verdict, "the provider's own statement"))
				require.Equal(t, sales.Unknown, w.get(sale.ID).Fulfilment, "one person moves nothing")
				list, err := w.books.Overdue(t.Context(), "")
				require.NoError(t, err)
				require.Equal(t, "nora", list[0].Proposal.ProposedBy)
				require.Equal(t, fault.Conflict, fault.KindOf(w.books.Propose(t.Context(), signer.Actor, sale.ID, sales.Failed, "another view")))

				require.NoError(t, w.books.Decide(t.Context(), signer, sale.ID, true))
				sale = w.get(sale.ID)
				require.Equal(t, verdict, sale.Fulfilment)
				require.Equal(t, "0.00", w.holds(ledger.Reserved))
				require.Equal(t, "0.00", w.holds(ledger.CustomerPrepayments))
				require.Equal(t, map[sales.State]sales.Cash{sales.Failed: sales.CashRefundDue, sales.Complete: sales.CashEarned}[verdict], sale.Cash)
				offences, err := w.ledger.Verify(t.Context())
				require.NoError(t, err)
				require.Empty(t, offences)

				entries, err := w.audit.List(t.Context(), auditOf(sale.ID))
				require.NoError(t, err)
				require.Equal(t, []string{"verdict.confirmed", "verdict.proposed"}, []string{entries[0].Action, entries[1].Action})
				require.Contains(t, entries[0].After, `"proposed_by":"nora"`)
				require.Equal(t, fault.Conflict, fault.KindOf(w.books.Decide(t.Context(), signer, sale.ID, true)), "once")
				list, err = w.books.Overdue(t.Context(), "")
				require.NoError(t, err)
				require.Empty(t, list)
			})
		})
	}
}

func TestVerdict_FourEyes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.overdue()
		require.NoError(t, w.books.Propose(t.Context(), proposer, sale.ID, sales.Complete, "a statement"))
		for name, by := range map[string]reconcile.Signer{
			"the same person":  {Actor: proposer, Fresh: true},
			"a login too old":  {Actor: signer.Actor},
			"both, of course ": {Actor: proposer},
		} {
			require.Equal(t, fault.Forbidden, fault.KindOf(w.books.Decide(t.Context(), by, sale.ID, true)), name)
		}
		require.Equal(t, sales.Unknown, w.get(sale.ID).Fulfilment)
		require.NoError(t, w.books.Decide(t.Context(), signer, sale.ID, false), "declined: it may be proposed anew")
		require.Equal(t, sales.Unknown, w.get(sale.ID).Fulfilment)
		require.NoError(t, w.books.Propose(t.Context(), signer.Actor, sale.ID, sales.Failed, "another statement"))
	})
}

func TestVerdict_NeedsAVerdictAndAReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	sale := w.overdue()
	require.Equal(t, fault.Invalid, fault.KindOf(w.books.Propose(t.Context(), proposer, sale.ID, sales.Cancelled, "x")))
	require.Equal(t, fault.Invalid, fault.KindOf(w.books.Propose(t.Context(), proposer, sale.ID, sales.Failed, "")))
	require.Equal(t, fault.Conflict, fault.KindOf(w.books.Decide(t.Context(), signer, sale.ID, true)), "nothing is proposed")
}

func TestVerdict_IsStillCorrectedByTheList(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.topUp()
	w.fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"}}`)
	sale := w.becomes(w.sell(order("1", offer), offer).ID, sales.Unknown, false)
	w.pass(46 * 24 * time.Hour)
	require.NoError(t, w.books.Propose(t.Context(), proposer, sale.ID, sales.Failed, "nobody knows it"))
	require.NoError(t, w.books.Decide(t.Context(), signer, sale.ID, true))
	w.pass(27 * time.Hour)
	w.becomes(sale.ID, sales.Complete, true)
	require.Contains(t, w.incidents(), sales.LateSuccess)
	w.atRest()
}
