package sales

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"airtill/internal/money"
	"airtill/internal/store"
)

// TillTopic is the signal that a sale of a till moved.
func TillTopic(tillID string) string { return "till:" + tillID }

const (
	// trayAfter is how long a sale is waited for on its own page before it goes to the tray and reports there.
	trayAfter  = 10 * time.Second
	traySpeaks = 2 * time.Minute // how long an end is reported
	trayOwes   = 24 * time.Hour  // how long cash due back stays in sight
	trayMost   = 50
)

// Tray returns the sales of a till that nobody must lose sight of, the oldest first: open ones; those that
// ended a moment ago, if they were waited for; those of the last day whose cash is due back.
func (s *Service) Tray(ctx context.Context, tillID string, practice bool) ([]Sale, error) {
	var found []Sale
	if err := s.d.DB.Answer(ctx, s.asksTray(tillID, practice, &found)); err != nil {
		return nil, fmt.Errorf("sales that wait at a till: %w", err)
	}
	slices.SortFunc(found, func(a, b Sale) int { return strings.Compare(a.ID, b.ID) })
	return found, nil
}

// AskTray asks ahead of Tray.
func (s *Service) AskTray(tillID string, practice bool) store.Asked {
	return s.asksTray(tillID, practice, new([]Sale))
}

type trayOf struct {
	Till     string
	Practice bool
}

func (s *Service) asksTray(tillID string, practice bool, into *[]Sale) store.Asked {
	now := store.Moment(s.d.Now())
	return store.Asking[[]Sale]{
		Key: trayOf{tillID, practice}, Into: into,
		SQL: fmt.Sprintf(traySQL, trayTook[s.d.DB.Dialect()], trayAfter/time.Second, trayMost),
		Args: []any{
			tillID, practice, tillID, practice, now.Add(-trayOwes),
			tillID, practice, now.Add(-traySpeaks),
		},
		Row: store.RowsOf(into, strings.Split(trayColumns, ", ")...),
	}
}

const (
	// Each part has an index of the few rows it asks for: only an open sale has no end, and what is
	// taken or owed is settled with the shift. Of too many, the open ones and those that ended last stay.
	traySQL = `SELECT ` + trayColumns + ` FROM sales
WHERE till_id = ? AND practice = ? AND final_at IS NULL
UNION ALL SELECT ` + trayColumns + ` FROM sales
WHERE till_id = ? AND practice = ? AND cash IN ('taken', 'refund_due') AND cash = 'refund_due' AND final_at > ?
UNION ALL SELECT ` + trayColumns + ` FROM sales
WHERE till_id = ? AND practice = ? AND cash <> 'refund_due' AND final_at > ? AND %s > %d
ORDER BY final_at DESC NULLS FIRST, id LIMIT %d`

	// trayColumns are those that the tray shows.
	trayColumns = "id, shop_id, till_id, account_number, country_iso, provider_code, provider_name, product_text, " +
		"price_micros, price_currency, fulfilment, cash, attempt_at, final_at"
)

// trayTook is how many seconds a sale took. It is compared in the database, since most took too few to be shown.
var trayTook = map[store.Dialect]string{
	store.Postgres: "EXTRACT(EPOCH FROM final_at - attempt_at)",
	store.SQLite:   "unixepoch(final_at, 'subsec') - unixepoch(attempt_at, 'subsec')",
}

// OwedBack is what is due back to customers, in each currency.
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
