package sales

import (
	"context"
	"errors"
	"fmt"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/harness/failpoint"
	"airtill/internal/store"
)

// maxCancelCalls bounds how often the upstream is asked for one cancellation
// whose answer is lost each time.
const maxCancelCalls = 3

// cancellation is one row of what the upstream was asked to cancel.
type cancellation struct {
	ID    string
	Calls int
}

// Cancel calls off a sale that was not sent, and asks the upstream to cancel a
// batch transfer that was accepted. The list is asked first: what has ended
// meanwhile is not cancelled, and the sale returned says how it ended. Asking
// twice is the same as asking once.
func (s *Service) Cancel(ctx context.Context, saleID string, act Act) (Sale, error) {
	sale, err := s.Get(ctx, saleID, "")
	switch {
	case err != nil:
		return Sale{}, err
	case sale.Fulfilment == Recorded:
		return s.CallOff(ctx, saleID, act)
	case sale.Fulfilment == Cancelling:
		return sale, nil
	case !sale.Cancellable():
		return Sale{}, fault.New(fault.Conflict, "sale.not-cancellable")
	}
	if sale, err = s.listNow(ctx, sale); err != nil || !sale.Cancellable() {
		return sale, err
	}
	return s.cancelListed(ctx, sale, act)
}

// Cancellable says whether the upstream can be asked to cancel the transfer:
// only batch transfers that it has not finished.
func (s *Sale) Cancellable() bool {
	return s.Batch() && (s.Fulfilment == Submitted || s.Fulfilment == Processing)
}

// CancelAgain asks once more for a cancellation whose answer was lost, after
// the list has said that the transfer still goes on. It does nothing for a sale
// that nobody asked to cancel.
func (s *Service) CancelAgain(ctx context.Context, sale Sale) error {
	open, err := s.openCancellation(ctx, sale)
	if err != nil || open == nil || !sale.Cancellable() {
		return err
	}
	if open.Calls >= maxCancelCalls {
		return s.answered(ctx, *open, "no answer")
	}
	_, err = s.cancelListed(ctx, sale, Act{})
	return err
}

func (s *Service) openCancellation(ctx context.Context, sale Sale) (*cancellation, error) {
	var open []cancellation
	err := s.DB.Read(ctx).Table("cancellations").Where("sale_id = ? AND ref = ? AND answered_at IS NULL", sale.ID, sale.Ref).Find(&open).Error
	if err != nil {
		return nil, fmt.Errorf("find cancellation: %w", err)
	}
	if len(open) == 0 {
		return nil, nil
	}
	return &open[0], nil
}

// listNow asks the list for a sale that a cashier waits for.
func (s *Service) listNow(ctx context.Context, sale Sale) (Sale, error) {
	ctx = apiclient.WithPriority(ctx, apiclient.PriorityCashier)
	answer, err := s.Client.ListTransferRecords(ctx, apiclient.ListTransferRecordsRequest{DistributorRef: sale.Ref, Take: 100})
	if err != nil {
		return Sale{}, apiclient.Told(err, fault.Unavailable, "upstream.not-asked")
	}
	if len(answer.Items) == 0 {
		return Sale{}, fault.New(fault.Conflict, "sale.not-listed")
	}
	return s.ObserveListed(ctx, sale, answer.Items)
}

// cancelListed asks for the cancellation of a transfer that the list has just
// shown to go on. The row is committed before the call, so that a crash between
// them leaves a trace to follow (K11).
func (s *Service) cancelListed(ctx context.Context, sale Sale, act Act) (Sale, error) {
	asked, row, err := s.askToCancel(ctx, sale, act)
	if errors.Is(err, errAsked) {
		return s.Get(ctx, sale.ID, "")
	}
	if err != nil {
		return Sale{}, err
	}
	failpoint.Hit("K11")
	return s.callCancel(ctx, asked, row)
}

// errAsked: somebody else has just asked for the same cancellation.
var errAsked = errors.New("the cancellation has been asked for")

func (s *Service) askToCancel(ctx context.Context, sale Sale, act Act) (Sale, cancellation, error) {
	var row cancellation
	after, err := s.move(ctx, sale.ID, func(tx *store.Tx, sale Sale) (Observation, error) {
		if sale.Fulfilment == Cancelling {
			return Observation{}, errAsked
		}
		o := act.observation(CancelAsked, s.Now())
		var err error
		row, err = noteCancellation(tx, &sale, o)
		return o, err
	})
	return after, row, err
}

// noteCancellation writes that the upstream is about to be asked, in the row of
// an earlier call if that was never answered.
func noteCancellation(tx *store.Tx, sale *Sale, o Observation) (cancellation, error) {
	at := store.Moment(o.At)
	var open []cancellation
	if err := tx.Table("cancellations").Where("sale_id = ? AND ref = ? AND answered_at IS NULL", sale.ID, sale.Ref).Find(&open).Error; err != nil {
		return cancellation{}, err
	}
	if len(open) == 1 {
		row := open[0]
		row.Calls++
		return row, tx.Exec("UPDATE cancellations SET calls = ?, called_at = ? WHERE id = ?", row.Calls, at, row.ID).Error
	}
	row := cancellation{ID: store.NewID(at), Calls: 1}
	return row, tx.Exec("INSERT INTO cancellations (id, sale_id, ref, asked_at, asked_by, calls, called_at, answer) VALUES (?,?,?,?,?,?,?,'')",
		row.ID, sale.ID, sale.Ref, at, o.Actor, row.Calls, at).Error
}

// callCancel makes the call. If it is lost, the sale stays as it is and the
// sweep finds out; an answer other than Cancelled is checked by the list.
func (s *Service) callCancel(ctx context.Context, sale Sale, row cancellation) (Sale, error) {
	ctx = apiclient.WithPriority(ctx, apiclient.PriorityCashier)
	id := apiclient.TransferId{TransferRef: sale.TransferRef, DistributorRef: sale.Ref}
	answer, err := s.Client.CancelTransfers(ctx, []apiclient.CancellationRequest{{TransferId: id, BatchItemRef: row.ID}})
	if err != nil || len(answer.Items) != 1 {
		s.Log.WarnContext(ctx, "sale.cancel_unanswered", "sale", sale.ID, "error", err)
		return sale, nil
	}
	item := answer.Items[0]
	o := cancelAnswer(&sale, &item, s.Now())
	if err := s.answered(ctx, row, o.ReasonContext); err != nil {
		return sale, err
	}
	if sale, err = s.Observe(ctx, sale.ID, o); err != nil || o.State == Cancelled {
		return sale, err
	}
	if listed, err := s.listNow(ctx, sale); err == nil { // or the sweep lists it
		return listed, nil
	}
	return sale, nil
}

// cancelAnswer reads one item of CancelTransfers: only a returned state
// Cancelled is a cancellation.
func cancelAnswer(sale *Sale, item *apiclient.TransferWithState, at time.Time) Observation {
	o := Observation{Cause: CancelAnswered, Ref: sale.Ref, At: at, Source: "cancel"}
	succeeded := item.ResultCode == apiclient.ResultSuccess || item.ResultCode == apiclient.ResultWarning
	o.ReasonContext = string(item.ProcessingState)
	if !succeeded {
		_, o.ReasonContext = reason(item.ErrorCodes)
	}
	if succeeded && item.ProcessingState.Normal() == apiclient.StateCancelled {
		o.State = Cancelled
	}
	return o
}

func (s *Service) answered(ctx context.Context, row cancellation, answer string) error {
	err := s.DB.Tx(ctx, func(tx *store.Tx) error {
		return tx.Exec("UPDATE cancellations SET answered_at = ?, answer = ? WHERE id = ?", store.Moment(s.Now()), clip(answer), row.ID).Error
	})
	if err != nil {
		return fmt.Errorf("note cancel answer: %w", err)
	}
	return nil
}
