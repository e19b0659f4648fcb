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
	// askAnyway is how long the question lives: an answer too late for this screen is there for the next.
	askAnyway = 10 * time.Second
	// lookupFresh is how long an answer is reused.
	lookupFresh = 24 * time.Hour
)

// Answer is the provider a number belongs to, and its region if known.
type Answer struct {
	Provider string
	Region   string
}

// accountLookup is the upstream's answer about a number.
type accountLookup struct {
	Country string
	Items   []Answer
}

// question is asked beside the request that needs its answer.
type question struct {
	key  string        // callers with the same key at the same time share an answer
	wait time.Duration // how long a screen waits for it
	life time.Duration // how long it goes on: a late answer is there for the next screen
	late error         // for callers that waited in vain
}

func answer[T any](ctx context.Context, s *Service, q question, ask func(context.Context) (T, error)) (T, error) {
	done := s.asking.DoChan(q.key, func() (any, error) {
		s.running.Add(1)
		defer s.running.Done()
		ctx, cancel := context.WithTimeout(s.life, q.life)
		defer cancel()
		return ask(ctx)
	})
	ctx, cancel := context.WithTimeoutCause(ctx, q.wait, q.late)
	defer cancel()
	select {
	case result := <-done:
		value, _ := result.Val.(T)
		return value, result.Err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// ask returns GetAccountLookup's answer, new or remembered, and false if none comes in time.
func (s *Service) ask(ctx context.Context, n Number) (accountLookup, bool) {
	q := question{key: n.Digits, wait: askFor, life: askAnyway, late: context.DeadlineExceeded}
	found, err := answer(ctx, s, q, func(ctx context.Context) (accountLookup, error) { return s.askUpstream(ctx, n) })
	return found, err == nil
}

func (s *Service) askUpstream(ctx context.Context, n Number) (accountLookup, error) {
	if known, ok := s.recallLookup(ctx, n); ok {
		return known, nil
	}
	reply, err := s.d.Upstream.GetAccountLookup(apiclient.WithPriority(ctx, apiclient.PriorityCashier), n.Digits)
	var upstream *apiclient.Error
	switch {
	case err == nil:
	case errors.As(err, &upstream) && upstream.ResultCode == apiclient.ResultClient &&
		!upstream.Has(apiclient.CodeAuthenticationFailed):
		reply = &apiclient.GetAccountLookupResponse{} // not knowing the number is an answer, too
	default:
		s.d.Log.Warn("catalog.lookup_failed", "error", err)
		return accountLookup{}, err
	}
	found := accountLookup{Country: reply.CountryIso}
	for _, item := range reply.Items {
		found.Items = append(found.Items, Answer{Provider: item.ProviderCode, Region: item.RegionCode})
	}
	if err := s.rememberLookup(ctx, n, found); err != nil {
		s.d.Log.Warn("catalog.remember_failed", "error", err)
	}
	return found, nil
}
