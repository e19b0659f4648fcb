package catalog

import (
	"context"
	"sync"
)

// MemoryCache is the Cache of services in one process.
type MemoryCache struct {
	mu        sync.Mutex
	newest    *Snapshot
	listeners map[chan struct{}]bool
}

// NewMemoryCache returns an empty MemoryCache.
func NewMemoryCache() *MemoryCache { return &MemoryCache{listeners: map[chan struct{}]bool{}} }

// Put stores the Snapshot and sends a notice.
func (c *MemoryCache) Put(_ context.Context, s *Snapshot) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.newest = s
	for listener := range c.listeners {
		select {
		case listener <- struct{}{}:
		default: // it has one waiting
		}
	}
	return nil
}

// Get returns the Snapshot if it is the newest.
func (c *MemoryCache) Get(_ context.Context, v Version) (*Snapshot, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.newest == nil || !c.newest.catalogue.same(v) {
		return nil, ErrNotCached
	}
	return c.newest, nil
}

// Notices delivers a notice after each Put.
func (c *MemoryCache) Notices(ctx context.Context) <-chan struct{} {
	listener := make(chan struct{}, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listeners[listener] = true
	context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.listeners, listener)
	})
	return listener
}
