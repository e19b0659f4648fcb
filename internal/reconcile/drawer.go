package reconcile

import (
	"context"
	"strconv"
	"time"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/store"
)

// drawersBack is how far beyond the last look a look at drawers goes back.
const drawersBack = 24 * time.Hour

// counted is a closed shift whose count differed from the books.
type counted struct {
	ID            string
	ShopID        string
	CashierID     string
	Number        int
	Till          string
	Currency      money.Currency
	CountedMicros int64
	ClosedAt      time.Time
	Difference    int64 // counted less expected
}

// differencesSQL reads what was booked as over or short (J17) when shifts were closed. A drawer's difference
// is what it held beyond the books.
const differencesSQL = `
SELECT s.id, s.shop_id, s.cashier_id, s.number,
COALESCE(t.name, '') AS till, s.currency, s.counted_micros, s.closed_at, -p.micros AS difference
  FROM postings p JOIN shifts s ON p.journal = 'shift/' || s.id || '/close/J17' LEFT JOIN tills t ON t.id = s.till_id
 WHERE p.account = '5910' AND p.kind = 'J17' AND s.closed_at >= ? ORDER BY s.closed_at`

// LookAtDrawers makes breaks of drawers counted differently from the books. Over and short are booked already;
// the break makes somebody ask why.
func (s *Service) LookAtDrawers(ctx context.Context, by string) (Run, error) {
	run := Run{ID: store.NewID(s.d.Now()), What: "drawers", BeganAt: store.Moment(s.d.Now()), AskedBy: by}
	err := s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		last, err := lastRun(tx.DB, "drawers")
		if err != nil {
			return err
		}
		var since time.Time
		if last != nil {
			since = last.BeganAt
		}
		found, err := store.All[counted](tx.Raw(differencesSQL, seenSince(since, drawersBack)))
		if err != nil {
			return err
		}
		var drafts []Break
		for _, c := range found {
			draft, err := c.draft()
			if err != nil {
				return err
			}
			drafts = append(drafts, draft)
		}
		if run.Fresh, err = s.storeBreaks(tx, drafts); err != nil {
			return err
		}
		run.Found, run.EndedAt = len(drafts), store.Moment(s.d.Now())
		return tx.Create(&run).Error
	})
	return run, fault.Doing("look at drawers", err)
}

func (c counted) draft() (Break, error) {
	amount := func(micros int64) string { return money.Of(micros, c.Currency).String() }
	kind := CashOver
	if c.Difference < 0 {
		kind = CashShort
	}
	b := Break{
		Kind: kind, Subject: c.ID, ShopID: c.ShopID, CashierID: c.CashierID, Micros: c.Difference, Currency: c.Currency,
		Digest: digestOf(strconv.FormatInt(c.Difference, 10)), TheirsAt: &c.ClosedAt,
	}
	err := b.setEvidence(Evidence{Drawer: &DrawerSide{
		ShiftID: c.ID, Number: c.Number, Till: c.Till, Expected: amount(c.CountedMicros - c.Difference),
		Counted: amount(c.CountedMicros), ClosedAt: c.ClosedAt,
	}})
	return b, err
}

// CashierDrawers is how one cashier's drawers counted. Amounts are millionths of Currency; Short is negative.
type CashierDrawers struct {
	CashierID string
	Currency  money.Currency
	Shifts    int // closed ones
	Off       int // those with a difference
	Over      int64
	Short     int64
	Later     int64 // booked since they were closed, of refunds that were taken back
}

// OverAndShort returns each cashier's differences in shifts closed in a half-open period, the largest loss
// first; of one shop, or of all for "".
func (s *Service) OverAndShort(ctx context.Context, shopID string, from, to time.Time) ([]CashierDrawers, error) {
	// A posting is found by its journal. By its account, SQLite read all differences there ever were for each shift.
	all, err := store.All[CashierDrawers](s.d.DB.Read(ctx).Raw(`
SELECT s.cashier_id, s.currency, COUNT(*) AS shifts, COUNT(p.micros) AS off,
       SUM(CASE WHEN p.micros < 0 THEN -p.micros ELSE 0 END) AS over, SUM(CASE WHEN p.micros > 0 THEN -p.micros
ELSE 0 END) AS short,
       COALESCE(SUM((SELECT SUM(l.micros) FROM postings l WHERE l.kind = 'J17' AND l.account = '1000:' || s.id
AND l.journal <> 'shift/' || s.id || '/close/J17')), 0) AS later
  FROM shifts s LEFT JOIN postings p ON p.journal = 'shift/' || s.id || '/close/J17' AND p.account || '' = '5910'
 WHERE s.closed_at >= @from AND s.closed_at < @to AND (@shop = '' OR s.shop_id = @shop)
 GROUP BY s.cashier_id, s.currency ORDER BY short, s.cashier_id`,
		map[string]any{"from": store.Moment(from), "to": store.Moment(to), "shop": shopID}))
	return all, fault.Doing("over and short", err)
}
