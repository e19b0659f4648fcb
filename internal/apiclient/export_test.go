package apiclient

import "time"

// SetSendDeadline shortens the time a SendTransfer may take.
func (c *Client) SetSendDeadline(d time.Duration) { c.sendDeadline = d }

// RetryAfter, BudgetLimits and BudgetWindow show the tests what is unexported.
var (
	RetryAfter   = retryAfter
	BudgetLimits = budgetLimits
)

const (
	BudgetWindow = budgetWindow
	SendLimit    = sendLimit
)
