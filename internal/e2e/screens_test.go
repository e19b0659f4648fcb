//go:build e2e

package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestScreens takes pictures of every screen of a sale at three sizes, light
// and dark.
func TestScreens(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	p := w.serve(t).ready(t)
	b := newBrowser(t, p.url)
	b.open("/login")
	b.focused("Username")
	b.shots("01-login")
	b.signIn("cashier", w.password)
	b.focused("Cash in the drawer")
	b.shots("02-open-shift")
	b.typed("100")
	b.enter()
	b.focused("Account number")
	b.typed(irish)
	b.shots("03-number")
	b.enter()
	b.until("the products", fixedKey)
	b.shots("04-products")
	b.typed(asks[string](b, fixedKey))
	b.focused(cashReceived)
	b.shots("05-confirm")
	b.enter()
	b.state("complete", settles)
	b.shots("06-sent")

	sale := asks[string](b, `location.pathname`)
	b.open(sale + "/receipt")
	b.shots("07-receipt")

	b.expect("status of 422")
	b.open("/counter?number=hello")
	b.until("the refusal", `document.querySelector("#number-problem")?.innerText`)
	b.shots("08-number-refused")

	pin := pinProduct(t, w.simulator)
	b.open("/counter?number=" + irish + "&provider=" + pin.ProviderCode + "&sku=" + pin.SkuCode)
	b.focused(cashReceived)
	b.enter()
	b.state("complete", settles)
	b.shots("09-pin")

	w.simulator.fault(t, map[string]any{"endpoint": "Provider"}, map[string]any{"kind": "error", "code": "AccountNumberInvalid", "context": "ProviderRefusedRequest"}, 1)
	b.open("/counter")
	b.sellFixed("0871234568")
	b.state("failed", settles)
	b.shots("10-not-sent")

	w.simulator.fault(t, map[string]any{"endpoint": "SendTransfer"}, map[string]any{"kind": "drop", "when": "before"}, 1)
	b.open("/counter")
	b.sellFixed("0871234569")
	b.state("unknown", settles)
	b.shots("11-unknown")

	b.open("/counter")
	b.focused("Account number")
	b.shots("12-counter-with-recent-sales")
	b.open("/sales")
	b.until("the list", `document.querySelector("main")`)
	b.shots("13-sales")
	b.open("/shift")
	b.until("the shift", `document.querySelector("main")`)
	b.shots("14-shift")
	b.open("/counter?number=%2B447400123456")
	b.until("an answer", `document.querySelector("main")`)
	b.shots("15-other-country")
	b.open("/counter?number=12345678")
	b.until("an answer", `document.querySelector("main")`)
	b.shots("16-nothing-known")

	manager := newBrowser(t, p.url)
	manager.signIn("manager", w.password)
	manager.until("the start", `document.querySelector("main")`)
	manager.shots("17-manager")
	require.NotEmpty(t, manager.says())
}
