package reconcile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"airtill/internal/apiclient"
	"airtill/internal/sales"
	"airtill/internal/store"
)

const (
	sweepAtOnce   = 100
	lookAgain     = 10 * time.Second // after a look-up that could not be made
	controlWithin = 30 * 24 * time.Hour
	gonePermit    = 115 * time.Second
)

// Sweep does what is due: it sends or voids sales that were recorded and not
// sent, gives up on permits whose process is gone, and looks up the transfers
// whose outcome is open. It may run at any time, any number of times.
func (s *Service) Sweep(ctx context.Context) error {
	if err := s.orphans(ctx); err != nil {
		return err
	}
	due, err := s.due(ctx)
	if err != nil {
		return err
	}
	var failed []error
	note := func(sale sales.Sale, err error) {
		if err != nil {
			failed = append(failed, fmt.Errorf("sale %s: %w", sale.ID, err))
		}
	}
	var lookUps []sales.Sale
	for _, sale := range due {
		if sale.Fulfilment == sales.Recorded || sale.Fulfilment == sales.Sending {
			note(sale, s.hurry(ctx, sale))
		} else {
			lookUps = append(lookUps, sale)
		}
	}
	if err := s.lookUpAll(ctx, lookUps, note); err != nil {
		failed = append(failed, err)
	}
	return errors.Join(append(failed, s.oldAttempts(ctx), s.watchFloat(ctx))...)
}

// lookUpAll looks up sales, by pages of the list where they are many. Where the
// limit of look-ups is used up, or the list does not answer, they stay due.
func (s *Service) lookUpAll(ctx context.Context, due []sales.Sale, note func(sales.Sale, error)) error {
	var unread error
	if len(due) >= manyDue && !s.silence.lasts(s.Now()) {
		if due, unread = s.lookUpByPages(ctx, due); errors.Is(unread, apiclient.ErrBudget) {
			return nil
		}
	}
	refused := map[apiclient.Priority]bool{}
	for _, sale := range due[:min(len(due), sweepAtOnce)] {
		urgency := priority(sale, s.Now())
		if refused[urgency] || s.silence.lasts(s.Now()) {
			continue
		}
		err := s.lookUp(ctx, sale)
		if refused[urgency] = errors.Is(err, apiclient.ErrBudget); !refused[urgency] {
			note(sale, err)
		}
	}
	return unread
}

// due returns the sales to visit now: those a cashier may be waiting for
// first, old ghosts last.
func (s *Service) due(ctx context.Context) ([]sales.Sale, error) {
	var due []sales.Sale
	err := s.DB.Read(ctx).Where("next_check_at <= ?", store.Moment(s.Now())).
		Order("CASE WHEN fulfilment IN ('recorded','sending') THEN 0 WHEN fulfilment = 'unknown' THEN 1 WHEN fulfilment IN ('submitted','processing','cancelling') THEN 2 ELSE 3 END, id DESC").
		Limit(maxPages * pageSize).Find(&due).Error
	if err != nil {
		return nil, fmt.Errorf("find due sales: %w", err)
	}
	return due, nil
}

// orphans marks sends unknown whose process is gone: nobody waits for their
// reply any more.
func (s *Service) orphans(ctx context.Context) error {
	var orphans []sales.Sale
	if err := s.orphaned(s.DB.Read(ctx)).Limit(sweepAtOnce).Find(&orphans).Error; err != nil {
		return fmt.Errorf("find orphaned sends: %w", err)
	}
	for _, sale := range orphans {
		if _, err := s.Sales.Observe(ctx, sale.ID, s.observation(sale, sales.Lost)); err != nil {
			return fmt.Errorf("sale %s: %w", sale.ID, err)
		}
	}
	return nil
}

// orphaned selects them. It names final_at for its index: what is open is little,
// however much has been sold.
func (s *Service) orphaned(db *gorm.DB) *gorm.DB {
	return db.Where("final_at IS NULL AND fulfilment = ? AND permit_by NOT IN (?)", sales.Sending, s.alive(db))
}

func (s *Service) observation(sale sales.Sale, cause sales.Cause) sales.Observation {
	return sales.Observation{Cause: cause, Ref: sale.Ref, At: s.Now(), Source: "sweep"}
}

// hurry sees to a sale that is not sent yet, or whose send should be over.
func (s *Service) hurry(ctx context.Context, sale sales.Sale) error {
	if sale.Fulfilment == sales.Recorded {
		if s.Now().Sub(sale.AttemptAt) >= sales.VoidAfter {
			_, err := s.Sales.Observe(ctx, sale.ID, s.observation(sale, sales.TooLate))
			return err
		}
		s.Sales.Dispatch(sale)
		return s.postpone(ctx, sale, lookAgain)
	}
	if sale.PermitAt != nil && s.Now().Sub(*sale.PermitAt) < gonePermit {
		return nil
	}
	_, err := s.Sales.Observe(ctx, sale.ID, s.observation(sale, sales.Lost))
	return err
}

// lookUp asks the upstream's list for a sale's ref and feeds what it finds to
// the reducer. If there is no answer, it comes back soon: a failed call is not an
// empty list. If the limit is used up, the sale stays due.
func (s *Service) lookUp(ctx context.Context, sale sales.Sale) error {
	ctx = apiclient.WithPriority(ctx, priority(sale, s.Now()))
	found, err := s.records(ctx, sale.Ref)
	if err != nil {
		return s.unanswered(ctx, sale, err)
	}
	if len(found) == 0 {
		return s.foundNothing(ctx, sale)
	}
	return s.listed(ctx, sale, found)
}

// listed feeds records to the reducer. Where somebody asked to cancel the
// transfer and the answer was lost, the upstream is asked again.
func (s *Service) listed(ctx context.Context, sale sales.Sale, found []apiclient.TransferRecordWithErrorCodes) error {
	after, err := s.Sales.ObserveListed(ctx, sale, found)
	if err != nil || sale.Fulfilment != sales.Cancelling || !after.Cancellable() {
		return err
	}
	return s.Sales.CancelAgain(ctx, after)
}

// records lists every record of a ref.
func (s *Service) records(ctx context.Context, ref string) ([]apiclient.TransferRecordWithErrorCodes, error) {
	answer, err := s.Client.ListTransferRecords(ctx, apiclient.ListTransferRecordsRequest{DistributorRef: ref, Take: 100})
	s.silence.heard(err, s.Now())
	if err != nil {
		return nil, err
	}
	return answer.Items, nil
}

// foundNothing: an empty list proves something only if the same list, now,
// does return a transfer that is known to be there.
func (s *Service) foundNothing(ctx context.Context, sale sales.Sale) error {
	o := s.observation(sale, sales.Looked)
	control, err := s.control(ctx)
	if err != nil {
		return err
	}
	if control != "" {
		seen, err := s.records(ctx, control)
		if err != nil {
			return s.unanswered(ctx, sale, err)
		}
		o.ControlSeen = len(seen) > 0
		if !o.ControlSeen {
			s.Log.WarnContext(ctx, "sweep.control_missing", "sale", sale.ID)
		}
	}
	_, err = s.Sales.Observe(ctx, sale.ID, o)
	return err
}

// control returns the ref of a transfer that the list must know, "" if none
// completed lately.
func (s *Service) control(ctx context.Context) (string, error) {
	var refs []string
	err := s.DB.Read(ctx).Model(&sales.Sale{}).Select("ref").
		Where("id > ? AND fulfilment = ? AND practice = ? AND final_at > ?", sales.NewID(s.Now().Add(-controlWithin)), sales.Complete, false, store.Moment(s.Now().Add(-controlWithin))).
		Order("id DESC").Limit(1).Scan(&refs).Error
	if err != nil || len(refs) == 0 {
		return "", wrapped("find a control", err)
	}
	return refs[0], nil
}

func wrapped(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// postpone visits a sale again after a while, if nothing else moved it.
func (s *Service) postpone(ctx context.Context, sale sales.Sale, by time.Duration) error {
	return s.DB.Tx(ctx, func(tx *store.Tx) error {
		return tx.Exec("UPDATE sales SET next_check_at = ? WHERE id = ? AND events = ? AND looks = ?",
			store.Moment(s.Now().Add(by)), sale.ID, sale.Events, sale.Looks).Error
	})
}

// unanswered says why nothing was learned of a sale, and visits it again soon if
// it was asked for.
func (s *Service) unanswered(ctx context.Context, sale sales.Sale, err error) error {
	err = fmt.Errorf("look up: %w", err)
	if errors.Is(err, apiclient.ErrBudget) {
		return err
	}
	return errors.Join(err, s.postpone(ctx, sale, wait(err)))
}

func wait(err error) time.Duration {
	var e *apiclient.Error
	if errors.As(err, &e) && e.RetryAfter > lookAgain {
		return e.RetryAfter
	}
	return lookAgain
}

// priority: a cashier may be waiting for a fresh sale, nobody waits for a
// ghost.
func priority(sale sales.Sale, now time.Time) apiclient.Priority {
	switch {
	case sale.Fulfilment.Final():
		return apiclient.PriorityBackground
	case now.Sub(sale.AttemptAt) < 10*time.Minute:
		return apiclient.PriorityCashier
	}
	return apiclient.PriorityNormal
}
