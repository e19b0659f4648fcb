package frame

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/redis/go-redis/v9"
)

// streamForgotten is how long after its last beat a stream counts that did not report its end, as after a
// crash.
const streamForgotten = 3 * quietLookEvery

// RedisStreams counts the streams of a session, and of a person, over all processes. Without Redis each process counts
// by itself.
type RedisStreams struct{ client redis.UniversalClient }

// NewRedisStreams returns a count for all processes with the same Redis.
func NewRedisStreams(client redis.UniversalClient) *RedisStreams { return &RedisStreams{client} }

// beatScript notes, by the clock of Redis, that a stream goes on, and answers whether it is among the newest
// by id. The others are dropped.
var beatScript = redis.NewScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[3])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
local all = redis.call('ZRANGE', KEYS[1], 0, -1)
table.sort(all)
for i = 1, #all - ARGV[2] do redis.call('ZREM', KEYS[1], all[i]) end
return redis.call('ZSCORE', KEYS[1], ARGV[1]) and 1 or 0`)

// beat notes that a stream goes on, and says whether it may: it is among the newest of its session and of its person.
func (r *RedisStreams) beat(ctx context.Context, one *stream) bool {
	if r == nil {
		return true
	}
	within, cancel := context.WithTimeout(ctx, redisWithin)
	defer cancel()
	return r.newest(within, one.id, one.session, MostStreams) && r.newest(within, one.id, one.person, MostOfPerson)
}

func (r *RedisStreams) newest(ctx context.Context, id, whose string, most int) bool {
	newest, err := beatScript.Run(
		ctx, r.client, []string{r.key(whose)}, id, most, streamForgotten.Milliseconds(),
	).Bool()
	return err != nil || newest // without Redis, this process's own bound stands
}

// leave notes that a stream has ended.
func (r *RedisStreams) leave(ctx context.Context, one *stream) {
	if r == nil {
		return
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), redisWithin)
	defer cancel()
	for _, whose := range []string{one.session, one.person} {
		_ = r.client.ZRem(within, r.key(whose), one.id).Err() // otherwise it expires
	}
}

// key holds a hash, which opens no session.
func (r *RedisStreams) key(whose string) string {
	sum := sha256.Sum256([]byte(whose))
	return "airtill:streams:" + hex.EncodeToString(sum[:16])
}
