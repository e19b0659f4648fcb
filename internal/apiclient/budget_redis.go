package apiclient

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// redisPatience is how long a call waits for Redis before this process
	// counts for itself.
	redisPatience = 250 * time.Millisecond
	// localShare divides the budgets among processes that cannot see each
	// other, as if there were so many.
	localShare = 4
)

// The scripts keep, in one hash per credential, each method's calls as
// "id=milliseconds" words, when they were last reset, and as "method=milliseconds"
// until when the service refuses one. Redis's own clock is the only one that counts.
const (
	redisClock = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window = tonumber(ARGV[1])
local reset = tonumber(redis.call('HGET', KEYS[1], 'reset') or '0')
local since = math.max(now - window, reset)
`
	// redisTake: window, method, allowed, id, then (id, age) of the calls this
	// process remembers. They are merged in, so a Redis that lost its memory
	// gets it back. The same id counts once, however often it is asked for.
	redisTake = redisClock + `
local at, times = {}, {}
for id, ms in string.gmatch(redis.call('HGET', KEYS[1], ARGV[2]) or '', '(%w+)=(%d+)') do at[id] = tonumber(ms) end
for i = 5, #ARGV, 2 do at[ARGV[i]] = at[ARGV[i]] or now - ARGV[i + 1] end
for id, ms in pairs(at) do
  if ms < since then at[id] = nil else table.insert(times, ms) end
end
local wait, allowed = 0, tonumber(ARGV[3])
for method, ms in string.gmatch(redis.call('HGET', KEYS[1], 'refused') or '', '(%w+)=(%d+)') do
  if method == ARGV[2] then wait = math.max(ms - now, 0) end
end
if wait == 0 and not at[ARGV[4]] then
  if #times < allowed then
    at[ARGV[4]] = now
  else
    table.sort(times)
    wait = math.max(times[#times - allowed + 1] + window - now, 1)
  end
end
local words = {}
for id, ms in pairs(at) do table.insert(words, string.format('%s=%.0f', id, ms)) end
redis.call('HSET', KEYS[1], ARGV[2], table.concat(words, ' '))
redis.call('PEXPIRE', KEYS[1], window)
return wait`
	// redisReset: window, age.
	redisReset = redisClock + `
redis.call('HSET', KEYS[1], 'reset', string.format('%.0f', math.max(reset, now - ARGV[2])))
redis.call('HDEL', KEYS[1], 'refused')
redis.call('PEXPIRE', KEYS[1], window)
return 0`
	// redisRefuse: window, method, for how long.
	redisRefuse = redisClock + `
local words = {string.format('%s=%.0f', ARGV[2], now + ARGV[3])}
for method, ms in string.gmatch(redis.call('HGET', KEYS[1], 'refused') or '', '(%w+)=(%d+)') do
  if method ~= ARGV[2] then table.insert(words, method .. '=' .. ms) end
end
redis.call('HSET', KEYS[1], 'refused', table.concat(words, ' '))
redis.call('PEXPIRE', KEYS[1], math.max(window, ARGV[3]))
return 0`
	// redisUsed: window, methods. Returns a count for each.
	redisUsed = redisClock + `
local counts = {}
for i = 2, #ARGV do
  local count = 0
  for _, ms in string.gmatch(redis.call('HGET', KEYS[1], ARGV[i]) or '', '(%w+)=(%d+)') do
    if tonumber(ms) >= since then count = count + 1 end
  end
  table.insert(counts, count)
end
return counts`
)

// RedisBudget is the Budget of all processes that share a credential. Each
// process also remembers its own calls: it tells them to Redis with every new
// one, and counts by them alone, with a quarter of the limits, while Redis does
// not answer. The budget is never open.
type RedisBudget struct {
	redis                     redis.Scripter
	key                       string
	now                       func() time.Time
	log                       *slog.Logger
	take, reset, refuse, used *redis.Script

	mu      sync.Mutex
	own     map[string][]ownCall // by method, oldest first
	refused map[string]time.Time // what this process was refused, by method
}

type ownCall struct {
	id string
	at time.Time
}

// NewRedisBudget returns the budget of a credential: a client id or an API
// key, of which only a hash is used.
func NewRedisBudget(client redis.Scripter, credential string, now func() time.Time, log *slog.Logger) *RedisBudget {
	sum := sha256.Sum256([]byte("airtill budget " + credential))
	return &RedisBudget{
		redis: client, key: "airtill:budget:" + hex.EncodeToString(sum[:8]), now: now, log: log,
		take: redis.NewScript(redisTake), reset: redis.NewScript(redisReset), refuse: redis.NewScript(redisRefuse), used: redis.NewScript(redisUsed),
		own: map[string][]ownCall{}, refused: map[string]time.Time{},
	}
}

// Take implements Budget. It fails only if the context ends.
func (b *RedisBudget) Take(ctx context.Context, method string, p Priority) (time.Duration, error) {
	if _, limited := budgetLimits[method]; !limited {
		return 0, nil
	}
	id, asked := rand.Text(), b.now()
	args := append([]any{method, p.share(method), id}, b.ownCalls(method)...)
	wait, err := b.run(ctx, b.take, args...).Int64()
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case err != nil:
		b.log.WarnContext(ctx, "upstream.budget_local", "error", err)
		return b.takeLocal(method, max(p.share(method)/localShare, 1), id)
	case wait == 0:
		b.remember(method, ownCall{id, asked})
	}
	return time.Duration(wait) * time.Millisecond, nil
}

// Reset implements Budget.
func (b *RedisBudget) Reset(ctx context.Context, age time.Duration) error {
	b.mu.Lock()
	for method := range b.own {
		b.dropBefore(method, b.now().Add(-age))
	}
	clear(b.refused)
	b.mu.Unlock()
	return b.run(ctx, b.reset, age.Milliseconds()).Err()
}

// Refuse implements Budget.
func (b *RedisBudget) Refuse(ctx context.Context, method string, wait time.Duration) error {
	b.mu.Lock()
	b.refused[method] = b.now().Add(wait)
	b.mu.Unlock()
	return b.run(ctx, b.refuse, method, wait.Milliseconds()).Err()
}

// Used implements Budget.
func (b *RedisBudget) Used(ctx context.Context) (map[string]Usage, error) {
	var methods []string
	var args []any
	for method := range budgetLimits {
		methods, args = append(methods, method), append(args, method)
	}
	counts, err := b.run(ctx, b.used, args...).Int64Slice()
	if err != nil {
		return nil, err
	}
	used := make(map[string]Usage, len(methods))
	for i, method := range methods {
		used[method] = Usage{Used: int(counts[i]), Limit: budgetLimits[method]}
	}
	return used, nil
}

// run runs a script, but waits no longer than redisPatience: the client's own
// time-outs and repetitions can add up to many seconds. If the script still
// counts a call later, it is the one this process remembers by the same id.
func (b *RedisBudget) run(ctx context.Context, script *redis.Script, args ...any) *redis.Cmd {
	ctx, cancel := context.WithTimeout(ctx, redisPatience)
	defer cancel()
	args = append([]any{budgetWindow.Milliseconds()}, args...)
	done := make(chan *redis.Cmd, 1)
	go func() { done <- script.Run(ctx, b.redis, []string{b.key}, args...) }()
	select {
	case cmd := <-done:
		return cmd
	case <-ctx.Done():
		cmd := redis.NewCmd(ctx)
		cmd.SetErr(ctx.Err())
		return cmd
	}
}

// ownCalls returns id and age in milliseconds of the calls of this process
// that still count. Ages, not times: its clock may differ from Redis's.
func (b *RedisBudget) ownCalls(method string) []any {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	var calls []any
	for _, call := range b.dropBefore(method, now.Add(-budgetWindow)) {
		calls = append(calls, call.id, now.Sub(call.at).Milliseconds())
	}
	return calls
}

func (b *RedisBudget) takeLocal(method string, allowed int, id string) (time.Duration, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if until := b.refused[method]; until.After(now) {
		return until.Sub(now), nil
	}
	calls := b.dropBefore(method, now.Add(-budgetWindow))
	if len(calls) >= allowed {
		return max(calls[len(calls)-allowed].at.Add(budgetWindow).Sub(now), 1), nil
	}
	b.own[method] = append(calls, ownCall{id, now})
	return 0, nil
}

func (b *RedisBudget) remember(method string, call ownCall) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.own[method] = append(b.own[method], call)
}

// dropBefore forgets this process's calls made before a time. b.mu is held.
func (b *RedisBudget) dropBefore(method string, before time.Time) []ownCall {
	calls := b.own[method]
	for len(calls) > 0 && calls[0].at.Before(before) {
		calls = calls[1:]
	}
	b.own[method] = calls
	return calls
}
