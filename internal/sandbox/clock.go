package sandbox

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// Duration is a time.Duration that is a text such as "1m30s" in JSON.
type Duration time.Duration

// MarshalJSON writes the duration as text.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

// UnmarshalJSON reads a text of time.ParseDuration.
func (d *Duration) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return fmt.Errorf("a duration is a text such as \"1m30s\": %w", err)
	}
	parsed, err := time.ParseDuration(text)
	*d = Duration(parsed)
	return err
}

// clock is the simulated time: real time from an anchor on, so many times as
// fast, plus an offset. Tokens and webhook signatures use real time instead,
// because others check them against theirs.
type clock struct {
	clockState
	real   func() time.Time
	speed  int
	offset time.Duration
}

// clockState is the simulated origin at a real anchor. The journal keeps it, so
// that simulated time goes on where it was after a restart.
type clockState struct {
	Anchor time.Time `json:"anchor"`
	Origin time.Time `json:"origin"`
}

func newClock(real func() time.Time) *clock {
	now := real()
	return &clock{clockState: clockState{Anchor: now, Origin: now}, real: real, speed: 1}
}

func (c *clock) now() time.Time {
	speed := time.Duration(c.speed)
	passed := min(c.real().Sub(c.Anchor), (math.MaxInt64-c.offset)/speed) // a fast one stops after 292 years
	return c.Origin.Add(passed*speed + c.offset).UTC()
}

// set changes speed and offset without a jump other than the offset's.
func (c *clock) set(speed int, offset time.Duration) {
	now := c.now().Add(-c.offset)
	c.Anchor, c.Origin = c.real(), now
	c.speed, c.offset = max(1, speed), offset
}

// until returns how long to wait in real time for a simulated moment.
func (c *clock) until(t time.Time) time.Duration {
	return t.Sub(c.now()) / time.Duration(c.speed)
}
