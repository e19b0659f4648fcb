package sales

import (
	"context"
	"fmt"
	"slices"
	"time"

	"airtill/internal/money"
	"airtill/internal/store"
)

// TillTopic is the signal of a sale of a till that moved.
func TillTopic(tillID string) string { return "till:" + tillID }

const (
	// trayAfter is how long a sale is waited for on its own page before it goes
	// to the tray, and reports back there.
	trayAfter  = 10 * time.Second
	traySpeaks = 2 * time.Minute // how long an end is reported
	trayOwes   = 24 * time.Hour  // how long cash that is due back stays in sight
	trayMost   = 50
)

// Tray returns the sales of a till that somebody must not lose sight of, the
// oldest first: those still open; those that ended a moment ago, if they were
// waited for; those of the last day whose cash is due back.
func (s *Service) Tray(ctx context.Context, tillID string, practice bool) ([]Sale, error) {
	now := store.Moment(s.Now())
	var open, ended []Sale
	// An open sale always has a next check, and few other sales do: the index of
	// what is due finds them among millions.
	err := s.DB.Read(ctx).Where("till_id = ? AND practice = ? AND next_check_at IS NOT NULL AND fulfilment IN ?", tillID, practice, OpenStates()).
		Order("id").Limit(trayMost).Find(&open).Error
	if err != nil {
		return nil, fmt.Errorf("open sales of a till: %w", err)
	}
	err = s.DB.Read(ctx).Where("till_id = ? AND final_at > ? AND practice = ? AND (cash = ? OR final_at > ?)", tillID, now.Add(-trayOwes), practice, CashRefundDue, now.Add(-traySpeaks)).
		Order("id").Limit(trayMost).Find(&ended).Error
	if err != nil {
		return nil, fmt.Errorf("ended sales of a till: %w", err)
	}
	for _, sale := range ended {
		if sale.Cash == CashRefundDue || sale.FinalAt.Sub(sale.AttemptAt) > trayAfter {
			open = append(open, sale)
		}
	}
	return open, nil
}

// OwedBack is what is due back to the customers of sales, in each currency.
func OwedBack(found []Sale) ([]money.Amount, error) {
	var owed []money.Amount
	for i := range found {
		if found[i].Cash != CashRefundDue {
			continue
		}
		price := found[i].Price()
		at := slices.IndexFunc(owed, func(a money.Amount) bool { return a.Currency() == price.Currency() })
		if at < 0 {
			owed = append(owed, price)
			continue
		}
		var err error
		if owed[at], err = owed[at].Add(price); err != nil {
			return nil, fmt.Errorf("cash that is due back: %w", err)
		}
	}
	return owed, nil
}
