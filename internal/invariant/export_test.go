package invariant

import "context"

// Uses is what the service stands on, for a test to look at or to change.
func (s *Service) Uses() *Deps { return &s.d }

// Seal seals whenever the last seal was made.
func (s *Service) Seal(ctx context.Context) error {
	return s.sealIfDue(ctx, s.d.Now().AddDate(1, 0, 0))
}
