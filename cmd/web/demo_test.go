package main

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/app"
	"airtill/internal/staff"
)

// TestTheDemosShopMayBeRenamed, as whoever tries the settings out does: the cashier's shift is open there when
// the demo begins again, and there is no second shop.
func TestTheDemosShopMayBeRenamed(t *testing.T) {
	t.Parallel()
	c, err := readConfig(map[string]string{"DATABASE_URL": "sqlite:" + filepath.Join(t.TempDir(), "demo.db")})
	require.NoError(t, err)
	b, err := app.OpenBooks(t.Context(), c.deps(newLog(io.Discard, 0)))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	_, err = furnish(t.Context(), b)
	require.NoError(t, err)
	before, err := b.Staff.Shops(t.Context())
	require.NoError(t, err)
	require.NoError(t, b.Staff.ChangeShop(t.Context(), demoActor(), before[0].ID, staff.ShopFacts{Name: "Corner Shop"}))
	_, err = furnish(t.Context(), b)
	require.NoError(t, err)
	after, err := b.Staff.Shops(t.Context())
	require.NoError(t, err)
	require.Len(t, after, 1)
	require.Equal(t, "Corner Shop", after[0].Name)
}
