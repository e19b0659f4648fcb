package web

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/web/frame"
)

// TestAShortenedAddressLeadsOn: who takes the end off an address lands where its beginning leads, and only if they
// may go there.
func TestAShortenedAddressLeadsOn(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	manager, cashier := b.seat(staff.Manager), b.seat(staff.Cashier)
	for from, to := range map[string]string{
		"/reports": "/reports/sales", "/settings": frame.FirstOffice(staff.User{Role: staff.Manager}),
	} {
		got := manager.get(from)
		require.Equal(t, http.StatusSeeOther, got.StatusCode, from)
		require.Equal(t, to, got.Header.Get("Location"))
		require.Equal(t, http.StatusOK, manager.get(to).StatusCode)
		require.Equal(t, http.StatusForbidden, cashier.get(from).StatusCode, from)
	}
}
