package chaos

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"
	"time"

	"airtill/internal/harness/stage"
)

// fault is one way in which things go wrong.
type fault struct {
	name string
	lane string // faults of one lane come one after the other
	on   string // the one database it is for, "" for both
	more int    // how often it comes beyond once
	// disturbs says that nobody can sell meanwhile, whatever the till does: how
	// soon a killed process sells again is then not measured.
	disturbs bool
	// do lets it happen and says whether it was seen to.
	do func(ctx context.Context, s *storm) (bool, error)
}

// named says whether a fault is meant by its name or its family, which is what
// its name begins with.
func (f fault) named(name string) bool {
	return f.name == name || len(f.name) > len(name) && f.name[:len(name)] == name && f.name[len(name)] == '-' || f.lane == name
}

// faults is everything that can go wrong.
func faults() []fault {
	return slices.Concat(tillFaults(), replyFaults(), listFaults(), webhookFaults(), databaseFaults(), redisFaults(), peopleFaults(), []fault{backupFault()})
}

// storm is the time in which everything goes wrong.
type storm struct {
	*world
	robots []*robot
	extra  []*robot // who sell only what the storm has them sell
	dice   *dice    // of the lane
	lane   string

	tally    *tally
	violated func(violation)
}

// tally counts what was asked for and what was seen.
type tally struct {
	mu    sync.Mutex
	asked map[string]int
	fired map[string]int
}

func newTally() *tally { return &tally{asked: map[string]int{}, fired: map[string]int{}} }

func (t *tally) count(name string, fired bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked[name]++
	if fired {
		t.fired[name]++
	}
}

// missing are the kinds that were asked for and never seen.
func (t *tally) missing() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var names []string
	for name := range t.asked {
		if t.fired[name] == 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// rage runs every lane to its end, or until the storm has lasted much too long:
// what has not come by then counts as never seen. Each lane comes in an order and
// at times that the seed decides.
func (c *crew) rage(ctx context.Context, t *tally) {
	ctx, cancel := context.WithTimeout(ctx, 2*c.options.Duration+stormGrace)
	defer cancel()
	lanes := map[string][]fault{}
	for _, f := range c.options.wanted() {
		for range 1 + f.more {
			lanes[f.lane] = append(lanes[f.lane], f)
		}
	}
	var all sync.WaitGroup
	for lane, planned := range lanes {
		s := &storm{
			world: c.world, robots: c.robots, extra: c.robots[c.options.Robots:], lane: lane, tally: t, violated: c.violate,
			dice: newDice(c.options.Seed, sumOf(lane)),
		}
		s.dice.rng.Shuffle(len(planned), func(i, j int) { planned[i], planned[j] = planned[j], planned[i] })
		all.Go(func() { s.run(ctx, planned) })
	}
	all.Wait()
}

// stormGrace is what even the shortest storm needs on a busy machine, each fault coming once, and some after several
// tries.
const stormGrace = 3 * time.Minute

func sumOf(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // a hash never fails
	return h.Sum64()
}

// run lets the faults of a lane happen, spread over the storm. One that comes
// late moves the others; none is left out.
func (s *storm) run(ctx context.Context, planned []fault) {
	tries, count := map[string]int{}, len(planned)
	began, share := time.Now(), s.options.Duration/time.Duration(len(planned)+1)
	for i := 0; i < len(planned); i++ {
		f := planned[i]
		due := began.Add(share*time.Duration(min(i, count)) + share*time.Duration(s.dice.below(100))/100)
		if !sleep(ctx, time.Until(due)) {
			s.tally.count(f.name, false)
			continue
		}
		end, since := s.disturbing(f.disturbs), time.Now()
		fired, err := f.do(ctx, s)
		end()
		s.tell("%s %s: seen %v, took %s, %v", f.lane, f.name, fired, time.Since(since).Round(time.Millisecond), err)
		var broken violation
		switch {
		case errors.As(err, &broken):
			s.violated(broken)
		case err != nil:
			s.note("fault "+f.name, err)
		}
		s.tally.count(f.name, fired)
		if tries[f.name]++; !fired && tries[f.name] < triesToFire && ctx.Err() == nil {
			planned = append(planned, f) // there was just nothing that it could strike
			sleep(ctx, time.Second)
		}
	}
}

const triesToFire = 12

// sleep says whether the context outlived it.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(max(d, 0)):
		return true
	}
}

// seen waits until something has happened, for a while.
func seen(ctx context.Context, within time.Duration, look func() (bool, error)) (bool, error) {
	for deadline := time.Now().Add(within); ; {
		happened, err := look()
		if err != nil || happened {
			return happened, err
		}
		if time.Now().After(deadline) || !sleep(ctx, 50*time.Millisecond) {
			return false, nil
		}
	}
}

const firesWithin = 10 * time.Second

// provoke has the sandbox do something wrong, and waits until it has.
func (s *storm) provoke(ctx context.Context, all ...stage.Fault) (bool, error) {
	before, err := s.console.Faults(ctx)
	if err != nil {
		return false, err
	}
	if err := s.console.AddFault(ctx, all...); err != nil {
		return false, err
	}
	for _, f := range all {
		if fired, err := seen(ctx, firesWithin, func() (bool, error) { return s.hasFired(ctx, f, len(before)) }); err != nil || !fired {
			return false, err
		}
	}
	return true, nil
}

// hasFired looks for a fault in the script, where others may have come before.
func (s *storm) hasFired(ctx context.Context, f stage.Fault, from int) (bool, error) {
	script, err := s.console.Faults(ctx)
	if err != nil {
		return false, err
	}
	for _, other := range script[min(from, len(script)):] {
		if fmt.Sprint(other.Match, other.Action) == fmt.Sprint(f.Match, f.Action) {
			return other.Fired > 0, nil
		}
	}
	return false, nil
}

// site picks one of the till's processes.
func (s *storm) site() *site { return s.sites[s.dice.below(len(s.sites))] }
