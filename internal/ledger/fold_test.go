package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"airtill/internal/harness/storetest"
	"airtill/internal/ledger"
	"airtill/internal/store"
)

// foldedTo is up to which posting the float's checkpoint reaches.
func (b books) foldedTo(t *testing.T) (id int64) {
	t.Helper()
	require.NoError(t, b.db.Read(t.Context()).Raw(
		"SELECT COALESCE(MAX(last_id), 0) FROM ledger_checkpoints WHERE account = '1100'",
	).Scan(&id).Error)
	return id
}

func (b books) post(ctx context.Context, key string, during func() error) error {
	return b.db.Tx(ctx, func(tx *store.Tx) error {
		err := ledger.Post(ctx, tx, ledger.Entry{Key: key, At: noon, Journal: ledger.Reserve(eur("1"))})
		return errors.Join(err, during())
	})
}

func nothing() error { return nil }

// A posting that got its number first and is committed last is in the checkpoint or after it, never neither.
func TestFoldWaitsForWhoBeganBefore(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := book(t, db)
		require.NoError(t, l.Fold(t.Context(), ledger.Float, "EUR"))
		first := l.foldedTo(t)
		require.Positive(t, first)
		if db.Dialect() == store.Postgres {
			posted, ended := make(chan struct{}), make(chan error, 1)
			waiting, commit := context.WithCancel(t.Context())
			defer commit()
			go func() {
				ended <- l.post(t.Context(), "slow", func() error { close(posted); <-waiting.Done(); return nil })
			}()
			<-posted
			require.NoError(t, l.post(t.Context(), "quick", nothing))
			within, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			require.ErrorIs(t, l.Fold(within, ledger.Float, "EUR"), context.DeadlineExceeded)
			require.Equal(t, first, l.foldedTo(t))
			commit()
			require.NoError(t, <-ended)
		}
		require.NoError(t, l.post(t.Context(), "last", nothing))
		require.NoError(t, l.Fold(t.Context(), ledger.Float, "EUR"))
		requireFolded(t, l)
		require.NoError(t, l.Fold(t.Context(), ledger.Float, "EUR"), "nothing to fold")
		requireFolded(t, l)
	})
}

// requireFolded says that the float's checkpoint holds all that was posted, to the cent.
func requireFolded(t *testing.T, l books) {
	t.Helper()
	var last int64
	require.NoError(t, l.db.Read(t.Context()).Raw(
		"SELECT MAX(id) FROM postings WHERE account = '1100'",
	).Scan(&last).Error)
	require.Equal(t, last, l.foldedTo(t))
	offences, err := l.Verify(t.Context())
	require.NoError(t, err)
	require.Empty(t, offences)
}

// However many write, and however late they commit or turn back, what two processes fold is the sum of what was
// posted.
func TestFoldingBesideWriters(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := book(t, db)
		var writers, folders errgroup.Group
		for w := range 4 {
			writers.Go(func() error {
				for n := range 30 {
					back := errors.New("turned back")
					err := l.post(t.Context(), fmt.Sprint(w, "/", n), func() error {
						time.Sleep(time.Duration(rand.IntN(4)) * time.Millisecond) // another may commit first
						if n%7 == 6 {
							return back
						}
						return nil
					})
					if err != nil && !errors.Is(err, back) {
						return err
					}
				}
				return nil
			})
		}
		over, stop := context.WithCancel(t.Context())
		for range 2 {
			folders.Go(func() error {
				for over.Err() == nil {
					if err := l.Fold(t.Context(), ledger.Float, "EUR"); err != nil {
						return err
					}
				}
				return nil
			})
		}
		require.NoError(t, writers.Wait())
		stop()
		require.NoError(t, folders.Wait())
		require.NoError(t, l.Checkpoint(t.Context(), noon))
		require.NoError(t, l.Checkpoint(t.Context(), noon.Add(ledger.CheckpointEvery)))
		require.NoError(t, l.Fold(t.Context(), ledger.Float, "EUR"))
		requireFolded(t, l)
		balance, err := l.Balance(t.Context(), ledger.Float, "EUR")
		require.NoError(t, err)
		require.Equal(t, "-4.00", balance.Decimal(2), "100.00 less four times 26")
	})
}
