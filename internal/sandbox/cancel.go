package sandbox

import (
	"strconv"
	"time"
)

// cancellationRequest is the CancellationRequest.
type cancellationRequest struct {
	TransferID *struct {
		TransferRef    *string
		DistributorRef *string
	} `json:"TransferId"`
	BatchItemRef *string
}

// transferWithState is an item of the CancelTransfersResponse.
type transferWithState struct {
	TransferID      transferID `json:"TransferId"`
	ProcessingState string
	BatchItemRef    string
	envelope
}

// cancelTransfers cancels the batch transfers that still can be. Only an item
// whose state is Cancelled was.
func (s *Service) cancelTransfers(c *call) reply {
	return batch(s, c, func(item cancellationRequest) *string { return item.BatchItemRef }, s.cancel)
}

// cancel handles one item. What is found but cannot be cancelled any more is
// reported in its unchanged state. A refused item names no transfer (INTERFACE.md, Batch rules 2).
func (s *Service) cancel(item cancellationRequest, ref string) transferWithState {
	s.mu.Lock()
	defer s.mu.Unlock()
	result := transferWithState{BatchItemRef: ref, envelope: success()}
	if item.TransferID == nil {
		result.envelope = failure(apiError{Code: parameterMissing, Context: "TransferId"})
		return result
	}
	t, refused := s.book.cancellable(transferID{
		TransferRef: text(item.TransferID.TransferRef), DistributorRef: text(item.TransferID.DistributorRef),
	})
	if refused != nil {
		result.envelope = failure(*refused)
		return result
	}
	if t.State == submitted {
		next := *t
		next.State, next.Due = cancelling, s.clock.now().Add(time.Duration(s.config.CancelDelay))
		if s.config.CancelDelay == 0 {
			t = s.compensate(next)
		} else {
			t = s.move(next)
			s.plan(t)
		}
	}
	result.TransferID = *t.record().TransferID
	result.ProcessingState = t.State
	return result
}

// compensate ends a cancelled transfer and gives its price back.
func (s *Service) compensate(t transfer) *transfer {
	t.State, t.Completed, t.Due, t.Refunded = cancelled, s.clock.now(), time.Time{}, t.Deducted
	done := s.move(t)
	if done.Deferred {
		s.notify(done)
	}
	return done
}

// finishCancel is the provider's late agreement to a cancellation.
func (s *Service) finishCancel(ref int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.book.byRef[ref]
	if t != nil && t.State == cancelling {
		s.compensate(*t)
	}
}

// cancellable finds the one batch transfer that both parts of an id, as far as
// they are given, lead to.
func (b *book) cancellable(id transferID) (*transfer, *apiError) {
	var found []*transfer
	ref, err := strconv.ParseInt(id.TransferRef, 10, 64)
	switch {
	case id.TransferRef != "" && err == nil:
		if t := b.byRef[ref]; t != nil && (id.DistributorRef == "" || t.DistributorRef == id.DistributorRef) {
			found = append(found, t)
		}
	case id.TransferRef == "" && id.DistributorRef != "":
		found = b.byOwn[id.DistributorRef]
	}
	switch {
	case len(found) == 0:
		return nil, &apiError{Code: requestInvalid, Context: noRecordsFound}
	case len(found) > 1:
		return nil, &apiError{Code: requestInvalid, Context: multipleRecords}
	case !found[0].Batch:
		return nil, &apiError{Code: requestInvalid, Context: instantNotCancellable}
	}
	return found[0], nil
}
