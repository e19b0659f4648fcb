package sales

import (
	"context"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/store"
	"airtill/internal/till"
)

// NotGivenBack takes back a refund that was booked by mistake: the cash is still in the drawer, and the customer is
// owed it again. Who booked it may as long as that drawer is not counted. Otherwise it fails with *ApprovalError unless
// somebody approves it; where the count found the cash, that surplus goes. It fails with fault.Conflict if nothing is
// booked as given back, or if what is was booked after the form was made.
func (s *Service) NotGivenBack(ctx context.Context, saleID string, act Act) (Sale, error) {
	return s.move(ctx, saleID, func(tx *store.Tx, sale Sale) (Observation, error) {
		if sale.Cash != CashRefunded {
			return Observation{}, fault.New(fault.Conflict, "sale.moved")
		}
		last, err := lastRefund(tx.DB, saleID)
		if err != nil {
			return Observation{}, err
		}
		if last.undone != act.Undone {
			return Observation{}, fault.New(fault.Conflict, "sale.moved")
		}
		counted, err := last.counted(tx)
		if err != nil {
			return Observation{}, err
		}
		allowed := allowing{approver: act.Approver}
		if counted || last.by != act.Actor.UserID {
			if err := allowed.pass(&ApprovalError{Stop: StopNotGivenBack}); err != nil {
				return Observation{}, err
			}
		}
		o := act.Observation(Refunded, s.d.Now())
		o.NotGiven, o.ShiftID = true, last.shiftID
		if counted {
			if err := s.lessOver(ctx, tx, &sale, o); err != nil {
				return Observation{}, err
			}
		}
		return o, s.recordAllowed(ctx, tx, &allowed, sale.measuredAs("refund"), act.Actor, act.Reason)
	})
}

// lessOver books the cash out of a drawer that was counted with it, as over: the shift's account stays at nothing.
func (s *Service) lessOver(ctx context.Context, tx *store.Tx, sale *Sale, o Observation) error {
	return ledger.Post(ctx, tx, ledger.Entry{
		Key: fmt.Sprintf("%s/%d/counted", sale.ID, sale.Events+1), At: store.Moment(o.At),
		Journal: ledger.CountDifference(o.ShiftID, sale.Price().Neg()),
	})
}

// NeedsNoManager says whether a user may take back a sale's last refund alone, and whether the drawer that it came out
// of was counted since.
func (s *Service) NeedsNoManager(ctx context.Context, saleID, userID string) (alone, counted bool, err error) {
	session := s.d.DB.Read(ctx)
	last, err := lastRefund(session, saleID)
	if err != nil || last.shiftID == "" {
		return last.by == userID, false, err
	}
	closed, err := store.First[till.Shift](
		session.Where("id = ? AND closed_at IS NOT NULL", last.shiftID),
	)
	counted = closed != nil
	return last.by == userID && !counted, counted, fault.Doing("drawer of a refund", err)
}

// refund is the last time that a sale's cash was booked as given back.
type refund struct {
	by      string // user id
	shiftID string // whose drawer it came out of, "" in practice
	undone  int    // how many refunds were taken back until now
}

func lastRefund(session *gorm.DB, saleID string) (refund, error) {
	by, err := refunders(session, saleID)
	if err != nil || len(by) == 0 {
		return refund{}, err
	}
	last := refund{by: by[len(by)-1], undone: len(by) / 2}
	account, err := store.First[string](session.Raw(
		"SELECT account FROM postings WHERE sale_id = ? AND kind = 'J12' AND account LIKE '1000:%' ORDER BY id DESC",
		saleID,
	))
	if account != nil {
		last.shiftID = strings.TrimPrefix(*account, string(ledger.TillOf("")))
	}
	return last, fault.Doing("drawer of a refund", err)
}

// refunders are who booked that a sale's cash was given back, and in turn that it was not.
func refunders(session *gorm.DB, saleID string) ([]string, error) {
	by, err := store.All[string](session.Raw(
		"SELECT actor FROM sale_events WHERE sale_id = ? AND cause = ? ORDER BY seq", saleID, Refunded,
	))
	return by, fault.Doing("refunds of a sale", err)
}

// counted says whether the drawer of a refund was counted since. One that was not stays open until the end of the
// transaction.
func (r refund) counted(tx *store.Tx) (bool, error) {
	if r.shiftID == "" {
		return false, nil
	}
	_, err := till.Hold(tx, r.shiftID)
	if fault.KindOf(err) == fault.Conflict {
		return true, nil
	}
	return false, err
}

// upToDate refuses the form of a refund that was taken back since: sent again, it would give the cash back unseen.
func (a Act) upToDate(tx *store.Tx, saleID string) error {
	by, err := refunders(tx.DB, saleID)
	if err != nil {
		return err
	}
	if len(by)/2 != a.Undone {
		return fault.New(fault.Conflict, "sale.moved")
	}
	return nil
}

// notGivenBack books a refund the other way. What it had turned into a loss is earned.
func (m *mover) notGivenBack() error {
	s := &m.Sale
	if s.Cash != CashRefunded {
		return fault.New(fault.Conflict, "sale.moved")
	}
	m.Changed, m.Moved = true, true
	m.book(ledger.CashRefunded(m.o.ShiftID, s.Price().Neg()))
	if !s.Fulfilment.Open() && s.Fulfilment != Complete {
		s.Cash = CashRefundDue
		return nil
	}
	m.book(ledger.RefundNoLongerDue(s.Price()))
	if s.Fulfilment.Open() {
		s.Cash = CashTaken
		m.Settled = append(m.Settled, RefundedUnknown)
		return nil
	}
	actual := s.Actual()
	total, err := actual.Total()
	if err != nil {
		return err
	}
	m.book(ledger.LateLoss(total.Neg()))
	if err := m.bookOr(ledger.Success(ledger.Float, total, actual)); err != nil {
		return err
	}
	s.Cash = CashEarned
	return m.bookOr(ledger.Revenue(s.Price(), actual))
}
