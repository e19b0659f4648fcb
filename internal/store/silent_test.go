package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// TestConnectionsThatAProxyHasForgottenEnd once somebody has waited in vain: neither idle ones, nor one that waits for
// an answer, hold up what new connections could do.
func TestConnectionsThatAProxyHasForgottenEnd(t *testing.T) {
	t.Parallel()
	proxy := storetest.ForgetfulBefore(t, postgresURL(t))
	db := storetest.Open(t, proxy.URL)
	t.Cleanup(proxy.HangUp)
	begun, forgotten, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- db.Tx(t.Context(), func(tx *store.Tx) error {
			err := tx.Exec("SELECT 1").Error
			close(begun)
			<-forgotten
			return errors.Join(err, tx.Exec("SELECT 2").Error)
		})
	}()
	<-begun
	require.NoError(t, db.Ping(t.Context())) // over a connection that is idle then
	proxy.Forget()
	close(forgotten)
	for answered := false; !answered; {
		inTime, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		answered = db.Ping(inTime) == nil
		cancel()
		if !answered {
			db.Doubt(time.Second)
		}
	}
	select {
	case err := <-ended:
		require.Equal(t, fault.Unsure, fault.KindOf(store.Explain(err, false)), "%v", err)
	case <-time.After(20 * time.Second):
		t.Fatal("it waits for ever")
	}
}

// TestADoubtEndsNothingThatIsAnswered: a long answer comes in pieces.
func TestADoubtEndsNothingThatIsAnswered(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, postgresURL(t))
	const long = "SELECT repeat('x', 10000), pg_sleep(0.02) FROM generate_series(1, 150)"
	answered := make(chan error, 1)
	go func() { answered <- db.Exec(t.Context(), long) }()
	require.Eventually(t, func() bool {
		var asked int
		return db.Tx(t.Context(), func(tx *store.Tx) (err error) {
			storetest.AsOwner(t, tx)
			asked, err = store.Value[int](tx.Raw("SELECT count(*) FROM pg_stat_activity WHERE query = ?", long))
			return err
		}) == nil && asked == 1
	}, 20*time.Second, time.Millisecond)
	db.Doubt(time.Second)
	require.NoError(t, <-answered)
	require.NoError(t, db.Ping(t.Context()))
}

// TestACommitWhoseAnswerIsNotWaitedForMayStand: a job's time is over, or a browser has left, while COMMIT is on its way.
func TestACommitWhoseAnswerIsNotWaitedForMayStand(t *testing.T) {
	t.Parallel()
	proxy := storetest.ForgetfulBefore(t, postgresURL(t))
	db := storetest.Open(t, proxy.URL)
	t.Cleanup(proxy.HangUp)
	for name, write := range map[string]func(ctx context.Context, tx *store.Tx) error{
		"COMMIT by itself": func(_ context.Context, tx *store.Tx) error {
			defer proxy.Forget()
			return tx.Exec("SELECT 1").Error
		},
		"COMMIT with the last statements": func(ctx context.Context, tx *store.Tx) error {
			proxy.Forget()
			return tx.ExecLast(ctx, store.Statement{SQL: "SELECT 1"})
		},
	} {
		require.NoError(t, db.Ping(t.Context()))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		err := db.Tx(ctx, func(tx *store.Tx) error { return write(ctx, tx) })
		cancel()
		require.Equal(t, fault.Unsure, fault.KindOf(err), "%s: %v", name, err)
		db.Doubt(time.Second)
	}
}

// TestAWriteWhoseAnswerIsLostMayStand, however it was sent: PostgreSQL has it, and the connection breaks.
func TestAWriteWhoseAnswerIsLostMayStand(t *testing.T) {
	t.Parallel()
	const key = "the-last-that-is-passed-on"
	proxy := storetest.ForgetfulBefore(t, postgresURL(t))
	db := storetest.Open(t, proxy.URL)
	insert := store.Statement{
		SQL:  "INSERT INTO login_tries (key, failures, last_at) VALUES (?, 0, ?) ON CONFLICT (key) DO NOTHING",
		Args: []any{key, noon},
	}
	update := store.Statement{SQL: "UPDATE login_tries SET failures = failures + 1 WHERE key = ?", Args: []any{key}}
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.ExecLast(t.Context(), insert) }))
	for name, c := range map[string]struct {
		last  string // of what is sent
		write func() error
	}{
		"guarded": {key, func() error {
			_, err := db.Guarded(t.Context(), update)
			return err
		}},
		"the last statements": {key, func() error {
			return db.Tx(t.Context(), func(tx *store.Tx) error { return tx.ExecLast(t.Context(), update) })
		}},
		"the last statements of several": {key, func() error {
			return db.Tx(t.Context(), func(tx *store.Tx) error {
				err := tx.Exec("SELECT 1").Error
				return errors.Join(err, tx.ExecLast(t.Context(), update))
			})
		}},
		"COMMIT by itself": {"commit\x00", func() error { return db.Exec(t.Context(), update.SQL, key) }},
	} {
		require.NoError(t, c.write(), name) // prepared
		proxy.EndAt(c.last)
		err := c.write()
		proxy.EndAt("nothing like it")
		require.Equal(t, fault.Unsure, fault.KindOf(err), "%s: %v", name, err)
		require.NoError(t, db.Ping(t.Context()))
	}
}
