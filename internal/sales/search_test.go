package sales_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

func TestSearchFindsASaleByWhateverIsOnItsReceipt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Complete, false)
		other := apptest.Order("2", offer)
		other.AccountNumber = "353879999999"
		w.Becomes(w.Sell(other, offer).ID, sales.Complete, false)

		for _, search := range []string{
			apptest.Number, "+353 87 123 4567", "1234567", "4567", " " + sale.Code + " ", sale.Code[:4] + "-" + sale.Code[4:], sale.Ref, sale.TransferRef, sale.ProviderRef,
		} {
			if search == "" {
				continue // not every provider names a reference of its own
			}
			found, err := w.Sales.List(t.Context(), sales.Filter{ShopID: "shop", Search: search})
			require.NoError(t, err)
			require.Len(t, found, 1, search)
			require.Equal(t, sale.ID, found[0].ID)
		}
		for _, search := range []string{"nobody", "%", "_", "12x4567", "' OR 1=1 --"} {
			found, err := w.Sales.List(t.Context(), sales.Filter{ShopID: "shop", Search: search})
			require.NoError(t, err)
			require.Empty(t, found, search)
		}
	})
}

// A meter's number may have hyphens, and a receipt's code is shown with one: nobody has to type them.
func TestASearchNeedsNoHyphens(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Complete, false)
		w.moved(sale.ID, "account_number = ?", "37-12345-678")
		for _, search := range []string{
			"37-12345-678", "3712345678", "37 12345 678", "5678", "45-678",
			sale.Code[:4] + " " + sale.Code[4:], sale.Code[:4] + "\u2013" + sale.Code[4:],
		} {
			found, err := w.Sales.List(t.Context(), sales.Filter{Search: search})
			require.NoError(t, err)
			require.Len(t, found, 1, search)
		}
	})
}

// What is found without days: whole numbers, receipts and our references however old; the end of a number and others'
// references within a week, and all of what two searches mean.
func TestASearchGoesBackAsFarAsAnIndexDoes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Complete, false)
		found := func(search string) bool {
			list, err := w.Sales.List(t.Context(), sales.Filter{Search: search})
			require.NoError(t, err)
			return len(list) == 1
		}
		for _, days := range []int{6, 2} { // and then eight days after it was made
			w.Pass(time.Duration(days) * 24 * time.Hour)
			for _, search := range []string{apptest.Number, sale.Code, sale.Ref} {
				require.True(t, found(search), search)
			}
			for _, search := range []string{"4567", sale.TransferRef} {
				require.Equal(t, days == 6, found(search), search)
			}
		}
	})
}
