//go:build linux

package app_test

import (
	"context"
	"database/sql"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/app"
	"airtill/internal/audit"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/internal/vault"
	"airtill/web"
)

// tellsOf runs a till on a SQLite file, breaks the file, and looks what somebody who
// signs in and whoever looks after the till are told; and again once it is mended.
func tellsOf(t *testing.T, damage func(path string) (mend func())) {
	t.Helper()
	address := storetest.URL(t, store.SQLite)
	b, err := app.OpenBooks(t.Context(), app.Deps{
		Config: app.Config{
			UpstreamBaseURL: "http://127.0.0.1:1", UpstreamAPIKey: "key", ListenAddr: "127.0.0.1:0", PublicURL: "http://127.0.0.1:8080",
		},
		DB: storetest.Open(t, address), VaultKey: vault.NewKey(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	require.NoError(t, err)
	a, err := app.New(t.Context(), b)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	_, err = a.Staff.CreateUser(t.Context(), audit.Command("test"), staff.NewUser{Username: "owner", Role: staff.Admin, Password: "correct zebra battery"})
	require.NoError(t, err)
	pages, err := web.New(web.On(a))
	require.NoError(t, err)
	server := httptest.NewServer(pages)
	t.Cleanup(server.Close)
	beating, still := context.WithCancel(t.Context())
	beaten := make(chan struct{})
	go func() { defer close(beaten); a.Beat(beating) }()
	t.Cleanup(func() { still(); <-beaten })

	ask := func(method, path string, form url.Values) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(form.Encode()))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		response, err := http.DefaultTransport.RoundTrip(r)
		require.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode, string(body)
	}
	signIn := func() int {
		status, _ := ask(http.MethodPost, "/login", url.Values{"username": {"owner"}, "password": {"correct zebra battery"}})
		return status
	}
	told := func() bool {
		status, body := ask(http.MethodGet, "/readyz", nil)
		require.Equal(t, http.StatusServiceUnavailable, status, "it has no catalogue either")
		return strings.Contains(body, "database takes no writes")
	}
	require.Eventually(t, func() bool { return !told() }, 10*time.Second, 50*time.Millisecond)
	require.Equal(t, http.StatusSeeOther, signIn())

	mend := damage(strings.TrimPrefix(address, "sqlite:"))
	defer mend()
	began := time.Now()
	require.Equal(t, http.StatusServiceUnavailable, signIn(), "whoever waits may try again")
	require.Less(t, time.Since(began), 5*time.Second)
	require.Eventually(t, told, 15*time.Second, 100*time.Millisecond)
	status, _ := ask(http.MethodGet, "/login", nil)
	require.Equal(t, http.StatusOK, status, "what only reads goes on")

	mend()
	require.Eventually(t, func() bool { return !told() }, 15*time.Second, 100*time.Millisecond)
	require.Equal(t, http.StatusSeeOther, signIn())
}

func TestALockedDatabaseIsTold(t *testing.T) {
	t.Parallel()
	tellsOf(t, func(path string) func() {
		other, err := sql.Open("sqlite", path)
		require.NoError(t, err)
		holder, err := other.Conn(t.Context())
		require.NoError(t, err)
		_, err = holder.ExecContext(t.Context(), "BEGIN IMMEDIATE")
		require.NoError(t, err)
		return func() { _, _ = holder.Close(), other.Close() }
	})
}

// A process of its own finds no room for a byte: the limit on the size of files is for
// all of it.
func TestAFullDiskIsTold(t *testing.T) {
	const alone = "AIRTILL_TEST_FULL_DISK"
	if os.Getenv(alone) == "" {
		t.Parallel()
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAFullDiskIsTold$", "-test.v")
		child.Env = append(os.Environ(), alone+"=1")
		out, err := child.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "--- PASS: TestAFullDiskIsTold")
		return
	}
	tellsOf(t, func(string) func() {
		signal.Ignore(syscall.SIGXFSZ)
		var limit syscall.Rlimit
		require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1, Max: limit.Max}))
		return func() { require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)) }
	})
}
