package catalog

import (
	"context"
	"errors"
	"fmt"
	gosync "sync"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/money"
)

// EstimateRequest asks what it costs to send an amount.
type EstimateRequest struct {
	SKU  string
	Send money.Amount
}

// Estimate is the upstream's price for an amount at a time.
type Estimate struct {
	Price Price
	At    time.Time
}

const (
	estimateFresh = 20 * time.Second
	maxEstimates  = 1000
)

// PriceOf returns the price of sending an amount of a range product: the upstream's, or if it does not answer
// in time or may not be asked, our own (Product.Quote), which is about right. So no screen waits, and the
// record settles the books. Typing leaves a part of the budget to confirming. Errors are faults on the field
// "amount".
func (s *Service) PriceOf(
	ctx context.Context, p *Product, send money.Amount, typing bool,
) (_ Price, about bool, _ error) {
	priority := apiclient.PriorityCashier
	if typing {
		priority = apiclient.PriorityNormal
	}
	estimate, err := s.Estimate(ctx, EstimateRequest{SKU: p.SKU, Send: send}, priority)
	if kind := fault.KindOf(err); kind == "" || kind == fault.Invalid {
		return estimate.Price, false, err
	}
	s.d.Log.WarnContext(ctx, "catalog.estimate_skipped", "sku", p.SKU, "typing", typing, "error", err)
	price, err := p.Quote(send)
	return price, true, err
}

// Estimate asks the upstream for the binding price (INTERFACE.md, EstimatePrices rules). For a few seconds an
// answer is reused for the same question, never for another amount. Errors are faults: on the field "amount"
// if the amount cannot be had, Unavailable if the upstream does not answer soon.
func (s *Service) Estimate(ctx context.Context, ask EstimateRequest, priority apiclient.Priority) (Estimate, error) {
	if ask.Send.IsZero() {
		return Estimate{}, fault.OnField("amount", "price.no-amount")
	}
	q := question{key: fmt.Sprintf("price %v", ask), wait: askFor, life: askAnyway, late: errNoEstimate}
	return answer(ctx, s, q, func(ctx context.Context) (Estimate, error) {
		return s.askEstimate(apiclient.WithPriority(ctx, priority), ask)
	})
}

var errNoEstimate = fault.New(fault.Unavailable, "price.unchecked")

func (s *Service) askEstimate(ctx context.Context, ask EstimateRequest) (Estimate, error) {
	if known, ok := s.estimates.get(ask, s.d.Now()); ok {
		return known, nil
	}
	reply, err := s.d.Upstream.EstimatePrices(ctx, []apiclient.EstimationRequest{ask.wire()})
	if err != nil {
		return Estimate{}, apiclient.Told(err, fault.Unavailable, errNoEstimate.Code)
	}
	if len(reply.Items) != 1 {
		return Estimate{}, fmt.Errorf("estimate price of %s: %d answers to one question", ask.SKU, len(reply.Items))
	}
	estimate, err := estimateFrom(&reply.Items[0], ask)
	if err != nil {
		return Estimate{}, err
	}
	estimate.At = s.d.Now()
	s.estimates.put(ask, estimate)
	return estimate, nil
}

func (ask EstimateRequest) wire() apiclient.EstimationRequest {
	return apiclient.EstimationRequest{
		SkuCode: ask.SKU, BatchItemRef: "1",
		SendValue: apiclient.DecimalOf(ask.Send), SendCurrencyIso: string(ask.Send.Currency()),
	}
}

// estimateFrom reads an answer. Only a refusal is about the amount; a temporary failure, and one that nobody has a
// word for, are no answer.
func estimateFrom(w *apiclient.EstimatedPrice, ask EstimateRequest) (Estimate, error) {
	cause := &apiclient.Error{Op: "EstimatePrices", ResultCode: w.ResultCode, Codes: w.ErrorCodes}
	switch {
	case w.ResultCode == apiclient.ResultClient,
		w.ResultCode == apiclient.ResultServer && !cause.Has(apiclient.CodeOtherError):
		return Estimate{}, fault.Wrap(cause, fault.Invalid, "price.refused").On("amount")
	case w.Price == nil || w.ResultCode != apiclient.ResultSuccess:
		return Estimate{}, apiclient.Told(cause, fault.Unavailable, errNoEstimate.Code)
	}
	price, err := priceFrom(w.Price)
	if err == nil && price.SendCurrency != ask.Send.Currency() {
		err = errors.New("priced in another currency")
	} else if err == nil && (price.SendMicros <= 0 || price.ReceiveMicros < 0 || price.absurdFee()) {
		err = errors.New("a price that nobody can charge")
	}
	if err != nil {
		return Estimate{}, fmt.Errorf("estimate price of %s: %w", ask.SKU, err)
	}
	return Estimate{Price: price}, nil
}

// estimates remembers answers for seconds. The key is the question with its amount, so that no answer serves
// another amount.
type estimates struct {
	mu    gosync.Mutex
	known map[EstimateRequest]Estimate
}

func (e *estimates) get(ask EstimateRequest, now time.Time) (Estimate, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	known, ok := e.known[ask]
	return known, ok && now.Sub(known.At) < estimateFresh
}

func (e *estimates) put(ask EstimateRequest, estimate Estimate) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.known) >= maxEstimates || e.known == nil {
		e.known = map[EstimateRequest]Estimate{} // rare, and costs a question each
	}
	e.known[ask] = estimate
}
