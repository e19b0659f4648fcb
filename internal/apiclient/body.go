package apiclient

import (
	"errors"
	"io"
	"sync/atomic"
)

var errSealed = errors.New("request body withdrawn")

// body is a request body that knows whether any of it was handed over, and
// that can be withdrawn as long as nothing was. It has no GetBody and is never
// nil, so Go's transport cannot replay the request: not even a GET, of which
// the budgets have counted one.
type body struct {
	data []byte
	// fence, if set, is asked once, immediately before the first byte.
	fence func() error

	read  int
	state atomic.Int32
}

const (
	bodyWhole   = iota // nothing was handed over
	bodyLeaving        // some of it may have left
	bodySealed         // nothing ever will
)

// Read hands over bytes. The transport may call it even after RoundTrip has
// returned; once sealed, it then gets an error instead of bytes.
func (b *body) Read(p []byte) (int, error) {
	if b.read == len(b.data) {
		return 0, io.EOF
	}
	if err := b.open(); err != nil {
		return 0, err
	}
	n := copy(p, b.data[b.read:])
	b.read += n
	return n, nil
}

func (b *body) open() error {
	if b.state.Load() == bodyLeaving {
		return nil
	}
	if b.fence != nil {
		if err := b.fence(); err != nil {
			return err
		}
	}
	if !b.state.CompareAndSwap(bodyWhole, bodyLeaving) {
		return errSealed
	}
	return nil
}

// seal withdraws the body. It says true if there is a body and nothing of it
// was handed over, which is then settled for good.
func (b *body) seal() bool {
	return len(b.data) > 0 && b.state.CompareAndSwap(bodyWhole, bodySealed)
}

// Close does nothing: the bytes are in memory.
func (b *body) Close() error { return nil }
