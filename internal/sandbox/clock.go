package sandbox

import (
	"encoding/json"
	"fmt"
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
	real           func() time.Time
	anchor, origin time.Time // simulated origin at the real anchor
	speed          int
	offset         time.Duration
}

func newClock(real func() time.Time) *clock {
	now := real()
	return &clock{real: real, anchor: now, origin: now, speed: 1}
}

func (c *clock) now() time.Time {
	passed := c.real().Sub(c.anchor) * time.Duration(c.speed)
	return c.origin.Add(passed + c.offset).UTC()
}

// set changes speed and offset without a jump other than the offset's.
func (c *clock) set(speed int, offset time.Duration) {
	now := c.now().Add(-c.offset)
	c.anchor, c.origin = c.real(), now
	c.speed, c.offset = max(1, speed), offset
}

// until returns how long to wait in real time for a simulated moment.
func (c *clock) until(t time.Time) time.Duration {
	return t.Sub(c.now()) / time.Duration(c.speed)
}
