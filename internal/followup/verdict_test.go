package followup_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/followup"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/ledger"
	"airtill/internal/sales"
	"airtill/internal/store"
)

var (
	proposer = audit.Actor{UserID: "nora", Name: "nora", Role: "finance"}
	signer   = followup.Signer{Actor: audit.Actor{UserID: "liam", Name: "liam", Role: "finance"}, Fresh: true}
)

// overdue is a sale of which the upstream has told nothing for 45 days.
func (w *world) overdue() sales.Sale {
	w.T.Helper()
	offer := w.TopUp()
	w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"before"}}`)
	sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Unknown, false)
	list, err := w.FollowUp.Overdue(w.T.Context(), "", -1)
	require.NoError(w.T, err)
	require.Empty(w.T, list)
	require.Equal(w.T, fault.Conflict, fault.KindOf(w.FollowUp.Propose(w.T.Context(), proposer, sale.ID, sales.Failed, "too early")))
	w.Pass(45*24*time.Hour - time.Minute)
	for _, shop := range []string{"", "elsewhere"} { // a minute too early; of another shop
		list, err = w.FollowUp.Overdue(w.T.Context(), shop, -1)
		require.NoError(w.T, err)
		require.Empty(w.T, list)
		w.Pass(time.Minute)
	}
	list, err = w.FollowUp.Overdue(w.T.Context(), "shop", -1)
	require.NoError(w.T, err)
	require.Len(w.T, list, 1)
	require.Nil(w.T, list[0].Proposal)
	for shop, count := range map[string]int64{"": 1, "shop": 1, "elsewhere": 0} {
		n, err := w.FollowUp.CountOverdue(w.T.Context(), shop)
		require.NoError(w.T, err)
		require.Equal(w.T, count, n, shop)
	}
	return sale
}

// decide answers what is proposed for a sale now.
func (w *world) decide(by followup.Signer, saleID string, agree bool) error {
	w.T.Helper()
	return w.FollowUp.Decide(w.T.Context(), by, saleID, w.proposed(saleID), agree)
}

// proposed is the id of what is proposed for a sale, "" if nothing is.
func (w *world) proposed(saleID string) string {
	w.T.Helper()
	list, err := w.FollowUp.Overdue(w.T.Context(), "", -1)
	require.NoError(w.T, err)
	for _, o := range list {
		if o.Sale.ID == saleID && o.Proposal != nil {
			return o.Proposal.ID
		}
	}
	return ""
}

func TestVerdict_TakesTwoPeopleAndMovesTheMoney(t *testing.T) {
	t.Parallel()
	for _, verdict := range []sales.State{sales.Failed, sales.Complete} {
		t.Run(string(verdict), func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				w := newWorld(t, db)
				sale := w.overdue()
				require.NoError(t, w.FollowUp.Propose(t.Context(), proposer, sale.ID, verdict, "the provider's own statement"))
				require.Equal(t, sales.Unknown, w.Get(sale.ID).Fulfilment, "one person moves nothing")
				list, err := w.FollowUp.Overdue(t.Context(), "", -1)
				require.NoError(t, err)
				require.Equal(t, "nora", list[0].Proposal.ProposedBy)
				require.Equal(t, fault.Conflict, fault.KindOf(w.FollowUp.Propose(t.Context(), signer.Actor, sale.ID, sales.Failed, "another view")))

				require.NoError(t, w.decide(signer, sale.ID, true))
				sale = w.Get(sale.ID)
				require.Equal(t, verdict, sale.Fulfilment)
				require.Equal(t, "0.00", w.Holds(ledger.Reserved))
				require.Equal(t, "0.00", w.Holds(ledger.CustomerPrepayments))
				require.Equal(t, map[sales.State]sales.Cash{sales.Failed: sales.CashRefundDue, sales.Complete: sales.CashEarned}[verdict], sale.Cash)
				offences, err := w.Ledger.Verify(t.Context())
				require.NoError(t, err)
				require.Empty(t, offences)

				entries, err := w.Audit.List(t.Context(), audit.Filter{Subject: audit.Of(audit.Sale, sale.ID)})
				require.NoError(t, err)
				require.Equal(t, []audit.Act{audit.VerdictConfirmed, audit.VerdictProposed}, []audit.Act{entries[0].Act, entries[1].Act})
				facts, err := entries[0].Facts()
				require.NoError(t, err)
				require.Contains(t, facts, audit.Person("proposedby", "nora"))
				require.Equal(t, fault.Conflict, fault.KindOf(w.decide(signer, sale.ID, true)), "once")
				list, err = w.FollowUp.Overdue(t.Context(), "", -1)
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
		require.NoError(t, w.FollowUp.Propose(t.Context(), proposer, sale.ID, sales.Complete, "a statement"))
		for name, by := range map[string]followup.Signer{
			"the same person":  {Actor: proposer, Fresh: true},
			"a login too old":  {Actor: signer.Actor},
			"both, of course ": {Actor: proposer},
		} {
			require.Equal(t, fault.Forbidden, fault.KindOf(w.decide(by, sale.ID, true)), name)
		}
		require.NoError(t, w.DB.Tx(t.Context(), func(tx *store.Tx) error {
			return w.Audit.Write(t.Context(), tx, audit.Entry{Actor: proposer, Act: audit.UserPasswordSet, Subject: audit.Of(audit.User, "liam")})
		}))
		require.Equal(t, fault.Forbidden, fault.KindOf(w.decide(signer, sale.ID, true)), "who proposed it knows the password")
		require.Equal(t, sales.Unknown, w.Get(sale.ID).Fulfilment)
		require.NoError(t, w.decide(signer, sale.ID, false), "declined: it may be proposed anew")
		require.Empty(t, w.proposed(sale.ID))
		require.Equal(t, sales.Unknown, w.Get(sale.ID).Fulfilment)
		require.NoError(t, w.FollowUp.Propose(t.Context(), signer.Actor, sale.ID, sales.Failed, "another statement"))
	})
}

// While the second person reads what was proposed, the first may take it back and propose the opposite.
func TestVerdict_IsAgreedToAsItWasRead(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.overdue()
		require.NoError(t, w.FollowUp.Propose(t.Context(), proposer, sale.ID, sales.Complete, "a statement"))
		read := w.proposed(sale.ID)
		require.NoError(t, w.decide(followup.Signer{Actor: proposer, Fresh: true}, sale.ID, false))
		require.NoError(t, w.FollowUp.Propose(t.Context(), proposer, sale.ID, sales.Failed, "no statement"))
		err := w.FollowUp.Decide(t.Context(), signer, sale.ID, read, true)
		require.Equal(t, fault.Conflict, fault.KindOf(err))
		require.Equal(t, sales.Unknown, w.Get(sale.ID).Fulfilment)
		require.NoError(t, w.decide(signer, sale.ID, true))
		require.Equal(t, sales.Failed, w.Get(sale.ID).Fulfilment)
	})
}

// A form that comes twice proposes once; of another proposal, also of one's own, it is told.
func TestVerdict_IsProposedOnceByAFormThatComesTwice(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.overdue()
		for range 2 {
			require.NoError(t, w.FollowUp.Propose(t.Context(), proposer, sale.ID, sales.Failed, "a statement"))
		}
		for _, other := range []error{
			w.FollowUp.Propose(t.Context(), proposer, sale.ID, sales.Complete, "a statement"),
			w.FollowUp.Propose(t.Context(), signer.Actor, sale.ID, sales.Failed, "a statement"),
			w.FollowUp.Propose(t.Context(), proposer, sale.ID, sales.Failed, "another reason"),
		} {
			require.Equal(t, "verdict.other-proposed", fault.CodeOf(other))
		}
		entries, err := w.Audit.List(t.Context(), audit.Filter{Act: audit.VerdictProposed})
		require.NoError(t, err)
		require.Len(t, entries, 1)
	})
}

// A proposal that the upstream overtook says nothing of the attempt that came after.
func TestVerdict_IsOfTheAttemptItWasProposedFor(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.overdue()
		require.NoError(t, w.FollowUp.Propose(t.Context(), proposer, sale.ID, sales.Failed, "a statement"))
		read := w.proposed(sale.ID)
		_, err := w.Sales.Observe(t.Context(), sale.ID, sales.Observation{
			Cause: sales.Listed, State: sales.Failed, Ref: sale.Ref, At: w.Now(), Source: "test",
		})
		require.NoError(t, err)
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"before"}}`)
		w.Sales.Dispatch(w.Again(w.Get(sale.ID)))
		w.Becomes(sale.ID, sales.Unknown, false)
		w.Pass(45 * 24 * time.Hour)
		require.Empty(t, w.proposed(sale.ID), "nobody has looked into this attempt")
		require.Equal(t, fault.Conflict, fault.KindOf(w.FollowUp.Decide(t.Context(), signer, sale.ID, read, true)))
		require.Equal(t, sales.Unknown, w.Get(sale.ID).Fulfilment)
		require.NoError(t, w.FollowUp.Propose(t.Context(), proposer, sale.ID, sales.Complete, "another statement"))
		require.NoError(t, w.decide(signer, sale.ID, true))
		require.Equal(t, sales.Complete, w.Get(sale.ID).Fulfilment)
	})
}

func TestVerdict_NeedsAVerdictAndAReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	sale := w.overdue()
	require.Equal(t, fault.Invalid, fault.KindOf(w.FollowUp.Propose(t.Context(), proposer, sale.ID, sales.Cancelled, "x")))
	require.Equal(t, fault.Invalid, fault.KindOf(w.FollowUp.Propose(t.Context(), proposer, sale.ID, sales.Failed, "")))
	require.Equal(t, fault.Conflict, fault.KindOf(w.decide(signer, sale.ID, true)), "nothing is proposed")
}

func TestVerdict_IsStillCorrectedByTheList(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.TopUp()
	w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"}}`)
	sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Unknown, false)
	w.Pass(46 * 24 * time.Hour)
	require.NoError(t, w.FollowUp.Propose(t.Context(), proposer, sale.ID, sales.Failed, "nobody knows it"))
	require.NoError(t, w.decide(signer, sale.ID, true))
	w.Pass(27 * time.Hour)
	w.Becomes(sale.ID, sales.Complete, true)
	require.Contains(t, w.Incidents(), sales.LateSuccess)
	w.AtRest()
}

// What the upstream says is under way though it was never sent from here ends by people, too, where nothing else tells.
func TestVerdict_OfWhatWasNeverSent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		sale, _, err := w.Try(apptest.Order("1", offer), offer)
		require.NoError(t, err)
		told := sales.Observation{Cause: sales.Notified, State: sales.Submitted, At: w.Now()}
		_, err = w.Sales.Observe(t.Context(), sale.ID, told)
		require.NoError(t, err)
		w.Pass(45 * 24 * time.Hour)
		require.NoError(t, w.FollowUp.Propose(t.Context(), proposer, sale.ID, sales.Failed, "the provider's own statement"))
		require.NoError(t, w.decide(signer, sale.ID, true))
		sale = w.Get(sale.ID)
		require.Equal(t, sales.Failed, sale.Fulfilment)
		require.Equal(t, sales.CashRefundDue, sale.Cash)
	})
}
