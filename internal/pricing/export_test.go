package pricing

// Uses is what the service stands on, for a test to look at or to change.
func (s *Service) Uses() *Deps { return &s.d }
