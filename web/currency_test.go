package web

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// TestNothingSoldIsNoEuro: where nothing has been sold yet, nothing is counted in the money of the shops.
func TestNothingSoldIsNoEuro(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return errors.Join(tx.Exec("UPDATE shops SET currency = 'GBP'").Error, tx.Exec("UPDATE shifts SET currency = 'GBP'").Error)
	}))
	for _, role := range []staff.Role{staff.Manager, staff.Finance, staff.Admin} {
		w := b.signIn(role)
		for _, path := range []string{"/today", "/sales"} {
			page := w.get(path).page(t).Find("main").Text()
			require.Contains(t, page, "£0.00", "%s at %s", role, path)
			require.NotContains(t, page, "€0.00", "%s at %s", role, path)
		}
	}
	w := b.signIn(staff.Admin)
	require.Equal(t, "GBP", w.get("/admin/limits").page(t).Find("select[name=currency] option[selected]").AttrOr("value", ""))
}
