package statement

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/internal/store"
)

const (
	// settleFor is how long after the end of a day its statement is closed: by then, what was under way at
	// midnight is written.
	settleFor = 2 * time.Hour
	// daysAtOnce bounds how many days of each shop a run closes.
	daysAtOnce = 40
)

// day is a day of a shop to be closed.
type day struct {
	shop   staff.Shop
	before *Statement // nil for the shop's first
	name   string
	from   time.Time
	to     time.Time
}

// CloseDue closes every past day of every shop, in order, and returns how many. Days of shops that end at the
// same moment are read together.
func (s *Service) CloseDue(ctx context.Context) (closed int, err error) {
	for range daysAtOnce {
		due, err := s.due(ctx)
		if err != nil || len(due) == 0 {
			return closed, err
		}
		for _, together := range groups(due) {
			n, err := s.closeDays(ctx, together)
			closed += n
			if err != nil {
				return closed, fmt.Errorf("close statements: %w", err)
			}
		}
	}
	return closed, nil
}

// due is the next day to close of each shop where it is over.
func (s *Service) due(ctx context.Context) ([]day, error) {
	shops, err := s.d.Staff.Shops(ctx)
	if err != nil {
		return nil, err
	}
	var all []day
	for _, shop := range shops {
		next, err := s.next(ctx, shop)
		if err != nil {
			return nil, err
		}
		if next != nil && !s.d.Now().Before(next.to.Add(settleFor)) {
			all = append(all, *next)
		}
	}
	return all, nil
}

func (s *Service) isDue(ctx context.Context) (bool, error) {
	all, err := s.due(ctx)
	return len(all) > 0, err
}

// next is the day after a shop's last statement, or of its first shift; nil if there was none.
func (s *Service) next(ctx context.Context, shop staff.Shop) (*day, error) {
	last, err := store.First[Statement](s.d.DB.Read(ctx).Where("shop_id = ?", shop.ID).Order("number DESC"))
	if err != nil {
		return nil, fmt.Errorf("last statement: %w", err)
	}
	if last != nil {
		return dayAfter(shop, last)
	}
	first, err := store.First[struct{ OpenedAt time.Time }](
		s.d.DB.Read(ctx).Table("shifts").Select("opened_at").Where("shop_id = ?", shop.ID).Order("opened_at"))
	if err != nil || first == nil {
		return nil, fault.Doing("first shift", err)
	}
	return dayOn(shop, first.OpenedAt.In(shop.Location())), nil
}

// dayAfter is the day after a statement's, whatever the shop's clock shows where that ended.
func dayAfter(shop staff.Shop, last *Statement) (*day, error) {
	date, err := time.Parse(time.DateOnly, last.Day)
	if err != nil {
		return nil, fmt.Errorf("day of a statement: %w", err)
	}
	next := dayOn(shop, date.AddDate(0, 0, 1))
	next.before, next.from = last, last.ToAt.UTC()
	return next, nil
}

// dayOn is a date of the shop's.
func dayOn(shop staff.Shop, date time.Time) *day {
	year, month, on := date.Date()
	zone := shop.Location()
	return &day{
		shop: shop, name: date.Format(time.DateOnly),
		from: staff.DayBegins(year, month, on, zone).UTC(), to: staff.DayBegins(year, month, on+1, zone).UTC(),
	}
}

// lastPosting is how far the statement before has read.
func (d day) lastPosting() int64 {
	if d.before == nil {
		return 0
	}
	return d.before.LastPosting
}

// groups puts days together whose postings can be read in one go.
func groups(due []day) [][]day {
	type key struct {
		from, to int64
		last     int64
	}
	index := map[key]int{}
	var all [][]day
	for _, d := range due {
		k := key{d.from.Unix(), d.to.Unix(), d.lastPosting()}
		i, known := index[k]
		if !known {
			i, index[k] = len(all), len(all)
			all = append(all, nil)
		}
		all[i] = append(all[i], d)
	}
	return all
}

// closeDays reads the postings of days of some shops and closes those.
func (s *Service) closeDays(ctx context.Context, days []day) (closed int, err error) {
	read, err := s.read(ctx, days)
	if err != nil {
		return 0, err
	}
	for _, d := range days {
		made, err := s.compose(d, read)
		if err != nil {
			return closed, err
		}
		err = s.d.DB.Tx(ctx, func(tx *store.Tx) error { return tx.Create(&made).Error })
		switch {
		case errors.Is(err, gorm.ErrDuplicatedKey): // another process was first
		case err != nil:
			return closed, err
		default:
			closed++
			s.d.Log.InfoContext(
				ctx, "statement.closed", "shop", made.ShopID, "day", made.Day, "number", made.Number, "hash", made.Hash,
			)
		}
	}
	return closed, nil
}

// compose writes a day's statement.
func (s *Service) compose(d day, read reading) (Statement, error) {
	now := store.Moment(s.d.Now())
	doc := Document{
		Shop: d.shop.Name, ShopID: d.shop.ID, Number: 1, Day: d.name, Zone: d.shop.Zone, From: d.from, To: d.to,
		ClosedAt: now,
		Breaks:   read.breaks[d.shop.ID], Corrections: read.corrections[d.shop.ID],
	}
	opening := map[string]Money{}
	if d.before != nil {
		before, err := d.before.Read()
		if err != nil {
			return Statement{}, err
		}
		doc.Number, doc.Previous = d.before.Number+1, d.before.Hash
		for _, m := range before.Money {
			opening[string(m.Currency)] = m
		}
	}
	doc.Money = figures(opening, read.lines[d.shop.ID])
	text, err := json.Marshal(doc)
	if err != nil {
		return Statement{}, err
	}
	return Statement{
		ID: store.NewID(now), ShopID: d.shop.ID, Number: doc.Number, Day: d.name, FromAt: d.from, ToAt: d.to,
		LastPosting: read.last,
		ClosedAt:    now, Document: string(text), Hash: hashOf(string(text)),
	}, nil
}

func hashOf(document string) string {
	sum := sha256.Sum256([]byte(document))
	return hex.EncodeToString(sum[:])
}
