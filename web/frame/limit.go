package frame

import (
	"context"
	"log/slog"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/redis/go-redis/v9"

	"airtill/internal/fault"
	"airtill/internal/staff"
)

// Rate lets Burst requests through at once, and then one per Every.
type Rate struct {
	Burst int
	Every time.Duration
}

// Limiter counts requests by key. It returns how long the client must wait: 0 lets the request through and
// counts it, more refuses it uncounted.
type Limiter interface {
	Take(ctx context.Context, key string, rate Rate) (wait time.Duration, err error)
}

// Limit is how often one client may use a route: a user, or before login an address.
type Limit struct {
	Name string // routes with the same name share a count
	Rate Rate
	// For, if set, is the parameter of the address without which a request asks for no work and is not counted.
	For string
	// InTurn has strangers wait for each other, see strangers.
	InTurn bool
}

// The limits. staff slows down the guessing of passwords; this one bounds the work a client can make for us.
var (
	LoginLimit = Limit{Name: "login", Rate: Rate{Burst: 30, Every: 2 * time.Second}, InTurn: true}
	// SSOLimit is for sign-ins that wait for the identity provider, for which no others should wait.
	SSOLimit    = Limit{Name: LoginLimit.Name, Rate: LoginLimit.Rate}
	LookUpLimit = Limit{Name: "look-up", Rate: Rate{Burst: 120, Every: 250 * time.Millisecond}}
	// AskLimit is for look-ups by form: each leads on to a page that LookUpLimit counts.
	AskLimit      = Limit{Name: "ask", Rate: LookUpLimit.Rate}
	SellLimit     = Limit{Name: "sell", Rate: Rate{Burst: 60, Every: time.Second}}
	RevealLimit   = Limit{Name: "reveal", Rate: Rate{Burst: 20, Every: 10 * time.Second}}
	LogoLimit     = Limit{Name: "logo", Rate: Rate{Burst: 400, Every: 50 * time.Millisecond}}
	LanguageLimit = Limit{Name: "language", Rate: Rate{Burst: 20, Every: time.Second}}
	// FindLimit bounds searches: each looks through a week of sales.
	FindLimit = Limit{Name: "find", Rate: Rate{Burst: 30, Every: 2 * time.Second}, For: "q"}
	// UpstreamLookLimit prevents one person from using up the upstream's budgets.
	UpstreamLookLimit = Limit{Name: "look", Rate: Rate{Burst: 6, Every: 30 * time.Second}}
	// ExportLimit is for files of single sales, which may be long.
	ExportLimit = Limit{Name: "export", Rate: Rate{Burst: 10, Every: 20 * time.Second}}
	// FileLimit is for tables as files, of whichever page.
	FileLimit   = Limit{Name: "file", Rate: Rate{Burst: 30, Every: 5 * time.Second}}
	StatusLimit = Limit{Name: "status", Rate: Rate{Burst: 60, Every: time.Second}}
)

func (s *Server) checkLimit(c *gin.Context, r Route) error {
	if asksForFile(c) && ExchangeOf(c.Request.Context()).SignedIn { // nobody else gets one
		if err := s.take(c, &FileLimit); err != nil {
			return err
		}
	}
	if r.Limit == nil || r.Limit.For != "" && c.Query(r.Limit.For) == "" {
		return nil
	}
	return s.take(c, r.Limit)
}

// asksForFile says whether a page is asked for as a file: by its parameter, or by the ending of its address.
func asksForFile(c *gin.Context) bool {
	ending := strings.TrimPrefix(path.Ext(c.Request.URL.Path), ".")
	return c.Query("file") != "" || slices.Contains(ExportFormats, ending)
}

// take counts a request, or refuses it.
func (s *Server) take(c *gin.Context, l *Limit) error {
	client, err := s.client(c)
	if err != nil {
		return err
	}
	wait, err := s.D.Limiter.Take(c.Request.Context(), l.Name+":"+client, l.Rate)
	if err != nil {
		return err
	}
	if wait > 0 {
		return TooMany{wait}
	}
	return nil
}

// client is what counts as one: a user; before login a browser somebody has signed in from, so that a flood of
// strangers does not shut it out; otherwise an address, or for IPv6 a whole /64.
func (s *Server) client(c *gin.Context) (string, error) {
	if x := ExchangeOf(c.Request.Context()); x.SignedIn {
		return "user:" + x.Presence.User.ID, nil
	}
	lane, err := s.D.Staff.Lane(c.Request.Context(), s.Cookie(c.Request, "device"))
	if err != nil || lane != "" {
		return "device:" + lane, err
	}
	ExchangeOf(c.Request.Context()).stranger = true
	return "address:" + staff.Neighbourhood(c.ClientIP()), nil
}

const mostKeys = 100_000 // of one process, at some 100 bytes each

// MemoryLimiter is the limiter of one process.
type MemoryLimiter struct {
	now  func() time.Time
	most int

	mu sync.Mutex
	// free holds, for each key, when its whole burst is available again. A request advances it by Every (the
	// generic cell rate algorithm).
	free  map[string]time.Time
	prune int // size at which to look for dead keys
}

// NewMemoryLimiter returns an empty limiter.
func NewMemoryLimiter(now func() time.Time) *MemoryLimiter {
	return &MemoryLimiter{now: now, most: mostKeys, free: map[string]time.Time{}, prune: 1024}
}

// Take never fails.
func (l *MemoryLimiter) Take(_ context.Context, key string, rate Rate) (time.Duration, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.forget(now)
	if _, known := l.free[key]; !known && len(l.free) >= l.most {
		key = "the rest" // a flood of new clients shares one count
	}
	free := l.free[key]
	if free.Before(now) {
		free = now
	}
	if wait := free.Sub(now) - time.Duration(rate.Burst-1)*rate.Every; wait > 0 {
		return wait, nil
	}
	l.free[key] = free.Add(rate.Every)
	return 0, nil
}

// forget drops keys with nothing counted, each time their number has doubled.
func (l *MemoryLimiter) forget(now time.Time) {
	if len(l.free) < l.prune {
		return
	}
	for key, free := range l.free {
		if free.Before(now) {
			delete(l.free, key)
		}
	}
	l.prune = max(1024, 2*len(l.free))
}

const (
	redisWithin   = 250 * time.Millisecond // a limit must not cost more than what it guards
	redisKeySpace = "airtill:limit:"
)

// takeScript is MemoryLimiter.Take by the clock of Redis, on which processes agree. It counts in whole
// microseconds.
var takeScript = redis.NewScript(`
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local burst, every = tonumber(ARGV[1]), tonumber(ARGV[2])
local free = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now)
local wait = free - now - (burst - 1) * every
if wait > 0 then return wait end
free = free + every
redis.call('SET', KEYS[1], string.format('%.0f', free), 'PX', math.ceil((free - now) / 1000) + 1)
return 0`)

// RedisLimiter limits all processes together. Without Redis each process limits by itself, which lets more
// through, but never everything.
type RedisLimiter struct {
	client redis.UniversalClient
	local  *MemoryLimiter
	log    *slog.Logger
	down   atomic.Bool
}

// NewRedisLimiter returns a limiter that falls back on local.
func NewRedisLimiter(client redis.UniversalClient, local *MemoryLimiter, log *slog.Logger) *RedisLimiter {
	return &RedisLimiter{client: client, local: local, log: log}
}

// Take never fails.
func (l *RedisLimiter) Take(ctx context.Context, key string, rate Rate) (time.Duration, error) {
	within, cancel := context.WithTimeout(ctx, redisWithin)
	defer cancel()
	micros, err := takeScript.Run(
		within, l.client, []string{redisKeySpace + key}, rate.Burst, rate.Every.Microseconds(),
	).Int64()
	if err != nil {
		if !l.down.Swap(true) {
			l.log.WarnContext(ctx, "limiter.redis-lost", "error", err)
		}
		return l.local.Take(ctx, key, rate)
	}
	if l.down.Swap(false) {
		l.log.InfoContext(ctx, "limiter.redis-back")
	}
	return time.Duration(micros) * time.Microsecond, nil
}

// How many browsers that nobody has signed in from are seen to at once, and how many wait. Each asks the database for
// rows that all who guess at one account queue for: with more of them inside than there are connections, a sale
// would get none. Few wait, since of wrong guesses only some twenty are looked at before patience ends.
const (
	StrangersInside   = 8
	StrangersWaiting  = 32
	strangersPatience = 10 * time.Second
)

var errBusy = fault.New(fault.Unavailable, "login.busy")

// strangers come in a few at a time. One that finds too many waiting is refused, as is one whose patience ends.
type strangers struct{ inside, waiting chan struct{} }

func newStrangers() strangers {
	return strangers{
		inside:  make(chan struct{}, StrangersInside),
		waiting: make(chan struct{}, StrangersWaiting),
	}
}

func (s strangers) enter(ctx context.Context) (leave func(), err error) {
	leave = func() { <-s.inside }
	select {
	case s.inside <- struct{}{}:
		return leave, nil
	case s.waiting <- struct{}{}:
	default:
		return nil, errBusy
	}
	defer func() { <-s.waiting }()
	ctx, cancel := context.WithTimeout(ctx, strangersPatience)
	defer cancel()
	select {
	case s.inside <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, errBusy
	}
}
