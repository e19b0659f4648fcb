package sales_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// soldTo is a sale to a number that is complete.
func (w *world) soldTo(key, number string) sales.Sale {
	w.T.Helper()
	offer := w.TopUp()
	o := apptest.Order(key, offer)
	o.AccountNumber = number
	return w.Becomes(w.Sell(o, offer).ID, sales.Complete, false)
}

func (w *world) find(shop, search string, accounts ...string) (ids []string) {
	w.T.Helper()
	found, err := w.Sales.List(w.T.Context(), sales.Filter{ShopID: shop, Search: search, Accounts: accounts, Limit: 5})
	require.NoError(w.T, err)
	for _, sale := range found {
		ids = append(ids, sale.ID)
	}
	return ids
}

func TestFind_ByWhateverNamesASale(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.soldTo("1", apptest.Number)
		w.soldTo("2", "353879999999")
		for _, search := range []string{
			sale.Code, strings.ToLower(sale.Code), sale.Code[:4] + "-" + sale.Code[4:], " " + sale.Ref + "\n",
			sale.TransferRef, "4567", "1234567", "٤٥٦٧",
		} {
			require.Equal(t, []string{sale.ID}, w.find("shop", search), search)
			require.Equal(t, []string{sale.ID}, w.find("", search), search)
			require.Empty(t, w.find("another", search), search)
		}
		require.Equal(t, []string{sale.ID}, w.find("shop", "anything", apptest.Number, "353870000000"))
		for _, search := range []string{"nobody", "%", "_", "-", "12x4567", "' OR 1=1 --"} {
			require.Empty(t, w.find("shop", search), search)
		}
	})
}

func TestFind_ByAnEarlierAttempt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		old := w.Absent()
		again := w.Again(old)
		require.Equal(t, []string{old.ID}, w.find("shop", old.Ref))
		require.Equal(t, []string{old.ID}, w.find("shop", again.Ref))
	})
}

// What no index has is looked for in the last week; what a receipt or a book names is found
// however old.
func TestFind_LooksForEndsOfNumbersInTheLastWeek(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.soldTo("1", apptest.Number)
		w.Pass(7*24*time.Hour - time.Minute)
		require.Equal(t, []string{sale.ID}, w.find("shop", "4567"))
		require.Equal(t, []string{sale.ID}, w.find("shop", sale.TransferRef))
		w.Pass(2 * time.Minute)
		require.Empty(t, w.find("shop", "4567"))
		require.Empty(t, w.find("shop", sale.TransferRef))
		w.Pass(365 * 24 * time.Hour)
		for _, search := range []string{sale.Code, sale.Ref} {
			require.Equal(t, []string{sale.ID}, w.find("shop", search))
		}
		require.Equal(t, []string{sale.ID}, w.find("shop", "", apptest.Number))
	})
}

func TestFind_ReturnsTheNewestOnceEach(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	var want []string
	for _, digit := range []string{"1", "2", "3"} {
		sale := w.soldTo(digit, "35387111111"+digit)
		want = append([]string{sale.ID}, want...)
	}
	require.Equal(t, want, w.find("shop", "3538711", "353871111111", "353871111112", "353871111113"))
	found, err := w.Sales.List(t.Context(), sales.Filter{
		ShopID: "shop", Accounts: []string{"353871111111", "353871111112", "353871111113"}, Limit: 2,
	})
	require.NoError(t, err)
	require.Len(t, found, 2)
	require.Equal(t, want[0], found[0].ID)
	require.Equal(t, want[1], found[1].ID)
	last := w.Get(want[0])
	require.Equal(t, []string{last.ID}, w.find("shop", last.Code, last.AccountNumber), "found by two of its names")
}

func TestBought_IsEachProductOfANumberOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		bought := func(shop, number string, limit int) (ids []string) {
			found, err := w.Sales.Bought(t.Context(), shop, number, limit)
			require.NoError(t, err)
			for _, sale := range found {
				ids = append(ids, sale.ID)
			}
			return ids
		}
		require.Empty(t, bought("shop", apptest.Number, 3))
		first := w.soldTo("1", apptest.Number)
		other := w.soldTo("2", "353879999999")
		require.Equal(t, []string{first.ID}, bought("shop", apptest.Number, 3))
		require.Empty(t, bought("another", apptest.Number, 3))

		w.moved(other.ID, "account_number = ?", apptest.Number)
		require.Equal(t, []string{other.ID}, bought("shop", apptest.Number, 3), "the latest of a product and amount")
		w.moved(other.ID, "send_micros = send_micros + 1")
		require.Equal(t, []string{other.ID, first.ID}, bought("shop", apptest.Number, 3))
		require.Equal(t, []string{other.ID}, bought("shop", apptest.Number, 1))
		w.moved(other.ID, "sku_code = 'ANOTHER', send_micros = ?", first.SendMicros)
		require.Equal(t, []string{other.ID, first.ID}, bought("shop", apptest.Number, 3))
		w.moved(other.ID, "practice = ?", true)
		require.Equal(t, []string{first.ID}, bought("shop", apptest.Number, 3), "practice is no purchase")
		w.moved(first.ID, "fulfilment = 'failed'")
		require.Empty(t, bought("shop", apptest.Number, 3))
	})
}
