package apiclient

import (
	"net/http"
	"sync/atomic"
	"time"
)

// offset is by how much this machine's clock is ahead of the upstream's.
type offset struct{ atomic.Int64 }

// ClockAhead is by how much this machine's clock is certainly ahead of the upstream's, going by its last answer;
// negative if it is behind, 0 if they may agree. Answers name the second, and take their time.
func (c *Client) ClockAhead() time.Duration { return time.Duration(c.ahead.Load()) }

// heard compares clocks by the Date of an answer to what was asked at a moment.
func (o *offset) heard(date string, asked, answered time.Time) {
	at, err := http.ParseTime(date)
	if err != nil {
		return // it tells nothing
	}
	o.Store(int64(max(asked.Sub(at.Add(time.Second)), 0) + min(answered.Sub(at), 0)))
}
