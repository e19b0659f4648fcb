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

// RedisKey returns the key under which a credential's budget lies.
func RedisKey(credential string) string { return NewRedisBudget(nil, credential, nil, nil).key }

// TokenAge returns the age of the access token by the client's clock.
func (c *Client) TokenAge() float64 { return c.tokens.age() }
