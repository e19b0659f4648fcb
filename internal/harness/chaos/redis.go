package chaos

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"airtill/internal/harness/stage"
)

// redis is a Redis in which time passes faster.
type redis struct {
	*stage.Redis

	mu    sync.Mutex
	older time.Duration // by how much its times have yet to grow older
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
	if err := r.Client.Eval(ctx, ageBudgets, nil, ms).Err(); err == nil {
		r.older = 0
	}
}

// everything is all that is kept, keys and values.
func (r *redis) everything(ctx context.Context) (string, error) {
	var all strings.Builder
	keys, err := r.Client.Keys(ctx, "*").Result()
	if err != nil {
		return "", err
	}
	for _, key := range keys {
		value, err := r.Client.Do(ctx, "EVAL", readAny, 1, key).Result()
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
