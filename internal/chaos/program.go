package chaos

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// program is one running process.
type program struct {
	name  string
	cmd   *exec.Cmd
	log   *os.File
	line  chan []byte   // its first line of JSON on standard output
	ended chan struct{} // closed when it has ended
}

// order is what to run.
type order struct {
	name, path string
	args, env  []string
	dir        string // where its log goes; also its working directory
	attributes *syscall.SysProcAttr
}

func (o order) command(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, o.path, o.args...) //nolint:gosec // the paths are our own
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "HOME=" + o.dir}, o.env...)
	cmd.Dir, cmd.SysProcAttr = o.dir, o.attributes
	return cmd
}

// start starts a program. It lives until it is ended, not until a context is.
func start(o order) (*program, error) {
	log, err := os.OpenFile(filepath.Join(o.dir, o.name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", o.name, err)
	}
	p := &program{name: o.name, log: log, cmd: o.command(context.Background()), line: make(chan []byte, 1), ended: make(chan struct{})}
	p.cmd.Stderr = log
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", o.name, err), log.Close())
	}
	go p.read(out)
	return p, nil
}

func (p *program) read(out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		line := bytes.Clone(lines.Bytes())
		_, _ = fmt.Fprintf(p.log, "%s\n", line)
		if bytes.HasPrefix(line, []byte("{")) {
			select {
			case p.line <- line:
			default:
			}
		}
	}
	_ = p.cmd.Wait() // how it ended is in its state
	_ = p.log.Close()
	close(p.ended)
}

func (p *program) running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// signal sends a signal; one to a program that has ended is lost.
func (p *program) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }

// kill ends a program as kill -9 does, and waits for the end.
func (p *program) kill() {
	p.signal(syscall.SIGKILL)
	<-p.ended
}

// stop asks a program to end. It fails if the program has to be killed, or does
// not end well.
func (p *program) stop(patience time.Duration) error {
	p.signal(syscall.SIGCONT)
	p.signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(patience):
		p.kill()
		return fmt.Errorf("%s did not end within %s", p.name, patience)
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		return fmt.Errorf("%s ended with status %d", p.name, code)
	}
	return nil
}

// run runs a program to its end and returns what it printed.
func run(ctx context.Context, input string, o order) (string, error) {
	cmd := o.command(ctx)
	cmd.Stdin = strings.NewReader(input)
	output, err := cmd.CombinedOutput()
	if err != nil {
		return string(output), fmt.Errorf("%s %s: %w: %s", o.name, strings.Join(o.args, " "), err, tail(output))
	}
	return string(output), nil
}

func tail(text []byte) string {
	const most = 2000
	return strings.TrimSpace(string(text[max(0, len(text)-most):]))
}
