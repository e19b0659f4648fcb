package frame

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"
	"github.com/redis/go-redis/v9"

	"airtill/internal/store"
)

const (
	streamFor    = 10 * time.Minute // then the browser asks again
	MostStreams  = 4                // per session
	MostOfPerson = 16               // in all their sessions

	// Hints may be lost, so the rows are looked at anyway, at every beat at the latest; by a page that is always
	// open only now and then, while the bus is sure.
	beatEvery      = 5 * time.Second
	quietLookEvery = 30 * time.Second
)

// drawing returns what a stream shows now, nil if unchanged, and whether it is the last.
type drawing func(context.Context) (part templ.Component, over bool, err error)

// Stream answers with a component, and again whenever it changes, until it is over, the session is, or the
// browser should reconnect. A page that begins with the same content needs no first event.
func (s *Server) Stream(c *gin.Context, every time.Duration, hints <-chan struct{}, draw drawing) error {
	x := ExchangeOf(c.Request.Context())
	c.Header("Content-Type", "text/event-stream")
	c.Header("X-Accel-Buffering", "no") // nginx, and those who do as it does, would hold small events back
	c.Status(http.StatusOK)
	ctx, cancel := context.WithTimeout(c.Request.Context(), streamFor)
	defer cancel()
	//nolint:forbidigo // which stream is newer is a matter of real time, here and in other processes
	one := &stream{id: store.NewID(time.Now()), session: x.token, person: x.Presence.User.ID, end: cancel}
	defer s.Streams.enter(one)()
	defer s.D.Streams.leave(ctx, one)
	beat := time.NewTicker(min(every, beatEvery))
	defer beat.Stop()
	for sent, hinted := "", false; hinted || s.D.Streams.beat(ctx, one); {
		part, over, err := draw(ctx)
		if ctx.Err() != nil {
			return nil // whatever it drew
		}
		if err != nil {
			return err
		}
		if part != nil {
			var html bytes.Buffer
			if err := part.Render(ctx, &html); err != nil {
				return err
			}
			if html.String() != sent {
				sent = html.String()
				if err := writeEvent(c, sent); err != nil {
					return err
				}
			}
		}
		if over {
			_, err := c.Writer.WriteString("event: done\ndata: done\n\n")
			c.Writer.Flush()
			return err
		}
		if hinted, err = s.await(ctx, hints, beat.C, int(every/min(every, beatEvery))); ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if live, err := s.D.Staff.Live(ctx, x.token); err != nil || !live {
			return err
		}
	}
	return nil
}

// await returns at the next hint, or after so many beats, at which sessions that are over end; while hints may be lost,
// after one.
func (s *Server) await(
	ctx context.Context, hints <-chan struct{}, beats <-chan time.Time, most int,
) (hinted bool, err error) {
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return false, nil
		case <-hints:
			return true, nil
		case <-beats:
		}
		if err := s.endDead(ctx); err != nil || n >= most || !s.D.Bus.Sure() {
			return false, err
		}
	}
}

// endDead ends the streams of sessions that are over: one question for all, once in as many beats as there are streams.
func (s *Server) endDead(ctx context.Context) error {
	tokens := s.Streams.due()
	if len(tokens) == 0 {
		return nil
	}
	over, err := s.D.Staff.Over(ctx, tokens)
	s.Streams.endThose(over)
	return err
}

// lineEnds are those of browsers, which end a line at a lone carriage return, too.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// writeEvent sends an unnamed event.
func writeEvent(c *gin.Context, data string) error {
	for line := range strings.Lines(lineEnds.Replace(data)) {
		if _, err := fmt.Fprintf(c.Writer, "data: %s\n", strings.TrimRight(line, "\n")); err != nil {
			return err
		}
	}
	_, err := c.Writer.WriteString("\n")
	c.Writer.Flush()
	return err
}

// stream is one that is open.
type stream struct {
	id              string // the newer, the higher
	session, person string // its session's token, and its user's id
	end             context.CancelFunc
}

// streams are those of this process, the oldest first. One too many of a session or of a person ends the oldest: a
// browser that reloads is not shut out by the page it left, and one with more pages reconnects and gets what
// is true by then. RedisStreams does the same for all processes, a look later.
type streams struct {
	mu    sync.Mutex
	open  []*stream
	beats int // of all, since their sessions were last asked for
}

// due notes a beat, and returns the tokens of all sessions if it is time to ask about them.
func (s *streams) due() (tokens []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.beats++; s.beats < len(s.open) {
		return nil
	}
	s.beats = 0
	for _, one := range s.open {
		tokens = append(tokens, one.session)
	}
	return tokens
}

// endThose ends the streams of sessions that are over.
func (s *streams) endThose(over map[string]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.open {
		if over[one.session] {
			one.end()
		}
	}
}

func (s *streams) enter(one *stream) (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeRoom(MostStreams, func(o *stream) bool { return o.session == one.session })
	s.makeRoom(MostOfPerson, func(o *stream) bool { return o.person == one.person })
	s.open = append(s.open, one)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open = slices.DeleteFunc(s.open, func(o *stream) bool { return o == one })
	}
}

// makeRoom ends the oldest of some if there are already as many as there may be.
func (s *streams) makeRoom(most int, some func(*stream) bool) {
	oldest, n := 0, 0
	for i, o := range slices.Backward(s.open) {
		if some(o) {
			oldest, n = i, n+1
		}
	}
	if n >= most {
		s.open[oldest].end()
		s.open = slices.Delete(s.open, oldest, oldest+1)
	}
}

// Open counts the streams of all sessions.
func (s *streams) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

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
