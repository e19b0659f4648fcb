package sales

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/counter"
	"airtill/internal/fault"
	"airtill/internal/harness/failpoint"
	"airtill/internal/store"
	"airtill/internal/till"
)

// Act is what a person asks of a sale.
type Act struct {
	Actor    audit.Actor
	ShiftID  string    // the open shift at the actor's till
	Day      time.Time // when the shop's business day began; zero counts the last 24 hours
	Reason   string
	Again    bool              // TryAgain: beside the same sale that was sent since
	Attempt  int               // TryAgain: in place of this one; 0: of the last one
	Undone   int               // Refund, NotGivenBack: how many refunds had been taken back when the form was made
	Approver approval.Approver // allows this one act, whatever stops it
}

// Observation is the act as the reducer sees it.
func (a Act) Observation(cause Cause, now time.Time) Observation {
	return Observation{
		Cause: cause, At: now, Source: "counter", Actor: a.Actor.UserID, ShiftID: a.ShiftID, ReasonContext: a.Reason,
	}
}

// Refund records that the cashier handed the cash back, out of the drawer of the open shift, which must be of the
// sale's currency. It fails with *ApprovalError while the outcome is unknown, and with *limit.Error over the shop's
// limit, unless somebody approves it.
func (s *Service) Refund(ctx context.Context, saleID string, act Act) (Sale, error) {
	var asked Sale
	after, err := s.move(ctx, saleID, func(tx *store.Tx, sale Sale) (Observation, error) {
		asked = sale
		// before anybody is asked to allow it, or has allowed it in vain
		if err := cmp.Or(sale.mayRefund(), s.wentThrough(tx, &sale), act.upToDate(tx, saleID)); err != nil {
			return Observation{}, err
		}
		if act.ShiftID == "" {
			return Observation{}, fault.New(fault.Conflict, "shift.needed-for-cash")
		}
		drawer, err := till.Hold(tx, act.ShiftID)
		if err == nil && drawer.Currency != sale.PriceCurrency { // of another shop
			err = fault.New(fault.Conflict, "drawer.currency", drawer.Currency)
		}
		if err != nil {
			return Observation{}, err
		}
		allowed := allowing{approver: act.Approver}
		if err := s.guardRefund(ctx, tx, &sale, &allowed); err != nil {
			return Observation{}, err
		}
		failpoint.Hit("K12")
		return act.Observation(Refunded, s.d.Now()),
			s.recordAllowed(ctx, tx, &allowed, sale.measuredAs("refund"), act.Actor, act.Reason)
	})
	if err != nil {
		return Sale{}, s.d.Limits.Stopped(ctx, asked.measuredAs("refund"), err)
	}
	failpoint.Hit("K13")
	return after, nil
}

func (s *Service) guardRefund(ctx context.Context, db store.Asker, sale *Sale, allowed *allowing) error {
	if sale.Fulfilment.Open() {
		if err := allowed.pass(&ApprovalError{Stop: StopRefundUnknown}); err != nil {
			return err
		}
	}
	if sale.Practice {
		return nil
	}
	return s.d.Limits.CheckRefund(ctx, db, sale.measuredAs("refund"), allowed.pass)
}

// errVoid: there is nothing to call off any more.
var errVoid = errors.New("the sale is void already")

// CallOff voids a sale that has not been sent yet. Twice is the same as once.
func (s *Service) CallOff(ctx context.Context, saleID string, act Act) (Sale, error) {
	var asked Sale
	after, err := s.move(ctx, saleID, func(_ *store.Tx, sale Sale) (Observation, error) {
		switch asked = sale; sale.Fulfilment {
		case Recorded:
			return act.Observation(CalledOff, s.d.Now()), nil
		case Voided:
			return Observation{}, errVoid
		default:
			return Observation{}, fault.New(fault.Conflict, "sale.sent")
		}
	})
	if errors.Is(err, errVoid) {
		return asked, nil
	}
	return after, err
}

// absenceRest is how long a transfer proven only absent rests before a cashier may send it again.
const absenceRest = time.Hour

// errReplaced: the attempt has a later one already.
var errReplaced = errors.New("the attempt was replaced")

// TryAgain begins a new attempt of a sale that ended without success and whose cash is still here. Dispatch
// sends it. Asked for in place of an attempt that has a later one already, it changes nothing. It fails with a fault
// if the product is not sold any more, or its provider takes no transfers; with *ApprovalError if the verdict rests
// on absence alone and is recent, with *UnknownError while the same sale is open beside it, and with *limit.Error if
// other sales have used up a limit since, unless somebody approves it; and with *DuplicateError if the same was sent
// today, unless both are meant.
func (s *Service) TryAgain(ctx context.Context, saleID string, act Act) (Sale, error) {
	asked, err := s.Get(ctx, saleID, "")
	if err != nil {
		return Sale{}, err
	}
	unsold := s.sells(ctx, &asked) // before the transaction, which has one connection
	after, err := s.move(ctx, saleID, func(tx *store.Tx, sale Sale) (Observation, error) {
		asked = sale
		if act.Attempt > 0 && act.Attempt < sale.Attempt {
			return Observation{}, errReplaced
		}
		allowed := allowing{approver: act.Approver}
		if err := s.mayTryAgain(ctx, tx, sale, act, unsold, &allowed); err != nil {
			return Observation{}, err
		}
		o, err := s.newAttempt(tx, sale, act.Observation(TriedAgain, s.d.Now()))
		if err != nil {
			return Observation{}, err
		}
		return o, s.recordAllowed(ctx, tx, &allowed, sale.measuredAs("retry"), act.Actor, act.Reason)
	})
	if errors.Is(err, errReplaced) {
		return asked, nil
	}
	return after, s.d.Limits.Stopped(ctx, asked.measuredAs("retry"), err)
}

// newAttempt gives a new attempt its ref and the mode it is sent in.
func (s *Service) newAttempt(tx *store.Tx, sale Sale, o Observation) (Observation, error) {
	here, err := installation(tx, s.d.Now())
	if err != nil {
		return o, err
	}
	if o.Mode, err = s.modeFor(tx.DB, &sale); err != nil {
		return o, err
	}
	o.NewRef, err = makeRef(here.Code, sale.ID, sale.Attempt+1)
	return o, err
}

// sells fails with a fault if a sale's product could not be sold anew.
func (s *Service) sells(ctx context.Context, sale *Sale) error {
	if s.d.Sells == nil {
		return nil
	}
	sold, taken, err := s.d.Sells(ctx, sale.ShopID, sale.ProviderCode, sale.SKUCode)
	switch {
	case err != nil:
		return fmt.Errorf("is it still sold: %w", err)
	case !sold:
		return fault.New(fault.Conflict, "sale.unsold")
	case !taken:
		return fault.New(fault.Unavailable, "sale.not-taken", sale.ProviderName)
	}
	return nil
}

// mayTryAgain says what stands in the way of another attempt; unsold is that the product could not be sold anew.
func (s *Service) mayTryAgain(
	ctx context.Context, tx *store.Tx, sale Sale, act Act, unsold error, allowed *allowing,
) error {
	now := s.d.Now()
	switch {
	case act.ShiftID == "":
		return fault.New(fault.Conflict, "shift.needed")
	case !sale.Fulfilment.Final() || sale.Fulfilment == Complete:
		return fault.New(fault.Conflict, "sale.moved")
	case sale.RetryAt != nil && now.Before(*sale.RetryAt):
		return fault.New(fault.Conflict, "sale.wait", int(sale.RetryAt.Sub(now)/time.Second)+1)
	}
	if err := cmp.Or(sale.mayRetry(), s.stopped(), unsold); err != nil {
		return err
	}
	here, err := installation(tx, now)
	if err == nil && here.predates(sale.Ref) { // nobody may allow that, so nobody is asked
		err = fault.New(fault.Conflict, "sale.before-restore")
	}
	if err != nil {
		return err
	}
	if early := sale.RetryFrom(now); early != nil {
		if err := allowed.pass(&ApprovalError{Stop: StopRetryEarly, Until: *early}); err != nil {
			return err
		}
	}
	if !sale.Practice {
		// A failed sale counts towards no limit; from here on it does again.
		if err := tx.Lock(sale.subject()); err != nil {
			return err
		}
	}
	// The drawer stays open until the attempt is recorded: locked after the number, as by a new sale.
	if _, err := till.Hold(tx, act.ShiftID); err != nil || sale.Practice {
		return err
	}
	if err := s.d.Limits.CheckSale(ctx, tx, sale.measuredAs("retry"), act.Day, allowed.pass); err != nil {
		return err
	}
	var a around
	ask := a.float.Asked(sale.SendCurrency).Query()
	questions, err := s.d.Limits.AskFloat(ctx, tx, sale.ShopID, sale.SendCurrency, ask)
	if err != nil {
		return err
	}
	if sale.Addressed() {
		questions = append(questions, twins(&sale, now, &a.twins).Query())
	}
	if err := tx.Rows(ctx, questions...); err != nil {
		return err
	}
	if err := s.guardFloat(ctx, tx, a.float, &sale, act.Day); err != nil {
		return err
	}
	said := counter.Confirmation{Again: act.Again, Approver: allowed.approver}
	return guardSame(ctx, tx, a.twins, &sale, said, allowed.pass)
}

// RetryFrom is when anybody may try the sale again, nil if now: a verdict by absence alone rests for an hour.
func (s *Sale) RetryFrom(now time.Time) *time.Time {
	if !s.ByAbsence || s.FinalAt == nil {
		return nil
	}
	from := s.FinalAt.Add(absenceRest)
	if !now.Before(from) {
		return nil
	}
	return &from
}
