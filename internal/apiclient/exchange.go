package apiclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
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
	limit     int64         // bytes of the answer
	fresh     time.Duration // until the body's fence refuses, where there is one
	unmetered bool          // not counted by the budgets
	token     string        // that it was sent with; "": none
}

// exchange sends one request, once, and reads its answer into out. It returns an *Error unless the ResultCode
// is 1 or 2. The answer's ResultCode is non-zero exactly when a whole, valid envelope arrived.
func (c *Client) exchange(ctx context.Context, x *exchange, out reply) error {
	ctx, cancel := context.WithTimeout(ctx, x.deadline)
	defer cancel()
	req, err := x.request(ctx, c.base)
	if err != nil {
		return &Error{Op: x.op, Err: notSent(err)}
	}
	if err := c.takeBudget(ctx, x); err != nil {
		return x.notAnswered(err)
	}
	started := c.now()
	resp, err := c.roundTrip(req, x)
	if err != nil {
		c.metrics.observe(x.op, classOf(err), started)
		return x.notAnswered(err)
	}
	c.ahead.heard(resp.Header.Get("Date"), started, c.now())
	defer func() { _ = resp.Body.Close() }() // a connection that closes badly cannot be helped
	err = c.read(x, resp, out)
	c.metrics.observe(x.op, outcomeOf(out.envelope(), err), started)
	if refused, ok := errors.AsType[*Error](err); ok {
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
	req.Header.Set(correlationHeader, correlationID(ctx))
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "airtill")
	if x.method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// roundTrip authenticates a request and sends it, with a body that leaves with its headers, or not at all. A refused
// token is dropped, so that the next call fetches another; nothing is sent again.
func (c *Client) roundTrip(req *http.Request, x *exchange) (resp *http.Response, err error) {
	if x.token, err = c.authenticate(req); err != nil {
		return nil, err
	}
	ctx, connected := x.connectInTime(req.Context())
	// Not before: a request for a token must not release the body.
	trace := &httptrace.ClientTrace{GotConn: connected, WroteHeaders: x.body.leave}
	resp, err = c.transport.RoundTrip(req.WithContext(httptrace.WithClientTrace(ctx, trace)))
	switch {
	case err != nil && x.body.state.Load() == bodyRefused:
		return nil, x.body.refusal // net/http knows only that bytes were missing
	case err == nil && resp.StatusCode == http.StatusUnauthorized && c.tokens != nil:
		c.tokens.invalidate(x.token)
	}
	return resp, err
}

// connectInTime ends a request that has no connection by the time its fence refuses. net/http goes on connecting, and
// the next request takes that connection. Refused with the headers written, it would be closed: where every connection
// takes that long, as behind a name server that is gone, no request would ever leave.
func (x *exchange) connectInTime(ctx context.Context) (within context.Context, connected func(httptrace.GotConnInfo)) {
	if x.body.fence == nil {
		return ctx, nil
	}
	within, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(x.fresh, func() {
		if refusal := x.body.fence(); refusal != nil {
			cancel(refusal)
		}
	})
	return within, func(httptrace.GotConnInfo) { timer.Stop() }
}

// notAnswered turns a failed round trip into an *Error, with ErrNotSent if the body can still be withdrawn
// whole.
func (x *exchange) notAnswered(err error) error {
	var failure *Error
	if !errors.As(err, &failure) { // one of a budget says for how long it refuses
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
