package sales

import (
	"context"

	"airtill/internal/apiclient"
)

// Uses is what the service stands on, for a test to look at or to change.
func (s *Service) Uses() *Deps { return &s.d }

// TakeWebhooks takes webhooks in one transaction.
func (s *Service) TakeWebhooks(ctx context.Context, all []*apiclient.Notification) ([]Verdict, error) {
	return s.takeWebhooks(ctx, all)
}
