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
