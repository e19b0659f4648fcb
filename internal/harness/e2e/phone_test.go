//go:build e2e

package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSendIsInSightOnATelephone: nobody scrolls to send. The places at the bottom
// do not cover the button, nor the button the sum.
func TestSendIsInSightOnATelephone(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := w.atCounter(t, w.serve(t).ready(t))
	b.look(390, 740, "light")
	b.confirmPage("0871234568", topUp(t, w.simulator))
	require.True(t, asks[bool](b, `(() => {
		const total = document.querySelector(".bill .total dd"), t = total.getBoundingClientRect();
		return total.contains(document.elementFromPoint(t.right - 8, t.top + 2)) && total.contains(document.elementFromPoint(t.right - 8, t.bottom - 2));
	})()`), "what to take stays in sight, too")
	require.True(t, asks[bool](b, `(() => {
		const send = document.querySelector(".confirm .button.primary"), r = send.getBoundingClientRect();
		return scrollY === 0 && send.contains(document.elementFromPoint(r.x + r.width / 2, r.bottom - 4)) && send.contains(document.elementFromPoint(r.x + r.width / 2, r.top + 4));
	})()`))
}

// TestTabsAreOneRowOnATelephone: from either side, the page one is on is in sight,
// also after another was chosen, and the page itself does not move sideways.
func TestTabsAreOneRowOnATelephone(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	b := newBrowser(t, w.serve(t).ready(t).url)
	b.signIn("admin", w.password)
	b.look(390, 844, "light")
	const settled = `(() => {
		const row = document.querySelector(".tabs"), r = row.getBoundingClientRect(), a = row.querySelector("[aria-current]").getBoundingClientRect();
		return r.height < 70 && a.left >= 0 && a.right <= innerWidth && document.documentElement.scrollWidth <= innerWidth;
	})()`
	for _, language := range []string{"en", "ar"} {
		b.speak(language)
		for _, path := range []string{"/admin/people", "/admin/webhooks", "/admin/audit", "/admin/prices", "/reports/limits"} {
			b.open(path)
			b.until("the row of "+path+" in "+language, settled)
		}
		b.open("/admin/people")
		b.eval(`document.querySelector(".tabs li:last-child a").click()`)
		b.until("the last of them", `location.pathname === "/admin/health" && `+settled)
	}
}
