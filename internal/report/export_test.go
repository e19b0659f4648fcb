package report

import (
	"context"

	"airtill/internal/pricing"
)

// Uses is what the service stands on, for a test to look at or to change.
func (s *Service) Uses() *Deps { return &s.d }

// GoOn goes on with a preview that has seen as many sales as there may be.
func (s *Service) GoOn(ctx context.Context, draft pricing.Rule) (Preview, error) {
	p := Preview{Sales: previewMost}
	err := s.preview(ctx, draft, &p)
	return p, err
}
