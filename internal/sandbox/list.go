package sandbox

import (
	"net/http"
	"strconv"
	"time"

	"airtill/internal/sandbox/catalogue"
)

// The bounds of paging, section Paging rules.
const (
	mostTaken   = 100
	mostSkipped = 500
)

// listRequest is the ListTransferRecordsRequest.
type listRequest struct {
	TransferRef    *string
	DistributorRef *string
	AccountNumber  *string
	Skip           *int
	Take           *int
}

// recordsResponse is the ListTransferRecordsResponse.
type recordsResponse struct {
	envelope
	Items             []transferResponse
	ThereAreMoreItems bool
}

// refuseRecords is an error in the shape of ListTransferRecords.
func refuseRecords(errs ...apiError) reply {
	return refuseWith(recordsResponse{envelope: failure(errs...), Items: []transferResponse{}}, errs[0])
}

// listTransferRecords returns transfers not older than two months, the newest
// first.
func (s *Service) listTransferRecords(c *call) reply {
	var r listRequest
	if refused := c.decode(&r); refused != nil {
		return refuseRecords(*refused)
	}
	if r.Take == nil || *r.Take < 1 || *r.Take > mostTaken {
		return refuseRecords(apiError{Code: parameterOutOfRange, Context: "Take"})
	}
	skip := 0
	if r.Skip != nil {
		skip = *r.Skip
	}
	if skip < 0 || skip > mostSkipped {
		return refuseRecords(apiError{Code: parameterOutOfRange, Context: "Skip"})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	response := recordsResponse{envelope: success(), Items: []transferResponse{}}
	now, until := s.clock.now(), s.clock.now()
	for _, a := range c.actions {
		switch a.Kind {
		case "list_empty":
			return answer(response)
		case "list_stale":
			until = now.Add(-time.Duration(a.For))
		case "list_drift":
			skip = max(0, skip-max(1, a.Count))
		}
	}
	s.book.newest(r, now.AddDate(0, -2, 0), until, func(t *transfer) bool {
		t = t.shown(now)
		switch {
		case t == nil:
		case skip > 0:
			skip--
		case len(response.Items) == *r.Take:
			response.ThereAreMoreItems = true
			return false
		default:
			response.Items = append(response.Items, t.response())
		}
		return true
	})
	return reply{status: http.StatusOK, body: response}
}

// newest calls yield with the transfers a request asks for that began between
// two moments, from the highest TransferRef down, until yield has enough.
func (b *book) newest(r listRequest, since, until time.Time, yield func(*transfer) bool) {
	candidates := b.all
	switch {
	case text(r.TransferRef) != "":
		ref, err := strconv.ParseInt(*r.TransferRef, 10, 64)
		t := b.byRef[ref]
		if err != nil || t == nil {
			return
		}
		candidates = []*transfer{t}
	case text(r.DistributorRef) != "":
		candidates = b.byOwn[*r.DistributorRef]
	case text(r.AccountNumber) != "":
		candidates = b.byAccount[*r.AccountNumber]
	}
	for i := len(candidates) - 1; i >= 0; i-- {
		t := candidates[i]
		if t.Started.Before(since) {
			return // and so are all before it
		}
		if !t.Started.After(until) && r.matches(t) && !yield(t) {
			return
		}
	}
}

func (r *listRequest) matches(t *transfer) bool {
	return (text(r.DistributorRef) == "" || t.DistributorRef == *r.DistributorRef) &&
		(text(r.AccountNumber) == "" || t.Account == *r.AccountNumber)
}

// recent returns the transfers of an account since a moment.
func (b *book) recent(account string, since time.Time) []*transfer {
	all := b.byAccount[account]
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Started.Before(since) {
			return all[i+1:]
		}
	}
	return all
}

// balanceResponse is the GetBalanceResponse.
type balanceResponse struct {
	envelope
	Balance     catalogue.Decimal
	CurrencyIso string
}

// getBalance leaves out transfers still processing.
func (s *Service) getBalance(*call) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	return answer(balanceResponse{envelope: success(), Balance: s.book.balance, CurrencyIso: s.config.Currency})
}
