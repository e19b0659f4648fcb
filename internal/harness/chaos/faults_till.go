package chaos

import (
	"context"
	"errors"
	"slices"
	"syscall"
	"time"

	"airtill/internal/harness/stage"
)

// tillFaults: the processes of the till die, freeze, and live in another time.
func tillFaults() []fault {
	all := []fault{
		{name: "kill-random", lane: "till", more: 1, do: killAnywhere},
		{name: "stop-across-permit", lane: "till", do: freeze("K4", 4*time.Second)},
		{name: "stop-until-gone", lane: "till", on: postgresDB, do: freeze("K4", 13*time.Second)},
		{name: "term-under-load", lane: "till", do: term},
		{name: "two-versions", lane: "till", do: otherVersion},
		{name: "clock-ahead", lane: "clock", do: wrongClock(10 * time.Minute)},
		{name: "clock-behind", lane: "clock", do: wrongClock(-10 * time.Minute)},
	}
	for _, place := range []string{"K1", "K2", "K3", "K4", "K5", "K6", "K7", "K8"} {
		all = append(all, fault{name: "kill-" + place, lane: "till", do: killAt(place, "")})
	}
	for _, place := range []string{"K11", "K12", "K13"} {
		all = append(all, fault{name: "kill-" + place, lane: "till", do: killAnyAt(place)})
	}
	all = append(all, fault{name: "kill-K14", lane: "till", do: killWhileClosing})
	for _, place := range []string{"K9", "K10"} {
		all = append(all, fault{name: "kill-" + place, lane: "till", do: killAt(place, "defer")})
	}
	return all
}

// killAt has a process kill itself at a place, in a send mode that leads there, "" for any.
func killAt(place, mode string) func(context.Context, *storm) (bool, error) {
	return func(ctx context.Context, s *storm) (bool, error) {
		site := s.site()
		if mode != "" {
			site = s.sites[0] // webhooks come here
			if err := site.into(ctx, mode); err != nil {
				return false, err
			}
		}
		return s.kill(ctx, place, site)
	}
}

// killAnyAt is killAt where a process comes only when a sale is cancelled or refunded: whichever is there first, and
// somebody has cash to hand back.
func killAnyAt(place string) func(context.Context, *storm) (bool, error) {
	return func(ctx context.Context, s *storm) (bool, error) {
		if err := s.console.AddFault(ctx, refusals()); err != nil {
			return false, err
		}
		return s.kill(ctx, place, s.sites...)
	}
}

// kill has processes kill themselves at a place, and says whether one has.
func (s *storm) kill(ctx context.Context, place string, sites ...*site) (fired bool, err error) {
	for _, site := range sites {
		if err := site.arm(place, "kill"); err != nil {
			return false, err
		}
	}
	_, err = seen(ctx, firesWithin, func() (bool, error) {
		return slices.ContainsFunc(sites, func(site *site) bool { return site.fired(place) }), nil
	})
	for _, site := range sites {
		fired = site.disarm(place) || fired
	}
	return fired, err
}

// into has the process run in a send mode, ending it politely if it must.
func (s *site) into(ctx context.Context, mode string) error {
	s.mu.Lock()
	p, now := s.program, s.mode
	if now != mode {
		s.next = mode
	}
	s.mu.Unlock()
	if now == mode {
		return nil
	}
	p.Signal(syscall.SIGTERM)
	_, err := seen(ctx, stopWithin, func() (bool, error) { return s.current() != p, nil })
	return err
}

const stopWithin = 2 * time.Minute // a send may take 100 s

func killAnywhere(_ context.Context, s *storm) (bool, error) {
	p := s.site().current()
	p.Kill()
	return true, nil
}

// freeze stops a process at a place for a while, as SIGSTOP does: the permit is
// committed and nothing is sent yet.
func freeze(place string, length time.Duration) func(context.Context, *storm) (bool, error) {
	return func(ctx context.Context, s *storm) (bool, error) {
		site := s.site()
		if err := site.arm(place, "stop"); err != nil {
			return false, err
		}
		fired, err := seen(ctx, firesWithin, func() (bool, error) { return site.fired(place), nil })
		sleep(ctx, length)
		site.disarm(place)
		site.current().Signal(syscall.SIGCONT) // not who was there at first, who may just have died
		return fired, err
	}
}

// term asks a process to end while it sells: what it sends must end first.
func term(ctx context.Context, s *storm) (bool, error) {
	site := s.site()
	p := site.current()
	p.Signal(syscall.SIGTERM)
	return seen(ctx, stopWithin, func() (bool, error) { return !p.Running(), nil })
}

// otherVersion has one process run as another version for a while.
func otherVersion(ctx context.Context, s *storm) (bool, error) {
	site := s.site()
	site.mu.Lock()
	was := site.binary
	site.binary = was + "-other"
	p := site.program
	site.mu.Unlock()
	p.Kill()
	sold, err := seen(ctx, firesWithin, func() (bool, error) { return site.current() != p && site.soldAgain(), nil })
	site.mu.Lock()
	site.binary = was
	site.mu.Unlock()
	return sold, err
}

// wrongClock sets the clock of one process wrong for a while.
func wrongClock(by time.Duration) func(context.Context, *storm) (bool, error) {
	return func(ctx context.Context, s *storm) (bool, error) {
		site := s.site()
		if err := s.clock.setWrong(site.name, by); err != nil {
			return false, err
		}
		sleep(ctx, 4*time.Second)
		return true, s.clock.setWrong(site.name, 0)
	}
}

// killWhileClosing ends the process in the middle of a shift's end: it is closed
// whole, or not at all.
func killWhileClosing(ctx context.Context, s *storm) (bool, error) {
	r, err := s.whoMayClose(ctx)
	if err != nil || r == nil {
		return false, err
	}
	site := r.home()
	if err := site.arm("K14", "kill"); err != nil {
		return false, err
	}
	ctx = context.WithoutCancel(ctx) // nobody leaves a drawer half closed
	closed, err := seen(ctx, stopWithin, func() (bool, error) { return r.certainly(ctx, r.closeShift) })
	fired := site.disarm("K14")
	if err != nil || !closed {
		return fired, err
	}
	_, err = seen(ctx, stopWithin, func() (bool, error) {
		return r.certainly(ctx, func(ctx context.Context) (bool, error) { return true, r.openShift(ctx) })
	})
	return fired, err
}

// whoMayClose is a robot that has sold and waits for nothing, nil if there is none: one
// or the other may have a sale that is not known for a quarter of an hour.
func (s *storm) whoMayClose(ctx context.Context) (free *robot, err error) {
	closers := s.extra[closer:]
	for _, r := range closers {
		if _, err := r.certainly(ctx, func(ctx context.Context) (bool, error) { return true, r.sellThis(ctx, s.item(), s.number()) }); err != nil {
			return nil, err
		}
	}
	_, err = seen(ctx, firesWithin, func() (bool, error) {
		i := slices.IndexFunc(closers, (*robot).idle)
		if i >= 0 {
			free = closers[i]
		}
		return i >= 0, nil
	})
	return free, err
}

// certainly does something that may be repeated. What is no violation is tried
// again.
func (r *robot) certainly(ctx context.Context, do func(context.Context) (bool, error)) (bool, error) {
	done, err := do(ctx)
	var broken violation
	switch {
	case err == nil, errors.As(err, &broken):
		return done, err
	case errors.Is(err, stage.ErrSignedOut):
		_ = r.browser.SignIn(ctx, r.name, r.password) // or the next time
	}
	return false, nil
}
