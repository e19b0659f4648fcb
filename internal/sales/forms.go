package sales

import (
	"context"
	"sync"

	"airtill/internal/fault"
)

// forms lets presses of one form pass one at a time: before a press is refused, the outcome of the one before
// must be known, since its answer may be lost.
type forms struct {
	mu   sync.Mutex
	held map[string]*heldForm
}

type heldForm struct {
	sync.Mutex
	presses int // that hold it or wait
}

// hold waits until no other press of the form is under way in this process, and makes others wait until it is
// released.
func (f *forms) hold(key string) (release func()) {
	f.mu.Lock()
	if f.held == nil {
		f.held = map[string]*heldForm{}
	}
	form := f.held[key]
	if form == nil {
		form = &heldForm{}
		f.held[key] = form
	}
	form.presses++
	f.mu.Unlock()

	form.Lock()
	return func() {
		form.Unlock()
		f.mu.Lock()
		defer f.mu.Unlock()
		if form.presses--; form.presses == 0 {
			delete(f.held, key)
		}
	}
}

// SoldAs returns the id of the sale made from a form, "" if none.
func (s *Service) SoldAs(ctx context.Context, key string) (id string, err error) {
	err = s.d.DB.Read(ctx).Raw("SELECT id FROM sales WHERE idempotency_key = ?", key).Scan(&id).Error
	return id, fault.Doing("find sale by key", err)
}
