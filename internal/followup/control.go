package followup

import (
	"context"

	"airtill/internal/fault"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// controlSeen says whether the list has a transfer known to be there: an empty list proves something only if
// the same list, now, returns that one.
func (s *Service) controlSeen(ctx context.Context) (bool, error) {
	s.mu.Lock()
	seen, holds := s.controlIs, s.d.Now().Before(s.controlUntil)
	s.mu.Unlock()
	if holds {
		return seen, nil
	}
	ref, err := s.control(ctx)
	if err != nil || ref == "" {
		return false, err
	}
	found, err := s.records(ctx, ref)
	if err != nil {
		return false, err
	}
	s.controlled(len(found) > 0)
	if len(found) == 0 {
		s.d.Log.WarnContext(ctx, "sweep.control_missing")
	}
	return len(found) > 0, nil
}

// controlled notes whether the list has what it must have.
func (s *Service) controlled(seen bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	holds := controlLacks
	if seen {
		holds = controlHolds
	}
	s.controlIs, s.controlUntil = seen, s.d.Now().Add(holds)
}

// control returns the ref of a transfer the list must have, "" if none completed lately.
func (s *Service) control(ctx context.Context) (string, error) {
	since := s.d.Now().Add(-controlWithin)
	ref, err := store.One[string](s.d.DB.Read(ctx).Model(&sales.Sale{}).Select("ref").
		Where("id > ? AND fulfilment = ? AND practice = ? AND final_at > ?",
			store.NewID(since), sales.Complete, false, store.Moment(since)).
		Order("id DESC"), nil)
	return ref, fault.Doing("find a control", err)
}
