package followup

import (
	"context"
	"fmt"
	"slices"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/sales"
	"airtill/internal/store"
)

const (
	// sentWithin is how long after its permit a transfer begins at the latest.
	sentWithin = 105 * time.Second
	// provesLater is how long a list that lacks what it must have is not read again.
	provesLater = 2 * time.Minute
	// cutHolds is how long it is worth continuing a run cut by the limit.
	cutHolds = 5 * time.Minute
	// mostUseless bounds the memory of sales that pages do not help.
	mostUseless = 10_000
)

// pages is a run of the list without a gap, the newest records first. New transfers push rows to later pages
// meanwhile, so rows repeat but none is missed. Cut by the limit, a run continues once there is room, and
// tells of the moment it began.
type pages struct {
	found  map[string][]apiclient.TransferRecordWithErrorCodes // by ref, as just read
	seen   map[string]bool                                     // all refs
	began  time.Time                                           // when the newest were read
	next   int                                                 // to read
	whole  bool                                                // the list ends here
	oldest time.Time                                           // when the last transfer began, by the upstream's clock
	// the ref of a transfer the present list must have, "" if none
	control string
	// a transfer that began after it is in the run, or nowhere; zero: unknown
	reach time.Time
}

// wanted is a sale that pages may settle, and the first page it can be on.
type wanted struct {
	sale sales.Sale
	page int
}

// lookUpByPages reads the newest pages of the list, if that takes fewer calls than looking the sales up one by
// one, and settles sales that are on them or proven absent, due or not: the call is made, and the limit is
// shared. It returns the sales left to look up. Pages read are paid for, and count even if the next fails.
func (s *Service) lookUpByPages(ctx context.Context, due []sales.Sale) (left []sales.Sale, err error) {
	p := s.cut.Swap(nil)
	if p == nil || s.d.Now().Sub(p.began) > cutHolds {
		p = &pages{seen: map[string]bool{}, began: s.d.Now()}
		if p.control, err = s.control(ctx); err != nil {
			return due, err
		}
	}
	p.found = map[string][]apiclient.TransferRecordWithErrorCodes{}
	wants, err := s.wants(ctx, due, p)
	if err != nil || further(wants, p.next, s.d.Now()) == 0 {
		return due, err
	}
	unread := s.readPages(ctx, p, wants)
	others, err := s.othersOn(ctx, p, due)
	if err != nil {
		return due, err
	}
	for _, sale := range append(others, due...) {
		items := p.found[sale.Ref]
		switch {
		case len(items) > 0:
			err = s.listed(ctx, sale, items)
		case p.proves(sale):
			o := s.observation(sale, sales.Looked)
			o.At, o.ControlSeen = p.began, true
			_, err = s.d.Sales.Observe(ctx, sale.ID, o)
		default:
			left = append(left, sale)
		}
		if err != nil {
			return left, fmt.Errorf("sale %s: %w", sale.ID, err)
		}
	}
	if len(p.found[p.control]) > 0 {
		s.controlled(true)
	}
	if unread == nil {
		s.leaveAlone(p, wants)
	}
	return left, unread
}

// wants are the due sales a run can reach, as far as known: our own sales since then tell how many records
// precede a transfer, and the last run how many of other software.
func (s *Service) wants(ctx context.Context, due []sales.Sale, p *pages) (wants []wanted, err error) {
	oldest := s.d.Now()
	for _, sale := range due {
		at := sale.PermitAt
		if at == nil || !at.Before(p.began) || p.seen[sale.Ref] || s.useless(sale) {
			continue
		}
		wants = append(wants, wanted{sale: sale})
		if at.Before(oldest) {
			oldest = *at
		}
	}
	if len(wants) == 0 {
		return nil, nil
	}
	newer, err := store.All[time.Time](s.d.DB.Read(ctx).Raw(`
		SELECT permit_at FROM sales WHERE id > ? AND permit_at > ? AND transfer_ref <> '' AND NOT practice
		ORDER BY id DESC LIMIT ?`,
		store.FirstID(oldest.Add(-sales.VoidAfter)), oldest, apiclient.MaxPages*apiclient.PageSize))
	if err != nil {
		return nil, fmt.Errorf("count newer transfers: %w", err)
	}
	slices.SortFunc(newer, time.Time.Compare)
	for i := range wants {
		after, _ := slices.BinarySearchFunc(newer, wants[i].sale.PermitAt.Add(1), time.Time.Compare)
		wants[i].page = (len(newer) - after) / apiclient.PageSize
	}
	return slices.DeleteFunc(wants, func(w wanted) bool { return w.page >= apiclient.MaxPages }), nil
}

// further says how many more pages to read so that these sales need the fewest calls: those beyond them need
// one each, and the first page spares the control for those that will be absent again.
func further(wants []wanted, next int, now time.Time) (more int) {
	fewest := len(wants)
	if next == 0 && slices.ContainsFunc(wants, func(w wanted) bool { return absentAgain(w.sale, now) }) {
		fewest++
	}
	for n := 1; next+n <= apiclient.MaxPages; n++ {
		calls := n
		for _, w := range wants {
			if w.page >= next+n {
				calls++
			}
		}
		if calls < fewest {
			more, fewest = n, calls
		}
	}
	return more
}

// readPages reads on while that is cheaper for what is left. If the limit refuses a page, the next run
// continues there; otherwise every call regained would go to the same first page.
func (s *Service) readPages(ctx context.Context, p *pages, wants []wanted) error {
	first := apiclient.PriorityBackground
	for _, w := range wants {
		if its := priority(w.sale, s.d.Now()); urgency(its) < urgency(first) {
			first = its
		}
	}
	ctx = apiclient.WithPriority(ctx, first)
	for further(wants, p.next, s.d.Now()) > 0 && !p.whole {
		answer, err := s.d.Client.ListTransferRecords(ctx, apiclient.ListTransferRecordsRequest{
			Skip: p.next * apiclient.PageSize, Take: apiclient.PageSize,
		})
		s.silence.heard(err, s.d.Now())
		if limited(err) && p.next > 0 {
			s.cut.Store(p)
		}
		if err != nil {
			return err
		}
		if err := s.gather(ctx, p, answer); err != nil {
			return err
		}
		wants = slices.DeleteFunc(slices.Clone(wants), func(w wanted) bool { return p.past(w.sale) })
	}
	return nil
}

// gather adds a page.
func (s *Service) gather(ctx context.Context, p *pages, answer *apiclient.ListTransferRecordsResponse) error {
	var refs []string
	for _, item := range answer.Items {
		if at, err := item.TransferRecord.StartedUtc.Time(); err == nil {
			p.oldest = at
		}
		if id := item.TransferRecord.TransferId; id != nil {
			refs = append(refs, id.DistributorRef)
			p.seen[id.DistributorRef] = true
			p.found[id.DistributorRef] = append(p.found[id.DistributorRef], item)
		}
	}
	p.next++
	p.whole = !answer.ThereAreMoreItems
	if s.d.Seen != nil {
		s.d.Seen(ctx, refs)
	}
	return s.stretch(ctx, p, refs)
}

// stretch finds how far back a run certainly goes: to its transfers known to be complete, each of which began
// soon after its permit and before its end was known.
func (s *Service) stretch(ctx context.Context, p *pages, refs []string) error {
	if len(refs) == 0 {
		return nil
	}
	controls, err := store.All[sales.Sale](s.d.DB.Read(ctx).Select("permit_at, final_at").Where(
		"ref IN ? AND fulfilment = ? AND NOT practice AND permit_at IS NOT NULL AND final_at IS NOT NULL",
		refs, sales.Complete,
	))
	for _, c := range controls {
		began := c.PermitAt.Add(sentWithin)
		if c.FinalAt.Before(began) {
			began = *c.FinalAt
		}
		if p.reach.IsZero() || began.Before(p.reach) {
			p.reach = began
		}
	}
	return fault.Doing("find controls", err)
}

// fresh says whether the list is up to date: it has a transfer known to be there.
func (p *pages) fresh() bool { return p.seen[p.control] }

// proves says whether a sale is not in a run and was nowhere when that began: the run goes back without a gap
// to something known from before the sale.
func (p *pages) proves(sale sales.Sale) bool {
	return p.fresh() && !p.seen[sale.Ref] && sale.PermitAt != nil && sale.PermitAt.Before(p.began) &&
		!p.reach.IsZero() && (p.whole || p.reach.Before(*sale.PermitAt))
}

// past says whether a run has found a sale, or gone back beyond it.
func (p *pages) past(sale sales.Sale) bool {
	return p.seen[sale.Ref] || p.whole || !p.reach.IsZero() && p.reach.Before(*sale.PermitAt) ||
		!p.oldest.IsZero() && p.oldest.Before(sale.PermitAt.Add(-apiclient.ListMargin))
}

// othersOn returns sales that a run settles though they are not due: those in it with an unknown outcome, and
// those whose next look it saves.
func (s *Service) othersOn(ctx context.Context, p *pages, due []sales.Sale) (others []sales.Sale, err error) {
	err = s.d.DB.Read(ctx).Where(
		"final_at IS NULL AND fulfilment = ? AND NOT practice", sales.Unknown,
	).Limit(apiclient.MaxPages * apiclient.PageSize).Find(&others).Error
	return slices.DeleteFunc(others, func(sale sales.Sale) bool {
		wanted := len(p.found[sale.Ref]) > 0 || p.proves(sale) && sale.LookSaves(p.began)
		return !wanted || slices.ContainsFunc(due, func(other sales.Sale) bool { return other.ID == sale.ID })
	}), fault.Doing("find unknown sales", err)
}

// useless says whether pages are known not to help a sale.
func (s *Service) useless(sale sales.Sale) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.d.Now().Before(s.pagesUseless[sale.Ref])
}

// leaveAlone remembers sales that the pages did not help, so that they are not read for them again: what is
// beyond the last page only moves further away.
func (s *Service) leaveAlone(p *pages, wants []wanted) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pagesUseless) > mostUseless || s.pagesUseless == nil {
		s.pagesUseless = map[string]time.Time{}
	}
	for _, w := range wants {
		switch {
		case p.seen[w.sale.Ref] || p.proves(w.sale):
		case p.fresh() || p.next == apiclient.MaxPages:
			s.pagesUseless[w.sale.Ref] = s.d.Now().Add(apiclient.ListedFor)
		default:
			s.pagesUseless[w.sale.Ref] = s.d.Now().Add(provesLater)
		}
	}
}
