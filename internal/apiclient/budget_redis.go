package apiclient

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// redisPatience is how long a call waits for Redis before this process counts by itself.
	redisPatience = 250 * time.Millisecond
	// localShare divides the budgets among processes that cannot see each other, as if there were so many.
	localShare = 4
)

// The scripts store, in one hash per credential, each method's calls as "id=milliseconds" words, the last
// reset, and as "method=milliseconds" the end of a refusal, which no later call lets the hash end before. Only
// Redis's own clock counts.
const (
	redisClock = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window = tonumber(ARGV[1])
local reset = tonumber(redis.call('HGET', KEYS[1], 'reset') or '0')
local since = math.max(now - window, reset)
local lives = math.max(window, redis.call('PTTL', KEYS[1]))
`
	// redisTake: window, method, allowed, id, then (id, age) of the calls this process remembers. They are
	// merged in, so a Redis that lost its memory gets it back. The same id counts once.
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
redis.call('PEXPIRE', KEYS[1], lives)
return wait`
	// redisReset: window, age.
	redisReset = redisClock + `
redis.call('HSET', KEYS[1], 'reset', string.format('%.0f', math.max(reset, now - ARGV[2])))
redis.call('HDEL', KEYS[1], 'refused')
redis.call('PEXPIRE', KEYS[1], lives)
return 0`
	// redisRefuse: window, method, for how long.
	redisRefuse = redisClock + `
local ends, words = now + ARGV[3], {}
for method, ms in string.gmatch(redis.call('HGET', KEYS[1], 'refused') or '', '(%w+)=(%d+)') do
  if method == ARGV[2] then ends = math.max(ends, ms) else table.insert(words, method .. '=' .. ms) end
end
table.insert(words, string.format('%s=%.0f', ARGV[2], ends))
redis.call('HSET', KEYS[1], 'refused', table.concat(words, ' '))
redis.call('PEXPIRE', KEYS[1], math.max(lives, ends - now))
return 0`
	// redisUsed: window, methods. It returns a count for each.
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

// RedisBudget is the Budget of all processes that share a credential. Each process also remembers its own
// calls: it tells them to Redis with every new one, and while Redis does not answer counts by them alone, with
// a quarter of the limits. The budget is never open.
type RedisBudget struct {
	redis                     redis.Scripter
	key                       string
	own                       *MemoryBudget // this process's calls and refusals
	patience                  time.Duration // redisPatience
	log                       *slog.Logger
	take, reset, refuse, used *redis.Script
}

// NewRedisBudget returns the budget of a credential (a client id or an API key), of which only a hash is used.
func NewRedisBudget(client redis.Scripter, credential string, now func() time.Time, log *slog.Logger) *RedisBudget {
	sum := sha256.Sum256([]byte("airtill budget " + credential))
	return &RedisBudget{
		redis: client, key: "airtill:budget:" + hex.EncodeToString(sum[:8]), own: NewMemoryBudget(now),
		patience: redisPatience, log: log,
		take: redis.NewScript(redisTake), reset: redis.NewScript(redisReset),
		refuse: redis.NewScript(redisRefuse), used: redis.NewScript(redisUsed),
	}
}

// Take implements Budget. It fails only if the context ends.
func (b *RedisBudget) Take(ctx context.Context, method string, p Priority) (time.Duration, error) {
	if _, limited := budgetLimits[method]; !limited {
		return 0, nil
	}
	call := madeCall{b.own.now(), rand.Text()}
	args := append([]any{method, p.share(method), call.id}, b.ownCalls(method)...)
	wait, err := b.run(ctx, b.take, args...).Int64()
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case err != nil:
		b.log.WarnContext(ctx, "upstream.budget_local", "error", err)
		return b.own.take(method, max(p.share(method)/localShare, 1), call.id), nil
	case wait == 0:
		b.remember(method, call)
	}
	return time.Duration(wait) * time.Millisecond, nil
}

// Reset implements Budget.
func (b *RedisBudget) Reset(ctx context.Context, age time.Duration) error {
	_ = b.own.Reset(ctx, age) // never fails
	return b.run(ctx, b.reset, age.Milliseconds()).Err()
}

// Refuse implements Budget.
func (b *RedisBudget) Refuse(ctx context.Context, method string, wait time.Duration) error {
	_ = b.own.Refuse(ctx, method, wait) // never fails
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

// run runs a script, but waits no longer than its patience: the client's own time-outs and retries can add up
// to many seconds. If the script counts the call later all the same, it has the id this process remembers.
func (b *RedisBudget) run(ctx context.Context, script *redis.Script, args ...any) *redis.Cmd {
	ctx, cancel := context.WithTimeout(ctx, b.patience)
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

// ownCalls returns id and age in milliseconds of this process's calls that still count. Ages, not times: its
// clock may differ from Redis's.
func (b *RedisBudget) ownCalls(method string) (calls []any) {
	b.own.mu.Lock()
	defer b.own.mu.Unlock()
	now := b.own.now()
	for _, call := range b.own.drop(method, now.Add(-budgetWindow)) {
		calls = append(calls, call.id, now.Sub(call.at).Milliseconds())
	}
	return calls
}

func (b *RedisBudget) remember(method string, call madeCall) {
	b.own.mu.Lock()
	defer b.own.mu.Unlock()
	b.own.calls[method] = append(b.own.calls[method], call)
}
