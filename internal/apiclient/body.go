package apiclient

import (
	"bytes"
	"io"
	"net/http"
	"sync/atomic"
)

// body is a request body that stays empty until it is about to be written, and knows whether that moment came.
// Until then it can be withdrawn.
//
// It is a bytes.Reader that httptrace fills when the headers are written, the last thing net/http does before
// it reads the body. If that never happens, or the fence refuses, net/http finds fewer bytes than announced
// and closes the connection. A reader of our own would do as well, but for an unknown reader net/http sends
// headers and body in a packet each.
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

// attach makes this the body of a request. Without GetBody, and never nil, the transport cannot replay the
// request: not even a GET, which the budgets counted once.
func (b *body) attach(req *http.Request) {
	req.Body, req.ContentLength = io.NopCloser(&b.reader), int64(len(b.data))
}

// leave fills the reader, at most once. The transport may call it after RoundTrip has returned; a sealed body
// then stays empty.
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

// seal withdraws the body. It returns true if there is a body and nothing of it was handed over, which is then
// final.
func (b *body) seal() bool {
	if len(b.data) == 0 {
		return false
	}
	return b.state.CompareAndSwap(bodyWhole, bodySealed) || b.state.Load() != bodyLeaving
}
