package chaos

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// tick is how often time that passes faster is handed out.
const tick = 20 * time.Millisecond

// clock is the time that the programs live in. Each reads it from a file of
// its own, so that one can be set wrong; the layout is failpoint's.
type clock struct {
	dir string

	mu    sync.Mutex
	files map[string]*os.File
	ahead time.Duration // how much more has passed than really has
	speed int           // seconds that pass in a real one
}

func newClock(dir string) *clock { return &clock{dir: dir, files: map[string]*os.File{}, speed: 1} }

// file makes the clock of a program and returns its path.
func (c *clock) file(name string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	path := filepath.Join(c.dir, name+".clock")
	if c.files[name] != nil {
		return path, nil
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return "", fmt.Errorf("make a clock: %w", err)
	}
	c.files[name] = file
	if err := write(file, 0, int64(c.ahead)); err != nil {
		return "", err
	}
	return path, write(file, 1, 0)
}

// write sets a word of a clock file. Aligned and of eight bytes, it is never
// seen half written.
func write(file *os.File, word int, value int64) error {
	var bytes [8]byte
	binary.NativeEndian.PutUint64(bytes[:], uint64(value))
	if _, err := file.WriteAt(bytes[:], int64(word)*8); err != nil {
		return fmt.Errorf("set a clock: %w", err)
	}
	return nil
}

// now is what a clock that nobody has set wrong shows.
func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

// setSpeed says how many seconds pass in a real one.
func (c *clock) setSpeed(speed int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.speed = speed
}

// setWrong sets the wall clock of one program wrong, or right again with 0.
func (c *clock) setWrong(name string, by time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return write(c.files[name], 1, int64(by/time.Second))
}

// run hands out time until the context ends. passed hears of every step that is
// more than really passed: Redis counts budgets by a clock that cannot be moved.
func (c *clock) run(ctx context.Context, passed func(time.Duration)) error {
	every := time.NewTicker(tick)
	defer every.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-every.C:
		}
		now := time.Now()
		step, err := c.advance(now.Sub(last))
		if err != nil {
			return err
		}
		last = now
		if step > 0 {
			passed(step)
		}
	}
}

func (c *clock) advance(real time.Duration) (time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	step := real * time.Duration(c.speed-1)
	if step == 0 {
		return 0, nil
	}
	c.ahead += step
	for _, file := range c.files {
		if err := write(file, 0, int64(c.ahead)); err != nil {
			return 0, err
		}
	}
	return step, nil
}

func (c *clock) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, file := range c.files {
		_ = file.Close() // the directory goes with it
	}
}
