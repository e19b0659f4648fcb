package sandbox

import (
	"time"

	"airtill/internal/sandbox/catalogue"
)

// sendTransfer sells a product, section SendTransfer rules.
func (s *Service) sendTransfer(c *call) reply {
	o, refused := s.readOrder(c)
	if refused != nil {
		return refuse(*refused)
	}
	c.ref = o.ref()
	if !*o.request.ValidateOnly {
		if err := s.noteRequest(o.ref()); err != nil {
			return s.broken(err)
		}
	}
	if refused := s.check(o); refused != nil {
		return refuse(*refused)
	}
	if refused := s.testOutcome(o); refused != nil && !recorded(*refused) {
		return o.refuse(*refused)
	}
	if *o.request.ValidateOnly {
		return s.validate(o)
	}
	t, refused, err := s.admit(o)
	switch {
	case err != nil:
		return s.broken(err)
	case refused != nil:
		return o.refuse(*refused)
	case t.State == submitted:
		return answer(t.response())
	}
	return s.fulfil(o, t)
}

// noteRequest keeps when a DistributorRef was asked for, executed or not.
func (s *Service) noteRequest(ref string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.now()
	s.book.request(ref, now)
	return s.journal.write(entry{Request: &request{Ref: ref, At: now}})
}

// broken is the answer when the journal cannot be written: nothing was done.
func (s *Service) broken(err error) reply {
	s.log.Error("sandbox.journal", "error", err)
	return refuse(apiError{Code: otherError})
}

// refuse is a refusal after the parameters were found good: it has a Failed
// record without TransferId.
func (o *order) refuse(e apiError) reply {
	return refuseWith(transferResponse{envelope: failure(e), TransferRecord: &transferRecord{
		SkuCode: o.product.SkuCode, AccountNumber: o.account(), ProcessingState: failed,
	}}, e)
}

// commission is the product's rate of the send value in agent currency.
func (o *order) commission() catalogue.Decimal {
	return catalogue.Share(o.cost-o.price.DistributorFee, o.product.CommissionRate)
}

// recorded says whether a failure comes from the provider, so that a transfer
// was made and is listed as Failed. Everything else is refused before.
func recorded(e apiError) bool {
	return e.Code == transientProvider || e.Code == providerError || e.Code == otherError
}

// validate answers a ValidateOnly request: the balance is checked, the price an
// estimate, no transfer made.
func (s *Service) validate(o *order) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !o.test && o.cost > s.book.available() {
		return o.refuse(apiError{Code: insufficientBalance})
	}
	return answer(transferResponse{envelope: success(), TransferRecord: &transferRecord{
		SkuCode: o.product.SkuCode, AccountNumber: o.account(), Price: &o.price,
		CommissionApplied: o.commission(),
		ProcessingState:   complete,
	}})
}

// admit makes the transfer if nothing forbids it: duplicates, one under way for
// the same account, too many for it, too little balance. An instant one is
// Processing, with its cost set aside; others are Submitted and on their way.
func (s *Service) admit(o *order) (*transfer, *apiError, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.now()
	if refused := s.forbidden(o, now); refused != nil {
		return nil, refused, nil
	}
	next := transfer{
		Ref: s.book.nextRef, DistributorRef: o.ref(), SKU: o.product.SkuCode, Account: o.account(), Price: o.price,
		Settings: o.request.Settings, BillRef: text(o.request.BillRef),
		CorrelationID: o.call.request.Header.Get("X-Correlation-Id"),
		Batch:         o.product.ProcessingMode == catalogue.Batch, Deferred: o.deferred, Test: o.test,
		State: processing, Quoted: o.cost, Started: now,
	}
	if !next.Test {
		next.Commission = o.commission()
	}
	s.requote(o.call, &next)
	if !next.Batch && !next.Deferred {
		t, err := s.record(next)
		return t, nil, err
	}
	next.State = submitted
	if next.Batch && !next.Test {
		next.Deducted = next.Quoted
	}
	next.Due = now.Add(time.Duration(s.config.BatchDelay))
	if !next.Batch {
		next.Due = now.Add(time.Duration(s.config.DeferDelay))
	}
	t, err := s.record(next)
	if err != nil {
		return nil, nil, err
	}
	s.limits.reset()
	s.plan(t)
	copied := *t
	return &copied, nil, nil
}

// forbidden applies the rules that look at other transfers and the balance.
func (s *Service) forbidden(o *order, now time.Time) *apiError {
	if s.config.DuplicatePrevention {
		for _, t := range s.book.byOwn[o.ref()] {
			if !t.final() || (t.State == complete && now.Sub(t.Completed) < time.Hour) {
				return &apiError{Code: duplicatePrevented}
			}
		}
	}
	if refused := s.tooMany(o, now); refused != nil {
		return refused
	}
	if o.request.BillRef != nil && s.book.paid[*o.request.BillRef] != 0 {
		return &apiError{Code: parameterInvalid, Context: "BillRef"}
	}
	if !o.test && o.cost > s.book.available() {
		return &apiError{Code: insufficientBalance}
	}
	return nil
}

// tooMany applies the fraud rules, where they are switched on.
func (s *Service) tooMany(o *order, now time.Time) *apiError {
	if (!s.config.SimilarInProgress && s.config.AccountPerHour == 0) || o.account() == catalogue.VoucherAccount {
		return nil
	}
	for _, t := range s.book.underWay {
		if s.config.SimilarInProgress && t.SKU == o.product.SkuCode && t.Account == o.account() {
			return &apiError{Code: rateLimited, Context: stillInProgress}
		}
	}
	if s.config.AccountPerHour > 0 && len(s.book.recent(o.account(), now.Add(-time.Hour))) >= s.config.AccountPerHour {
		return &apiError{Code: rateLimited}
	}
	return nil
}

// fulfil has the provider carry out an instant transfer and answers with what
// came of it. The client may go away meanwhile, the transfer goes on.
func (s *Service) fulfil(o *order, t *transfer) reply {
	problem, actions := s.provide(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.book.byRef[t.Ref] != t {
		return refuse(apiError{Code: otherError}) // reset meanwhile
	}
	next := *t
	s.settle(&next, problem)
	reprint(&next, actions)
	s.lateOutcome(&next, append(actions, o.call.actions...))
	done, err := s.record(next)
	if err != nil {
		next = *t
		next.State, next.Error = failed, apiError{Code: otherError}
		s.book.put(next)
		return s.broken(err)
	}
	if done.State == complete {
		s.limits.reset()
	}
	s.planReversal(done)
	if !done.HiddenUntil.IsZero() {
		// The agent hears of a failure although it was executed.
		return o.refuse(apiError{Code: transientProvider, Context: providerTimedOut})
	}
	if done.State == complete {
		return answer(done.response())
	}
	return refuseWith(done.response(), done.Error)
}

// settle gives a transfer its outcome.
func (s *Service) settle(t *transfer, problem *apiError) {
	t.Completed, t.Due = s.clock.now(), time.Time{}
	if problem != nil {
		t.State, t.Error = failed, *problem
		t.Refunded = t.Deducted
		return
	}
	t.State, t.Error = complete, apiError{}
	t.Receipt, t.Params = s.receipt(t)
	if t.Test {
		return
	}
	t.Executed++
	t.Deducted = t.Quoted
}
