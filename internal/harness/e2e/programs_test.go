package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/stage"
	"airtill/internal/harness/storetest"
)

const (
	startWithin = 30 * time.Second
	stopWithin  = 20 * time.Second
)

var (
	exits  sync.Mutex
	atExit []func()
)

// whenAllIsOver puts off f until the last test has ended.
func whenAllIsOver(f func()) {
	exits.Lock()
	defer exits.Unlock()
	atExit = append(atExit, f)
}

func TestMain(m *testing.M) {
	code := m.Run()
	storetest.RemoveOriginals()
	for _, f := range atExit {
		f()
	}
	os.Exit(code)
}

// binaries builds the programs once, the till with the places where a test may
// kill it, and returns their directory.
var binaries = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "airtill-e2e-*")
	if err != nil {
		return "", err
	}
	whenAllIsOver(func() { _ = os.RemoveAll(dir) })
	build := exec.Command("go", "build", "-tags", "failpoints,nomsgpack", "-o", dir+"/", "airtill/cmd/web", "airtill/cmd/sandbox")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, output)
	}
	return dir, nil
})

func binary(t testing.TB, name string) string {
	t.Helper()
	dir, err := binaries()
	require.NoError(t, err)
	return filepath.Join(dir, name)
}

// process is one running program.
type process struct {
	t     testing.TB
	name  string
	cmd   *exec.Cmd
	log   *journal
	first chan []byte   // the first line of its output that is JSON
	ended chan struct{} // closed when it has ended
}

// journal keeps what a program prints.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// start starts a program; the end of the test stops it, if it still runs.
func start(t testing.TB, env []string, name string, args ...string) *process {
	t.Helper()
	cmd := exec.Command(binary(t, name), args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}, env...)
	cmd.Dir = t.TempDir()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	p := &process{t: t, name: name, cmd: cmd, log: &journal{}, first: make(chan []byte, 1), ended: make(chan struct{})}
	cmd.Stderr = p.log
	require.NoError(t, cmd.Start())
	go p.read(out)
	t.Cleanup(func() {
		p.stop(t)
		if t.Failed() {
			t.Logf("%s printed:\n%s", name, tail(p.log.String()))
		}
	})
	return p
}

func (p *process) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		_, _ = fmt.Fprintln(p.log, lines.Text())
		if line := lines.Bytes(); bytes.HasPrefix(line, []byte("{")) {
			select {
			case p.first <- bytes.Clone(line):
			default:
			}
		}
	}
	_ = p.cmd.Wait() // how it ended is in its state
	close(p.ended)
}

func tail(text string) string {
	const most = 6_000
	return text[max(0, len(text)-most):]
}

// line waits for the first line of JSON.
func (p *process) line(t testing.TB, into any) {
	t.Helper()
	select {
	case line := <-p.first:
		require.NoError(t, json.Unmarshal(line, into))
	case <-p.ended:
		t.Fatalf("%s ended: %s", p.name, tail(p.log.String()))
	case <-time.After(startWithin):
		t.Fatalf("%s is not ready: %s", p.name, tail(p.log.String()))
	}
}

// answers waits until an address answers with a status.
func (p *process) answers(t testing.TB, url string, status int, within time.Duration) {
	t.Helper()
	deadline := time.Now().Add(within)
	for {
		if got, err := http.Get(url); err == nil {
			_ = got.Body.Close()
			if got.StatusCode == status {
				return
			}
		}
		select {
		case <-p.ended:
			t.Fatalf("%s ended: %s", p.name, tail(p.log.String()))
		case <-time.After(50 * time.Millisecond):
		}
		require.True(t, time.Now().Before(deadline), "%s does not answer %d", url, status)
	}
}

// stop asks a program to end, and insists after a while.
func (p *process) stop(t testing.TB) {
	t.Helper()
	select {
	case <-p.ended:
		return
	default:
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
		require.Equal(t, 0, p.cmd.ProcessState.ExitCode(), "%s: %s", p.name, tail(p.log.String()))
	case <-time.After(stopWithin):
		_ = p.cmd.Process.Kill()
		<-p.ended
		t.Errorf("%s had to be killed", p.name)
	}
}

// killed waits until a program was killed by itself.
func (p *process) killed(t testing.TB, within time.Duration) {
	t.Helper()
	select {
	case <-p.ended:
		status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
		require.True(t, ok && status.Signaled() && status.Signal() == syscall.SIGKILL, "%s ended otherwise: %s", p.name, tail(p.log.String()))
	case <-time.After(within):
		t.Fatalf("%s was not killed", p.name)
	}
}

// command runs a program to its end.
func command(t testing.TB, env []string, input, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(binary(t, name), args...)
	cmd.Env, cmd.Stdin = append([]string{"PATH=" + os.Getenv("PATH")}, env...), strings.NewReader(input)
	output, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		t.Fatalf("%s %s: %s", name, strings.Join(args, " "), output)
	}
	require.NoError(t, err)
	return string(output)
}

// freeAddress is a loopback address nobody listens on just now.
func freeAddress(t testing.TB) string {
	t.Helper()
	address, err := stage.FreeAddress()
	require.NoError(t, err)
	return address
}
