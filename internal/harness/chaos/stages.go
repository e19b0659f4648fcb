package chaos

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"airtill/internal/harness/stage"
)

// The sends of the calm: how many of each kind, and what becomes of them.
const (
	calmCut  = 20
	calmHung = 10
	calmSlow = 3
	calmGone = 5
	calmKill = 10 // of processes, not sends
	// sendPatience is how long the till waits for an answer, and what it then
	// needs to look and to find.
	sendPatience = 100*time.Second + 10*time.Second
)

// calm measures how soon the till knows of a transfer that was carried out and
// whose answer did not come: nothing else goes wrong meanwhile, and the clocks
// are right.
func (c *crew) calm(ctx context.Context, r *Report) error {
	c.slow.Store(true)
	d := newDice(c.options.Seed, sumOf("calm"))
	if err := c.killCalmly(ctx, d, r); err != nil {
		return err
	}
	if err := c.waiting(ctx); err != nil { // after the kills: who was killed may come back sending otherwise
		return err
	}
	for _, kind := range []struct {
		times int
		does  does
	}{
		{calmCut, does{"kind": "reset", "when": "after"}},
		{calmHung, does{"kind": "hang", "when": "after"}},
		{calmSlow, does{"kind": "delay", "when": "after", "for": "89.9s"}},
		{calmSlow, does{"kind": "delay", "when": "after", "for": "101s"}},
		{calmGone, does{"kind": "reset", "when": "before"}},
	} {
		for range kind.times {
			if err := c.sellInto(ctx, d, kind.does); err != nil {
				return err
			}
		}
	}
	sleep(ctx, sendPatience)
	return c.measure(ctx, r)
}

// killCalmly measures how soon a process sells again that was killed, on a
// machine that has little else to do: a cashier tries until it does.
func (c *crew) killCalmly(ctx context.Context, d *dice, r *Report) error {
	var took []time.Duration
	for i := range calmKill {
		robot := c.robots[c.options.Robots+i%len(c.sites)]
		site := robot.home()
		dead, died := site.current(), time.Now()
		dead.Kill()
		back, err := seen(ctx, stage.StartWithin, func() (bool, error) {
			if site.current() == dead {
				return false, nil
			}
			item := c.stock.fixed
			before := robot.sales()
			if err := robot.sellThis(ctx, item, item.number(d)); err != nil {
				c.trouble(robot.name, err)
			}
			return robot.sales() > before, nil
		})
		switch {
		case err != nil:
			return err
		case back:
			took = append(took, time.Since(died))
		}
		if err := c.ready(ctx); err != nil {
			return err
		}
	}
	r.once("calm-kill", len(took) == calmKill)
	r.CalmSale = timesOf(took)
	sleep(ctx, heldForGone) // a sweep that died in its middle holds the next ones back until then
	return nil
}

// heldForGone is when the till is sure that a process is gone, and a little.
const heldForGone = 15 * time.Second

// waiting has every process wait for its answers: no webhook tells the outcome.
func (c *crew) waiting(ctx context.Context) error {
	for _, s := range c.sites {
		if err := s.into(ctx, "wait"); err != nil {
			return err
		}
	}
	return c.ready(ctx)
}

// sellInto sells to a number for whose transfer the sandbox does something.
func (c *crew) sellInto(ctx context.Context, d *dice, a does) error {
	item := c.stock.fixed
	number := item.number(d)
	fault := stage.Fault{Match: map[string]any{"endpoint": sendTransfer, "number": "353" + number[1:]}, Action: a, Times: 1}
	if err := c.console.AddFault(ctx, fault); err != nil {
		return err
	}
	robot := c.robots[c.options.Robots+d.below(2)]
	if err := robot.sellThis(ctx, item, number); err != nil {
		return fmt.Errorf("sell in the calm: %w", err)
	}
	return nil
}

// measure reads out of the history how long after its permit each sale was
// known, by what the sandbox did to it.
func (c *crew) measure(ctx context.Context, r *Report) error {
	b, err := c.openBooks()
	if err != nil {
		return err
	}
	defer b.close()
	history, err := b.history(ctx)
	if err != nil {
		return err
	}
	script, err := c.console.Faults(ctx)
	if err != nil {
		return err
	}
	sales, err := b.byNumber(ctx)
	if err != nil {
		return err
	}
	known := map[string][]time.Duration{}
	for _, f := range script {
		number, calm := f.Match["number"].(string)
		if !calm {
			continue
		}
		kind := fmt.Sprint(f.Action["kind"], f.Action["for"])
		if f.Action["when"] == "before" {
			c.absent = append(c.absent, sales[number]) // judged when a quarter of an hour has passed
			continue
		}
		c.calmed(r, kind, f.Fired > 0)
		if took, ended := knownAfter(history[sales[number]]); ended {
			known[kind] = append(known[kind], took)
		} else {
			c.violate(violation{"I11", sales[number], "carried out, its answer " + kind + ", and not known after " + sendPatience.String()})
		}
	}
	r.Cut, r.Hung = timesOf(known["reset<nil>"]), timesOf(append(known["hang<nil>"], known["delay1m41s"]...))
	r.Slow = timesOf(known["delay1m29.9s"])
	return nil
}

// calmed counts a fault of the calm beside those of the storm.
func (c *crew) calmed(r *Report, kind string, fired bool) {
	name := "calm-" + map[string]string{"reset<nil>": "cut", "hang<nil>": "hung", "delay1m29.9s": "answer-at-89.9s", "delay1m41s": "answer-at-101s"}[kind]
	for i := range r.Faults {
		if r.Faults[i].Name == name {
			r.Faults[i].Asked++
			if fired {
				r.Faults[i].Fired++
			}
			return
		}
	}
	r.Faults = append(r.Faults, Count{Name: name, Asked: 1})
	if fired {
		r.Faults[len(r.Faults)-1].Fired = 1
	}
}

// knownAfter is the time from the permit to the end.
func knownAfter(history []moved) (time.Duration, bool) {
	var permit time.Time
	for _, m := range history {
		switch {
		case m.Cause == "permitted":
			permit = m.At
		case m.final() && !permit.IsZero():
			return m.At.Sub(permit), true
		}
	}
	return 0, false
}

// backlog leaves many sales unknown at once: the upstream carries out all,
// answers nothing, and lists nothing until the till has used up its limit of
// look-ups. Then it is well again, nothing more is sold that would give the
// limit back, and the till has to find out within it.
func (c *crew) backlog(ctx context.Context, r *Report) error {
	c.clock.setSpeed(1)
	defer c.clock.setSpeed(c.options.Speed)
	if err := c.waiting(ctx); err != nil {
		return err
	}
	for _, f := range []stage.Fault{
		{Match: match(sendTransfer), Action: does{"kind": "drop", "when": "after"}, Times: -1},
		{Match: match(lists), Action: does{"kind": "list_empty"}, Times: -1},
	} {
		if err := c.console.AddFault(ctx, f); err != nil {
			return err
		}
	}
	c.sellAll(ctx)
	b, err := c.openBooks()
	if err != nil {
		return err
	}
	defer b.close()
	if _, err = seen(ctx, stage.Patience, func() (bool, error) {
		left, err := b.unsettledIn(ctx, "unknown", "submitted")
		r.Backlog = left
		return left >= c.options.Backlog*9/10, err
	}); err != nil {
		return err
	}
	used, err := c.usedUp(ctx, b)
	if err != nil {
		return err
	}
	r.once("limit-used-up", used)
	if err := c.console.ClearFaults(ctx); err != nil {
		return err
	}
	before, err := c.console.Calls(ctx)
	if err != nil {
		return err
	}
	healed := c.clock.now()
	c.clock.setSpeed(c.options.Speed)
	_, err = seen(ctx, settleFor, func() (bool, error) {
		c.sweep(ctx)
		now, err := c.console.Calls(ctx)
		if err != nil {
			return false, err
		}
		if now.Counts[lists] > before.Counts[lists] {
			c.clock.setSpeed(1) // it waits no longer, and what it does takes real time
		}
		left, err := b.unsettledIn(ctx, "recorded", "sending", "unknown", "submitted", "processing")
		return left == 0, err
	})
	r.BacklogTook = c.clock.now().Sub(healed)
	return err
}

// usedUp waits until the till has used up its limit of look-ups: it has sales to
// look up, is asked to, and makes no call.
func (c *crew) usedUp(ctx context.Context, b *books) (bool, error) {
	var last int
	since := time.Now()
	return seen(ctx, wasteFor, func() (bool, error) {
		c.sweep(ctx)
		calls, err := c.console.Calls(ctx)
		if err != nil {
			return false, err
		}
		due, err := b.due(ctx, c.clock.now())
		if now := calls.Counts[lists]; now != last || due == 0 {
			last, since = now, time.Now()
		}
		return time.Since(since) > 2*sweepEvery, err
	})
}

const wasteFor = 2 * time.Minute

// sellAll has every robot sell as fast as it can.
func (c *crew) sellAll(ctx context.Context) {
	var all sync.WaitGroup
	for i := range c.options.Robots {
		robot, d := c.robots[i], newDice(c.options.Seed, sumOf("backlog")+uint64(i))
		all.Go(func() {
			for range c.options.Backlog/c.options.Robots + 1 {
				item := c.stock.fixed
				if err := robot.sellThis(ctx, item, item.number(d)); err != nil {
					c.trouble(robot.name, err)
				}
			}
		})
	}
	all.Wait()
}

// putBalanceRight takes back what came to the upstream's balance in the storm:
// nobody has booked it, and a difference is a person's to explain. What was
// withheld of refunds comes now, in one sum.
func (c *crew) putBalanceRight(ctx context.Context) error {
	ledger, err := c.console.Ledger(ctx)
	if err != nil {
		return err
	}
	c.repaid = withheld(ledger)
	right := c.repaid - micros(ledger.Topups)
	if right == 0 {
		return nil
	}
	digits, _, _ := strings.Cut(amount(right), " ")
	err = c.console.AddFault(ctx, stage.Fault{Match: match("GetBalance"), Action: does{"kind": "balance_drift", "amount": digits}, Times: 1})
	if err != nil {
		return err
	}
	_, err = c.console.API(ctx, "GetBalance")
	return errors.Join(err, c.console.ClearFaults(ctx))
}
