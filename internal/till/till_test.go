package till_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/store"
	"airtill/internal/storetest"
	"airtill/internal/till"
)

func TestOneShiftIsOpenAtATill(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		service := till.New(till.Deps{DB: db, Ledger: ledger.New(ledger.Deps{DB: db}), Now: time.Now})
		none, err := service.Current(t.Context(), "till-1")
		require.NoError(t, err)
		require.Nil(t, none)

		opened, err := service.Open(t.Context(), "shop", "till-1", "cashier", money.MustParse("50", "EUR"))
		require.NoError(t, err)
		require.Equal(t, 1, opened.Number)
		current, err := service.Current(t.Context(), "till-1")
		require.NoError(t, err)
		require.Equal(t, opened.ID, current.ID)
		cash, err := service.Cash(t.Context(), opened)
		require.NoError(t, err)
		require.Equal(t, "50.00 EUR", cash.String())

		_, err = service.Open(t.Context(), "shop", "till-1", "other", money.MustParse("50", "EUR"))
		require.Equal(t, fault.Conflict, fault.KindOf(err))
		_, err = service.Open(t.Context(), "shop", "till-2", "other", money.Of(0, "EUR"))
		require.NoError(t, err)
	})
}
