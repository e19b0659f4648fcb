package stage

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Postgres is a PostgreSQL of our own, on a Unix socket in its directory.
type Postgres struct {
	Dir    string
	Server *Program

	bin string
	as  *syscall.SysProcAttr
}

const postgresSettings = `
listen_addresses = ''
max_connections = 200
synchronous_commit = on
wal_level = minimal
max_wal_senders = 0
`

// Forgetful is for what outlives no run: the disk need not have it, but the kernel
// must, so that what was committed survives kill -9.
const Forgetful = `
shared_buffers = 128MB
fsync = off
full_page_writes = off
`

// NewPostgres makes a cluster in a directory, with further settings, and starts it.
func NewPostgres(ctx context.Context, dir, settings string) (*Postgres, error) {
	bin, err := binOf("postgres")
	if err != nil {
		return nil, err
	}
	p := &Postgres{Dir: dir, bin: bin, as: &syscall.SysProcAttr{}}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if os.Getuid() == 0 {
		if err := p.giveAway(); err != nil {
			return nil, err
		}
	}
	args := []string{
		"-D",
		filepath.Join(dir, "data"),
		"-U",
		"airtill",
		"-A",
		"trust",
		"-E",
		"UTF8",
		"--no-locale",
		"--no-sync",
	}
	initdb := Order{Name: "initdb", Path: filepath.Join(bin, "initdb"), Args: args, Dir: dir, Attributes: p.as}
	if _, err := Run(ctx, "", initdb); err != nil {
		return nil, err
	}
	settings = postgresSettings + settings + "unix_socket_directories = '" + dir + "'\n"
	file, err := os.OpenFile(filepath.Join(dir, "data", "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err := file.WriteString(settings); err != nil {
		return nil, err
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	return p, p.Start(ctx)
}

// giveAway: PostgreSQL refuses to run as root.
func (p *Postgres) giveAway() error {
	for _, name := range []string{"postgres", "nobody"} {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(account.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(account.Gid, 10, 32)
		if err1 != nil || err2 != nil {
			continue
		}
		p.as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		return os.Chown(p.Dir, int(uid), int(gid))
	}
	return fmt.Errorf("there is no unprivileged user to run PostgreSQL as")
}

// binOf finds where the server binaries are: distributions keep them out of
// PATH, a directory for each version, of which the newest wins.
func binOf(name string) (string, error) {
	var found []string
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin/", "/usr/libexec/postgresql*/", "/usr/pgsql-*/bin/", "/opt/homebrew/opt/postgresql*/bin/",
	} {
		matches, err := filepath.Glob(pattern + name)
		if err != nil {
			return "", err
		}
		found = append(found, matches...)
	}
	if len(found) > 0 {
		slices.Sort(found)
		return filepath.Dir(found[len(found)-1]), nil
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("PostgreSQL is not installed: %w", err)
	}
	return filepath.Dir(path), nil
}

// Start starts the server and waits until it answers.
func (p *Postgres) Start(ctx context.Context) error {
	var err error
	for range 200 {
		if p.Server == nil || !p.Server.Running() {
			p.Server, err = Start(Order{
				Name: "postgres", Path: filepath.Join(p.bin, "postgres"),
				Args: []string{"-D", filepath.Join(p.Dir, "data")}, Dir: p.Dir, Attributes: p.as,
			})
			if err != nil {
				return err
			}
		}
		_, err = p.Tool(ctx, "psql", "-d", "postgres", "-c", "SELECT 1")
		if err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("PostgreSQL does not start: %w", err)
}

// Kill ends the server and all its processes as kill -9 does. Its children are
// sessions of their own, so they are found by their parent.
func (p *Postgres) Kill() {
	children := p.Sessions()
	p.Server.Kill()
	for _, pid := range children {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have followed its parent already
	}
}

// Sessions are the processes that the server has started, by id.
func (p *Postgres) Sessions() []int { return childrenOf(p.Server.Cmd.Process.Pid) }

func childrenOf(parent int) []int {
	var children []int
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is good
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		_, rest, _ := strings.Cut(string(stat), ") ") // "PID (NAME) STATE PPID …"
		fields := strings.Fields(rest)
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err == nil && len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			children = append(children, pid)
		}
	}
	return children
}

// Tool runs one of PostgreSQL's programs and returns what it printed.
func (p *Postgres) Tool(ctx context.Context, name string, args ...string) (string, error) {
	return Run(ctx, "", Order{
		Name: name, Path: filepath.Join(p.bin, name),
		Args: append([]string{"-h", p.Dir, "-U", "airtill"}, args...), Dir: p.Dir, Attributes: p.as,
	})
}

// Socket is where it listens.
func (p *Postgres) Socket() string { return filepath.Join(p.Dir, ".s.PGSQL.5432") }

// URL names a database through the socket.
func (p *Postgres) URL(database string) string {
	return "postgres://airtill@/" + database + "?host=" + p.Dir
}
