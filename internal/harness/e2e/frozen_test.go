//go:build e2e

package e2e

import (
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// privateRedis is a Redis that a test may stop.
func privateRedis(t *testing.T) (url string, server *exec.Cmd) {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("needs redis-server")
	}
	socket := filepath.Join(t.TempDir(), "redis")
	server = exec.Command(path, "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no")
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		_ = server.Process.Kill() // ends a stopped process too
		_ = server.Wait()
	})
	return "unix://" + socket, server
}

// costsAtMost is what a Redis that hangs may add to a sale.
const costsAtMost = 500 * time.Millisecond

// hangs is how often Redis hangs at most until its cost is told apart from what
// a busy machine adds to a sale at times: a wait for Redis is there each time.
const hangs = 4

// A Redis that hangs costs a sale little, is told of, and is used again when it
// answers.
func TestARedisThatHangsDoesNotStopSelling(t *testing.T) { //nolint:paralleltest // other tests would take time from its sales
	w := newWorldOn(t)
	address, redis := privateRedis(t)
	w.env = append(w.env, "REDIS_URL="+address)
	till := w.serve(t).ready(t)
	require.Equal(t, "ready\n", readiness(t, till))
	cashier := w.cashier(t, till)

	n := 0
	sale := func() time.Duration {
		n++
		began := time.Now()
		cashier.toConfirm(fmt.Sprintf("08712345%02d", n)).press(cashReceived).becomes("complete", settles)
		return time.Since(began)
	}
	var costs []time.Duration
	for hung := 1; hung <= hangs && (hung == 1 || slices.Min(costs) >= costsAtMost); hung++ {
		usual := slices.Max([]time.Duration{sale(), sale(), sale()})
		require.NoError(t, redis.Process.Signal(syscall.SIGSTOP))
		hanging := slices.Max([]time.Duration{sale(), sale(), sale(), sale()})
		costs = append(costs, hanging-usual)
		t.Logf("a sale takes %s, and %s while Redis hangs", usual, hanging)
		require.Contains(t, readiness(t, till), "Redis does not answer")
		// Sales may be quicker than the look every second.
		require.Eventually(t, func() bool { return strings.Count(w.webLog(), `"redis.hangs"`) == hung }, 10*time.Second, 50*time.Millisecond,
			"Redis did hang, and somebody was told")

		require.NoError(t, redis.Process.Signal(syscall.SIGCONT))
		require.Eventually(t, func() bool { return readiness(t, till) == "ready\n" }, 10*time.Second, 100*time.Millisecond)
		sale()
		require.Equal(t, hung, strings.Count(w.webLog(), `"redis.hangs"`), "told once")
	}
	require.Less(t, slices.Min(costs), costsAtMost)
	till.stop(t)
	w.verify(t)
}

func readiness(t *testing.T, till *web) string {
	t.Helper()
	response, err := http.Get(till.url + "/readyz")
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, string(body))
	return string(body)
}
