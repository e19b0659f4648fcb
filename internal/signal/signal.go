// Package signal carries hints between goroutines and processes: "this sale moved", "there is a new
// catalogue". Hints may be lost; whoever waits for one also looks at the rows now and then.
package signal

import (
	"context"
	"crypto/rand"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Bus carries hints to every subscriber of a topic in this process; Redis also to those of other processes.
type Bus interface {
	// Publish sends a hint. It never blocks and never fails loudly.
	Publish(ctx context.Context, topic string)
	// Subscribe returns a channel that gets a value after one or more hints of the topics; cancel ends it.
	Subscribe(topics ...string) (hints <-chan struct{}, cancel func())
	// Sure says whether hints of all processes come. While they may not, who waits looks at the rows often.
	Sure() bool
}

// Memory is the bus of a single process.
type Memory struct {
	mu   sync.Mutex
	subs map[string]map[chan struct{}]struct{}
}

// NewMemory returns a bus within this process.
func NewMemory() *Memory { return &Memory{subs: map[string]map[chan struct{}]struct{}{}} }

// Publish wakes the topic's subscribers.
func (m *Memory) Publish(_ context.Context, topic string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	wake(m.subs[topic])
}

// Sure is true: there is no other process.
func (m *Memory) Sure() bool { return true }

// wakeAll is a hint of every topic.
func (m *Memory) wakeAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, subs := range m.subs {
		wake(subs)
	}
}

func wake(subs map[chan struct{}]struct{}) {
	for c := range subs {
		select {
		case c <- struct{}{}:
		default: // a hint is waiting already
		}
	}
}

// Subscribe registers a subscriber.
func (m *Memory) Subscribe(topics ...string) (<-chan struct{}, func()) {
	c := make(chan struct{}, 1)
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, topic := range topics {
		if m.subs[topic] == nil {
			m.subs[topic] = map[chan struct{}]struct{}{}
		}
		m.subs[topic][c] = struct{}{}
	}
	return c, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, topic := range topics {
			delete(m.subs[topic], c)
			if len(m.subs[topic]) == 0 {
				delete(m.subs, topic)
			}
		}
	}
}

const channel = "airtill:signal"

// Redis is a bus across processes. While Redis is away, hints reach this
// process only, and as soon as it is back everybody looks.
type Redis struct {
	local  *Memory
	self   string // begins what this process sends
	client redis.UniversalClient
	there  func() bool // whether Redis answers
	log    *slog.Logger
	pubsub *redis.PubSub
	queue  chan string // topics on their way to Redis
	stop   context.CancelFunc
	work   sync.WaitGroup
}

const (
	queued        = 1024 // hints; more are lost
	publishWithin = 250 * time.Millisecond
)

// NewRedis returns a bus over Redis, which is there or not; Close ends it.
func NewRedis(ctx context.Context, client redis.UniversalClient, there func() bool, log *slog.Logger) *Redis {
	ctx, stop := context.WithCancel(ctx)
	r := &Redis{
		local: NewMemory(), self: rand.Text(), client: client, there: there, log: log,
		pubsub: client.Subscribe(ctx, channel), queue: make(chan string, queued), stop: stop,
	}
	r.work.Go(func() { r.listen(ctx) })
	r.work.Go(func() { r.send(ctx) })
	return r
}

func (r *Redis) listen(ctx context.Context) {
	for got := range r.pubsub.ChannelWithSubscriptions() { // reconnects by itself
		switch got := got.(type) {
		case *redis.Subscription:
			r.local.wakeAll() // what was sent before is lost
		case *redis.Message:
			if from, topic, _ := strings.Cut(got.Payload, " "); from != r.self {
				r.local.Publish(ctx, topic)
			}
		}
	}
}

// send passes hints on to Redis. It logs once that hints are lost, not for each.
func (r *Redis) send(ctx context.Context) {
	lost := false
	for {
		select {
		case <-ctx.Done():
			return
		case topic := <-r.queue:
			within, cancel := context.WithTimeout(ctx, publishWithin)
			err := r.client.Publish(within, channel, r.self+" "+topic).Err()
			cancel()
			if err != nil && !lost && ctx.Err() == nil {
				r.log.WarnContext(ctx, "signal.lost", "error", err)
			}
			lost = err != nil
		}
	}
}

// Publish wakes the topic's subscribers here at once, and elsewhere through Redis soon. It never waits for Redis.
func (r *Redis) Publish(ctx context.Context, topic string) {
	r.local.Publish(ctx, topic)
	select {
	case r.queue <- topic:
	default: // Redis is slow: those who wait look at the rows
	}
}

// Sure says whether Redis is there.
func (r *Redis) Sure() bool { return r.there() }

// Subscribe registers a subscriber.
func (r *Redis) Subscribe(topics ...string) (<-chan struct{}, func()) {
	return r.local.Subscribe(topics...)
}

// Close ends the subscription to Redis.
func (r *Redis) Close() error {
	r.stop()
	err := r.pubsub.Close()
	r.work.Wait()
	return err
}
