//go:build e2e

package e2e

import (
	bits "encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fastClock is a clock that programs read from the file that AIRTILL_CLOCK names
// (internal/harness/failpoint).
type fastClock struct {
	t     *testing.T
	path  string
	ahead time.Duration
}

func newFastClock(t *testing.T) *fastClock {
	t.Helper()
	c := &fastClock{t: t, path: filepath.Join(t.TempDir(), "clock")}
	require.NoError(t, os.WriteFile(c.path, make([]byte, 16), 0o600))
	return c
}

// pass lets time pass, thirty seconds in one: what comes every so often has to
// come in between.
func (c *fastClock) pass(d time.Duration) {
	c.t.Helper()
	const speed, step = 30, 50 * time.Millisecond
	file, err := os.OpenFile(c.path, os.O_WRONLY, 0)
	require.NoError(c.t, err)
	defer file.Close()
	for tick, until := time.NewTicker(step), c.ahead+d; c.ahead < until; c.ahead += speed * step {
		var word [8]byte
		bits.NativeEndian.PutUint64(word[:], uint64(c.ahead))
		_, err := file.WriteAt(word[:], 0)
		require.NoError(c.t, err)
		<-tick.C
	}
}

// A transfer that never reached the service is given up after a quarter of an
// hour and no sooner, by itself: the cashier is told not to sell again until
// then, and to hand the cash back from then on.
func TestNeverCarriedOutIsKnownAfterAQuarterOfAnHour(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		clock := newFastClock(t)
		b := w.atCounter(t, w.serve(t, "AIRTILL_CLOCK="+clock.path).ready(t))
		b.confirmPage("0871234568", topUp(t, w.simulator)) // the list must know it when it knows nothing of the next
		b.enter()
		b.state("complete", settles)

		w.simulator.fault(t, map[string]any{"endpoint": "SendTransfer"}, map[string]any{"kind": "drop", "when": "before"}, 1)
		b.confirmPage(irish, topUp(t, w.simulator))
		b.enter()
		b.state("unknown", settles)
		clock.pass(13 * time.Minute)
		b.open(asks[string](b, `location.pathname`)) // or she would be signed out
		b.state("unknown", settles)
		require.True(t, strings.HasPrefix(b.verdict(), "We don't know yet if it went through. Do not sell it again."), b.verdict())

		clock.pass(4 * time.Minute)
		b.state("failed", aMinute)
		require.True(t, strings.HasPrefix(b.verdict(), "Not sent. Nothing was charged."), b.verdict())
		require.Contains(t, b.verdict(), "Give back €")
		require.True(t, b.has("button", "Cash given back"))
		times := 0
		for _, entry := range w.simulator.ledger(t) {
			times += entry.TimesExecuted
		}
		require.Equal(t, 1, times, "the one before")
	})
}
