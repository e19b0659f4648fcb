package chaos

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// redis is a Redis of our own, on a Unix socket in its directory. It forgets
// everything when it ends.
type redis struct {
	dir, path string
	server    *program
	client    *goredis.Client

	mu    sync.Mutex
	older time.Duration // by how much its times have yet to grow older
}

func newRedis(ctx context.Context, dir string) (*redis, error) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, fmt.Errorf("redis is not installed: %w", err)
	}
	r := &redis{dir: dir, path: path}
	r.client = goredis.NewClient(&goredis.Options{Network: "unix", Addr: r.socket(), MaxRetries: -1})
	return r, r.start(ctx)
}

func (r *redis) socket() string { return filepath.Join(r.dir, "redis.socket") }

func (r *redis) start(ctx context.Context) (err error) {
	r.server, err = start(order{name: "redis", path: r.path, dir: r.dir, args: []string{
		"--port", "0", "--unixsocket", r.socket(), "--dir", r.dir, "--save", "", "--appendonly", "no",
	}})
	for range 200 {
		if err != nil || ctx.Err() != nil {
			return err
		}
		if r.client.Ping(ctx).Err() == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("redis does not start")
}

// ageBudgets makes every call that the budgets have counted older. Redis has a
// clock of its own that nobody can move; this is how time passes faster there.
const ageBudgets = `
for _, key in ipairs(redis.call('KEYS', 'airtill:budget:*')) do
  local fields = redis.call('HGETALL', key)
  for i = 1, #fields, 2 do
    local aged
    if fields[i] == 'reset' then aged = string.format('%.0f', fields[i + 1] - ARGV[1])
    else aged = string.gsub(fields[i + 1], '=(%d+)', function(ms) return string.format('=%.0f', ms - ARGV[1]) end) end
    redis.call('HSET', key, fields[i], aged)
  end
end
return 0`

// pass lets time pass in Redis that has not really passed.
func (r *redis) pass(ctx context.Context, d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.older += d
	ms := r.older.Milliseconds()
	if ms < 1000 {
		return // not worth a round trip yet
	}
	if err := r.client.Eval(ctx, ageBudgets, nil, ms).Err(); err == nil {
		r.older = 0
	}
}

// everything is all that is kept, keys and values.
func (r *redis) everything(ctx context.Context) (string, error) {
	var all strings.Builder
	keys, err := r.client.Keys(ctx, "*").Result()
	if err != nil {
		return "", err
	}
	for _, key := range keys {
		value, err := r.client.Do(ctx, "EVAL", readAny, 1, key).Result()
		if err != nil {
			return "", fmt.Errorf("read %s: %w", key, err)
		}
		fmt.Fprintln(&all, key, value)
	}
	return all.String(), nil
}

// readAny reads a key of whatever type.
const readAny = `
local read = {string = {'GET'}, hash = {'HGETALL'}, list = {'LRANGE', '0', '-1'}, set = {'SMEMBERS'}, zset = {'ZRANGE', '0', '-1'}, stream = {'XRANGE', '-', '+'}}
local kind = redis.call('TYPE', KEYS[1]).ok
local command = read[kind]
if not command then return kind end
local words = {command[1], KEYS[1]}
for i = 2, #command do table.insert(words, command[i]) end
return redis.call(unpack(words))`
