package chaos

import (
	"bytes"
	"sync/atomic"
	"time"
)

// exchange is where two connections give each other what their servers said.
type exchange struct {
	came  atomic.Int32
	left  [2]chan []byte // by who left it
	given atomic.Int32
}

func newExchange() *exchange {
	return &exchange{left: [2]chan []byte{make(chan []byte, 1), make(chan []byte, 1)}}
}

// take is the trick that sends a connection's next answer here.
func (x *exchange) take(c *pair, piece []byte) []byte {
	c.swap.Store(x)
	return piece
}

// tradeWithin is how long one waits for the other.
const tradeWithin = 5 * time.Second

// trade leaves a piece and returns the other's, nil if nobody else came. A
// refusal is not traded: it bears no ref, and nobody could tell whose it is.
func (x *exchange) trade(piece []byte) []byte {
	who := x.came.Add(1) - 1
	x.left[who] <- bytes.Clone(piece)
	select {
	case other := <-x.left[1-who]:
		if !bytes.HasPrefix(piece, []byte(success)) || !bytes.HasPrefix(other, []byte(success)) {
			return piece
		}
		x.given.Add(1)
		return other
	case <-time.After(tradeWithin):
		return nil
	}
}

const success = "HTTP/1.1 200 " // begins an answer that has a record

// done says whether both got the other's.
func (x *exchange) done() bool { return x.given.Load() == 2 }
