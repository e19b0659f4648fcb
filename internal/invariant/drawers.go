package invariant

import (
	"context"
	"errors"
)

// drawers is I7, as far as books can tell what a hand holds: a drawer began with
// its float, took in the price of each of its sales, and if it was closed, the
// difference was booked, what was counted went to the safe, and nothing is left.
func (s *Service) drawers(ctx context.Context, f *Finding) (err error) {
	session := s.DB.Read(ctx)
	rows, err := session.Raw(drawersSQL).Rows()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var d drawer
		if err := session.ScanRows(rows, &d); err != nil {
			return err
		}
		f.Checked++
		d.judge(f)
	}
	return rows.Err()
}

// drawersSQL reads each shift with what its account says, in one statement, so
// that all of it is of one moment.
const drawersSQL = `
SELECT s.id, s.opening_micros, s.closed_at IS NOT NULL AS closed, COALESCE(s.counted_micros, 0) AS counted_micros,
       COALESCE(p.total, 0) AS total, COALESCE(p.opened, 0) AS opened, COALESCE(p.taken, 0) AS taken, COALESCE(p.banked, 0) AS banked,
       COALESCE((SELECT SUM(x.price_micros) FROM sales x WHERE x.shift_id = s.id AND NOT x.practice), 0) AS sold
  FROM shifts s
  LEFT JOIN (SELECT account, SUM(micros) AS total,
                    SUM(CASE WHEN kind = 'J0' THEN micros ELSE 0 END) AS opened,
                    SUM(CASE WHEN kind = 'J1' THEN micros ELSE 0 END) AS taken,
                    SUM(CASE WHEN kind = 'J20' AND journal LIKE 'shift/%/close/J20' THEN micros ELSE 0 END) AS banked
               FROM postings WHERE account LIKE '1000:%' GROUP BY account) p ON p.account = '1000:' || s.id`

type drawer struct {
	ID                                 string
	OpeningMicros, CountedMicros       int64
	Closed                             bool
	Total, Opened, Taken, Banked, Sold int64
}

func (d drawer) judge(f *Finding) {
	if d.Opened != d.OpeningMicros {
		f.Blame(d.ID, "opened with %d millionths, booked %d", d.OpeningMicros, d.Opened)
	}
	if d.Taken != d.Sold {
		f.Blame(d.ID, "its sales came to %d millionths, booked %d", d.Sold, d.Taken)
	}
	if !d.Closed {
		return
	}
	if d.Banked != -d.CountedMicros {
		f.Blame(d.ID, "counted %d millionths at the close, booked %d", d.CountedMicros, -d.Banked)
	}
	if d.Total != 0 {
		f.Blame(d.ID, "%d millionths are left on its account after the close", d.Total)
	}
}
