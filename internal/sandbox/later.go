package sandbox

import "time"

// plan arranges the next step of a transfer that is not finished. The mutex is
// held.
func (s *Service) plan(t *transfer) {
	ref := t.Ref
	switch {
	case t.final():
		s.planReversal(t)
	case t.State == cancelling:
		s.at(t.Due, func() { s.finishCancel(ref) })
	case t.Batch && t.State == submitted:
		s.at(t.Due, func() { s.startBatch(ref) })
	default:
		s.apart(t.Due, func() { s.attempt(ref) })
	}
}

// resume plans what the journal left unfinished. An instant transfer that was
// under way when the process ended was never carried out, and failed.
func (s *Service) resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.book.all {
		if t.State == processing && !t.Batch && !t.Deferred {
			next := *t
			s.settle(&next, &apiError{Code: transientProvider, Context: providerTimedOut})
			t = s.move(next)
		}
		s.plan(t)
	}
	s.resumeDeliveries()
}

// move writes down a transfer's new version and plans its next step.
func (s *Service) move(next transfer) *transfer {
	t, err := s.record(next)
	if err != nil {
		s.log.Error("sandbox.journal", "error", err)
		return s.book.byRef[next.Ref]
	}
	return t
}

// startBatch turns a batch transfer from Submitted to Processing.
func (s *Service) startBatch(ref int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.book.byRef[ref]
	if t == nil || t.State != submitted {
		return // cancelled meanwhile
	}
	next := *t
	next.State, next.Due = processing, s.clock.now().Add(time.Duration(s.config.BatchProcessing))
	s.plan(s.move(next))
}

// attempt has the provider carry out a batch or deferred transfer. A failed
// attempt of a deferred one is repeated, up to the configured number; the
// agent is told of the end only.
func (s *Service) attempt(ref int64) {
	s.mu.Lock()
	t := s.book.byRef[ref]
	if t == nil || t.final() {
		s.mu.Unlock()
		return
	}
	started := *t
	if started.State == submitted {
		next := started
		next.State = processing
		s.move(next)
	}
	s.mu.Unlock()

	problem, actions := s.provide(&started)

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.book.byRef[ref] != t || t.final() || s.life.Err() != nil {
		return // reset or cancelled meanwhile, or cut short: then it is made again
	}
	next := *t
	next.Attempts++
	if problem != nil && next.Deferred && recorded(*problem) && next.Attempts < s.config.DeferAttempts {
		next.Due = s.clock.now().Add(time.Duration(s.config.DeferRetryDelay))
		s.plan(s.move(next))
		return
	}
	s.settle(&next, problem)
	shorten(&next, actions)
	reprint(&next, actions)
	s.lateOutcome(&next, actions)
	done := s.move(next)
	s.planReversal(done)
	if done.Deferred {
		s.notify(done)
	}
}
