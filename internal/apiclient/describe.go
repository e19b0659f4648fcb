package apiclient

import (
	"context"
	"sync"
	"time"
)

const (
	descriptionsLife  = 24 * time.Hour
	descriptionsRetry = time.Minute // after a failure
)

// descriptions remembers what the error codes mean.
type descriptions struct {
	mu     sync.Mutex
	byCode map[string]string
	next   time.Time // when to ask again
}

// DescribeError returns the service's own words for an error code, for the
// agent and not for customers, or "" if it has none or cannot be asked now. It
// asks once a day.
func (c *Client) DescribeError(ctx context.Context, code string) string {
	if c.descriptions.due(c.now()) {
		answer, err := c.GetErrorCodeDescriptions(ctx)
		if err != nil {
			c.log.WarnContext(ctx, "upstream.descriptions_failed", "error", err)
		} else {
			c.descriptions.keep(answer.Items, c.now())
		}
	}
	return c.descriptions.of(code)
}

// due says true to one caller at a time; the others make do with what is there.
func (d *descriptions) due(now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now.Before(d.next) {
		return false
	}
	d.next = now.Add(descriptionsRetry)
	return true
}

func (d *descriptions) keep(items []ErrorDescription, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next = now.Add(descriptionsLife)
	d.byCode = make(map[string]string, len(items))
	for _, item := range items {
		d.byCode[item.Code] = item.Message
	}
}

func (d *descriptions) of(code string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.byCode[code]
}
