package chaos

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"airtill/internal/harness/stage"
)

// site is one process of the till with the address that people use, and whoever
// starts it again when it dies.
type site struct {
	name  string
	world *world
	proxy *proxy // what people reach it through
	own   string // the address it listens on itself
	marks string // its failpoints' directory
	clock string

	mu      sync.Mutex
	program *stage.Program
	binary  string
	mode    string
	next    string    // the send mode to be started in next, "" for any
	closed  bool      // not to be started again
	died    time.Time // when it was killed last; zero once it has sold again
	back    time.Time // when it was started again after that
	firsts  []time.Duration
	pages   int64 // the most that its SQLite file may have, 0 for any
	deaths  int
}

func (s *site) url() string { return "http://" + s.proxy.address }

// start starts the process and waits until it answers.
func (s *site) start(ctx context.Context) error {
	s.mu.Lock()
	env := append([]string{
		"LISTEN_ADDR=" + s.own, "PUBLIC_URL=" + s.url(), "SEND_MODE=" + s.mode,
		"AIRTILL_FAILPOINT_DIR=" + s.marks, "AIRTILL_CLOCK=" + s.clock,
	}, s.world.env...)
	if s.pages > 0 {
		env = append(env, fmt.Sprintf("AIRTILL_SQLITE_PAGES=%d", s.pages))
	}
	p, err := stage.Start(stage.Order{Name: s.name, Path: s.binary, Args: []string{"serve"}, Env: env, Dir: s.world.dir})
	s.program, s.back = p, time.Now()
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return stage.Answers(ctx, p, "http://"+s.own+"/healthz")
}

// watch starts the process again whenever it ends, until the context does.
func (s *site) watch(ctx context.Context) {
	for ctx.Err() == nil {
		s.mu.Lock()
		p := s.program
		s.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-p.Ended:
		}
		if !s.reborn(ctx, p) {
			return
		}
	}
}

// reborn starts the process again after p, and says whether it may be.
func (s *site) reborn(ctx context.Context, p *stage.Program) bool {
	status, _ := p.Cmd.ProcessState.Sys().(syscall.WaitStatus)
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return false
	}
	s.deaths++
	if status.Signaled() {
		s.died = time.Now()
	}
	s.mode = cmp.Or(s.next, []string{"wait", "defer", "defer"}[s.deaths%3])
	s.next = ""
	s.mu.Unlock()
	s.world.tell("%s ended: %s", s.name, p.Cmd.ProcessState)
	for ctx.Err() == nil {
		err := s.start(ctx)
		if err == nil {
			s.world.tell("%s is back, sending by %s", s.name, s.mode)
			return true
		}
		s.world.note("restart "+s.name, err) // its database may be away
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
	return false
}

// sold hears that a sale was recorded whose button was pressed at a time.
func (s *site) sold(pressed time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.died.IsZero() || pressed.Before(s.died) {
		return
	}
	if s.world.quietSince(s.died) {
		s.firsts = append(s.firsts, time.Since(s.died))
		s.world.tell("%s sold again %s after its end", s.name, time.Since(s.died).Round(time.Millisecond))
	}
	s.died = time.Time{}
}

// soldAgain says whether the process has sold since it was killed.
func (s *site) soldAgain() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.died.IsZero()
}

func (s *site) current() *stage.Program {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.program
}

// arm has a failpoint kill or stop the process once ("K4", "kill").
func (s *site) arm(place, how string) error {
	_ = os.Remove(filepath.Join(s.marks, place+".fired")) // there may be none
	return os.WriteFile(filepath.Join(s.marks, place+"."+how), nil, 0o600)
}

// disarm takes a failpoint back, and says whether it has fired.
func (s *site) disarm(place string) bool {
	for _, how := range []string{"kill", "stop"} {
		_ = os.Remove(filepath.Join(s.marks, place+"."+how)) // one of them at most is there
	}
	return s.fired(place)
}

func (s *site) fired(place string) bool {
	_, err := os.Stat(filepath.Join(s.marks, place+".fired"))
	return err == nil
}

// close ends the process for good.
func (s *site) close(patience time.Duration) error {
	s.mu.Lock()
	s.closed = true
	p := s.program
	s.mu.Unlock()
	if p == nil || !p.Running() {
		return nil
	}
	return p.Stop(patience)
}

// limitPages says how many pages the SQLite file may have from the next start
// on, 0 for any.
func (s *site) limitPages(most int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages = most
}

// printed says whether the process has ever printed a text.
func (s *site) printed(text string) bool { return s.times(text) > 0 }

// times is how often the processes here have printed something.
func (s *site) times(text string) int {
	log, err := os.ReadFile(filepath.Join(s.world.dir, s.name+".log"))
	if err != nil {
		return 0
	}
	return strings.Count(string(log), text)
}

// readyNow says whether the process can sell.
func (s *site) readyNow(ctx context.Context) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.own+"/readyz", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close() // only its status counts
	return response.StatusCode == http.StatusOK
}
