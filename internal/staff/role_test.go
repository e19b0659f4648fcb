package staff_test

import (
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/staff"
)

var discard = slog.New(slog.DiscardHandler)

// TestRoleTable holds the permissions against the table that people have agreed
// to: a change of either is a change of both.
func TestRoleTable(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, p := range staff.Permissions() {
		b.WriteString(string(p) + ":")
		for _, r := range staff.Roles() {
			if r.Can(p) {
				b.WriteString(" " + string(r))
			}
		}
		b.WriteString("\n")
	}
	golden, err := os.ReadFile("testdata/roles.golden")
	require.NoError(t, err)
	require.Equal(t, string(golden), b.String())
}

func TestDefaultIsDenied(t *testing.T) {
	t.Parallel()
	for _, p := range staff.Permissions() {
		require.False(t, staff.Role("").Can(p))
		require.False(t, staff.Role("owner").Can(p))
		closed := time.Now()
		require.False(t, staff.User{Role: staff.Admin, DisabledAt: &closed}.Can(p))
	}
	for _, r := range staff.Roles() {
		require.False(t, r.Can(""))
		require.False(t, r.Can("fly"))
		require.Equal(t, r.InShop(), r.Can(staff.Sell), "who sells belongs to a shop")
		require.NotEqual(t, r.InShop(), r.Can(staff.ViewAllSales))
	}
	require.False(t, staff.Cashier.Can(staff.ViewCost))
}

func TestSeesOwnShopOnly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		user staff.User
		shop string
		want bool
	}{
		"cashier, own shop":     {staff.User{Role: staff.Cashier, ShopID: "a"}, "a", true},
		"cashier, other shop":   {staff.User{Role: staff.Cashier, ShopID: "a"}, "b", false},
		"manager, other shop":   {staff.User{Role: staff.Manager, ShopID: "a"}, "b", false},
		"cashier without shop":  {staff.User{Role: staff.Cashier}, "", false},
		"finance, any shop":     {staff.User{Role: staff.Finance}, "b", true},
		"unknown role, no shop": {staff.User{Role: "owner"}, "b", false},
	} {
		require.Equal(t, c.want, c.user.Sees(c.shop), name)
	}
}
