package sales

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/harness/failpoint"
	"airtill/internal/store"
)

const (
	sendAgainAfter = 300 * time.Millisecond // after proof that nothing left
	settleTries    = 60
	settleWait     = 2 * time.Second
	maxSameRefs    = 2 // POSTs of one ref; the second only after a 401
)

// Dispatch sends a recorded sale in the background. Any process may call it for any sale at any time: only the
// one that gets the permit sends. The returned channel is closed when this process has done what it can.
func (s *Service) Dispatch(sale Sale) (ended <-chan struct{}) {
	done := make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining || s.halted {
		close(done)
		return done // another process's sweep, or this one's next, sends it or voids it
	}
	s.sends.Add(1)
	go func() {
		defer s.sends.Done()
		defer close(done)
		s.slots <- struct{}{}
		defer func() { <-s.slots }()
		ctx := context.Background() //nolint:forbidigo // a send outlives the request that began it
		if err := s.send(ctx, &sale); err != nil {
			s.d.Log.ErrorContext(ctx, "sale.send_failed", "sale", sale.ID, "error", err)
		}
	}()
	return done
}

// outcomeSoon is how long the answer to a press of the button waits for the outcome: if the upstream is that
// quick, the next page shows it at once.
const outcomeSoon = 100 * time.Millisecond

// DispatchSoon is Dispatch that waits a moment for the outcome.
func (s *Service) DispatchSoon(ctx context.Context, sale Sale) {
	soon, cancel := context.WithTimeout(ctx, outcomeSoon)
	defer cancel()
	select {
	case <-s.Dispatch(sale):
	case <-soon.Done():
	}
}

// Drain stops new sales and waits until every send has ended and is written, or the context is over.
func (s *Service) Drain(ctx context.Context) error {
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
	done := make(chan struct{})
	go func() { s.sends.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Sending is how many sends are under way.
func (s *Service) Sending() int { return len(s.slots) }

// Halt stops selling and sending for the rest of this process's life: its database cannot be trusted.
func (s *Service) Halt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.halted = true
}

// Halted says whether selling was stopped by Halt.
func (s *Service) Halted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.halted
}

// send takes the permit, posts, and settles the result; again only after proof that nothing left, or a 401,
// which executes nothing. Thousands may wait for their answers here, so no copy of a sale lies on this stack.
func (s *Service) send(ctx context.Context, sale *Sale) error {
	for posts := 0; ; {
		failpoint.Hit("K3")
		if err := s.d.Client.Ready(ctx); err != nil {
			return err // no permit was taken; the sweep tries again, or voids it
		}
		permitted, at, err := s.permit(ctx, sale)
		if err != nil || permitted == nil {
			return err
		}
		o, posted := s.post(ctx, permitted, at, posts)
		if posted {
			posts++
		}
		sale, err = s.settle(ctx, permitted, o, s.settled)
		if err != nil || sale.Fulfilment != Recorded {
			return err
		}
		time.Sleep(sendAgainAfter)
	}
}

// permit takes a recorded sale's permit by compare-and-set. Nil without an error means that somebody else has
// it, or that it is too late. The time keeps its monotonic clock, so that a clock step cannot stretch it.
func (s *Service) permit(ctx context.Context, sale *Sale) (*Sale, time.Time, error) {
	at := s.d.Now()
	o := Observation{Cause: Permitted, At: store.Moment(at), Source: "dispatcher", Permit: Permit{By: s.d.Process}}
	change, err := Apply(*sale, o)
	if fault.KindOf(err) == fault.Conflict {
		_, err = s.Observe(ctx, sale.ID, Observation{Cause: TooLate, At: at, Source: "dispatcher"})
		return nil, at, err
	}
	if err != nil {
		return nil, at, err
	}
	wrote, err := s.writeAlone(ctx, *sale, &change, o)
	switch {
	case err == nil && !wrote, isDuplicate(err):
		return nil, at, nil
	case fault.KindOf(err) == fault.Unsure:
		return nil, at, errors.Join(err, s.giveBack(ctx, &change.Sale))
	case err != nil:
		return nil, at, err
	}
	failpoint.Hit("K4")
	return &change.Sale, at, nil
}

// giveBack returns a permit that may or may not be committed. It is not used: if it stands and is ours, the
// sale is recorded again.
func (s *Service) giveBack(ctx context.Context, permitted *Sale) error {
	_, err := s.settle(ctx, permitted, Observation{
		Cause: NothingLeft, Ref: permitted.Ref, At: s.d.Now(), Source: "dispatcher", Permit: permitted.permit(),
	}, s.observed)
	return err
}

// post sends the one permitted request and reads the answer.
func (s *Service) post(ctx context.Context, sale *Sale, permit time.Time, earlier int) (o Observation, posted bool) {
	response, err := s.d.Client.SendTransfer(apiclient.WithPriority(ctx, apiclient.PriorityCashier), request(sale),
		apiclient.SendOptions{Defer: sale.SendMode == Deferred, CorrelationID: sale.Ref, Permit: permit})
	failpoint.Hit("K5")
	o = reader{vault: s.d.Vault, sale: sale, ref: sale.Ref, now: store.Moment(s.d.Now())}.reply(response, err)
	var refusal *apiclient.Error
	if errors.As(err, &refusal) && refusal.Status == http.StatusUnauthorized && earlier+1 < maxSameRefs {
		o = Observation{
			Cause: NothingLeft, Ref: sale.Ref, At: o.At, Source: "reply",
			ReasonCode: apiclient.CodeAuthenticationFailed,
		}
	}
	o.Permit = sale.permit()
	if err != nil {
		s.d.Log.WarnContext(ctx, "sale.send", "sale", sale.ID, "verdict", o.Cause, "state", o.State, "error", err)
	}
	failpoint.Hit("K6")
	return o, o.Cause != NothingLeft || o.ReasonCode != ""
}

// settle writes the result of a send. Only this process knows the answer, so it waits for a database that is
// away; if that stays away, the look-up finds out.
func (s *Service) settle(
	ctx context.Context, permitted *Sale, o Observation, write func(context.Context, *Sale, Observation) (*Sale, error),
) (sale *Sale, err error) {
	for range settleTries {
		sale, err = write(ctx, permitted, o)
		switch fault.KindOf(err) {
		case "", fault.Conflict, fault.NotFound:
			failpoint.Hit("K7")
			return sale, err
		default:
			s.d.Log.WarnContext(ctx, "sale.settle_retry", "sale", permitted.ID, "error", err)
			write = s.observed
			time.Sleep(settleWait)
		}
	}
	return sale, err
}

func (s *Service) observed(ctx context.Context, permitted *Sale, o Observation) (*Sale, error) {
	sale, err := s.Observe(ctx, permitted.ID, o)
	return &sale, err
}

// settled applies an observation to a sale that most likely still is as the permit left it. If it is not, it
// is locked and read again.
func (s *Service) settled(ctx context.Context, permitted *Sale, o Observation) (*Sale, error) {
	o.At = store.Moment(o.At)
	if change, err := Apply(*permitted, o); err == nil {
		if wrote, err := s.writeAlone(ctx, *permitted, &change, o); err != nil || wrote {
			return &change.Sale, err
		}
	}
	return s.observed(ctx, permitted, o)
}

func request(sale *Sale) apiclient.SendTransferRequest {
	var settings []apiclient.Setting
	_ = json.Unmarshal([]byte(sale.Settings), &settings) // written by newSale
	return apiclient.SendTransferRequest{
		SkuCode: sale.SKUCode, SendValue: apiclient.DecimalOf(sale.Quoted().Send),
		SendCurrencyIso: string(sale.SendCurrency),
		AccountNumber:   sale.AccountNumber, DistributorRef: sale.Ref, Settings: settings, BillRef: sale.BillRef,
	}
}
