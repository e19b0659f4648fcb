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
