package followup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/sales"
	"airtill/internal/store"
)

const (
	sweepAtOnce   = 100
	lookAgain     = 10 * time.Second // after an unanswered look-up
	controlWithin = 30 * 24 * time.Hour
	gonePermit    = 115 * time.Second
	clocksDiffer  = 10 * time.Minute // of processes, at most
)

// Sweep does what is due: it sends or voids sales recorded but not sent, gives up permits of dead processes,
// and looks up open transfers. It may run at any time, any number of times.
func (s *Service) Sweep(ctx context.Context) error {
	if err := s.orphans(ctx); err != nil {
		return err
	}
	if err := s.notPutOff(ctx); err != nil {
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
	return errors.Join(append(failed, s.oldAttempts(ctx), s.d.Float(ctx))...)
}

// Due says whether a sweep has anything to do.
func (s *Service) Due(ctx context.Context) (due bool, err error) {
	db, now := s.d.DB.Read(ctx), store.Moment(s.d.Now())
	some := func(table string) *gorm.DB { return db.Table(table).Select("1") }
	err = db.Raw("SELECT EXISTS (?) OR EXISTS (?) OR EXISTS (?) OR EXISTS (?)",
		some("sales").Where("next_check_at <= ?", now),
		some("attempts").Where("next_check_at <= ?", now), s.orphaned(some("sales"), db),
		some("sales").Where(putOff, s.putOff()...),
	).Scan(&due).Error
	if err != nil || due {
		return due, fault.Doing("find what is due", err)
	}
	return s.d.FloatWaits(ctx)
}

// lookUpAll looks up sales, by pages of the list where that takes fewer calls. When the limit is used up, or
// the list does not answer, they stay due.
func (s *Service) lookUpAll(ctx context.Context, due []sales.Sale, note func(sales.Sale, error)) error {
	if s.silence.lasts(s.d.Now()) {
		return nil
	}
	slices.SortStableFunc(due, func(a, b sales.Sale) int {
		return urgency(priority(a, s.d.Now())) - urgency(priority(b, s.d.Now()))
	})
	due, unread := s.lookUpByPages(ctx, due)
	if limited(unread) {
		unread = nil
	}
	refused := map[apiclient.Priority]bool{}
	for _, sale := range due[:min(len(due), sweepAtOnce)] {
		p := priority(sale, s.d.Now())
		if refused[p] || s.silence.lasts(s.d.Now()) {
			continue
		}
		err := s.lookUp(ctx, sale)
		if refused[p] = limited(err); !errors.Is(err, apiclient.ErrBudget) {
			note(sale, err)
		}
	}
	return unread
}

// limited says whether a call was refused because of too many before it. A successful transfer restores them,
// so the work stays due.
func limited(err error) bool {
	var e *apiclient.Error
	return errors.As(err, &e) && e.Limited()
}

// due returns the sales to visit now: those to send first, then those never looked for, old ghosts last; among
// equals the longest due.
func (s *Service) due(ctx context.Context) ([]sales.Sale, error) {
	due, err := store.All[sales.Sale](s.d.DB.Read(ctx).Where("next_check_at <= ?", store.Moment(s.d.Now())).
		Order("CASE WHEN fulfilment IN ('recorded','sending') THEN 0 WHEN final_at IS NOT NULL THEN 3 " +
			"WHEN looks = 0 THEN 1 ELSE 2 END, next_check_at").
		Limit(apiclient.MaxPages * apiclient.PageSize))
	return due, fault.Doing("find due sales", err)
}

// putOff selects open sales whose next look-up was set while the clock was ahead, which was set right since. One that
// is not sent yet waits: its minute is counted by that clock.
const putOff = "final_at IS NULL AND fulfilment NOT IN (?, ?) AND updated_at > ? AND next_check_at > ?"

func (s *Service) putOff() []any {
	now := s.d.Now()
	return []any{
		sales.Recorded, sales.Sending, store.Moment(now.Add(clocksDiffer)), store.Moment(now.Add(clocksDiffer)),
	}
}

func (s *Service) notPutOff(ctx context.Context) error {
	args := append([]any{store.Moment(s.d.Now())}, s.putOff()...)
	err := s.d.DB.Exec(ctx, "UPDATE sales SET next_check_at = ? WHERE "+putOff, args...)
	return fault.Doing("look up what a wrong clock put off", err)
}

// orphans marks sends of dead processes unknown: nobody waits for their reply any more.
func (s *Service) orphans(ctx context.Context) error {
	orphans, err := store.All[sales.Sale](s.orphaned(s.d.DB.Read(ctx), s.d.DB.Read(ctx)).Limit(sweepAtOnce))
	if err != nil {
		return fmt.Errorf("find orphaned sends: %w", err)
	}
	for _, sale := range orphans {
		if _, err := s.d.Sales.Observe(ctx, sale.ID, s.observation(sale, sales.Lost)); err != nil {
			return fmt.Errorf("sale %s: %w", sale.ID, err)
		}
	}
	return nil
}

// orphaned selects them. It names final_at for its index: few sales are open, however many there are.
func (s *Service) orphaned(of, db *gorm.DB) *gorm.DB {
	return of.Where(
		"final_at IS NULL AND fulfilment = ? AND permit_by NOT IN (?)", sales.Sending, s.d.Processes.Alive(db),
	)
}

func (s *Service) observation(sale sales.Sale, cause sales.Cause) sales.Observation {
	return sales.Observation{Cause: cause, Ref: sale.Ref, At: s.d.Now(), Source: "sweep"}
}

// hurry deals with a sale not sent yet, or whose send should be over.
func (s *Service) hurry(ctx context.Context, sale sales.Sale) error {
	if sale.Fulfilment == sales.Recorded {
		if s.d.Now().Sub(sale.AttemptAt) >= sales.VoidAfter {
			_, err := s.d.Sales.Observe(ctx, sale.ID, s.observation(sale, sales.TooLate))
			return err
		}
		s.d.Sales.Dispatch(sale)
		return s.postpone(ctx, sale, lookAgain)
	}
	if sale.PermitAt != nil && s.d.Now().Sub(*sale.PermitAt) < gonePermit {
		return nil
	}
	_, err := s.d.Sales.Observe(ctx, sale.ID, s.observation(sale, sales.Lost))
	return err
}

// lookUp asks the upstream's list for a sale's ref and feeds what it finds to the reducer. Without an answer
// it comes back soon: a failed call is not an empty list. If the limit is used up, the sale stays due.
func (s *Service) lookUp(ctx context.Context, sale sales.Sale) error {
	ctx = apiclient.WithPriority(ctx, priority(sale, s.d.Now()))
	if absentAgain(sale, s.d.Now()) { // useless without a control
		if _, err := s.controlSeen(ctx); err != nil {
			return s.unanswered(ctx, sale, err)
		}
	}
	found, err := s.records(ctx, sale.Ref)
	if err != nil {
		return s.unanswered(ctx, sale, err)
	}
	if len(found) > 0 {
		return s.listed(ctx, sale, found)
	}
	o := s.observation(sale, sales.Looked)
	if sale.AbsenceCounts(o.At) {
		// if it is limited, this look does not count
		if o.ControlSeen, err = s.controlSeen(ctx); err != nil && !limited(err) {
			return s.unanswered(ctx, sale, err)
		}
	}
	_, err = s.d.Sales.Observe(ctx, sale.ID, o)
	return err
}

// absentAgain says whether a look-up will most likely find nothing, and should prove that.
func absentAgain(sale sales.Sale, now time.Time) bool {
	return sale.Looks > 0 && sale.AbsenceCounts(now)
}

// listed feeds records to the reducer. If a cancellation was requested and its answer lost, it is requested
// again.
func (s *Service) listed(ctx context.Context, sale sales.Sale, found []apiclient.TransferRecordWithErrorCodes) error {
	after, err := s.d.Sales.ObserveListed(ctx, sale, found)
	if err != nil || sale.Fulfilment != sales.Cancelling || !after.Cancellable() {
		return err
	}
	return s.cancelAgain(ctx, after)
}

// records lists every record of a ref.
func (s *Service) records(ctx context.Context, ref string) ([]apiclient.TransferRecordWithErrorCodes, error) {
	answer, err := s.d.Client.ListTransferRecords(ctx, apiclient.ListTransferRecordsRequest{
		DistributorRef: ref, Take: 100,
	})
	s.silence.heard(err, s.d.Now())
	if err != nil {
		return nil, err
	}
	return answer.Items, nil
}

const (
	// controlHolds is how long a control seen serves for other look-ups: those of a sweep, or the next ones
	// where the limit restores one call at a time.
	controlHolds = time.Minute
	// controlLacks is how long one that was not seen does.
	controlLacks = time.Second
)

// postpone visits a sale again later, unless something else moved it.
func (s *Service) postpone(ctx context.Context, sale sales.Sale, by time.Duration) error {
	return s.d.DB.Exec(ctx, "UPDATE sales SET next_check_at = ? WHERE id = ? AND events = ? AND looks = ?",
		store.Moment(s.d.Now().Add(by)), sale.ID, sale.Events, sale.Looks)
}

// unanswered says why nothing was learned of a sale, and visits it again soon if the list was asked.
func (s *Service) unanswered(ctx context.Context, sale sales.Sale, err error) error {
	err = fmt.Errorf("look up: %w", err)
	if limited(err) {
		return err
	}
	return errors.Join(err, s.postpone(ctx, sale, lookAgain))
}

// priority: sales never looked for come first, then those somebody waits for, then those looked for in vain,
// and ghosts last.
func priority(sale sales.Sale, now time.Time) apiclient.Priority {
	switch {
	case sale.Fulfilment.Final():
		return apiclient.PriorityBackground
	case sale.Looks == 0:
		return apiclient.PriorityFirstLook
	case sale.Awaited(now):
		return apiclient.PriorityCashier
	case sale.Early(now):
		return apiclient.PriorityBackground
	}
	return apiclient.PriorityNormal
}

// urgency is the rank of a priority, the most urgent first.
func urgency(p apiclient.Priority) int {
	return slices.Index([]apiclient.Priority{
		apiclient.PriorityFirstLook, apiclient.PriorityCashier, apiclient.PriorityNormal, apiclient.PriorityBackground,
	}, p)
}
