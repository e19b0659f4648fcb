package chaos

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

// postgres is a PostgreSQL of our own, on a Unix socket in its directory.
type postgres struct {
	dir, bin string
	as       *syscall.SysProcAttr
	server   *program
}

// Nothing here outlives the run, so the disk need not have it, but the kernel
// must: what was committed survives kill -9.
const postgresSettings = `
listen_addresses = ''
max_connections = 200
shared_buffers = 128MB
fsync = off
full_page_writes = off
synchronous_commit = on
wal_level = minimal
max_wal_senders = 0
`

func newPostgres(ctx context.Context, dir string) (*postgres, error) {
	bin, err := binOf("postgres")
	if err != nil {
		return nil, err
	}
	p := &postgres{dir: dir, bin: bin, as: &syscall.SysProcAttr{}}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if os.Getuid() == 0 {
		if err := p.giveAway(); err != nil {
			return nil, err
		}
	}
	args := []string{"-D", filepath.Join(dir, "data"), "-U", "airtill", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"}
	if _, err := run(ctx, "", order{name: "initdb", path: filepath.Join(bin, "initdb"), args: args, dir: dir, attributes: p.as}); err != nil {
		return nil, err
	}
	settings := postgresSettings + "unix_socket_directories = '" + dir + "'\n"
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
	return p, p.start(ctx)
}

// giveAway: PostgreSQL refuses to run as root.
func (p *postgres) giveAway() error {
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
		return os.Chown(p.dir, int(uid), int(gid))
	}
	return fmt.Errorf("there is no unprivileged user to run PostgreSQL as")
}

// binOf finds where the server binaries are: distributions keep them out of
// PATH, a directory for each version, of which the newest wins.
func binOf(name string) (string, error) {
	var found []string
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin/", "/usr/libexec/postgresql*/", "/usr/pgsql-*/bin/", "/opt/homebrew/opt/postgresql*/bin/"} {
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

// start starts the server and waits until it answers.
func (p *postgres) start(ctx context.Context) error {
	var err error
	for range 200 {
		if p.server == nil || !p.server.running() {
			p.server, err = start(order{
				name: "postgres", path: filepath.Join(p.bin, "postgres"), args: []string{"-D", filepath.Join(p.dir, "data")}, dir: p.dir, attributes: p.as,
			})
			if err != nil {
				return err
			}
		}
		_, err = run(ctx, "", order{name: "psql", path: filepath.Join(p.bin, "psql"), args: []string{"-h", p.dir, "-U", "airtill", "-d", "postgres", "-c", "SELECT 1"}, dir: p.dir, attributes: p.as})
		if err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("PostgreSQL does not start: %w", err)
}

// kill ends the server and all its processes as kill -9 does. Its children are
// sessions of their own, so they are found by their parent.
func (p *postgres) kill() {
	children := childrenOf(p.server.cmd.Process.Pid)
	p.server.kill()
	for _, pid := range children {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have followed its parent already
	}
}

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

// socket is where it listens.
func (p *postgres) socket() string { return filepath.Join(p.dir, ".s.PGSQL.5432") }

// url names a database through the socket.
func (p *postgres) url(database string) string {
	return "postgres://airtill@/" + database + "?host=" + p.dir
}
