package web

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/sandbox"
	"airtill/internal/staff"
	"airtill/web/locale"
)

// TestAPageOfManyProductsIsLight: it is the counter's, for an operator with eighty products, and for the one that has
// most of all that are on sale.
func TestAPageOfManyProductsIsLight(t *testing.T) {
	t.Parallel()
	for name, list := range map[string][][]string{"eighty": eightyProducts(), "most": mostProducts(t)} {
		if len(list) == 0 {
			continue // that list is not part of this repository
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "list.csv")
			file, err := os.Create(path)
			require.NoError(t, err)
			head := []string{"SkuCode", "Operator", "Receive", "Product type", "Country", "Validity"}
			require.NoError(t, csv.NewWriter(file).WriteAll(append([][]string{head}, list...)))
			require.NoError(t, file.Close())
			b := newMarketOf(t, storetest.New(t), sandbox.Deps{Catalog: path}, false)
			cashier := b.signIn(staff.Cashier)
			product, known := b.server.D.Catalog.Current().Product(list[0][0])
			require.True(t, known)
			number := map[string]string{"Ireland": irish, "Pakistan": "923001234567"}[list[0][4]]
			address := "/counter?number=" + number + "&provider=" + product.Provider
			page := cashier.get(address).page(t)
			require.Equal(t, len(list), page.Find("button[name=sku]").Length())
			if name == "eighty" {
				require.Equal(t, len(list), page.Find("button .tone-wait").Length(), "each says that its provider has trouble")
			}
			for _, language := range locale.Languages() {
				chosen := cashier.post("/language", url.Values{"language": {language.Tag}, "next": {"/"}})
				require.Equal(t, http.StatusSeeOther, chosen.StatusCode, chosen.body)
				got := cashier.do(http.MethodGet, address, nil, http.Header{"Accept-Encoding": {"gzip"}})
				require.Equal(t, "gzip", got.Header.Get("Content-Encoding"))
				t.Logf("%s: %d products, %d bytes", language.Tag, len(list), len(got.body))
				require.LessOrEqual(t, len(got.body), 12_000, language.Tag)
			}
		})
	}
}

// eightyProducts are of one operator: amounts, bundles and data, as large operators have them.
func eightyProducts() (list [][]string) {
	for i := range 80 {
		sku, amount := fmt.Sprintf("LUIE%05d", 1+i*i*7919%99_991), fmt.Sprintf("EUR %d.00", 5+i)
		row := []string{sku, "Lumera Mobile", amount, "Top-up", "Ireland", "N/A"}
		switch {
		case i >= 76:
			row[2], row[3], row[5] = fmt.Sprintf("Weekly Data %dGB", i-70), "Data", "7 Days"
		case i >= 56:
			row[2] = fmt.Sprintf("Monthly %d: %d Mins, %d SMS, %d GB", i-55, i*10, i*25, i-50)
			row[3], row[5] = "Bundle", "30 Days"
		}
		list = append(list, row)
	}
	return list
}

// mostProducts are those of the operator that has most in a list that is not part of this repository.
func mostProducts(t *testing.T) (list [][]string) {
	t.Helper()
	file, err := os.Open("../../shared/data/sku-list.csv")
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	all, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	require.NoError(t, file.Close())
	of := map[string][][]string{}
	for _, row := range all[1:] {
		of[row[1]] = append(of[row[1]], row)
		if len(of[row[1]]) > len(list) {
			list = of[row[1]]
		}
	}
	return list
}
