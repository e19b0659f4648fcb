package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	// pageMargin allows for a clock of ours that is not the upstream's, and for
	// transfers under way.
	pageMargin = 15 * time.Minute
)

// pages is what the newest pages of the list say.
type pages struct {
	found map[string][]apiclient.TransferRecordWithErrorCodes // by ref, of every record on them
	refs  []string                                            // of the same, newest first
	later bool                                                // they do not begin with the newest
	past  bool                                                // they go back beyond everything wanted
	whole bool                                                // there is nothing behind them
}

// lookUpByPages reads the newest pages of the list, as far back as the sales
// go, and settles those that are on them, and whatever else there is unknown and
// on them: the call is made, and the limit is for all. It returns the sales that
// the pages prove nothing about: those are looked up one by one. New transfers
// made meanwhile push rows to later pages, so rows repeat but none is missed.
// Where a page cannot be had, those before it have been paid for, and count; if
// it is the limit that does not give it, the next read goes on with that page, or
// every call that the limit gives back would be spent on the same first page.
func (s *Service) lookUpByPages(ctx context.Context, due []sales.Sale) (left []sales.Sale, err error) {
	p, unread := s.readPages(ctx, due)
	reach, err := s.reach(ctx, p)
	if err != nil {
		return due, err
	}
	others, err := s.unknownOn(ctx, p, due)
	if err != nil {
		return due, err
	}
	for _, sale := range append(others, due...) {
		items := p.found[sale.Ref]
		switch {
		case len(items) > 0:
			err = s.listed(ctx, sale, items)
		case reach != nil && sale.PermitAt != nil && (p.whole || reach.Before(*sale.PermitAt)):
			o := s.observation(sale, sales.Looked)
			o.ControlSeen = true
			_, err = s.Sales.Observe(ctx, sale.ID, o)
		default:
			left = append(left, sale)
		}
		if err != nil {
			return left, fmt.Errorf("sale %s: %w", sale.ID, err)
		}
	}
	return left, unread
}

// unknownOn returns the sales on the pages that are unknown and not due.
func (s *Service) unknownOn(ctx context.Context, p pages, due []sales.Sale) ([]sales.Sale, error) {
	if len(p.refs) == 0 {
		return nil, nil
	}
	var unknown []sales.Sale
	err := s.DB.Read(ctx).Where("ref IN ? AND fulfilment = ?", p.refs, sales.Unknown).Find(&unknown).Error
	unknown = slices.DeleteFunc(unknown, func(sale sales.Sale) bool {
		return slices.ContainsFunc(due, func(other sales.Sale) bool { return other.ID == sale.ID })
	})
	return unknown, wrapped("find unknown sales", err)
}

func (s *Service) readPages(ctx context.Context, due []sales.Sale) (p pages, err error) {
	wanted, oldest, first := map[string]bool{}, s.Now(), apiclient.PriorityBackground
	for _, sale := range due {
		wanted[sale.Ref] = true
		if sale.PermitAt != nil && sale.PermitAt.Before(oldest) {
			oldest = *sale.PermitAt
		}
		first = urgent(first, priority(sale, s.Now()))
	}
	p.found = map[string][]apiclient.TransferRecordWithErrorCodes{}
	ctx = apiclient.WithPriority(ctx, first)
	from := s.resume.Swap(0)
	p.later = from > 0
	for page := from; page < maxPages; page++ {
		answer, err := s.Client.ListTransferRecords(ctx, apiclient.ListTransferRecordsRequest{Skip: int(page) * pageSize, Take: pageSize})
		s.silence.heard(err, s.Now())
		if errors.Is(err, apiclient.ErrBudget) {
			s.resume.Store(page)
		}
		if err != nil {
			return p, err
		}
		p.gather(answer.Items)
		p.whole, p.past = !answer.ThereAreMoreItems, pastAll(answer.Items, oldest.Add(-pageMargin))
		if p.whole || p.past || p.have(wanted) {
			break
		}
	}
	if s.Seen != nil {
		s.Seen(ctx, p.refs)
	}
	return p, nil
}

// have says whether all that is wanted was found.
func (p *pages) have(wanted map[string]bool) bool {
	for ref := range wanted {
		if len(p.found[ref]) == 0 {
			return false
		}
	}
	return true
}

// gather keeps the records on a page.
func (p *pages) gather(items []apiclient.TransferRecordWithErrorCodes) {
	for _, item := range items {
		id := item.TransferRecord.TransferId
		if id == nil {
			continue
		}
		p.refs = append(p.refs, id.DistributorRef)
		p.found[id.DistributorRef] = append(p.found[id.DistributorRef], item)
	}
}

// reach says how far back the pages surely go: to the permit of the oldest
// transfer on them that is known to be complete. It is the control of every
// sale that was permitted after it. Nil means that the pages prove nothing.
func (s *Service) reach(ctx context.Context, p pages) (*time.Time, error) {
	if !p.past && !p.whole || p.later || len(p.refs) == 0 {
		return nil, nil
	}
	var controls []sales.Sale
	err := s.DB.Read(ctx).Select("id, permit_at").
		Where("ref IN ? AND fulfilment = ? AND practice = ? AND permit_at IS NOT NULL", p.refs, sales.Complete, false).
		Order("permit_at").Limit(1).Find(&controls).Error
	if err != nil || len(controls) == 0 {
		return nil, wrapped("find a control", err)
	}
	return controls[0].PermitAt, nil
}

// urgent returns the priority that comes first.
func urgent(a, b apiclient.Priority) apiclient.Priority {
	for _, p := range []apiclient.Priority{apiclient.PriorityCashier, apiclient.PriorityNormal} {
		if a == p || b == p {
			return p
		}
	}
	return apiclient.PriorityBackground
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
