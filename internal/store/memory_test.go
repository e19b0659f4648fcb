package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

func TestAMemoryAnswersForItsEpochAlone(t *testing.T) {
	t.Parallel()
	var m store.Memory[string, int]
	asked := 0
	get := func(ctx context.Context, answer int) int {
		v, err := m.Get(ctx, "k", func(context.Context) (int, error) { asked++; return answer, nil })
		require.NoError(t, err)
		return v
	}
	at := func(epoch int64) context.Context { return store.WithEpochs(t.Context(), store.Epochs{Settings: epoch}) }
	require.Equal(t, 1, get(at(1), 1))
	require.Equal(t, 1, get(at(1), 2), "from memory")
	require.Equal(t, 3, get(t.Context(), 3), "nobody knows which epoch it is: asked")
	require.Equal(t, 1, get(at(1), 4))
	require.Equal(t, 5, get(at(2), 5), "changed since")
	require.Equal(t, 6, get(at(1), 6), "a slow request of before is answered by the database")
	require.Equal(t, 5, get(at(2), 7), "and leaves nothing old behind")
	require.Equal(t, 4, asked)

	_, err := m.Get(at(3), "k", func(context.Context) (int, error) { return 0, errors.New("away") })
	require.Error(t, err)
	require.Equal(t, 8, get(at(3), 8), "no error is remembered")
}

// TestEveryChangeOfASettingIsCounted in the transaction that makes it, and for all
// processes.
func TestEveryChangeOfASettingIsCounted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		epoch := func(name string) (n int64) {
			require.NoError(t, db.Read(t.Context()).Raw("SELECT n FROM epochs WHERE name = ?", name).Scan(&n).Error)
			return n
		}
		change := func(sql string) {
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Exec(sql).Error }))
		}
		before, shifts := epoch("settings"), epoch("shifts")
		for i, sql := range []string{
			"INSERT INTO validating_providers (provider_code) VALUES ('P')",
			"UPDATE validating_providers SET provider_code = 'Q'",
			"DELETE FROM validating_providers",
		} {
			change(sql)
			require.Equal(t, before+int64(i)+1, epoch("settings"), sql)
		}
		require.Equal(t, shifts, epoch("shifts"))
		boom := errors.New("boom")
		require.ErrorIs(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			require.NoError(t, tx.Exec("INSERT INTO validating_providers (provider_code) VALUES ('P')").Error)
			return boom
		}), boom)
		require.Equal(t, before+3, epoch("settings"), "what did not happen is not counted")
	})
}

// A memory that is full is emptied, goes by the epoch it is told to, and asks anew for an answer that no longer holds.
func TestAMemoryIsBounded(t *testing.T) {
	t.Parallel()
	m := store.Memory[int, int]{Most: 3, Of: store.OfShifts}
	at := func(settings, shifts int64) context.Context {
		return store.WithEpochs(t.Context(), store.Epochs{Settings: settings, Shifts: shifts})
	}
	asked := map[int]int{}
	get := func(ctx context.Context, key int, holds bool) {
		v, err := m.GetIf(ctx, key, func(int) bool { return holds }, func(context.Context) (int, error) {
			asked[key]++
			return 10 * key, nil
		})
		require.NoError(t, err)
		require.Equal(t, 10*key, v)
	}
	for range 2 {
		for key := range 3 {
			get(at(1, 1), key, true)
		}
	}
	require.Equal(t, map[int]int{0: 1, 1: 1, 2: 1}, asked)
	get(at(2, 1), 0, true)
	require.Equal(t, 1, asked[0], "the settings are another's epoch")
	get(at(1, 1), 0, false)
	require.Equal(t, 2, asked[0])
	get(at(1, 1), 3, true) // one more than it holds
	get(at(1, 1), 1, true)
	require.Equal(t, 2, asked[1], "it was emptied")
	get(at(1, 1), 3, true)
	require.Equal(t, 1, asked[3])
	get(at(1, 2), 3, true)
	require.Equal(t, 2, asked[3], "a shift has changed")
}
