package store_test

import (
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
		_, err = store.One[string](db.Read(t.Context()).Raw("SELECT name FROM nowhere"), none)
		require.Error(t, err)
		require.NotErrorIs(t, err, none)
	})
}
