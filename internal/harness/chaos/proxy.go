package chaos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// proxy stands before a service and spoils what passes. Everything it does
// wrong comes from the run's seed.
type proxy struct {
	network, target string

	mu       sync.Mutex
	rng      *rand.Rand
	address  string
	listener net.Listener
	pairs    map[*pair]struct{}
	delay    time.Duration // of each piece, up to
	tricks   []*trick
	played   map[string]int // by the trick's name
}

// trick is something done once, to the first piece from a client that contains
// a text.
type trick struct {
	name  string
	match []byte
	// play gets the connection and the piece. It returns what is to be passed
	// on, nil if nothing.
	play func(p *pair, piece []byte) []byte
}

// pair is one connection and its other half.
type pair struct {
	proxy          *proxy
	client, server net.Conn
	deaf           atomic.Bool              // what the server says is not passed on
	twice          atomic.Bool              // the next piece that the server says is passed on twice
	swap           atomic.Pointer[exchange] // the next piece that the server says is another's
}

// newProxy listens on a free port of this machine.
func newProxy(seed uint64, network, target string) (*proxy, error) {
	p := &proxy{
		network: network, target: target, address: "127.0.0.1:0", pairs: map[*pair]struct{}{}, played: map[string]int{},
		rng: rand.New(rand.NewPCG(seed, 2)), //nolint:gosec // reproducible on purpose
	}
	return p, p.up()
}

// up listens; connections that come while it does not are refused.
func (p *proxy) up() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		return nil
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", p.address)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	p.listener, p.address = listener, listener.Addr().String()
	go p.accept(listener)
	return nil
}

// down refuses new connections and resets those there are.
func (p *proxy) down() {
	p.mu.Lock()
	if p.listener != nil {
		_ = p.listener.Close() // it only stops listening
		p.listener = nil
	}
	p.mu.Unlock()
	p.reset()
}

// reset breaks every connection, idle ones too, and returns how many there were.
func (p *proxy) reset() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	for pair := range p.pairs {
		pair.reset()
	}
	return len(p.pairs)
}

// heal takes back everything.
func (p *proxy) heal() error {
	p.mu.Lock()
	p.delay, p.tricks = 0, nil
	p.mu.Unlock()
	return p.up()
}

func (p *proxy) slow(delay time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = delay
}

func (p *proxy) play(t *trick) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tricks = append(p.tricks, t)
}

// count says how often a trick was played.
func (p *proxy) count(name string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.played[name]
}

func (p *proxy) accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return // closed by down
		}
		go p.serve(client)
	}
}

func (p *proxy) serve(client net.Conn) {
	server, err := net.DialTimeout(p.network, p.target, 5*time.Second) //nolint:noctx // the connection has no context
	if err != nil {
		hangUp(client)
		return
	}
	c := &pair{proxy: p, client: client, server: server}
	p.mu.Lock()
	p.pairs[c] = struct{}{}
	p.mu.Unlock()
	go c.forward()
	c.backward()
	p.mu.Lock()
	delete(p.pairs, c)
	p.mu.Unlock()
}

// forward passes on what the client says.
func (c *pair) forward() {
	defer func() { _ = c.server.Close() }() // backward then ends too
	buffer := make([]byte, 32<<10)
	for {
		n, err := c.client.Read(buffer)
		if n > 0 {
			c.proxy.wait()
			if piece := c.proxy.trick(c, buffer[:n]); len(piece) > 0 {
				if _, err := c.server.Write(piece); err != nil {
					return
				}
			}
		}
		if err != nil {
			return
		}
	}
}

// backward passes on what the server says.
func (c *pair) backward() {
	defer func() { _ = c.client.Close() }()
	buffer := make([]byte, 32<<10)
	for {
		n, err := c.server.Read(buffer)
		if n > 0 && !c.answer(buffer[:n]) {
			return
		}
		if err != nil {
			return
		}
	}
}

// answer passes on a piece, and says whether there is a connection left.
func (c *pair) answer(piece []byte) bool {
	c.proxy.wait()
	if c.deaf.Load() {
		return true
	}
	if x := c.swap.Swap(nil); x != nil {
		if piece = x.trade(piece); piece == nil {
			c.reset()
			return false
		}
	}
	_, err := c.client.Write(piece)
	if err == nil && c.twice.CompareAndSwap(true, false) {
		_, err = c.client.Write(piece)
	}
	return err == nil
}

func (p *proxy) wait() {
	p.mu.Lock()
	delay := p.delay
	if delay > 0 {
		delay = time.Duration(p.rng.Int64N(int64(delay)))
	}
	p.mu.Unlock()
	if delay > 0 {
		time.Sleep(delay)
	}
}

// trick plays the first trick that a piece fits.
func (p *proxy) trick(c *pair, piece []byte) []byte {
	p.mu.Lock()
	var found *trick
	for i, t := range p.tricks {
		if bytes.Contains(piece, t.match) {
			found = t
			p.tricks = append(p.tricks[:i:i], p.tricks[i+1:]...)
			p.played[t.name]++
			break
		}
	}
	p.mu.Unlock()
	if found == nil {
		return piece
	}
	return found.play(c, piece)
}

// reset breaks the connection on both sides.
func (c *pair) reset() {
	hangUp(c.client)
	_ = c.server.Close()
}

// hangUp resets a connection (RST) instead of ending it (FIN).
func hangUp(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // without it the connection ends more politely
	}
	_ = conn.Close()
}

// The tricks.

// loseReply lets the request through and breaks the connection before anything
// comes back.
func loseReply(c *pair, piece []byte) []byte {
	c.deaf.Store(true)
	time.AfterFunc(200*time.Millisecond, c.reset) // the request must have been carried out by then
	return piece
}

// loseRequest breaks the connection before anything went out.
func loseRequest(c *pair, _ []byte) []byte {
	c.reset()
	return nil
}

// sayTwice passes the answer on twice.
func sayTwice(c *pair, piece []byte) []byte {
	c.twice.Store(true)
	return piece
}

// answerInstead answers with a text of its own; the request gets no further.
func answerInstead(text string) func(*pair, []byte) []byte {
	return func(c *pair, _ []byte) []byte {
		_, err := c.client.Write([]byte(text))
		if err == nil || errors.Is(err, net.ErrClosed) {
			return nil
		}
		c.reset()
		return nil
	}
}
