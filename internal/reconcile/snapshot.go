package reconcile

import (
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"airtill/internal/ledger"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// Judgement is what a balance turned out to be.
type Judgement string

// The verdicts.
const (
	Agrees     Judgement = "agrees"     // with the books, known breaks, and the possible effects of sales under way
	Explained  Judgement = "explained"  // by something expected, booked now
	Differs    Judgement = "differs"    // must be seen once more to be believed
	Confirmed  Judgement = "confirmed"  // seen twice: it is a break
	Superseded Judgement = "superseded" // the books were mended since, or too much was under way
)

// clockMargin allows for differing clocks of processes.
const clockMargin = 5 * time.Second

// booksSQL is, in one statement, so as of one moment: the sales that are open or whose money moved since, and
// account 1100 without them. What moved since came after folded_id, which is at least ten minutes old, so few
// postings are read; each part is materialized, or SQLite merges all sales and all postings in the order of their ids.
const booksSQL = `
WITH open AS MATERIALIZED (
    SELECT id FROM sales WHERE next_check_at IS NOT NULL AND fulfilment IN @open AND practice = @no
), moved AS MATERIALIZED (
    SELECT sale_id AS id FROM postings WHERE COALESCE(sale_id, '') <> '' AND at >= @since
        AND id > COALESCE((SELECT folded_id FROM ledger_horizon), 0)
), around AS MATERIALIZED (SELECT id FROM open UNION SELECT id FROM moved)
SELECT COALESCE((SELECT micros FROM ledger_checkpoints WHERE account = @account AND currency = @currency), 0)
     + COALESCE((SELECT SUM(micros) FROM postings WHERE account = @account AND currency = @currency
                   AND id > COALESCE((SELECT last_id FROM ledger_checkpoints WHERE account = @account
AND currency = @currency), 0)), 0)
     - COALESCE((SELECT SUM(micros) FROM postings WHERE sale_id IN (SELECT id FROM around) AND account || '' = @account
AND currency = @currency), 0) AS books,
       COALESCE((SELECT string_agg(id, ',') FROM around), '') AS open_set`

// surround notes with a balance what our books say, without the sales that the answer may or may not include.
func surround(tx *store.Tx, told *UpstreamBalance) error {
	var row struct {
		Books   int64
		OpenSet string
	}
	err := tx.Raw(booksSQL, map[string]any{
		"open": sales.OpenStates(), "no": false, "since": store.Moment(told.AskedAt.Add(-clockMargin)),
		"account": ledger.Float, "currency": told.Currency,
	}).Scan(&row).Error
	told.BooksMicros, told.OpenSet = &row.Books, row.OpenSet
	return err
}

func (b UpstreamBalance) open() []string {
	if b.OpenSet == "" {
		return nil
	}
	return strings.Split(b.OpenSet, ",")
}

// under is a sale under way around a balance.
type under struct {
	ID         string
	Fulfilment sales.State
	OpenSeenAt *time.Time
	Cost       int64 // as known now
	Commission int64
	Float      int64 // what account 1100 holds of it now
	Receivable int64
}

// wentOn says whether a batch transfer was still under way at a balance, so deducted and no more: the
// upstream's list showed it so long enough afterwards.
func (u under) wentOn(told UpstreamBalance) bool {
	return u.OpenSeenAt != nil && u.OpenSeenAt.After(told.ToldAt.Add(settleFor))
}

// most is the likeliest effect of a sale on a balance: its effect by now, unless it went on meanwhile.
func (u under) most(told UpstreamBalance) int64 {
	if u.wentOn(told) {
		return -u.Cost
	}
	return u.Float
}

// options are the possible effects: none yet, its cost, its end, and its end with what is still owed back.
func (u under) options(told UpstreamBalance) []int64 {
	if u.wentOn(told) {
		return []int64{-u.Cost}
	}
	all := []int64{0, -u.Cost, -u.Cost + u.Commission, u.Float, u.Float + u.Receivable}
	slices.Sort(all)
	return slices.Compact(all)
}

// underWay loads the sales that were under way.
func underWay(session *gorm.DB, ids []string) (all []under, err error) {
	for part := range chunks(ids) {
		rows, err := store.All[under](session.Raw(`SELECT s.id, s.fulfilment, s.open_seen_at,
			s.commission_micros AS commission, s.receivable_micros AS receivable,
			CASE WHEN s.fulfilment = 'complete' THEN s.actual_send_micros + s.actual_dist_micros
			ELSE s.send_micros + s.distributor_fee_micros END AS cost,
			COALESCE((SELECT SUM(p.micros) FROM postings p WHERE p.sale_id = s.id AND p.account = ?), 0) AS float
			FROM sales s WHERE s.id IN ?`, ledger.Float, part))
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}
