package statement

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/store"
)

// line is what one kind of journal booked on a day for one shop on one account.
type line struct {
	ShopID   string
	Account  string // its number, "1000" for every drawer
	Kind     string
	Currency money.Currency
	Late     bool // for sales of earlier days
	Debit    int64
	Credit   int64 // negative
	Count    int64 // of credits, less the debits: what is booked the other way takes one away
}

// reading is what was booked on the same day for some shops.
type reading struct {
	last        int64 // postings up to here were read
	lines       map[string][]line
	late        []late
	breaks      map[string][]Breaks
	corrections map[string][]Correction
}

func (s *Service) read(ctx context.Context, days []day) (reading, error) {
	r := reading{lines: map[string][]line{}, breaks: map[string][]Breaks{}, corrections: map[string][]Correction{}}
	session, d := s.d.DB.Read(ctx), days[0]
	low, err := ledger.LastBefore(session, d.from.Add(-ledger.Slack))
	if err != nil {
		return r, err
	}
	// When many days are closed together, each stops reading at the night after it: what is written later is
	// on a later statement, as if the day had been closed then.
	high, err := ledger.LastBefore(session, d.to.Add(settleFor))
	if err != nil {
		return r, err
	}
	low, r.last = min(low, d.lastPosting()), max(high, d.lastPosting())
	args := map[string]any{
		"low": low, "high": r.last, "last": d.lastPosting(), "from": store.Moment(d.from), "to": store.Moment(d.to),
		"shops": shopIDs(days),
		"first": store.FirstID(d.from), "end": store.FirstID(d.to),
	}
	if d.before == nil {
		if low, err = beforeFirst(session, args); err != nil {
			return r, err
		}
		args["low"] = low
	}
	err = r.readSold(session, args, cmp.Or(s.d.AtOnce, salesAtOnce))
	if err == nil {
		_, err = r.readLines(session, drawersSQL, args)
	}
	atOnce := cmp.Or(s.d.AtOnce, postingsAtOnce)
	for ; err == nil && low < r.last; low += atOnce {
		args["low"], args["high"] = low, min(low+atOnce, r.last)
		err = r.readOthers(session, args)
	}
	r.correct()
	if err == nil {
		err = r.readBreaks(session, args)
	}
	return r, err
}

// beforeFirst is a posting before all of some shops that no statement tells of yet: what a shop books first is in a
// drawer.
func beforeFirst(session *gorm.DB, args map[string]any) (low int64, err error) {
	err = session.Raw(`SELECT COALESCE(MIN(p.id) - 1, @high) FROM shifts h
		JOIN postings p ON p.account = '1000:' || h.id
		WHERE h.shop_id IN @shops AND h.opened_at < @to`, args).Scan(&low).Error
	return low, fault.Doing("first posting of a shop", err)
}

// How many rows one question goes through. More would be sorted on disk, and so long a read keeps the database
// from tidying up.
const (
	salesAtOnce    = 1000
	postingsAtOnce = 50_000
)

// readSold adds what was booked for the day's sales, slice by slice.
func (r *reading) readSold(session *gorm.DB, args map[string]any, atOnce int64) error {
	for next := args["first"]; next != args["end"]; {
		args["sale"], next = next, args["end"]
		found, err := store.First[string](session.Raw(
			"SELECT id FROM sales WHERE id >= @sale AND id < @end ORDER BY id LIMIT 1 OFFSET @skip", args,
			sql.Named("skip", atOnce),
		))
		if err != nil {
			return fmt.Errorf("sales of the day: %w", err)
		}
		if found != nil {
			next = *found
		}
		args["next"] = next
		if err := r.readSlice(session, args); err != nil {
			return err
		}
	}
	return nil
}

func (r *reading) readSlice(session *gorm.DB, args map[string]any) error {
	rows, err := store.All[struct {
		Of                   string
		Debit, Credit, Count int64
	}](session.Raw(soldSQL, args))
	if err != nil {
		return fmt.Errorf("sum postings of the day's sales: %w", err)
	}
	for _, row := range rows {
		of := strings.Split(row.Of, "/")
		r.lines[of[0]] = append(r.lines[of[0]], line{
			ShopID: of[0], Account: of[1], Kind: of[2], Currency: money.Currency(of[3]), Debit: row.Debit,
			Credit: row.Credit, Count: row.Count,
		})
	}
	return nil
}

// readOthers adds what a batch of postings tells of sales of other days.
func (r *reading) readOthers(session *gorm.DB, args map[string]any) error {
	late, err := r.readLines(session, othersSQL, args)
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

// window selects the postings of a day: those of its hours, and those of earlier hours written after the
// statement before was read. To SQLite a TIMESTAMP is numeric, and it would try to convert every text compared
// with one; the result of a function it takes as it is.
const (
	window = "p.id > @low AND p.id <= @high AND " + hours
	hours  = "COALESCE(p.at, p.at) < @to AND (COALESCE(p.at, p.at) >= @from OR p.id > @last)"
)

// What a day is summed from. A posting belongs to the shop of its sale or of its drawer. Nearly all are of the
// day's sales, found by their ids, so that each sale is looked up once and not for each posting; the rest is
// found among all that was written. In SQLite, CROSS JOIN fixes the order, and an empty text behind a shop's id keeps
// it off the index of shops, by which it would go through all they ever sold. PostgreSQL plans for a range of any
// length; + 0 keeps it off the index of postings, by which it would go through the whole day for
// each slice. Groups are one text, which sorts sooner than four columns.
const (
	soldSQL = `
SELECT s.shop_id || '/' || SUBSTR(p.account, 1, 4) || '/' || p.kind || '/' || p.currency AS "of", ` + sums + `
  FROM sales s CROSS JOIN postings p
 WHERE s.id >= @sale AND s.id < @next AND s.shop_id || '' IN @shops AND p.sale_id = s.id AND p.id + 0 > @low
AND p.id + 0 <= @high AND ` + hours + `
 GROUP BY 1`
	othersSQL = `
SELECT s.shop_id, SUBSTR(p.account, 1, 4) AS account, p.kind, p.currency, s.id < @first AS late, ` + sums + `
  FROM postings p CROSS JOIN sales s
 WHERE ` + window + ` AND NOT (p.sale_id >= @first AND p.sale_id < @end)
   AND s.id = p.sale_id AND s.shop_id || '' IN @shops
 GROUP BY 1, 2, 3, 4, 5`
	drawersSQL = `
SELECT h.shop_id, '1000' AS account, p.kind, p.currency, FALSE AS late, ` + sums + `
  FROM postings p CROSS JOIN shifts h
 WHERE p.sale_id IS NULL
AND ` + window + ` AND h.id = SUBSTR(p.account, 6) AND p.account LIKE '1000:%' AND h.shop_id || '' IN @shops
 GROUP BY 1, 3, 4`
)

const sums = "SUM(CASE WHEN p.micros > 0 THEN p.micros ELSE 0 END) AS debit, SUM(CASE WHEN p.micros < 0 THEN " +
	"p.micros ELSE 0 END) AS credit, SUM(CASE WHEN p.micros < 0 THEN 1 ELSE -1 END) AS count"

// readLines says whether anything was booked for sales of earlier days.
func (r *reading) readLines(session *gorm.DB, query string, args map[string]any) (late bool, err error) {
	rows, err := store.All[line](session.Raw(query, args))
	for _, l := range rows {
		r.lines[l.ShopID] = append(r.lines[l.ShopID], l)
		late = late || l.Late
	}
	return late, fault.Doing("sum postings of the day", err)
}

// lateSQL lists them.
const lateSQL = `
SELECT s.shop_id, s.id AS sale_id, s.code, s.recorded_at, p.kind, p.currency,
       SUM(CASE WHEN SUBSTR(p.account, 1, 1) IN ('4', '5') THEN -p.micros ELSE 0 END) AS margin,
       SUM(CASE WHEN SUBSTR(p.account, 1, 4) = '1000' THEN p.micros ELSE 0 END) AS cash
  FROM postings p CROSS JOIN sales s
 WHERE ` + window + ` AND p.sale_id < @first AND s.id = p.sale_id AND s.shop_id || '' IN @shops
 GROUP BY s.shop_id, s.id, s.code, s.recorded_at, p.kind, p.currency`

// late is a row of lateSQL.
type late struct {
	ShopID, SaleID, Code, Kind string
	RecordedAt                 time.Time
	Currency                   money.Currency
	Margin, Cash               int64
}

func (r *reading) readLate(session *gorm.DB, args map[string]any) error {
	rows, err := store.All[late](session.Raw(lateSQL, args))
	r.late = append(r.late, rows...)
	return fault.Doing("corrections of the day", err)
}

// correct makes corrections of the late rows: one for each sale and currency.
func (r *reading) correct() {
	slices.SortStableFunc(r.late, func(a, b late) int {
		return cmp.Or(cmp.Compare(a.SaleID, b.SaleID), cmp.Compare(a.Currency, b.Currency), cmp.Compare(a.Kind, b.Kind))
	})
	for _, row := range r.late {
		all := r.corrections[row.ShopID]
		if n := len(all); n == 0 || all[n-1].SaleID != row.SaleID || all[n-1].Currency != row.Currency {
			all = append(all, Correction{
				SaleID: row.SaleID, Code: row.Code, Sold: row.RecordedAt.UTC(), Currency: row.Currency,
			})
		}
		last := &all[len(all)-1]
		if !slices.Contains(last.Kinds, row.Kind) { // a journal across two batches
			last.Kinds = append(last.Kinds, row.Kind)
		}
		last.Margin += row.Margin
		last.Cash += row.Cash
		r.corrections[row.ShopID] = all
	}
}

func (r *reading) readBreaks(session *gorm.DB, args map[string]any) error {
	rows, err := store.All[struct {
		ShopID string
		Breaks
	}](session.Raw(`SELECT shop_id, kind, currency, COUNT(*) AS count, SUM(micros) AS micros FROM breaks
		WHERE state <> 'resolved' AND shop_id IN @shops AND found_at < @to GROUP BY shop_id, kind, currency
		ORDER BY kind, currency`, args))
	for _, row := range rows {
		r.breaks[row.ShopID] = append(r.breaks[row.ShopID], row.Breaks)
	}
	return fault.Doing("breaks of the day", err)
}
