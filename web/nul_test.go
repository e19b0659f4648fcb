package web

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/staff"
)

// TestTextThatADatabaseCannotHoldIsNoFault: PostgreSQL knows no NUL in a text.
func TestTextThatADatabaseCannotHoldIsNoFault(t *testing.T) {
	t.Parallel()
	b := trading(t)
	cashier, manager := b.signIn(staff.Cashier), b.signIn(staff.Manager)
	for _, path := range []string{"/find?q=abc%00d", "/counter?number=abc%00d", "/customers?q=abc%00", "/sales?q=abc%00d"} {
		require.Less(t, cashier.get(path).StatusCode, http.StatusInternalServerError, path)
		require.Less(t, manager.get(path).StatusCode, http.StatusInternalServerError, path)
	}
}
