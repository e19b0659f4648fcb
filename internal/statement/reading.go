package statement

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/store"
)

// line is what was booked on a day for one shop on one account by one kind of
// journal.
type line struct {
	ShopID   string
	Account  string // its number, "1000" for every drawer
	Kind     string
	Currency money.Currency
	Late     bool // for sales of an earlier day
	Debit    int64
	Credit   int64 // negative
	Count    int64
}

// reading is what was booked on the same day of some shops.
type reading struct {
	last        int64 // postings up to here were looked at
	lines       map[string][]line
	late        []late
	breaks      map[string][]Breaks
	corrections map[string][]Correction
}

func (s *Service) read(ctx context.Context, days []day) (reading, error) {
	r := reading{lines: map[string][]line{}, breaks: map[string][]Breaks{}, corrections: map[string][]Correction{}}
	session, d := s.DB.Read(ctx), days[0]
	low, err := ledger.LastBefore(session, d.from.Add(-ledger.Slack))
	if err != nil {
		return r, err
	}
	// When many days are closed together, none of them reads to the end of the book:
	// what is written later than the night is on a later statement, as it would be if the
	// day had been closed then.
	high, err := ledger.LastBefore(session, d.to.Add(settleFor))
	if err != nil {
		return r, err
	}
	low, r.last = min(low, d.lastPosting()), max(high, d.lastPosting())
	args := map[string]any{"last": d.lastPosting(), "from": store.Moment(d.from), "to": store.Moment(d.to), "shops": shopIDs(days)}
	atOnce := cmp.Or(s.AtOnce, postingsAtOnce)
	for ; err == nil && low < r.last; low += atOnce {
		args["low"], args["high"] = low, min(low+atOnce, r.last)
		err = r.readPostings(session, args)
	}
	r.correct()
	if err == nil {
		err = r.readBreaks(session, args)
	}
	return r, err
}

// postingsAtOnce is how many postings one question sums: more would be sorted on disk,
// and a read that long keeps the database from tidying up.
const postingsAtOnce = 50_000

// readPostings adds what a batch of postings tells.
func (r *reading) readPostings(session *gorm.DB, args map[string]any) error {
	late, err := r.readLines(session, args)
	if err == nil && late {
		err = r.readLate(session, args)
	}
	return err
}

func shopIDs(days []day) (ids []string) {
	for _, d := range days {
		ids = append(ids, d.shop.ID)
	}
	return ids
}

// window selects the postings of a day: those of its hours, and those of earlier
// hours that were written after the statement before had looked.
const window = "p.id > @low AND p.id <= @high AND p.at < @to AND (p.at >= @from OR p.id > @last)"

// linesSQL sums a day by shop. A posting is of the shop of its sale, or of its
// drawer; the two are read apart, so that each is a join by an id. The postings come
// first: SQLite keeps the order of a CROSS JOIN, and an index of shops does not serve
// what is joined to a text. From their side it would go through all they ever sold.
const linesSQL = `
SELECT s.shop_id, SUBSTR(p.account, 1, 4) AS account, p.kind, p.currency, s.recorded_at < @from AS late, ` + sums + `
  FROM postings p CROSS JOIN sales s
 WHERE ` + window + ` AND s.id = p.sale_id AND s.shop_id || '' IN @shops
 GROUP BY 1, 2, 3, 4, 5
UNION ALL
SELECT h.shop_id, '1000', p.kind, p.currency, FALSE, ` + sums + `
  FROM postings p CROSS JOIN shifts h
 WHERE ` + window + ` AND p.sale_id IS NULL AND h.id = SUBSTR(p.account, 6) AND p.account LIKE '1000:%' AND h.shop_id || '' IN @shops
 GROUP BY 1, 3, 4`

const sums = "SUM(CASE WHEN p.micros > 0 THEN p.micros ELSE 0 END) AS debit, SUM(CASE WHEN p.micros < 0 THEN p.micros ELSE 0 END) AS credit, COUNT(*) AS count"

// readLines says whether anything was booked for sales of earlier days.
func (r *reading) readLines(session *gorm.DB, args map[string]any) (late bool, err error) {
	var rows []line
	if err := session.Raw(linesSQL, args).Scan(&rows).Error; err != nil {
		return false, fmt.Errorf("sum postings of the day: %w", err)
	}
	for _, l := range rows {
		r.lines[l.ShopID] = append(r.lines[l.ShopID], l)
		late = late || l.Late
	}
	return late, nil
}

// lateSQL lists what was booked for sales of earlier days.
const lateSQL = `
SELECT s.shop_id, s.id AS sale_id, s.code, s.recorded_at, p.kind, p.currency,
       SUM(CASE WHEN SUBSTR(p.account, 1, 1) IN ('4', '5') THEN -p.micros ELSE 0 END) AS margin,
       SUM(CASE WHEN SUBSTR(p.account, 1, 4) = '1000' THEN p.micros ELSE 0 END) AS cash
  FROM postings p CROSS JOIN sales s
 WHERE ` + window + ` AND s.id = p.sale_id AND s.recorded_at < @from AND s.shop_id || '' IN @shops
 GROUP BY s.shop_id, s.id, s.code, s.recorded_at, p.kind, p.currency`

// late is a row of lateSQL.
type late struct {
	ShopID, SaleID, Code, Kind string
	RecordedAt                 time.Time
	Currency                   money.Currency
	Margin, Cash               int64
}

func (r *reading) readLate(session *gorm.DB, args map[string]any) error {
	var rows []late
	if err := session.Raw(lateSQL, args).Scan(&rows).Error; err != nil {
		return fmt.Errorf("corrections of the day: %w", err)
	}
	r.late = append(r.late, rows...)
	return nil
}

// correct makes corrections of the late rows: one for each sale and currency.
func (r *reading) correct() {
	slices.SortStableFunc(r.late, func(a, b late) int {
		return cmp.Or(cmp.Compare(a.SaleID, b.SaleID), cmp.Compare(a.Currency, b.Currency), cmp.Compare(a.Kind, b.Kind))
	})
	for _, row := range r.late {
		all := r.corrections[row.ShopID]
		if n := len(all); n == 0 || all[n-1].SaleID != row.SaleID || all[n-1].Currency != row.Currency {
			all = append(all, Correction{SaleID: row.SaleID, Code: row.Code, Sold: row.RecordedAt.UTC(), Currency: row.Currency})
		}
		last := &all[len(all)-1]
		if !slices.Contains(last.Kinds, row.Kind) { // a journal over the edge of two batches
			last.Kinds = append(last.Kinds, row.Kind)
		}
		last.Margin += row.Margin
		last.Cash += row.Cash
		r.corrections[row.ShopID] = all
	}
}

func (r *reading) readBreaks(session *gorm.DB, args map[string]any) error {
	var rows []struct {
		ShopID string
		Breaks
	}
	err := session.Raw(`SELECT shop_id, kind, currency, COUNT(*) AS count, SUM(micros) AS micros FROM breaks
		WHERE state <> 'resolved' AND shop_id IN @shops AND found_at < @to GROUP BY shop_id, kind, currency ORDER BY kind, currency`, args).Scan(&rows).Error
	if err != nil {
		return fmt.Errorf("breaks of the day: %w", err)
	}
	for _, row := range rows {
		r.breaks[row.ShopID] = append(r.breaks[row.ShopID], row.Breaks)
	}
	return nil
}
