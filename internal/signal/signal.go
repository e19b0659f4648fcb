// Package signal carries hints between goroutines and processes: "this sale
// moved", "there is a new catalogue". A hint may be lost; whoever waits for
// one also looks at the rows from time to time.
package signal

import (
	"context"
	"log/slog"
	"sync"

	"github.com/redis/go-redis/v9"
)

// Bus carries hints. Both implementations deliver to every subscriber of a
// topic in this process; Redis also to those of other processes.
type Bus interface {
	// Publish sends a hint. It never blocks for long and never fails loudly.
	Publish(ctx context.Context, topic string)
	// Subscribe returns a channel that gets a value after each hint, or after
	// several; cancel ends it.
	Subscribe(topic string) (hints <-chan struct{}, cancel func())
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
	for c := range m.subs[topic] {
		select {
		case c <- struct{}{}:
		default: // a hint is waiting there already
		}
	}
}

// Subscribe registers a subscriber.
func (m *Memory) Subscribe(topic string) (<-chan struct{}, func()) {
	c := make(chan struct{}, 1)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.subs[topic] == nil {
		m.subs[topic] = map[chan struct{}]struct{}{}
	}
	m.subs[topic][c] = struct{}{}
	return c, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.subs[topic], c)
		if len(m.subs[topic]) == 0 {
			delete(m.subs, topic)
		}
	}
}

const channel = "airtill:signal"

// Redis is a bus across processes. While Redis is away, hints reach this
// process only.
type Redis struct {
	local  *Memory
	client redis.UniversalClient
	log    *slog.Logger
	pubsub *redis.PubSub
	done   chan struct{}
}

// NewRedis returns a bus over Redis; Close ends it.
func NewRedis(ctx context.Context, client redis.UniversalClient, log *slog.Logger) *Redis {
	r := &Redis{local: NewMemory(), client: client, log: log, pubsub: client.Subscribe(ctx, channel), done: make(chan struct{})}
	go r.listen(ctx)
	return r
}

func (r *Redis) listen(ctx context.Context) {
	defer close(r.done)
	for message := range r.pubsub.Channel() { // reconnects by itself
		r.local.Publish(ctx, message.Payload)
	}
}

// Publish wakes the topic's subscribers here at once, and elsewhere through
// Redis (here a second time, which does no harm).
func (r *Redis) Publish(ctx context.Context, topic string) {
	r.local.Publish(ctx, topic)
	if err := r.client.Publish(ctx, channel, topic).Err(); err != nil {
		r.log.WarnContext(ctx, "signal.lost", "error", err)
	}
}

// Subscribe registers a subscriber.
func (r *Redis) Subscribe(topic string) (<-chan struct{}, func()) { return r.local.Subscribe(topic) }

// Close ends the subscription to Redis.
func (r *Redis) Close() error {
	err := r.pubsub.Close()
	<-r.done
	return err
}
