package catalog

import (
	"context"
	"errors"
)

// ErrNotCached says that a cache does not hold a version.
var ErrNotCached = errors.New("not cached")

// Cache is where processes publish the newest Snapshot and learn of it. Losing it loses nothing: the database
// knows the current version and has its content.
type Cache interface {
	// Put stores a Snapshot and sends a notice.
	Put(ctx context.Context, s *Snapshot) error
	// Get returns the Snapshot of a version, or ErrNotCached.
	Get(ctx context.Context, v Version) (*Snapshot, error)
	// Notices delivers a value whenever there may be a new version, until ctx ends.
	Notices(ctx context.Context) <-chan struct{}
}

// noCache is the Cache of a process that is alone.
type noCache struct{}

func (noCache) Put(context.Context, *Snapshot) error { return nil }

func (noCache) Get(context.Context, Version) (*Snapshot, error) { return nil, ErrNotCached }

func (noCache) Notices(context.Context) <-chan struct{} { return nil }
