//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// billProduct is an instant bill product with one setting, whose account
// numbers have so many digits.
func billProduct(t testing.TB, s *simulator) product {
	t.Helper()
	for _, p := range s.products(t, "") {
		if p.LookupBillsRequired && p.ProcessingMode == "Instant" && len(p.SettingDefinitions) == 1 && len(p.UatNumber) > 5 {
			return p
		}
	}
	t.Fatal("the simulator sells no bill payment")
	return product{}
}

// A bill by keys alone: the setting, the bill by its digit, Enter.
func TestABillByKeysAlone(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	offer := billProduct(t, w.simulator)
	account := "12345678901234567890"[:len(offer.UatNumber)]
	b.expect("status of 409")
	holder := b.billsOf(account, offer)
	require.True(t, asks[bool](b, `document.querySelector("button[name=bill]").getBoundingClientRect().height >= 44`))

	// Changed settings void the choice, and say so.
	b.eval(`document.querySelector("[name^='setting.']").value = "E. Mallory"; document.querySelector("button[name=bill]").click()`)
	b.until("the choice is void", `document.querySelector(".notice")?.innerText.includes("This bill can no longer be paid")`)

	b.open("/counter?number=" + account + "&provider=" + offer.ProviderCode + "&sku=" + offer.SkuCode)
	b.until("the question", `document.activeElement.name?.startsWith("setting.") && document.readyState === "complete"`)
	b.typed(holder)
	b.enter()
	b.until("the bills", `document.querySelector("button[name=bill]")`)
	b.typed("1")
	b.focused(cashReceived)
	require.Contains(t, b.says(), holder)
	b.enter()
	b.state("complete", settles)
	require.Equal(t, 1, w.simulator.only(t).TimesExecuted)
}

// billsOf looks up the bills of an account, by the name of its holder: the
// simulator knows some names. It returns that which was known.
func (b *browser) billsOf(account string, offer product) string {
	b.t.Helper()
	for _, name := range []string{"M. Popescu", "A. Byrne", "J. Okafor", "L. Silva", "P. Weber"} {
		b.open("/counter?number=" + account + "&provider=" + offer.ProviderCode + "&sku=" + offer.SkuCode)
		b.until("the question", `document.activeElement.name?.startsWith("setting.") && document.readyState === "complete"`)
		b.typed(name)
		b.enter()
		b.until("the bills", `document.querySelector("button[name=bill], .notice")`)
		if asks[bool](b, `Boolean(document.querySelector("button[name=bill]"))`) {
			return name
		}
	}
	b.t.Fatal("nobody has a bill")
	return ""
}

func rangeProduct(t testing.TB, s *simulator) product {
	t.Helper()
	for _, p := range s.products(t, "countryIsos=IE") {
		if p.Minimum.SendValue != p.Maximum.SendValue && p.ProcessingMode == "Instant" && p.RedemptionMechanism == "Immediate" && len(p.SettingDefinitions) == 0 && !p.LookupBillsRequired {
			return p
		}
	}
	t.Fatal("the simulator sells no range product")
	return product{}
}

// Both sides of an amount show as one types either, and an answer for an older
// amount that comes late never takes the place of a newer one.
func TestAmountsBothWaysAsOneTypes(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	offer := rangeProduct(t, w.simulator)
	b.open("/counter?number=" + irish + "&provider=" + offer.ProviderCode + "&sku=" + offer.SkuCode)
	b.until("the amount", `document.activeElement.name === "pay" && document.readyState === "complete"`)

	// The answer for 1 comes only after the answer for 12, whatever is aborted.
	b.eval(`{
		const real = window.fetch;
		window.fetch = async (address, ...more) => {
			const url = String(address.url ?? address);
			if (!/(^|&)pay=11(&|$)/.test(String(more[0]?.body ?? ""))) return real(address, ...more);
			window.asked = true;
			const answer = await real(url, { ...more[0], signal: undefined });
			await new Promise((done) => setTimeout(done, 1500));
			window.lateAt = performance.now();
			return answer;
		};
	}`)
	quote := `document.querySelector("#quote").innerText`
	b.typed("11")
	b.until("the first question is under way", "window.asked")
	b.typed(kb.Backspace + "2")
	b.until("the answer for 12", quote+`.includes("12.00")`)
	b.until("a moment after the late answer", "performance.now() > window.lateAt + 300")
	require.Contains(t, asks[string](b, quote), "12.00", "the newest amount stands")
	b.shots("26-amount-quote")

	// The other way, and on by Enter.
	b.eval(`document.querySelector("#receive").focus()`)
	b.typed("15")
	b.until("the answer for 15 received", quote+`.includes("15.00")`)
	require.Empty(t, asks[string](b, `document.querySelector("#pay").value`), "only the last one typed in counts")
	b.expect("status of 422")
	b.typed("99999")
	b.until("the bounds", `document.querySelector("#quote").innerText.includes("from")`)
	for range 5 {
		b.typed(kb.Backspace)
	}
	b.until("the answer for 15 received", quote+`.includes("15.00")`)
	b.enter()
	b.focused(cashReceived)
	require.Contains(t, b.says(), "€15")
	b.enter()
	b.state("complete", settles)
	require.Equal(t, 1, w.simulator.only(t).TimesExecuted)
	require.True(t, strings.HasPrefix(b.verdict(), sentText), fmt.Sprint(b.verdict()))
}

// Enter behind an amount confirms it, at once or while its quote is asked for, however slow the answers are.
func TestAnAmountIsConfirmedByTheFirstEnter(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	offer := rangeProduct(t, w.simulator)
	for _, asked := range []string{"true", "window.asked"} {
		b.open("/counter?number=" + irish + "&provider=" + offer.ProviderCode + "&sku=" + offer.SkuCode)
		b.until("the amount", `document.activeElement.name === "pay" && document.readyState === "complete"`)
		b.eval(`{
			const real = window.fetch;
			window.fetch = async (...all) => {
				window.asked = true;
				await new Promise((done) => setTimeout(done, 700));
				return real(...all);
			};
		}`)
		b.typed("15")
		b.until(asked, asked)
		b.enter()
		b.focused(cashReceived)
		require.Contains(t, b.says(), "€15")
	}
}
