package catalog

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"airtill/internal/fault"
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

// RedisCache is the Cache of all processes of an installation. They sign what they put there: who writes to Redis
// decides nothing of what is sold.
type RedisCache struct {
	client *redis.Client
	prefix string
	secret []byte
}

const (
	// format is part of the key: raise it when the meaning of content changes, so that two versions of this
	// program can run side by side.
	format = 3
	// cacheRetained outlives a deployment; after it, the database will do.
	cacheRetained = 48 * time.Hour
)

// NewRedisCache returns a Cache whose keys and channel begin with prefix, one per installation, and whose processes
// share a secret.
func NewRedisCache(client *redis.Client, prefix string, secret []byte) *RedisCache {
	return &RedisCache{client: client, prefix: prefix, secret: secret}
}

// sign returns the signature of what stands under a key.
func (c *RedisCache) sign(key string, packed []byte) []byte {
	mac := hmac.New(sha256.New, c.secret)
	_, _ = mac.Write([]byte(key + "\n")) // a hash never fails
	_, _ = mac.Write(packed)
	return mac.Sum(nil)
}

var errNotSigned = errors.New("another wrote it")

// signed returns what stands behind a signature of ours.
func (c *RedisCache) signed(key string, stored []byte) ([]byte, error) {
	if len(stored) < sha256.Size {
		return nil, errNotSigned
	}
	signature, packed := stored[:sha256.Size], stored[sha256.Size:]
	if !hmac.Equal(signature, c.sign(key, packed)) {
		return nil, errNotSigned
	}
	return packed, nil
}

// key names a version and when it was made: a restored database counts versions anew, and must not find those
// of its former life.
func (c *RedisCache) key(v Version) string {
	return fmt.Sprintf("%scatalog:%d:%d:%d", c.prefix, format, v.Number, v.MadeAt.UnixMicro())
}

func (c *RedisCache) channel() string { return c.prefix + "catalog" }

// Put stores the Snapshot under its version and sends a notice. A version already stored, because only a
// status changed, is not stored again.
func (c *RedisCache) Put(ctx context.Context, s *Snapshot) error {
	key := c.key(s.catalogue)
	there, err := c.client.Exists(ctx, key).Result()
	if err == nil && there == 0 {
		err = c.store(ctx, key, &s.content)
	}
	if err != nil {
		return fmt.Errorf("cache catalogue: %w", err)
	}
	return fault.Doing("announce catalogue", c.client.Publish(ctx, c.channel(), s.catalogue.Number).Err())
}

func (c *RedisCache) store(ctx context.Context, key string, body *content) error {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		return err
	}
	if err := errors.Join(gob.NewEncoder(w).Encode(body), w.Close()); err != nil {
		return err
	}
	return c.client.Set(ctx, key, append(c.sign(key, packed.Bytes()), packed.Bytes()...), cacheRetained).Err()
}

// Get returns the Snapshot of a version, or ErrNotCached.
func (c *RedisCache) Get(ctx context.Context, v Version) (*Snapshot, error) {
	stored, err := c.client.Get(ctx, c.key(v)).Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, ErrNotCached
	}
	if err != nil {
		return nil, fmt.Errorf("read cached catalogue: %w", err)
	}
	var body content
	packed, err := c.signed(c.key(v), stored)
	if err == nil {
		err = gob.NewDecoder(flate.NewReader(bytes.NewReader(packed))).Decode(&body)
	}
	if err != nil {
		// Put keeps what is there, and the next process would fail at it as well.
		err = errors.Join(err, c.client.Del(ctx, c.key(v)).Err())
		return nil, fmt.Errorf("read cached catalogue: %w", err)
	}
	s := newSnapshot(body)
	s.catalogue = v
	return s, nil
}

// Notices delivers a notice after each Put of any process.
func (c *RedisCache) Notices(ctx context.Context) <-chan struct{} {
	subscription := c.client.Subscribe(ctx, c.channel())
	context.AfterFunc(ctx, func() { _ = subscription.Close() }) // nothing can be lost by a failing close
	notices := make(chan struct{}, 1)
	messages := subscription.Channel()
	go func() {
		for range messages {
			select {
			case notices <- struct{}{}:
			default: // one is waiting already
			}
		}
	}()
	return notices
}
