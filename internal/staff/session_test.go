package staff_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/staff"
)

// A page that was under way in one tab does not bring back the session that another has ended.
func TestASessionThatWasEndedMeanwhileStaysEnded(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora := b.hire("nora", staff.Cashier)
		b.signIn("hers", nora, "")
		require.NoError(t, b.EndSession(t.Context(), "hers"))
		again := staff.Session{UserID: nora.ID, Epoch: nora.Epoch, Data: []byte("{}"), Again: true}
		require.NoError(t, b.SaveSession(t.Context(), "hers", again))
		_, live := b.present("hers")
		require.False(t, live)
	})
}

// However an account was closed, by whoever had the database too.
func TestAClosedAccountHasNoSession(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora := b.hire("nora", staff.Cashier)
		b.signIn("hers", nora, "")
		require.NoError(t, b.db.Exec(t.Context(), "UPDATE users SET disabled_at = ? WHERE id = ?", b.clock(), nora.ID))
		_, live := b.present("hers")
		require.False(t, live)
	})
}

func TestASessionUsedFromAnotherNetworkIsOver(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora := b.hire("nora", staff.Cashier)
		b.signIn("hers", nora, "")
		p, live := b.present("hers")
		require.True(t, live)
		require.Equal(t, "rule.elsewhere", codeOf(b.LeaveNetwork(t.Context(), "hers", p, "192.0.2.9")))
		_, live = b.present("hers")
		require.False(t, live)
	})
}

func TestOnlyOnesOwnSessionsAreSeenAndEnded(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora, liam := b.hire("nora", staff.Cashier), b.hire("liam", staff.Cashier)
		b.signIn("hers", nora, "")
		b.signIn("his", liam, "")
		own, err := b.OwnSessions(t.Context(), nora.ID, "hers")
		require.NoError(t, err)
		require.Len(t, own, 1)
		his, err := b.OwnSessions(t.Context(), liam.ID, "his")
		require.NoError(t, err)
		for _, id := range []string{"", his[0].ID} {
			require.NoError(t, b.EndOwnSessions(t.Context(), signedIn(b, nora), "hers", id))
		}
		for _, token := range []string{"hers", "his"} {
			_, live := b.present(token)
			require.True(t, live, token)
		}
		b.signIn("hers too", nora, "")
		require.NoError(t, b.EndOwnSessions(t.Context(), signedIn(b, nora), "hers", ""))
		require.Equal(t, audit.UserSessionsEnded, b.lastAct().Act)
	})
}
