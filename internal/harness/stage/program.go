package stage

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

// Program is one running process.
type Program struct {
	Name  string
	Cmd   *exec.Cmd
	Line  chan []byte   // its first line of JSON on standard output
	Ended chan struct{} // closed when it has ended

	log *os.File
}

// Order is what to run.
type Order struct {
	Name, Path string
	Args, Env  []string
	Dir        string // where its log goes; also its working directory
	Attributes *syscall.SysProcAttr
}

func (o Order) command(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, o.Path, o.Args...) //nolint:gosec // the paths are our own
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "HOME=" + o.Dir}, o.Env...)
	cmd.Dir, cmd.SysProcAttr = o.Dir, o.Attributes
	return cmd
}

// Start starts a program. It lives until it is ended, not until a context is.
func Start(o Order) (*Program, error) {
	log, err := os.OpenFile(filepath.Join(o.Dir, o.Name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", o.Name, err)
	}
	p := &Program{
		Name:  o.Name,
		log:   log,
		Cmd:   o.command(context.Background()),
		Line:  make(chan []byte, 1),
		Ended: make(chan struct{}),
	}
	p.Cmd.Stderr = log
	out, err := p.Cmd.StdoutPipe()
	if err == nil {
		err = p.Cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", o.Name, err), log.Close())
	}
	go p.read(out)
	return p, nil
}

func (p *Program) read(out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		line := bytes.Clone(lines.Bytes())
		_, _ = fmt.Fprintf(p.log, "%s\n", line)
		if bytes.HasPrefix(line, []byte("{")) {
			select {
			case p.Line <- line:
			default:
			}
		}
	}
	_ = p.Cmd.Wait() // how it ended is in its state
	_ = p.log.Close()
	close(p.Ended)
}

// Running says whether it has not ended yet.
func (p *Program) Running() bool {
	select {
	case <-p.Ended:
		return false
	default:
		return true
	}
}

// Signal sends a signal; one to a program that has ended is lost.
func (p *Program) Signal(s syscall.Signal) { _ = p.Cmd.Process.Signal(s) }

// Kill ends a program as kill -9 does, and waits for the end.
func (p *Program) Kill() {
	p.Signal(syscall.SIGKILL)
	<-p.Ended
}

// Stop asks a program to end. It fails if the program has to be killed, or does
// not end well.
func (p *Program) Stop(patience time.Duration) error {
	p.Signal(syscall.SIGCONT)
	p.Signal(syscall.SIGTERM)
	select {
	case <-p.Ended:
	case <-time.After(patience):
		p.Kill()
		return fmt.Errorf("%s did not end within %s", p.Name, patience)
	}
	if code := p.Cmd.ProcessState.ExitCode(); code != 0 {
		return fmt.Errorf("%s ended with status %d", p.Name, code)
	}
	return nil
}

// Run runs a program to its end and returns what it printed.
func Run(ctx context.Context, input string, o Order) (string, error) {
	cmd := o.command(ctx)
	cmd.Stdin = strings.NewReader(input)
	output, err := cmd.CombinedOutput()
	if err != nil {
		return string(output), fmt.Errorf("%s %s: %w: %s", o.Name, strings.Join(o.Args, " "), err, tail(output))
	}
	return string(output), nil
}

func tail(text []byte) string {
	const most = 2000
	return strings.TrimSpace(string(text[max(0, len(text)-most):]))
}
