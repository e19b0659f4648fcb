package followup

import (
	"context"

	"gorm.io/gorm"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/harness/failpoint"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// maxCancelCalls bounds how often a cancellation is requested if each answer is lost.
const maxCancelCalls = 3

// noAnswer stands for the answer that is not waited for any more.
const noAnswer = "no answer"

// cancellation is a row of what the upstream was asked to cancel.
type cancellation struct {
	ID    string
	Calls int
}

// Cancel calls off a sale that was not sent, or asks the upstream to cancel an accepted batch transfer. The
// list is asked first: what has ended meanwhile is not cancelled, and the returned sale says how it ended.
// Asking twice is the same as asking once.
func (s *Service) Cancel(ctx context.Context, saleID string, act sales.Act) (sales.Sale, error) {
	sale, err := s.d.Sales.Get(ctx, saleID, "")
	switch {
	case err != nil:
		return sales.Sale{}, err
	case sale.Fulfilment == sales.Recorded:
		return s.d.Sales.CallOff(ctx, saleID, act)
	case sale.Fulfilment == sales.Cancelling, sale.Fulfilment.Final() && sale.Fulfilment != sales.Complete:
		return sale, nil // it is what was asked for
	case !sale.Cancellable():
		return sales.Sale{}, fault.New(fault.Conflict, "sale.not-cancellable")
	}
	if sale, err = s.listNow(ctx, sale); err != nil || !sale.Cancellable() {
		return sale, err
	}
	return s.cancelListed(ctx, sale, act)
}

// cancelAgain repeats a cancellation whose answer was lost, once the list has shown that the transfer still
// goes on. It does nothing for a sale nobody asked to cancel.
func (s *Service) cancelAgain(ctx context.Context, sale sales.Sale) error {
	open, err := openCancellation(s.d.DB.Read(ctx), sale)
	if err != nil || open == nil {
		return fault.Doing("find cancellation", err)
	}
	if open.Calls >= maxCancelCalls {
		return s.answered(ctx, *open, noAnswer)
	}
	_, err = s.cancelListed(ctx, sale, sales.Act{})
	return err
}

// listNow asks the list for a sale while a cashier waits.
func (s *Service) listNow(ctx context.Context, sale sales.Sale) (sales.Sale, error) {
	found, err := s.records(apiclient.WithPriority(ctx, apiclient.PriorityCashier), sale.Ref)
	if err != nil {
		return sales.Sale{}, apiclient.Told(err, fault.Unavailable, "upstream.not-asked")
	}
	if len(found) == 0 {
		return sales.Sale{}, fault.New(fault.Conflict, "sale.not-listed")
	}
	return s.d.Sales.ObserveListed(ctx, sale, found)
}

// cancelListed requests the cancellation of a transfer just listed as going on. The row is committed before
// the call, so that a crash in between leaves a trace (K11).
func (s *Service) cancelListed(ctx context.Context, sale sales.Sale, act sales.Act) (sales.Sale, error) {
	var asked sales.Sale
	var row cancellation
	err := s.d.DB.Tx(ctx, func(tx *store.Tx) (err error) {
		o := act.Observation(sales.CancelAsked, s.d.Now())
		if asked, err = s.d.Sales.ObserveIn(ctx, tx, sale.ID, o); err != nil {
			return err
		}
		row, err = noteCancellation(tx, asked, o)
		return err
	})
	if fault.KindOf(err) == fault.Conflict {
		return s.movedOn(ctx, sale.ID, err)
	}
	if err != nil {
		return sales.Sale{}, fault.Doing("ask to cancel", err)
	}
	failpoint.Hit("K11")
	return s.callCancel(ctx, asked, row)
}

// movedOn returns a sale that somebody else has just asked to cancel; if it moved otherwise, it fails with the
// refusal.
func (s *Service) movedOn(ctx context.Context, saleID string, refusal error) (sales.Sale, error) {
	sale, err := s.d.Sales.Get(ctx, saleID, "")
	if err == nil && sale.Fulfilment != sales.Cancelling {
		err = refusal
	}
	return sale, err
}

// noteCancellation records that the upstream is about to be asked, in the row of an earlier unanswered call if
// there is one.
func noteCancellation(tx *store.Tx, sale sales.Sale, o sales.Observation) (cancellation, error) {
	at := store.Moment(o.At)
	open, err := openCancellation(tx.DB, sale)
	if err != nil {
		return cancellation{}, err
	}
	if open != nil {
		open.Calls++
		return *open, tx.Exec(
			"UPDATE cancellations SET calls = ?, called_at = ? WHERE id = ?", open.Calls, at, open.ID,
		).Error
	}
	if err := tx.Exec( // of an attempt before, whose answer can mean nothing any more
		"UPDATE cancellations SET answered_at = ?, answer = ? WHERE sale_id = ? AND answered_at IS NULL",
		at, noAnswer, sale.ID,
	).Error; err != nil {
		return cancellation{}, err
	}
	row := cancellation{ID: store.NewID(at), Calls: 1}
	return row, tx.Exec(`INSERT INTO cancellations (id, sale_id, ref, asked_at, asked_by, calls, called_at, answer)
		VALUES (?,?,?,?,?,?,?,'')`, row.ID, sale.ID, sale.Ref, at, o.Actor, row.Calls, at).Error
}

// openCancellation is the unanswered cancellation, nil if none.
func openCancellation(db *gorm.DB, sale sales.Sale) (*cancellation, error) {
	return store.First[cancellation](
		db.Where("sale_id = ? AND ref = ? AND answered_at IS NULL", sale.ID, sale.Ref),
	)
}

// callCancel makes the call. If it is lost, the sale stays as it is and the sweep finds out; any answer but
// Cancelled is checked by the list.
func (s *Service) callCancel(ctx context.Context, sale sales.Sale, row cancellation) (sales.Sale, error) {
	ctx = apiclient.WithPriority(ctx, apiclient.PriorityCashier)
	id := apiclient.TransferId{TransferRef: sale.TransferRef, DistributorRef: sale.Ref}
	answer, err := s.d.Client.CancelTransfers(ctx, []apiclient.CancellationRequest{
		{TransferId: id, BatchItemRef: row.ID},
	})
	if err != nil || len(answer.Items) != 1 {
		s.d.Log.WarnContext(ctx, "sale.cancel_unanswered", "sale", sale.ID, "error", err)
		return sale, nil
	}
	o := sales.ReadCancelled(sale, answer.Items[0], s.d.Now())
	if err := s.answered(ctx, row, o.ReasonContext); err != nil {
		return sale, err
	}
	if sale, err = s.d.Sales.Observe(ctx, sale.ID, o); err != nil || o.State == sales.Cancelled {
		return sale, err
	}
	if listed, err := s.listNow(ctx, sale); err == nil { // or the sweep lists it
		return listed, nil
	}
	return sale, nil
}

func (s *Service) answered(ctx context.Context, row cancellation, answer string) error {
	return fault.Doing("note cancel answer", s.d.DB.Exec(ctx,
		"UPDATE cancellations SET answered_at = ?, answer = ? WHERE id = ?",
		store.Moment(s.d.Now()), sales.Clip(answer), row.ID))
}
