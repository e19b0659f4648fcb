//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// inItself is set in a process that is the program, not its test: a signal is for a whole process.
const inItself = "AIRTILL_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(inItself) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// demoOf runs the demo as a process of its own that logs to a file, and returns it with its address.
func demoOf(t *testing.T, log *os.File) (demo *exec.Cmd, address string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	demo = exec.CommandContext(ctx, os.Args[0], "demo", "--addr", "127.0.0.1:0", "--data", t.TempDir())
	demo.Env = append(os.Environ(), inItself+"=1", "LOG_LEVEL=info")
	demo.Stderr = log
	out, err := demo.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, demo.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var said demoLine
		if json.Unmarshal(lines.Bytes(), &said) == nil && said.URL != "" {
			return demo, said.URL
		}
	}
	require.Fail(t, "the demo did not start")
	return nil, ""
}

func requireServes(t *testing.T, address string) {
	t.Helper()
	client := &http.Client{Timeout: 20 * time.Second}
	for range 3 {
		response, err := client.Get(address + "/login")
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusOK, response.StatusCode)
	}
}

// requireEnds sends a signal and waits for an end in order.
func requireEnds(t *testing.T, demo *exec.Cmd, by syscall.Signal) {
	t.Helper()
	require.NoError(t, demo.Process.Signal(by))
	ended := make(chan error, 1)
	go func() { ended <- demo.Wait() }()
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(time.Minute):
		require.Fail(t, "it does not end")
	}
}

// TestTheTillOutlivesWhoReadsItsLog: the system ends a program that writes to a pipe whose other end is closed.
func TestTheTillOutlivesWhoReadsItsLog(t *testing.T) {
	t.Parallel()
	reads, log, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, reads.Close())
	demo, address := demoOf(t, log)
	require.NoError(t, log.Close())
	requireServes(t, address)
	requireEnds(t, demo, syscall.SIGTERM)
}

// TestALogThatNobodyReadsStopsNothing, neither sales nor the end of the program.
func TestALogThatNobodyReadsStopsNothing(t *testing.T) {
	t.Parallel()
	reads, log, err := os.Pipe()
	require.NoError(t, err)
	defer reads.Close()
	require.NoError(t, log.SetWriteDeadline(time.Now().Add(100*time.Millisecond)))
	_, err = log.Write(make([]byte, 4<<20))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded, "it is full")
	demo, address := demoOf(t, log)
	require.NoError(t, log.Close())
	requireServes(t, address)
	requireEnds(t, demo, syscall.SIGTERM)
}

// TestAClosedTerminalEndsTheTillInOrder, as SIGTERM does: it finishes what it sends.
func TestAClosedTerminalEndsTheTillInOrder(t *testing.T) {
	t.Parallel()
	demo, address := demoOf(t, nil)
	requireServes(t, address)
	requireEnds(t, demo, syscall.SIGHUP)
}

// TestWhatRootMakesIsTheTills: a backup, a restore or a first migration that root ran left files that the till, run as
// somebody else, could not open; backups failed from then on, and a database that had become older was not noticed.
func TestWhatRootMakesIsTheTills(t *testing.T) {
	t.Parallel()
	b := newBackedUp(t, storetest.URL(t, store.SQLite))
	backup := filepath.Join(t.TempDir(), "till.age")
	require.Zero(t, airtill(t, b.at(b.url), "", "backup", "--to", backup, "--recipient", b.recipient).status)

	const somebody = 65532
	dir := t.TempDir()
	if os.Geteuid() == 0 {
		require.NoError(t, os.Chown(dir, somebody, somebody))
	}
	at := b.at("sqlite:" + filepath.Join(dir, "till.db"))
	restored := airtill(t, at, "", "restore", "--from", backup, "--identity", b.identity)
	require.Zero(t, restored.status, restored.err)
	require.Zero(t, airtill(t, at, "", "backup", "--to", backup+"2", "--recipient", b.recipient).status)
	first := []string{"DATABASE_URL=sqlite:" + filepath.Join(dir, "first.db")}
	require.Zero(t, airtill(t, first, "", "migrate").status)

	owner := func(path string) uint32 {
		about, err := os.Stat(path)
		require.NoError(t, err)
		return about.Sys().(*syscall.Stat_t).Uid
	}
	made, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, file := range made {
		names = append(names, file.Name())
		require.Equal(t, owner(dir), owner(filepath.Join(dir, file.Name())), file.Name())
	}
	require.Subset(t, names, []string{
		"till.db", "till.db.lock", "till.db.mark", "till.db.calls", "till.db.backup.lock", "first.db.vault-key",
	})
}

// TestACommandSaysWhyTheDatabaseTookNothing: on a full disk it said to look the sale up, whatever it was to do.
func TestACommandSaysWhyTheDatabaseTookNothing(t *testing.T) {
	t.Parallel()
	full := store.Unsure(errors.New("database or disk is full (13)"))
	require.Contains(t, explain(fault.Doing("add shop", full)), "disk is full")
}

// TestAVaultKeyThatIsGoneIsNotReplaced: with a new one no PIN that was sold opens any more, and who notices it days later
// may have thrown away what the old one was on.
func TestAVaultKeyThatIsGoneIsNotReplaced(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "till.db")
	environ := []string{"DATABASE_URL=sqlite:" + path}
	require.Zero(t, airtill(t, environ, "", "migrate").status)
	shop := []string{"shop", "add", "--name", "Corner Shop", "--zone", "UTC", "--country", "IE", "--currency", "EUR"}
	require.Zero(t, airtill(t, environ, "", shop...).status, "the key is there")
	key := path + ".vault-key"
	kept, err := os.ReadFile(key)
	require.NoError(t, err)
	require.NoError(t, os.Remove(key))

	for _, command := range []string{"migrate", "verify"} {
		refused := airtill(t, environ, "", command)
		require.NotZero(t, refused.status, command)
		require.Contains(t, refused.err, key+" is gone", command)
		require.NoFileExists(t, key, command)
	}
	require.NoError(t, os.WriteFile(key, kept, 0o600))
	require.Zero(t, airtill(t, environ, "", "migrate").status)
}
