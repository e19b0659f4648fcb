package reconcile

import (
	"context"
	"fmt"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/sales"
)

const (
	// manyDue is how many look-ups at once make the newest pages of the list
	// the cheaper way: each page settles up to a hundred with one call.
	manyDue  = 4
	pageSize = 100
	maxPages = 6 // the service reaches no further
	// pageMargin allows for the upstream's clock and for transfers under way.
	pageMargin = 2 * time.Minute
)

// lookUpByPages reads the newest pages of the list, as far back as the sales
// go, and settles those that are on them. It returns the sales that the pages
// say nothing about: those are looked up one by one, as is each one that is
// absent, since absence needs its own look with a control. New transfers made
// meanwhile push rows to later pages, so rows repeat but none is missed.
func (s *Service) lookUpByPages(ctx context.Context, due []sales.Sale) (left []sales.Sale, err error) {
	wanted, oldest := map[string]sales.Sale{}, s.Now()
	for _, sale := range due {
		wanted[sale.Ref] = sale
		if sale.PermitAt != nil && sale.PermitAt.Before(oldest) {
			oldest = *sale.PermitAt
		}
	}
	found := map[string][]apiclient.TransferRecordWithErrorCodes{}
	ctx = apiclient.WithPriority(ctx, apiclient.PriorityCashier)
	for page := range maxPages {
		answer, err := s.Client.ListTransferRecords(ctx, apiclient.ListTransferRecordsRequest{Skip: page * pageSize, Take: pageSize})
		if err != nil {
			return due, s.unlessBudget(err)
		}
		gather(found, wanted, answer.Items)
		if !answer.ThereAreMoreItems || len(found) == len(wanted) || pastAll(answer.Items, oldest.Add(-pageMargin)) {
			break
		}
	}
	for _, sale := range due {
		items := found[sale.Ref]
		if len(items) == 0 {
			left = append(left, sale)
			continue
		}
		if _, err := s.Sales.ObserveListed(ctx, sale, items); err != nil {
			return left, fmt.Errorf("sale %s: %w", sale.ID, err)
		}
	}
	return left, nil
}

// gather keeps the records of the refs that are wanted; a transfer that was
// listed twice is one.
func gather(found map[string][]apiclient.TransferRecordWithErrorCodes, wanted map[string]sales.Sale, items []apiclient.TransferRecordWithErrorCodes) {
	for _, item := range items {
		id := item.TransferRecord.TransferId
		if id == nil {
			continue
		}
		if _, ok := wanted[id.DistributorRef]; ok {
			found[id.DistributorRef] = append(found[id.DistributorRef], item)
		}
	}
}

// pastAll says whether a page has reached what began before a time. The list
// is newest first; a time that cannot be read says nothing.
func pastAll(items []apiclient.TransferRecordWithErrorCodes, before time.Time) bool {
	for i := len(items) - 1; i >= 0; i-- {
		if at, err := items[i].TransferRecord.StartedUtc.Time(); err == nil {
			return at.Before(before)
		}
	}
	return false
}
