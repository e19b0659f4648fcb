package sales

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
	"airtill/internal/counter"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// validateFor is how long a confirm page waits for the provider's word.
const validateFor = time.Second

// Validation is what the provider says of a sale before any cash is taken.
type Validation struct {
	Supported bool // the provider is known to check numbers
	Checked   bool // it was asked and answered
	// Refused holds the codes of a refusal as they would be on the sale, which is Failed; nil: not refused.
	Refused *Sale
}

// RefusedError says that the provider, asked in advance, refused the sale. Nothing was sold.
type RefusedError struct {
	Refused Sale // with the codes of the refusal
}

// Error is for the log.
func (e *RefusedError) Error() string { return "the provider refuses it: " + e.Refused.ReasonCode }

// validations remembers what providers said while a confirm page is looked at, so that selling does not ask
// again.
type validations struct {
	mu    sync.Mutex
	known map[string]validation // by what is sold
}

type validation struct {
	Validation
	at time.Time
}

const (
	validationFresh = 2 * time.Minute
	maxValidations  = 1000
)

// refused fails with *RefusedError if the provider, asked now or just before, does not take the sale.
func (s *Service) refused(ctx context.Context, offer counter.Offer) (err error) {
	s.validations.mu.Lock()
	got, known := s.validations.known[paramsHash(counter.Seller{}, offer.Terms())]
	s.validations.mu.Unlock()
	if !known || s.d.Now().Sub(got.at) >= validationFresh {
		if got.Validation, err = s.Validate(ctx, offer); err != nil {
			return err
		}
	}
	if got.Refused != nil {
		return &RefusedError{Refused: *got.Refused}
	}
	return nil
}

func (s *Service) keepValidation(offer counter.Offer, got Validation) {
	v := &s.validations
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.known) >= maxValidations || v.known == nil {
		v.known = map[string]validation{} // rare, and costs a question each
	}
	v.known[paramsHash(counter.Seller{}, offer.Terms())] = validation{Validation: got, at: s.d.Now()}
}

// Validate has the provider check the account number and the upstream the balance, without selling
// (ValidateOnly), if the provider is known to support that. It never stands in the way: without an answer in
// time, or without budget, nothing was checked.
func (s *Service) Validate(ctx context.Context, offer counter.Offer) (Validation, error) {
	sale := newSale(offer)
	if sale.Practice {
		return Validation{}, nil
	}
	supports, err := s.validates(ctx, sale.ProviderCode)
	if err != nil || !supports {
		return Validation{}, err
	}
	ctx, cancel := context.WithTimeout(apiclient.WithPriority(ctx, apiclient.PriorityCashier), validateFor)
	defer cancel()
	sale.Ref = store.NewID(s.d.Now()) // names nothing: no transfer is made
	ask := request(&sale)
	ask.ValidateOnly = true
	_, err = s.d.Client.SendTransfer(ctx, ask, apiclient.SendOptions{})
	got := s.validated(ctx, &sale, err)
	s.keepValidation(offer, got)
	return got, nil
}

// validated reads the answer. Only a refusal about this sale counts: anything temporary may be over once the
// cash is in hand.
func (s *Service) validated(ctx context.Context, sale *Sale, err error) Validation {
	var refusal *apiclient.Error
	switch {
	case err == nil:
		return Validation{Supported: true, Checked: true}
	case errors.As(err, &refusal) &&
		(refusal.ResultCode == apiclient.ResultClient || refusal.ResultCode == apiclient.ResultServer):
		if refusal.Has(apiclient.CodeAuthenticationFailed) || refusal.Has(apiclient.CodeOtherError) || refusal.Has(
			apiclient.CodeDuplicateTransactionPrevented,
		) {
			break
		}
		sale.Fulfilment = Failed
		sale.ReasonCode, sale.ReasonContext = reason(refusal.Codes)
		return Validation{Supported: true, Checked: true, Refused: sale}
	}
	s.d.Log.InfoContext(ctx, "sale.not_validated", "provider", sale.ProviderCode, "error", err)
	return Validation{Supported: true}
}

func (s *Service) validates(ctx context.Context, provider string) (bool, error) {
	all, err := s.validating.Get(ctx, struct{}{}, s.Validating)
	return slices.Contains(all, provider), fault.Doing("does the provider validate", err)
}

// Validating lists the providers that are asked to check numbers.
func (s *Service) Validating(ctx context.Context) ([]string, error) {
	codes, err := store.All[string](
		s.d.DB.Read(ctx).Raw("SELECT provider_code FROM validating_providers ORDER BY provider_code"),
	)
	return codes, fault.Doing("list validating providers", err)
}

// SetValidating says whether a provider checks account numbers without selling. It fails with fault.Invalid
// for one that sells nothing.
func (s *Service) SetValidating(ctx context.Context, actor audit.Actor, provider string, supports bool) error {
	if provider == "" {
		return fault.OnField("provider", "sending.code")
	}
	if supports {
		if err := s.onSale(ScopeProvider, provider, "provider"); err != nil {
			return err
		}
	}
	return fault.Doing("set validating provider", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		sql := "DELETE FROM validating_providers WHERE provider_code = ?"
		if supports {
			sql = "INSERT INTO validating_providers (provider_code) VALUES (?) ON CONFLICT DO NOTHING"
		}
		if err := tx.Exec(sql, provider).Error; err != nil {
			return err
		}
		return s.d.Audit.Write(ctx, tx, audit.Entry{
			Actor: actor, Act: audit.ProviderValidatingSet, Subject: audit.Of(audit.Provider, provider),
			Facts: audit.Facts{audit.YesNo("validating", supports)},
		})
	}))
}
