package apiclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const (
	sendDeadline = 100 * time.Second
	sendLimit    = 1 << 20 // bytes of the answer
	// permitLife is how old a permit may be when the first byte leaves.
	permitLife = 3 * time.Second
)

var errNoPermit = errors.New("a real transfer needs a permit")

// SendOptions accompany a SendTransfer.
type SendOptions struct {
	// Defer asks for an immediate answer; the outcome comes by webhook.
	Defer bool
	// CorrelationID comes back in that webhook's header; "" uses the context's, or a new one.
	CorrelationID string
	// Permit is when this attempt's permit was committed. The body does not leave if the permit is more than 3
	// s old by then. It may be zero only if the request is ValidateOnly.
	Permit time.Time
}

// SendTransfer sends at most one request, within 100 s, and never repeats it.
//
// The response is non-nil exactly when a whole, valid envelope of this call arrived, whatever its ResultCode.
// The error, an *Error, is nil only if the ResultCode is 1 or 2. There may be both. errors.Is(err, ErrNotSent)
// means that no byte of the request body left and none will; Status 401 that the request was refused
// unexecuted. Any other error leaves the outcome unknown unless the ResultCode tells (SALE.md, Reading the
// reply).
func (c *Client) SendTransfer(
	ctx context.Context, r SendTransferRequest, o SendOptions,
) (*SendTransferResponse, error) {
	if !r.ValidateOnly && o.Permit.IsZero() {
		return nil, &Error{Op: sendTransfer.name, Err: notSent(errNoPermit)}
	}
	x, err := sendTransfer.exchange(r)
	if err != nil {
		return nil, err
	}
	c.prepareSend(x, r, o)
	if o.CorrelationID != "" {
		ctx = WithCorrelationID(ctx, o.CorrelationID)
	}
	started, out := c.now(), new(SendTransferResponse)
	err = c.exchange(ctx, x, out)
	if err == nil && !r.ValidateOnly {
		c.resetBudget(ctx, started)
	}
	if out.ResultCode == 0 {
		return nil, err
	}
	return out, err
}

func (c *Client) prepareSend(x *exchange, r SendTransferRequest, o SendOptions) {
	x.deadline, x.unmetered = c.sendDeadline, !r.ValidateOnly
	if o.Defer {
		x.header = http.Header{"X-Options": {"DeferTransfer"}}
	}
	if !o.Permit.IsZero() {
		x.fresh = permitLife - c.now().Sub(o.Permit)
		x.body.fence = func() error {
			if age := c.now().Sub(o.Permit); age > permitLife {
				return fmt.Errorf("%w: %s", ErrPermitExpired, age.Round(time.Millisecond))
			}
			return nil
		}
	}
}
