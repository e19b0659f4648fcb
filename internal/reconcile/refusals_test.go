package reconcile_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/reconcile"
)

// TestOnlyWhatOffsetsToTheLastDigitIsMatched, in one currency, and only what the upstream's list tells of.
func TestOnlyWhatOffsetsToTheLastDigitIsMatched(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		for i, b := range []struct {
			id       string
			currency money.Currency
			float    int64
		}{
			{"down", "EUR", -5}, {"down2", "EUR", -5}, {"up", "EUR", 5}, {"usd", "USD", -5}, {"refund", "EUR", -5}, {"x-refund", "EUR", -5}, {"none", "EUR", 0}, {"none2", "EUR", 0},
		} {
			w.put(b.id, "shop", b.currency, b.float, b.float, time.Hour-time.Duration(i)*time.Minute)
		}
		w.exec("UPDATE breaks SET kind = ? WHERE id LIKE '%refund'", reconcile.PartialRefund)
		counterparts := func(id string) (ids []string) {
			b, _, err := w.Reconcile.Break(ctx, id, "")
			require.NoError(t, err)
			all, err := w.Reconcile.Counterparts(ctx, b, "")
			require.NoError(t, err)
			for _, other := range all {
				ids = append(ids, other.ID)
			}
			return ids
		}
		require.Equal(t, []string{"down", "down2"}, counterparts("up"), "the oldest first")
		require.Empty(t, counterparts("none"))
		require.Empty(t, counterparts("refund"))
		match := func(a, b string) string { return fault.CodeOf(w.Reconcile.Match(ctx, a, b, first, "the same")) }
		for _, pair := range [][2]string{{"up", "usd"}, {"up", "refund"}, {"x-refund", "up"}, {"none", "none2"}, {"none", "none"}, {"down", "down2"}} {
			require.Equal(t, "break.no-pair", match(pair[0], pair[1]), pair)
		}
		require.Empty(t, match("up", "down"))
		require.Empty(t, counterparts("up"))
		require.Equal(t, []string{"break.done", "break.done"}, []string{match("up", "down2"), match("down2", "up")})
		require.Equal(t, "break.done", fault.CodeOf(w.Reconcile.ProposeUndo(ctx, "up", first, "one person matched them")))

		w.exec("UPDATE breaks SET reference = 'another' WHERE id = 'down'")
		require.Equal(t, "break.done", fault.CodeOf(w.Reconcile.Reopen(ctx, "up", first, "x")), "the other is matched with a third")
		w.exec("UPDATE breaks SET reference = CASE id WHEN 'up' THEN 'another' ELSE 'up' END WHERE id IN ('up', 'down')")
		require.Equal(t, "break.done", fault.CodeOf(w.Reconcile.Reopen(ctx, "down", first, "x")))
		w.exec("UPDATE breaks SET reference = 'down', offset_micros = 0 WHERE id = 'up'")
		w.exec("UPDATE breaks SET offset_micros = 0 WHERE id = 'down'")
		require.Equal(t, "break.done", fault.CodeOf(w.Reconcile.Reopen(ctx, "up", first, "x")), "of how much is not known")
		w.exec("UPDATE breaks SET offset_micros = CASE id WHEN 'up' THEN 5 ELSE -5 END WHERE id IN ('up', 'down')")
		require.Equal(t, fault.Invalid, fault.KindOf(w.Reconcile.Reopen(ctx, "up", first, " ")))
		require.NoError(t, w.Reconcile.Reopen(ctx, "up", first, "x"))
		require.Equal(t, []string{"down", "down2"}, counterparts("up"))
	})
}

// TestAProposalIsAgreedToAsItWasRead: another that took its place meanwhile stands, and what is booked waits for two
// people to take it back.
func TestAProposalIsAgreedToAsItWasRead(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.put("b", "shop", "EUR", -5_000_000, -5_000_000, time.Hour)
		w.put("other", "another", "EUR", 5_000_000, 5_000_000, time.Minute)
		propose := func(p reconcile.Proposal) string {
			p.Note = "seen"
			return fault.CodeOf(w.Reconcile.ProposeResolution(ctx, "b", first, p))
		}
		confirm := func(read string) string { return fault.CodeOf(w.Reconcile.Confirm(ctx, "b", read, second, w.Now())) }
		decline := func(read string) string { return fault.CodeOf(w.Reconcile.Decline(ctx, "b", read, second, "no")) }
		agree := func() string { return fault.CodeOf(w.Reconcile.Agree(ctx, "b", first, "seen")) }
		stands := func() reconcile.Break {
			b, _, err := w.Reconcile.Break(ctx, "b", "shop")
			require.NoError(t, err)
			return b
		}
		require.Equal(t, []string{"break.done", "break.done"}, []string{confirm(stands().Proposes()), decline("")}, "nothing is proposed")
		require.Empty(t, propose(reconcile.Proposal{Resolution: reconcile.WriteOff}))
		read := w.proposed("b")
		for _, p := range []reconcile.Proposal{
			{Resolution: reconcile.Journal, Account: ledger.Safe},
			{Resolution: reconcile.Journal, Account: ledger.Goodwill},
			{Resolution: reconcile.Journal, Account: ledger.Goodwill, Reference: "R-1"},
		} {
			require.Empty(t, propose(p))
			require.Equal(t, []any{p.Account, p.Reference}, []any{stands().Account, stands().Reference})
			require.Equal(t, []string{"break.done", "break.done"}, []string{confirm(read), decline(read)}, "another stands there")
		}
		require.Equal(t, "break.done", fault.CodeOf(w.Reconcile.Match(ctx, "b", "other", first, "x")))
		require.Empty(t, decline(""))
		require.Empty(t, propose(reconcile.Proposal{Resolution: reconcile.Foreign}))
		require.Empty(t, confirm(w.proposed("b")))
		require.Equal(t, "break.done", propose(reconcile.Proposal{Resolution: reconcile.WriteOff}))

		for range 2 {
			require.Equal(t, fault.Invalid, fault.KindOf(w.Reconcile.ProposeUndo(ctx, "b", first, " ")))
			require.NoError(t, w.Reconcile.ProposeUndo(ctx, "b", first, "it was ours"))
			require.Equal(t, "break.done", fault.CodeOf(w.Reconcile.ProposeUndo(ctx, "b", first, "once")))
			require.Equal(t, []string{"break.done", "break.done", "break.done"}, []string{
				propose(reconcile.Proposal{Resolution: reconcile.WriteOff}), agree(), fault.CodeOf(w.Reconcile.Reopen(ctx, "b", first, "x")),
			})
			require.Empty(t, decline(stands().Proposes()))
			require.Equal(t, []any{reconcile.Resolved, reconcile.Foreign, "", int64(0)}, []any{stands().State, stands().Resolution, stands().ProposedBy, stands().FloatMicros})
		}

		unresolved, err := w.Reconcile.Unresolved(ctx, "shop")
		require.NoError(t, err)
		require.Zero(t, unresolved)
		_, _, err = w.Reconcile.Break(ctx, "b", "another")
		require.Equal(t, fault.NotFound, fault.KindOf(err), "of another shop")
		require.NoError(t, w.Reconcile.Take(ctx, "other", first, first.UserID))
		for _, f := range []reconcile.QueueFilter{
			{Owner: first.UserID}, {Kind: reconcile.ForeignSale}, {Owner: second.UserID}, {Kind: reconcile.Mismatch}, {Resolved: true}, {ShopID: "shop"},
		} {
			q, err := w.Reconcile.Queue(ctx, f)
			require.NoError(t, err)
			want := map[bool]string{true: "other"}[f.Owner == first.UserID || f.Kind == reconcile.ForeignSale]
			if f.Resolved {
				want = "b"
			}
			var got string
			for _, b := range q.Breaks {
				got += b.ID
			}
			require.Equal(t, want, got, f)
		}
	})
}

// TestAPaymentIsEnteredWhole, approved once, and booked only while it stands.
func TestAPaymentIsEnteredWhole(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		enter := func(micros int64, currency money.Currency, account ledger.Account, reference string) (reconcile.Paid, string) {
			p, err := w.Reconcile.EnterTopUp(ctx, first, "", money.Of(micros, currency), account, reference)
			return p, fault.CodeOf(err)
		}
		for _, c := range []struct {
			micros    int64
			account   ledger.Account
			reference string
			want      string
		}{
			{0, ledger.Safe, "R", "amount.zero"}, {-1, ledger.Safe, "R", "amount.zero"}, {1, ledger.Safe, " ", "payment.reference"}, {1, ledger.Losses, "R", "payment.paid-or-owed"},
		} {
			_, told := enter(c.micros, "EUR", c.account, c.reference)
			require.Equal(t, c.want, told)
		}
		p, told := enter(7_000_000, "EUR", ledger.FloatPayable, " R ")
		require.Empty(t, told)
		require.Equal(t, "R", p.Reference)
		require.NoError(t, w.Reconcile.ApproveTopUp(ctx, p.ID, second, w.Now()))
		require.NoError(t, w.Reconcile.ApproveTopUp(ctx, p.ID, second, w.Now()), "pressed again")
		require.Equal(t, fault.Conflict, fault.KindOf(w.Reconcile.ApproveTopUp(ctx, p.ID, first, w.Now())), "once")
		before := w.floatOf("EUR")
		require.NoError(t, w.Reconcile.RefuseTopUp(ctx, p.ID, second))
		require.NoError(t, w.Reconcile.BookTopUp(ctx, p))
		require.Equal(t, before, w.floatOf("EUR"), "refused since it was read")

		again, told := enter(7_000_000, "EUR", ledger.Safe, "R")
		require.Empty(t, told, "in place of the refused one")
		for range 2 {
			require.NoError(t, w.Reconcile.BookTopUp(ctx, again))
			require.Equal(t, before+7_000_000, w.floatOf("EUR"), "once")
		}
		last, told := enter(1, "EUR", ledger.Safe, "R-2")
		require.Empty(t, told)
		listed, err := w.Reconcile.TopUps(ctx, 9)
		require.NoError(t, err)
		require.Equal(t, []string{last.ID, again.ID}, []string{listed[0].ID, listed[1].ID}, "the newest first")
	})
}

func (w *world) floatOf(currency money.Currency) int64 {
	w.T.Helper()
	float, err := w.Ledger.Balance(w.T.Context(), ledger.Float, currency)
	require.NoError(w.T, err)
	return float.Micros()
}

func (w *world) exec(sql string, args ...any) {
	w.T.Helper()
	require.NoError(w.T, w.DB.Exec(w.T.Context(), sql, args...))
}
