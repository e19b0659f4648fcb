package invariant

import (
	"context"
	"fmt"

	"airtill/internal/money"
	"airtill/internal/store"
)

// shiftsAtOnce is how many shifts one batch has.
const shiftsAtOnce = 500

// drawers is I7, as far as books can tell what a hand holds: a drawer began with its float, took in the price of
// each of its sales, and what was moved in or out is what is on record; when it was closed, the difference was
// booked, the counted cash went to the safe, and nothing is left.
func (s *Service) drawers(ctx context.Context, f *Finding, after string) (last string, err error) {
	if after == "" {
		if err := s.shiftless(ctx, f); err != nil {
			return "", err
		}
	}
	return s.judgeDrawers(ctx, f, afterID, after)
}

// shiftlessSQL goes from account to account, as many as there are shifts, without a look at all postings.
const shiftlessSQL = `
WITH RECURSIVE account (named) AS (
	SELECT MIN(account) FROM postings
	UNION ALL SELECT (SELECT MIN(q.account) FROM postings q WHERE q.account > a.named) FROM account a
	WHERE a.named IS NOT NULL)
SELECT SUBSTR(a.named, 6) FROM account a
WHERE a.named LIKE '1000:%' AND NOT EXISTS (SELECT 1 FROM shifts s WHERE s.id = SUBSTR(a.named, 6))`

// shiftless blames drawers that hold cash of no shift: the newest of a till could be gone without a gap.
func (s *Service) shiftless(ctx context.Context, f *Finding) error {
	gone, err := store.All[string](s.d.DB.Read(ctx).Raw(shiftlessSQL))
	for _, id := range gone {
		f.Blame("shift.gone", id)
	}
	return err
}

func (s *Service) judgeDrawers(ctx context.Context, f *Finding, where string, args ...any) (last string, err error) {
	if last, err = s.end(ctx, "shifts", where, args, shiftsAtOnce); err != nil || last == "" {
		return "", err
	}
	question := s.d.DB.Read(ctx).Raw(fmt.Sprintf(drawersSQL, where), append(args, last)...)
	return last, store.Each(question, func(d drawer) {
		f.Checked++
		d.judge(f)
	})
}

// drawersSQL reads shifts and their accounts in one statement, so of one moment. Indexes hold all it adds up.
const drawersSQL = `
SELECT s.id, s.currency, s.opening_micros, s.closed_at IS NOT NULL AS closed,
       COALESCE(s.counted_micros, 0) AS counted_micros,
       COALESCE(SUM(q.micros), 0) AS total,
       COALESCE(SUM(CASE WHEN q.kind = 'J0' THEN q.micros END), 0) AS opened,
       COALESCE(SUM(CASE WHEN q.kind = 'J1' THEN q.micros END), 0) AS taken,
       COALESCE(SUM(CASE WHEN q.kind = 'J20' AND q.journal LIKE 'shift/%%/close/J20' THEN q.micros END), 0) AS banked,
       COALESCE(SUM(CASE WHEN q.kind = 'J19' THEN q.micros END), 0) AS paid_in,
       COALESCE(SUM(CASE WHEN q.kind = 'J20' AND q.journal LIKE 'cash/%%' THEN -q.micros END), 0) AS dropped,
       COALESCE(SUM(CASE WHEN q.kind = 'J21' THEN -q.micros END), 0) AS spent,
       COALESCE((SELECT SUM(m.micros) FROM cash_moves m WHERE m.shift_id = s.id AND m.kind = 'in'), 0) AS moved_in,
       COALESCE((SELECT SUM(m.micros) FROM cash_moves m WHERE m.shift_id = s.id AND m.kind = 'safe'), 0) AS moved_out,
       COALESCE((SELECT SUM(CASE WHEN m.kind = 'expense' THEN m.micros ELSE -m.micros END)
                   FROM cash_moves m WHERE m.shift_id = s.id AND m.kind IN ('expense', 'back')), 0) AS expenses,
       COALESCE((SELECT SUM(x.price_micros) FROM sales x WHERE x.shift_id = s.id AND NOT x.practice), 0) AS sold
  FROM shifts s LEFT JOIN postings q ON q.account = '1000:' || s.id
 WHERE %s AND s.id <= ?
 GROUP BY s.id ORDER BY s.id`

type drawer struct {
	ID                                 string
	Currency                           money.Currency
	OpeningMicros, CountedMicros       int64
	Closed                             bool
	Total, Opened, Taken, Banked, Sold int64
	PaidIn, Dropped, Spent             int64 // as booked
	MovedIn, MovedOut, Expenses        int64 // as on record
}

func (d drawer) judge(f *Finding) {
	amount := func(micros int64) money.Amount { return money.Of(micros, d.Currency) }
	if d.Opened != d.OpeningMicros {
		f.Blame("shift.opened", d.ID, amount(d.OpeningMicros), amount(d.Opened))
	}
	if d.Taken != d.Sold {
		f.Blame("shift.sold", d.ID, amount(d.Sold), amount(d.Taken))
	}
	for _, moved := range [][2]int64{{d.MovedIn, d.PaidIn}, {d.MovedOut, d.Dropped}, {d.Expenses, d.Spent}} {
		if moved[0] != moved[1] {
			f.Blame("shift.moved", d.ID, amount(moved[0]), amount(moved[1]))
		}
	}
	if !d.Closed {
		return
	}
	if d.Banked != -d.CountedMicros {
		f.Blame("shift.counted", d.ID, amount(d.CountedMicros), amount(-d.Banked))
	}
	if d.Total != 0 {
		f.Blame("shift.left", d.ID, amount(d.Total))
	}
}
