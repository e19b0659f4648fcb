package chaos

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"airtill/internal/harness/stage"
)

// The busy hour: how many of its sales are not answered, how long it takes, how fast
// that time passes, and how much later than by the schedule the limit may let an outcome
// be known.
const (
	busyLost  = 60
	busyFor   = 20 * time.Minute
	busySpeed = 8
	busyWait  = 12 * time.Minute
	verdictIn = 16 * time.Minute
)

// busy sells so many transfers in twenty minutes of the programs' time, of which sixty
// are not answered and half of those not carried out, and then no more that would give
// the limits back.
func (c *crew) busy(ctx context.Context, r *Report) error {
	c.clock.setSpeed(1)
	if err := c.waiting(ctx); err != nil {
		return err
	}
	for _, when := range []string{"before", "after"} {
		fault := stage.Fault{Match: match(sendTransfer), Action: does{"kind": "drop", "when": when}, Times: busyLost / 2, Chance: 100 * busyLost / c.options.Busy}
		if err := c.console.AddFault(ctx, fault); err != nil {
			return err
		}
	}
	b, err := c.openBooks()
	if err != nil {
		return err
	}
	defer b.close()
	first, err := b.newest(ctx)
	if err != nil {
		return err
	}
	c.clock.setSpeed(busySpeed)
	c.sellSlowly(ctx)
	script, err := c.console.Faults(ctx)
	if err != nil {
		return err
	}
	fired := 0
	for _, f := range script {
		fired += f.Fired
	}
	r.once("busy-unanswered", fired >= busyLost/2)
	if err := c.console.ClearFaults(ctx); err != nil {
		return err
	}
	c.clock.setSpeed(c.options.Speed)
	if _, err := seen(ctx, settleFor, func() (bool, error) {
		c.sweep(ctx)
		left, err := b.unsettledIn(ctx, "recorded", "sending", "unknown", "submitted", "processing")
		return left == 0, err
	}); err != nil {
		return err
	}
	return c.measureBusy(ctx, b, first, r)
}

// sellSlowly has the robots sell through the busy hour, and the till look for what is
// due as often as it does.
func (c *crew) sellSlowly(ctx context.Context) {
	began, done := c.clock.now(), make(chan struct{})
	var all sync.WaitGroup
	for i := range c.options.Robots {
		robot, d := c.robots[i], newDice(c.options.Seed, sumOf("busy")+uint64(i))
		all.Go(func() {
			each := c.options.Busy / c.options.Robots
			for n := range each {
				for c.clock.now().Sub(began) < busyFor*time.Duration(n)/time.Duration(each) {
					sleep(ctx, tick)
				}
				if err := robot.sellThis(ctx, c.stock.fixed, c.stock.fixed.number(d)); err != nil {
					c.trouble(robot.name, err)
				}
			}
		})
	}
	go func() {
		all.Wait()
		close(done)
	}()
	for {
		select {
		case <-done:
			return
		case <-time.After(tick):
			c.sweep(ctx)
		}
	}
}

// measureBusy reads how long after its permit each sale since one was known.
func (c *crew) measureBusy(ctx context.Context, b *books, first string, r *Report) error {
	history, err := b.history(ctx)
	if err != nil {
		return err
	}
	var took []time.Duration
	for id, moves := range history {
		if id <= first || !slices.ContainsFunc(moves, func(m moved) bool { return strings.HasPrefix(m.Became, "unknown") }) {
			continue
		}
		known, ended := knownAfter(moves)
		if !ended || known > verdictIn+busyWait {
			c.violate(violation{"I11", id, "sold in the busy hour, and not known in time"})
		}
		took = append(took, known)
	}
	r.Busy = timesOf(took)
	return nil
}
