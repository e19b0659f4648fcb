package apiclient

import (
	"errors"
	"strings"
	"time"
)

var errTime = errors.New("not an ISO 8601 time")

// Time is the text of a point in time as on the wire; "" is absent.
type Time string

var timeLayouts = []string{
	"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02",
}

// endOfTime is the last instant that JSON and databases can hold; "no end" is written as the last second of
// the year 9999, in any zone.
var endOfTime = time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)

// Time reads the text as ISO 8601, as UTC unless it names a zone, with any number of fractional digits, and
// returns UTC. Absent text is an error; the service's "no time", 0001-01-01T00:00:00, is the zero time.Time.
func (t Time) Time() (time.Time, error) {
	text := strings.ToUpper(strings.TrimSpace(string(t)))
	text = strings.Replace(text, " ", "T", 1)
	for _, layout := range timeLayouts {
		// Parse takes fractional seconds even if the layout has none.
		if at, err := time.Parse(layout, text); err == nil {
			return clampTime(at.UTC()), nil
		}
	}
	return time.Time{}, errTime
}

func clampTime(at time.Time) time.Time {
	switch {
	case at.After(endOfTime):
		return endOfTime
	case at.Year() < 1:
		return time.Time{}
	}
	return at
}
