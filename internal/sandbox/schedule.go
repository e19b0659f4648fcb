package sandbox

import (
	"container/heap"
	"time"
)

// task is something to do at a simulated moment.
type task struct {
	due time.Time
	run func()
}

// tasks is a heap by due time.
type tasks []task

// Len is for container/heap.
func (t tasks) Len() int { return len(t) }

// Less is for container/heap.
func (t tasks) Less(i, j int) bool { return t[i].due.Before(t[j].due) }

// Swap is for container/heap.
func (t tasks) Swap(i, j int) { t[i], t[j] = t[j], t[i] }

// Push is for container/heap.
func (t *tasks) Push(x any) { *t = append(*t, x.(task)) }

// Pop is for container/heap.
func (t *tasks) Pop() any {
	old := *t
	last := old[len(old)-1]
	*t = old[:len(old)-1]
	return last
}

// longestNap bounds the scheduler's sleep, so that a jump of the clock it was
// not told of is noticed.
const longestNap = 100 * time.Millisecond

// at plans a task. The service's mutex is held; the task runs without it.
func (s *Service) at(due time.Time, run func()) {
	heap.Push(&s.book.tasks, task{due: due, run: run})
	s.poke()
}

// apart plans a task of its own: a slow provider or receiver must not hold up
// what else is due.
func (s *Service) apart(due time.Time, run func()) {
	s.at(due, func() {
		s.done.Add(1)
		go func() {
			defer s.done.Done()
			run()
		}()
	})
}

// poke makes the scheduler look again.
func (s *Service) poke() {
	select {
	case s.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// runSchedule runs what is due until the service ends.
func (s *Service) runSchedule() {
	defer s.done.Done()
	for {
		run, wait := s.nextTask()
		if run != nil {
			run()
			continue
		}
		nap := time.NewTimer(wait)
		select {
		case <-nap.C:
		case <-s.wake:
		case <-s.life.Done():
			return
		}
		nap.Stop()
	}
}

// idle is how long to sleep with nothing planned.
const idle = time.Hour

// nextTask takes out a task that is due, or says how long to wait.
func (s *Service) nextTask() (run func(), wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.book.tasks) == 0 {
		return nil, idle
	}
	first := s.book.tasks[0]
	if wait := s.clock.until(first.due); wait > 0 {
		return nil, min(wait, longestNap)
	}
	heap.Pop(&s.book.tasks)
	return first.run, 0
}
