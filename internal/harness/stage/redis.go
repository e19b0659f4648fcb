package stage

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// Redis is one of our own, on a Unix socket in its directory. It forgets
// everything when it ends.
type Redis struct {
	Server *Program
	Client *goredis.Client

	dir, path string
}

// NewRedis starts one in a directory that is there.
func NewRedis(ctx context.Context, dir string) (*Redis, error) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, fmt.Errorf("redis is not installed: %w", err)
	}
	r := &Redis{dir: dir, path: path}
	r.Client = goredis.NewClient(&goredis.Options{Network: "unix", Addr: r.Socket(), MaxRetries: -1})
	return r, r.Start(ctx)
}

// Socket is where it listens.
func (r *Redis) Socket() string { return filepath.Join(r.dir, "redis.socket") }

// Start starts the server and waits until it answers.
func (r *Redis) Start(ctx context.Context) (err error) {
	r.Server, err = Start(Order{Name: "redis", Path: r.path, Dir: r.dir, Args: []string{
		"--port", "0", "--unixsocket", r.Socket(), "--dir", r.dir, "--save", "", "--appendonly", "no",
	}})
	for range 200 {
		if err != nil || ctx.Err() != nil {
			return err
		}
		if r.Client.Ping(ctx).Err() == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("redis does not start")
}
