package sales

import (
	"context"
	"fmt"
	"time"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// Act is what a person asks of a sale.
type Act struct {
	Actor   audit.Actor
	ShiftID string // the open shift at the actor's till
	Reason  string
	Manager bool // the actor may override what stops a cashier
}

func (a Act) observation(cause Cause, now time.Time) Observation {
	return Observation{Cause: cause, At: now, Source: "counter", Actor: a.Actor.UserID, ShiftID: a.ShiftID, ReasonContext: a.Reason}
}

// Refund records that the cashier has handed the cash back, out of the drawer
// of the open shift. While the outcome is unknown only a manager may.
func (s *Service) Refund(ctx context.Context, saleID string, act Act) (Sale, error) {
	return s.move(ctx, saleID, func(tx *store.Tx, sale Sale) (Observation, error) {
		if act.ShiftID == "" {
			return Observation{}, fault.New(fault.Conflict, "Open a shift first: the cash must come out of a drawer.")
		}
		if sale.Fulfilment.Open() && !act.Manager {
			return Observation{}, fault.New(fault.Forbidden, "The outcome is not known yet. Only a manager may give the cash back now.")
		}
		if sale.Fulfilment.Open() {
			entry := audit.Entry{Actor: act.Actor, Action: "sale.refunded-while-unknown", Subject: "sale:" + sale.ID, Reason: act.Reason}
			if err := s.Audit.Write(ctx, tx, entry); err != nil {
				return Observation{}, err
			}
		}
		return act.observation(Refunded, s.Now()), nil
	})
}

// CallOff voids a sale that has not been sent yet.
func (s *Service) CallOff(ctx context.Context, saleID string, act Act) (Sale, error) {
	return s.move(ctx, saleID, func(_ *store.Tx, sale Sale) (Observation, error) {
		if sale.Fulfilment != Recorded {
			return Observation{}, fault.New(fault.Conflict, "It is too late to cancel: the sale has been sent.")
		}
		return act.observation(CalledOff, s.Now()), nil
	})
}

// absenceRest is how long a transfer that was only proven absent rests before a
// cashier may send it again.
const absenceRest = time.Hour

// TryAgain begins a new attempt of a sale that ended without success and whose
// cash is still here. Dispatch sends it.
func (s *Service) TryAgain(ctx context.Context, saleID string, act Act) (Sale, error) {
	return s.move(ctx, saleID, func(tx *store.Tx, sale Sale) (Observation, error) {
		if err := s.mayTryAgain(ctx, tx, sale, act); err != nil {
			return Observation{}, err
		}
		code, err := installation(tx, s.Now())
		if err != nil {
			return Observation{}, err
		}
		o := act.observation(TriedAgain, s.Now())
		o.NewRef, err = makeRef(code, sale.ID, sale.Attempt+1)
		return o, err
	})
}

func (s *Service) mayTryAgain(ctx context.Context, tx *store.Tx, sale Sale, act Act) error {
	switch {
	case act.ShiftID == "":
		return fault.New(fault.Conflict, "Open a shift first.")
	case !sale.Fulfilment.Final() || sale.Fulfilment == Complete:
		return fault.New(fault.Conflict, "This sale has moved on meanwhile. Look at it again.")
	case sale.ByAbsence && !act.Manager && s.Now().Sub(*sale.FinalAt) < absenceRest:
		return fault.New(fault.Forbidden, "This transfer was never answered. Sell it again after an hour, or ask a manager.")
	case sale.Practice:
		return nil
	}
	return s.guardFloat(ctx, tx, sale)
}

// revealFor is how long somebody who was shown a PIN goes on seeing it.
const revealFor = 10 * time.Minute

// Reveal records that somebody is shown the PIN and returns the receipt. From
// the second time on it needs a reason.
func (s *Service) Reveal(ctx context.Context, saleID string, act Act) error {
	_, err := s.move(ctx, saleID, func(tx *store.Tx, sale Sale) (Observation, error) {
		earlier, err := reveals(tx, sale.ID)
		if err != nil {
			return Observation{}, err
		}
		if len(earlier) > 0 && act.Reason == "" {
			return Observation{}, fault.OnField("reason", "This PIN was shown before. Say why it is shown again.")
		}
		entry := audit.Entry{Actor: act.Actor, Action: "pin.revealed", Subject: "sale:" + sale.ID, Reason: act.Reason}
		return act.observation(Revealed, s.Now()), s.Audit.Write(ctx, tx, entry)
	})
	return err
}

func reveals(tx *store.Tx, saleID string) ([]Event, error) {
	var events []Event
	err := tx.Where("sale_id = ? AND cause = ?", saleID, Revealed).Find(&events).Error
	return events, err
}

// Shown says whether a user was shown the PIN of a sale a moment ago, and
// whether anybody ever was.
func (s *Service) Shown(ctx context.Context, saleID, userID string) (now, ever bool, err error) {
	var events []Event
	if err := s.DB.Read(ctx).Where("sale_id = ? AND cause = ?", saleID, Revealed).Find(&events).Error; err != nil {
		return false, false, fmt.Errorf("find reveals: %w", err)
	}
	for _, e := range events {
		now = now || e.Actor == userID && s.Now().Sub(e.At) < revealFor
	}
	return now, len(events) > 0, nil
}
