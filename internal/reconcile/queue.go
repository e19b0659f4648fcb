package reconcile

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/store"
)

// QueueFilter selects breaks. Zero fields select every unresolved one.
type QueueFilter struct {
	Kind     Kind
	ShopID   string
	Owner    string
	Resolved bool // resolved ones instead, the newest first
	Limit    int  // 0: QueueListed; -1: all
}

// Queue is the breaks to deal with.
type Queue struct {
	Breaks []Break // the oldest first
	Totals []Total
	Ages   []Age
}

// Total is the unresolved breaks of one currency. Out is their sum; Float is how much the upstream's balance
// differs because of them.
type Total struct {
	Currency money.Currency
	Count    int
	Out      int64
	Float    int64
}

// Age is how many unresolved breaks are of an age.
type Age struct {
	Days  int // up to so many days old; 0: older than all others
	Count int
}

// QueueListed is how many breaks a page lists at most.
const QueueListed = 200

// ageSteps are the ages a queue is sorted by, in days.
var ageSteps = []int{1, 3, 7, 30}

// Queue returns the breaks a filter selects, and the totals of all unresolved ones of its shop.
func (s *Service) Queue(ctx context.Context, f QueueFilter) (Queue, error) {
	var q Queue
	if err := f.apply(s.d.DB.Read(ctx)).Limit(cmp.Or(f.Limit, QueueListed)).Find(&q.Breaks).Error; err != nil {
		return q, fmt.Errorf("read breaks: %w", err)
	}
	var rows []struct {
		Currency    money.Currency
		Micros      int64
		FloatMicros int64
		FoundAt     time.Time
	}
	all := QueueFilter{ShopID: f.ShopID}
	if err := all.apply(s.d.DB.Read(ctx).Model(&Break{})).Select(
		"currency, micros, float_micros, found_at",
	).Scan(&rows).Error; err != nil {
		return q, fmt.Errorf("sum breaks: %w", err)
	}
	q.Ages = make([]Age, len(ageSteps)+1)
	for i, days := range ageSteps {
		q.Ages[i].Days = days
	}
	index := map[money.Currency]int{}
	for _, r := range rows {
		i, known := index[r.Currency]
		if !known {
			i, index[r.Currency] = len(q.Totals), len(q.Totals)
			q.Totals = append(q.Totals, Total{Currency: r.Currency})
		}
		q.Totals[i].Count++
		q.Totals[i].Out += r.Micros
		q.Totals[i].Float += r.FloatMicros
		q.Ages[ageStep(s.d.Now().Sub(r.FoundAt))].Count++
	}
	return q, nil
}

func ageStep(age time.Duration) int {
	for i, days := range ageSteps {
		if age < time.Duration(days)*24*time.Hour {
			return i
		}
	}
	return len(ageSteps)
}

// Unresolved counts the unresolved breaks of a shop, of all shops for "".
func (s *Service) Unresolved(ctx context.Context, shopID string) (int64, error) {
	var n int64
	err := QueueFilter{ShopID: shopID}.apply(s.d.DB.Read(ctx).Model(&Break{})).Count(&n).Error
	return n, fault.Doing("count breaks", err)
}

func (f QueueFilter) apply(query *gorm.DB) *gorm.DB {
	if f.Resolved {
		return query.Where(&Break{Kind: f.Kind, ShopID: f.ShopID, Owner: f.Owner}).
			Where("state = 'resolved'").Order("resolved_at DESC, id DESC")
	}
	query = query.Where(unresolvedSQL)
	for column, value := range map[string]string{"kind": string(f.Kind), "shop_id": f.ShopID, "owner": f.Owner} {
		if value != "" { // not by its index
			query = query.Where("COALESCE("+column+", '') = ?", value)
		}
	}
	return query.Order("found_at, id")
}

// Break returns a break with its history. shopID limits it to one shop; "" sees all.
func (s *Service) Break(ctx context.Context, id, shopID string) (Break, []Act, error) {
	found, err := store.One[Break](s.d.DB.Read(ctx).Where("id = ?", id).Where(&Break{ShopID: shopID}), errNoBreak)
	if err != nil {
		return Break{}, nil, fmt.Errorf("read break: %w", err)
	}
	acts, err := store.All[Act](s.d.DB.Read(ctx).Where("break_id = ?", id).Order("seq"))
	return found, acts, fault.Doing("acts on a break", err)
}

// LastFailed is the last look of a kind if it failed and ended since a moment; otherwise nil.
func (s *Service) LastFailed(ctx context.Context, what string, since time.Time) (*Run, error) {
	last, err := store.First[Run](
		s.d.DB.Read(ctx).Where("what = ? AND ended_at >= ?", what, store.Moment(since)).Order("id DESC"),
	)
	if err != nil || last == nil || last.Error == "" {
		return nil, fault.Doing("last look", err)
	}
	return last, nil
}
