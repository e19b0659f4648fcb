package apiclient

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

// body is a request body that stays empty until the very moment it is to be
// written, and knows whether that moment came. Until then it can be withdrawn.
//
// It is a bytes.Reader that httptrace fills when the headers are written: the
// last thing net/http does before it reads the body. If that never happens, or
// the fence refuses, net/http finds fewer bytes than announced and closes the
// connection. A reader of our own would do as well, but net/http gives headers
// and body of an unknown reader a packet each.
type body struct {
	data []byte
	// fence, if set, is asked once, immediately before the first byte.
	fence func() error

	reader  bytes.Reader
	refusal error // by the fence; settled once state is bodyRefused
	state   atomic.Int32
}

const (
	bodyWhole   = iota // nothing was handed over
	bodyLeaving        // some of it may have left
	bodyRefused        // by the fence: nothing ever will
	bodySealed         // by seal: nothing ever will
)

// attach makes this the body of a request. Without GetBody, and never nil, the
// request cannot be replayed by the transport: not even a GET, of which the
// budgets have counted one.
func (b *body) attach(req *http.Request) {
	req.Body, req.ContentLength = io.NopCloser(&b.reader), int64(len(b.data))
}

// leave fills the reader, at most once. The transport may come here even after
// RoundTrip has returned; a sealed body then stays empty.
func (b *body) leave() {
	if b.fence != nil && b.state.Load() == bodyWhole {
		if b.refusal = b.fence(); b.refusal != nil {
			b.state.CompareAndSwap(bodyWhole, bodyRefused)
			return
		}
	}
	if b.state.CompareAndSwap(bodyWhole, bodyLeaving) {
		b.reader.Reset(b.data)
	}
}

// seal withdraws the body. It says true if there is a body and nothing of it
// was handed over, which is then settled for good.
func (b *body) seal() bool {
	if len(b.data) == 0 {
		return false
	}
	return b.state.CompareAndSwap(bodyWhole, bodySealed) || b.state.Load() != bodyLeaving
}

// fenced lets a request's body leave. It stands next to the transport, so that
// no other request made on the way, such as one for a token, opens the body.
type fenced struct{ next http.RoundTripper }

// RoundTrip sends a request whose body leaves with its headers, or not at all.
func (t *fenced) RoundTrip(req *http.Request) (*http.Response, error) {
	body := exchangeOf(req).body
	trace := &httptrace.ClientTrace{WroteHeaders: body.leave}
	resp, err := t.next.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err != nil && body.state.Load() == bodyRefused {
		return nil, body.refusal // net/http only knows that bytes were missing
	}
	return resp, err
}
