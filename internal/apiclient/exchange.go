package apiclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"time"
)

// exchange is one request and how to read its answer.
type exchange struct {
	op        string
	method    string
	query     string
	header    http.Header
	body      *body
	deadline  time.Duration
	limit     int64  // bytes of the answer
	unmetered bool   // not counted by the budgets
	outcome   string // for the metrics, set before the body is closed
	token     string // that it was sent with; "": none
}

type exchangeKey struct{}

// exchangeOf returns a request's exchange: the client's chain gets no other requests.
func exchangeOf(req *http.Request) *exchange {
	return req.Context().Value(exchangeKey{}).(*exchange)
}

// exchange sends one request, once, and reads its answer into out. It returns an *Error unless the ResultCode
// is 1 or 2. The answer's ResultCode is non-zero exactly when a whole, valid envelope arrived.
func (c *Client) exchange(ctx context.Context, x *exchange, out reply) error {
	ctx, cancel := context.WithTimeout(ctx, x.deadline)
	defer cancel()
	req, err := x.request(context.WithValue(ctx, exchangeKey{}, x), c.base)
	if err != nil {
		return &Error{Op: x.op, Err: notSent(err)}
	}
	resp, err := c.chain.RoundTrip(req)
	if err != nil {
		return x.notAnswered(err)
	}
	defer func() { _ = resp.Body.Close() }() // a connection that closes badly cannot be helped
	err = c.read(x, resp, out)
	x.outcome = outcomeOf(out.envelope(), err)
	var refused *Error
	if errors.As(err, &refused) {
		c.noteRefusal(ctx, refused)
		if c.tokens != nil && refused.Has(CodeAuthenticationFailed) { // 400 is documented for it as well as 401
			c.tokens.invalidate(x.token)
		}
	}
	return err
}

func (x *exchange) request(ctx context.Context, base string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, x.method, base+"/api/V1/"+x.op, nil)
	if err != nil {
		return nil, errors.New("cannot form the request")
	}
	req.URL.RawQuery = x.query
	x.body.attach(req)
	maps.Copy(req.Header, x.header)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "airtill")
	if x.method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// notAnswered turns a failed round trip into an *Error, with ErrNotSent if the body can still be withdrawn
// whole.
func (x *exchange) notAnswered(err error) error {
	var failure *Error
	if errors.As(err, &failure) { // refused by a budget, which knows for how long
		failure.Op = x.op
	} else {
		failure = &Error{Op: x.op, Err: onTheWay(err)}
	}
	if x.body.seal() {
		failure.Err = notSent(failure.Err)
	}
	return failure
}

// notSent adds to an error, which may be nil, that nothing was sent.
func notSent(err error) error {
	if err == nil {
		return ErrNotSent
	}
	return fmt.Errorf("%w: %w", ErrNotSent, err)
}

// read reads an answer. Whatever the HTTP status, the ResultCode decides.
func (c *Client) read(x *exchange, resp *http.Response, out reply) error {
	unread := x.body.seal()
	limited := &io.LimitedReader{R: resp.Body, N: x.limit + 1}
	err := decodeEnvelope(limited, out)
	envelope := out.envelope()
	switch {
	case limited.N <= 0:
		err = ErrTooLarge
	case err == nil && !out.whole(), err == nil && unread && envelope.Succeeded():
		// A success for a request that never left is somebody else's.
		err = ErrUnreadable
	}
	if err == nil && envelope.Succeeded() {
		return nil
	}
	failure := &Error{
		Op: x.op, Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header.Get("Retry-After"), c.now()), Err: err,
	}
	if err == nil {
		failure.ResultCode, failure.Codes = envelope.ResultCode, envelope.ErrorCodes
	}
	*envelope = Envelope{ResultCode: failure.ResultCode, ErrorCodes: failure.Codes}
	if unread {
		failure.Err = notSent(failure.Err)
	}
	return failure
}
