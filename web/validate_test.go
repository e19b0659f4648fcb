package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
)

func TestANumberIsCheckedBeforeCashIsTakenWhereTheProviderCan(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.atTill(staff.Cashier)
	sku := fixed(t, w.get("/counter?number="+irish))
	product, ok := b.server.D.Catalog.Current().Product(sku)
	require.True(t, ok)
	words := func() string {
		return strings.Join(strings.Fields(w.get("/counter?number="+irish+"&sku="+sku).page(t).Find("form.confirm").Text()), " ")
	}
	fault := func(action string) {
		b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{`+action+`}}]`)
	}
	fault(`"kind":"error","code":"AccountNumberInvalid","context":"ProviderRefusedRequest"`)
	require.Contains(t, words(), "Cash received, send", "a provider that cannot check is not asked")
	require.NoError(t, b.server.D.Sales.SetValidating(t.Context(), setup, product.Provider, true))
	refused := words()
	require.Contains(t, refused, "does not accept this number. Check the number with the customer.")
	require.NotContains(t, refused, "Cash received, send")
	require.NotContains(t, words(), "beforehand", "it was asked again, and knows the number")
	fault(`"kind":"error","code":"ProviderError","context":"RechargeNotAllowed"`)
	refused = words()
	require.Contains(t, refused, "This product cannot be sent to this number.")
	require.NotContains(t, refused, "cash back", "none was taken")
	fault(`"kind":"drop","when":"before"`)
	unchecked := words()
	require.Contains(t, unchecked, "This number could not be checked beforehand.")
	require.Contains(t, unchecked, "Cash received, send")
}
