package store

import (
	"crypto/rand"
	"fmt"
	"time"

	"github.com/oklog/ulid/v2"
)

// inOrder gives every id a greater tail than the one before. ULID's own reader begins anew at each change of the
// millisecond, and two pieces of work whose moments differ, by turns, would lose their order.
type inOrder struct{ ulid.LockedMonotonicReader }

// MonotonicRead fills the tail of the next id.
func (o *inOrder) MonotonicRead(_ uint64, tail []byte) error {
	return o.LockedMonotonicReader.MonotonicRead(0, tail)
}

var entropy = &inOrder{ulid.LockedMonotonicReader{MonotonicReader: ulid.Monotonic(rand.Reader, 0)}}

// NewID returns a ULID: text that sorts by time, and within a millisecond in the order a process made it.
func NewID(now time.Time) string { return ulid.MustNew(ulid.Timestamp(now), entropy).String() }

// FirstID returns the least id that NewID can make at a moment, so that a span of time is a span of ids.
func FirstID(at time.Time) string {
	var id ulid.ULID
	if err := id.SetTime(ulid.Timestamp(at)); err != nil {
		return "" // before 1970: every id is later
	}
	return id.String()
}

// LastID is no less than any id, in whatever order of letters a database compares texts: one of words has
// signs before digits.
const LastID = "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"

// MadeAt returns when an id was made, to the millisecond.
func MadeAt(id string) (time.Time, error) {
	parsed, err := ulid.ParseStrict(id)
	if err != nil {
		return time.Time{}, fmt.Errorf("read the time of an id: %w", err)
	}
	return ulid.Time(parsed.Time()).UTC(), nil
}
