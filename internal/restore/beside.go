package restore

import (
	"context"
	"errors"
	"time"

	"airtill/internal/fault"
	"airtill/internal/jobs"

	"github.com/redis/go-redis/v9"
)

// Presence tells other tills on the same Redis that a process of an installation is running. A copy of a database has
// the installation's name, so that its marks would be taken for those of the original.
type Presence struct {
	Client  redis.UniversalClient
	Prefix  string
	Process string // its id among jobs.Processes
}

func (p *Presence) key(name string) string { return p.Prefix + "running:" + name }

// show says for as long as a beat counts that the process is running.
func (p *Presence) show(ctx context.Context, name string) error {
	return p.Client.Set(ctx, p.key(name), p.Process, jobs.AliveFor*time.Second).Err()
}

// last is the process that showed itself last, and for how long it is remembered; "" if none did lately.
func (p *Presence) last(ctx context.Context, name string) (process string, left time.Duration, err error) {
	process, err = p.Client.Get(ctx, p.key(name)).Result()
	if errors.Is(err, redis.Nil) {
		return "", 0, nil
	}
	if err != nil {
		return "", 0, err
	}
	left, err = p.Client.PTTL(ctx, p.key(name)).Result()
	return process, left, err
}

// Beat is Compare for a process that is running, and shows it to others.
func (s *Service) Beat(ctx context.Context) error {
	name, err := s.compareAll(ctx)
	if err != nil || name == "" || s.d.Presence == nil {
		return err
	}
	if err := s.d.Presence.show(ctx, name); err != nil { // as with marks, the till must sell without Redis
		s.d.Log.WarnContext(ctx, "restore.presence_not_shown", "error", err)
	}
	return nil
}

// beside fails while a process is running that works on another database of this name: the marks of one would have the
// other stop. One that was killed a moment ago is waited for: it shows itself no more, and is forgotten.
func (s *Service) beside(ctx context.Context) error {
	if s.d.Presence == nil {
		return nil
	}
	at, err := s.position(ctx)
	if err != nil || at.name() == "" {
		return err
	}
	const look = 250 * time.Millisecond
	for before := jobs.AliveFor * time.Second; ; {
		process, left, err := s.d.Presence.last(ctx, at.name())
		if err != nil {
			s.d.Log.WarnContext(ctx, "restore.presence_not_read", "error", err)
			return nil
		}
		if process == "" {
			return nil
		}
		here, err := jobs.BeatLately(ctx, s.d.DB, process, s.d.Now())
		if err != nil || here {
			return err
		}
		if left > before {
			return fault.New(fault.Conflict, "restore.beside")
		}
		before = left
		select {
		case <-time.After(look):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
