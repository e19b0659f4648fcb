package app_test

import (
	"log/slog"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/app"
	"airtill/internal/harness/storetest"
	"airtill/internal/signal"
	"airtill/internal/vault"
	"airtill/web"
	"airtill/web/frame"
)

// A Redis that hangs is waited for once, and then by nobody; limits and budgets
// are never open meanwhile.
func TestARedisThatHangsIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("needs redis-server")
	}
	socket := filepath.Join(t.TempDir(), "redis")
	server := exec.CommandContext(t.Context(), path, "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no")
	require.NoError(t, server.Start())
	t.Cleanup(func() { _, _ = server.Process.Kill(), server.Wait() })

	log := slog.New(slog.DiscardHandler)
	b, err := app.OpenBooks(t.Context(), app.Deps{
		Config: app.Config{
			RedisURL: "unix://" + socket, UpstreamBaseURL: "http://127.0.0.1:1", UpstreamAPIKey: "key",
			ListenAddr: "127.0.0.1:0", PublicURL: "http://127.0.0.1:8080",
		},
		DB: storetest.New(t), VaultKey: vault.NewKey(), Log: log, Now: time.Now,
	})
	require.NoError(t, err)
	s, err := app.New(t.Context(), b)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	there := func() bool { return s.PingRedis()(t.Context()) == nil }
	require.Eventually(t, func() bool { return there() && s.Bus.Sure() }, time.Minute, 20*time.Millisecond)
	budget := apiclient.NewRedisBudget(s.Redis, "c", time.Now, log)
	limiter, rate := web.On(s).Limiter, frame.Rate{Burst: 3, Every: time.Hour}

	require.NoError(t, server.Process.Signal(syscall.SIGSTOP))
	began := time.Now()
	for range 3 {
		wait, err := limiter.Take(t.Context(), "k", rate)
		require.NoError(t, err)
		require.Zero(t, wait)
	}
	wait, err := limiter.Take(t.Context(), "k", rate)
	require.NoError(t, err)
	require.Positive(t, wait, "the limit is not open")
	refused := false
	for range 60 { // of 50 calls a quarter is left to a process that is alone
		wait, err := budget.Take(t.Context(), "GetBalance", apiclient.PriorityCashier)
		require.NoError(t, err)
		refused = refused || wait > 0
		s.Bus.Publish(t.Context(), "moved")
	}
	require.True(t, refused, "the budget is not open")
	require.Less(t, time.Since(began), 10*time.Second, "if each of them waited it would be half a minute")
	require.ErrorIs(t, s.PingRedis()(t.Context()), app.ErrRedisHangs)
	require.Eventually(t, func() bool { return !s.Bus.Sure() }, time.Minute, 20*time.Millisecond, "hints may be lost")

	require.NoError(t, server.Process.Signal(syscall.SIGCONT))
	require.Eventually(t, there, time.Minute, 20*time.Millisecond)
	require.Eventually(t, s.Bus.Sure, time.Minute, 20*time.Millisecond)
	require.IsType(t, &signal.Redis{}, s.Bus)
}
