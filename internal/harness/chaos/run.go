package chaos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// crew is the robots at work.
type crew struct {
	*world
	robots  []*robot
	selling atomic.Bool
	slow    atomic.Bool // only so much is sold that the shop is open
	shared  atomic.Int64

	absent []string // sales that never reached the upstream, in the calm
	late   []string // refs that the upstream called failed, and carried out
	repaid int64    // refunds that the upstream withheld in the storm and paid when all healed, millionths

	swept, nudged time.Time // when the till's jobs were asked for

	exposed map[string]string // what the till shows and keeps outside its database, by where

	mu         sync.Mutex
	violations []violation
}

// Run makes a world, lets everything go wrong, heals it, and tells whether what
// must hold did. It fails only if there could be no run; a report with
// violations is no failure of Run.
func Run(ctx context.Context, o Options, out io.Writer) (*Report, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	began := time.Now()
	w, err := newWorld(ctx, o, o.Dir)
	defer w.close()
	if err != nil {
		return nil, err
	}
	c := &crew{world: w}
	r := &Report{Options: o, Command: o.command(), Date: began.UTC().Truncate(time.Second)}
	if err := c.live(ctx, r, out); err != nil {
		return nil, err
	}
	r.Took = time.Since(began)
	return r, nil
}

// live is the life of the world, from the first customer to the last account.
func (c *crew) live(ctx context.Context, r *Report, out io.Writer) error {
	say := func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }
	life, end := context.WithCancel(ctx)
	defer end()
	var background sync.WaitGroup
	defer background.Wait()
	defer end()
	background.Go(func() {
		if err := c.clock.run(life, func(d time.Duration) { c.passInRedis(life, d) }); err != nil {
			c.note("clock", err)
		}
	})
	err := c.open(ctx, life, &background)
	if err != nil {
		return err
	}
	working, home := context.WithCancel(life)
	defer home()
	var work sync.WaitGroup
	for _, robot := range c.robots {
		work.Go(func() { robot.work(working, c.pause) })
	}
	background.Go(func() { c.keepLooking(working) })
	say("%d robots sell; everything goes wrong for %s", len(c.robots), c.options.Duration)
	tally := newTally()
	storm := time.Now()
	c.rage(ctx, tally)
	sleep(ctx, c.options.Duration-time.Since(storm))
	r.Storm, r.Load = time.Since(storm), loadNow()
	r.count(tally)
	if r.Stormed, err = c.soldSoFar(ctx); err != nil {
		return err
	}
	say("everything heals after %s", r.Storm.Round(time.Second))
	if err := c.heal(ctx, r); err != nil {
		return err
	}
	home()
	work.Wait()
	if err := c.lastLook(ctx); err != nil {
		return err
	}
	say("every sale has ended; the books are checked")
	if err := c.judge(ctx, r); err != nil || r.fired("backup") == 0 {
		return err
	}
	return c.oldBackup(ctx, r)
}

func (c *crew) passInRedis(ctx context.Context, d time.Duration) {
	if c.redis != nil {
		c.redis.pass(ctx, d)
	}
}

// open starts the till, has every robot arrive, and keeps the till running.
func (c *crew) open(ctx, life context.Context, background *sync.WaitGroup) error {
	for _, s := range c.sites {
		if err := s.start(ctx); err != nil {
			return err
		}
		background.Go(func() { s.watch(life) })
	}
	if err := c.ready(ctx); err != nil {
		return err
	}
	tills, err := c.tills(ctx)
	if err != nil {
		return err
	}
	c.selling.Store(true)
	var all sync.WaitGroup
	errs := make([]error, len(tills))
	for i, till := range tills {
		r := newRobot(i, c.options.Seed, c.password, c.shop(i < c.options.Robots))
		c.robots = append(c.robots, r)
		all.Go(func() { errs[i] = r.arrive(ctx, till) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// extraRobots sell only what the storm has them sell. Those from closer on do nothing
// but end their shifts.
const (
	extraRobots = 6
	closer      = 3
)

func (c *crew) shop(open bool) *shop {
	return &shop{
		stock: c.stock, sites: c.sites, trouble: c.trouble, shared: c.sharedNumber, sold: func(s *site, at time.Time) { s.sold(at) },
		openHour: func() bool { return open && c.selling.Load() },
	}
}

// ready waits until every process can sell.
func (c *crew) ready(ctx context.Context) error {
	for _, s := range c.sites {
		ready, err := seen(ctx, 2*time.Minute, func() (bool, error) { return s.readyNow(ctx), nil })
		if err != nil || !ready {
			return errors.Join(fmt.Errorf("%s cannot sell", s.name), err)
		}
	}
	return nil
}

// trouble hears what went wrong for a robot. Most of it is what the storm is
// for; what must never be is a violation.
func (c *crew) trouble(robot string, err error) {
	var broken violation
	if errors.As(err, &broken) {
		c.mu.Lock()
		c.violations = append(c.violations, broken)
		c.mu.Unlock()
		return
	}
	c.note("robot", err)
}

// sharedNumber is one that a few customers have in common, so that two cashiers
// meet over it.
func (c *crew) sharedNumber() string { return fmt.Sprintf("0871%06d", c.shared.Add(1)/4) }

// pause is how long a robot rests, so that all together keep the pace.
func (c *crew) pause() time.Duration {
	pause := time.Duration(c.options.Robots) * time.Second / time.Duration(c.options.Pace)
	switch {
	case !c.selling.Load():
		return clearingUp
	case c.slow.Load():
		return time.Duration(c.options.Robots) * time.Second / slowPace
	}
	return pause
}

// slowPace is how many sales a second are made only so that the shop is open.
const slowPace = 3

const clearingUp = 100 * time.Millisecond

// heal takes back everything that was done wrong, and lets time pass until every
// sale has ended. The shop stays open: a sale that succeeds gives the upstream's
// limits back, and a world without any is not a healthy one.
func (c *crew) heal(ctx context.Context, r *Report) error {
	if err := c.mend(ctx); err != nil {
		return err
	}
	if c.options.Calm {
		if err := c.calm(ctx, r); err != nil {
			return err
		}
	}
	c.slow.Store(true)
	r.HealedAt = c.clock.now()
	c.clock.setSpeed(c.options.Speed)
	defer c.clock.setSpeed(1)
	ended, err := c.end(ctx)
	if err != nil {
		return err
	}
	c.selling.Store(false)
	if ended && c.options.Busy > 0 {
		if err := c.busy(ctx, r); err != nil {
			return err
		}
	}
	if ended && c.options.Backlog > 0 { // if not, the books will tell what is still open
		if err := c.backlog(ctx, r); err != nil {
			return err
		}
	}
	r.Unsettled, err = c.settle(ctx)
	r.Healing = c.clock.now().Sub(r.HealedAt)
	return err
}

const settleFor = 4 * time.Minute // really

// mend heals every part of the world.
func (c *crew) mend(ctx context.Context) error {
	late, err := c.console.LateRefs(ctx)
	if err != nil {
		return err
	}
	c.late = late
	if err := c.console.ClearFaults(ctx); err != nil {
		return err
	}
	if err := c.putBalanceRight(ctx); err != nil {
		return err
	}
	for _, p := range []*proxy{c.upstream, c.identity, c.database, c.redisWay} {
		if p == nil {
			continue
		}
		if err := p.heal(); err != nil {
			return err
		}
	}
	for _, s := range c.sites {
		if err := errors.Join(s.proxy.heal(), c.clock.setWrong(s.name, 0)); err != nil {
			return err
		}
	}
	return c.ready(ctx)
}

// end waits until every sale that there is now has ended, while the shop sells on.
// Refunds of the upstream are not waited for: while batch transfers are always
// under way, what the balance shows may be theirs.
func (c *crew) end(ctx context.Context) (bool, error) {
	books, err := c.openBooks()
	if err != nil {
		return false, err
	}
	defer books.close()
	newest, err := books.newest(ctx)
	if err != nil {
		return false, err
	}
	return seen(ctx, settleFor, func() (bool, error) {
		c.nudge(ctx)
		left, err := books.notEnded(ctx, newest)
		if err != nil {
			return false, nil //nolint:nilerr // the database may just be busy; it is asked again
		}
		c.reopen(left)
		return len(left) == 0, nil
	})
}

// settle waits until nothing is open, nothing owed, and the balance was judged: a
// transfer that was reversed last shows there alone. It says what is not, "" if
// all is.
func (c *crew) settle(ctx context.Context) (string, error) {
	books, err := c.openBooks()
	if err != nil {
		return "", err
	}
	defer books.close()
	began := c.clock.now()
	c.nudged = time.Time{}
	var stands error
	settled, err := seen(ctx, settleFor, func() (bool, error) {
		c.nudge(ctx)
		judged, err := books.judged(ctx, began)
		left, unread := books.unsettled(ctx) // after it: what a balance tells may reopen a sale
		if stands = errors.Join(err, unread); stands != nil {
			return false, nil //nolint:nilerr // the database may just be busy; it is asked again
		}
		c.reopen(left)
		stands = fmt.Errorf("%d sales not settled, balance judged %v, robots idle %v", len(left), judged, c.idle())
		return len(left) == 0 && judged && c.idle(), nil
	})
	if err != nil || settled {
		return "", err
	}
	return fmt.Sprintf("%v; %v", stands, books.latest(ctx)), nil
}

// reopen has the robots look at sales that wait for somebody.
func (c *crew) reopen(sales []string) {
	for _, id := range sales {
		for _, robot := range c.robots {
			robot.reopen(id)
		}
	}
}

func (c *crew) soldSoFar(ctx context.Context) (int, error) {
	b, err := c.openBooks()
	if err != nil {
		return 0, err
	}
	defer b.close()
	n, err := b.number(ctx, "SELECT COUNT(*) FROM sales")
	return int(n), err
}

func (c *crew) idle() bool {
	for _, robot := range c.robots {
		if !robot.idle() {
			return false
		}
	}
	return true
}

// lastLook reads what the till shows and keeps outside its database, and ends it.
func (c *crew) lastLook(ctx context.Context) error {
	if err := c.expose(ctx); err != nil {
		return fmt.Errorf("look at what the till shows: %w", err)
	}
	for _, s := range c.sites {
		if err := s.close(stopWithin); err != nil {
			c.violate(violation{Law: "end", Evidence: err.Error()})
		}
	}
	return nil
}

func (c *crew) violate(v violation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.violations = append(c.violations, v)
}
