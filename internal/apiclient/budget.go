package apiclient

import (
	"context"
	"time"

	"airtill/internal/harness/failpoint"
)

// Budget counts calls against the service's limits per method (INTERFACE.md,
// Request rate per method). Methods are the endpoints' names, and
// MethodValidateOnly.
type Budget interface {
	// Take counts a call about to be made and returns 0, or counts nothing and returns how long until there
	// may be room for this priority.
	Take(ctx context.Context, method string, p Priority) (wait time.Duration, err error)
	// Reset forgets the calls taken more than age ago: a transfer begun then succeeded, which restores every
	// limit at the service. Later calls may have been counted after it, so they stay counted.
	//
	// It also ends refusals.
	Reset(ctx context.Context, age time.Duration) error
	// Refuse notes that the service refused a method because of too many calls: none is to be made for so
	// long, or longer if it said so before.
	Refuse(ctx context.Context, method string, wait time.Duration) error
	// Used returns the counted calls of each method.
	Used(ctx context.Context) (map[string]Usage, error)
}

// Budgets returns the counted calls of each method, over all processes.
func (c *Client) Budgets(ctx context.Context) (map[string]Usage, error) { return c.budget.Used(ctx) }

// Usage is how many calls of a method count now, and how many may be made.
type Usage struct {
	Used, Limit int
}

// NearlySpent says whether four fifths are used.
func (u Usage) NearlySpent() bool { return u.Used*10 >= u.Limit*8 }

// MethodValidateOnly is the name a SendTransfer that only validates is counted under. A real one is not
// limited.
const MethodValidateOnly = "SendTransfer.ValidateOnly"

// budgetWindow is the service's ten minutes plus the longest time a call can be on its way, so that calls a
// window apart arrive ten minutes apart.
const budgetWindow = 10*time.Minute + defaultDeadline

// budgetLimits are the calls allowed per ten minutes. ListTransferRecords has fewer than the service's 50, for
// a person at the service's own portal. LookupBills has no documented limit and is not counted.
var budgetLimits = map[string]int{
	getErrorCodeDescriptions.name: 20,
	getCurrencies.name:            20,
	getRegions.name:               20,
	getCountries.name:             20,
	getProviders.name:             50,
	getProviderStatus.name:        50,
	getProducts.name:              50,
	getProductDescriptions.name:   50,
	getBalance.name:               50,
	getPromotions.name:            50,
	getPromotionDescriptions.name: 50,
	getAccountLookup.name:         50,
	estimatePrices.name:           50,
	cancelTransfers.name:          50,
	listTransferRecords.name:      45,
	MethodValidateOnly:            100,
}

// firstLooks are the calls of ListTransferRecords reserved for sales never looked for before.
const firstLooks = 15

// Priority says who waits for a call.
type Priority int

// The priorities. A lower one may use the budget only up to its share; the rest is always left to those above.
const (
	PriorityNormal     Priority = iota // up to 80 % of a budget
	PriorityCashier                    // a person waits at the counter: all of it
	PriorityBackground                 // schedules and old ghosts: up to 60 %
	PriorityFirstLook                  // a sale never looked for before: all of it
)

// share is how many calls of a method may be counted for this priority to make another. First looks have a
// reserve of their own.
func (p Priority) share(method string) int {
	limit := budgetLimits[method]
	if method == listTransferRecords.name && p != PriorityFirstLook {
		limit -= firstLooks
	}
	switch p {
	case PriorityCashier, PriorityFirstLook:
		return limit
	case PriorityBackground:
		return limit * 60 / 100
	case PriorityNormal:
	}
	return limit * 80 / 100
}

type priorityKey struct{}

// WithPriority gives the calls of this context a priority. The default is PriorityNormal.
func WithPriority(ctx context.Context, p Priority) context.Context {
	return context.WithValue(ctx, priorityKey{}, p)
}

func priorityOf(ctx context.Context) Priority {
	p, _ := ctx.Value(priorityKey{}).(Priority)
	return p
}

// takeBudget counts a limited call against its budget, or fails with ErrBudget.
func (c *Client) takeBudget(ctx context.Context, x *exchange) error {
	method := x.op
	if method == sendTransfer.name {
		method = MethodValidateOnly
	}
	if _, limited := budgetLimits[method]; !limited || x.unmetered {
		return nil
	}
	wait, err := c.budget.Take(ctx, method, priorityOf(ctx))
	switch {
	case err == nil && wait == 0, failpoint.Broken("budget"):
		return nil
	case err != nil:
		return &Error{Op: x.op, Err: err}
	}
	c.metrics.refused.WithLabelValues(x.op).Inc()
	return &Error{Op: x.op, RetryAfter: wait, Err: ErrBudget}
}

const (
	// resetDeadline bounds how long a finished call waits for its budgets.
	resetDeadline = 200 * time.Millisecond
	// refusedFor is how long a refusal lasts if it does not say.
	refusedFor = 10 * time.Second
)

// resetBudget reports that a transfer begun at this time succeeded. Failing is harmless: the budgets then stay
// tighter than necessary.
func (c *Client) resetBudget(ctx context.Context, started time.Time) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resetDeadline)
	defer cancel()
	if err := c.budget.Reset(ctx, c.now().Sub(started)); err != nil {
		c.log.WarnContext(ctx, "upstream.budget_not_reset", "error", err)
	}
}

// noteRefusal reports that the service refused a call because of too many. For SendTransfer that may be a rule
// about one account number.
func (c *Client) noteRefusal(ctx context.Context, e *Error) {
	if _, limited := budgetLimits[e.Op]; !limited || !e.Limited() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resetDeadline)
	defer cancel()
	if err := c.budget.Refuse(ctx, e.Op, max(e.RetryAfter, refusedFor)); err != nil {
		c.log.WarnContext(ctx, "upstream.refusal_not_kept", "op", e.Op, "error", err)
	}
}
