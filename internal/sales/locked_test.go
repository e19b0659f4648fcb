package sales_test

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// While another program holds the file nobody may say that nothing was sold: an earlier
// press of the same form may still be on its way. The form itself can be pressed again.
func TestALockedDatabaseLeavesASaleUnsure(t *testing.T) {
	t.Parallel()
	address := storetest.URL(t, store.SQLite)
	w := newWorld(t, storetest.Open(t, address))
	offer := w.TopUp()
	other, err := sql.Open("sqlite", strings.TrimPrefix(address, "sqlite:"))
	require.NoError(t, err)
	defer other.Close()
	holder, err := other.Conn(t.Context())
	require.NoError(t, err)
	_, err = holder.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	require.NoError(t, err)

	form := apptest.Order("locked", offer)
	_, _, err = w.Try(form, offer)
	require.Equal(t, fault.Unsure, fault.KindOf(err))
	require.ErrorIs(t, err, store.ErrUnreachable)
	require.Contains(t, fault.Message(err), "Look the sale up")

	_, err = holder.ExecContext(t.Context(), "ROLLBACK")
	require.NoError(t, err)
	sale := w.Sell(form, offer)
	require.Equal(t, sales.Complete, w.Becomes(sale.ID, sales.Complete, false).Fulfilment)
}
