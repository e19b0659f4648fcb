package store_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

func TestRowsThatAQueryFinds(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		names := func(atLeast string) *gorm.DB {
			return db.Read(t.Context()).Raw("SELECT name FROM epochs WHERE name >= ? ORDER BY name", atLeast)
		}
		none := fault.New(fault.NotFound, "page.none")

		every, err := store.All[string](names(""))
		require.NoError(t, err)
		require.Equal(t, []string{"settings", "shifts"}, every)
		first, err := store.First[string](names("sf"))
		require.NoError(t, err)
		require.Equal(t, "shifts", *first)
		first, err = store.First[string](names("z"))
		require.NoError(t, err)
		require.Nil(t, first)
		one, err := store.One[string](names(""), none)
		require.NoError(t, err)
		require.Equal(t, "settings", one)
		_, err = store.One[string](names("z"), none)
		require.ErrorIs(t, err, none)
		var visited []string
		require.NoError(t, store.Each(names(""), func(row struct{ Name string }) { visited = append(visited, row.Name) }))
		require.Equal(t, every, visited)
		pairs, err := store.Pairs[string, int64](db.Read(t.Context()).Raw("SELECT name, 7 FROM epochs"))
		require.NoError(t, err)
		require.Equal(t, map[string]int64{"settings": 7, "shifts": 7}, pairs)
		cut := errors.New("enough")
		require.ErrorIs(t, store.Scan(names(""), func(func(...any) error) error { return cut }), cut)
		require.NoError(t, db.Exec(t.Context(), "DELETE FROM epochs WHERE name = ?", "shifts"))
		every, err = store.All[string](names(""))
		require.NoError(t, err)
		require.Equal(t, []string{"settings"}, every)

		_, err = store.One[string](db.Read(t.Context()).Raw("SELECT name FROM nowhere"), none)
		require.Error(t, err)
		require.NotErrorIs(t, err, none)
	})
}
