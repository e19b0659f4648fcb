package apiclient

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter prevents a wrong header from silencing a caller for years.
const maxRetryAfter = 24 * time.Hour

// retryAfter reads a Retry-After header, seconds or a date (RFC 9110, 10.2.3). One that is unreadable or in
// the past is no delay.
func retryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if header != "" && strings.Trim(header, "0123456789") == "" {
		seconds, err := strconv.ParseUint(header, 10, 32)
		if err != nil {
			return maxRetryAfter
		}
		return min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), maxRetryAfter)
}
