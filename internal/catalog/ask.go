package catalog

import (
	"context"
	"errors"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
)

var errNoCatalogue = fault.New(fault.Unavailable, "catalogue.empty")

const (
	// askFor is how long a cashier's screen waits for the upstream.
	askFor = 700 * time.Millisecond
	// askAnyway is how long the question itself lives: an answer that comes too
	// late for this screen is there for the next.
	askAnyway = 10 * time.Second
	// lookupFresh is how long an answer is not asked for again.
	lookupFresh = 24 * time.Hour
)

// Answer is a provider, and its region if known, that a number belongs to.
type Answer struct {
	Provider string
	Region   string
}

// accountLookup is the upstream's answer about a number.
type accountLookup struct {
	Country string
	Items   []Answer
}

// ask returns GetAccountLookup's answer, fresh or remembered, and false if there
// is none in time. Callers that ask about one number at once share an answer.
func (s *Service) ask(ctx context.Context, n Number) (accountLookup, bool) {
	if answer, ok := s.recallLookup(ctx, n); ok {
		return answer, true
	}
	done := s.asking.DoChan(n.Digits, func() (any, error) { return s.askUpstream(n) })
	timeout := time.NewTimer(askFor)
	defer timeout.Stop()
	select {
	case result := <-done:
		answer, ok := result.Val.(accountLookup)
		return answer, ok && result.Err == nil
	case <-timeout.C:
	case <-ctx.Done():
	}
	return accountLookup{}, false
}

func (s *Service) askUpstream(n Number) (accountLookup, error) {
	s.running.Add(1)
	defer s.running.Done()
	ctx, cancel := context.WithTimeout(apiclient.WithPriority(s.life, apiclient.PriorityCashier), askAnyway)
	defer cancel()
	if answer, ok := s.recallLookup(ctx, n); ok { // answered since the caller looked
		return answer, nil
	}
	reply, err := s.upstream.GetAccountLookup(ctx, n.Digits)
	var upstream *apiclient.Error
	switch {
	case err == nil:
	case errors.As(err, &upstream) && upstream.ResultCode == apiclient.ResultClient:
		reply = &apiclient.GetAccountLookupResponse{} // it does not know the number: an answer, too
	default:
		s.log.Warn("catalog.lookup_failed", "error", err)
		return accountLookup{}, err
	}
	answer := accountLookup{Country: reply.CountryIso}
	for _, item := range reply.Items {
		answer.Items = append(answer.Items, Answer{Provider: item.ProviderCode, Region: item.RegionCode})
	}
	if err := s.rememberLookup(ctx, n, answer); err != nil {
		s.log.Warn("catalog.remember_failed", "error", err)
	}
	return answer, nil
}
