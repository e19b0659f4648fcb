package app_test

import (
	"log/slog"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/app"
	"airtill/internal/harness/storetest"
	"airtill/internal/health"
	"airtill/internal/signal"
	"airtill/internal/vault"
	"airtill/web"
	"airtill/web/frame"
)

// startRedis returns a Redis server of the test's own and its socket.
func startRedis(t *testing.T) (server *exec.Cmd, socket string) {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("needs redis-server")
	}
	socket = filepath.Join(t.TempDir(), "redis")
	server = exec.CommandContext(t.Context(), path, "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no")
	require.NoError(t, server.Start())
	t.Cleanup(func() { _, _ = server.Process.Kill(), server.Wait() })
	return server, socket
}

// withRedis returns a till with the Redis at a socket, once it is there.
func withRedis(t *testing.T, socket string, log *slog.Logger) *app.App {
	t.Helper()
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
	require.Eventually(t, func() bool {
		return s.PingRedis()(t.Context()) == nil && s.Bus.Sure()
	}, time.Minute, 20*time.Millisecond)
	return s
}

// A Redis that hangs is waited for once, and then by nobody; limits and budgets
// are never open meanwhile.
func TestARedisThatHangsIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	server, socket := startRedis(t)
	log := slog.New(slog.DiscardHandler)
	s := withRedis(t, socket, log)
	there := func() bool { return s.PingRedis()(t.Context()) == nil }
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

// A Redis that answers and refuses what the till asks of it says so, and hints are not waited for: one that is full,
// takes no writes, or allows its user less than the till needs.
func TestARedisThatRefusesIsToldOf(t *testing.T) {
	t.Parallel()
	_, socket := startRedis(t)
	s := withRedis(t, socket, slog.New(slog.DiscardHandler))
	operator := redis.NewClient(&redis.Options{Network: "unix", Addr: socket})
	t.Cleanup(func() { require.NoError(t, operator.Close()) })
	for _, c := range []struct {
		name         string
		refuse, undo []any
	}{
		{"full", []any{"CONFIG", "SET", "maxmemory", 1}, []any{"CONFIG", "SET", "maxmemory", 0}},
		{"a replica", []any{"REPLICAOF", "127.0.0.1", 1}, []any{"REPLICAOF", "NO", "ONE"}},
		{
			"channels",
			[]any{"ACL", "SETUSER", "default", "resetchannels"},
			[]any{"ACL", "SETUSER", "default", "allchannels"},
		},
		{
			"keys",
			[]any{"ACL", "SETUSER", "default", "resetkeys", "~another:*"},
			[]any{"ACL", "SETUSER", "default", "allkeys"},
		},
		{
			"scripts",
			[]any{"ACL", "SETUSER", "default", "-@scripting"},
			[]any{"ACL", "SETUSER", "default", "+@all"},
		},
	} {
		require.NoError(t, operator.Do(t.Context(), c.refuse...).Err(), c.name)
		require.ErrorIs(t, s.PingRedis()(t.Context()), health.ErrRefused, c.name)
		require.Eventually(t, func() bool { return !s.Bus.Sure() }, time.Minute, 20*time.Millisecond, c.name)
		require.NoError(t, operator.Do(t.Context(), c.undo...).Err(), c.name)
		require.NoError(t, s.PingRedis()(t.Context()), c.name)
		require.Eventually(t, s.Bus.Sure, time.Minute, 20*time.Millisecond, c.name)
	}
}
