package restore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"airtill/internal/fault"
	"airtill/internal/store"

	"github.com/redis/go-redis/v9"
)

// Height is how far a database has come: the installation code it sells under, its highest posting, its newest
// audit entry.
type Height struct {
	Code      string `json:"code"`
	Posting   int64  `json:"posting"`
	Entry     int64  `json:"entry,omitempty"`      // 0: none noted
	EntryHash string `json:"entry_hash,omitempty"` // of that entry
}

// raised is the higher of both in every part.
func (h Height) raised(to Height) Height {
	if h.Code != to.Code {
		return to
	}
	h.Posting = max(h.Posting, to.Posting)
	if to.Entry > h.Entry {
		h.Entry, h.EntryHash = to.Entry, to.EntryHash
	}
	return h
}

// Mark stores a height outside the database, where a restored backup cannot turn it back. Its name is the
// installation's first code, which backups have too.
type Mark interface {
	// Read returns the height, false if none is stored.
	Read(ctx context.Context, name string) (Height, bool, error)
	// Raise stores what is higher than the stored height of the same code.
	Raise(ctx context.Context, name string, to Height) error
}

// File is a mark in a file, for a database only this machine uses. It knows one installation, so it also
// notices when another database took its place.
type File struct{ Path string }

// errDamaged says that a mark is there and tells nothing.
var (
	errDamaged = errors.New("the mark is damaged")
	errUnnamed = fmt.Errorf("%w: it names no installation", errDamaged)
)

// Read returns the height, of whatever installation.
func (f File) Read(context.Context, string) (Height, bool, error) {
	text, err := os.ReadFile(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return Height{}, false, nil
	}
	if err != nil {
		return Height{}, false, fmt.Errorf("read mark: %w", err)
	}
	var h Height
	if err := json.Unmarshal(text, &h); err != nil {
		return Height{}, false, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if h.Code == "" { // no till ever wrote such a one
		return Height{}, false, errUnnamed
	}
	return h, true, nil
}

// Raise replaces the file in one step, so that a crash leaves the old one whole.
func (f File) Raise(ctx context.Context, name string, to Height) error {
	stored, known, err := f.Read(ctx, name)
	if err == nil && known {
		if to = stored.raised(to); to == stored {
			return nil
		}
	}
	text, err := json.Marshal(to)
	if err != nil {
		return fmt.Errorf("raise mark: %w", err)
	}
	return fault.Doing("raise mark", replaceFile(f.Path, append(text, '\n')))
}

func replaceFile(path string, text []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	err = errors.Join(err, store.OwnedAsFolder(file), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

// Redis is a mark in Redis, for all processes of an installation.
type Redis struct {
	Client redis.UniversalClient
	Prefix string
}

func (r Redis) key(name string) string { return r.Prefix + "mark:" + name }

// Read returns the height of an installation.
func (r Redis) Read(ctx context.Context, name string) (Height, bool, error) {
	values, err := r.Client.HGetAll(ctx, r.key(name)).Result()
	switch {
	case redis.HasErrorPrefix(err, "WRONGTYPE"):
		return Height{}, false, fmt.Errorf("%w: %w", errDamaged, err)
	case err != nil || len(values) == 0:
		return Height{}, false, err
	case values["code"] == "":
		return Height{}, false, errUnnamed
	}
	h := Height{Code: values["code"], EntryHash: values["entry_hash"]}
	_, unread := fmt.Sscan(values["posting"], &h.Posting)
	if entry := values["entry"]; entry != "" {
		_, err = fmt.Sscan(entry, &h.Entry)
	}
	if err := errors.Join(unread, err); err != nil {
		return Height{}, false, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return h, true, nil
}

// raise compares and sets in one step, since processes raise at the same time. What is damaged counts as nothing.
var raise = redis.NewScript(`
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then redis.call('DEL', KEYS[1]) end
local another = redis.call('HGET', KEYS[1], 'code') ~= ARGV[1]
local function above(field, value)
  return another or (tonumber(redis.call('HGET', KEYS[1], field) or '0') or 0) < tonumber(value)
end
local posting, entry = above('posting', ARGV[2]), above('entry', ARGV[3])
redis.call('HSET', KEYS[1], 'code', ARGV[1])
if posting then redis.call('HSET', KEYS[1], 'posting', ARGV[2]) end
if entry then redis.call('HSET', KEYS[1], 'entry', ARGV[3], 'entry_hash', ARGV[4]) end
return 1`)

// Raise stores a height.
func (r Redis) Raise(ctx context.Context, name string, to Height) error {
	return fault.Doing(
		"raise mark",
		raise.Run(ctx, r.Client, []string{r.key(name)}, to.Code, to.Posting, to.Entry, to.EntryHash).Err(),
	)
}
