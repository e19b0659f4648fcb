package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/store"
)

func TestIDsSortByTimeAndOrder(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 123_456_000, time.UTC)
	id, seen := store.NewID(now.Add(-time.Millisecond)), map[string]bool{}
	for range 1000 {
		next := store.NewID(now)
		require.Less(t, id, next)
		require.False(t, seen[next])
		id, seen[next] = next, true
		require.LessOrEqual(t, store.FirstID(now), id)
	}
	require.Less(t, id, store.FirstID(now.Add(time.Millisecond)))
	made, err := store.MadeAt(id)
	require.NoError(t, err)
	require.Equal(t, now.Truncate(time.Millisecond), made)
	require.Empty(t, store.FirstID(time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC)))
	_, err = store.MadeAt("a form of long ago")
	require.Error(t, err)
}

// Work of two moments is done at once; each still finds its own ids in the order it made them.
func TestIDsKeepTheirOrderBesideThoseOfAnotherMoment(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var id string
	for range 1000 {
		next := store.NewID(now)
		require.Less(t, id, next)
		id = next
		store.NewID(now.Add(time.Millisecond))
	}
}
