package sales_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// TestSalesAreFoundByWhatTheirProductWasEverCalled, letter by letter: to nobody's text are % and _ anything else.
func TestSalesAreFoundByWhatTheirProductWasEverCalled(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		sale := w.Sell(apptest.Order("1", offer), offer)
		called := func(sku, product, operator string) {
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
				return tx.Exec("INSERT INTO sold_names (sku_code, product_text, provider_name) VALUES (?,?,?)", sku, product, operator).Error
			}))
		}
		called(sale.SKUCode, `Half 50% off_peak \ night`, "Once Telecom")
		for _, text := range []string{
			strings.ToUpper(sale.ProductText), sale.ProviderName[1:], "half 50% off", "off_peak", `\ NIGHT`, "once tele",
		} {
			skus, err := w.Sales.Named(t.Context(), text)
			require.NoError(t, err, text)
			require.Equal(t, []string{sale.SKUCode}, skus, text)
			found, err := w.Sales.List(t.Context(), sales.Filter{SKUs: skus})
			require.NoError(t, err)
			require.Equal(t, []string{sale.ID}, idsOf(found), text)
		}
		for _, text := range []string{"%%", "5_%", "off-peak", "h%f", "nothing like it"} {
			skus, err := w.Sales.Named(t.Context(), text)
			require.NoError(t, err, text)
			found, err := w.Sales.List(t.Context(), sales.Filter{SKUs: skus})
			require.NoError(t, err)
			require.Empty(t, found, text)
		}
		for i := range 501 {
			called(fmt.Sprintf("MANY%03d", i), "One of many", "Many")
		}
		_, err := w.Sales.Named(t.Context(), "of many")
		require.Equal(t, fault.Invalid, fault.KindOf(err))
		require.Equal(t, "named", fault.FieldOf(err))
	})
}

// TestANameIsFoundHoweverItIsTyped: in capitals or not, with accents or without, in any script.
func TestANameIsFoundHoweverItIsTyped(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		for sku, name := range map[string]string{"1": "Forfait ÉCOLE", "2": "Пакет ДЕНЬ", "3": "أسبوعي", "4": "100 Dakika İletişim"} {
			called := "INSERT INTO sold_names (sku_code, product_text, provider_name) VALUES (?, ?, 'Zoë Télécom')"
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Exec(called, sku, name).Error }))
		}
		for text, want := range map[string][]string{
			"école": {"1"}, "ecole": {"1"}, "день": {"2"}, "اسبوعي": {"3"}, "iletişim": {"4"}, "ILETISIM": {"4"},
			"ZOE TELECOM": {"1", "2", "3", "4"},
		} {
			skus, err := w.Sales.Named(t.Context(), text)
			require.NoError(t, err, text)
			require.Equal(t, want, skus, text)
		}
	})
}

// TestANameIsKeptOnce, however often it is sold, and however long it is.
func TestANameIsKeptOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		w.sold(3)
		var names int64
		require.NoError(t, db.Read(t.Context()).Table("sold_names").Count(&names).Error)
		require.EqualValues(t, 1, names)
	})
}
